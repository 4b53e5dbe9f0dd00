"""The whole house: from the webhook to the provider's acknowledgement, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bench.loop import Contender, bare
from bench.processes import family_cpu_seconds, serving
from bench.results import Result
from bench.stage import Stage, set_up
from tests.support.postgres_server import start_postgres

PEOPLE = 200
"""Who write faster than they are answered, so that many turns run at once; none so often that the
pace of their own chat would hold an answer back."""
FAST = 400.0
CALM = 20.0
"""Messages a second: here turns seldom meet, and share neither commits nor reads."""


@dataclass
class Costs:
    """Milliseconds of CPU a turn, one sample a round."""

    griot: list[float] = field(default_factory=list[float])
    beside: list[float] = field(default_factory=list[float])
    """Of the database's server."""
    bare: Contender = field(default_factory=bare)
    """Just before each round: how fast the machine was."""

    @property
    def cpu_ms(self) -> float:
        """The least: what else the machine does can only add to it."""
        return min(self.griot)

    @property
    def vs_raw_aiohttp(self) -> float:
        return self.cpu_ms / self.bare.cpu_ms


def measure(*, quick: bool) -> list[Result]:
    turns, rounds = (100, 1) if quick else (400, 5)
    with set_up() as stage:
        sqlite = _costs(stage, turns, rounds, FAST)
        calm = _costs(stage, turns // 2, 1, CALM)
    with start_postgres(durable=True) as server, set_up(server.create_database()) as stage:
        pid = server.pid
        postgres = _costs(stage, turns, rounds, FAST, lambda: family_cpu_seconds(pid))
    return [
        Result("house.sqlite.cpu_ms", sqlite.cpu_ms, "ms"),
        Result("house.sqlite.vs_raw_aiohttp", sqlite.vs_raw_aiohttp, "times"),
        Result("house.sqlite.calm_cpu_ms", calm.cpu_ms, "ms"),
        Result("house.postgres.cpu_ms", postgres.cpu_ms, "ms"),
        Result("house.postgres.vs_raw_aiohttp", postgres.vs_raw_aiohttp, "times"),
        Result("house.postgres.server_cpu_ms", min(postgres.beside), "ms"),
    ]


def _costs(
    stage: Stage,
    turns: int,
    rounds: int,
    rate: float,
    beside: Callable[[], float] = lambda: 0.0,
) -> Costs:
    """CPU of Griot, and seconds of what `beside` counts. Everybody's history grows meanwhile."""
    stage.log_in(1, PEOPLE)
    stage.send(PEOPLE, rate=100, first=1, people=PEOPLE)  # warm
    stage.await_answers(60)
    costs = Costs()
    for _ in range(rounds):
        with serving("bench.endpoint") as port:
            costs.bare.run(f"http://127.0.0.1:{port}/v1")
        griot, other = stage.cpu(), beside()
        stage.send(turns, rate=rate, first=1, people=PEOPLE)
        stage.await_answers(120)
        costs.griot.append((stage.cpu() - griot) * 1000 / turns)
        costs.beside.append((beside() - other) * 1000 / turns)
    return costs

"""The whole house: from the webhook to the provider's acknowledgement, on both databases."""

from __future__ import annotations

from collections.abc import Callable

from bench.processes import family_cpu_seconds
from bench.results import Result
from bench.stage import Stage, set_up
from tests.postgres_server import start_postgres

PEOPLE = 200
"""Who write faster than they are answered, so that many turns run at once; none so often that the
pace of their own chat would hold an answer back."""
FAST = 400.0
CALM = 20.0
"""Messages a second: here turns seldom meet, and share neither commits nor reads."""


def measure(*, quick: bool) -> list[Result]:
    turns = 100 if quick else 1000
    with set_up() as stage:
        sqlite, _ = _cpu_ms_per_turn(stage, turns, FAST)
        calm, _ = _cpu_ms_per_turn(stage, turns // 5, CALM)
    with start_postgres(durable=True) as server, set_up(server.create_database()) as stage:
        pid = server._server.pid
        postgres, beside = _cpu_ms_per_turn(stage, turns, FAST, lambda: family_cpu_seconds(pid))
    return [
        Result("house.sqlite.cpu_ms", sqlite, "ms"),
        Result("house.postgres.cpu_ms", postgres, "ms"),
        Result("house.postgres.server_cpu_ms", beside, "ms"),
        Result("house.sqlite.calm_cpu_ms", calm, "ms"),
    ]


def _cpu_ms_per_turn(
    stage: Stage, turns: int, rate: float, beside: Callable[[], float] = lambda: 0.0
) -> tuple[float, float]:
    """CPU a turn of Griot, and of what `beside` counts. Everybody's history grows meanwhile."""
    stage.log_in(1, PEOPLE)
    stage.send(PEOPLE, rate=100, first=1, people=PEOPLE)  # warm
    stage.await_answers(60)
    griot, other = stage.cpu(), beside()
    stage.send(turns, rate=rate, first=1, people=PEOPLE)
    stage.await_answers(120)
    griot, other = stage.cpu() - griot, beside() - other
    return griot * 1000 / turns, other * 1000 / turns

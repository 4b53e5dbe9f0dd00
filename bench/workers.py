"""Workers: how many turns a second two of them end, over one, on one Postgres.

Each worker may run so few turns at once, and the model takes so long, that a worker is bound by
waiting and not by the processor: two cores would otherwise show nothing but themselves. What is
left is whether workers share the lanes without being in each other's way.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

from bench.peers import FOLDER
from bench.processes import MEASURED, OTHERS, running
from bench.results import Result
from bench.stage import GRIOT, Stage, await_listening, free_port, set_up
from tests.support.postgres_server import start_postgres
from tests.support.redis_server import start_redis

RUNNING = 16
"""Turns that a worker runs at once."""
DELAY = 1.0
"""Seconds that the model takes for a turn."""
ENDS = 0.1
"""The share of the turns, at the beginning and at the end, that is not counted."""


def measure(*, quick: bool) -> list[Result]:
    people = 100 if quick else 480
    one, two = (_turns_per_second(workers, people) for workers in (1, 2))
    return [
        Result("workers.one", one, "turns/s"),
        Result("workers.two", two, "turns/s"),
        Result("workers.two_over_one", two / one, "x"),
    ]


def _turns_per_second(workers: int, people: int) -> float:
    """People write one message each while no worker runs; then the workers are let loose."""
    with start_postgres(durable=True) as postgres, start_redis() as redis:
        settings = {"REDIS_URL": redis.url, "MAX_RUNNING_TURNS": str(RUNNING)}
        url = postgres.create_database()
        with set_up(url, delay=DELAY, role="web", more=settings) as stage, ExitStack() as stack:
            stage.send(people, rate=100, first=1, people=people)
            for number in range(workers):
                _start_worker(stage, stack, FOLDER / f"worker-{number}.log")
            return _measure_rate(stage, people)


def _start_worker(stage: Stage, stack: ExitStack, log: Path) -> None:
    port = free_port()
    settings = {**stage.settings, "PORT": str(port)}
    cores = MEASURED | OTHERS
    process = stack.enter_context(
        running(GRIOT, "worker", cores=cores, env=settings, cwd=FOLDER, log=log)
    )
    await_listening(process, port)


def _measure_rate(stage: Stage, people: int) -> float:
    first, last = int(people * ENDS), int(people * (1 - ENDS))
    began, at_first = _await_answers(stage, first)
    ended, at_last = _await_answers(stage, last)
    return (at_last - at_first) / (ended - began)


def _await_answers(stage: Stage, wanted: int) -> tuple[float, int]:
    """When there were at least so many, and how many."""
    deadline = time.monotonic() + 300
    while (answered := stage.answered()) < wanted:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{answered} of {wanted} answered")
        time.sleep(0.05)
    return time.monotonic(), answered

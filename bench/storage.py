"""Storage as it fills: what the writes of one turn cost with little and with much stored."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.bulk import MESSAGES_A_LANE, load_postgres, load_sqlite
from bench.peers import FOLDER
from bench.processes import MEASURED, family_cpu_seconds, output_of
from bench.results import Result
from bench.storage_turns import AT_ONCE
from bot import settings as environment
from bot.storage.database import open_database
from tests.support.postgres_server import start_postgres

SIZES = (10_000, 1_000_000)
"""Messages stored."""


@dataclass(frozen=True)
class Store:
    """A database that can be filled and measured."""

    name: str
    url: str
    load: Callable[[int, int], None]
    """Fills the lanes from the first number to before the second."""
    server_cpu: Callable[[], float]
    """Seconds that the database's own processes have used."""


@dataclass(frozen=True)
class Cost:
    """Milliseconds a turn."""

    cpu: float
    server_cpu: float
    wall: float


def measure(*, quick: bool) -> list[Result]:
    sizes, turns, rounds = ((10_000, 50_000), 200, 1) if quick else (SIZES, 500, 5)
    results: list[Result] = []
    ratios: list[float] = []
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder, start_postgres(durable=True) as server:
        pid = server.pid
        for store in (
            _sqlite(Path(folder) / "griot.db"),
            _postgres(server.create_database(), lambda: family_cpu_seconds(pid)),
        ):
            little, much = _fill_and_measure(store, sizes, turns, rounds)
            ratios.append((much.cpu + much.server_cpu) / (little.cpu + little.server_cpu))
            results += [
                Result(f"storage.{store.name}.cpu_ms", much.cpu, "ms"),
                Result(f"storage.{store.name}.server_cpu_ms", much.server_cpu, "ms"),
                Result(f"storage.{store.name}.wall_ms", much.wall, "ms"),
                Result(f"storage.{store.name}.wall_1m_over_10k", much.wall / little.wall, "times"),
                Result(f"storage.{store.name}.flat_1m_over_10k", ratios[-1], "times"),
            ]
    return [Result("storage.flat_1m_over_10k", max(ratios), "times"), *results]


def _sqlite(path: Path) -> Store:
    def load(first: int, end: int) -> None:
        load_sqlite(path, first, end)

    return Store("sqlite", f"sqlite:///{path}", load, lambda: 0.0)


def _postgres(url: str, server_cpu: Callable[[], float]) -> Store:
    def load(first: int, end: int) -> None:
        asyncio.run(load_postgres(url, first, end))

    return Store("postgres", url, load, server_cpu)


def _fill_and_measure(
    store: Store, sizes: tuple[int, int], turns: int, rounds: int
) -> tuple[Cost, Cost]:
    """The cost of a turn with so many messages stored, and with so many."""
    asyncio.run(_create_tables(store.url))
    few, many = (size // MESSAGES_A_LANE for size in sizes)
    store.load(0, few)
    little = _median([_sample(store, turns, range(few)) for _ in range(rounds)])
    store.load(few, many)
    # As many lanes as before, so that each has as many turns of today; but spread over all.
    others = range(few, many, (many - few) // few)
    return little, _median([_sample(store, turns, others) for _ in range(rounds)])


async def _create_tables(url: str) -> None:
    async with open_database(environment.load({"DATABASE_URL": url})):
        pass


def _sample(store: Store, turns: int, lanes: range) -> Cost:
    server = store.server_cpu()
    numbers = (turns, lanes.start, lanes.stop, lanes.step)
    printed = output_of(
        sys.executable, "bench.storage_turns", store.url, *map(str, numbers), cores=MEASURED
    )
    server = store.server_cpu() - server
    measured = json.loads(printed)
    return Cost(
        cpu=measured["cpu_ms_per_turn"],
        server_cpu=server * 1000 / (turns + AT_ONCE),  # the server has seen the warm-up too
        wall=measured["wall_ms_per_turn"],
    )


def _median(costs: list[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.server_cpu for cost in costs),
        statistics.median(cost.wall for cost in costs),
    )

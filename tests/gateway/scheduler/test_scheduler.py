"""Work is done when it is due, whatever becomes of other work, and nothing is asked in vain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.contracts.storage import Database
from bot.gateway.scheduler.background_events import FIRST_LOST
from bot.gateway.scheduler.scheduler import DueWork, Scheduler
from bot.settings import Settings
from tests.support.app import MakeApp
from tests.support.fakes import FakeModel
from tests.support.lossy_network import lossy_network
from tests.support.queries import FromNow, add_row, change_rows
from tests.support.waiting import until

NEXT = FIRST_LOST
"""Any table with a moment serves."""


class Work:
    """Counts its runs; each waits for `may_end`, or fails where that is an error."""

    def __init__(self, database: Database, error: Exception | None = None) -> None:
        self.runs = 0
        self.may_end = asyncio.Event()
        self.may_end.set()
        self._database = database
        self._error = error

    async def run(self) -> None:
        """Take what is due."""
        self.runs += 1
        await self.may_end.wait()
        if self._error:
            raise self._error
        await change_rows(self._database, "background", {"lost_at": FromNow(3600)})

    async def ran(self) -> bool:
        return self.runs > 0


@asynccontextmanager
async def scheduling(database: Database, *works: DueWork) -> AsyncIterator[None]:
    scheduler = Scheduler(database, works)
    scheduler.start()
    try:
        yield
    finally:
        await scheduler.stop()


async def add_due(database: Database, after: float) -> None:
    moment: dict[str, Any] = {"lost_at": FromNow(after)}
    await add_row(database, "background", key="k", lane="telegram:1", id="1", owner="me", **moment)


async def test_it_is_done_at_its_moment_and_once(database: Database) -> None:
    await add_due(database, 0.4)
    work = Work(database)
    async with scheduling(database, DueWork("work", work.run, due=NEXT)):
        await asyncio.sleep(0.1)
        assert work.runs == 0
        await until(work.ran)
        await asyncio.sleep(0.1)
    assert work.runs == 1


async def test_one_that_fails_is_logged_and_tried_again_and_stops_no_other(
    database: Database,
) -> None:
    await add_due(database, -1)
    broken, whole = Work(database, ConnectionError("away")), Work(database)
    with capture_logs() as logs:
        async with scheduling(
            database,
            DueWork("broken", broken.run, due=NEXT),
            DueWork("whole", whole.run, due=NEXT, pause=60),
        ):
            await until(whole.ran)
            await change_rows(database, "background", {"lost_at": FromNow(-1)})
            await until(_has_run(broken, 2))
    assert {(line["event"], line["loop"]) for line in logs} == {("worker_loop_failed", "broken")}


async def test_a_slow_one_delays_no_other_and_is_not_begun_twice(database: Database) -> None:
    await add_due(database, -1)
    slow, quick = Work(database), Work(database)
    slow.may_end.clear()
    async with scheduling(
        database, DueWork("slow", slow.run, due=NEXT), DueWork("quick", quick.run, pause=0.05)
    ):
        await until(_has_run(quick, 3))
        assert slow.runs == 1


async def test_a_database_that_is_away_is_asked_again(database: Database) -> None:
    class Away:
        def __init__(self) -> None:
            self.asked = 0

        async def read(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
            self.asked += 1
            if self.asked == 1:
                raise ConnectionError("away")
            return await database.read(work)

    work, away = Work(database), Away()
    with capture_logs() as logs:
        async with scheduling(away, DueWork("work", work.run, pause=60)):  # type: ignore[arg-type]
            await until(work.ran)
    assert [(line["event"], line["loop"]) for line in logs] == [("worker_loop_failed", "scheduler")]


def _has_run(work: Work, times: int) -> Callable[[], Awaitable[bool]]:
    async def has() -> bool:
        return work.runs >= times

    return has


@pytest.mark.timeout(60)
@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_an_idle_process_asks_once_in_two_seconds_at_most(
    app: MakeApp, settings: Settings
) -> None:
    async with lossy_network(settings.database_url) as network:
        one = await app(database_url=network.url)
        await one.start(FakeModel())
        await asyncio.sleep(2)  # what is done at the start
        before = network.transactions
        await asyncio.sleep(24)
        assert 0 < network.transactions - before <= 24 / 2

"""Run each work when it is due: one loop, and one query for all works.

The times are stored in the tables of the works (`task.remind_at`, `purchase.ask_at`). The scheduler
asks for the soonest of each, sleeps until then, and looks again after `LOOK_EVERY` seconds at the
latest, as other processes write too. Every process that runs lanes schedules; each work takes its
rows in a transaction of its own, so that of several processes one handles them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from bot.asyncio_tasks import cancel_tasks
from bot.contracts.storage import Database, Transaction

LOOK_EVERY: Final = 3.0
"""Seconds between two looks while nothing is due."""
_AFTER_FAILURE: Final = 1.0
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class DueWork:
    """Work that is run when rows of its tables are due.

    Args:
        name: its name in the log.
        run: handles what is due; it may leave some of it for the next run.
        due: a query of one number, the Unix time at which the work is due; NULL: it is not.
            Empty: it is always due.
        pause: seconds between two runs at least.
    """

    name: str
    run: Callable[[], Awaitable[object]]
    due: str = ""
    pause: float = 0.02


class Scheduler:
    """Runs each work in a task of its own, so that a slow one delays no other."""

    def __init__(self, database: Database, works: Sequence[DueWork]) -> None:
        self._database = database
        self._works = {work.name: work for work in works}
        self._query = _write_query(works)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._rested_at: dict[str, float] = {}
        """By name: when it may run again, by the monotonic clock."""
        self._ended = asyncio.Event()
        """Set when a work has ended: there may be more to do."""
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._loop = asyncio.create_task(self._run(), name="scheduler")

    async def stop(self) -> None:
        """Cancel the loop and all running works."""
        await cancel_tasks([*([self._loop] if self._loop else []), *self._running.values()])

    async def _run(self) -> None:
        while True:
            self._ended.clear()
            try:
                wait = self._start_due(await self._database.read(self._look))
            except Exception:
                log.exception("worker_loop_failed", loop="scheduler")
                wait = _AFTER_FAILURE
            try:
                async with asyncio.timeout(wait):
                    await self._ended.wait()
            except TimeoutError:
                continue

    async def _look(self, tx: Transaction) -> dict[str, float]:
        """Return the seconds until each work is due, without those that are not due at any time."""
        row = await tx.fetch_one(self._query)
        return {name: row[name] for name in self._works if row and row[name] is not None}

    def _start_due(self, due_in: dict[str, float]) -> float:
        """Start the works that are due; return the seconds until the next look."""
        wait, now = LOOK_EVERY, time.monotonic()
        for name, seconds in due_in.items():
            if name in self._running:
                continue
            seconds = max(seconds, self._rested_at.get(name, now) - now)
            if seconds > 0:
                wait = min(wait, seconds)
                continue
            task = asyncio.create_task(self._do(self._works[name]), name=name)
            self._running[name] = task
        return wait

    async def _do(self, work: DueWork) -> None:
        pause = work.pause
        try:
            await work.run()
        except Exception:
            log.exception("worker_loop_failed", loop=work.name)
            pause = max(pause, _AFTER_FAILURE)
        finally:
            self._rested_at[work.name] = time.monotonic() + pause
            del self._running[work.name]
            self._ended.set()


def _write_query(works: Sequence[DueWork]) -> str:
    due_in = (f"({work.due}) - {{now}}" if work.due else "0" for work in works)
    columns = [f"{one} AS {work.name}" for one, work in zip(due_in, works, strict=True)]
    return f"SELECT {', '.join(columns)}"

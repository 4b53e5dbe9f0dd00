"""The worker: claims lanes that have work, one task a lane; keeps leases; drains at the end."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final

import structlog

from bot.asyncio_tasks import cancel_tasks
from bot.contracts.storage import Database, Transaction, fetch_count
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.runner import Isolation, Runner
from bot.gateway.scheduler.scheduler import DueWork
from bot.observability import Metrics
from bot.settings import Settings

_EVERY: Final = 20.0
"""Seconds between two notes that a worker is alive."""
_ALIVE: Final = 60.0
"""Seconds after its last note for which a worker counts as alive."""
_FORGOTTEN: Final = 86_400.0
"""Seconds after its last note for which a dead worker's row is kept."""


class WorkerHeartbeat:
    """The worker's row in the table `worker`, which shows that it is alive.

    Args:
        owner: the name under which the worker holds lanes.
    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner

    async def keep(self) -> None:
        """Note every `_EVERY` seconds that the worker is alive; never returns."""
        while True:
            await self._database.write(self._check_in)
            await asyncio.sleep(_EVERY)

    async def _check_in(self, tx: Transaction) -> None:
        await tx.execute(_CHECK_IN, owner=self._owner)
        await tx.execute(_FORGET, after=_FORGOTTEN)

    async def check_out(self) -> None:
        """Delete the worker's row; without this it counts as alive for up to `_ALIVE` seconds."""
        await self._database.run("DELETE FROM worker WHERE owner = :owner", owner=self._owner)


async def count_alive(tx: Transaction) -> int:
    return await fetch_count(tx, _COUNT_ALIVE, alive=_ALIVE)


_CLAIM_AT_ONCE: Final = 16
_LOOK_EVERY: Final = 0.5
"""Seconds between two looks for due lanes while lanes run, if none was announced."""
_FIRST_DUE: Final = "SELECT min(due_at) FROM lane WHERE due_at IS NOT NULL"
_LAG_YIELDS: Final = 8
"""Rounds of the event loop over which its lag is measured."""
_LAG: Final = 0.001
"""Average seconds a round from which the loop counts as behind."""
_LAG_PAUSE: Final = 0.002
_CANCEL_SECONDS: Final = 2.0
"""Seconds that a cancelled task has for what it still has to store."""
_RELEASE_SECONDS: Final = 1.0
"""Seconds that the worker has at its end to give its lanes back and delete its row."""
_MOST_LAG_SECONDS: Final = 0.2
"""Seconds after which a lane begins even though the event loop is behind."""
log = structlog.get_logger()


class Worker:
    """Runs lanes until `stop` is called. Any number of workers may share a database."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        lanes: Lanes,
        inbox: Inbox,
        make_runner: Callable[[Claim], Runner],
        metrics: Metrics,
        isolation: Isolation,
    ) -> None:
        self._settings = settings
        self._lanes = lanes
        self._heartbeat = WorkerHeartbeat(database, lanes.owner)
        self._inbox = inbox
        self._make_runner = make_runner
        self._metrics = metrics
        self._isolation = isolation
        self._runners: dict[str, tuple[Runner, asyncio.Task[None]]] = {}
        self._news = asyncio.Event()
        self._stopping = asyncio.Event()
        self._starting = asyncio.Lock()
        """Has claimed lanes start one at a time, as the event loop has room for them."""
        self._loops: list[asyncio.Task[None]] = []
        database.listen(self._on_lane_announced)
        self.work = DueWork("claim", self._look, due=_FIRST_DUE, pause=_LOOK_EVERY)
        """Has the worker claim lanes that were not announced: retries, leases of dead workers."""

    def start(self) -> None:
        self._loops = [
            asyncio.create_task(self._keep_on("claim", self._claim_loop), name="claim"),
            asyncio.create_task(self._keep_on("renew", self._renew_loop), name="renew"),
            asyncio.create_task(self._keep_on("register", self._heartbeat.keep), name="register"),
        ]

    async def stop(self) -> None:
        """Claim no more lanes, let running turns end for `DRAIN_SECONDS`, give the others back.

        Lanes that cannot be given back, as the database is away, are taken over by other workers.
        """
        self._stopping.set()
        self._news.set()
        end = time.monotonic() + self._settings.drain_seconds
        claiming = self._loops[:1]
        await asyncio.wait(claiming, timeout=self._settings.drain_seconds)
        await cancel_tasks(claiming, patience=_CANCEL_SECONDS)
        for runner, _ in self._runners.values():
            runner.drain()
        tasks = [task for _, task in self._runners.values()]
        if tasks:
            log.info("draining", lanes=len(tasks))
            await asyncio.wait(tasks, timeout=max(0.0, end - time.monotonic()))
        await cancel_tasks(tasks, patience=_CANCEL_SECONDS)
        await cancel_tasks(self._loops, patience=_CANCEL_SECONDS)
        with contextlib.suppress(OSError):  # the database is away, or takes too long (TimeoutError)
            async with asyncio.timeout(_RELEASE_SECONDS):
                await self._release_all()
                await self._heartbeat.check_out()

    async def _release_all(self) -> None:
        """Release lanes that are still ours: a claim was cancelled halfway, or a release failed."""
        for claim in (await self._lanes.renew()).values():
            await self._lanes.release(claim)

    def _on_lane_announced(self, lane: str, urgent: bool, after: float) -> None:
        if after > 0:
            asyncio.get_running_loop().call_later(after, self._on_lane_announced, lane, urgent, 0.0)
        elif lane not in self._runners:
            self._news.set()
        elif urgent:
            self._runners[lane][0].wake()

    async def _keep_on(self, name: str, loop: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run one of the worker's loops to its end; log an error in it and begin it anew.

        This goes on while the worker drains, as leases must be kept until the last turn has ended.
        """
        while True:
            try:
                await loop()
                return
            except Exception:
                log.exception("worker_loop_failed", loop=name)
                await asyncio.sleep(1)

    # Claiming -----------------------------------------------------------------------------------

    async def _claim_loop(self) -> None:
        while not self._stopping.is_set():
            self._news.clear()
            async with self._starting:  # after the lanes that were claimed before have begun
                pass
            free = self._settings.max_running_turns - len(self._runners)
            limit = 0 if self._isolation.is_wanted else min(free, _CLAIM_AT_ONCE)
            claims = await self._lanes.claim(limit) if limit > 0 else []
            for claim in claims:
                self._begin(claim)
            if len(claims) < _CLAIM_AT_ONCE and not await self._wait_for_news():
                await self._look_for_urgent()

    async def _run(self, runner: Runner) -> None:
        async with self._starting:
            await self._wait_for_loop()
        await runner.run()

    async def _wait_for_loop(self) -> None:
        """Wait while the event loop is behind, for `_MOST_LAG_SECONDS` seconds at most.

        Stored updates can wait in their lanes; arriving ones must be acknowledged in time. Measured
        by `perf_counter`, as the loop's own clock does not advance within a round, and has only
        milliseconds.
        """
        end = time.perf_counter() + _MOST_LAG_SECONDS
        while (before := time.perf_counter()) < end and not self._stopping.is_set():
            for _ in range(_LAG_YIELDS):
                await asyncio.sleep(0)
            if time.perf_counter() - before < _LAG_YIELDS * _LAG:
                return
            await asyncio.sleep(_LAG_PAUSE)

    async def _wait_for_news(self) -> bool:
        """Wait for an announcement; return False if none came in `_LOOK_EVERY` seconds.

        While no lane runs it waits for ever; while lanes run, an announcement may be lost.
        """
        try:
            async with asyncio.timeout(_LOOK_EVERY if self._runners else None):
                return await self._news.wait()
        except TimeoutError:
            return False

    async def _look(self) -> None:
        self._news.set()

    async def _look_for_urgent(self) -> None:
        """Wake runners with urgent updates that were not announced: an announcement was lost, or
        the database has none (SQLite)."""
        if self._runners:
            for lane in await self._inbox.urgent_lanes():
                if lane in self._runners:
                    self._runners[lane][0].wake()

    def _begin(self, claim: Claim) -> None:
        runner = self._make_runner(claim)
        task = asyncio.create_task(self._run(runner), name=f"lane {claim.lane}")
        self._runners[claim.lane] = runner, task
        self._metrics.lanes_running.set(len(self._runners))
        task.add_done_callback(lambda ended: self._end(claim.lane, ended))

    def _end(self, lane: str, task: asyncio.Task[None]) -> None:
        current = self._runners.get(lane)
        if current is not None and current[1] is task:
            del self._runners[lane]
        self._metrics.lanes_running.set(len(self._runners))
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("lane_failed", lane=lane, exc_info=error)
        self._news.set()

    # Keeping leases -----------------------------------------------------------------------------

    async def _renew_loop(self) -> None:
        orphans: set[Claim] = set()
        missing: set[Claim] = set()
        while True:
            await self._wait_to_renew()
            held = {runner.claim for runner, _ in self._runners.values()}
            ours = await self._lanes.renew()
            missing = self._cancel_lost(missing, held - set(ours.values()))
            orphans = await self._release_orphans(orphans, ours)

    async def _wait_to_renew(self) -> None:
        """Wait a third of a lease, or a whole one while no lane runs: then renewing only finds a
        claim whose answer was lost."""
        for _ in range(3):
            await asyncio.sleep(self._settings.lease_seconds / 3)
            if self._runners:
                return

    def _cancel_lost(self, before: set[Claim], missing: set[Claim]) -> set[Claim]:
        """Stop working on lanes that were found to be another process's twice in a row.

        Once may only mean that we have just released it. Meanwhile the fence prevents writes and
        deliveries.
        """
        for claim in missing & before:
            runner, task = self._runners.get(claim.lane, (None, None))
            if runner is not None and task is not None and runner.claim == claim:
                log.warning("lease_lost", lane=claim.lane)
                task.cancel()
        return missing

    async def _release_orphans(self, before: set[Claim], ours: dict[str, Claim]) -> set[Claim]:
        """Release lanes that are ours but were found twice in a row to have no runner.

        A claim whose answer was lost, or a release that failed, leaves such a lane behind.
        """
        orphans = {claim for lane, claim in ours.items() if lane not in self._runners}
        for claim in orphans & before:
            log.warning("lane_handed_back", lane=claim.lane)
            await self._lanes.release(claim)
        return orphans - before


_CHECK_IN = """
INSERT INTO worker (owner, started_at, heartbeat_at) VALUES (:owner, {now}, {now})
ON CONFLICT (owner) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
"""

_FORGET = """
DELETE FROM worker WHERE heartbeat_at < {now} - :after
"""

_COUNT_ALIVE = """
SELECT count(*) AS n FROM worker WHERE heartbeat_at >= {now} - :alive
"""

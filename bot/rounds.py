"""What is done again and again until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import structlog

log = structlog.get_logger()


class Rounds:
    """Rounds in a task of their own: one that fails is logged, and the next comes all the same.

    Args:
        name: in the log.
        go: one round; gives the seconds until the next.
        after_failure: the same, where it failed.
    """

    def __init__(
        self, name: str, go: Callable[[], Awaitable[float]], *, after_failure: float
    ) -> None:
        self._name = name
        self._go = go
        self._after_failure = after_failure
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """Break off the round that is under way; nothing happens where none was begun."""
        if self._task:
            await cancel([self._task])

    async def _run(self) -> None:
        while True:
            try:
                seconds = await self._go()
            except Exception:
                log.exception("worker_loop_failed", loop=self._name)
                seconds = self._after_failure
            await asyncio.sleep(seconds)


async def stop_all(rounds: Iterable[Rounds]) -> None:
    """Stop them at the same time: each may have something to wait for."""
    await asyncio.gather(*(each.stop() for each in rounds))


async def cancel(tasks: Iterable[asyncio.Task[Any]], *, patience: float = 2.0) -> None:
    """Cancel them until they have ended: what they still do about it is cancelled too, each time
    after `patience` seconds, and a cancellation that got lost in a library is said again.

    Whoever is cancelled meanwhile says so to them as well, and ends when they have.
    """
    waiting = {task for task in tasks if not task.done()}
    cancelled, is_cancelled = waiting, False
    while waiting:
        for task in waiting:
            task.cancel()
        try:
            _, waiting = await asyncio.wait(waiting, timeout=patience)
        except asyncio.CancelledError:
            is_cancelled = True
    for task in cancelled:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("task_ended_badly", task=task.get_name(), error=type(error).__name__)
    if is_cancelled:
        raise asyncio.CancelledError

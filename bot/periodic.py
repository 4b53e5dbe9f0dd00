"""Run work periodically, and cancel tasks until they have really ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import structlog

log = structlog.get_logger()


class PeriodicTask:
    """Calls `run_once` again and again in a task; a failed call is logged and does not end it.

    Args:
        name: of the task, in the log.
        run_once: returns the seconds until the next call.
        after_failure: seconds until the next call when one failed.
    """

    def __init__(
        self, name: str, run_once: Callable[[], Awaitable[float]], *, after_failure: float
    ) -> None:
        self._name = name
        self._run_once = run_once
        self._after_failure = after_failure
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """Cancel the call that is under way; do nothing where none was started."""
        if self._task:
            await cancel_tasks([self._task])

    async def _run(self) -> None:
        while True:
            try:
                seconds = await self._run_once()
            except Exception:
                log.exception("worker_loop_failed", loop=self._name)
                seconds = self._after_failure
            await asyncio.sleep(seconds)


async def stop_all(tasks: Iterable[PeriodicTask]) -> None:
    """Stop all at the same time, since each may have something to wait for."""
    await asyncio.gather(*(task.stop() for task in tasks))


async def cancel_tasks(tasks: Iterable[asyncio.Task[Any]], *, patience: float = 2.0) -> None:
    """Cancel the tasks, again after each `patience` seconds, until all have ended.

    Repeating covers work in their clean-up, and cancellations that a library swallowed. If the
    caller is cancelled meanwhile, it still waits for the tasks, then raises `CancelledError`.
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

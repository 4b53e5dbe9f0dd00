"""Cancel asyncio tasks, and wait until they have really ended."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import structlog

log = structlog.get_logger()


async def cancel_tasks(tasks: Iterable[asyncio.Task[Any]], *, patience: float = 2.0) -> None:
    """Cancel the tasks, again after each `patience` seconds, until all have ended.

    Repeating covers work in their clean-up, and cancellations that a library swallowed. If the
    caller is cancelled meanwhile, it still waits for the tasks, then raises `CancelledError`.
    What a task failed with, also one that had ended before, is logged.
    """
    tasks = set(tasks)
    waiting, is_cancelled = {task for task in tasks if not task.done()}, False
    while waiting:
        for task in waiting:
            task.cancel()
        try:
            _, waiting = await asyncio.wait(waiting, timeout=patience)
        except asyncio.CancelledError:
            is_cancelled = True
    for task in tasks:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("task_ended_badly", task=task.get_name(), error=type(error).__name__)
    if is_cancelled:
        raise asyncio.CancelledError

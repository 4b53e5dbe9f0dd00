"""Ending a turn that runs in this process before it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


class Stop:
    """A person's wish to cancel a turn, or ours to set it aside. It takes effect only while the
    agent works."""

    def __init__(self) -> None:
        self.requested = False
        self.sets_aside = False
        self._task: asyncio.Task[Any] | None = None

    def request(self) -> None:
        """Have the turn cancelled, now or as soon as the agent works."""
        self.requested = True
        if self._task is not None:
            self._task.cancel()

    def set_aside(self) -> None:
        """Interrupt the turn if the agent works, to be tried again later."""
        if self._task is not None and not self.requested:
            self.sets_aside = True
            self._task.cancel()

    @contextmanager
    def heeded(self) -> Generator[None]:
        """While the block runs, a request cancels it."""
        if self.requested:
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        try:
            yield
        finally:
            self._task = None

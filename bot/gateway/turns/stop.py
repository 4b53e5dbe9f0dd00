"""Cancelling a turn that runs in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


class Stop:
    """A person's wish to cancel a turn. It takes effect only while the agent works."""

    def __init__(self) -> None:
        self.requested = False
        self._task: asyncio.Task[Any] | None = None

    def request(self) -> None:
        self.requested = True
        if self._task is not None:
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

"""Wait for what a test expects."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


async def until(condition: Callable[[], Awaitable[object]], seconds: float = 20) -> None:
    """Wait until `condition` holds; it is looked at often, and the test fails if it never does."""
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.01)

"""The demo's gateway as the page sees it: up, killed, up again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import msgspec

from bot.demo.nursery import Nursery
from bot.demo.providers.screens import Screens
from bot.demo.providers.shown import Told
from bot.errors import GriotError

_END_SECONDS: Final = 5.0


class GatewayFailed(GriotError):
    """The gateway did not start, and has said why."""


class Supervisor:
    """
    Args:
        nursery: that brings gateways up; it is reaped at the end.
        screens: are told how the gateway is.
    """

    def __init__(self, nursery: Nursery, screens: Screens) -> None:
        self.up = asyncio.Event()
        self.gone = asyncio.Event()
        """Set when no gateway will come up any more."""
        self._nursery = nursery
        self._screens = screens
        self._pid = 0
        self._killed_at = 0.0

    @asynccontextmanager
    async def running(self, values: Mapping[str, str]) -> AsyncGenerator[None]:
        """A gateway with these settings runs while the context is open: wait until it is `up`."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        news = os.fdopen(self._nursery.news, "rb", buffering=0)
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), news
        )
        task = asyncio.create_task(self._listen(reader), name="gateway")
        try:
            os.write(self._nursery.orders, msgspec.json.encode(values) + b"\n")
            yield
        finally:
            os.close(self._nursery.orders)
            await self._end(task)
            transport.close()

    async def wait(self) -> None:
        """Until it is up. Raises `GatewayFailed`."""
        await first_of(self.up, self.gone)
        if self.gone.is_set():
            raise GatewayFailed("the gateway did not start")

    def kill(self) -> None:
        """As the kernel does when memory runs out: it hears nothing and writes nothing more.

        Raises:
            ProcessLookupError: it is not up.
        """
        if not self.up.is_set():
            raise ProcessLookupError("the gateway is not up")
        self.up.clear()
        os.kill(self._pid, signal.SIGKILL)

    async def _listen(self, news: asyncio.StreamReader) -> None:
        loop = asyncio.get_running_loop()
        while line := await news.readline():
            state, pid = line.split()
            if state == b"up":
                self._pid = int(pid)
                took = round((loop.time() - self._killed_at) * 1000) if self._killed_at else 0
                self._tell(Told(state="up", pid=self._pid, ms=took))
                self.up.set()
            else:
                self._killed_at = loop.time()
                self.up.clear()
                self._tell(Told(state="killed", pid=int(pid)))
        self.up.clear()
        self.gone.set()

    async def _end(self, task: asyncio.Task[None]) -> None:
        """The end of its orders asks it to stop; then it has a few seconds."""
        await asyncio.wait([task], timeout=_END_SECONDS)
        if not task.done():
            for pid in filter(None, (self._nursery.pid, self._pid)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(os.waitpid, self._nursery.pid, 0)
        await task

    def _tell(self, told: Told) -> None:
        self._screens.tell_gateway(told)
        about = f"pid {told.pid}" + (f" · {told.ms} ms" if told.ms else "")
        self._screens.log("gateway", "here", told.state, about)


async def first_of(*events: asyncio.Event) -> None:
    """Wait for one of them."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()

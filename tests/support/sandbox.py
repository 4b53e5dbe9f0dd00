"""A sandbox to test, whose commands run as users that no other test has."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bot.contracts.services import CommandResult
from bot.sandbox.background import BackgroundEnd, BackgroundStart
from bot.sandbox.sandbox import Sandbox

FIRST_UID = 1_000_000 + 16 * os.getpid()
SECONDS = 60.0
"""For what ends by itself."""


class Opened(Sandbox):
    """A sandbox that keeps what it reports."""

    def __init__(self, **values: Any) -> None:
        self.starts: asyncio.Queue[BackgroundStart] = asyncio.Queue()
        self.ends: asyncio.Queue[BackgroundEnd] = asyncio.Queue()
        super().__init__(self.starts.put, self.ends.put, **{"first_uid": FIRST_UID} | values)

    async def do(self, command: str, seconds: float = SECONDS) -> CommandResult:
        return await self.run(command, seconds=seconds, show=lambda _: None)


@asynccontextmanager
async def open_sandbox(**values: Any) -> AsyncGenerator[Opened]:
    """It works, or the test fails and says what is missing."""
    sandbox = Opened(**values)
    reason = await sandbox.why_closed()
    assert not reason, (
        f"No sandbox can be made here, so it cannot be tested: {reason}. These tests need "
        "bubblewrap (apt-get install bubblewrap) and a kernel that lets users make user namespaces."
    )
    try:
        yield sandbox
    finally:
        await sandbox.close()


def processes(command: str = "", *, dead: bool = False) -> dict[int, str]:
    """The live processes of the sandbox's users, as the machine sees them: id and command line;
    or the dead ones that nobody has buried. Where the tests are not run by root these are ours
    too, so name the command."""
    users = range(FIRST_UID, FIRST_UID + 16) if os.geteuid() == 0 else (os.geteuid(),)
    found: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            fields = dict(
                line.partition(":")[::2] for line in (folder / "status").read_text().splitlines()
            )
            words = (folder / "cmdline").read_text(errors="replace").replace("\0", " ")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if int(fields["Uid"].split()[0]) in users and dead == ("Z" in fields["State"].split()[0]):
            found[int(folder.name)] = words
    return {pid: words for pid, words in found.items() if command in words}


def is_running(command: str) -> bool:
    """Whether the command itself runs, not only what is to start it."""
    return command in map(str.strip, processes(command).values())


async def until(condition: Any, seconds: float = 60.0) -> None:
    """Wait until it holds."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, "it did not come to this in time"
        await asyncio.sleep(0.01)

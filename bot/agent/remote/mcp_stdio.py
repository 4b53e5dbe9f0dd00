"""An MCP server as a child process, spoken to in lines over stdin and stdout."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

import structlog

from bot.agent.remote.mcp_messages import CHUNK, Inbox, Lines, Pace
from bot.settings import McpServer

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

P = TypeVar("P")
_INHERITED = ("PATH", "HOME", "LANG")
"""All that a server learns of our environment beside what its settings name."""
_MAX_UNREAD = 1024 * 1024
"""Bytes that a server may leave unread on its stdin before it counts as broken."""
_LAST_LINE = 500
"""Characters kept of what it last said on stderr."""
_log = structlog.get_logger()


@asynccontextmanager
async def run_command(
    name: str, server: McpServer, inbox: Inbox, grace: float
) -> AsyncGenerator[Callable[[SessionMessage], None]]:
    """Run the server; what it says goes to `inbox`, which ends when its stdout does.

    Yields a function that sends a message: it never waits, and ends the inbox if the server does
    not read. On leaving, stdin is closed, then the whole process group is killed: with SIGTERM
    after half of `grace` seconds at most, with SIGKILL after all of it.

    Raises:
        OSError: it cannot be started.
        ValueError: nor could it ever (a NUL byte in the command).
    """
    transport, process = await _start(server)
    readers = (
        asyncio.create_task(_read(_opened(process.stdout), inbox)),
        asyncio.create_task(_drop(_opened(process.stderr), name)),
    )
    stdin = _opened(process.stdin)

    def send(message: SessionMessage) -> None:
        text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        stdin.write(text.encode() + b"\n")
        if stdin.transport.get_write_buffer_size() > _MAX_UNREAD:
            inbox.end()

    try:
        yield send
    finally:
        try:
            await _stop(process, grace)
        finally:
            _kill_group(process, signal.SIGKILL)
            if stdin.transport.get_write_buffer_size():
                stdin.transport.abort()
            transport.close()
            for reader in readers:
                reader.cancel()


async def _start(server: McpServer) -> tuple[asyncio.SubprocessTransport, Process]:
    inherited = {key: os.environ[key] for key in _INHERITED if key in os.environ}
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: SubprocessStreamProtocol(limit=CHUNK, loop=loop),
        server.command,
        *server.args,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=inherited | dict(server.env),
        start_new_session=True,
    )
    return transport, Process(transport, protocol, loop)


async def _read(stdout: asyncio.StreamReader, inbox: Inbox) -> None:
    lines, pace = Lines(), Pace()
    try:
        while chunk := await stdout.read(CHUNK):
            began = time.monotonic()
            for line in lines.feed(chunk):
                await inbox.take(line)
            await pace.rest(began, len(chunk))
    except OSError:
        _log.debug("mcp_stdout_broken", exc_info=True)
    finally:
        inbox.end()


async def _drop(stderr: asyncio.StreamReader, name: str) -> None:
    """Read stderr to its end, so that the server is never held up by it, and forget it."""
    pace, last = Pace(), b""
    try:
        while chunk := await stderr.read(CHUNK):
            began = time.monotonic()
            last = (last + chunk.rstrip())[-4 * _LAST_LINE :]
            await pace.rest(began, len(chunk))
    except OSError:
        _log.debug("mcp_stderr_broken", exc_info=True)
    *_, line = last.decode(errors="replace").rsplit("\n", 1)
    _log.debug("mcp_server_said", server=name, line=line[-_LAST_LINE:])


async def _stop(process: Process, grace: float) -> None:
    """Let the process end, or make it; whatever it started in its group ends with it."""
    _opened(process.stdin).close()
    for sign in (signal.SIGTERM, signal.SIGKILL):
        await _ended(process, grace / 2)
        _kill_group(process, sign)
    await _ended(process, 1.0)


async def _ended(process: Process, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await process.wait()


def _kill_group(process: Process, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, sign)


def _opened(pipe: P | None) -> P:
    if pipe is None:
        raise ValueError("the process was started without this pipe")
    return pipe

"""Processes of ours that work apart: begun, and ended with all that they have started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from pathlib import Path


async def spawn(*command: str, cwd: Path, env: Mapping[str, str]) -> Process:
    """The process: in a group of its own, its input and output piped, what it complains of unheard.

    Whoever is cancelled meanwhile, however often, leaves none behind.

    Raises:
        OSError: it cannot be started.
    """
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        clearing = asyncio.create_task(_clear(starting))
        while not clearing.done():  # soon, for it is killed
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({clearing})
        raise


async def end(process: Process) -> None:
    """Nothing of it stays: neither itself, nor what it has started, nor a pipe."""
    kill(process)
    await process.communicate()  # a pipe that is full would keep it from being reaped


def kill(process: Process) -> None:
    """It and its group, whether or not it is there any more."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def _clear(starting: asyncio.Future[Process]) -> None:
    with contextlib.suppress(OSError):  # it could not be started: nothing is left
        await end(await starting)

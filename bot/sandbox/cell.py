"""One command shut in: started, told to end, ended.

Process 1 inside is in our hands before anything of the command runs. When it ends the kernel ends
whatever else is in there, however it has tried to get away, and only then bubblewrap ends, which
waits outside. So once `wait` returns, nothing is left.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import signal
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from io import FileIO
from subprocess import STDOUT, Popen
from typing import Final

import msgspec

from bot.kernel.filter import assemble
from bot.sandbox.command_line import Ends, compose
from bot.sandbox.limits import Limits
from bot.sandbox.pipes import Pipe, Source
from bot.sandbox.processes import descendants, owner, step_back

_START_SECONDS: Final = 15.0
_END_SECONDS: Final = 5.0


class NotStarted(Exception):
    """The command could not be shut in, and nothing of it ran; the reason is for operators."""


class _Status(msgspec.Struct, rename="kebab"):
    child_pid: int


class Cell:
    """A command that runs. Made by `start`, given back by `close`."""

    def __init__(self, process: Popen[bytes], output: FileIO, status: FileIO) -> None:
        self.output = Source(output)
        self._status = Source(status)
        self._process = process
        self._first: int | None = None
        """A pidfd of process 1 inside: it means that process and never another."""
        self._ended = asyncio.Event()
        self._watched = os.pidfd_open(process.pid)
        asyncio.get_running_loop().add_reader(self._watched, self._note_end)

    @classmethod
    async def start(cls, command: bytes, limits: Limits, uid: int | None) -> Cell:
        """Shut the command in and let it run; `uid` is the user to become (None: stay).

        Raises:
            NotStarted: nothing of it ran.
        """
        try:
            with ExitStack() as ends:
                return await cls._start(command, limits, uid, ends)
        except TimeoutError:
            raise NotStarted(f"It did not start within {_START_SECONDS:g} s.") from None
        except (OSError, msgspec.DecodeError) as error:
            raise NotStarted(str(error)) from None

    @classmethod
    async def _start(cls, command: bytes, limits: Limits, uid: int | None, ends: ExitStack) -> Cell:
        go, output, status, calls = (Pipe(ends) for _ in range(4))
        calls.write.write(assemble(platform.machine()))
        inherited = Ends(status.write.fileno(), calls.read.fileno())
        # From here to the end of the block nothing is left to itself: there is no await between.
        cell = cls(
            _spawn(compose(command, limits, uid, inherited), inherited, go.read, output.write),
            output.read,
            status.read,
        )
        async with AsyncExitStack() as unless_held:
            unless_held.push_async_callback(cell.close)
            for end in (go.read, output.write, status.write, calls.read, calls.write):
                end.close()
            async with asyncio.timeout(_START_SECONDS):
                await cell._take_hold(go.write)
            unless_held.pop_all()
        return cell

    async def _take_hold(self, go: FileIO) -> None:
        """Let the command run once its process 1 is in our hands, and dies if we do."""
        if line := await self._status.read_line():
            pid = msgspec.json.decode(line, type=_Status).child_pid
            self._first = os.pidfd_open(pid)
            if not owner(pid):
                raise NotStarted("It would run as root.")
            step_back(pid)
        if (words := await self.output.read_line()) != b"\n":
            said = words.decode(errors="replace").strip()
            raise NotStarted(said[:300] or "It ended without a word.")
        go.write(b"\n")

    def _note_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._watched)
        self._process.wait()  # at once: it has ended
        self._ended.set()

    async def wait(self) -> int:
        """Its exit status, as a shell tells it, once nothing of it is left."""
        await self._ended.wait()
        status = self._process.wait()
        return status if status >= 0 else 128 - status

    async def terminate(self) -> None:
        """Ask everything inside to end. Process 1 ends when the command has."""
        _, *inside = await asyncio.to_thread(descendants, self._process.pid) or [0]
        for pid in inside:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    async def end(self) -> None:
        """End it if it has not ended, and wait until nothing is left."""
        self._kill_inside()
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._ended.wait()
        except TimeoutError:  # bubblewrap itself hangs; what is inside dies with it
            self._kill_all()
            await self._ended.wait()

    async def close(self) -> None:
        """As `end`; then nothing more can be read."""
        try:
            await self.end()
        finally:
            self.output.close()
            self._status.close()
            for held in (self._watched, self._first):
                if held is not None:
                    os.close(held)

    def _kill_inside(self) -> None:
        if self._first is None:
            self._kill_all()
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._first, signal.SIGKILL)

    def _kill_all(self) -> None:
        """Bubblewrap, and what it has started as long as that has not gone its own way."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)


def _spawn(
    words: Sequence[str | bytes], inherited: Ends, stdin: FileIO, output: FileIO
) -> Popen[bytes]:
    return Popen(  # noqa: S603 (the words are ours up to the last, which is shut in)
        words,
        stdin=stdin,
        stdout=output,
        stderr=STDOUT,
        env={},
        cwd="/",
        pass_fds=(inherited.status, inherited.filter),
        start_new_session=True,
    )

"""Run a sandboxed command as a process: its pipes, its start in bubblewrap, its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import signal
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from io import FileIO
from pathlib import Path
from subprocess import STDOUT, Popen
from typing import Final

import msgspec

from bot.process_restrictions import assemble_filter
from bot.sandbox.bubblewrap import InheritedFiles, Limits, compose_command

_BUFFER: Final = 65_536
"""Bytes read at once; a writer waits when the pipe is full."""


class Pipe:
    """Both ends of a pipe, closed with the stack at the latest."""

    def __init__(self, stack: ExitStack) -> None:
        read, write = os.pipe()
        self.read = stack.enter_context(FileIO(read, "r"))
        self.write = stack.enter_context(FileIO(write, "w"))


class Source:
    """The reading end of a pipe. One task reads at a time.

    The event loop only reports that there is something to read: its own transports for pipes differ
    in who closes the descriptor, and a number that is closed twice may belong to another file by
    then.
    """

    def __init__(self, end: FileIO) -> None:
        """Make a reader of a duplicate of the end, which the caller may close afterwards."""
        self._number = os.dup(end.fileno())
        os.set_blocking(self._number, False)
        self._rest = b""
        self._is_closed = False
        self._comes: asyncio.Future[None] | None = None

    async def read(self) -> bytes:
        """Wait for output and return it; empty at the end."""
        rest, self._rest = self._rest, b""
        return rest or await self._read()

    async def read_line(self) -> bytes:
        """Read the next line with its newline; at the end it may lack one."""
        line = await self.read()
        while b"\n" not in line and len(line) < _BUFFER and (more := await self._read()):
            line += more
        line, newline, self._rest = line.partition(b"\n")
        return line + newline

    def close(self) -> None:
        """End the reading; a pending read returns nothing."""
        if not self._is_closed:
            self._is_closed = True
            self._tell()
            os.close(self._number)

    async def _read(self) -> bytes:
        while not self._is_closed:
            try:
                return os.read(self._number, _BUFFER)
            except BlockingIOError:
                await self._wait()
        return b""

    async def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        self._comes = loop.create_future()
        loop.add_reader(self._number, self._tell)
        try:
            await self._comes
        finally:
            self._tell()

    def _tell(self) -> None:
        if self._comes is not None:
            comes, self._comes = self._comes, None
            comes.get_loop().remove_reader(self._number)
            if not comes.done():
                comes.set_result(None)


_PROC = Path("/proc")


def find_descendants(pid: int) -> list[int]:
    """Return all descendants of a process, nearest first."""
    children: dict[int, list[int]] = defaultdict(list)
    for each in _pids():
        children[int(_read_status(each).get("PPid", "0"))].append(each)
    found = children[pid]
    for each in found:  # the list grows during the loop
        found.extend(children[each])
    return found


def count_tasks(uid: int) -> int:
    """Count the processes and threads of a user."""
    tasks = 0
    for pid in _pids():
        process = _PROC / str(pid)
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if process.stat().st_uid == uid:
                tasks += len(os.listdir(process / "task"))  # noqa: PTH208 (names only, at once)
    return tasks


def find_owner(pid: int) -> int | None:
    """Return the user that a process runs as; None: there is no such process."""
    fields = _read_status(pid)
    return int(fields["Uid"].split()[0]) if "Uid" in fields else None


def lower_priority(pid: int) -> None:
    """Give a process low priority, and make it the first to be killed for memory."""
    os.setpriority(os.PRIO_PROCESS, pid, 10)
    with contextlib.suppress(PermissionError):  # if we are not root it may be too early
        (_PROC / str(pid) / "oom_score_adj").write_text("1000")


def measure_memory() -> tuple[int, int]:
    """Return the bytes of memory that are available, and the total."""
    fields = _parse_fields((_PROC / "meminfo").read_text())
    available, total = (int(fields[name].split()[0]) for name in ("MemAvailable", "MemTotal"))
    return available * 1024, total * 1024


def _pids() -> Iterator[int]:
    return (int(path.name) for path in _PROC.iterdir() if path.name.isdigit())


def _read_status(pid: int) -> dict[str, str]:
    """Read the fields of a process's status; empty if the process is gone."""
    try:
        return _parse_fields((_PROC / str(pid) / "status").read_text(errors="replace"))
    except (FileNotFoundError, ProcessLookupError):
        return {}


def _parse_fields(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in pairs}


_START_SECONDS: Final = 15.0
_END_SECONDS: Final = 5.0


class NotStarted(Exception):
    """The command could not be isolated, and no part of it ran; the reason is for operators."""


class _Status(msgspec.Struct, rename="kebab"):
    child_pid: int


class SandboxedProcess:
    """A command in bubblewrap. Made by `start`, freed by `close`.

    A pidfd of its process 1 is opened before the command runs. When process 1 ends, the kernel ends
    everything else inside, and only then bubblewrap, which waits outside, ends. So once `wait`
    returns, no process is left.
    """

    def __init__(self, process: Popen[bytes], output: FileIO) -> None:
        self.output = Source(output)
        self._process = process
        self._first: int | None = None
        """A pidfd of process 1 inside: unlike a number it always means that process."""
        self._ended = asyncio.Event()
        self._watched = os.pidfd_open(process.pid)
        asyncio.get_running_loop().add_reader(self._watched, self._note_end)

    @classmethod
    async def start(cls, command: bytes, limits: Limits, uid: int | None) -> SandboxedProcess:
        """Start the command in bubblewrap; `uid` is the user to run as (None: the current one).

        Raises:
            NotStarted: no part of it ran.
        """
        try:
            with ExitStack() as ends:
                return await cls._start(command, limits, uid, ends)
        except TimeoutError:
            raise NotStarted(f"It did not start within {_START_SECONDS:g} s.") from None
        except (OSError, msgspec.DecodeError) as error:
            raise NotStarted(str(error)) from None

    @classmethod
    async def _start(
        cls, command: bytes, limits: Limits, uid: int | None, ends: ExitStack
    ) -> SandboxedProcess:
        go, output, calls = (Pipe(ends) for _ in range(3))
        # A file, because bubblewrap would die of a pipe without a reader, and leave its child
        # waiting for ever.
        status = ends.enter_context(FileIO(os.memfd_create("status"), "r+"))
        calls.write.write(assemble_filter(platform.machine()))
        inherited = InheritedFiles(status.fileno(), calls.read.fileno())
        # No await from here to the end of the block, so that no process is left unowned.
        process = cls(
            _spawn(
                compose_command(command, limits, uid, inherited), inherited, go.read, output.write
            ),
            output.read,
        )
        async with AsyncExitStack() as unless_released:
            unless_released.push_async_callback(process.close)
            for end in (go.read, output.write, calls.read, calls.write):
                end.close()
            async with asyncio.timeout(_START_SECONDS):
                # Let the command run once we have a pidfd of its process 1, which dies with
                # bubblewrap.
                if (words := await process.output.read_line()) != b"\n":
                    said = words.decode(errors="replace").strip()
                    raise NotStarted(said[:300] or "It ended without a word.")
                pid = msgspec.json.decode(_read_first_line(status), type=_Status).child_pid
                process._first = os.pidfd_open(pid)
                if not find_owner(pid):
                    raise NotStarted("It would run as root.")
                lower_priority(pid)
                go.write.write(b"\n")
            unless_released.pop_all()
        return process

    def _note_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._watched)
        self._process.wait()  # returns at once, since it has ended
        self._ended.set()

    async def wait(self) -> int:
        """Return its exit status, in a shell's form, once no process of it is left."""
        await self._ended.wait()
        status = self._process.wait()
        return status if status >= 0 else 128 - status

    async def terminate(self) -> None:
        """Send TERM to all processes inside except process 1, which ends when the command has."""
        _, *inside = await asyncio.to_thread(find_descendants, self._process.pid) or [0]
        for pid in inside:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    async def end(self) -> None:
        """Kill it if it has not ended, and wait until no process is left."""
        self._kill_inside()
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._ended.wait()
        except TimeoutError:  # bubblewrap itself hangs; everything inside dies with it
            self._kill_all()
            await self._ended.wait()

    async def close(self) -> None:
        """Kill it as `end` does, and close the output and the pidfds."""
        try:
            await self.end()
        finally:
            self.output.close()
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
        """Kill bubblewrap with its process group."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)


def _read_first_line(status: FileIO) -> bytes:
    """Read bubblewrap's report about the process that it started as process 1."""
    return os.pread(status.fileno(), _BUFFER, 0).partition(b"\n")[0]


def _spawn(
    words: Sequence[str | bytes], inherited: InheritedFiles, stdin: FileIO, output: FileIO
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

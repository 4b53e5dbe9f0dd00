"""A command is in our hands from before its first instruction, and nothing of it outlives them."""

from __future__ import annotations

import asyncio
import os
import platform
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from subprocess import Popen

import pytest

from bot.process_restrictions import assemble_filter
from bot.sandbox import bubblewrap
from bot.sandbox.bubblewrap import InheritedFiles, Limits
from bot.sandbox.sandboxed_process import NotStarted, Pipe, SandboxedProcess, _spawn
from tests.support.sandbox import FIRST_UID, is_running, processes, until

UID = FIRST_UID if os.geteuid() == 0 else None
LIMITS = Limits(processes=48 if UID else 4096)


async def test_nothing_outlives_it_though_it_did_not_care_who_its_parent_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if it had taken back the promise to die with its parent."""
    compose = bubblewrap.compose_command
    # The command line is no argument of a process: without a patch there is no such one.
    monkeypatch.setattr(
        "bot.sandbox.sandboxed_process.compose_command",
        lambda *given: [word for word in compose(*given) if word != "--die-with-parent"],
    )
    process = await SandboxedProcess.start(b"setsid sleep 4350 & sleep 4350", LIMITS, UID)
    await until(lambda: len(processes("sleep 4350")) >= 4)
    await process.close()
    assert processes("sleep 4350") == {}


async def test_the_word_comes_only_when_process_1_has_said_that_it_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before that it would not die with us yet."""
    # What process 1 does is fixed: without a patch there is none that listens too early.
    early = f"read -r -t 0.5 && echo early; {bubblewrap._FIRST_PROCESS}"
    monkeypatch.setattr(bubblewrap, "_FIRST_PROCESS", early)
    process = await SandboxedProcess.start(b"echo ran", LIMITS, UID)
    assert await process.output.read() == b"ran\n"
    await process.close()


async def test_its_end_is_the_end_of_all_that_was_inside() -> None:
    process = await SandboxedProcess.start(
        b"setsid sleep 4351 > /dev/null 2>&1 & exit 5", LIMITS, UID
    )
    assert await process.wait() == 5
    assert processes("sleep 4351") == {}
    await process.close()


def is_our_child(process_id: int) -> bool:
    status = Path(f"/proc/{process_id}/status").read_text()
    return f"PPid:\t{os.getpid()}\n" in status and "Name:\tbwrap\n" in status


async def test_when_bubblewrap_is_killed_from_outside_nothing_is_left() -> None:
    process = await SandboxedProcess.start(b"sleep 4352", LIMITS, UID)
    await until(lambda: is_running("sleep 4352"))
    [bubblewrap_id] = filter(is_our_child, processes())
    os.kill(bubblewrap_id, signal.SIGKILL)
    assert await process.wait() == 137
    await process.close()
    await until(lambda: not processes("sleep 4352"))


async def test_it_is_asked_to_end_before_it_is_made_to() -> None:
    process = await SandboxedProcess.start(
        b"trap 'exit 7' TERM; echo on; while :; do sleep 1; done", LIMITS, UID
    )
    assert await process.output.read() == b"on\n"
    await process.terminate()
    assert await asyncio.wait_for(process.wait(), 60) == 7
    await process.close()
    await process.terminate()  # nobody is there any more


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be refused for being root")
async def test_nothing_runs_as_root() -> None:
    with pytest.raises(NotStarted, match="root"):
        await SandboxedProcess.start(b"sleep 4353", LIMITS, None)
    await until(lambda: not _anyone("sleep 4353"))


async def test_what_keeps_it_from_starting_is_told_and_nothing_is_left() -> None:
    open_before = how_many_open()
    with pytest.raises(NotStarted, match="bwrap: "):
        await SandboxedProcess.start(b"true", Limits(processes=0 if UID else 1), UID)
    await asyncio.sleep(0)
    assert how_many_open() <= open_before  # others may still be closing theirs


async def test_nothing_that_it_needed_stays_open() -> None:
    open_before = how_many_open()
    for _ in range(3):
        process = await SandboxedProcess.start(b"true", LIMITS, UID)
        await process.wait()
        await process.close()
    await asyncio.sleep(0)
    assert how_many_open() <= open_before  # others may still be closing theirs


@contextmanager
def at_the_gate(command: bytes) -> Iterator[tuple[Popen[bytes], FileIO, FileIO]]:
    """Bubblewrap, the pipe that lets its process 1 go on, and what that says."""
    with ExitStack() as ends:
        go, output, calls = (Pipe(ends) for _ in range(3))
        status = ends.enter_context(FileIO(os.memfd_create("status"), "r+"))
        calls.write.write(assemble_filter(platform.machine()))
        calls.write.close()
        inherited = InheritedFiles(status.fileno(), calls.read.fileno())
        words = bubblewrap.compose_command(command, LIMITS, UID, inherited)
        with _spawn(words, inherited, go.read, output.write) as process:
            output.write.close()
            go.read.close()
            assert output.read.read(1) == b"\n"
            yield process, go.write, output.read


def test_without_a_word_from_us_nothing_of_the_command_runs() -> None:
    with at_the_gate(b"echo ran") as (process, go, output):
        go.close()
        assert output.read() == b""
        assert process.wait() == 1


def test_from_the_gate_on_it_dies_with_bubblewrap() -> None:
    with at_the_gate(b"echo ran; sleep 4354") as (process, _, output):
        process.kill()
        assert output.read() == b""  # nobody has the pipe any more


def how_many_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _anyone(command: str) -> list[str]:
    found = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    return [words.decode() for words in found if command.encode() in words]

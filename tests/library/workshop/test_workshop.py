"""Programs run in processes of their own, of which nothing is left, whatever they do."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from bot.errors import ToolFailed
from bot.library.workshop import MAX_REQUEST, Workshop

PROGRAM = "tests.library.workshop.program"


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()


async def _until(path: Path) -> int:
    """The process id that is written there."""
    async with asyncio.timeout(30):
        while not (written := _read(path)):
            await asyncio.sleep(0.01)
    return int(written)


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _is_cleared(folder: str) -> bool:
    return not Path(folder).exists()


def _is_gone(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True
    return status.rpartition(")")[2].split()[0] == "Z"  # dead, and its parent has not looked yet


async def _gone(pid: int) -> bool:
    async with asyncio.timeout(10):
        while not _is_gone(pid):
            await asyncio.sleep(0.01)
    return True


async def test_a_program_answers_its_request(workshop: Workshop) -> None:
    request = b"echo " + os.urandom(3_000_000)
    assert await workshop.run(PROGRAM, request) == request[5:]


async def test_a_program_refuses_in_its_own_words(workshop: Workshop) -> None:
    with pytest.raises(ToolFailed, match="Il manque un titre"):
        await workshop.run(PROGRAM, b"refuse Il manque un titre")


async def test_what_libraries_print_is_no_answer(workshop: Workshop) -> None:
    assert await workshop.run(PROGRAM, b"print Bonjour") == b"Bonjour"


@pytest.mark.parametrize("task", ["fail", "allocate", "flood", "fill_the_disk"])
async def test_a_program_that_goes_too_far_is_a_clear_failure(
    workshop: Workshop, task: str
) -> None:
    with pytest.raises(ToolFailed, match="smaller or simpler part"):
        await workshop.run(PROGRAM, task.encode())
    assert await workshop.run(PROGRAM, b"echo next") == b"next"


async def test_a_request_beyond_its_size_starts_nothing(workshop: Workshop) -> None:
    with pytest.raises(ToolFailed, match="too large"):
        await workshop.run("no.such.module", bytes(MAX_REQUEST + 1))


async def test_one_that_takes_too_long_is_killed(workshop: Workshop, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with pytest.raises(ToolFailed, match="2 seconds"):
        await workshop.run(PROGRAM, f"sleep {note}".encode(), seconds=2)
    assert await _gone(await _until(note))


async def test_one_that_nobody_waits_for_any_more_is_killed(
    workshop: Workshop, tmp_path: Path
) -> None:
    note = tmp_path / "pid"
    running = asyncio.ensure_future(workshop.run(PROGRAM, f"sleep {note}".encode()))
    pid = await _until(note)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await _gone(pid)


async def test_what_it_has_started_ends_with_it(workshop: Workshop, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    assert await workshop.run(PROGRAM, f"leave_a_child {note}".encode()) == b"left"
    assert await _gone(await _until(note))


async def test_it_sees_an_empty_folder_and_no_secret(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process is given its environment by the operating system: there is nothing to pass in.
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    seen = json.loads(await workshop.run(PROGRAM, b"look"))
    assert seen["files"] == []
    assert "secret" not in str(seen["environment"])
    assert _is_cleared(seen["folder"])
    assert json.loads(await workshop.run(PROGRAM, b"inherit")) == []


async def test_so_many_run_at_a_time(tmp_path: Path) -> None:
    workshop = Workshop(most=1)
    first = asyncio.ensure_future(workshop.run(PROGRAM, f"sleep {tmp_path / 'a'}".encode()))
    await _until(tmp_path / "a")
    second = asyncio.ensure_future(workshop.run(PROGRAM, f"sleep {tmp_path / 'b'}".encode()))
    await asyncio.sleep(0.3)
    assert not (tmp_path / "b").exists()
    first.cancel()
    await _until(tmp_path / "b")
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)

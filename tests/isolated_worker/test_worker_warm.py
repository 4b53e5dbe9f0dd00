"""A program stays in one shut-in process, and what goes wrong costs one request only."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.errors import ToolFailed
from bot.isolated_worker.worker import MAX_MESSAGE, WarmWorker
from bot.process_restrictions import is_sandbox_possible

PROGRAM = "tests.isolated_worker.program"
shut_in = pytest.mark.skipif(not is_sandbox_possible(), reason="the kernel has no Landlock")


@pytest.fixture
async def worker() -> AsyncIterator[WarmWorker]:
    worker = WarmWorker(PROGRAM, seconds=1.0)
    yield worker
    await worker.close()


async def _get_folder(worker: WarmWorker) -> str:
    return json.loads(await worker.ask(b"look"))["folder"]


def _is_cleared(folder: str) -> bool:
    return not Path(folder).exists()


async def test_requests_are_answered_by_one_process(worker: WarmWorker) -> None:
    await worker.start()
    folder = await _get_folder(worker)
    assert [await worker.ask(b"echo %d" % n) for n in range(50)] == [b"%d" % n for n in range(50)]
    assert await _get_folder(worker) == folder


async def test_requests_at_once_get_their_own_answers(worker: WarmWorker) -> None:
    answers = await asyncio.gather(*(worker.ask(b"echo %d" % n) for n in range(20)))
    assert answers == [b"%d" % n for n in range(20)]


async def test_a_refusal_keeps_the_process(worker: WarmWorker) -> None:
    folder = await _get_folder(worker)
    with pytest.raises(ToolFailed, match="Il manque un titre"):
        await worker.ask(b"refuse Il manque un titre")
    assert await _get_folder(worker) == folder


async def test_what_libraries_print_is_no_answer(worker: WarmWorker) -> None:
    assert await worker.ask(b"print Bonjour") == b"Bonjour"


@pytest.mark.parametrize("task", [b"fail", b"allocate", b"flood"])
async def test_a_failure_costs_one_request(worker: WarmWorker, task: bytes) -> None:
    folder = await _get_folder(worker)
    with pytest.raises(ToolFailed):
        await worker.ask(task)
    assert await worker.ask(b"echo next") == b"next"
    assert await _get_folder(worker) != folder
    assert _is_cleared(folder)


async def test_a_request_has_its_cpu_time(worker: WarmWorker) -> None:
    await worker.start()
    begun = time.monotonic()
    with pytest.raises(ToolFailed):
        await worker.ask(b"spin")
    assert 0.9 < time.monotonic() - begun < 4.5
    assert await worker.ask(b"echo next") == b"next"


async def test_one_that_waits_without_end_is_killed() -> None:
    worker = WarmWorker(PROGRAM, seconds=0.2)
    with pytest.raises(ToolFailed):
        await worker.ask(b"sleep")
    await worker.close()


async def test_a_cancelled_request_leaves_no_answer_behind(worker: WarmWorker) -> None:
    await worker.start()
    asking = asyncio.ensure_future(worker.ask(b"sleep"))
    await asyncio.sleep(0.1)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await worker.ask(b"echo mine") == b"mine"


async def test_it_is_replaced_after_its_number() -> None:
    worker = WarmWorker(PROGRAM, requests=2)
    first, second, third = [await _get_folder(worker) for _ in range(3)]
    await worker.close()
    assert first == second != third
    assert _is_cleared(third)


async def test_a_request_that_is_too_large_starts_nothing() -> None:
    with pytest.raises(ToolFailed, match="too large"):
        await WarmWorker("no.such.module").ask(bytes(MAX_MESSAGE + 1))


async def test_a_program_that_does_not_load_is_a_clear_failure() -> None:
    with pytest.raises(ToolFailed):
        await WarmWorker("no.such.module").start()


@shut_in
async def test_it_reaches_no_network_and_no_files_of_others(
    worker: WarmWorker, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mine")
    assert await worker.ask(b"tell connect tcp") == b"PermissionError"
    assert await worker.ask(b"tell read %s" % os.fsencode(secret)) == b"PermissionError"
    assert await worker.ask(b"tell run /bin/true") == b"PermissionError"


async def test_it_is_started_once_while_nothing_is_asked(worker: WarmWorker) -> None:
    worker.start_soon()
    worker.start_soon()
    before = json.loads(await worker.ask(b"look"))
    worker.start_soon()
    assert json.loads(await worker.ask(b"look")) == before


def _list_warm(folder: Path) -> set[str]:
    return {each.name for each in folder.glob("griot-work-*")}


async def test_folders_of_killed_processes_are_removed_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old = time.time() - 3600
    for name in ("griot-work-dead", "griot-work-used", "griot-work-new", "other-folder"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "left").touch()
        if name != "griot-work-new":
            os.utime(tmp_path / name, (old, old))
    used = os.open(tmp_path / "griot-work-used", os.O_RDONLY)
    fcntl.flock(used, fcntl.LOCK_EX)
    first, second = (WarmWorker(PROGRAM) for _ in range(2))
    try:
        await first.start()
        [folder] = _list_warm(tmp_path) - {"griot-work-used", "griot-work-new"}
        os.utime(tmp_path / folder, (old, old))
        await second.start()
        assert (tmp_path / folder).is_dir()
        assert (tmp_path / "other-folder").is_dir()
    finally:
        os.close(used)
        await first.close()
        await second.close()
    assert not (tmp_path / folder).exists()

"""Programs run in processes of their own, of which nothing is left, whatever they do."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from pathlib import Path

import pytest

from bot.errors import ToolFailed
from bot.isolated_worker.worker import MAX_REQUEST, IsolatedWorker
from bot.process_restrictions import is_sandbox_possible
from bot.temporary_folder import remove_left_folders

PROGRAM = "tests.isolated_worker.program"
shut_in = pytest.mark.skipif(not is_sandbox_possible(), reason="the kernel has no Landlock")


@pytest.fixture
def isolated_worker() -> IsolatedWorker:
    return IsolatedWorker()


async def _workers(count: int = 1) -> list[int]:
    """The processes of an isolated worker that run now, as soon as there are so many."""
    async with asyncio.timeout(30):
        while len(found := [pid for pid in _children() if _works(pid)]) < count:
            await asyncio.sleep(0.01)
    return found


def _children() -> list[int]:
    tasks = Path("/proc/self/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


def _works(pid: int) -> bool:
    try:
        return b"isolated_worker.child" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return False


def _is_untouched(secret: Path) -> bool:
    return secret.read_text() == "OPENAI_API_KEY=secret" and len(list(secret.parent.iterdir())) == 1


def _list_folders(parent: Path) -> list[Path]:
    return [*parent.iterdir()]


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


async def test_a_program_answers_its_request(isolated_worker: IsolatedWorker) -> None:
    request = b"echo " + os.urandom(3_000_000)
    assert await isolated_worker.run(PROGRAM, request) == request[5:]


async def test_a_program_refuses_in_its_own_words(isolated_worker: IsolatedWorker) -> None:
    with pytest.raises(ToolFailed, match="Il manque un titre"):
        await isolated_worker.run(PROGRAM, b"refuse Il manque un titre")


async def test_what_libraries_print_is_no_answer(isolated_worker: IsolatedWorker) -> None:
    assert await isolated_worker.run(PROGRAM, b"print Bonjour") == b"Bonjour"


@pytest.mark.parametrize("task", ["fail", "allocate", "flood", "fill_the_disk"])
async def test_a_program_that_goes_too_far_is_a_clear_failure(
    isolated_worker: IsolatedWorker, task: str
) -> None:
    with pytest.raises(ToolFailed, match="smaller or simpler part"):
        await isolated_worker.run(PROGRAM, task.encode())
    assert await isolated_worker.run(PROGRAM, b"echo next") == b"next"


async def test_a_request_beyond_its_size_starts_nothing(isolated_worker: IsolatedWorker) -> None:
    with pytest.raises(ToolFailed, match="too large"):
        await isolated_worker.run("no.such.module", bytes(MAX_REQUEST + 1))


async def test_one_that_takes_too_long_is_killed(isolated_worker: IsolatedWorker) -> None:
    running = asyncio.ensure_future(isolated_worker.run(PROGRAM, b"sleep", seconds=2))
    (pid,) = await _workers()
    with pytest.raises(ToolFailed, match="2 seconds"):
        await running
    assert await _gone(pid)


async def test_one_that_nobody_waits_for_any_more_is_killed(
    isolated_worker: IsolatedWorker,
) -> None:
    running = asyncio.ensure_future(isolated_worker.run(PROGRAM, b"sleep"))
    (pid,) = await _workers()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await _gone(pid)


async def test_what_it_has_started_ends_with_it(isolated_worker: IsolatedWorker) -> None:
    assert await _gone(int(await isolated_worker.run(PROGRAM, b"leave_a_child")))


async def test_it_sees_an_empty_folder_and_no_secret(
    isolated_worker: IsolatedWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process is given its environment by the operating system: there is nothing to pass in.
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    seen = json.loads(await isolated_worker.run(PROGRAM, b"look"))
    assert seen["files"] == []
    assert "secret" not in str(seen["environment"])
    assert _is_cleared(seen["folder"])
    assert json.loads(await isolated_worker.run(PROGRAM, b"inherit")) == []


async def test_so_many_run_at_a_time() -> None:
    isolated_worker = IsolatedWorker(most=1)
    first = asyncio.ensure_future(isolated_worker.run(PROGRAM, b"sleep"))
    before = await _workers()
    second = asyncio.ensure_future(isolated_worker.run(PROGRAM, b"sleep"))
    await asyncio.sleep(0.3)
    assert await _workers() == before
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert await _workers() != before
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of ours that every user of the machine may read and change."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    path = tmp_path / ".env"
    path.write_text("OPENAI_API_KEY=secret")
    path.chmod(0o666)
    return path


@shut_in
@pytest.mark.parametrize(
    "task",
    [
        "read {secret}",
        "list {folder}",
        "write {secret}",
        "write {folder}/new",
        "read /etc/passwd",
        "read /proc/{pid}/environ",
        "list /proc",
        "run /bin/echo out",
        "connect tcp",
        "connect udp",
        "connect unix",
        "signal {pid}",
        "limit {pid}",
        "slow_down {pid}",
        "change_the_mode {secret}",
        "touch {secret}",
        "cut_off {secret}",
        "pair",
    ],
)
async def test_it_is_shut_in(isolated_worker: IsolatedWorker, secret: Path, task: str) -> None:
    request = task.format(secret=secret, folder=secret.parent, pid=os.getpid())
    assert await isolated_worker.run(PROGRAM, f"tell {request}".encode()) == b"PermissionError"
    assert _is_untouched(secret)


@shut_in
async def test_one_that_may_reach_the_network_reaches_nothing_else(
    isolated_worker: IsolatedWorker, secret: Path
) -> None:
    async def tell(task: str) -> bytes:
        return await isolated_worker.run(PROGRAM, f"tell {task}".encode(), online=True)

    assert await tell("connect tcp") == b"open"
    assert await tell("connect udp") == b"open"
    assert await tell("connect unix") == b"PermissionError"
    assert await tell("pair") == b"PermissionError"
    assert await tell(f"read {secret}") == b"PermissionError"
    assert await tell("run /bin/echo out") == b"PermissionError"


async def test_one_that_is_given_up_twice_while_it_starts_is_ended(
    isolated_worker: IsolatedWorker,
) -> None:
    running = asyncio.ensure_future(isolated_worker.run(PROGRAM, b"sleep"))
    for _ in range(3):
        await asyncio.sleep(0)
        running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert running.cancelled()
    assert not [pid for pid in _children() if _works(pid)]


async def test_one_that_is_given_up_while_it_starts_is_ended(
    isolated_worker: IsolatedWorker,
) -> None:
    for pause in range(20):
        running = asyncio.ensure_future(isolated_worker.run(PROGRAM, b"sleep"))
        await asyncio.sleep(pause / 1000)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert not [pid for pid in _children() if _works(pid)]


@shut_in
async def test_none_leaves_the_group_that_is_killed(isolated_worker: IsolatedWorker) -> None:
    assert await isolated_worker.run(PROGRAM, b"leave_the_group") == b"13"


async def test_its_own_folder_is_its_own(isolated_worker: IsolatedWorker) -> None:
    assert await isolated_worker.run(PROGRAM, b"keep") == b"kept"


async def test_the_folder_of_a_killed_run_is_removed_at_the_next_start(
    isolated_worker: IsolatedWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    running = asyncio.create_task(isolated_worker.run(PROGRAM, b"sleep"))
    await _workers()
    [folder] = _list_folders(tmp_path)
    left = tmp_path / f"{folder.name}-killed"  # the same without its lock, as after kill -9
    left.mkdir()
    for path in (folder, left):
        os.utime(path, (0, 0))
    remove_left_folders()
    assert _list_folders(tmp_path) == [folder]
    running.cancel()
    await asyncio.wait({running})
    assert not _list_folders(tmp_path)

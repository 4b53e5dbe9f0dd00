from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

from bot.sandbox.sandboxed_process import (
    count_tasks,
    find_descendants,
    find_owner,
    lower_priority,
    measure_memory,
)
from tests.support.sandbox import FIRST_UID


def test_descendants_are_found_however_deep() -> None:
    tree = "import subprocess, sys; subprocess.Popen(['sleep', '99']); print(flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", tree], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        assert child.stdout
        child.stdout.readline()
        (grandchild,) = find_descendants(child.pid)
        assert {child.pid, grandchild} <= set(find_descendants(os.getpid()))
        os.kill(grandchild, 9)
        child.communicate(b"\n")
    assert find_descendants(child.pid) == []


def test_who_owns_a_process() -> None:
    assert find_owner(os.getpid()) == os.geteuid()
    assert find_owner(2**22 + 1) is None


def test_threads_count_as_tasks() -> None:
    before = count_tasks(os.geteuid())
    done = threading.Event()
    threads = [threading.Thread(target=done.wait) for _ in range(500)]
    for thread in threads:
        thread.start()
    try:
        assert count_tasks(os.geteuid()) > before + 250  # others come and go
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert count_tasks(FIRST_UID + 15) == 0


def test_memory_is_told_in_bytes() -> None:
    available, total = measure_memory()
    assert 16 * 1024 * 1024 < available < total < 2**50


def test_one_that_steps_back_comes_last_for_the_processor_and_first_to_be_ended() -> None:
    with subprocess.Popen(["sleep", "99"]) as child:
        lower_priority(child.pid)
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == 10
        assert Path(f"/proc/{child.pid}/oom_score_adj").read_text() == "1000\n"
        child.kill()

"""A bot that is not root shuts commands in just as well, though they run as its own user."""

from __future__ import annotations

import asyncio
import concurrent.futures.thread  # noqa: F401 (a plain user may not be able to read it)
import ctypes
import json
import os
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.support.sandbox import FIRST_UID, is_running, open_sandbox, processes, until

USER = FIRST_UID + 14
"""A plain user of the machine, whom the children of these tests become."""
_PR_SET_DUMPABLE = 4

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def as_a_plain_user(work: Callable[[], Awaitable[Any]]) -> Any:
    """What the work gives, done in a child process that is not root (now, if we are not)."""
    if os.geteuid() != 0:
        return asyncio.run(work())
    read, write = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            os.setgroups([])
            os.setresgid(USER, USER, USER)
            os.setresuid(USER, USER, USER)
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1)  # as after any ordinary start
            os.write(write, json.dumps(asyncio.run(work())).encode())
            status = 0
        except BaseException:  # noqa: BLE001 (a child has nobody to raise it to)
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        given = answer.read()
    assert os.waitpid(child, 0)[1] == 0
    return json.loads(given)


def test_a_command_runs_and_is_shut_in() -> None:
    async def work() -> Any:
        async with open_sandbox() as sandbox:
            outcome = await sandbox.do(
                f"id -u; cat /proc/{os.getpid()}/environ; ls /home; unshare -U true\n"
                "cat /etc/passwd"
            )
            return outcome.output, os.geteuid(), outcome.status

    output, user, status = as_a_plain_user(work)
    assert user != 0
    assert status == 1
    assert output.startswith("65534\n")
    assert output.count("No such file or directory") == 3
    assert "unshare failed" in output


def test_nothing_is_left_of_what_wants_to_get_away() -> None:
    async def work() -> Any:
        async with open_sandbox() as sandbox:
            ended = await sandbox.do("setsid nohup sleep 4370 > /dev/null 2>&1 & exit 3")
            running = asyncio.ensure_future(
                sandbox.do("trap '' TERM; setsid sleep 4370 & sleep 4370; sleep 4370")
            )
            await until(lambda: is_running("sleep 4370"))
            await sandbox.close()
            return ended.status, (await running).stopped, processes("sleep 4370")

    assert as_a_plain_user(work) == [3, "shutdown", {}] or os.geteuid() != 0


def test_it_starts_only_so_many_processes_beside_those_of_the_bot() -> None:
    async def work() -> Any:
        async with open_sandbox() as sandbox:
            outcome = await sandbox.do(
                "perl -e 'while ($n < 5000 and defined($p = fork)) "
                '{ sleep 300 unless $p; $n++ } print "$n started"\''
            )
            return outcome.output

    assert 20 < int(as_a_plain_user(work).split()[0]) < 60

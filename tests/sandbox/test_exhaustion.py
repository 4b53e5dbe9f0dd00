"""What a command may try to take more than its share of: memory, processor, disk, time."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from bot.sandbox.bubblewrap import Limits
from bot.sandbox.sandboxed_process import count_tasks, measure_memory
from tests.support.sandbox import FIRST_UID, Opened, open_sandbox, processes

MIB = 1024 * 1024


async def test_output_without_end_is_stopped_and_takes_no_memory_of_the_bot(
    sandbox: Opened,
) -> None:
    forget_the_most()
    before = memory_of_the_bot("VmRSS")
    for _ in range(5):
        outcome = await sandbox.do("yes 'all work and no play makes a dull shell'")
        assert outcome.stopped == "output"
        assert "truncated" in outcome.output
        assert len(outcome.output) <= 3_800
    assert memory_of_the_bot("VmHWM") - before < 20 * MIB
    assert processes("all work") == {}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param('perl -e \'$x = "a" x (10 * 1024 ** 3); print "got it"\'', id="at-once"),
        pytest.param("head -c 10G /dev/zero | tail -c 10G > /dev/null && echo got it", id="slowly"),
    ],
)
async def test_it_does_not_get_ten_gigabytes_of_memory(command: str) -> None:
    async with open_sandbox(limits=Limits(memory=100 * MIB)) as sandbox:
        outcome = await sandbox.do(command)
    assert outcome.status
    assert "got it" not in outcome.output


async def test_memory_taken_by_many_processes_is_taken_back_in_time() -> None:
    """Each stays within its limit; together they would take all there is."""
    available, _ = measure_memory()
    async with open_sandbox(limits=Limits(spare_memory=available - 700 * MIB)) as sandbox:
        outcome = await sandbox.do(
            "for i in {1..20}; do perl -e '$x = \"a\" x (1 << 27); sleep 300' & done; wait"
        )
        assert outcome.stopped == "memory"
        assert processes() == {}


async def test_it_starts_no_more_processes_than_it_may() -> None:
    async with open_sandbox(limits=Limits(processes=20)) as sandbox:
        outcome = await sandbox.do(
            "perl -e 'while ($n < 200 and defined($p = fork)) "
            '{ sleep 300 unless $p; $n++ } print "$n started"\''
        )
        assert outcome.status == 0
        assert 1 <= int(outcome.output.split()[0]) < 20
        assert processes() == {}


async def test_a_fork_bomb_ends_with_its_time() -> None:
    limits = Limits(processes=20, grace=0.2)
    async with open_sandbox(limits=limits) as sandbox:
        bomb = asyncio.ensure_future(sandbox.do("bomb() { bomb | bomb & }; bomb; sleep 300", 2.0))
        most = 0
        while not bomb.done():
            await asyncio.sleep(0.05)
            most = max(most, count_tasks(FIRST_UID))
        assert (await bomb).stopped == "time"
        assert os.geteuid() != 0 or most <= limits.processes
        assert processes("bomb") == {}


@pytest.mark.parametrize("folder", ["/tmp", "/work", "/dev/shm"])
async def test_it_cannot_fill_a_disk(folder: str) -> None:
    limits = Limits(scratch=4 * MIB, shared_memory=MIB, file=3 * MIB)
    async with open_sandbox(limits=limits) as sandbox:
        outcome = await sandbox.do(
            f"for i in {{1..9}}; do head -c 2M /dev/zero > {folder}/$i; done 2> /dev/null\n"
            f"du -sm {folder}; head -c 9M /dev/zero > {folder}/1 || echo no large file either"
        )
    assert int(outcome.output.split()[0]) <= 4
    assert "no large file either" in outcome.output


async def test_a_busy_loop_ends_with_its_share_of_the_processor() -> None:
    async with open_sandbox(limits=Limits(cpu_seconds=1)) as sandbox:
        outcome = await sandbox.do("while :; do :; done")
    assert outcome.stopped == "time"
    assert outcome.status is None


async def test_who_ignores_the_end_of_its_share_is_killed() -> None:
    async with open_sandbox(limits=Limits(cpu_seconds=1)) as sandbox:
        outcome = await sandbox.do("trap '' XCPU; while :; do :; done")
    assert outcome.status == 128 + 9


async def test_what_slips_into_the_background_ends_with_the_command(sandbox: Opened) -> None:
    outcome = await sandbox.do(
        "trap '' TERM HUP INT\n"
        "setsid nohup sleep 4321 > /dev/null 2>&1 &\n"
        "(setsid bash -c 'trap \"\" TERM HUP; sleep 4321; sleep 4321' &) ; disown -a; echo left"
    )
    assert outcome.output == "left\n"
    assert outcome.status == 0
    assert processes("sleep 4321") == {}


async def test_what_does_not_want_to_end_is_made_to() -> None:
    async with open_sandbox(limits=Limits(grace=0.3)) as sandbox:
        outcome = await sandbox.do(
            "trap '' TERM HUP INT; setsid sleep 4322 & while :; do sleep 4322; done", seconds=2.0
        )
        assert (outcome.stopped, outcome.status) == ("time", None)
        assert processes("sleep 4322") == {}


def memory_of_the_bot(kind: str) -> int:
    """Bytes: `VmRSS` now, `VmHWM` the most since it was last forgotten."""
    fields = dict(
        line.partition(":")[::2] for line in Path("/proc/self/status").read_text().splitlines()
    )
    return int(fields[kind].split()[0]) * 1024


def forget_the_most() -> None:
    """See `man 5 proc_pid_clear_refs`."""
    Path("/proc/self/clear_refs").write_text("5")

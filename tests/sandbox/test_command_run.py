"""What ends a command on its way, and what is told of it."""

from __future__ import annotations

import os

from bot.sandbox.bubblewrap import Limits
from bot.sandbox.command_run import CommandRun
from bot.sandbox.sandboxed_process import SandboxedProcess
from tests.support.sandbox import FIRST_UID, processes

UID = FIRST_UID if os.geteuid() == 0 else None


async def running(command: bytes, limits: Limits) -> CommandRun:
    """It has said `on` already."""
    process = await SandboxedProcess.start(command, limits, UID)
    assert await process.output.read() == b"on\n"
    return CommandRun(process, limits, lambda _: None)


async def test_one_that_is_out_of_time_may_still_clear_up() -> None:
    limits = Limits(grace=60, processes=4096)
    run = await running(b"trap 'echo bye; exit' TERM; echo on; sleep 4360 & wait", limits)
    outcome = await run.finish(0)
    assert (outcome.stopped, outcome.status) == ("time", None)
    assert outcome.output.endswith("bye\n")  # bash may have its own word about the sleep first
    assert processes("sleep 4360") == {}


async def test_the_whole_tree_is_asked_to_end_not_only_its_root() -> None:
    limits = Limits(grace=60, processes=4096)
    inner = b'trap "echo asked; exit" TERM; echo on; sleep 4361 & wait'
    # The outer one waits on: with it all would end.
    run = await running(b"trap : TERM; setsid bash -c '" + inner + b"' & wait; wait", limits)
    assert "asked\n" in (await run.finish(0)).output  # perhaps beside bash's own words
    assert processes("sleep 4361") == {}


async def test_the_first_reason_to_stop_it_counts() -> None:
    run = await running(b"trap '' TERM; echo on; sleep 4362", Limits(processes=4096))
    run.stop("shutdown")
    run.stop("output")
    outcome = await run.finish(60)
    assert (outcome.stopped, outcome.status) == ("shutdown", None)
    assert outcome.seconds >= 0

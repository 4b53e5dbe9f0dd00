"""Commands run, are stopped, wait for a slot; where none can be shut in none runs."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.errors import ToolFailed
from bot.sandbox import bubblewrap
from bot.sandbox.bubblewrap import Limits
from bot.sandbox.command_run import describe_result
from bot.sandbox.sandbox import probe_sandbox
from bot.sandbox.sandboxed_process import find_owner
from tests.support.sandbox import FIRST_UID, Opened, is_running, open_sandbox, processes, until


async def test_what_a_command_says_and_how_it_ends_is_told(sandbox: Opened) -> None:
    outcome = await sandbox.do("echo 'été'; echo oops >&2; exit 3")
    assert (outcome.output, outcome.status, outcome.stopped) == ("été\noops\n", 3, None)
    assert describe_result(outcome) == "exit status 3\nété\noops"


async def test_a_command_that_says_nothing(sandbox: Opened) -> None:
    assert describe_result(await sandbox.do("true")) == "exit status 0\n(no output)"


@pytest.mark.parametrize(
    ("command", "status"),
    [
        pytest.param("kill -9 $$", 137, id="killed"),
        pytest.param("no-such-command", 127, id="unknown"),
        pytest.param("(", 2, id="no-shell-script"),
        pytest.param("-c", 127, id="looks-like-an-option"),
    ],
)
async def test_the_status_is_that_of_a_shell(sandbox: Opened, command: str, status: int) -> None:
    assert (await sandbox.do(command)).status == status


async def test_each_command_finds_an_empty_folder_to_work_in(sandbox: Opened) -> None:
    assert (await sandbox.do("pwd; ls -A; touch $HOME/file /tmp/file")).output == "/work\n"
    assert (await sandbox.do("ls -A /work /tmp")).output == "/tmp:\n\n/work:\n"


async def test_there_is_nothing_to_read_on_its_input(sandbox: Opened) -> None:
    outcome = await sandbox.do("cat; read -r || echo closed; readlink /proc/self/fd/0")
    assert outcome.output == "closed\n/dev/null\n"


async def test_hostile_output_becomes_plain_text(sandbox: Opened) -> None:
    outcome = await sandbox.do(
        r"printf 'a\0b\033[31mred\033[0m\xff\xed\xa0\x80 \u202eעברית 😀\r\nc'"
    )
    assert outcome.output == "abred���� \u202eעברית 😀\nc"


async def test_it_is_never_root_on_the_machine(sandbox: Opened) -> None:
    running = asyncio.ensure_future(sandbox.do("sleep 4330"))
    await until(lambda: is_running("sleep 4330"))
    users = {find_owner(pid) for pid in processes("sleep 4330")}
    assert users <= ({FIRST_UID} if os.geteuid() == 0 else {os.geteuid()})
    running.cancel()


async def test_what_it_says_is_shown_while_it_runs(sandbox: Opened) -> None:
    shown: list[str] = []
    running = asyncio.ensure_future(
        sandbox.run("echo first; sleep 4331", seconds=60, show=shown.append)
    )
    await until(lambda: shown)
    assert shown == ["first"]
    running.cancel()


async def test_time_that_is_up_ends_it(sandbox: Opened) -> None:
    outcome = await sandbox.do("sleep 4332", seconds=0.5)
    assert (outcome.stopped, outcome.status) == ("time", None)
    assert processes("sleep 4332") == {}


async def test_a_command_nobody_waits_for_any_more_ends(sandbox: Opened) -> None:
    running = asyncio.ensure_future(sandbox.do("trap '' TERM; sleep 4333; sleep 4333"))
    await until(lambda: is_running("sleep 4333"))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: not processes("sleep 4333"))


async def test_one_that_is_cancelled_while_it_starts_never_runs(sandbox: Opened) -> None:
    for delay in (0, 0.001, 0.005, 0.01, 0.02):
        running = asyncio.ensure_future(sandbox.do("sleep 4334"))
        await asyncio.sleep(delay)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    await until(lambda: not processes("4334"))
    assert (await sandbox.do("echo next")).output == "next\n"


async def test_so_many_run_at_a_time_and_the_next_hears_that_it_is_busy() -> None:
    async with open_sandbox(slots=1) as sandbox:
        first = asyncio.ensure_future(sandbox.do("sleep 4335"))
        await until(lambda: is_running("sleep 4335"))
        with pytest.raises(ToolFailed, match="busy"):
            await sandbox.do("echo second", seconds=0.3)
        third = asyncio.ensure_future(sandbox.do("echo third"))
        first.cancel()
        assert (await third).output == "third\n"


async def test_commands_side_by_side_do_not_see_each_other(sandbox: Opened) -> None:
    look = "touch /tmp/here; sleep 0.5; ls /tmp; ls -d /proc/[0-9]* | wc -l"
    outcomes = await asyncio.gather(*(sandbox.do(look) for _ in range(4)))
    assert {outcome.output.split()[0] for outcome in outcomes} == {"here"}
    assert all(int(outcome.output.split()[1]) < 6 for outcome in outcomes)


async def test_slots_are_given_back_whatever_happens() -> None:
    async with open_sandbox(slots=1, limits=Limits(grace=0.1)) as sandbox:
        assert (await sandbox.do("yes")).stopped == "output"
        assert (await sandbox.do("sleep 4336", seconds=0.5)).stopped == "time"
        assert (await sandbox.do("echo next")).output == "next\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="the processes of the sandbox are not told apart")
async def test_none_is_left_unburied(sandbox: Opened) -> None:
    """The dead count among the processes that a user may have, as long as nobody buries them."""
    for _ in range(5):
        before = processes(dead=True)  # of other tests, in which bubblewrap was killed
        await sandbox.do("(setsid sleep 4339 &); true")
        assert set(processes(dead=True)) <= set(before)


async def test_when_it_closes_whatever_runs_is_stopped() -> None:
    async with open_sandbox() as sandbox:
        running = asyncio.ensure_future(sandbox.do("sleep 4337"))
        await until(lambda: is_running("sleep 4337"))
        await sandbox.close()
        assert (await running).stopped == "shutdown"
        assert processes("sleep 4337") == {}
        with pytest.raises(ToolFailed, match="at present"):
            await sandbox.do("true")


@pytest.mark.parametrize("command", ["", " \n", "echo a\0b", "x" * 100_001, "é" * 50_001])
async def test_what_is_no_command_is_refused(sandbox: Opened, command: str) -> None:
    with pytest.raises(ToolFailed, match="command"):
        await sandbox.do(command)


async def test_half_a_surrogate_pair_does_no_harm(sandbox: Opened) -> None:
    assert (await sandbox.do("echo \ud83d")).output == "?\n"


async def test_nothing_starts_when_memory_is_short() -> None:
    async with open_sandbox(limits=Limits(spare_memory=1 << 60)) as sandbox:
        with pytest.raises(ToolFailed, match="at present"):
            await sandbox.do("true")


async def test_without_its_programs_it_is_closed_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What is installed is a fact of the machine: there is nothing to pass in.
    monkeypatch.setattr(bubblewrap, "PROGRAMS", ("bwrap", "no-such-program"))
    assert "no-such-program not found; install" in await probe_sandbox()
    sandbox = Opened()
    with pytest.raises(ToolFailed, match="closed"):
        await sandbox.do("true")
    with pytest.raises(ToolFailed, match="closed"):
        await sandbox.start("true", lane="telegram:1", key="1")


async def test_below_usr_there_must_be_nothing_of_ours(tmp_path: Path) -> None:
    link = tmp_path / "griot.db"
    link.symlink_to("/usr/src/griot.db")
    assert f"{link} lies below /usr" in await probe_sandbox([link])
    assert await probe_sandbox([tmp_path / "other.db"]) == ""


async def test_a_sandbox_that_says_it_is_open_stays_so(sandbox: Opened) -> None:
    assert await asyncio.gather(*(sandbox.why_closed() for _ in range(3))) == ["", "", ""]


@pytest.mark.parametrize(
    "is_seen",
    [pytest.param(processes, id="as-it-starts"), pytest.param(is_running, id="as-it-runs")],
)
async def test_commands_end_with_the_bot_however_that_ends(
    sandbox: Opened, is_seen: Callable[[str], object]
) -> None:
    bot = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _BOT, json.dumps(FIRST_UID), "sleep 4338", cwd=Path.cwd()
    )
    await until(lambda: is_seen("sleep 4338"))
    bot.send_signal(signal.SIGKILL)
    await bot.wait()
    await until(lambda: not processes("sleep 4338"))


_BOT = """
import asyncio, sys
from bot.sandbox.sandbox import Sandbox

async def main():
    sandbox = Sandbox(print, print, first_uid=int(sys.argv[1]))
    await sandbox.run(sys.argv[2], seconds=300, show=print)

asyncio.run(main())
"""

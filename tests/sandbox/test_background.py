"""Commands in the background: start and end are reported, exactly once, whatever ends them."""

from __future__ import annotations

import asyncio

import pytest
import structlog

from bot.errors import ToolFailed
from bot.sandbox.background import BackgroundEnd, BackgroundStart
from bot.sandbox.bubblewrap import Limits
from bot.sandbox.sandbox import Sandbox
from tests.support.sandbox import FIRST_UID, Opened, is_running, open_sandbox, processes, until


async def test_its_end_is_reported_with_what_it_said(sandbox: Opened) -> None:
    name = await sandbox.start("sleep 0.2; echo done; exit 4", lane="telegram:1", key="k1")
    end = await sandbox.ends.get()
    assert (end.id, end.lane, end.key) == (name, "telegram:1", "k1")
    assert end.command == "sleep 0.2; echo done; exit 4"
    assert (end.outcome.output, end.outcome.status) == ("done\n", 4)
    assert sandbox.ends.empty()


async def test_its_start_is_reported(sandbox: Opened) -> None:
    name = await sandbox.start("true", lane="telegram:1", key="k1")
    assert sandbox.starts.get_nowait() == BackgroundStart(name, "telegram:1", "k1")


async def test_its_end_is_reported_after_its_start_however_soon_it_comes() -> None:
    order: list[object] = []

    async def begin_slowly(start: BackgroundStart) -> None:
        await asyncio.sleep(0.5)
        order.append(start)

    async def end(end: BackgroundEnd) -> None:
        order.append(end)

    sandbox = Sandbox(begin_slowly, end, first_uid=FIRST_UID)
    await sandbox.start("true", lane="telegram:1", key="k1")
    await until(lambda: len(order) == 2)
    assert [type(one) for one in order] == [BackgroundStart, BackgroundEnd]
    await sandbox.close()


async def test_a_lane_has_one_at_a_time(sandbox: Opened) -> None:
    first = await sandbox.start("sleep 4342", lane="telegram:1", key="k1")
    with pytest.raises(ToolFailed, match=f"{first} still runs"):
        await sandbox.start("true", lane="telegram:1", key="k2")
    await sandbox.start("true", lane="telegram:2", key="k3")
    assert (await sandbox.ends.get()).key == "k3"


async def test_when_it_has_ended_its_lane_may_have_another(sandbox: Opened) -> None:
    for key in ("k1", "k2"):
        await sandbox.start("true", lane="telegram:1", key=key)
        assert (await sandbox.ends.get()).key == key


async def test_the_same_call_starts_it_once(sandbox: Opened) -> None:
    first = await sandbox.start("sleep 4343", lane="telegram:1", key="k1")
    assert await sandbox.start("sleep 4343", lane="telegram:1", key="k1") == first
    await sandbox.close()
    assert [sandbox.ends.get_nowait().key, sandbox.ends.empty()] == ["k1", True]


async def test_so_many_run_in_all_and_foreground_commands_have_their_own_slots() -> None:
    async with open_sandbox(slots=1) as sandbox:
        await sandbox.start("sleep 4340", lane="telegram:1", key="k1")
        with pytest.raises(ToolFailed, match="Too many background commands"):
            await sandbox.start("true", lane="telegram:2", key="k2")
        assert (await sandbox.do("echo here")).output == "here\n"


async def test_when_griot_stops_it_ends_and_that_is_reported() -> None:
    async with open_sandbox() as sandbox:
        await sandbox.start("echo begun; sleep 4341", lane="telegram:1", key="k1")
        await until(lambda: is_running("sleep 4341"))
        await sandbox.close()
        end = sandbox.ends.get_nowait()
        assert (end.outcome.stopped, end.outcome.output) == ("shutdown", "begun\n")
        assert processes("sleep 4341") == {}


async def test_it_may_use_the_processor_longer_than_one_that_is_waited_for() -> None:
    async with open_sandbox(limits=Limits(cpu_seconds=7)) as sandbox:
        await sandbox.start("ulimit -t", lane="telegram:1", key="k1")
        assert (await sandbox.ends.get()).outcome.output == "300\n"


async def test_output_without_end_stops_it_too(sandbox: Opened) -> None:
    await sandbox.start("yes", lane="telegram:1", key="k1")
    assert (await sandbox.ends.get()).outcome.stopped == "output"


async def test_one_that_could_not_be_started_leaves_its_slot_to_others() -> None:
    async with open_sandbox(limits=Limits(spare_memory=1 << 60), slots=1) as sandbox:
        for _ in range(2):
            with pytest.raises(ToolFailed, match="No command can be run at present"):
                await sandbox.start("true", lane="telegram:1", key="k1")
        assert sandbox.starts.empty()


async def test_a_report_that_fails_is_logged_and_hurts_nothing_else() -> None:
    async def fail(end: BackgroundEnd) -> None:
        raise OSError("no database")

    async def ignore(start: BackgroundStart) -> None: ...

    sandbox = Sandbox(ignore, fail, first_uid=FIRST_UID)
    with structlog.testing.capture_logs() as logs:
        await sandbox.start("true", lane="telegram:1", key="k1")
        await until(lambda: any(line["event"] == "background_report_failed" for line in logs))
    await sandbox.start("true", lane="telegram:1", key="k2")
    await asyncio.wait_for(sandbox.close(), 60)

"""What a server that hangs, dies or floods costs: itself, and nothing and nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.agent import mcp_servers
from bot.agent.mcp_servers import McpServers, Timeouts
from bot.contracts.tools import Tool
from bot.errors import ToolFailed
from bot.settings import McpServer
from tests.standins import mcp_server_hostile

PROGRAM = Path(mcp_server_hostile.__file__)
NO_CONTEXT: Any = None
MEBIBYTE = 1024 * 1024


def hostile(way: str) -> McpServer:
    return McpServer(command=sys.executable, args=(str(PROGRAM), way))


@asynccontextmanager
async def connected(*ways: str, **times: float) -> AsyncIterator[McpServers]:
    """Servers by these ways, named `a`, `b`…; all their processes have ended afterwards."""
    servers = {chr(ord("a") + n): hostile(way) for n, way in enumerate(ways)}
    quick = {"first_pause": 0.05, "between_listings": 0.05}
    source = McpServers(servers, times=Timeouts(**(quick | times)))
    source.start()
    try:
        yield source
    finally:
        await source.close()
        assert not _children()


def _children() -> list[str]:
    """The processes of ours that run the program."""
    return [path.name for path in Path("/proc").glob("[0-9]*") if _is_hostile(path)]


def _is_hostile(process: Path) -> bool:
    with contextlib.suppress(OSError):
        is_ours = f"PPid:\t{os.getpid()}\n" in (process / "status").read_text()
        return is_ours and str(PROGRAM) in (process / "cmdline").read_text()
    return False


def _is_running(pid: str) -> bool:
    """A killed grandchild may stay a zombie until whoever adopted it takes note."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


async def tool_of(source: McpServers, name: str, seconds: float = 20) -> Tool[Any]:
    async with asyncio.timeout(seconds):
        while name not in (tools := {tool.name: tool for tool in source.tools}):
            await asyncio.sleep(0.01)
        return tools[name]


async def call(tool: Tool[Any], **arguments: object) -> str:
    return await tool.function(tool.arguments.model_validate(arguments), NO_CONTEXT)


class Watch:
    """What the event loop's thread does meanwhile: its longest stretch of CPU, and memory."""

    longest = 0.0
    grown = 0

    async def run(self) -> None:
        start, before = _resident(), time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            self.longest = max(self.longest, now - before)
            self.grown = max(self.grown, _resident() - start)
            before = time.thread_time()


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@asynccontextmanager
async def watched() -> AsyncIterator[None]:
    """Fails if the event loop stood still for 100 ms of work, or memory grew by 48 MiB."""
    watch = Watch()
    gc.freeze()  # looking through all that thousands of tests have imported takes longer than that
    task = asyncio.create_task(watch.run())
    try:
        yield
    finally:
        task.cancel()
        gc.unfreeze()
    assert watch.longest < 0.1
    assert watch.grown < 48 * MEBIBYTE


@pytest.mark.parametrize(
    "way", ["hang in initialize", "hang in list", "refuse", "die in initialize"]
)
async def test_a_server_that_never_comes_up_delays_no_other(way: str) -> None:
    async with connected(way, "odd tools", connect_seconds=0.3) as source:
        assert await call(await tool_of(source, "b_good"), x=1)
        assert {tool.name[0] for tool in source.tools} == {"b"}


@pytest.mark.parametrize("way", ["hang in initialize", "hang in list", "babble in list"])
async def test_a_server_that_hangs_at_first_is_given_up_and_tried_again(way: str) -> None:
    with capture_logs() as logs:
        async with connected(way, connect_seconds=0.2), asyncio.timeout(20):
            while len(reasons := [entry.get("reason") for entry in logs if "reason" in entry]) < 2:
                await asyncio.sleep(0.01)
    assert reasons == ["TimeoutError"] * 2


async def test_closing_insists_where_a_cancellation_was_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The SDK's task group loses one in a thousand, when it gives up at that very moment.
    monkeypatch.setattr(mcp_servers, "_INSIST_SECONDS", 0.05)
    lost = 0

    async def stubborn() -> None:
        nonlocal lost
        while lost < 2:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                lost += 1

    async with connected("refuse") as source:
        source._tasks.append(asyncio.create_task(stubborn()))
        await asyncio.sleep(0)
    assert lost == 2


async def test_starting_waits_for_no_server() -> None:
    async with connected("hang in initialize") as source:
        assert source.tools == ()


@pytest.mark.parametrize("way", ["hang in call", "stop reading"])
async def test_a_call_that_hangs_has_its_time_out_and_other_servers_answer(way: str) -> None:
    async with connected(way, "scream", call_seconds=0.5) as source:
        hung = asyncio.create_task(call(await tool_of(source, "a_echo")))
        assert "7" in await call(await tool_of(source, "b_echo"), n=7)
        with pytest.raises(ToolFailed, match=r"longer than 0\.5 s"):
            await hung


async def test_a_call_that_is_cancelled_ends_at_once() -> None:
    async with connected("stop reading") as source:
        hung = asyncio.create_task(call(await tool_of(source, "a_echo"), text="x" * 500_000))
        await asyncio.sleep(0.05)
        began = time.monotonic()
        hung.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hung
        assert time.monotonic() - began < 5


async def test_a_server_that_reads_nothing_is_given_up() -> None:
    async with connected("stop reading", call_seconds=5) as source:
        tool = await tool_of(source, "a_echo")
        with pytest.raises(ToolFailed, match="cannot be reached now"):
            await asyncio.gather(*(call(tool, text="x" * 400_000) for _ in range(5)))


async def test_a_server_that_dies_in_a_call_fails_it_and_comes_back() -> None:
    async with connected("die in call") as source:
        tool = await tool_of(source, "a_echo")
        with pytest.raises(ToolFailed, match="cannot be reached now"):
            await call(tool)
        await asyncio.sleep(0)
        with pytest.raises(ToolFailed, match="cannot be reached now"):
            await call(tool)
        assert await tool_of(source, "a_echo") is not tool


async def test_a_server_that_never_stays_is_tried_ever_more_rarely() -> None:
    times = Timeouts(first_pause=0.025, longest_pause=0.2)
    slow_to_fail = McpServer(command="sleep", args=["0.3"])
    source = McpServers({"a": slow_to_fail}, times=times)
    with capture_logs() as logs:
        source.start()
        async with asyncio.timeout(60):
            while len(pauses := [e["again_after"] for e in logs if "again_after" in e]) < 5:
                await asyncio.sleep(0.01)
        await source.close()
    assert pauses == [0.025, 0.05, 0.1, 0.2, 0.2]


async def test_a_result_of_100_megabytes_fails_its_call_only() -> None:
    async with connected("100 megabytes", "scream") as source:
        tools = [await tool_of(source, name) for name in ("a_echo", "b_echo")]
        async with watched():
            flood = asyncio.create_task(call(tools[0]))
            assert "1" in await call(tools[1], n=1)
            with pytest.raises(ToolFailed, match="too large"):
                await flood


async def test_a_line_without_end_has_the_time_out_of_its_call() -> None:
    async with connected("line without end", "scream", call_seconds=1) as source:
        tools = [await tool_of(source, name) for name in ("a_echo", "b_echo")]
        async with watched():
            flood = asyncio.create_task(call(tools[0]))
            assert "1" in await call(tools[1], n=1)
            with pytest.raises(ToolFailed, match="longer than"):
                await flood


@pytest.mark.parametrize("way", ["notify without end", "ask without end"])
async def test_messages_without_end_hold_nobody_up(way: str) -> None:
    async with connected(way, "scream") as source:
        tools = [await tool_of(source, name) for name in ("a_echo", "b_echo")]
        async with watched():
            assert "1" in await call(tools[0], n=1)
            for n in range(50):
                assert str(n) in await call(tools[1], n=n)
                await asyncio.sleep(0.02)


async def test_rubbish_between_the_messages_is_passed_over() -> None:
    async with connected("rubbish first") as source:
        assert '"word": "bonjour"' in await call(await tool_of(source, "a_echo"), word="bonjour")


async def test_an_error_of_the_protocol_is_told_without_internals() -> None:
    async with connected("refuse call") as source:
        with pytest.raises(ToolFailed, match="answered with an error") as failure:
            await call(await tool_of(source, "a_echo"))
        assert "secret" not in str(failure.value)


async def test_an_answer_of_the_wrong_form_is_none() -> None:
    async with connected("answer with a list", call_seconds=0.5) as source:
        with pytest.raises(ToolFailed, match=r"longer than 0\.5 s"):
            await call(await tool_of(source, "a_echo"))


async def test_a_tool_that_no_model_could_use_costs_only_itself() -> None:
    async with connected("odd tools") as source:
        await tool_of(source, "a_good")
        first, second, good = (tool.name for tool in source.tools)
        assert first == ("a_n___" + "x" * 100)[:64]
        assert second == first[:62] + "_2"
        assert good == "a_good"


async def test_a_list_without_end_gives_128_tools() -> None:
    async with connected("list without end") as source:
        await tool_of(source, "a_t0_0")
        assert len(source.tools) == 128


async def test_pages_without_end_are_left_unread() -> None:
    async with connected("empty pages") as source:
        assert "1" in await call(await tool_of(source, "a_echo", seconds=10), n=1)


async def test_a_server_that_clings_is_killed_with_all_its_children() -> None:
    async with connected("cling") as source:
        tool = await tool_of(source, "a_echo")
        pids = tool.spec.description.split()
    assert len(pids) == 2
    async with asyncio.timeout(20):  # the system takes a moment for what was killed
        while any(_is_running(pid) for pid in pids):
            await asyncio.sleep(0.01)

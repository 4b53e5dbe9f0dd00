"""Server processes: what they are given, what they say last, and lines of any length."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.agent.mcp_servers import McpServers, Timeouts
from bot.agent.mcp_transports import MAX_MESSAGE, TOO_LARGE, LineDecoder
from bot.settings import McpServer


@asynccontextmanager
async def logs_of(server: McpServer) -> AsyncIterator[Callable[[str], Any]]:
    """A function that waits for a line of the server's log by the name of its event."""
    source = McpServers({"it": server}, times=Timeouts(first_pause=0.05))
    with capture_logs() as logs:

        async def wait_for(event: str) -> Any:
            async with asyncio.timeout(20):
                while not (found := [line for line in logs if line["event"] == event]):
                    await asyncio.sleep(0.01)
            return found[0]

        source.start()
        try:
            yield wait_for
        finally:
            await source.close()


def python(code: str, **env: str) -> McpServer:
    return McpServer(command=sys.executable, args=("-c", code), env=env)


async def test_a_server_knows_the_environment_that_is_meant_for_it_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")  # what must not be handed on
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    code = "import os, sys, json; sys.stderr.write(json.dumps(dict(os.environ))[:490])"
    async with logs_of(python(code, TOKEN="given", PATH="/bin")) as wait_for:
        known = json.loads((await wait_for("mcp_server_said"))["line"])
    assert known["TOKEN"] == "given"
    assert known["PATH"] == "/bin"
    assert known["LANG"] == "fr_FR.UTF-8"
    known.pop("LC_CTYPE", None)  # which Python sets for itself
    always = {"HOME", "LOGNAME", "SHELL", "TERM", "USER"} & set(os.environ)
    assert set(known) == {"TOKEN", "PATH", "LANG"} | always


async def test_of_stderr_the_last_line_is_logged_for_debugging() -> None:
    code = "import sys; sys.stderr.write('x' * 1_000_000 + '\\nfirst\\nwhy it ended\\n')"
    async with logs_of(python(code)) as wait_for:
        said = await wait_for("mcp_server_said")
    assert (said["line"], said["log_level"]) == ("why it ended", "debug")


@pytest.mark.parametrize("command", ["/does/not/exist", "a\0b"])
async def test_a_command_that_cannot_be_started_is_told(command: str) -> None:
    async with logs_of(McpServer(command=command)) as wait_for:
        assert (await wait_for("mcp_server_lost"))["reason"] in {"FileNotFoundError", "ValueError"}


# Lines ------------------------------------------------------------------------------------------


def decode(stream: bytes, size: int = 16_384) -> list[str]:
    """The lines of a stream that comes in pieces of this size."""
    decoder = LineDecoder()
    pieces = (stream[at : at + size] for at in range(0, len(stream), size))
    return "".join(map(decoder.decode, pieces)).splitlines()


@given(st.lists(st.from_regex(r"[^\s\x1c-\x1e\x85]*", fullmatch=True)), st.integers(1, 50))
def test_lines_do_not_depend_on_how_the_bytes_are_cut(lines: list[str], size: int) -> None:
    stream = "".join(f"{line}\n" for line in lines).encode()
    assert decode(stream, size) == [line for line in lines if line]


@given(st.binary(), st.integers(1, 50))
def test_whatever_comes_nothing_is_raised(stream: bytes, size: int) -> None:
    decode(stream, size)


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ('{"jsonrpc":"2.0","id":7,"result":{"a":"', '"}}'),
        ('{"result":{"a":"', '"},"jsonrpc":"2.0","id":7}'),
        ('{ "id" : "7" , "result', ""),
        ('{"jsonrpc":"2.0","id":7,"result":{"id":8,"a":"', '","id":9}}'),
    ],
)
def test_an_answer_that_is_too_large_becomes_an_error(head: str, tail: str) -> None:
    error, following = decode(f"{head}{'x' * 3 * MAX_MESSAGE}{tail}\nnext\n".encode())
    assert json.loads(error) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32000, "message": TOO_LARGE},
    }
    assert following == "next"


def test_a_line_that_is_too_large_and_answers_nothing_is_left_out() -> None:
    assert decode(b"x" * (MAX_MESSAGE + 1) + b"\nnext\n") == ["next"]
    assert decode(b"x" * MAX_MESSAGE + b"\n") == ["x" * MAX_MESSAGE]


def test_a_line_without_end_takes_bounded_memory() -> None:
    decoder = LineDecoder()
    tracemalloc.start()
    for _ in range(1_000):
        decoder.decode(b"x" * 16_384)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * MAX_MESSAGE


def test_a_long_line_in_small_pieces_takes_linear_time() -> None:
    def read(pieces: int) -> float:
        decoder = LineDecoder()
        began = time.thread_time()
        for _ in range(pieces):
            decoder.decode(b"x" * 10)
        return time.thread_time() - began

    read(10_000)
    assert read(100_000) < 40 * read(10_000)

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest
from structlog.testing import capture_logs

from bot.agent.mcp_messages import IncomingMessages
from bot.agent.mcp_transports import run_stdio_server
from bot.settings import McpServer


@asynccontextmanager
async def run(
    code: str, **env: str
) -> AsyncIterator[tuple[IncomingMessages, Any, Callable[[SessionMessage], None]]]:
    """A Python program as a server; its inbox awaits the answer to request 1."""
    sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](10)
    inbox = IncomingMessages(sender)
    inbox.expect(1)
    server = McpServer(command=sys.executable, args=("-c", code), env=env)
    with sender, receiver:
        async with run_stdio_server("it", server, inbox, grace=0.4) as send:
            yield inbox, receiver, send


def request(**params: object) -> SessionMessage:
    return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="x", params=params))


async def test_a_server_knows_the_environment_that_is_meant_for_it_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")  # what must not be handed on
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    code = (
        "import json, os;"
        "print(json.dumps({'id': 1, 'result': {'names': dict(os.environ)}}), flush=True)"
    )
    async with asyncio.timeout(10), run(code, TOKEN="given", LC_ALL="C") as (_, receiver, _):
        names = (await receiver.receive()).message.result["names"]
    names.pop("LC_CTYPE", None)  # which Python sets for itself
    assert names == {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "LANG": "fr_FR.UTF-8",
        "TOKEN": "given",
        "LC_ALL": "C",
    }


async def test_a_message_is_sent_as_one_line() -> None:
    code = (
        "import json;"
        "line = json.loads(input());"
        "print(json.dumps({'id': 1, 'result': line['params']}), flush=True)"
    )
    async with asyncio.timeout(10), run(code) as (_, receiver, send):
        send(request(text="deux\nlignes é"))
        assert (await receiver.receive()).message.result == {"text": "deux\nlignes é"}


async def test_the_inbox_ends_when_the_server_does() -> None:
    async with asyncio.timeout(10), run("print('bye')") as (inbox, _, _):
        await inbox.changed.wait()
        assert inbox.ended


async def test_of_stderr_the_last_line_is_logged_for_debugging() -> None:
    code = "import sys; sys.stderr.write('x' * 1_000_000 + '\\nfirst\\nwhy it ended\\n')"
    with capture_logs() as logs:
        async with asyncio.timeout(20), run(code) as (inbox, _, _):
            await inbox.changed.wait()
            while not (said := [each for each in logs if each["event"] == "mcp_server_said"]):
                await asyncio.sleep(0.01)  # its stderr may end after its stdout
    (line,) = said
    assert (line["line"], line["log_level"]) == ("why it ended", "debug")


async def test_sending_never_waits_and_ends_with_a_server_that_does_not_read() -> None:
    async with run("import time; time.sleep(60)") as (inbox, _, send):
        for _ in range(20):
            send(request(text="x" * 100_000))
        assert inbox.ended


@pytest.mark.parametrize("command", ["/does/not/exist", "a\0b"])
async def test_a_command_that_cannot_be_started_is_told(command: str) -> None:
    sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    with sender, receiver, pytest.raises((OSError, ValueError)):
        async with run_stdio_server(
            "it", McpServer(command=command), IncomingMessages(sender), grace=0.4
        ):
            pass

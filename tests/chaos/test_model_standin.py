"""The stand-in for the model: it refuses what OpenAI would refuse, also as a process of its own."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.standins.model import Mistake, check
from tests.support.cluster import REPOSITORY

USER = {"role": "user", "content": "m-1-1"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "note_once", "arguments": "{}"}}
CALLS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "noted"}
TOOL = {"type": "function", "function": {"name": "note_once", "parameters": {"type": "object"}}}

pytestmark = pytest.mark.chaos


def ask(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "any", "stream": True, "messages": list(messages), **more}


def test_a_request_in_order_is_taken() -> None:
    check(ask(USER, CALLS, RESULT, {"role": "assistant", "content": "done"}, USER, tools=[TOOL]))


@pytest.mark.parametrize(
    "body",
    [
        ask(),
        ask(USER, CALLS),
        ask(USER, CALLS, USER),
        ask(USER, RESULT),
        ask(USER, CALLS, RESULT, RESULT),
        ask(USER, {"role": "assistant", "content": None}),
        ask(USER, {**CALLS, "tool_calls": []}),
        ask({**USER, "tool_calls": [CALL]}),
        ask({**USER, "role": "person"}),
        ask(USER, CALLS, {"role": "tool", "content": "noted"}),
        ask(USER, tools=[]),
        ask(USER, tools=[{**TOOL, "function": {"name": "no spaces"}}]),
        ask(USER, tools=[{**TOOL, "function": {"name": "x", "parameters": {"type": "thing"}}}]),
        ask(USER, tool_choice="none"),
    ],
)
def test_a_request_that_openai_would_refuse_is_a_mistake(body: dict[str, Any]) -> None:
    with pytest.raises(Mistake):
        check(body)


async def test_alone_it_logs_what_it_was_asked_and_what_was_wrong(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = [sys.executable, "-m", "tests.standins.model", "--log", str(log)]
    process = await asyncio.create_subprocess_exec(
        *command, cwd=REPOSITORY, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().strip() + "/chat/completions"
    async with aiohttp.ClientSession() as session:
        async with session.post(url, json=ask(USER)) as answer:
            assert b'"answer to "' in await answer.read()
        async with session.post(url, json=ask(USER, RESULT)) as answer:
            assert answer.status == 400
    process.kill()
    await process.wait()
    asked, refused = (json.loads(line) for line in log.read_text().splitlines())
    assert (asked["text"], asked["step"]) == ("m-1-1", "answer")
    assert refused["violation"] == "messages[1]: a result without a call before it"

"""A model to test against: an OpenAI-compatible endpoint over a real socket, always streaming.

What it says follows from the person's newest message alone. To `m-1-2` it answers first with one
tool call, if it knows a tool that is offered, and with that tool's result in hand with the text
`answer to m-1-2`. A request that OpenAI would refuse is refused with 400 and kept in `violations`.
In a test:

    async with ModelStandIn() as model:
        ... OPENAI_BASE_URL=model.url ...

In another process: `python -m tests.standins.model --port N --log FILE`, where each request, and
each violation, is appended to FILE as a line of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from aiohttp import web
from jsonschema import Draft202012Validator, SchemaError, ValidationError

COST = 0.001
"""US dollars that each answer is said to have cost."""
ARGUMENTS = {"note_once": "text", "save_memory": "fact"}
"""The tools that it knows how to call, most wanted first, and the argument that is the message."""
REWARD = {"credits": 5, "reason": "well done"}
"""What `award_bonus_credits` is called with where the message begins with `bravo`."""
Step = Literal["call", "answer"]

_BONUS = "award_bonus_credits"
_NAME = {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"}
_CALL = {
    "type": "object",
    "required": ["id", "type", "function"],
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "required": ["name", "arguments"],
            "properties": {"name": _NAME, "arguments": {"type": "string"}},
        },
    },
}
_MESSAGE = {
    "type": "object",
    "required": ["role", "content"],
    "properties": {
        "role": {"enum": ["system", "user", "assistant", "tool"]},
        "content": {"type": ["string", "array", "null"], "minLength": 1, "minItems": 1},
        "tool_calls": {"type": "array", "minItems": 1, "items": _CALL},
    },
    "allOf": [
        {
            "if": {"properties": {"role": {"const": "tool"}}},
            "then": {"required": ["tool_call_id"]},
        },
        {
            "if": {"not": {"required": ["tool_calls"]}},
            "then": {"properties": {"content": {"type": ["string", "array"]}}},
            "else": {"properties": {"role": {"const": "assistant"}}},
        },
    ],
}
_TOOL = {
    "type": "object",
    "required": ["type", "function"],
    "properties": {
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": _NAME,
                "description": {"type": "string", "maxLength": 1024},
                "parameters": {"type": "object"},
            },
        },
    },
}
_REQUEST: Any = Draft202012Validator(
    {
        "type": "object",
        "required": ["model", "messages", "stream"],
        "properties": {
            "model": {"type": "string", "minLength": 1},
            "messages": {"type": "array", "minItems": 1, "items": _MESSAGE},
            "stream": {"const": True},
            "tools": {"type": "array", "minItems": 1, "maxItems": 128, "items": _TOOL},
            "tool_choice": {"enum": ["auto", "none", "required"]},
        },
        "dependentRequired": {"tool_choice": ["tools"]},
    }
)
"""https://platform.openai.com/docs/api-reference/chat/create, as far as Griot uses it."""


class Mistake(Exception):
    """A request that OpenAI would refuse."""


@dataclass(frozen=True)
class Asked:
    """A request that was in order: about which message, and what was answered."""

    text: str
    step: Step
    at: float = field(default_factory=time.time)


@dataclass
class Hold:
    """A request that gets no answer until the test lets it go."""

    text: str
    step: Step
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)


class ModelStandIn:
    """See the module.

    Args:
        pause: seconds before each of the two chunks of an answer's content.
    """

    def __init__(self, *, port: int = 0, log: Path | None = None, pause: float = 0.0) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.violations: list[str] = []
        self.pause = pause
        self._port = port
        self._log = log
        self._holds: list[Hold] = []
        self._call_ids = itertools.count(1)

    async def __aenter__(self) -> ModelStandIn:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_get("/v1/models", self._list)
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        for hold in self._holds:
            hold.released.set()
        await self._runner.cleanup()

    def hold_next(self, text: str, step: Step = "answer") -> Hold:
        """Leave the next request about this message, at this step, without an answer for now."""
        hold = Hold(text, step)
        self._holds.append(hold)
        return hold

    async def _list(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "stand-in"}]})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        try:
            check(body)
        except Mistake as mistake:
            self.violations.append(str(mistake))
            self._write({"violation": str(mistake), "at": time.time()})
            return web.json_response({"error": {"message": str(mistake)}}, status=400)
        asked, tool = _read(body)
        self.asked.append(asked)
        self._write(asdict(asked))
        await self._wait_if_held(asked)
        return await self._stream(request, self._chunks(asked, tool))

    async def _wait_if_held(self, asked: Asked) -> None:
        for hold in self._holds:
            if (hold.text, hold.step) == (asked.text, asked.step) and not hold.reached.is_set():
                hold.reached.set()
                await hold.released.wait()
                return  # a hold is for one request: this one's process may be dead by now

    def _chunks(self, asked: Asked, tool: str) -> Iterator[dict[str, Any]]:
        if asked.step == "answer":
            yield _delta(content="answer to ")
            yield _delta(content=asked.text)
            yield _delta("stop")
        else:
            arguments = json.dumps(_arguments(tool, asked.text))
            call = {"index": 0, "id": f"call_{next(self._call_ids)}", "type": "function"}
            yield _delta(tool_calls=[call | {"function": {"name": tool, "arguments": ""}}])
            yield _delta(tool_calls=[{"index": 0, "function": {"arguments": arguments}}])
            yield _delta("tool_calls")
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "cost": COST}
        yield {"model": "stand-in", "choices": [], "usage": usage}

    async def _stream(
        self, request: web.Request, chunks: Iterator[dict[str, Any]]
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        try:
            await response.prepare(request)
            for chunk in chunks:
                if self.pause and chunk["choices"] and chunk["choices"][0]["delta"]:
                    await asyncio.sleep(self.pause)
                await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            await response.write(b"data: [DONE]\n\n")
        except ConnectionError:
            pass  # whoever asked has died
        return response

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._log is not None:
            with self._log.open("a") as file:
                file.write(json.dumps(line) + "\n")


def check(body: Any) -> None:
    """Raises `Mistake` unless OpenAI would take this request."""
    try:
        _REQUEST.validate(body)
        for tool in body.get("tools", ()):
            _check_schema(json.dumps(tool["function"].get("parameters", {})))
    except (ValidationError, SchemaError) as error:
        raise Mistake(f"{error.json_path}: {error.message[:200]}") from None
    _check_pairs(body["messages"])


@cache
def _check_schema(schema: str) -> None:
    """The same tools come again and again, and are checked once. Raises `SchemaError`."""
    Draft202012Validator.check_schema(json.loads(schema))


def _check_pairs(messages: Sequence[Mapping[str, Any]]) -> None:
    """Each call is followed by its result, before anything else is said; each result has a call."""
    waiting: list[str] = []
    for position, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                raise Mistake(f"messages[{position}]: a result without a call before it")
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            raise Mistake(f"messages[{position}]: calls before it have no result: {waiting}")
        waiting = [call["id"] for call in message.get("tool_calls", ())]
    if waiting:
        raise Mistake(f"messages: the last calls have no result: {waiting}")


def _read(body: Mapping[str, Any]) -> tuple[Asked, str]:
    """What is asked, and the tool to be called for it."""
    newest = next(each for each in reversed(body["messages"]) if each["role"] == "user")
    offered = {tool["function"]["name"] for tool in body.get("tools", ())}
    words = _words(newest["content"])
    wanted = [_BONUS] if words.startswith("bravo") else ARGUMENTS
    tool = next((name for name in wanted if name in offered), "")
    first = body["messages"][-1] is newest and body.get("tool_choice") != "none"
    return Asked(words, "call" if tool and first else "answer"), tool


def _words(content: str | Sequence[Mapping[str, Any]]) -> str:
    """The text of a message; pictures are seen, and left out."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def _arguments(tool: str, text: str) -> dict[str, Any]:
    return REWARD if tool == _BONUS else {ARGUMENTS[tool]: text}


def _delta(finish_reason: str | None = None, **fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": fields, "finish_reason": finish_reason}
    return {"model": "stand-in", "choices": [choice]}


async def _serve_alone(port: int, log: Path, pause: float) -> None:
    async with ModelStandIn(port=port, log=log, pause=pause) as model:
        sys.stdout.write(f"{model.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A model to test against.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds before each chunk")
    arguments = parser.parse_args()
    asyncio.run(_serve_alone(arguments.port, arguments.log, arguments.pause))

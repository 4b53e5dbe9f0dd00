"""The model endpoint: an OpenAI-compatible stream from bytes made in advance.

    python -m bench.endpoint [--tool NAME] [--arguments JSON] [--group N] [--pace S] [--delay S]

A request whose last message is not a tool's result is answered by a tool call, its arguments in 20
fragments; one whose last message is, by 300 chunks of a French lesson and the usage. `GET /starts`
tells when the turn of each numbered question (`#17 …`) was first asked for, by the system's
monotonic clock, and how many turns were held back at once at most; it forgets both.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import re
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.contenders.protocol import ANSWER_LENGTH
from bench.server import Request, response, serve

FRAGMENTS = 20
CHUNKS = 300
_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)

_LESSONS = Path(__file__).parents[1] / "bot" / "demo" / "lessons"
_ENDS = tuple(itertools.product("abcdefgh", repeat=2))
"""The last letters of the lessons: no two answers that follow each other are the same."""
_NUMBER = re.compile(r"#(\d+)")
"""Of a question."""


class _Message(msgspec.Struct):
    role: str
    content: Any = None


class _Body(msgspec.Struct):
    messages: list[_Message]


_read_body = msgspec.json.Decoder(_Body).decode


class Endpoint:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._call = _frame(_call_events(arguments.tool, arguments.arguments), arguments.group)
        self._texts = itertools.cycle(
            [_frame(_text_events("".join(end)), arguments.group) for end in _ENDS]
        )
        self._pace: float = arguments.pace
        self._delay: float = arguments.delay
        self._starts: dict[int, float] = {}
        self._held = 0
        self._held_at_most = 0

    async def respond(self, request: Request, transport: asyncio.Transport) -> None:
        if request.path == "/starts":
            transport.write(response(self._report()))
            return
        messages = _read_body(request.body).messages
        if messages[-1].role == "tool":
            await self._stream(next(self._texts), transport)
        else:
            self._note_start(messages[-1].content)
            await self._hold()
            await self._stream(self._call, transport)

    def _report(self) -> bytes:
        report = msgspec.json.encode({"starts": self._starts, "held_at_most": self._held_at_most})
        self._starts, self._held_at_most = {}, self._held
        return report

    def _note_start(self, question: Any) -> None:
        if isinstance(question, str) and (asked := _NUMBER.match(question)):
            self._starts.setdefault(int(asked[1]), time.monotonic())

    async def _hold(self) -> None:
        self._held += 1
        self._held_at_most = max(self._held_at_most, self._held)
        try:
            await asyncio.sleep(self._delay)
        finally:
            self._held -= 1

    async def _stream(self, writes: Sequence[bytes], transport: asyncio.Transport) -> None:
        """Write piece by piece; other streams get their turn in between, as on a real server."""
        for write in writes:
            transport.write(write)
            await asyncio.sleep(self._pace)


def _call_events(tool: str, arguments: str) -> list[bytes]:
    cuts = [len(arguments) * n // FRAGMENTS for n in range(FRAGMENTS + 1)]
    pieces = [arguments[a:b] for a, b in itertools.pairwise(cuts)]
    opened = {"index": 0, "id": "call_7XbMqT2w", "type": "function"}
    first = {**opened, "function": {"name": tool, "arguments": ""}}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None, "tool_calls": [first]}]
    deltas.extend(
        {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces
    )
    return _events(deltas, "tool_calls")


def _text_events(end: str) -> list[bytes]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    text = _read_lesson()[: -len(end)] + end
    cuts = [len(text) * n // CHUNKS for n in range(CHUNKS + 1)]
    deltas.extend({"content": text[a:b]} for a, b in itertools.pairwise(cuts))
    return _events(deltas, "stop")


def _read_lesson() -> str:
    """1,500 characters as a tutor writes them: lists, bold words, dates."""
    names = ("nkrumah", "participle")
    files = [_LESSONS / f"{name}.toml" for name in names]
    texts = [tomllib.loads(file.read_text("utf-8"))["fr"]["lesson"] for file in files]
    return "".join(texts)[:ANSWER_LENGTH]


def _events(deltas: list[dict[str, Any]], finish: str) -> list[bytes]:
    usage = {"prompt_tokens": 210, "completion_tokens": 320, "total_tokens": 530}
    return [
        *(_event([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas),
        _event([{"index": 0, "delta": {}, "finish_reason": finish}]),
        _event([], usage),
        b"data: [DONE]\n\n",
    ]


def _event(choices: list[dict[str, Any]], usage: dict[str, int] | None = None) -> bytes:
    """One event as OpenAI sends it."""
    chunk = {
        "id": "chatcmpl-BenchmarkBenchmarkBenchmark01",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": "gpt-4o-mini-2024-07-18",
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
        "choices": [{**choice, "logprobs": None} for choice in choices],
        "usage": usage,
    }
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"


def _frame(events: Sequence[bytes], group: int) -> list[bytes]:
    """One write each: `group` events as a chunk of the HTTP body; the head goes with the first."""
    blocks = [b"".join(events[at : at + group]) for at in range(0, len(events), group)]
    writes = [b"%x\r\n%s\r\n" % (len(block), block) for block in blocks]
    return [_HEAD + writes[0], *writes[1:], b"0\r\n\r\n"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="lookup")
    parser.add_argument(
        "--arguments",
        default='{"topic": "rain in the north and in the south of Côte d’Ivoire", "limit": 3}',
    )
    parser.add_argument("--group", type=int, default=4, help="events a write")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds between two writes")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before the first call")
    asyncio.run(serve(Endpoint(parser.parse_args()).respond))


if __name__ == "__main__":
    main()

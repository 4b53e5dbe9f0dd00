"""Serve the demo's tutor as an OpenAI-compatible endpoint, so that the real model client uses it.

The form is that of https://platform.openai.com/docs/api-reference/chat/streaming.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
import secrets
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, Final, Literal

import msgspec
from aiohttp import ClientConnectionError, web

from bot.demo import tutor_script
from bot.demo.local_server import json_response, serve_routes
from bot.demo.tutor_script import (
    Conversation,
    ToolEntry,
    TutorMessage,
    TutorReply,
    answer_conversation,
)

MODEL: Final = "griot-demo-tutor"
TRANSCRIBE_MODEL: Final = "griot-demo-ear"
"""The model that transcribes the demo's own voice notes."""
CAPABILITIES: Final = json.dumps({MODEL: {"usd_in": 0.15, "usd_out": 0.60, "vision": True}})
"""It costs nothing, but counts as a small model would, so that credits visibly decrease."""
_FRAGMENT: Final = 16
"""Characters of a tool call's arguments in one piece."""


class _Request(msgspec.Struct):
    messages: list[TutorMessage]
    tools: list[ToolEntry] = msgspec.field(default_factory=list[ToolEntry])
    tool_choice: Any = "auto"


Report = Callable[[Literal["in", "out", "here"], str], None]


def make_settings(url: str) -> dict[str, str]:
    """Return the settings that make Griot ask the tutor at `url`."""
    return {
        "OPENAI_BASE_URL": url,
        "MODEL": MODEL,
        "MODEL_CAPABILITIES": CAPABILITIES,
        "TRANSCRIBE_MODEL": TRANSCRIBE_MODEL,
    }


@asynccontextmanager
async def run_tutor(pause: float, report: Report = lambda _, __: None) -> AsyncGenerator[str]:
    """Run a tutor on a free port of this machine while the context is open; yield its URL.

    Args:
        pause: seconds between two pieces of an answer.
        report: called with a short text about each request (`out`), answer (`in`) and transcription
            (`here`).
    """
    tutor = _Tutor(pause, report)
    routes = [
        web.post("/v1/chat/completions", tutor.complete),
        web.post("/v1/audio/transcriptions", tutor.transcribe),
        web.get("/v1/models", tutor.models),
    ]
    async with serve_routes(routes) as origin:
        yield f"{origin}/v1"


class _Tutor:
    def __init__(self, pause: float, report: Report) -> None:
        self._pause = pause
        self._report = report

    async def models(self, _: web.Request) -> web.Response:
        return json_response({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer as a stream of chunks; 400 if the request is no conversation."""
        body = await request.read()
        try:
            asked = msgspec.json.decode(body, type=_Request)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return json_response({"error": {"message": str(error)}}, status=400)
        offered = [] if asked.tool_choice == "none" else asked.tools
        tools = frozenset(offer.function.name for offer in offered)
        self._report("out", f"{len(asked.messages)} messages, {len(tools)} tools")
        reply = answer_conversation(Conversation(asked.messages, tools))
        self._report("in", f"{reply.tool}(…)" if reply.tool else f"{len(reply.text)} chars")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        # The client may hang up in the middle, when the person presses Stop.
        with contextlib.suppress(ClientConnectionError):
            for chunk in _write_chunks(reply, len(body)):
                await response.write(b"data: " + chunk + b"\n\n")
                await asyncio.sleep(self._pause)
            await response.write(b"data: [DONE]\n\n")
            await response.write_eof()
        return response

    async def transcribe(self, request: web.Request) -> web.Response:
        """Answer with the words of the demo's own voice notes; empty for any other recording."""
        recording = (await request.post()).get("file")
        content = recording.file.read() if isinstance(recording, web.FileField) else b""
        language = tutor_script.find_sample_language("voice", content)
        text = tutor_script.SPOKEN[language] if language else ""
        self._report("here", f"audio/transcriptions · {len(content)} bytes → {len(text)} chars")
        return json_response({"text": text})


def _write_chunks(reply: TutorReply, size: int) -> Iterator[bytes]:
    """Yield the chunks of an answer to a request of `size` bytes, its usage last."""
    deltas = list(_split_call(reply) if reply.tool else _split_words(reply.text))
    for delta in deltas:
        yield _chunk(choices=[{"index": 0, "delta": delta, "finish_reason": None}])
    reason = "tool_calls" if reply.tool else "stop"
    yield _chunk(choices=[{"index": 0, "delta": {}, "finish_reason": reason}])
    tokens = {"prompt_tokens": size // 4, "completion_tokens": len(deltas)}
    yield _chunk(choices=[], usage=tokens | {"total_tokens": sum(tokens.values())})


def _split_words(text: str) -> Iterator[dict[str, Any]]:
    """Yield the text word by word."""
    for word in re.findall(r"\s*\S+\s*", text):
        yield {"content": word}


def _split_call(reply: TutorReply) -> Iterator[dict[str, Any]]:
    """Yield the call's name, then its arguments in fragments that may end anywhere."""
    function = {"name": reply.tool, "arguments": ""}
    call_id = f"call_{secrets.token_hex(8)}"
    yield {"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function}]}
    arguments = msgspec.json.encode(reply.arguments).decode()
    for start in itertools.count(0, _FRAGMENT):
        if not (fragment := arguments[start : start + _FRAGMENT]):
            return
        yield {"tool_calls": [{"index": 0, "function": {"arguments": fragment}}]}


def _chunk(**fields: Any) -> bytes:
    return msgspec.json.encode({"object": "chat.completion.chunk", "model": MODEL, **fields})

"""The demo's tutor as an OpenAI-compatible endpoint, so that the real model client speaks to it.

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

from bot.demo import samples
from bot.demo.script import Conversation, Function, Reply, Told, answer

MODEL: Final = "griot-demo-tutor"
EAR: Final = "griot-demo-ear"
"""The model that transcribes the demo's own voice notes."""
CAPABILITIES: Final = json.dumps({MODEL: {"usd_in": 0.15, "usd_out": 0.60, "vision": True}})
"""It costs nothing, but counts as a small model would, so that credits can be seen going down."""
_LARGEST: Final = 64 * 1024 * 1024
_FRAGMENT: Final = 16
"""Characters of a tool call's arguments in one piece."""


class _Request(msgspec.Struct):
    messages: list[Told]
    tools: list[Function] = msgspec.field(default_factory=list[Function])
    tool_choice: Any = "auto"


Report = Callable[[Literal["in", "out", "here"], str], None]


def _say_nothing(_: Literal["in", "out", "here"], __: str) -> None:
    pass


def settings(url: str) -> dict[str, str]:
    """What makes Griot ask the tutor at `url`, by the names of the environment."""
    return {
        "OPENAI_BASE_URL": url,
        "MODEL": MODEL,
        "MODEL_CAPABILITIES": CAPABILITIES,
        "TRANSCRIBE_MODEL": EAR,
    }


@asynccontextmanager
async def teaching(pause: float, report: Report = _say_nothing) -> AsyncGenerator[str]:
    """A tutor that listens on a free port of this machine while the context is open; its URL.

    Args:
        pause: seconds between two pieces of an answer.
        report: is told, in short, what it was asked (`out`), answers (`in`) and heard (`here`).
    """
    tutor = _Tutor(pause, report)
    app = web.Application(client_max_size=_LARGEST)
    app.router.add_post("/v1/chat/completions", tutor.complete)
    app.router.add_post("/v1/audio/transcriptions", tutor.transcribe)
    app.router.add_get("/v1/models", tutor.models)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


class _Tutor:
    def __init__(self, pause: float, report: Report) -> None:
        self._pause = pause
        self._report = report

    async def models(self, _: web.Request) -> web.Response:
        return _json({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """The answer as a stream of chunks; 400 for what is no conversation."""
        body = await request.read()
        try:
            asked = msgspec.json.decode(body, type=_Request)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return _json({"error": {"message": str(error)}}, status=400)
        offered = [] if asked.tool_choice == "none" else asked.tools
        tools = frozenset(offer.function.name for offer in offered)
        self._report("out", f"{len(asked.messages)} messages, {len(tools)} tools")
        reply = answer(Conversation(asked.messages, tools))
        self._report("in", f"{reply.tool}(…)" if reply.tool else f"{len(reply.text)} chars")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        # Whoever asked may hang up in the middle: somebody pressed Stop.
        with contextlib.suppress(ClientConnectionError):
            await self._stream(response, _chunks(reply, len(body)))
        return response

    async def transcribe(self, request: web.Request) -> web.Response:
        """What is said in the demo's own voice notes; nothing in any other."""
        recording = (await request.post()).get("file")
        content = recording.file.read() if isinstance(recording, web.FileField) else b""
        language = samples.find_language("voice", content)
        text = samples.SPOKEN[language] if language else ""
        self._report("here", f"audio/transcriptions · {len(content)} bytes → {len(text)} chars")
        return _json({"text": text})

    async def _stream(self, response: web.StreamResponse, chunks: Iterator[bytes]) -> None:
        for chunk in chunks:
            await response.write(b"data: " + chunk + b"\n\n")
            await asyncio.sleep(self._pause)
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()


def _chunks(reply: Reply, size: int) -> Iterator[bytes]:
    """The chunks of an answer to a request of `size` bytes, its usage last."""
    deltas = list(_calling(reply) if reply.tool else _saying(reply.text))
    for delta in deltas:
        yield _chunk(choices=[{"index": 0, "delta": delta, "finish_reason": None}])
    reason = "tool_calls" if reply.tool else "stop"
    yield _chunk(choices=[{"index": 0, "delta": {}, "finish_reason": reason}])
    tokens = {"prompt_tokens": size // 4, "completion_tokens": len(deltas)}
    yield _chunk(choices=[], usage=tokens | {"total_tokens": sum(tokens.values())})


def _saying(text: str) -> Iterator[dict[str, Any]]:
    """Word by word."""
    for word in re.findall(r"\s*\S+\s*", text):
        yield {"content": word}


def _calling(reply: Reply) -> Iterator[dict[str, Any]]:
    """The call's name, then its arguments in fragments that end anywhere."""
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


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(
        status=status, body=msgspec.json.encode(value), content_type="application/json"
    )

"""What learners write is in no log, also where providers repeat it in their errors [13]."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from bot.demo.local_server import serve_routes
from tests.flows.street import CHAT, open_street
from tests.support.model_endpoint import DONE, delta, event, text

pytestmark = [pytest.mark.timeout(180)]
WORDS = "Awa Traoré pleure en cachette"
OGG = b"OggS\0\x02" + bytes(22) + b"OpusHead\x01\x01" + bytes(40)
REFUSED, DOWN, BROKEN, FORMATTED, SPOKEN = range(CHAT, CHAT + 5)


async def answer(request: web.Request) -> web.StreamResponse:
    """An endpoint that repeats in its errors what it was sent."""
    sent = (await request.read()).decode(errors="replace")
    if request.path.endswith("/transcriptions"):
        return web.json_response({"error": {"message": f"bad audio: {WORDS}"}}, status=400)
    said = json.loads(sent)["messages"][-1]["content"]
    error = {"message": f"invalid content: {said}", "type": "invalid_request_error", "code": said}
    if "REFUSED" in said:
        return web.json_response({"error": error}, status=400)
    if "DOWN" in said:
        return web.Response(text=f"upstream said: {said}", status=500)
    pieces = [text(f"**{said}**"), DONE]
    if "BROKEN" in said:
        pieces = [delta(content="Je"), event({"error": error})]
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for piece in pieces:
        await response.write(piece)
        await asyncio.sleep(0.1)
    return response


@asynccontextmanager
async def echoing() -> AsyncGenerator[str]:
    async with serve_routes([web.post("/v1/{method:.*}", answer)]) as origin:
        yield f"{origin}/v1"


async def test_no_log_holds_what_a_learner_wrote_and_a_provider_repeats(
    sqlite_url: str, tmp_path: Path
) -> None:
    async with (
        echoing() as model,
        open_street(model, sqlite_url, tmp_path, TRANSCRIBE_MODEL="whisper") as street,
    ):
        refused = f"Bad Request: can't parse entities: Can't find end of {WORDS}"
        street.telegram.fail_next("sendMessage", 400, refused, chat_id=FORMATTED)
        for chat, kind in ((REFUSED, "REFUSED"), (DOWN, "DOWN"), (BROKEN, "BROKEN")):
            await street.post(street.telegram.text_update(chat, f"{kind} {WORDS}"))
        await street.post(street.telegram.text_update(FORMATTED, WORDS))
        await street.post(street.telegram.voice_update(SPOKEN, OGG))
        names = (
            "model_endpoint_failed",
            "turn_failed",
            "stream_broken",
            "telegram_entities_refused",
            "transcription_failed",
        )
        await street.until(lambda: all(name in street.node.log for name in names))
        log = street.node.log
    for words in (WORDS, json.dumps(WORDS).strip('"'), *WORDS.split()[:1]):
        assert words not in log
    assert "invalid_request_error" in log
    assert "can't parse entities" in log

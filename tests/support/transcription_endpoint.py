"""An endpoint for transcriptions on a real socket, strict by OpenAI's specification."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import BodyPartReader, web

from bot.demo.local_server import serve_routes
from tests.support.model_endpoint import Play, plain

ACCEPTED = frozenset(
    {"flac", "mp3", "mp4", "mpeg", "mpga", "m4a", "oga", "ogg", "wav", "webm", "amr", "aac"}
)
"""What OpenAI takes (its error message names them), and two that others take."""


@dataclass
class TranscriptionRequest:
    """A request for a transcription that was in order."""

    audio: bytes
    filename: str
    mime_type: str
    fields: dict[str, str]
    headers: dict[str, str]
    peer: object


@dataclass
class FakeTranscription:
    """Play n answers request n, the last one all that follow; a wrong request gets 400."""

    plays: tuple[Play, ...]
    url: str = ""
    heard: list[TranscriptionRequest] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        try:
            self.heard.append(await read_request(request))
        except ValueError as mistake:
            return web.json_response({"error": {"message": str(mistake)}}, status=400)
        return await self.plays[min(len(self.heard), len(self.plays)) - 1](request)


async def read_request(request: web.Request) -> TranscriptionRequest:
    """The request. Raises ValueError unless it is what the specification asks for."""
    assert request.transport is not None
    if not request.content_type == "multipart/form-data":
        raise ValueError(f"not a form but {request.content_type}")
    parts: dict[str, BodyPartReader] = {}
    contents: dict[str, bytes] = {}
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader) or not part.name or part.name in parts:
            raise ValueError("a part without a name, or twice")
        parts[part.name] = part
        contents[part.name] = bytes(await part.read())
    file = parts.pop("file", None)
    if file is None or not file.filename or not contents["file"]:
        raise ValueError("no file")
    if file.filename.rpartition(".")[2] not in ACCEPTED:
        raise ValueError(f"Unrecognized file format: {file.filename}")
    if unknown := parts.keys() - {"model", "language", "response_format"}:
        raise ValueError(f"unknown fields {unknown}")
    fields = {name: contents[name].decode() for name in parts}
    if not fields.get("model") or fields.get("response_format") != "json":
        raise ValueError(f"wrong fields {fields}")
    return TranscriptionRequest(
        audio=contents["file"],
        filename=file.filename,
        mime_type=file.headers["Content-Type"],
        fields=fields,
        headers=dict(request.headers),
        peer=request.transport.get_extra_info("peername"),
    )


def play_text(text: object, **more: object) -> Play:
    return plain(json.dumps({"text": text, **more}))


@asynccontextmanager
async def serve_transcription(*plays: Play) -> AsyncIterator[FakeTranscription]:
    fake = FakeTranscription(plays)
    async with serve_routes([web.post("/v1/audio/transcriptions", fake.answer)]) as origin:
        fake.url = f"{origin}/v1"
        yield fake

"""Doubles for files: blobs in memory, and an isolated worker without a process of its own."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from bot.errors import NotFound, ToolFailed
from bot.files.text_worker import (
    Outcome,
    Piece,
    decode_answer,
    encode_request,
    serve,
)


def read(content: bytes, filename: str = "", mime_type: str = "") -> tuple[Outcome, list[Piece]]:
    return decode_answer(serve(encode_request(filename, mime_type, content)))


def text_of(content: bytes, filename: str = "", mime_type: str = "") -> str:
    """The whole text of a file that can be read."""
    result, pieces = read(content, filename, mime_type)
    assert result.state == "kept", result.reason
    return "".join(piece.body[piece.overlap :] for piece in pieces)


class DictBlobs:
    """A blob store in memory that can be made to fail."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.broken = False

    async def put(self, key: str, content: bytes, mime_type: str) -> None:
        self.contents[key] = content

    async def get(self, key: str) -> bytes:
        if self.broken:
            raise ConnectionError("the store is away")
        if key not in self.contents:
            raise NotFound("gone")
        return self.contents[key]

    async def delete(self, key: str) -> None:
        self.contents.pop(key, None)

    async def put_file(self, key: str, path: Path, mime_type: str) -> None:
        await self.put(key, await asyncio.to_thread(path.read_bytes), mime_type)

    async def clear(self, folder: str) -> None:
        for key in [key for key in self.contents if key.startswith(f"{folder}/")]:
            del self.contents[key]


class UnisolatedWorker:
    """Runs programs here and now, and counts them; `failing` are refused as beyond all limits."""

    def __init__(self) -> None:
        self.runs = 0
        self.failing: Callable[[bytes], bool] = lambda _: False

    async def run(
        self, program: str, request: bytes, *, seconds: float = 30.0, online: bool = False
    ) -> bytes:
        self.runs += 1
        if self.failing(request):
            raise ToolFailed("This was not done within 20 seconds.")
        return await asyncio.to_thread(import_module(program).serve, request)


def change_zip(content: bytes, **parts: Callable[[bytes], bytes]) -> bytes:
    """The zip with these parts made into others."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(held, "w") as new:
        for name in old.namelist():
            new.writestr(name, parts.get(name, bytes)(old.read(name)))
    return held.getvalue()

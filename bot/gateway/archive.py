"""A zip that is written piece by piece, off the event loop, and never is in memory as a whole."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import TypeVar

import msgspec

T = TypeVar("T")


class Archive:
    """`async with` it, and add; it is whole when the context is left without an error.

    What is added is added one after another: one thread at a time writes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken: set[str] = set()

    async def __aenter__(self) -> Archive:
        self._zip = await asyncio.to_thread(zipfile.ZipFile, self._path, "w", zipfile.ZIP_DEFLATED)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self._zip.close)

    async def add_text(self, name: str, text: str) -> None:
        await asyncio.to_thread(self._zip.writestr, name, text)

    async def add_json(self, name: str, value: object) -> None:
        """A file that people can read as well."""
        encoded = msgspec.json.format(msgspec.json.encode(value), indent=2)
        await asyncio.to_thread(self._zip.writestr, name, encoded)

    async def add_list(self, name: str, pages: AsyncIterator[Sequence[object]]) -> None:
        """A JSON array of all items of all pages, which come as they are read."""
        with self._zip.open(name, "w", force_zip64=True) as target:
            write: Callable[[bytes], int] = target.write
            await asyncio.to_thread(write, b"[")
            separator = b"\n"
            async for page in pages:
                lines = [msgspec.json.encode(item) for item in page]
                if lines:
                    await asyncio.to_thread(write, separator + b",\n".join(lines))
                    separator = b",\n"
            await asyncio.to_thread(write, b"\n]\n")

    async def add_file(self, folder: str, name: str, content: bytes) -> None:
        """A file under its name, or one like it where that is taken. Most kinds are compressed."""
        path = f"{folder}/{self._free(name)}"
        await asyncio.to_thread(self._zip.writestr, path, content, zipfile.ZIP_STORED)

    def _free(self, name: str) -> str:
        """The name, numbered if another differs from it in no more than case."""
        stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
        number, free = 1, name
        while free.casefold() in self._taken:
            number += 1
            free = f"{stem} ({number}){suffix}"
        self._taken.add(free.casefold())
        return free

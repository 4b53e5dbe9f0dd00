"""The texts of an account's files: taken out when they are first asked for, then kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import structlog

from bot.contracts import FileText, Spent
from bot.errors import NotFound, ToolFailed
from bot.library.files import File, Files
from bot.library.reading.kept import CHUNKS_OF_PART, KeptTexts
from bot.library.reading.pictures import Pictures
from bot.library.reading.program import Piece
from bot.library.reading.reader import Reader, Reading

MOST_READ = 5
"""Files that are read at a time because they were never read."""
_SECONDS = 15.0
"""After so long no other file is begun."""
log = structlog.get_logger()


class Texts:
    def __init__(self, files: Files, kept: KeptTexts, reader: Reader, pictures: Pictures) -> None:
        self._files = files
        self._kept = kept
        self._reader = reader
        self._pictures = pictures

    async def part(
        self, account: int, file_id: str, part: int, spend: Callable[[Spent], None]
    ) -> FileText:
        """Part `part`, from 1, of the text of one of the account's files.

        Raises:
            ToolFailed: no such file or part, or the file cannot be read.
        """
        file = await self._find(account, file_id)
        known = await self._kept.known(file.id)
        if known and known.state == "refused":
            raise ToolFailed(known.reason)
        if known and known.state == "kept":
            parts = _check(part, known.chunks)
            text = await self._kept.part(file.id, part)
            return FileText(file.name, text, part, parts, known.is_cut)
        reading = await self._read(file, spend)
        if reading.state in ("refused", "failed"):
            raise ToolFailed(reading.reason)
        parts = _check(part, len(reading.pieces))
        return FileText(file.name, _join(reading.pieces, part), part, parts, reading.is_cut)

    async def catch_up(self, account: int) -> int:
        """Read some of the files that were never read; how many are left without kept text.

        Pictures are not among them: to look at one costs money.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + _SECONDS
        for file_id in await self._kept.unread(account, MOST_READ):
            if loop.time() >= end:
                break
            try:
                await self._read(await self._files.find(file_id), _spend_nothing)
            except NotFound:
                continue  # deleted a moment ago
            except ConnectionError as error:
                log.warning("files_not_read", reason=str(error))
                break
        return await self._kept.unsearched(account)

    async def _find(self, account: int, file_id: str) -> File:
        try:
            return await self._files.find_own(account, file_id)
        except NotFound:
            raise ToolFailed(
                "There is no file with this file_id. list_user_files tells those that there are."
            ) from None

    async def _read(self, file: File, spend: Callable[[Spent], None]) -> Reading:
        try:
            content = await self._files.read(file.id)
        except NotFound:
            reading = Reading("refused", "The file is not there any more.")
        else:
            if file.mime_type.startswith("image/"):
                reading = await self._pictures.describe(file, content, spend)
            else:
                reading = await self._reader.read(file.name, file.mime_type, content)
        return await self._kept.keep(file, reading)


def _check(part: int, chunks: int) -> int:
    """How many parts the file has. Raises `ToolFailed`: fewer than `part`."""
    parts = -(-chunks // CHUNKS_OF_PART)
    if part > parts:
        raise ToolFailed(f"The file has {parts} parts; there is no part {part}.")
    return parts


def _join(pieces: Sequence[Piece], part: int) -> str:
    first = (part - 1) * CHUNKS_OF_PART
    return "".join(piece.body[piece.overlap :] for piece in pieces[first : first + CHUNKS_OF_PART])


def _spend_nothing(_: Spent) -> None: ...

"""`/export`: all that is kept of a person, as one file."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Final

import msgspec
import structlog

from bot.contracts import Momentary
from bot.gateway.copies import Copies
from bot.gateway.replies.response import Response
from bot.library.file_rows import GUESTS
from bot.library.files import Files
from bot.messages import Person, Say, ShareFile, Update
from bot.texts import say

PER_DAY: Final = 3
"""Exports of one person."""
_DAY: Final = 24 * 3600.0
log = structlog.get_logger()


class Export:
    """The errand of `/export`."""

    def __init__(self, copies: Copies, files: Files, momentary: Momentary) -> None:
        self._copies = copies
        self._files = files
        self._momentary = momentary

    async def __call__(self, person: Person, update: Update, argument: str) -> Response:  # noqa: ARG002 (an errand)
        """Make the file, once an update, and hand it over. It takes the place of the last one."""
        language = person.language
        if update.group:
            return Response((Say(say(language, "This is between us: write to me in private.")),))
        begin = f"{update.lane}/export/"
        key = f"{begin}{update.message_key}"
        made = await self._files.find_by_key(key)
        if made is None:
            if await self._has_had_enough(person):
                words = say(language, "You have had several exports today. Ask again tomorrow.")
                return Response((Say(words),))
            made = await self._make(person, key, begin)
        return Response((_captioned(made, person),))

    async def _make(self, person: Person, key: str, begin: str) -> ShareFile:
        folder = await asyncio.to_thread(tempfile.TemporaryDirectory[str], prefix="griot-")
        try:
            path = Path(folder.name) / "export.zip"
            await self._copies.write(person, path)
            account = person.account or GUESTS
            begin = begin if account == GUESTS else ""
            return await self._files.save_export(
                account, "griot-export.zip", path, key=key, begin=begin
            )
        finally:
            await asyncio.to_thread(folder.cleanup)

    async def _has_had_enough(self, person: Person) -> bool:
        """Whether they have had as many today as one may; nobody knows while the store is away."""
        whose = person.account or f"{person.channel}:{person.address}"
        try:
            return await self._momentary.count(f"exports:{whose}", _DAY) > PER_DAY
        except ConnectionError as error:
            log.warning("exports_uncounted", error=type(error).__name__)
            return False


def _captioned(made: ShareFile, person: Person) -> ShareFile:
    if person.account is None:
        words = say(
            person.language,
            "This is our conversation. I keep nothing else of guests; /delete erases it.",
        )
    else:
        words = say(person.language, "This is all I keep of you.")
    return msgspec.structs.replace(made, caption=words)

"""A file's text in chunks, read by a program that may be killed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bot.contracts import Workshop
from bot.errors import ToolFailed
from bot.library.reading.program import PROGRAM, Piece, answer, ask

SECONDS = 20.0
"""For one file."""
_MAX_BYTES = 30_000_000


@dataclass(frozen=True, slots=True)
class Reading:
    """How the reading of a file went."""

    state: Literal["kept", "refused", "failed", "full"]
    """`kept`: it has text. `refused`: it never will. `failed`: it may another time. `full`: the
    account keeps as much text as it may, so that this is read anew each time."""
    reason: str = ""
    """Why not, for the model."""
    pieces: Sequence[Piece] = ()
    is_cut: bool = False
    """The file is longer than what was read of it."""


class Reader:
    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def read(self, filename: str, mime_type: str, content: bytes) -> Reading:
        """The file's text, or why there is none."""
        if len(content) > _MAX_BYTES:
            return Reading("refused", "The file is too large to be read. Ask for a part of it.")
        request = ask(filename, mime_type, content)
        try:
            given = await self._workshop.run(PROGRAM, request, seconds=SECONDS)
        except ToolFailed as failure:
            return Reading("failed", str(failure))
        result, pieces = await asyncio.to_thread(answer, given)
        return Reading(result.state, result.reason, pieces, result.cut)

"""Long code blocks of an answer become files: nobody reads a wall of code on a phone."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from bot.agent.blocks import LongBlocks, take_out
from bot.contracts import FileStore
from bot.errors import ToolFailed
from bot.library.files import GUESTS
from bot.messages import Person, ShareFile
from bot.texts import say

_FORM = "text/plain"
log = structlog.get_logger()


def announce(language: str, filename: str) -> str:
    """The line that takes the place of the code."""
    return say(language, "📎 The code follows in the file {filename}.", filename=f"`{filename}`")


def streamed(language: str) -> LongBlocks:
    """What takes code out of an answer while it streams, exactly as `CodeFiles` does at its end."""
    return LongBlocks(lambda filename: announce(language, filename))


@dataclass(frozen=True, slots=True)
class CodeFiles:
    files: FileStore

    async def take_out(self, answer: str, person: Person, key: str) -> tuple[str, list[ShareFile]]:
        """The answer without its long code blocks, and these as files of the person's library.

        Where they cannot be kept, the answer stays as it is.

        Args:
            key: the turn's; the same key keeps the same files once.
        """
        if "```" not in answer and "~~~" not in answer:
            return answer, []
        text, blocks = take_out(answer, lambda filename: announce(person.language, filename))
        kept: list[ShareFile] = []
        for number, block in enumerate(blocks, 1):
            try:
                kept.append(
                    await self.files.save(
                        person.account or GUESTS,
                        block.filename,
                        block.code.encode(errors="replace"),
                        mime_type=_FORM,
                        source="answer",
                        key=f"{key}/code/{number}",
                    )
                )
            except (ToolFailed, ConnectionError) as error:
                log.warning("code_not_kept", error=type(error).__name__)
                return answer, []
        return text, kept

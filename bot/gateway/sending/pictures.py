"""Formulas that no line of text shows well: as a picture beside the text, where there are pictures.

The text keeps its linear form: it can be read before the picture has loaded, or without it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

import structlog

from bot.contracts import Capabilities
from bot.gateway.render import formulas_in
from bot.library.files import GUESTS, Files
from bot.library.formulas import Typesetter
from bot.messages import AskQuiz, Outgoing, Say, ShareFile

_FORM = "image/png"
_PATIENCE = 5.0
"""Seconds that an answer waits for its picture."""
log = structlog.get_logger()


class Pictures:
    def __init__(self, files: Files, typesetter: Typesetter) -> None:
        self._files = files
        self._typesetter = typesetter

    async def illustrate(
        self, outgoing: Sequence[Outgoing], capabilities: Capabilities
    ) -> list[Outgoing]:
        """What is said, with one picture after each text that needs one, before each such quiz."""
        if capabilities.markup == "markdown" or not capabilities.carries(_FORM, 1):
            return list(outgoing)
        illustrated: list[Outgoing] = []
        for item in outgoing:
            match item:
                case Say(markdown=text):
                    illustrated += [item, *await self._pictures(text)]
                case AskQuiz():
                    text = "\n\n".join((item.question, *item.options))
                    illustrated += [*await self._pictures(text), item]
                case _:
                    illustrated.append(item)
        return illustrated

    async def _pictures(self, markdown: str) -> list[ShareFile]:
        """None or one; the same formulas are drawn once for everybody."""
        formulas = formulas_in(markdown) if "$" in markdown or "\\" in markdown else ()
        if not formulas:
            return []
        key = "formulas/" + hashlib.sha256("\0".join(formulas).encode()).hexdigest()
        known = await self._files.find_by_key(key)
        if known is not None:
            return [known]
        try:
            async with asyncio.timeout(_PATIENCE):
                picture = await self._typesetter.picture(formulas)
                if picture is None:
                    return []
                return [
                    await self._files.save(
                        GUESTS, "formula.png", picture, mime_type=_FORM, source="formula", key=key
                    )
                ]
        except (TimeoutError, ConnectionError) as error:
            log.warning("picture_missed", error=type(error).__name__)
            return []  # the text says it too

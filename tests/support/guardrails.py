"""A guardrail that objects to words, for tests of what happens then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.contracts.services import GivenExercise
from bot.contracts.turn import Objection
from bot.messages.outgoing import Outgoing


class WordGuardrail:
    """Objects to `wrong` as mathematics, and to SECRET as a leak; what has a digit or the word
    `careful` needs inspection."""

    def __init__(
        self,
        *,
        keeps_secrets: bool = False,
        repaired: str = "?",
        careful: str = "WRONG",
        wrong: str = "WRONG",
    ) -> None:
        self.keeps_secrets = keeps_secrets
        self._wrong = wrong
        self._careful = careful
        self._repaired = repaired
        self.inspected: list[str] = []

    async def prepare(self, outgoing: Sequence[Outgoing]) -> None: ...

    def is_open(self, question: str, options: Sequence[str]) -> bool:
        return False

    def is_harmless(self, text: str) -> bool:
        return not any(map(str.isdigit, text)) and self._careful not in text

    def find_given_away(self, asked: Sequence[GivenExercise], text: str) -> Sequence[Objection]:
        words = [solution for each in asked for solution in each.solutions if solution in text]
        return [Objection("leak", word, "it is asked") for word in words]

    async def inspect(self, text: str) -> Sequence[Objection]:
        await asyncio.sleep(0)
        self.inspected.append(text)
        objections = [Objection("leak", "SECRET", "it is a secret")] if "SECRET" in text else []
        return objections or (
            [Objection("maths", self._wrong, "is RIGHT")] if self._wrong in text else []
        )

    async def repair(self, text: str) -> str:
        return text.replace(self._wrong, self._repaired).replace("SECRET", "a hint")

"""The guardrail of a turn: stop wrong maths, and solutions that the person is yet to find."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from importlib import import_module
from typing import Final

from msgspec.structs import replace

from bot.contracts.services import GivenExercise
from bot.contracts.storage import Database, Transaction
from bot.contracts.turn import Objection
from bot.gateway.context import GatewayContext
from bot.i18n import say
from bot.learning.exercises import note_hints_shown
from bot.learning.open_items import OpenItem, Secret, read_open_items
from bot.maths.checker import has_maths, may_begin_maths
from bot.messages.incoming import Person
from bot.messages.outgoing import AskExercise, AskQuiz, Outgoing

_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+")
_ITEM_NUMBER: Final = re.compile(r"\s*\d{1,2}\.\s+")
_MOST_PARTS: Final = 40
_LESSON_WORDS: Final = 60
"""Words from which a text before a question is a lesson, which may well hold what is asked about it
afterwards; a shorter one only leads to the question."""
_LEAK_REASON: Final = "this gives away the solution of what the person is to find out by themselves"
_LEAK_SEARCH: Final = "bot.learning.leaks.leak_guard"
"""The module is imported when something is open: it takes a tenth of a second."""
_Find = Callable[[str], Awaitable[bool]]


class TurnGuardrail:
    """Implements `bot.contracts.turn.Guardrail` for one turn.

    Args:
        request: the text that the person sent.
        items: the exercises and quizzes that are open as the turn begins.
    """

    def __init__(
        self,
        parts: GatewayContext,
        person: Person,
        lane: str,
        request: str,
        items: Sequence[OpenItem],
    ) -> None:
        settings = parts.settings
        self._checker = parts.maths if settings.check_maths else None
        self._guards_leaks = settings.leak_guard
        self._database: Database = parts.database
        self._metrics = parts.metrics
        self._person = person
        self._lane = lane
        self._request = request
        self._items = list(items)
        self._has_leaked = False
        if self._checker:
            self._checker.expect(request)

    @property
    def keeps_secrets(self) -> bool:
        return self._guards_leaks and bool(self._items)

    async def prepare(self, outgoing: Sequence[Outgoing]) -> None:
        asked = {each.id for each in outgoing if isinstance(each, AskQuiz)}
        asked |= {each.id for each in outgoing if isinstance(each, AskExercise)}
        if asked - {item.id for item in self._items}:
            account, lane = self._person.account or 0, self._lane
            self._items = await self._database.read(lambda tx: read_open_items(tx, account, lane))
        if self.keeps_secrets and _LEAK_SEARCH not in sys.modules:
            await asyncio.to_thread(import_module, _LEAK_SEARCH)

    def is_harmless(self, text: str) -> bool:
        return not self.keeps_secrets and (self._checker is None or not may_begin_maths(text))

    def is_open(self, question: str, options: Sequence[str]) -> bool:
        secrets = [item.secret for item in self._items]
        return any(
            secret.statement.strip() == question.strip()
            or (bool(options) and set(secret.options) == set(options))
            for secret in secrets
        )

    def find_given_away(self, asked: Sequence[GivenExercise], text: str) -> Sequence[Objection]:
        if not self._guards_leaks or not asked or len(text.split()) > _LESSON_WORDS:
            return []
        secrets = [
            Secret(each.kind, each.statement, each.solutions, each.unit, each.options)
            for each in asked
        ]
        leak = self._find_leak(text, secrets)
        if leak:
            self._count_leak()
        return [Objection("leak", leak, _LEAK_REASON)] if leak else []

    async def inspect(self, text: str) -> Sequence[Objection]:
        leak = self._find_open_leak(text)
        if leak:
            self._count_leak()
            return [Objection("leak", leak, _LEAK_REASON)]
        if self._checker is None or not has_maths(text):
            return []
        context = "\n".join([*(item.secret.statement for item in self._items), self._request])
        return [
            Objection("maths", checked.text, checked.why or "this is wrong")
            for checked in await self._checker.check(text, context)
            if checked.verdict == "wrong"
        ]

    async def repair(self, text: str) -> str:
        if self._find_open_leak(text):
            return self._hint_instead(text)
        language = self._person.language
        kept = await keep_right_parts(text, self._is_wrong, lambda part: not has_maths(part))
        confirm = say(language, "I could not confirm one computation, so I left it out.")
        return f"{kept}\n\n{confirm}".strip()

    async def note_hints(self, tx: Transaction, answer: str) -> None:
        """Store which hints the turn's answer holds in place of a leak, in the transaction that
        sends it. They are found in the text, which also says what a try before a crash has put
        there, and nothing of an answer that was stopped."""
        for item in self._list_hinted(answer):
            await note_hints_shown(tx, item.id, item.hints_shown + 1)

    def count_hints(self, outgoing: Sequence[Outgoing], answer: str) -> list[Outgoing]:
        """Return what is sent, with exercises that count the hints in the answer beside them."""
        hinted = {item.id for item in self._list_hinted(answer)}
        return [
            replace(each, hints_left=each.hints_left - 1)
            if isinstance(each, AskExercise) and each.id in hinted
            else each
            for each in outgoing
        ]

    def _list_hinted(self, answer: str) -> list[OpenItem]:
        return [each for each in self._items if each.next_hint and self._word_hint(each) in answer]

    def _word_hint(self, item: OpenItem) -> str:
        return say(self._person.language, "Here is a hint: {hint}", hint=item.next_hint)

    def _find_open_leak(self, text: str) -> str:
        if not self.keeps_secrets:
            return ""
        return self._find_leak(text, [item.secret for item in self._items])

    def _find_leak(self, text: str, secrets: Sequence[Secret]) -> str:
        # It is loaded by then: by `prepare`, or with the checks of what is asked.
        from bot.learning.leaks.leak_guard import find_leak

        return find_leak(text, secrets, self._request) or ""

    def _count_leak(self) -> None:
        if not self._has_leaked:
            self._has_leaked = True
            self._metrics.leaks_stopped.inc()

    def _hint_instead(self, text: str) -> str:
        """Return the next hint of the exercise whose solution the text gives away; if it has none,
        an encouragement."""
        language = self._person.language
        for item in self._items:
            if item.next_hint and self._find_leak(text, [item.secret]):
                return self._word_hint(item)
        return say(language, "You can find it by yourself. Tell me how you would begin.")

    async def _is_wrong(self, text: str) -> bool:
        return bool(await self.inspect(text))


async def keep_right_parts(
    text: str, is_wrong: _Find, is_plain: Callable[[str], bool] = lambda _: False
) -> str:
    """Return a text without its wrong sentences; if nothing right is left, without its wrong
    paragraphs; else empty.

    Args:
        is_plain: finds parts that cannot be wrong. Of the others, those beyond `_MOST_PARTS` are
            left out, as each takes an inspection.
    """
    for split in (_split_sentences, _split_paragraphs):
        kept, inspected = "", 0
        for part in split(text):
            if is_plain(part):
                kept += part
                continue
            inspected += 1
            if inspected <= _MOST_PARTS and not await is_wrong(kept + part):
                kept += part
        if kept.strip() and not await is_wrong(kept):
            return kept.strip()
    return ""


def _split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of each line, each with the white space after it; a sentence that begins
    a list item has its number."""
    for line in text.splitlines(keepends=True):
        start = 0
        for end in [found.end() for found in _SENTENCE.finditer(line)] + [len(line)]:
            is_number = end < len(line) and _ITEM_NUMBER.fullmatch(line[start:end])
            if end > start and not is_number:
                yield line[start:end]
                start = end


def _split_paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield f"{paragraph}\n\n"

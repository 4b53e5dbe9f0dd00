"""Typed answers to offered options: `2`, `B`, `b)` or the option's own text."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

import msgspec

from bot.contracts import Transaction
from bot.messages import Body, Button, Said, TextBody
from bot.texts import fold

_LONGEST = 200
_CLOSING_WORDS = 40
"""Characters at the end of a text among which a question mark makes it a question."""
_MARKED = re.compile(r"[(\[]?(?:(\d{1,2})|([A-Za-z]))[)\].:]?")


class Question(msgspec.Struct, frozen=True):
    """The options that a conversation was offered last."""

    choices: tuple[Button, ...]
    numbered: bool
    """They were shown as `1) …` lines, so a number means a line before it means a text."""


_DECODER = msgspec.json.Decoder(Question)


async def note_question(tx: Transaction, lane: str, bodies: Sequence[Body]) -> None:
    """Remember the options that the last of these deliveries offers, if any does.

    What ends in a question of its own takes the place of the one before: a short answer is to that.
    """
    texts = [body for body in bodies if isinstance(body, TextBody)]
    for body in reversed(texts):
        if body.choices:
            question = Question(body.choices, numbered=not body.buttons)
            await tx.execute(_ASK, lane=lane, question=msgspec.json.encode(question).decode())
            return
    if texts and "?" in texts[-1].text[-_CLOSING_WORDS:]:
        await tx.execute(_FORGET, lane=lane)


async def forget_question(tx: Transaction, lane: str) -> None:
    """It is answered: what is typed next is text again."""
    await tx.execute(_ASK, lane=lane, question="")


def read_answer(said: Said, question: str) -> str:
    """The token of the option that the text names, or empty: it is no answer."""
    text = said.text.strip()
    if not text or len(text) > _LONGEST or said.attachments:
        return ""
    asked = _DECODER.decode(question)
    readings = [_by_mark(text, asked.choices), _by_label(text, asked.choices)]
    first, second = readings if asked.numbered else reversed(readings)
    return first or second


def _by_mark(text: str, choices: Sequence[Button]) -> str:
    found = _MARKED.fullmatch(text)
    if found is None:
        return ""
    number, letter = found.groups()
    index = int(number) - 1 if number else string.ascii_uppercase.index(letter.upper())
    return choices[index].token if 0 <= index < len(choices) else ""


def _by_label(text: str, choices: Sequence[Button]) -> str:
    wanted = _plain(text)
    named = [choice.token for choice in choices if _plain(choice.label) == wanted]
    return named[0] if len(named) == 1 else ""


def _plain(text: str) -> str:
    """Without accents, case, outer punctuation: what a small keyboard leaves out."""
    return " ".join(fold(text).split()).strip(".!?;: ")


_FORGET = """
UPDATE lane SET question = '' WHERE id = :lane AND question <> ''
"""

_ASK = """
UPDATE lane SET question = :question WHERE id = :lane
"""

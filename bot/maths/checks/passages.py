"""Give the plain words of a question and its answer to checks that look at several sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from bot.maths.exact.algebra_questions import Known, Statement
from bot.maths.reading.plain_words import DIGITS, read_values, write_plainly
from bot.maths.reading.prose import Sentence

_EXAMPLE: Final = re.compile(
    r"\b(?:exemples?|examples?|imagin\w+|suppos\w+|autre (?:exercice|probleme)|essaie|a toi"
    r"|your turn|now try|for instance)\b"
)
_VALUE: Final = re.compile(rf"(?<![\w.,]){DIGITS}(?!\w*\d)")
_MOST_LINES: Final = 60
"""Most sentences of an answer that are read."""
_LONGEST: Final = 500
"""Most characters of a sentence that is read."""


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of the answer in small letters without accents."""

    text: str
    section: int
    is_own: bool
    """Whether the writer states it as true."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A question and its answer."""

    asked: str
    """The words of the question; may be empty."""
    lines: Sequence[Line]
    has_example: bool
    """Whether the answer speaks of another problem than the one asked."""

    def write_answer(self) -> str:
        """Return the sentences of the answer, one a line."""
        return "\n".join(line.text for line in self.lines)


def read_passage(asked: Sequence[Sentence], answered: Sequence[Sentence]) -> Passage:
    """Return the plain words of a question and its answer."""
    lines = [
        Line(write_plainly(each.text), each.section, not each.is_disowned)
        for each in answered[:_MOST_LINES]
        if len(each.text) <= _LONGEST
    ]
    has_example = any(_EXAMPLE.search(line.text) for line in lines)
    question = " . ".join(write_plainly(each.text) for each in asked[:_MOST_LINES])
    return Passage(question[: 2 * _LONGEST], lines, has_example)


def decide(text: str, why: str) -> Statement:
    """Return a decided statement.

    Args:
        why: the reason why it is wrong; empty if it is right.
    """
    return Statement(text.strip(), [[Known("wrong" if why else "right", why)]])


def list_numbers(text: str) -> list[Fraction]:
    """List the numbers of a text; one with an ambiguous mark (`3,600`) in each of its readings."""
    return [value for found in _VALUE.findall(text) for value in sorted(read_values(found))]


def write_number(value: Fraction) -> str:
    """Return a number as a reason shows it."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"

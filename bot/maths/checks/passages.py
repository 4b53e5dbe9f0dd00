"""Give the plain words of a question and its answer to checks that look at several sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from bot.maths.reading.disowned import disowns
from bot.maths.reading.plain_words import (
    find_step,
    read_value,
    read_values,
    write_cased,
    write_plainly,
)
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import DIGITS, WORDS

_EXAMPLE: Final = re.compile(
    r"\b(?:exemples?|examples?|imagin\w+|suppos\w+|autre (?:exercice|probleme)|essaie|a toi"
    r"|your turn|now try|for instance)\b"
)
_GREETS: Final = re.compile(rf"(?!.*\b(?!une?\b|one\b){WORDS})[^\d:]{{1,60}}!\W*")
"""A sentence without a number that only greets or praises."""
_OFFERS: Final = re.compile(
    r"\W*(?:(?:et|alors|maintenant|and|now|so),? )*"
    r"(?:(?:a toi|a ton tour|et toi|your turn|over to you|si tu (?:veux|souhaites|es prete?)"
    r"|si tu as (?:besoin|d'autres|des questions|une question)|if you (?:want|like|wish|need)"
    r"|essaie (?:maintenant|toi|celui)|now try|try this|dis[- ]moi|n'hesite pas)\b"
    r"|(?:on (?:continue|essaie|passe)|tu veux|veux[- ]tu|do you want|would you like|shall we)"
    r"\b.*\?)"
)
"""The beginnings of sentences after an answer; what follows is about something else."""
_VALUE: Final = re.compile(rf"(?<![\w.,]){DIGITS}(?!\w*\d)")
_SHOWN: Final = re.compile(
    rf"[( ]*(?P<a>{DIGITS})[) ]*(?:/[( ]*(?P<b>{DIGITS})[) ]*)?(?P<percent>%)?(?![\d²³^/])"
)
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
    cased: str = ""
    """The sentence with its capitals, without accents."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A number as a text shows it."""

    value: Fraction
    step: Fraction
    """A unit of its last digit; 0 for a whole number or a fraction."""

    def is_near(self, expected: Fraction) -> bool:
        """Return whether it is an expected number, exactly or rounded."""
        return self.value == expected or abs(self.value - expected) < self.step


@dataclass(frozen=True, slots=True)
class Passage:
    """A question and its answer."""

    asked: str
    """The words of the question; may be empty."""
    lines: Sequence[Line]
    has_example: bool
    """Whether the answer speaks of another problem than the one asked."""
    given: Sequence[Line] = ()
    """The sentences of the question."""

    @property
    def own(self) -> list[Line]:
        """The sentences of the answer that the writer states as true."""
        return [line for line in self.lines if line.is_own]

    def write_answer(self) -> str:
        """Return the sentences of the answer, one a line."""
        return "\n".join(line.text for line in self.lines)


def read_passage(asked: Sequence[Sentence], answered: Sequence[Sentence]) -> Passage:
    """Return the plain words of a question and its answer."""
    lines, given = _strip_frame(_read_lines(answered)), _read_lines(asked)
    question = " . ".join(write_plainly(each.text) for each in asked[:_MOST_LINES])
    is_definition = bool(question) and not re.search(r"\d", question)
    has_example = not is_definition and any(_EXAMPLE.search(line.text) for line in lines)
    return Passage(question[: 2 * _LONGEST], lines, has_example, given)


def _read_lines(sentences: Sequence[Sentence]) -> list[Line]:
    return [
        Line(
            write_plainly(each.text), each.section, not each.is_disowned, write_cased(each.quote())
        )
        for each in sentences[:_MOST_LINES]
        if len(each.text) <= _LONGEST
    ]


_NEGATION: Final = re.compile(
    r"\b(?:do|did|does|are|is|were|was|have|has|will)(?: not\b|n't\b)|\bnot to\b"
)


def is_stated(line: Line) -> bool:
    """Return whether the writer stands by a sentence, whose negations are no corrections: `36 % did
    not pass`."""
    return line.is_own or not disowns(_NEGATION.sub(" ", line.text))


def _strip_frame(lines: list[Line]) -> list[Line]:
    """Return the lines without those that only greet or praise before an answer, and without what
    follows it: an offer, a question to the person, a new task."""
    start = next((at for at, line in enumerate(lines) if not _GREETS.fullmatch(line.text)), 0)
    following = range(start + 1, len(lines))
    end = next((at for at in following if _OFFERS.match(lines[at].text)), len(lines))
    return lines[start:end]


def list_numbers(text: str) -> list[Fraction]:
    """List the numbers of a text; one with an ambiguous mark (`3,600`) in each of its readings."""
    return [value for found in _VALUE.findall(text) for value in sorted(read_values(found))]


def read_signed(text: str) -> Fraction:
    """Return the number of a text in digits, which may be negative; `3,600` is read as 3.6."""
    value = min(read_values(text.lstrip("- ")))
    return -value if text.startswith("-") else value


def read_result(text: str) -> Shown | None:
    """Return the number after the last equals sign of a text; None: something else stands there,
    or after the number comes a computation."""
    last = re.split(r"[=≈]", text)[-1].strip(" .!:;)")
    found = _SHOWN.match(f"{last} ")
    if not found or re.match(r" ?[×*+÷/^(√-] ?[\d(√]|[!a]", last[found.end() :].lstrip()):
        return None
    value = read_value(found["a"])
    below = read_value(found["b"]) if found["b"] else Fraction(1)
    if value is None or not below:
        return None
    scale = Fraction(1, 100) if found["percent"] else Fraction(1)
    step = Fraction(1) if found["b"] else find_step(found["a"])
    step = step if found["percent"] else step % 1
    return Shown(value / below * scale, step * scale)


def write_number(value: Fraction) -> str:
    """Return a number as a reason shows it."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"

"""Find a number to which a text only lets the pupil count: by its neighbours, or in symbols. Pure.

`juste avant 57`, `strictement entre 55 et 57`, `54, 55, et la suivante`; eight dots for 8, five
black squares of eight for 5/8.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from bot.learning.leaks.values import is_label_or_operand

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Literal, Reading

_NEIGHBOUR: Final = re.compile(
    r"\b(?:(juste avant|just before|(?:1|un) de moins que|(?:1|one) less than)"
    r"|juste apres|just after|(?:1|un) de plus que|(?:1|one) more than)"
    r" (?:le |the )?(\d+)(?![.,]?\d)"
)
_NEXT: Final = re.compile(
    r"(?<![\d.,/])(?<!\d )(-?\d{1,9}),? (?:mais |et |puis |but |and )?"
    r"(?:c'est |tu t'arretes |voila |prends |it's )?(?:sur |au )?(?:juste )?(?:le |la |l'|the )?"
    r"(?:nombre |annee |entier |number |year )?"
    r"(?:(suivante?|d'apres|next one|following)|precedente?|d'avant|previous one)\b"
)
_BETWEEN: Final = re.compile(
    r"\bstrict\w* (?:compris\w* )?(?:entre|between) (-?\d{1,9})[a-z ]{0,9} (?:et|and) (-?\d{1,9})"
    r"|\b(?:pas|not|ni) (-?\d{1,9})\b[^\d\n]{1,30}\b(?:pas|not|ni|nor) (-?\d{1,9})\b[^\d\n]{1,40}"
    r"\b(?:entre|between) (?:les |the )?(?:2|deux|two|eux)\b"
    r"|(?<![\d.,])(-?\d{1,9})\b[^\d\n]{1,20}(?:trop petit|too small)[^\d\n]{1,30}(-?\d{1,9})\b"
    r"[^\d\n]{1,20}"
    r"(?:trop grand|too big)[^\n]*\b(?:entier|integer|whole)"
)
"""Two whole numbers of which the one between them is meant."""
_COUNTED_RUN: Final = re.compile(r"(?<![\d.,])\d{1,4}(?:, ?\d{1,4}){2,12}(?= ?(?:[.!;:\n]|$))")
_RUN: Final = re.compile(r"([^\w\s.,;:!?'\"’()\[\]{}|*=+<>#~`…–—/\\$%^&-])(?:[\s\ufe0f]?\1){3,}")
_FEWEST_SYMBOLS: Final = 4
_LONGEST_LINE: Final = 80


class CountSearch:
    """A search for the value by its neighbours, or by as many symbols."""

    def __init__(self, solution: Literal, statement: Reading) -> None:
        self._value = solution.value
        self._given = {each.value for each in statement.literals}

    def find(self, reading: Reading) -> str | None:
        plain = reading.plain
        for found in _NEIGHBOUR.finditer(plain):
            if self._is_next_to(float(found[2]), is_after=not found[1]):
                return reading.cut(*found.span())
        for found in _NEXT.finditer(plain):
            is_label = is_label_or_operand(plain[max(0, found.start() - 30) : found.start()])
            if self._is_next_to(float(found[1]), is_after=bool(found[2])) and not is_label:
                return reading.cut(*found.span())
        for found in _BETWEEN.finditer(plain):
            low, high = (float(each) for each in found.groups() if each)
            if low + 1 == self._value == high - 1:
                return reading.cut(*found.span())
        return self._find_run(reading) or self._find_symbols(reading.text)

    def _find_run(self, reading: Reading) -> str | None:
        """Return numbers that are counted, forwards or backwards, up to the value: `9, 10, 11.`"""
        for found in _COUNTED_RUN.finditer(reading.plain):
            run = [int(each) for each in found[0].split(",")]
            steps = {two - one for one, two in pairwise(run)}
            if steps in ({1}, {-1}) and run[-1] == self._value and run[0] != 1:
                return reading.cut(*found.span())
        return None

    def _is_next_to(self, other: float, *, is_after: bool) -> bool:
        return other + (1 if is_after else -1) == self._value and other not in self._given

    def _find_symbols(self, text: str) -> str | None:
        """Return a line with as many equal symbols, or with the part of two kinds of them, as the
        value is; symbols for numbers of the statement only draw it."""
        if self._value in self._given or text.isascii():
            return None
        for line in text.split("\n"):
            found = _RUN.search(line[:_LONGEST_LINE])
            counted = Counter(line) if found else Counter[str]()
            counts = [
                count
                for sign, count in counted.items()
                if not (sign.isalnum() or sign.isspace() or sign.isascii() or sign == "\ufe0f")
            ]
            parts = [counts[0] / sum(counts), counts[1] / sum(counts)] if len(counts) == 2 else []
            if counts == [self._value] and counts[0] >= _FEWEST_SYMBOLS:
                return line
            if any(math.isclose(each, self._value) for each in parts):
                return line
        return None

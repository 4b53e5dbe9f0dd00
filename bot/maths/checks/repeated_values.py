"""Check a letter's value that is repeated in another unit: `λ = 6 × 10⁻⁷ m`, `λ = 600 nm`.

Also find out whether a text keeps to one unit, so that a computation without units has its result
in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.maths.exact.algebra_questions import Pair
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Quantity,
    Solutions,
    has_operation,
    has_units,
)
from bot.maths.exact.units import UNITS, find_unit
from bot.maths.reading.chains import Chain
from bot.maths.reading.prose import Sentence
from bot.maths.reading.wording import claim

_LINK_WORDS: Final = """
donc alors soit or on a ainsi so then hence en in c est dire ou convertit thus therefore et and d
"""
_LINKS: Final = frozenset(_LINK_WORDS.split())
"""Words beside a value that is only repeated in another unit."""
_FARTHEST: Final = 4
"""Most sentences between two values."""
_LENGTH: Final = "length"


class RepeatedValues:
    """The last values of letters, with the number of their sentence."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[Expr, int]] = {}
        self._count = 0

    def begin_sentence(self) -> None:
        """Count the next sentence."""
        self._count += 1

    def knows(self, name: str) -> bool:
        """Return whether the last value of a letter has a unit."""
        return name in self._values

    def check(self, chain: Chain, sentence: Sentence) -> Pair | None:
        """Return the check of a letter's value in another unit than before; None: there is none.
        Keeps the value for the sentences after it."""
        first, last = chain.members[0], chain.members[-1]
        is_plain = all(relation.text in ("=", "≈") for relation in chain.relations)
        if not isinstance(first, Letter) or isinstance(last, Solutions) or not is_plain:
            return None
        known, place = self._values.get(first.name, (None, -_FARTHEST - 1))
        if chain.is_cut or not _is_measure(last):
            self._values.pop(first.name, None)
            return None
        self._values[first.name] = (last, self._count)
        is_near = self._count - place <= _FARTHEST
        if known is None or not is_near or len(chain.members) > 2:
            return None
        one, other = evaluate(known).unit, evaluate(last).unit
        if one == other or one.dimensions != other.dimensions:
            return None
        if not _only_links(chain, sentence):
            return None
        return claim(known, last, chain.relations[-1].text)


def _is_measure(expr: Expr) -> bool:
    try:
        return has_units(expr) and bool(evaluate(expr).unit.dimensions)
    except (Undecidable, ZeroDivisionError):
        return False


def _only_links(chain: Chain, sentence: Sentence) -> bool:
    """Return whether a sentence has no words but links, units and a remark in brackets at its end,
    and before a chain no number that is in no equality."""
    ends = (at for at in range(chain.end, len(sentence.tokens)) if sentence.tokens[at].text == "(")
    said = sentence.tokens[: next(ends, None)]
    before = sentence.tokens[: chain.start]
    is_condition = any(token.kind == "number" for token in before)
    if is_condition and not any(token.text == "=" for token in before):
        return False
    words = (token.text for token in said if token.kind == "word" and not token.value)
    return all(word in _LINKS or word in UNITS for word in words)


def find_lengths(sentences: Sequence[Sentence]) -> set[str]:
    """Return the units of lengths, areas and volumes of a text, without their exponents; none if
    it has only one such measure."""
    found = [
        token.text
        for sentence in sentences
        for token in sentence.tokens
        if token.text in UNITS and [name for name, _ in UNITS[token.text].dimensions] == [_LENGTH]
    ]
    return set(found) if len(found) > 1 else set()


def drop_unit(side: Expr, other: Expr, lengths: set[str]) -> Expr:
    """Return a result without its unit, if it is a length, area or volume in the only unit of a
    text, and the other side a computation without units."""
    if not isinstance(side, Quantity) or len(lengths) != 1 or has_operation(side.number):
        return side
    unit = find_unit(side.unit)
    is_length = unit is not None and [name for name, _ in unit.dimensions] == [_LENGTH]
    is_computed = isinstance(other, Apply) and other.op in ("*", "/") and not has_units(other)
    is_only = side.unit.rstrip("²³") == next(iter(lengths))
    return side.number if is_length and is_computed and is_only else side

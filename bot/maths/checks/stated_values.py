"""Check a value that a text states again for the same name: in another unit, or worked out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from bot.maths.checks.letter_equalities import is_unfinished
from bot.maths.checks.stated_forms import has_call, has_endless, is_call
from bot.maths.exact.algebra_questions import (
    Check,
    Identity,
    Pair,
)
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    free_letters,
    has_operation,
    has_units,
    list_units,
    number,
)
from bot.maths.exact.units import UNITS, find_unit
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import (
    is_supposed,
    is_whole,
)
from bot.maths.reading.prose import Sentence
from bot.maths.reading.sentence_cues import is_piecewise
from bot.maths.reading.wording import claim

# Values in other units ----------------------------------------------------------------------------

_LINK_WORDS: Final = """
donc alors soit or on a ainsi so then hence en in c est dire ou convertit thus therefore et and d
"""
_LINKS: Final = frozenset(_LINK_WORDS.split())
"""Words beside a value that is only repeated in another unit."""
_MOST_SENTENCES: Final = 4
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
        known, place = self._values.get(first.name, (None, -_MOST_SENTENCES - 1))
        if chain.is_cut or not _is_measure(last):
            self._values.pop(first.name, None)
            return None
        self._values[first.name] = (last, self._count)
        is_near = self._count - place <= _MOST_SENTENCES
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


# Values that are written again --------------------------------------------------------------------

_FARTHEST = 2
"""Most paragraphs between two lines for one value."""


class _StatedValue(NamedTuple):
    """The last member of a chain, with its sentence, and whether the chain is a whole line."""

    value: Expr
    sentence: Sentence
    is_line: bool


class RewrittenValues:
    """The last values of names in the text, that are not reduced."""

    def __init__(self) -> None:
        self._stated: dict[Expr, _StatedValue] = {}

    def clear(self) -> None:
        self._stated = {}

    def check(self, chain: Chain, sentence: Sentence, previous: Sentence | None) -> Check | None:
        """Return the check of a chain against the one for the same name before it; None: there is
        none. Keeps the chain for those after it."""
        members = [each for each in chain.members if not isinstance(each, Solutions)]
        is_plain = all(token.text in ("=", "≈") and not token.is_word for token in chain.relations)
        if len(members) < len(chain.members) or not is_plain or chain.phrase:
            return None
        first, value, last = members[0], members[1], members[-1]
        if not _is_name(first) or has_call(last) or is_piecewise(sentence):
            return None
        is_meant = not (chain.is_cut or chain.is_doubtful or sentence.is_disowned)
        if not is_meant or is_supposed(chain, sentence):
            self._stated.pop(first, None)
            return None
        before = self._stated.get(first)
        stated = _StatedValue(last, sentence, is_whole(chain, sentence))
        self._stated[first] = stated
        if before is None or not _is_near(before.sentence, sentence):
            return None
        if free_letters(before.value):
            is_next = before.is_line and stated.is_line and before.sentence is previous
            return _check_form(first, before.value, value, is_next=is_next)
        is_next = before.sentence is previous or before.sentence is sentence
        return _check_number(first, before.value, members, is_next=is_next)


def _is_near(one: Sentence, other: Sentence) -> bool:
    return one.section == other.section and 0 <= other.block - one.block <= _FARTHEST


def _is_name(expr: Expr) -> bool:
    """Return whether an expression is a letter, its square, or a function with its argument."""
    is_square = isinstance(expr, Apply) and expr.op == "^" and expr.args[1] == number(2)
    base = expr.args[0] if is_square and isinstance(expr, Apply) else expr
    return isinstance(base, Letter) or is_call(base)


def _is_derivative(name: Expr) -> bool:
    letter = name.args[0] if isinstance(name, Apply) and name.op == "call" else None
    return isinstance(letter, Letter) and letter.name.endswith("'")


def _check_form(name: Expr, before: Expr, after: Expr, *, is_next: bool) -> Check | None:
    """Return the check of two expressions with letters; None: they may be two functions."""
    letters = free_letters(after)
    if not letters or not letters <= free_letters(before) or before == after:
        return None
    if not is_unfinished(before) or not (is_next or _is_derivative(name)):
        return None
    return Identity(before, after, "claimed")


def _check_number(name: Expr, before: Expr, members: list[Expr], *, is_next: bool) -> Check | None:
    """Return the check of two numbers; None: the second may be another value."""
    after = members[1]
    if free_letters(after) or has_endless(after) or not _is_computation(before):
        return None
    if list_units([before]) - {"°"}:
        return None
    if list_units([after]):  # it may be in another unit, which `compare` knows
        return claim(before, after) if is_next and len(members) == 2 else None
    is_small = isinstance(name, Letter) and not name.name.isupper()
    if is_small and (not is_next or has_operation(after) or len(members) > 2):
        return None
    return claim(before, after)


def _is_computation(expr: Expr) -> bool:
    """Return whether there is something left to compute: not in `3/4` or `√2`."""
    if isinstance(expr, Apply) and expr.op == "neg":
        return _is_computation(expr.args[0])
    if not isinstance(expr, Apply) or not has_operation(expr):
        return False
    are_plain = all(
        isinstance(each, Letter) or (isinstance(each, Num) and not each.is_decimal)
        for each in expr.args
    )
    return not (are_plain and expr.op in ("/", "sqrt"))

"""Check that a later line for the same value agrees: `f'(x) = (2x - 2 - 2x - 3)/(x - 1)²` and below
it `f'(x) = -5/(x - 1)²`; `B = 2 × 10¹`, then `B = 20`.

Only a value that is not reduced yet is compared with the next one: `x = 2` and `x = -2` are two
solutions, `y = 2x + 1` and `y = 4 - x` two lines of a system.
"""

from __future__ import annotations

from typing import NamedTuple

from bot.maths.checks.equation_steps import is_unfinished
from bot.maths.checks.stated_forms import has_call, has_endless, is_call
from bot.maths.exact.algebra_questions import Check, Identity
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Solutions,
    free_letters,
    has_operation,
    list_units,
    number,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import is_supposed, is_whole
from bot.maths.reading.prose import Sentence
from bot.maths.reading.sentence_cues import is_piecewise
from bot.maths.reading.wording import claim

_FARTHEST = 2
"""Most paragraphs between two lines for one value."""


class _Stated(NamedTuple):
    """The last member of a chain, with its sentence, and whether the chain is a whole line."""

    value: Expr
    sentence: Sentence
    is_line: bool


class RewrittenValues:
    """The last values of names in the text, that are not reduced."""

    def __init__(self) -> None:
        self._stated: dict[Expr, _Stated] = {}

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
        stated = _Stated(last, sentence, is_whole(chain, sentence))
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
    if list_units([before]) - {"°"} or list_units([after]):
        return None
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
    are_plain = all(isinstance(each, Num | Letter) for each in expr.args)
    return not (are_plain and expr.op in ("/", "sqrt"))

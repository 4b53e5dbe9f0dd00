"""Recognise by its form that an equation rewrites the one in the line before it.

`4x + 10 = 50` and `4x = 60` have the same term with x and fewer numbers: the second is a step from
the first. `2x + 3 = 7` and `5x - 1 = 9` may be two exercises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.exact.algebra_questions import Equation
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    apply,
    free_letters,
    number,
    substitute,
    walk,
)

_ZERO: Final = number(0)
_LEAST_MOVED: Final = 3
"""Terms of an equation that are hardly the same by chance in another one."""


class _Terms(NamedTuple):
    """The terms of an equation without their signs."""

    literal: Counter[Expr]
    constant: Counter[Expr]

    @property
    def total(self) -> int:
        return self.literal.total() + self.constant.total()


def derives(before: Equation, after: Equation) -> bool:
    """Return whether an equation has the form of a step from another one, right or wrong: terms
    that are moved, numbers that are put together, or one side that is rewritten."""
    letters = _list_letters(before)
    if not letters or letters != _list_letters(after) or is_solved(before):
        return False
    old, new = _list_terms(before), _list_terms(after)
    if old.literal == new.literal:
        is_moved = old.constant == new.constant and old.total >= _LEAST_MOVED
        return is_moved or new.constant.total() < old.constant.total()
    is_moved = old.literal + old.constant == new.literal + new.constant
    return is_moved or _rewrites_side(before, after) or _collects(before, after)


def continues(before: Equation, after: Equation) -> bool:
    """Return whether an equation may be the next step after one that is itself a step."""
    letters = _list_letters(before)
    if letters != _list_letters(after) or is_solved(before) or _find_line(before) is None:
        return False
    return _list_terms(after).total <= _list_terms(before).total


def is_solved(equation: Equation) -> bool:
    """Return whether an equation is `x = 3`."""
    return isinstance(equation.left, Letter) and not free_letters(equation.right)


def is_unfinished(expr: Expr) -> bool:
    """Return whether an expression can be reduced: it has terms or numbers to put together, or
    multiplies a sum."""
    if isinstance(expr, Apply) and expr.op == "/" and free_letters(expr.args[1]):
        return any(map(is_unfinished, expr.args))
    terms = list(_split(expr))
    constants = [each for each in terms if not free_letters(each)]
    parts = Counter(_drop_factor(each) for each in terms if free_letters(each))
    is_numeric = any(isinstance(each, Apply) and each.op != "/" for each in constants)
    has_like = len(constants) > 1 or is_numeric or any(count > 1 for count in parts.values())
    return has_like or multiplies_sum(expr)


def multiplies_sum(expr: Expr) -> bool:
    """Return whether an expression multiplies or squares a sum."""
    return any(
        isinstance(node, Apply)
        and node.op in ("*", "^")
        and any(isinstance(each, Apply) and each.op in ("+", "-") for each in node.args)
        for node in walk(expr)
    )


def _list_letters(equation: Equation) -> set[str]:
    return free_letters(equation.left) | free_letters(equation.right)


def _list_terms(equation: Equation) -> _Terms:
    found = _Terms(Counter(), Counter())
    for side in (equation.left, equation.right):
        for term in _split(side):
            if term != _ZERO:
                found[not free_letters(term)][term] += 1
    return found


def _split(expr: Expr) -> Iterator[Expr]:
    """Yield the terms of a sum without their signs."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Apply) and node.op in ("+", "-", "neg"):
            waiting.extend(node.args)
        else:
            yield node


def _drop_factor(term: Expr) -> Expr:
    """Return a term without the number by which it is multiplied."""
    if isinstance(term, Apply) and term.op == "*" and isinstance(term.args[0], Num):
        return term.args[1]
    return term


def _rewrites_side(before: Equation, after: Equation) -> bool:
    """Return whether one side stays and the other one is expanded, reduced or factorised; a product
    that is zero may be followed by one of its factors."""
    pairs = [(before.left, after.left), (before.right, after.right)]
    changed = [(one, other) for one, other in pairs if one != other]
    if len(changed) != 1:
        return False
    one, other = changed[0]
    if not free_letters(one) or free_letters(one) != free_letters(other):
        return False
    kept = before.right if one is before.left else before.left
    if isinstance(one, Apply) and one.op in ("*", "^") and kept == _ZERO:
        return False
    if isinstance(one, Letter) or isinstance(other, Letter) or _has_quotient(one):
        return False
    counts = [sum(bool(free_letters(term)) for term in _split(side)) for side in (one, other)]
    is_expanded = multiplies_sum(one) and not multiplies_sum(other)
    is_factorised = counts[0] > 1 == counts[1] and multiplies_sum(other)
    return is_expanded or is_factorised or (counts[0] > counts[1] and _is_like(one))


def _is_like(expr: Expr) -> bool:
    """Return whether a sum has terms with the same letters and powers."""
    parts = Counter(_drop_factor(each) for each in _split(expr) if free_letters(each))
    return any(count > 1 for count in parts.values())


def _has_quotient(expr: Expr) -> bool:
    return any(
        isinstance(node, Apply) and node.op in ("/", "sqrt", "abs") and free_letters(node)
        for node in walk(expr)
    )


def _collects(before: Equation, after: Equation) -> bool:
    """Return whether both put their terms together to the same number of x, or the same number
    without x: `5x - 3 = 2x + 9` and `3x = 6`."""
    old, new = _list_terms(before), _list_terms(after)
    if old.literal.total() < 2 or new.literal.total() != 1 or new.total >= old.total:
        return False
    one, other = _find_line(before), _find_line(after)
    if one is None or other is None:
        return False
    is_slope, is_constant = (abs(a) == abs(b) for a, b in zip(one, other, strict=True))
    return (is_slope and abs(one[0]) != 1) or (is_constant and one[1] != 0)


def _find_line(equation: Equation) -> tuple[Fraction, Fraction] | None:
    """Return a and b of an equation of one letter that is ax + b = 0; None: it is no such one."""
    letters = sorted(_list_letters(equation))
    if len(letters) != 1:
        return None
    difference = apply("-", equation.left, equation.right)
    try:
        at = [evaluate(substitute(difference, {letters[0]: number(x)})).number for x in range(3)]
    except (Undecidable, ZeroDivisionError):
        return None
    slope = at[1] - at[0]
    return (slope, at[0]) if slope and at[2] - at[1] == slope else None

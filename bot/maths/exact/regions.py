"""Check a set of numbers against conditions that hold together, with sympy: the domain of a
function, the solutions of two inequalities."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from bot.maths.exact.algebra_questions import UNDECIDED, Region, Reply
from bot.maths.exact.expression import Expr
from bot.maths.exact.sympy_objects import (
    DIGITS,
    EPSILON,
    SympyBuilder,
    holds,
    make_builder,
    show,
    sympy,
)

_MOST_DEGREE = 12


def check_region(question: Region) -> Reply:
    """Check that the claimed intervals, without the excluded numbers, are where all conditions
    hold."""
    claim = question.claim
    bounds = [bound for each in claim.intervals for bound in (each.low, each.high) if bound]
    bounds += [row[0] for row in claim.elements]
    sides = [side for each in question.conditions for side in (each.left, each.right)]
    builder = make_builder(*sides, *bounds)
    letter = sympy.Symbol(question.letter)
    points = {sympy.N(builder.build(each), DIGITS) for each in bounds}
    differences: list[tuple[Any, str]] = []
    for each in question.conditions:
        difference = builder.build(each.left) - builder.build(each.right)
        ends = _list_ends(difference, letter)
        if ends is None:
            return UNDECIDED
        points.update(ends)
        differences.append((difference, each.relation))
    for point in _list_samples(sorted(points)):
        is_inside = all(_holds(one, relation, letter, point) for one, relation in differences)
        if is_inside != _is_claimed(question, builder, point):
            where = "should be in it" if is_inside else "should not be in it"
            return Reply("wrong", f"{show(point)} {where}")
    return Reply("right")


def _list_ends(difference: Any, letter: Any) -> list[Any] | None:
    """Return the zeros and poles of a rational function; None: it is none."""
    found: list[Any] = []
    for part in sympy.fraction(sympy.together(difference)):
        if not part.is_polynomial(letter) or part.free_symbols - {letter}:
            return None
        if part.has(letter):
            polynomial = sympy.Poly(part, letter)
            if polynomial.degree() > _MOST_DEGREE:
                return None
            found += [sympy.N(root, DIGITS) for root in set(sympy.real_roots(polynomial))]
    return found


def _list_samples(points: list[Any]) -> Iterator[Any]:
    """Yield the points, and one between each two, before and after them."""
    yield from points
    yield from ((one + other) / 2 for one, other in pairwise(points))
    yield points[0] - 1 if points else sympy.Integer(0)
    yield points[-1] + 1 if points else sympy.Integer(1)


def _holds(difference: Any, relation: str, letter: Any, point: Any) -> bool:
    value = sympy.N(difference.subs(letter, point), DIGITS)
    if not value.is_real or abs(value) > 1 / EPSILON:
        return False
    is_zero = bool(abs(value) < EPSILON * (1 + abs(point)))
    return not is_zero if relation == "≠" else holds(value, relation, is_zero=is_zero)


def _is_claimed(question: Region, builder: SympyBuilder, point: Any) -> bool:
    def locate(expr: Expr) -> int:
        """Return -1, 0 or 1 for a point before, at or after a bound."""
        difference = point - sympy.N(builder.build(expr), DIGITS)
        if abs(difference) < EPSILON * (1 + abs(point)):
            return 0
        return 1 if difference > 0 else -1

    if any(locate(row[0]) == 0 for row in question.claim.elements):
        return False
    return any(
        (each.low is None or locate(each.low) >= 1 - each.has_low)
        and (each.high is None or locate(each.high) <= each.has_high - 1)
        for each in question.claim.intervals
    )

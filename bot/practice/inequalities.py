"""Exercises on intervals and inequalities of the first degree, in 2nde."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import INFINITY, MINUS_INFINITY, Pair, interval

_SIGNS: Final = ("<", "≤", ">", "≥")
_LATEX: Final = {"<": "<", "≤": "\\leq", ">": ">", "≥": "\\geq"}
_FLIPPED: Final = {"<": ">", "≤": "≥", ">": "<", "≥": "≤"}
_OTHER_STRICTNESS: Final = {"<": "≤", "≤": "<", ">": "≥", "≥": ">"}


def _ray(sign: str, bound: int) -> Pair:
    """Return the interval of all numbers that stand in this relation to the bound."""
    if sign in "<≤":
        return interval(MINUS_INFINITY, bound, has_high=sign == "≤")
    return interval(bound, INFINITY, has_low=sign == "≥")


@generates("maths.intervals", "2nde")
def intervals(draw: Draw) -> Item:
    """Ask for the interval of an inequality, then of a double one, then for two combined."""
    return draw.by_level(_interval_of_inequality, _interval_of_two, _combine_intervals)(draw)


def _interval_of_inequality(draw: Draw) -> Item:
    sign, bound = draw.one_of(_SIGNS), draw.between(-9, 9)
    key = _ray(sign, bound)
    other = _OTHER_STRICTNESS[sign]
    exercise = draw.exercise(
        "interval_of_inequality",
        relation=_LATEX[sign],
        bound=bound,
        is_left=sign in "<≤",
        is_included=sign in "≤≥",
    )
    return exercise.choice(
        key,
        (_ray(other, bound), "bound"),
        (_ray(_FLIPPED[sign], bound), "wrong-side"),
        (_ray(_FLIPPED[other], bound), "side-and-bound"),
    )


def _interval_of_two(draw: Draw) -> Item:
    low = draw.between(-9, 4)
    high = low + draw.between(2, 9)
    has_low = draw.one_of((True, False))
    has_high = not has_low if draw.between(1, 3) > 1 else has_low
    key = interval(low, high, has_low=has_low, has_high=has_high)
    opposite = interval(low, high, has_low=not has_low, has_high=not has_high)
    exercise = draw.exercise(
        "interval_of_two", low=low, has_low=has_low, high=high, has_high=has_high
    )
    return exercise.choice(
        key,
        (opposite, "bounds-swapped" if has_low != has_high else "bound"),
        (interval(low, high, has_low=has_low, has_high=not has_high), "bound"),
        (interval(low, high, has_low=not has_low, has_high=has_high), "bound"),
    )


def _combine_intervals(draw: Draw) -> Item:
    """Ask for the intersection or the union of two intervals that overlap."""
    a = draw.between(-9, 0)
    c = a + draw.between(1, 4)
    b = c + draw.between(1, 5)
    d = b + draw.between(1, 4)
    first_closed, second_closed = draw.one_of((True, False)), draw.one_of((True, False))
    first = interval(a, b, has_low=first_closed, has_high=not first_closed)
    second = interval(c, d, has_low=second_closed, has_high=not second_closed)
    common = interval(c, b, has_low=second_closed, has_high=not first_closed)
    whole = interval(a, d, has_low=first_closed, has_high=not second_closed)
    part = interval(a, c, has_low=first_closed, has_high=not second_closed)
    meets = draw.one_of((True, False))
    exercise = draw.exercise(
        "combine_intervals", first=first, second=second, meets=meets, bounds=(a, c, b, d)
    )
    if meets:
        bracket = interval(c, b, has_low=not second_closed, has_high=first_closed)
        key, other = common, (whole, "union")
    else:
        bracket = interval(a, d, has_low=not first_closed, has_high=second_closed)
        key, other = whole, (common, "intersection")
    return exercise.choice(key, other, (bracket, "bracket-changed"), (part, "one-part"))


@generates("maths.inequality-first-degree", "2nde")
def inequality_first_degree(draw: Draw) -> Item:
    """Ask to solve with a positive coefficient, then a negative one, then with `x` on both
    sides."""
    root = draw.between(1, 9) * draw.one_of((1, -1))
    sign = draw.one_of(_SIGNS)
    factor, moved = draw.between(2, 6), 0
    if draw.difficulty > 1:
        factor = -factor
    if draw.difficulty > 2:
        moved = draw.between(7, 9) if draw.one_of((True, False)) else -draw.between(1, 6)
    constant = draw.between(1, 9) * draw.one_of((1, -1))
    left = (constant, factor + moved)
    right = (constant + factor * root, moved)
    return _solve_inequality(draw, sign, left, right, root)


def _solve_inequality(
    draw: Draw, sign: str, left: tuple[int, int], right: tuple[int, int], root: int
) -> Item:
    """Ask to solve `left sign right`, as (constant, coefficient), which are equal at `root`."""
    factor, number = left[1] - right[1], right[0] - left[0]
    end = _FLIPPED[sign] if factor < 0 else sign
    wants_set = right[1] != 0

    def write(direction: str, bound: int) -> str | Pair:
        return _ray(direction, bound) if wants_set else f"x {direction} {bound}"

    exercise = draw.exercise(
        "solve_inequality",
        left=left,
        right=right,
        sign=_LATEX[sign],
        end=_LATEX[end],
        factor=factor,
        number=number,
    )
    return exercise.choice(
        write(end, root),
        (write(_FLIPPED[end], root), "not-flipped"),
        (write(end, -root), "sign-of-bound"),
        (write(end, factor * root - factor), "subtracted"),
        (write(_FLIPPED[end], -root), "direction-and-sign"),
    )

"""Intervals and inequalities of the first degree, in 2nde."""

from __future__ import annotations

from typing import Final

from bot.practice.algebra_text import (
    INFINITY,
    MINUS_INFINITY,
    continue_sum,
    interval,
    polynomial_maths,
    set_maths,
    signed,
)
from bot.practice.generator import Draw, Item, generates

_SIGNS: Final = ("<", "≤", ">", "≥")
_LATEX: Final = {"<": "<", "≤": "\\leq", ">": ">", "≥": "\\geq"}
_FLIPPED: Final = {"<": ">", "≤": "≥", ">": "<", "≥": "≤"}
_OTHER_STRICTNESS: Final = {"<": "≤", "≤": "<", ">": "≥", "≥": ">"}


def _ray(draw: Draw, sign: str, bound: int) -> str:
    """All numbers that stand in this relation to the bound."""
    if sign in "<≤":
        return interval(draw, MINUS_INFINITY, bound, has_high=sign == "≤")
    return interval(draw, bound, INFINITY, has_low=sign == "≥")


@generates("maths.intervals", "2nde")
def intervals(draw: Draw) -> Item:
    """From an inequality, from a double one, then the intersection or union of two intervals."""
    return draw.by_level(_interval_of_inequality, _interval_of_two, _combine_intervals)(draw)


def _interval_of_inequality(draw: Draw) -> Item:
    sign, bound = draw.one_of(_SIGNS), draw.between(-9, 9)

    key = _ray(draw, sign, bound)
    other = _OTHER_STRICTNESS[sign]
    exercise = draw.exercise(
        "interval_of_inequality",
        _LATEX=_LATEX,
        sign=sign,
        bound=bound,
        explain_side_sign_bound=_explain_side(draw, sign, bound),
        v1=_explain_bound(draw, bound, is_included=sign in "≤≥"),
    )
    return exercise.choice(
        key,
        (_ray(draw, other, bound), "bound"),
        (_ray(draw, _FLIPPED[sign], bound), "wrong-side"),
        (_ray(draw, _FLIPPED[other], bound), "side-and-bound"),
    )


def _explain_side(draw: Draw, sign: str, bound: int) -> str:
    if sign in "<≤":
        return draw.say(
            f"Les nombres cherchés sont à gauche de ${bound}$ : l'intervalle commence à "
            "$-\\infty$.",
            f"The numbers lie to the left of ${bound}$: the interval starts at $-\\infty$.",
        )
    return draw.say(
        f"Les nombres cherchés sont à droite de ${bound}$ : l'intervalle va jusqu'à $+\\infty$.",
        f"The numbers lie to the right of ${bound}$: the interval goes on to $+\\infty$.",
    )


def _explain_bound(draw: Draw, bound: int, *, is_included: bool) -> str:
    if is_included:
        return draw.say(f"${bound}$ est compris.", f"${bound}$ is included.")
    return draw.say(f"${bound}$ n'est pas compris.", f"${bound}$ is not included.")


def _interval_of_two(draw: Draw) -> Item:
    low = draw.between(-9, 4)
    high = low + draw.between(2, 9)
    has_low = draw.one_of((True, False))
    has_high = not has_low if draw.between(1, 3) > 1 else has_low
    left, right = "\\leq" if has_low else "<", "\\leq" if has_high else "<"

    key = interval(draw, low, high, has_low=has_low, has_high=has_high)
    opposite = interval(draw, low, high, has_low=not has_low, has_high=not has_high)
    exercise = draw.exercise(
        "interval_of_two",
        low=low,
        left=left,
        right=right,
        high=high,
        v1=_explain_bound(draw, low, is_included=has_low),
        v2=_explain_bound(draw, high, is_included=has_high),
    )
    return exercise.choice(
        key,
        (opposite, "bounds-swapped" if has_low != has_high else "bound"),
        (interval(draw, low, high, has_low=has_low, has_high=not has_high), "bound"),
        (interval(draw, low, high, has_low=not has_low, has_high=has_high), "bound"),
    )


def _combine_intervals(draw: Draw) -> Item:
    """The intersection or the union of two intervals that overlap."""
    a = draw.between(-9, 0)
    c = a + draw.between(1, 4)
    b = c + draw.between(1, 5)
    d = b + draw.between(1, 4)
    first_closed, second_closed = draw.one_of((True, False)), draw.one_of((True, False))
    first = interval(draw, a, b, has_low=first_closed, has_high=not first_closed)
    second = interval(draw, c, d, has_low=second_closed, has_high=not second_closed)
    common = interval(draw, c, b, has_low=second_closed, has_high=not first_closed)
    whole = interval(draw, a, d, has_low=first_closed, has_high=not second_closed)
    meets = draw.one_of((True, False))
    if meets:
        key, other, sign = common, (whole, "union"), "\\cap"
        bracket = interval(draw, c, b, has_low=not second_closed, has_high=first_closed)
        part = interval(draw, a, c, has_low=first_closed, has_high=not second_closed)
    else:
        key, other, sign = whole, (common, "intersection"), "\\cup"
        bracket = interval(draw, a, d, has_low=not first_closed, has_high=second_closed)
        part = interval(draw, a, c, has_low=first_closed, has_high=not second_closed)
    exercise = draw.exercise(
        "combine_intervals",
        first=first,
        second=second,
        sign=sign,
        v1=_hints_to_combine(draw, meets=meets),
        a=a,
        c=c,
        b=b,
        d=d,
        meets=meets,
    )
    return exercise.choice(key, other, (bracket, "bracket-changed"), (part, "one-part"))


def _hints_to_combine(draw: Draw, *, meets: bool) -> list[str]:
    draw_it = draw.say(
        "Dessine $I$ et $J$ en deux couleurs sur la même droite graduée.",
        "Draw $I$ and $J$ in two colours on the same number line.",
    )
    if meets:
        return [
            draw_it,
            draw.say(
                "$I \\cap J$ : les nombres coloriés deux fois.",
                "$I \\cap J$: the numbers coloured twice.",
            ),
        ]
    return [
        draw_it,
        draw.say(
            "$I \\cup J$ : les nombres coloriés au moins une fois.",
            "$I \\cup J$: the numbers coloured at least once.",
        ),
    ]


@generates("maths.inequality-first-degree", "2nde")
def inequality_first_degree(draw: Draw) -> Item:
    """A positive coefficient, then a negative one, then `x` on both sides and an interval."""
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
    """The item of `left sign right`, two expressions that are equal at `root`."""
    relation = f"{polynomial_maths(left)} {_LATEX[sign]} {polynomial_maths(right)}"
    factor = left[1] - right[1]
    end = _FLIPPED[sign] if factor < 0 else sign
    wants_set = right[1] != 0

    def write(direction: str, bound: int) -> str:
        return _ray(draw, direction, bound) if wants_set else f"x {direction} {bound}"

    exercise = draw.exercise(
        "solve_inequality",
        relation=relation,
        v1=_solve_steps(draw, sign, left, right, write(end, root)),
    )
    return exercise.choice(
        write(end, root),
        (write(_FLIPPED[end], root), "not-flipped"),
        (write(end, -root), "sign-of-bound"),
        (write(end, factor * root - factor), "subtracted"),
        (write(_FLIPPED[end], -root), "direction-and-sign"),
    )


def _solve_steps(
    draw: Draw, sign: str, left: tuple[int, int], right: tuple[int, int], key: str
) -> list[str]:
    factor, number = left[1] - right[1], right[0] - left[0]
    latex = _LATEX[sign]
    end = _LATEX[_FLIPPED[sign]] if factor < 0 else latex
    solved = f"x {end} {number // factor}"
    moved = continue_sum(polynomial_maths((0, -right[1])))
    turns = draw.say(", le sens change", ", the direction changes") if factor < 0 else ""
    steps = [
        f"${polynomial_maths((0, left[1]))} {moved} {latex} {right[0]} {signed(-left[0])}$"
        if right[1]
        else f"${polynomial_maths((0, factor))} {latex} {right[0]} {signed(-left[0])}$",
        f"${polynomial_maths((0, factor))} {latex} {number}$",
        draw.say(
            f"On divise par ${factor}${turns} : ${solved}$.",
            f"We divide by ${factor}${turns}: ${solved}$.",
        ),
    ]
    return [*steps, f"$S = {set_maths(key)}$"] if right[1] else steps

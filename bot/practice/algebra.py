"""Exercises on values of expressions (5e), expanding, factorising, equations (4e, 3e), intervals,
inequalities (2nde)."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Final

from bot.practice.generator import Draw, Item, Number, Wrong, generates
from bot.practice.notation import (
    INFINITY,
    MINUS_INFINITY,
    RELATIONS,
    Pair,
    interval,
    solution_set,
    write_maths,
    write_polynomial,
)


def plain(written: str) -> str:
    """Write the LaTeX of a polynomial as people type it: `3x^2-5x+1`."""
    return written.replace(" ", "")


def option(*coefficients: int) -> str:
    """Write a polynomial as an option of a choice."""
    return f"${write_polynomial(*coefficients)}$"


# Values of expressions ----------------------------------------------------------------------------


@generates("maths.literal-expression", "5e")
def literal_expression(draw: Draw) -> Item:
    """Ask for the value of `ax + b`, then of one with a square or a bracket, then with two
    letters."""
    usual = draw.one_of((_evaluate_square, _evaluate_bracket))
    hard = draw.one_of((_evaluate_two_letters, _count_earnings))
    return draw.by_level(_evaluate_sum, usual, hard)(draw)


def _evaluate_sum(draw: Draw) -> Item:
    a, x = draw.random.sample(range(2, 10), 2)
    b = draw.one_of([n for n in range(2, 16) if n not in (a, x)])
    return draw.exercise("evaluate_sum", a=a, b=b, x=x).choice(
        a * x + b,
        (int(f"{a}{x}") + b, "letter-replaced-by-a-digit"),
        (a * (x + b), "added-first"),
        (a + x + b, "product-taken-for-a-sum"),
    )


def _evaluate_square(draw: Draw) -> Item:
    a, x, b = draw.between(2, 5), draw.between(3, 6), draw.between(2, 15)
    return draw.exercise("evaluate_square", a=a, b=b, x=x).choice(
        a * x * x + b,
        ((a * x) ** 2 + b, "factor-squared-too"),
        (2 * a * x + b, "square-taken-for-a-double"),
        (a * x + b, "square-forgotten"),
    )


def _evaluate_bracket(draw: Draw) -> Item:
    a, b, x = draw.between(3, 7), draw.between(2, 9), draw.between(3, 8)
    c = draw.one_of([n for n in (2, 3, 4) if n != a])
    return draw.exercise("evaluate_bracket", a=a, b=b, c=c, x=x).choice(
        a * (x + b) - c * x,
        (a * x + b - c * x, "brackets-left-out"),
        (a * (x + b) - int(f"{c}{x}"), "letter-replaced-by-a-digit"),
        (a * (x + b) - c - x, "last-product-taken-for-a-sum"),
        (a * (x + b), "stopped-early"),
    )


def _evaluate_two_letters(draw: Draw) -> Item:
    a, x = draw.random.sample(range(2, 8), 2)
    b = draw.between(2, 5)
    y = draw.one_of([n for n in range(b + 2, 12) if n != x])
    return draw.exercise("evaluate_two_letters", a=a, b=b, x=x, y=y).open(
        a * x * (y - b),
        (a * x * y - b, "brackets-left-out"),
        (a * y * (x - b), "letters-swapped"),
        (a * x + y - b, "bracket-added"),
        (int(f"{a}{x}") * (y - b), "letter-replaced-by-a-digit"),
    )


def _count_earnings(draw: Draw) -> Item:
    (one, a), (other, b) = draw.random.sample(
        (
            (("beignets", "doughnuts"), 50),
            (("mangues", "mangoes"), 150),
            (("papayes", "papayas"), 300),
            (("sachets de bissap", "bags of hibiscus drink"), 100),
        ),
        2,
    )
    x, y = draw.random.sample(range(4, 13), 2)
    return draw.exercise("count_earnings", one=one, a=a, other=other, b=b, x=x, y=y).open(
        a * x + b * y,
        (a * y + b * x, "letters-swapped"),
        (a + b + x + y, "product-taken-for-a-sum"),
        (a * x, "stopped-early"),
        unit="FCFA",
    )


# Expanding ----------------------------------------------------------------------------------------


@generates("maths.expand-simple", "4e")
def expand_simple(draw: Draw) -> Item:
    """Ask to expand `k(x + b)`, then `k(ax - b)`, then to expand and reduce two brackets."""
    if draw.difficulty == 3:
        return _expand_and_reduce(draw)
    k, b = draw.between(2, 9), draw.between(2, 9)
    a = draw.by_level(1, draw.between(2, 6), 1)
    b = -b if draw.difficulty == 2 and draw.flip() else b
    k = -k if draw.difficulty == 2 and draw.flip() else k
    inside = write_polynomial(a, b)
    sign = "-" if b < 0 else "+"
    return draw.exercise("expand_simple", k=k, inside=inside, a=a, b=b, sign=sign).choice(
        option(k * a, k * b), *_wrong_for_one_bracket(k, a, b)
    )


def _wrong_for_one_bracket(k: int, a: int, b: int) -> list[Wrong]:
    """List wrong expansions of `k(ax + b)`."""
    return [
        (option(k * a, b), "second-term-forgotten"),
        (option(k * a, -k * b), "wrong-sign")
        if k < 0 or b < 0
        else (option(k + a, k + b), "added-instead-of-multiplied"),
        (option(k * a + k * b, 0), "unlike-terms-combined"),
        (option(a, k * b), "first-term-forgotten"),
    ]


def _expand_and_reduce(draw: Draw) -> Item:
    """Ask to reduce `k(ax + b) - m(cx + d)`, with a positive coefficient of `x` in the result."""
    k, a, b = draw.between(3, 6), draw.between(3, 5), draw.between(1, 7)
    m, c, d = draw.between(2, 4), draw.between(1, 2), draw.sign() * draw.between(1, 6)
    b = draw.one_of((b, -b))
    b = -b if k * b == m * d else b  # the constant is not 0, so that no step shows the result
    exercise = draw.exercise("expand_and_reduce", k=k, a=a, b=b, m=m, c=c, d=d)
    return exercise.open(
        plain(write_polynomial(k * a - m * c, k * b - m * d)),
        (
            plain(write_polynomial(k * a - m * c, k * b + m * d)),
            "minus-sign-on-the-first-term-only",
        ),
        (plain(write_polynomial(k * a - m * c, b - d)), "only-one-term-multiplied"),
        kind="expression",
    )


@generates("maths.expand-double", "3e")
def expand_double(draw: Draw) -> Item:
    """Ask to expand `(x + a)(x + b)`, then a remarkable identity, then `(ax + b)(cx + d)`."""
    if draw.difficulty == 2:
        return _expand_identity(draw)
    a, c = draw.by_level(1, 1, draw.between(2, 5)), draw.by_level(1, 1, draw.between(2, 4))
    b, d = draw.between(2, 9), draw.between(1, 8)
    b = draw.one_of((b, -b)) if draw.difficulty == 3 else b
    d = -d if draw.difficulty == 3 else draw.one_of((d, -d))
    d = d - 1 if abs(a * d) == abs(b * c) else d
    key = (a * c, a * d + b * c, b * d)
    wrong = [
        ((a * c, 0, b * d), "middle-terms-forgotten"),
        ((a * c, a * d + b * c, b + d), "numbers-added"),
        ((a * c, a * d - b * c, b * d), "sign-of-a-middle-product")
        if b < 0 or d < 0
        else ((a * c, b * d, b + d), "sum-and-product-swapped"),
        ((a * c, a * d + b * c, -b * d), "sign-of-the-last-product"),
    ]
    exercise = draw.exercise("expand_double", a=a, b=b, c=c, d=d)
    if draw.difficulty == 3:
        typed = [(plain(write_polynomial(*each)), mistake) for each, mistake in wrong]
        return exercise.open(plain(write_polynomial(*key)), *typed, kind="expression")
    return exercise.choice(option(*key), *[(option(*each), mistake) for each, mistake in wrong])


def _expand_identity(draw: Draw) -> Item:
    """Ask to expand `(ax + b)²`, `(ax - b)²` or `(ax + b)(ax - b)`."""
    a = draw.between(1, 5)
    b = draw.one_of([each for each in range(2, 10) if gcd(a, each) == 1])
    form = draw.one_of(("plus", "minus", "both"))
    left, right = write_polynomial(a, b), write_polynomial(a, -b)
    written, key, identity = {
        "plus": (f"({left})^2", (a * a, 2 * a * b, b * b), "(a + b)^2 = a^2 + 2ab + b^2"),
        "minus": (f"({right})^2", (a * a, -2 * a * b, b * b), "(a - b)^2 = a^2 - 2ab + b^2"),
        "both": (f"({left})({right})", (a * a, 0, -b * b), "(a + b)(a - b) = a^2 - b^2"),
    }[form]
    sign = 2 if form == "minus" else -2
    wrong = [
        (option(a * a, -sign * a * b, -b * b), "sign-of-the-square"),
        (option(a * a, 0, b * b), "double-product-forgotten"),
        (option(a * a, sign * a * b, b * b), "sign-of-the-double-product"),
    ]
    if form == "both":
        wrong = _wrong_for_sum_times_difference(a, b)
    exercise = draw.exercise(
        "expand_identity", written=written, identity=identity, a=a, b=b, key=key
    )
    return exercise.choice(option(*key), *wrong)


def _wrong_for_sum_times_difference(a: int, b: int) -> list[Wrong]:
    """List wrong expansions of `(ax + b)(ax - b)`."""
    return [
        (option(a * a, 0, b * b), "sign-of-the-last-term"),
        (option(a * a, 2 * a * b, -b * b), "double-product-too-many"),
        (option(a * a, -2 * a * b, b * b), "taken-for-a-square"),
    ]


# Factorising --------------------------------------------------------------------------------------


@generates("maths.factor-identities", "3e")
def factor_identities(draw: Draw) -> Item:
    """Ask to factor `x² - b²` or `b² - x²`, then `x² ± 2bx + b²`, then either of the first and the
    last with a coefficient of `x²`."""
    if draw.difficulty == 1 and draw.flip():
        return _factor_square_minus_x(draw)
    a = draw.by_level(1, 1, draw.between(2, 5))
    b = draw.one_of([each for each in range(2, 13) if gcd(a, each) == 1])
    form = draw.by_level("both", draw.one_of(("plus", "minus")), "")
    form = form or draw.one_of(("plus", "minus", "both"))
    left, right = f"({write_polynomial(a, b)})", f"({write_polynomial(a, -b)})"
    middle = {"plus": 2 * a * b, "minus": -2 * a * b, "both": 0}[form]
    written = write_polynomial(a * a, middle, -b * b if form == "both" else b * b)
    answers = {"plus": f"{left}^2", "minus": f"{right}^2", "both": f"{left}{right}"}
    key = answers[form]
    identity = {
        "plus": "a^2 + 2ab + b^2 = (a + b)^2",
        "minus": "a^2 - 2ab + b^2 = (a - b)^2",
        "both": "a^2 - b^2 = (a + b)(a - b)",
    }[form]
    last = b * b if a == 1 else b
    stray = (
        f"({write_polynomial(a, last)})({write_polynomial(a, -last)})"
        if form == "both"
        else f"({write_polynomial(a, last)})^2"
    )
    if a > 1:
        stray = stray.replace(write_polynomial(a, 0), write_polynomial(a * a, 0))
    exercise = draw.exercise(
        "factor_identities", written=written, identity=identity, a=a, b=b, key=key
    )
    return exercise.choice(
        f"${key}$",
        *[(f"${answers[other]}$", f"mixed-up-with-{other}") for other in answers if other != form],
        (f"${stray}$", "square-root-forgotten"),
    )


def _factor_square_minus_x(draw: Draw) -> Item:
    """Ask to factor `b² - x²`."""
    b = draw.between(2, 12)
    key = f"({b} + x)({b} - x)"
    exercise = draw.exercise("factor_square_minus_x", written=f"{b * b} - x^2", b=b, key=key)
    return exercise.choice(
        f"${key}$",
        (f"$({b} - x)^2$", "mixed-up-with-minus"),
        (f"$({b} + x)^2$", "mixed-up-with-plus"),
        (f"$({b * b} + x)({b * b} - x)$", "square-root-forgotten"),
    )


# Equations ----------------------------------------------------------------------------------------


@generates("maths.equation-first-degree", "4e")
def solve_first_degree(draw: Draw) -> Item:
    """Ask to solve `ax + b = c`, then with `x` on both sides, then with brackets or a problem."""
    if draw.difficulty == 3:
        return draw.one_of((_solve_with_brackets, _solve_taxi_fare))(draw)
    a, b = draw.between(3, 9), draw.sign() * draw.between(2, 12)
    c = draw.by_level(0, draw.between(2, a - 1), 0)
    solution = draw.between(2, 9)
    solution = -solution if draw.difficulty == 2 and draw.flip() else solution
    b = -b if (a - c) * solution == -b else b  # no side is zero, or without a number
    d = (a - c) * solution + b
    return draw.exercise("first_degree", a=a, b=b, c=c, d=d, solution=solution).choice(
        f"$x = {solution}$",
        (_equal(Fraction(d + b, a - c)), "sign-not-changed-when-moving"),
        (_equal(d - b) if a - c != 1 else None, "division-forgotten"),
        (_equal(Fraction(d - b, a + c)), "terms-in-x-added"),
        (_equal(d - b - (a - c)) if a - c != 1 else None, "subtracted-instead-of-divided"),
        (_equal(Fraction(b - d, a - c)), "sign-of-the-solution"),
    )


def _equal(value: Number) -> Pair:
    french, english = (write_maths(value, language) for language in ("fr", "en"))
    return f"$x = {french}$", f"$x = {english}$"


def _solve_with_brackets(draw: Draw) -> Item:
    """Ask to solve `k(x + b) = mx + n`, with a whole or simple fractional solution."""
    k, b = draw.between(3, 7), draw.sign() * draw.between(1, 6)
    m = k - draw.one_of((1, 2, 4))
    m = m if m else -1
    n = draw.sign() * draw.between(1, 15)
    solution = Fraction(n - k * b, k - m)
    return draw.exercise("equation_with_brackets", k=k, b=b, m=m, n=n).open(
        solution,
        (Fraction(n - b, k - m), "only-one-term-expanded"),
        (Fraction(n + k * b, k - m), "sign-not-changed"),
    )


def _solve_taxi_fare(draw: Draw) -> Item:
    start, per_km = draw.one_of((300, 400, 500, 600)), draw.one_of((150, 200, 250, 350))
    km = draw.between(4, 15)
    paid = start + per_km * km
    return draw.exercise("taxi_fare", start=start, per_km=per_km, paid=paid).open(
        km,
        (Fraction(paid + start, per_km), "start-added"),
        (Fraction(paid, per_km), "start-forgotten"),
        unit="km",
    )


@generates("maths.product-equation", "3e")
def solve_product_equation(draw: Draw) -> Item:
    """Ask to solve `(x - a)(x + b) = 0`, then with coefficients of `x`, then after factoring."""
    if draw.difficulty == 3:
        return draw.one_of((_solve_after_factoring, _solve_square))(draw)
    b, d = draw.sign() * draw.between(1, 9), draw.sign() * draw.between(2, 9)
    a, c = draw.by_level((1, 1), (draw.between(2, 5), draw.one_of((1, 2, 3))), (1, 1))
    one, two = Fraction(-b, a), Fraction(-d, c)
    if abs(one) == abs(two):
        b += 1 if b > 0 else -1
        one = Fraction(-b, a)
    key = solution_set([one, two])
    wrong = [
        (solution_set([-one, -two]), "signs-reversed"),
        (solution_set([one]), "one-factor-forgotten"),
        (solution_set([one, -two]), "one-sign-reversed"),
    ]
    exercise = draw.exercise("product_equation", a=a, b=b, c=c, d=d, one=one, two=two)
    return (
        exercise.open(key, *wrong, kind="set")
        if draw.difficulty == 2
        else exercise.choice(key, *wrong)
    )


def _solve_after_factoring(draw: Draw) -> Item:
    """Ask to solve `(x + a)(bx + c) + (x + a)(dx + e) = 0`."""
    a, b, d = draw.sign() * draw.between(1, 7), draw.between(1, 3), draw.between(1, 2)
    other = draw.one_of([n for n in range(-6, 7) if n not in (0, -a, a)])
    c = draw.one_of([n for n in range(-9, 10) if n and n != -(b + d) * other])
    e = -(b + d) * other - c
    return draw.exercise("equation_to_factor", a=a, b=b, c=c, d=d, e=e).open(
        solution_set([-a, other]),
        (solution_set([a, other]), "sign-of-one-solution"),
        (solution_set([other]), "common-factor-forgotten"),
        kind="set",
    )


def _solve_square(draw: Draw) -> Item:
    """Ask to solve `x² = b²` or `x² = bx`, which both have two solutions."""
    b = draw.between(3, 12)
    is_square = draw.flip()
    return draw.exercise("square_equation", b=b, is_square=is_square).open(
        solution_set([-b if is_square else 0, b]),
        (solution_set([b]), "one-solution-forgotten"),
        kind="set",
    )


# Intervals and inequalities -----------------------------------------------------------------------

_SIGNS: Final = ("<", "≤", ">", "≥")
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
        relation=RELATIONS[sign],
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
    has_low = draw.flip()
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
    first_closed, second_closed = draw.flip(), draw.flip()
    first = interval(a, b, has_low=first_closed, has_high=not first_closed)
    second = interval(c, d, has_low=second_closed, has_high=not second_closed)
    common = interval(c, b, has_low=second_closed, has_high=not first_closed)
    whole = interval(a, d, has_low=first_closed, has_high=not second_closed)
    part = interval(a, c, has_low=first_closed, has_high=not second_closed)
    meets = draw.flip()
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
    root = draw.signed(1, 9)
    sign = draw.one_of(_SIGNS)
    factor, moved = draw.between(2, 6), 0
    if draw.difficulty > 1:
        factor = -factor
    if draw.difficulty > 2:
        moved = draw.between(7, 9) if draw.flip() else -draw.between(1, 6)
    constant = draw.signed(1, 9)
    constant = -constant if constant == -factor * root else constant  # no side is without a number
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
        sign=RELATIONS[sign],
        end=RELATIONS[end],
        factor=factor,
        number=number,
    )
    return exercise.choice(
        write(end, root),
        (write(_FLIPPED[end], root), "not-flipped"),
        (write(end, -root), "sign-of-bound"),
        (write(end, factor * root - factor), "factor-subtracted"),
        (write(_FLIPPED[end], -root), "direction-and-sign"),
    )

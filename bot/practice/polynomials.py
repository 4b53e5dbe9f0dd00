"""Exercises on quadratics and derivatives in 1re, primitives in Terminale."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bot.practice.generator import Draw, Exercise, Item, generates
from bot.practice.notation import (
    INFINITY,
    MINUS_INFINITY,
    RELATIONS,
    Pair,
    in_brackets,
    interval,
    polynomial_maths,
    polynomial_text,
    raise_maths,
    solution_set,
)


@generates("maths.quadratic-equation", "1re")
def quadratic_equation(draw: Draw) -> Item:
    """Ask for the discriminant, then whole solutions, then a leading coefficient that is not 1."""
    return draw.by_level(_discriminant, _whole_roots, _rational_roots)(draw)


def _discriminant(draw: Draw) -> Item:
    a, b, c = draw.between(1, 3), draw.signed(3, 9), draw.signed(1, 6)
    key = b * b - 4 * a * c
    return draw.exercise("discriminant", a=a, b=b, c=c).choice(
        key,
        (b * b + 4 * a * c, "plus-four-ac"),
        (-b * b - 4 * a * c if b < 0 else None, "negative-square"),
        (2 * b - 4 * a * c, "b-not-squared"),
        (b * b - a * c, "factor-four"),
    )


def _whole_roots(draw: Draw) -> Item:
    first = draw.signed(1, 7)
    second = draw.one_of([n for n in range(-7, 8) if n not in (0, first, -first)])
    roots = [Fraction(first), Fraction(second)]
    exercise = draw.exercise(
        "solve_quadratic", a=1, b=-(first + second), c=first * second, roots=roots
    )
    return exercise.choice(
        solution_set(roots),
        (solution_set([-first, -second]), "root-signs"),
        (solution_set([2 * first, 2 * second]), "not-halved"),
        (solution_set([first, -second]), "one-root-sign"),
    )


def _rational_roots(draw: Draw) -> Item:
    """Ask to solve `(px - q)(x - r) = 0`, expanded; the solutions are typed."""
    p = draw.one_of((2, 3, 5))
    q = draw.one_of([n for n in range(-7, 8) if n % p])
    r = draw.signed(1, 4)
    roots = [Fraction(q, p), Fraction(r)]
    return draw.exercise("solve_quadratic", a=p, b=-(p * r + q), c=q * r, roots=roots).open(
        solution_set(roots),
        (solution_set([-root for root in roots]), "root-signs"),
        (solution_set([p * root for root in roots]), "halved-only"),
        (solution_set([2 * p * root for root in roots]), "not-halved"),
        kind="set",
    )


@generates("maths.quadratic-sign", "1re")
def quadratic_sign(draw: Draw) -> Item:
    """Ask where a product is positive or negative, then to solve an inequality with a leading
    coefficient 1, then with another one or no root."""
    roots = [n for n in range(-6, 8) if n]
    low, high = draw.one_of([(m, n) for m in roots for n in roots if 1 < n - m < 9 and m + n])
    hard = draw.one_of((_solve_inequality, _without_roots))
    return draw.by_level(_sign_of_product, _solve_inequality, hard)(draw, low, high)


def _outside(low: int, high: int, *, closed: bool) -> Pair:
    """Return the numbers below the lower and above the higher one, which belong to it if closed."""
    below = interval(MINUS_INFINITY, low, has_high=closed)
    above = interval(high, INFINITY, has_low=closed)
    return f"{below[0]} ∪ {above[0]}", f"{below[1]} ∪ {above[1]}"


def _ask_sign(exercise: Exercise, low: int, high: int, *, is_outside: bool, closed: bool) -> Item:
    """Ask for the numbers between two roots or for all others."""

    def between(low: int, high: int, *, closed: bool) -> Pair:
        return interval(low, high, has_low=closed, has_high=closed)

    right, wrong = (_outside, between) if is_outside else (between, _outside)
    return exercise.choice(
        right(low, high, closed=closed),
        (wrong(low, high, closed=closed), "inside-and-outside-swapped"),
        (right(low, high, closed=not closed), "bounds-of-the-inequality"),
        (right(-high, -low, closed=closed), "signs-of-the-roots"),
    )


def _sign_of_product(draw: Draw, low: int, high: int) -> Item:
    a = draw.one_of((1, 2, 3, -1, -2, -3))
    asks_positive = draw.flip()
    factors = [f"({polynomial_maths((-root, 1))})" for root in (low, high)]
    draw.random.shuffle(factors)
    front = {1: "", -1: "-"}.get(a, str(a))
    is_outside = (a > 0) == asks_positive
    exercise = draw.exercise(
        "sign_of_product",
        a=a,
        product=front + "".join(factors),
        asks_positive=asks_positive,
        low=low,
        high=high,
        is_outside=is_outside,
    )
    return _ask_sign(exercise, low, high, is_outside=is_outside, closed=False)


def _solve_inequality(draw: Draw, low: int, high: int) -> Item:
    a = 1 if draw.difficulty == 2 else draw.one_of((-1, -2, 2))
    sign = draw.one_of(tuple(RELATIONS))
    is_outside = (a > 0) == (sign in ">≥")
    exercise = draw.exercise(
        "solve_quadratic_inequality",
        a=a,
        b=-a * (low + high),
        c=a * low * high,
        relation=RELATIONS[sign],
        low=low,
        high=high,
        is_outside=is_outside,
        is_positive=sign in ">≥",
    )
    return _ask_sign(exercise, low, high, is_outside=is_outside, closed=sign in "≤≥")


def _without_roots(draw: Draw, low: int, high: int) -> Item:
    """Ask to solve an inequality with `a((x - low)² + rest)`, which has one sign everywhere."""
    a, rest = draw.sign(), high - low
    sign = draw.one_of(tuple(RELATIONS))
    b, c = -2 * a * low, a * (low * low + rest)
    holds = (a > 0) == (sign in ">≥")
    key, other = ("ℝ", "∅") if holds else ("∅", "ℝ")
    exercise = draw.exercise(
        "solve_without_roots",
        a=a,
        b=b,
        c=c,
        delta=b * b - 4 * a * c,
        relation=RELATIONS[sign],
        holds=holds,
    )
    return exercise.choice(
        key,
        (other, "sign-of-a"),
        (_outside(*sorted((low - rest, low + rest)), closed=False), "roots-where-there-are-none"),
        (interval(low - rest, low + rest), "roots-where-there-are-none"),
    )


def derive(coefficients: Sequence[int]) -> tuple[int, ...]:
    """Return the coefficients of the derivative."""
    return tuple(n * factor for n, factor in enumerate(coefficients))[1:]


@generates("maths.derivative-polynomial", "1re")
def derivative_polynomial(draw: Draw) -> Item:
    """Ask for the derivative of degree two, then of degree three, then of a product."""
    if draw.difficulty > 2:
        return _derivative_of_product(draw)
    leading = draw.signed(2, 6)
    constant = draw.signed(1, 9)
    linear = draw.signed(2, 9)
    if draw.difficulty == 1:
        return _derivative_of(draw, (constant, linear, leading))
    return _derivative_of(draw, (constant, linear, draw.between(2, 5), leading))


def _derivative_of(draw: Draw, f: tuple[int, ...]) -> Item:
    result = derive(f)
    same_powers = (f[1], 0, *(n * f[n] for n in range(2, len(f))))
    terms = [
        f"$({polynomial_maths((0,) * n + (f[n],))})' = {n} \\times {in_brackets(f[n])}"
        f"{raise_maths('x', n - 1)} = {polynomial_maths((0,) * (n - 1) + (n * f[n],))}$"
        for n in range(len(f) - 1, 1, -1)
    ]
    return draw.exercise("derivative", f=f, terms=terms, result=result).choice(
        polynomial_text(result),
        (polynomial_text((result[0] + f[0], *result[1:])), "constant-kept"),
        (polynomial_text(f[1:]), "not-multiplied"),
        (polynomial_text(same_powers), "not-lowered"),
        (polynomial_text((0, *result[1:])), "linear-term"),
    )


def _derivative_of_product(draw: Draw) -> Item:
    """Ask for the derivative of `(ax² + b)(cx + d)`, typed in any form."""
    a, c = draw.between(1, 4), draw.signed(1, 4)
    b, d = (draw.signed(1, 6) for _ in "bd")
    result = (b * c, 2 * a * d, 3 * a * c)
    return draw.exercise("derivative_of_product", a=a, b=b, c=c, d=d).open(
        polynomial_text(result),
        (polynomial_text((0, 2 * a * c)), "product-of-derivatives"),
        (polynomial_text((0, 2 * a * d, 2 * a * c)), "half-of-product"),
        (polynomial_text((b * c, 0, a * c)), "half-of-product"),
        kind="expression",
    )


@generates("maths.primitive-polynomial", "Terminale")
def primitive_polynomial(draw: Draw) -> Item:
    """Ask for a primitive of degree one, then two, then with a given value at a point."""
    constant = draw.signed(2, 9)
    linear = draw.signed(1, 5)
    if draw.difficulty == 1:
        return _any_primitive(draw, (0, constant, linear))
    primitive = (0, constant, linear, draw.signed(1, 4))
    if draw.difficulty == 2:
        return _any_primitive(draw, primitive)
    return _primitive_with_value(draw, primitive)


def _primitive_steps(f: Sequence[int]) -> list[str]:
    """Write each term with a primitive of it."""
    return [
        f"${polynomial_maths((0,) * n + (f[n],))} \\to "
        f"{polynomial_maths((0,) * (n + 1) + (f[n] // (n + 1),))}$"
        for n in range(len(f) - 1, -1, -1)
    ]


def _any_primitive(draw: Draw, primitive: tuple[int, ...]) -> Item:
    f = derive(primitive)
    return draw.exercise("primitive", f=f, terms=_primitive_steps(f), primitive=primitive).choice(
        polynomial_text(primitive),
        (polynomial_text((0, *f)), "not-divided"),
        (polynomial_text((f[0], 0, *primitive[2:])), "constant-term"),
        (polynomial_text(derive(f)), "derived"),
        (polynomial_text(primitive[1:]), "powers-kept"),
    )


def _primitive_with_value(draw: Draw, primitive: tuple[int, ...]) -> Item:
    at, added = draw.one_of((-1, 1, 2)), draw.signed(1, 9)
    f = derive(primitive)
    before = sum(factor * at**n for n, factor in enumerate(primitive))
    value = before + added
    key = (added, *primitive[1:])
    exercise = draw.exercise(
        "primitive_with_value",
        f=f,
        terms=_primitive_steps(f),
        at=at,
        before=before,
        added=added,
        primitive=key,
    )
    return exercise.open(
        polynomial_text(key),
        (polynomial_text(primitive), "condition-ignored"),
        (polynomial_text((value, *primitive[1:])), "value-as-constant"),
        (polynomial_text(derive(f)), "derived"),
        kind="expression",
    )

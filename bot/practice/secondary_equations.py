"""Equations, systems and functions of the first degree (4e, 3e)."""

from __future__ import annotations

from fractions import Fraction

from bot.practice.generator import Draw, Item, Number, generates
from bot.practice.notation import solution_set

# Equations ----------------------------------------------------------------------------------------


@generates("maths.equation-first-degree", "4e")
def solve_first_degree(draw: Draw) -> Item:
    """`ax + b = c`, then `x` on both sides, then brackets or a problem."""
    if draw.difficulty == 3:
        return draw.one_of((_solve_with_brackets, _solve_taxi_fare))(draw)
    a, b = draw.between(3, 9), draw.one_of((1, -1)) * draw.between(2, 12)
    c = draw.by_level(0, draw.between(2, a - 1), 0)
    solution = draw.between(2, 9)
    solution = -solution if draw.difficulty == 2 and draw.one_of((True, False)) else solution
    d = a * solution + b - c * solution

    exercise = draw.exercise("first_degree", a=a, b=b, c=c, d=d, solution=solution)
    return exercise.choice(
        f"$x = {solution}$",
        (_equal(draw, Fraction(d + b, a - c)), "sign-not-changed-when-moving"),
        (_equal(draw, d - b) if a - c != 1 else None, "division-forgotten"),
        (_equal(draw, Fraction(d - b, a + c)), "terms-in-x-added"),
        (_equal(draw, d - b - (a - c)), "subtracted-instead-of-divided"),
        (_equal(draw, Fraction(b - d, a - c)), "wrong-sign"),
    )


def _equal(draw: Draw, value: Number) -> str:
    return f"$x = {draw.maths(value)}$"


def _solve_with_brackets(draw: Draw) -> Item:
    """`k(x + b) = mx + n`, with a whole or a simple fractional solution."""
    k, b = draw.between(3, 7), draw.one_of((1, -1)) * draw.between(1, 6)
    m = k - draw.one_of((1, 2, 4))
    m = m if m else -1
    n = draw.one_of((1, -1)) * draw.between(1, 15)
    solution = Fraction(n - k * b, k - m)
    exercise = draw.exercise("equation_with_brackets", k=k, b=b, m=m, n=n)
    return exercise.open(
        solution,
        (Fraction(n - b, k - m), "only-one-term-expanded"),
        (Fraction(n + k * b, k - m), "sign-not-changed"),
    )


def _solve_taxi_fare(draw: Draw) -> Item:
    start, per_km = draw.one_of((300, 400, 500, 600)), draw.one_of((150, 200, 250, 350))
    km = draw.between(4, 15)
    paid = start + per_km * km
    exercise = draw.exercise("taxi_fare", start=start, per_km=per_km, paid=paid)
    return exercise.open(
        km,
        (Fraction(paid + start, per_km), "start-added"),
        (Fraction(paid, per_km), "start-forgotten"),
        unit="km",
    )


@generates("maths.product-equation", "3e")
def solve_product_equation(draw: Draw) -> Item:
    """`(x - a)(x + b) = 0`, then coefficients before `x`, then a factor to find first."""
    if draw.difficulty == 3:
        return draw.one_of((_solve_after_factoring, _solve_square))(draw)
    b, d = draw.one_of((1, -1)) * draw.between(1, 9), draw.one_of((1, -1)) * draw.between(2, 9)
    a, c = draw.by_level((1, 1), (draw.between(2, 5), draw.one_of((1, 2, 3))), (1, 1))
    one, two = Fraction(-b, a), Fraction(-d, c)
    if abs(one) == abs(two):
        b += 1 if b > 0 else -1
        one = Fraction(-b, a)
    key = solution_set([one, two])
    wrong = [
        (solution_set([-one, -two]), "signs-reversed"),
        (solution_set([one]), "one-solution-forgotten-2"),
        (solution_set([one, -two]), "one-sign-reversed"),
    ]
    exercise = draw.exercise("product_equation", a=a, b=b, c=c, d=d, one=one, two=two)
    return (
        exercise.open(key, *wrong, kind="set")
        if draw.difficulty == 2
        else exercise.choice(key, *wrong)
    )


def _solve_after_factoring(draw: Draw) -> Item:
    """`(x + a)(bx + c) + (x + a)(dx + e) = 0`."""
    a, b, d = draw.one_of((1, -1)) * draw.between(1, 7), draw.between(1, 3), draw.between(1, 2)
    other = draw.one_of([n for n in range(-6, 7) if n not in (0, -a, a)])
    c = draw.one_of([n for n in range(-9, 10) if n and n != -(b + d) * other])
    e = -(b + d) * other - c
    exercise = draw.exercise("equation_to_factor", a=a, b=b, c=c, d=d, e=e)
    return exercise.open(
        solution_set([-a, other]),
        (solution_set([a, other]), "sign-of-one-solution"),
        (solution_set([other]), "common-factor-forgotten"),
        kind="set",
    )


def _solve_square(draw: Draw) -> Item:
    """`x² = b²` or `x² = bx`, which both have two solutions."""
    b = draw.between(3, 12)
    is_square = draw.one_of((True, False))
    return draw.exercise("square_equation", b=b, is_square=is_square).open(
        solution_set([-b if is_square else 0, b]),
        (solution_set([b]), "one-solution-forgotten"),
        kind="set",
    )

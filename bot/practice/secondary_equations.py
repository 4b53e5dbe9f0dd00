"""Equations, systems and functions of the first degree (4e, 3e)."""

from __future__ import annotations

from fractions import Fraction

from bot.practice.generator import Draw, Item, Number, Wrong, generates
from bot.practice.notation import write_polynomial

# Equations ----------------------------------------------------------------------------------------


def write_opposite(number: int) -> str:
    """What moving a term to the other side adds there: `- 5` for 5, `+ 5` for -5."""
    return f"- {number}" if number > 0 else f"+ {-number}"


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

    right = f"{d} {write_opposite(b)}"
    moved = f"{write_polynomial(a, 0)} - {write_polynomial(c, 0)} = {right}"
    divided, found = f"$x = {d - b} \\div {a - c}$,", f"$x = {solution}$."

    if draw.difficulty == 1:
        moved = f"{write_polynomial(a, 0)} = {right}"

    exercise = draw.exercise(
        "solve_first_degree",
        a=a,
        b=b,
        c=c,
        d=d,
        moved=moved,
        v1=draw.say("On isole le terme en $x$ : ", "Get the term in $x$ alone: ")
        if draw.difficulty == 1
        else draw.say(
            "On met les termes en $x$ d'un côté, les nombres de l'autre : ",
            "Bring the terms in $x$ to one side, the numbers to the other: ",
        ),
        divided=divided,
        found=found,
    )
    return exercise.choice(f"$x = {solution}$", *_wrong_for_an_equation(draw, a - c, b, d, a + c))


def _equal(draw: Draw, value: Number) -> str:
    return f"$x = {draw.maths(value)}$"


def _wrong_for_an_equation(draw: Draw, a: int, b: int, d: int, added: int) -> list[Wrong]:
    """Wrong solutions of `ax + b = d`, once the terms in `x` are on one side."""
    forgotten = (_equal(draw, d - b), "division-forgotten")
    return [
        (_equal(draw, Fraction(d + b, a)), "sign-not-changed-when-moving"),
        *([forgotten] if a != 1 else []),
        (_equal(draw, Fraction(d - b, added)), "terms-in-x-added"),
        (_equal(draw, d - b - a), "subtracted-instead-of-divided"),
        (_equal(draw, Fraction(b - d, a)), "wrong-sign"),
    ]


def _solve_with_brackets(draw: Draw) -> Item:
    """`k(x + b) = mx + n`, with a whole or a simple fractional solution."""
    k, b = draw.between(3, 7), draw.one_of((1, -1)) * draw.between(1, 6)
    m = k - draw.one_of((1, 2, 4))
    m = m if m else -1
    n = draw.one_of((1, -1)) * draw.between(1, 15)
    solution = Fraction(n - k * b, k - m)
    left, right = write_polynomial(1, b), write_polynomial(m, n)
    moved = f"{'-' if m > 0 else '+'} {write_polynomial(abs(m), 0)}"
    exercise = draw.exercise(
        "solve_with_brackets",
        k=k,
        left=left,
        right=right,
        b=b,
        moved=moved,
        n=n,
        m=m,
        solution=solution,
    )
    return exercise.open(
        solution,
        (Fraction(n - b, k - m), "only-one-term-expanded"),
        (Fraction(n + k * b, k - m), "sign-not-changed"),
    )


def _solve_taxi_fare(draw: Draw) -> Item:
    start, per_km = draw.one_of((300, 400, 500, 600)), draw.one_of((150, 200, 250, 350))
    km = draw.between(4, 15)
    paid = start + per_km * km
    first, each, total = (draw.maths(number) for number in (start, per_km, paid))
    exercise = draw.exercise(
        "solve_taxi_fare", first=first, each=each, total=total, paid=paid, start=start, km=km
    )
    return exercise.open(
        km,
        (Fraction(paid + start, per_km), "start-added"),
        (Fraction(paid, per_km), "start-forgotten"),
        unit="km",
    )


def write_set(draw: Draw, *solutions: Number) -> str:
    """A set of solutions in rising order: `{-2 ; 3}`."""
    return "{" + " ; ".join(draw.write(each) for each in sorted(set(solutions))) + "}"


def _ask_for_set(draw: Draw) -> str:
    return draw.say(
        "Écris l'ensemble des solutions sous la forme {… ; …}.",
        "Write the set of solutions in the form {… ; …}.",
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
    left, right = write_polynomial(a, b), write_polynomial(c, d)

    key = write_set(draw, one, two)
    or_ = draw.say("ou", "or")
    steps = [
        f"${left} = 0$ {or_} ${right} = 0$",
        f"$x = {draw.maths(one)}$ {or_} $x = {draw.maths(two)}$",
        draw.say(f"Les solutions : {key}.", f"The solutions: {key}."),
    ]
    wrong = [
        (write_set(draw, -one, -two), "signs-reversed"),
        (write_set(draw, one), "one-solution-forgotten-2"),
        (write_set(draw, one, -two), "one-sign-reversed"),
    ]
    if draw.difficulty == 2:
        exercise = draw.exercise(
            "solve_product_equation_1",
            left=left,
            right=right,
            ask_for_set=_ask_for_set(draw),
            steps=steps,
        )
        return exercise.open(key, *wrong, kind="set")
    return draw.exercise("solve_product_equation_2", left=left, right=right, steps=steps).choice(
        key, *wrong
    )


def _solve_after_factoring(draw: Draw) -> Item:
    """`(x + a)(bx + c) + (x + a)(dx + e) = 0`."""
    a, b, d = draw.one_of((1, -1)) * draw.between(1, 7), draw.between(1, 3), draw.between(1, 2)
    other = draw.one_of([n for n in range(-6, 7) if n not in (0, -a, a)])
    c = draw.one_of([n for n in range(-9, 10) if n and n != -(b + d) * other])
    e = -(b + d) * other - c
    factor, sum_ = write_polynomial(1, a), write_polynomial(b + d, c + e)
    left = f"({factor})({write_polynomial(b, c)}) + ({factor})({write_polynomial(d, e)})"
    key = write_set(draw, -a, other)
    exercise = draw.exercise(
        "solve_after_factoring", left=left, ask_for_set=_ask_for_set(draw), factor=factor, sum_=sum_
    )
    return exercise.open(
        key,
        (write_set(draw, a, other), "sign-of-one-solution"),
        (write_set(draw, other), "common-factor-forgotten"),
        kind="set",
    )


def _solve_square(draw: Draw) -> Item:
    """`x² = b²` or `x² = bx`, which both have two solutions."""
    b = draw.between(3, 12)
    if draw.one_of((True, False)):
        equation, factored, one = f"x^2 = {b * b}", f"(x + {b})(x - {b}) = 0", -b
        moved = f"x^2 - {b * b} = 0"
    else:
        equation, factored, one = f"x^2 = {b}x", f"x(x - {b}) = 0", 0
        moved = f"x^2 - {b}x = 0"
    key = write_set(draw, one, b)
    exercise = draw.exercise(
        "solve_square",
        equation=equation,
        ask_for_set=_ask_for_set(draw),
        factored=factored,
        moved=moved,
    )
    return exercise.open(key, (write_set(draw, b), "one-solution-forgotten"), kind="set")

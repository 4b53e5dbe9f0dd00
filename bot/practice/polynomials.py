"""Quadratic equations and derivatives in 1re, primitives in Terminale."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import (
    continue_sum,
    in_brackets,
    polynomial_maths,
    polynomial_text,
    raise_maths,
    set_maths,
    solution_set,
)


@generates("maths.quadratic-equation", "1re")
def quadratic_equation(draw: Draw) -> Item:
    """The discriminant, then whole solutions, then a leading coefficient that is not 1."""
    return draw.by_level(_discriminant, _whole_roots, _rational_roots)(draw)


def _discriminant(draw: Draw) -> Item:
    a, b, c = (
        draw.between(1, 3),
        draw.between(3, 9) * draw.one_of((1, -1)),
        draw.between(1, 6) * draw.one_of((1, -1)),
    )
    key = b * b - 4 * a * c
    square = (-b * b - 4 * a * c, "negative-square")
    return draw.exercise("discriminant", c_b_a=polynomial_maths((c, b, a)), a=a, b=b, c=c).choice(
        key,
        (b * b + 4 * a * c, "plus-four-ac"),
        *[square] if b < 0 else [],
        (2 * b - 4 * a * c, "b-not-squared"),
        (b * b - a * c, "factor-four"),
    )


def _ask_roots(draw: Draw, coefficients: Sequence[int]) -> str:
    return draw.say(
        f"Résous dans $\\mathbb{{R}}$ l'équation ${polynomial_maths(coefficients)} = 0$.",
        f"Solve in $\\mathbb{{R}}$ the equation ${polynomial_maths(coefficients)} = 0$.",
    )


def _root_steps(draw: Draw, a: int, b: int, c: int, roots: Sequence[Fraction]) -> list[str]:
    delta = b * b - 4 * a * c
    root_of_delta = int(abs(roots[0] - roots[1]) * a)
    solved = solution_set(roots)
    over = str(2 * a)
    return [
        f"$\\Delta = {in_brackets(b)}^2 - 4 \\times {a} \\times {in_brackets(c)} = {delta}$",
        f"$\\sqrt{{\\Delta}} = {root_of_delta}$",
        f"$x_1 = \\frac{{{-b} - {root_of_delta}}}{{{over}}} = {draw.maths(min(roots))}$",
        f"$x_2 = \\frac{{{-b} + {root_of_delta}}}{{{over}}} = {draw.maths(max(roots))}$",
        f"$S = {set_maths(solved)}$",
    ]


def _whole_roots(draw: Draw) -> Item:
    first = draw.between(1, 7) * draw.one_of((1, -1))
    second = draw.one_of([n for n in range(-7, 8) if n not in (0, first, -first)])

    roots = [Fraction(first), Fraction(second)]
    exercise = draw.exercise(
        "whole_roots",
        v1=_ask_roots(draw, (first * second, -(first + second), 1)),
        first=first,
        second=second,
        v2=_root_steps(draw, 1, -(first + second), first * second, roots),
    )
    return exercise.choice(
        solution_set(roots),
        (solution_set([-first, -second]), "root-signs"),
        (solution_set([2 * first, 2 * second]), "not-halved"),
        (solution_set([first, -second]), "one-root-sign"),
    )


def _rational_roots(draw: Draw) -> Item:
    """An equation `(px - q)(x - r) = 0`, expanded; its solutions are typed."""
    p = draw.one_of((2, 3, 5))
    q = draw.one_of([n for n in range(-7, 8) if n % p])
    r = draw.between(1, 4) * draw.one_of((1, -1))

    roots = [Fraction(q, p), Fraction(r)]
    exercise = draw.exercise(
        "rational_roots",
        v1=_ask_roots(draw, (q * r, -(p * r + q), p)),
        p=p,
        q=q,
        r=r,
        v2=_root_steps(draw, p, -(p * r + q), q * r, roots),
    )
    return exercise.open(
        solution_set(roots),
        (solution_set([-root for root in roots]), "root-signs"),
        (solution_set([p * root for root in roots]), "halved-only"),
        (solution_set([2 * p * root for root in roots]), "not-halved"),
        kind="set",
    )


def derive(coefficients: Sequence[int]) -> tuple[int, ...]:
    """The coefficients of the derivative."""
    return tuple(n * factor for n, factor in enumerate(coefficients))[1:]


@generates("maths.derivative-polynomial", "1re")
def derivative_polynomial(draw: Draw) -> Item:
    """Degree two, then three, then a product."""
    if draw.difficulty > 2:
        return _derivative_of_product(draw)
    leading = draw.between(2, 6) * draw.one_of((1, -1))
    constant = draw.between(1, 9) * draw.one_of((1, -1))
    linear = draw.between(2, 9) * draw.one_of((1, -1))
    if draw.difficulty == 1:
        return _derivative_of(draw, (constant, linear, leading))
    return _derivative_of(draw, (constant, linear, draw.between(2, 5), leading))


def _derivative_of(draw: Draw, f: tuple[int, ...]) -> Item:
    result = derive(f)
    same_powers = (f[1], 0, *(n * f[n] for n in range(2, len(f))))
    terms = [(n, f[n]) for n in range(len(f) - 1, 1, -1)]
    exercise = draw.exercise(
        "derivative_of",
        f=f,
        v1=[
            f"$({polynomial_maths((0,) * n + (factor,))})' = {n} \\times {in_brackets(factor)}{raise_maths('x', n - 1)} = {polynomial_maths((0,) * (n - 1) + (n * factor,))}$"
            for n, factor in terms
        ],
        n_0_f_1=polynomial_maths((0, f[1])),
        result=result,
    )
    return exercise.choice(
        polynomial_text(result),
        (polynomial_text((result[0] + f[0], *result[1:])), "constant-kept"),
        (polynomial_text(f[1:]), "not-multiplied"),
        (polynomial_text(same_powers), "not-lowered"),
        (polynomial_text((0, *result[1:])), "linear-term"),
    )


def _derivative_of_product(draw: Draw) -> Item:
    """The derivative of `(ax² + b)(cx + d)`, typed in any form."""
    a, c = draw.between(1, 4), draw.between(1, 4) * draw.one_of((1, -1))
    b, d = (draw.between(1, 6) * draw.one_of((1, -1)) for _ in "bd")
    u, v = polynomial_maths((b, 0, a)), polynomial_maths((d, c))
    result = (b * c, 2 * a * d, 3 * a * c)
    exercise = draw.exercise(
        "derivative_of_product",
        u=u,
        v=v,
        n_0_2_times_a=polynomial_maths((0, 2 * a)),
        c=c,
        v1=polynomial_maths((0, 2 * a * d, 2 * a * c)),
        continue_sum_b_times_c_0_a_times_c=continue_sum(polynomial_maths((b * c, 0, a * c))),
        result=result,
    )
    return exercise.open(
        polynomial_text(result),
        (polynomial_text((0, 2 * a * c)), "product-of-derivatives"),
        (polynomial_text((0, 2 * a * d, 2 * a * c)), "half-of-product"),
        (polynomial_text((b * c, 0, a * c)), "half-of-product"),
        kind="expression",
    )


@generates("maths.primitive-polynomial", "Terminale")
def primitive_polynomial(draw: Draw) -> Item:
    """Degree one, then two, then the primitive that takes a value at a point."""
    constant = draw.between(2, 9) * draw.one_of((1, -1))
    linear = draw.between(1, 5) * draw.one_of((1, -1))
    if draw.difficulty == 1:
        return _any_primitive(draw, (0, constant, linear))
    primitive = (0, constant, linear, draw.between(1, 4) * draw.one_of((1, -1)))
    if draw.difficulty == 2:
        return _any_primitive(draw, primitive)
    return _primitive_with_value(draw, primitive)


def _primitive_hint(draw: Draw) -> str:
    return draw.say(
        "Une primitive de $x^n$ est $\\frac{x^{n+1}}{n+1}$.",
        "An antiderivative of $x^n$ is $\\frac{x^{n+1}}{n+1}$.",
    )


def _primitive_steps(f: Sequence[int]) -> list[str]:
    """Each term with a primitive of it."""
    return [
        f"${polynomial_maths((0,) * n + (f[n],))} \\to "
        f"{polynomial_maths((0,) * (n + 1) + (f[n] // (n + 1),))}$"
        for n in range(len(f) - 1, -1, -1)
    ]


def _any_primitive(draw: Draw, primitive: tuple[int, ...]) -> Item:
    f = derive(primitive)
    exercise = draw.exercise(
        "any_primitive",
        f=f,
        primitive_hint=_primitive_hint(draw),
        primitive_steps_f=_primitive_steps(f),
        primitive=primitive,
    )
    return exercise.choice(
        polynomial_text(primitive),
        (polynomial_text((0, *f)), "not-divided"),
        (polynomial_text((f[0], 0, *primitive[2:])), "constant-term"),
        (polynomial_text(derive(f)), "derived"),
        (polynomial_text(primitive[1:]), "powers-kept"),
    )


def _primitive_with_value(draw: Draw, primitive: tuple[int, ...]) -> Item:
    at, added = draw.one_of((-1, 1, 2)), draw.between(1, 9) * draw.one_of((1, -1))
    f = derive(primitive)
    before = sum(factor * at**n for n, factor in enumerate(primitive))
    value = before + added
    key = (added, *primitive[1:])
    exercise = draw.exercise(
        "primitive_with_value",
        f=f,
        at=at,
        value=value,
        primitive_hint=_primitive_hint(draw),
        primitive_steps_f=_primitive_steps(f),
        before=before,
        added=added,
        key=key,
    )
    return exercise.open(
        polynomial_text(key),
        (polynomial_text(primitive), "condition-ignored"),
        (polynomial_text((value, *primitive[1:])), "value-as-constant"),
        (polynomial_text(derive(f)), "derived"),
        kind="expression",
    )

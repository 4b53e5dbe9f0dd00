"""Expressions with letters: expanding (5e, 3e) and factorising by identities (3e)."""

from __future__ import annotations

from math import gcd

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.notation import write_polynomial


def plain(written: str) -> str:
    """LaTeX of a polynomial as people type it: `3x^2-5x+1`."""
    return written.replace(" ", "")


def option(*coefficients: int) -> str:
    """A polynomial as an option of a choice."""
    return f"${write_polynomial(*coefficients)}$"


# Expanding ----------------------------------------------------------------------------------------


@generates("maths.expand-simple", "5e")
def expand_simple(draw: Draw) -> Item:
    """`k(x + b)`, then `k(ax - b)`, then two brackets to expand and reduce."""
    if draw.difficulty == 3:
        return _expand_and_reduce(draw)
    k, b = draw.between(2, 9), draw.between(2, 9)
    a = draw.by_level(1, draw.between(2, 6), 1)
    b = -b if draw.difficulty == 2 and draw.one_of((True, False)) else b
    k = -k if draw.difficulty == 2 and draw.one_of((True, False)) else k
    inside = write_polynomial(a, b)
    sign = "-" if b < 0 else "+"
    return draw.exercise("expand_simple", k=k, inside=inside, a=a, b=b, sign=sign).choice(
        option(k * a, k * b), *_wrong_for_one_bracket(k, a, b)
    )


def _wrong_for_one_bracket(k: int, a: int, b: int) -> list[Wrong]:
    """Wrong expansions of `k(ax + b)`."""
    return [
        (option(k * a, b), "only-one-term-multiplied-2"),
        (option(k * a, -k * b), "wrong-sign")
        if k < 0 or b < 0
        else (option(k + a, k + b), "added-instead-of-multiplied"),
        (option(k * a + k * b, 0), "unlike-terms-combined"),
        (option(a, k * b), "first-term-forgotten"),
    ]


def _expand_and_reduce(draw: Draw) -> Item:
    """`k(ax + b) - m(cx + d)`, with a positive number of `x` at the end."""
    k, a, b = draw.between(3, 6), draw.between(3, 5), draw.between(1, 7)
    m, c, d = draw.between(2, 4), draw.between(1, 2), draw.one_of((1, -1)) * draw.between(1, 6)
    b = draw.one_of((b, -b))
    first, second = write_polynomial(k * a, k * b), write_polynomial(-m * c, -m * d)
    written = f"{k}({write_polynomial(a, b)}) - {m}({write_polynomial(c, d)})"
    result = write_polynomial(k * a - m * c, k * b - m * d)

    exercise = draw.exercise(
        "expand_and_reduce",
        written=written,
        m=m,
        first=first,
        second=second,
        second_1=second[1:],
        k=k,
        a=a,
        b=b,
        c=c,
        d=d,
        result=result,
    )
    return exercise.open(
        plain(result),
        (
            plain(write_polynomial(k * a - m * c, k * b + m * d)),
            "minus-sign-on-the-first-term-only",
        ),
        (plain(write_polynomial(k * a - m * c, b - d)), "only-one-term-multiplied"),
        kind="expression",
    )


@generates("maths.expand-double", "3e")
def expand_double(draw: Draw) -> Item:
    """`(x + a)(x + b)`, then a remarkable identity, then `(ax + b)(cx + d)`."""
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
    """`(ax + b)²`, `(ax - b)²` or `(ax + b)(ax - b)`."""
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
    """Wrong expansions of `(ax + b)(ax - b)`."""
    return [
        (option(a * a, 0, b * b), "sign-of-the-last-term"),
        (option(a * a, 2 * a * b, -b * b), "double-product-too-many"),
        (option(a * a, -2 * a * b, b * b), "mixed-up-with-a-b-2"),
    ]


# Factorising --------------------------------------------------------------------------------------


@generates("maths.factor-identities", "3e")
def factor_identities(draw: Draw) -> Item:
    """`x² - b²`, then `x² ± 2bx + b²`, then either with a coefficient before `x²`."""
    a = draw.by_level(1, 1, draw.between(2, 5))
    b = draw.one_of([each for each in range(2, 11) if gcd(a, each) == 1])
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

"""Exercises on sequences, in 1re, and on limits, logarithms and exponentials, in Terminale."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import (
    INFINITY,
    MINUS_INFINITY,
    polynomial_maths,
    raise_text,
    signed,
    solution_set,
    write_quotient,
)

# Sequences ----------------------------------------------------------------------------------------


@generates("maths.arithmetic-sequence", "1re")
def arithmetic_sequence(draw: Draw) -> Item:
    """Ask for a term by its rank, then for the common difference from two terms, then for a sum."""
    difference = draw.between(2, 9) * draw.by_level(1, draw.sign(), 1)
    return draw.by_level(_arithmetic_term, _common_difference, _arithmetic_sum)(draw, difference)


def _arithmetic_term(draw: Draw, difference: int) -> Item:
    start = draw.between(0, 1)
    first, rank = draw.between(2, 20), draw.between(5, 20)
    steps = rank - start
    key = first + steps * difference
    exercise = draw.exercise(
        "arithmetic_term", first=first, difference=difference, start=start, rank=rank, steps=steps
    )
    return exercise.choice(
        key,
        (
            key + (difference if start else -difference),
            "one-step-more" if start else "one-step-less",
        ),
        (steps * difference, "first-term-forgotten"),
        (difference + steps * first, "first-times-n"),
        (
            key - (difference if start else -difference),
            "one-step-less" if start else "one-step-more",
        ),
    )


def _common_difference(draw: Draw, difference: int) -> Item:
    low, gap = draw.between(2, 6), draw.between(3, 8)
    first = draw.between(-10, 30)
    exercise = draw.exercise(
        "common_difference", low=low, gap=gap, first=first, last=first + gap * difference
    )
    return exercise.choice(
        difference,
        (-difference, "sign-of-difference"),
        (gap * difference, "steps-not-divided"),
        (gap * difference // low if gap * difference % low == 0 else None, "gap-divided-by-rank"),
        (difference + (1 if difference > 0 else -1), "one-step-more"),
    )


def _arithmetic_sum(draw: Draw, difference: int) -> Item:
    first, rank = draw.between(1, 10), draw.between(5, 19)
    last, count = first + rank * difference, rank + 1
    doubled = count * (first + last)
    exercise = draw.exercise(
        "arithmetic_sum", first=first, difference=difference, rank=rank, last=last
    )
    return exercise.open(
        doubled // 2,
        (doubled, "not-halved"),
        (
            rank * (first + last) // 2 if rank * (first + last) % 2 == 0 else None,
            "one-term-forgotten",
        ),
    )


@generates("maths.geometric-sequence", "1re")
def geometric_sequence(draw: Draw) -> Item:
    """Ask for a term by its rank, then with a negative ratio or from rank 1, then for a sum."""
    if draw.difficulty > 2:
        return _geometric_sum(draw)
    if draw.difficulty == 1:
        return _geometric_term(draw, 0, draw.one_of((2, 3, 5, 10)), draw.between(3, 4))
    ratio = draw.one_of((-2, -3, 2, 3))
    return _geometric_term(draw, draw.between(0, 1), ratio, draw.between(4, 6))


def _geometric_term(draw: Draw, start: int, ratio: int, rank: int) -> Item:
    first, steps = draw.between(2, 7), rank - start
    key = first * ratio**steps
    exercise = draw.exercise(
        "geometric_term", first=first, ratio=ratio, start=start, rank=rank, steps=steps
    )
    return exercise.choice(
        key,
        (key * ratio, "one-step-more") if start else (key // ratio, "one-step-less"),
        (first + steps * ratio, "added-instead"),
        (
            -key if ratio < 0 else first * ratio * steps,
            "sign-of-power" if ratio < 0 else "power-as-product",
        ),
        (ratio**steps, "powered-first"),
    )


def _geometric_sum(draw: Draw) -> Item:
    first, ratio = draw.between(1, 6), draw.one_of((2, 3))
    rank = draw.between(4, 8) if ratio == 2 else draw.between(3, 5)
    count = rank + 1
    total = first * (ratio**count - 1) // (ratio - 1)
    return draw.exercise("geometric_sum", first=first, ratio=ratio, rank=rank).open(
        total,
        (first * (ratio**rank - 1) // (ratio - 1), "one-term-forgotten"),
        (first * ratio**rank, "last-term-only"),
        (first * (ratio**count - 1), "not-divided"),
    )


# Limits, logarithms and exponentials --------------------------------------------------------------


@generates("maths.limit-rational", "Terminale")
def limit_rational(draw: Draw) -> Item:
    """Ask for a limit with equal degrees, then different ones, then of a form 0/0 at a point."""
    return draw.by_level(_limit_equal_degrees, _limit_degrees, _limit_at_point)(draw)


def _limit_equal_degrees(draw: Draw) -> Item:
    quotient, c = draw.signed(2, 5), draw.between(1, 4)
    a, d = quotient * c, draw.between(2, 9)
    b = draw.one_of([n for n in (*range(-9, 0), *range(1, 10)) if Fraction(n, d) != quotient])
    return draw.exercise("limit_equal_degrees", a=a, b=b, c=c, d=d).choice(
        quotient,
        (Fraction(b, d), "constant-terms"),
        (INFINITY if quotient > 0 else MINUS_INFINITY, "infinite"),
        (0, "zero"),
        (Fraction(1, quotient), "inverted"),
    )


def _limit_degrees(draw: Draw) -> Item:
    """Ask for the limit of degree two over degree one, or of degree one over degree two."""
    a = draw.signed(2, 6)
    b, c, d = draw.signed(1, 9), draw.between(2, 6), draw.between(1, 9)
    grows = draw.flip()
    infinite = (INFINITY, MINUS_INFINITY)
    key, opposite = infinite if a > 0 else infinite[::-1]
    leading = (Fraction(a, c), "leading-quotient")
    if not grows:
        wrong = [leading, (key, "infinite"), (Fraction(b, d), "constant-terms")]
        key = "0"
    else:
        wrong = [leading, (opposite, "sign-of-infinity"), (0, "zero")]
    simple = write_quotient(a, c, "x" if grows else "", "" if grows else "x")
    exercise = draw.exercise("limit_degrees", a=a, b=b, c=c, d=d, grows=grows, simple=simple)
    return exercise.choice(key, *wrong)


def _limit_at_point(draw: Draw) -> Item:
    """Ask for the limit of `(x - at)(x - other)`, expanded, over `x - at`."""
    at = draw.signed(1, 6)
    other = draw.one_of([n for n in range(-7, 8) if n not in (0, at, -at)])
    key = at - other
    return draw.exercise("limit_at_point", at=at, other=other).choice(
        key, (0, "zero-over-zero"), (INFINITY, "zero-below"), (at + other, "factor-sign")
    )


def _factor(number: int) -> str:
    """Write a number as a factor in front of another; 1 is not written."""
    return "" if number == 1 else str(number)


@generates("maths.logarithm-rules", "Terminale")
def logarithm_rules(draw: Draw) -> Item:
    """Ask to use the rule for a sum or difference, then for a power, then all three rules."""
    return draw.by_level(_ln_of_two, _ln_of_power, _ln_of_three)(draw)


def _ln_of_two(draw: Draw) -> Item:
    adds = draw.flip()
    b = draw.between(2, 9)
    a = draw.one_of([n for n in range(3, 10) if n != b]) * (1 if adds else b)
    sign = "+" if adds else "-"
    key = a * b if adds else a // b
    return draw.exercise("ln_of_two", a=a, sign=sign, b=b, adds=adds, key=key).choice(
        f"ln({key})",
        (f"ln({a + b})", "ln-of-sum") if adds else (f"ln({a - b})", "ln-of-difference"),
        (key, "ln-dropped"),
        (f"ln({(Fraction(a, b) if adds else a * b)})", "other-operation"),
    )


_EXPONENTS: Final = {2: (1, 2, 3, 4, 5, 6), 3: (1, 2, 3, 4), 5: (1, 2, 3), 10: (1, 2, 3, 4)}


def _ln_of_power(draw: Draw) -> Item:
    """Ask for a sum or difference of logarithms of two powers as a multiple of `ln(base)`."""
    base = draw.one_of(tuple(_EXPONENTS))
    adds = draw.flip()
    m, n = draw.one_of(
        [(m, n) for m in _EXPONENTS[base] for n in _EXPONENTS[base] if m - n > (0 if adds else 1)]
    )
    sign = "+" if adds else "-"
    first, second = base**m, base**n
    key, other = (m + n, m - n) if adds else (m - n, m + n)
    divided = first // base + second // base if adds else first // base - second // base
    return draw.exercise("ln_of_power", sign=sign, base=base, m=m, n=n).choice(
        f"{key} ln({base})",
        (raise_text(f"(ln({base}))", key), "power-of-ln"),
        (f"{_factor(other)} ln({base})".strip(), "other-operation"),
        (f"{divided} ln({base})", "quotient-by-base"),
    )


def _ln_of_three(draw: Draw) -> Item:
    a, n = draw.one_of(((2, 3), (3, 2), (5, 2), (2, 4), (3, 3)))
    b = draw.one_of([value for value in range(2, 11) if value != a])
    power, product = a**n, a**n * b
    c = draw.one_of(
        [d for d in range(2, power + b) if product % d == 0 and d not in (b, power + b - 1)]
    )
    key = product // c
    exercise = draw.exercise(
        "ln_of_three", n=n, a=a, b=b, c=c, power=power, product=product, key=key
    )
    return exercise.choice(
        f"ln({key})",
        (f"ln({Fraction(n * a * b, c)})", "coefficient-as-factor"),
        (f"ln({power + b - c})", "ln-of-sum"),
        (f"ln({product * c})", "other-operation"),
    )


@generates("maths.exponential-equation", "Terminale")
def exponential_equation(draw: Draw) -> Item:
    """Ask to solve with equal exponents, then a logarithm, then degree two in the exponential."""
    return draw.by_level(_equal_exponents, _one_logarithm, _quadratic_in_exponential)(draw)


def _equal_exponents(draw: Draw) -> Item:
    a, root = draw.between(2, 5), draw.signed(1, 6)
    b = draw.signed(1, 9)
    c = a * root + b
    return draw.exercise("equal_exponents", a=a, b=b, c=c, root=root).choice(
        f"x = {root}",
        (f"x = {a * root}", "still-multiplied"),
        (f"x = {a * root - a}", "subtracted"),
        (f"x = {-root}", "opposite"),
        (f"x = {Fraction(c + b, a)}", "from-exponent"),
    )


def _one_logarithm(draw: Draw) -> Item:
    """Ask to solve `e^(x + b) = k` or `e^(ax) = k`."""
    k = draw.one_of((5, 6, 7, 10, 11, 12, 13))
    if draw.flip():
        b = draw.signed(2, 4)
        equation, key = f"e^{{{polynomial_maths((b, 1))}}} = {k}", f"ln({k}) {signed(-b)}"
        last = f"x = \\ln({k}) {signed(-b)}"
        inside, other = f"ln({k - b})", (f"x = ln({k}) {signed(b)}", "from-exponent")
        forgotten = str(k - b)
        middle = f"{polynomial_maths((b, 1))} = \\ln({k})"
    else:
        a = draw.between(2, 4)
        equation, key = f"e^{{{a}x}} = {k}", f"ln({k})/{a}"
        last = f"x = \\frac{{\\ln({k})}}{{{a}}}"
        inside, other = f"ln({Fraction(k, a)})", (f"x = ln({k}) - {a}", "subtracted")
        forgotten = str(Fraction(k, a))
        middle = f"{a}x = \\ln({k})"
    return draw.exercise("one_logarithm", equation=equation, middle=middle, last=last).choice(
        f"x = {key}", (f"x = {inside}", "inside-ln"), other, (f"x = {forgotten}", "ln-forgotten")
    )


def _quadratic_in_exponential(draw: Draw) -> Item:
    """Ask to solve `(X - m)(X - n) = 0` with `X = e^x`; the smaller root may be negative."""
    n = draw.between(2, 6)
    m = n + draw.between(1, 4)
    both = draw.flip()
    small = n if both else -n
    key = solution_set([f"ln({n})", f"ln({m})"] if both else [f"ln({m})"])
    values = (solution_set([small, m]), "back-to-x")
    if both:
        wrong = [values, (solution_set([f"ln({m})"]), "one-lost"), ("∅", "root-signs")]
    else:
        wrong = [
            values,
            (solution_set([f"-ln({n})", f"ln({m})"]), "negative-kept"),
            (solution_set([f"ln({n})"]), "root-signs"),
        ]
    exercise = draw.exercise(
        "quadratic_in_exponential",
        m=m,
        small=small,
        linear=polynomial_maths((0, -(m + small)), "e^x"),
        both=both,
        solution=key[0 if draw.language == "fr" else 1].replace("ln", "\\ln"),
    )
    return exercise.choice(key, *wrong)

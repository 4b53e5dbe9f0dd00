"""Exercises on powers of ten and scientific notation (4e), square roots (3e)."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, Number, Wrong, generates
from bot.practice.notation import Pair, write_root, write_scientific

# Powers of ten ------------------------------------------------------------------------------------


@generates("maths.powers-of-ten", "4e")
def compute_powers_of_ten(draw: Draw) -> Item:
    """Ask for a power as a decimal, then a product of powers, then a quotient of products."""
    if draw.difficulty == 1:
        return _write_power_out(draw)
    a, b, c = draw.between(3, 9), -draw.between(2, 8), draw.between(2, 6)
    if draw.difficulty == 2:
        b = draw.one_of((-b, b))
        b = b - 2 if a + b in (0, 1) else b
        return _multiply_powers(draw, a, b)
    c = draw.one_of((c, -c))
    return draw.exercise("compute_powers_of_ten", a=a, b=b, c=c).open(
        a + b - c, (a + b + c, "all-exponents-added"), (a * b - c, "exponents-multiplied")
    )


def _write_power_out(draw: Draw) -> Item:
    size = draw.between(3, 6)
    negative = draw.one_of((True, False))
    exponent = -size if negative else size
    key: Number = 10**size
    less: Number = 10 ** (size - 1)
    more: Number = 10 ** (size + 1)
    if negative:
        key, less, more = (Decimal(1).scaleb(n) for n in (-size, 1 - size, -1 - size))
    return draw.exercise("write_power_out", negative=negative, size=size, exponent=exponent).choice(
        key,
        (10 * exponent, "exponent-times-10"),
        (more, "one-zero-too-many"),
        (-(10**size), "negative-exponent-misread") if negative else (less, "one-zero-missing"),
    )


def _multiply_powers(draw: Draw, a: int, b: int) -> Item:
    key = a + b
    return draw.exercise("multiply_powers", a=a, b=b, key=key).choice(
        f"$10^{{{key}}}$",
        (f"$10^{{{a * b}}}$", "exponents-multiplied"),
        (f"$10^{{{a - b}}}$", "exponents-subtracted"),
        (None if 2 * key in (a * b, a - b) else f"$100^{{{key}}}$", "base-multiplied"),
    )


# Scientific notation ------------------------------------------------------------------------------


def _scientific(mantissa: Number, exponent: int) -> Pair:
    """Write an option in scientific notation."""
    french, english = write_scientific(mantissa, exponent)
    return f"${french}$", f"${english}$"


@generates("maths.scientific-notation", "4e")
def use_scientific_notation(draw: Draw) -> Item:
    """Ask for the form of a large number, then the exponent of a small one, then a product."""
    mantissa = Decimal(10 * draw.between(1, 9) + draw.between(1, 9)) / 10
    if draw.difficulty == 1:
        return _write_large(draw, mantissa)
    if draw.difficulty == 3:
        return _multiply_scientific(draw)
    size = draw.between(3, 6)
    exercise = draw.exercise(
        "find_exponent", number=mantissa.scaleb(-size), mantissa=mantissa, size=size
    )
    return exercise.open(
        -size,
        (size, "sign-of-the-exponent"),
        (1 - size, "zeros-after-the-point-counted"),
        (-size - 1, "all-digits-counted"),
    )


def _write_large(draw: Draw, mantissa: Decimal) -> Item:
    size = draw.between(4, 8)
    story = draw.one_of(("", "cocoa"))
    exercise = draw.exercise(
        "write_large", story=story, number=mantissa.scaleb(size), mantissa=mantissa, size=size
    )
    return exercise.choice(
        _scientific(mantissa, size),
        (_scientific(mantissa, size - 1), "zeros-counted"),
        (_scientific(10 * mantissa, size), "number-in-front-too-large"),
        (_scientific(mantissa, -size), "sign-of-a-large-exponent"),
    )


def _multiply_scientific(draw: Draw) -> Item:
    """Ask for a product whose mantissa exceeds ten, so that the exponent grows by one."""
    pairs = [(a, b) for a in range(2, 10) for b in range(2, 10) if a * b > 10 and a * b % 10]
    a, b = draw.one_of(pairs)
    m, n = draw.between(2, 7), draw.one_of((1, -1)) * draw.between(2, 9)
    mantissa, exponent = Decimal(a * b) / 10, m + n + 1
    return draw.exercise("multiply_scientific", a=a, b=b, m=m, n=n, mantissa=mantissa).choice(
        _scientific(mantissa, exponent),
        (_scientific(mantissa, exponent - 1), "exponent-not-adjusted"),
        (_scientific(mantissa, exponent - 2), "exponent-adjusted-the-wrong-way"),
        (_scientific(mantissa, m * n + 1), "exponents-multiplied"),
    )


@generates("maths.square-roots", "3e")
def simplify_square_roots(draw: Draw) -> Item:
    """Ask for a perfect square's root, then for `a√b`, then for a sum or difference of roots."""
    if draw.difficulty == 1:
        return _take_root(draw)
    m = draw.one_of((2, 3, 5, 6, 7))
    if draw.difficulty == 3:
        return _combine_roots(draw, m)
    k = draw.between(2, 7)
    number = k * k * m
    return draw.exercise("simplify_square_roots", number=number, k=k, m=m).choice(
        f"${write_root(k, m)}$", *_wrong_for_a_root(k, m)
    )


def _wrong_for_a_root(k: int, m: int) -> list[Wrong]:
    swapped = (f"${write_root(m, k)}$", "numbers-swapped")
    return [
        (f"${write_root(k * k, m)}$", "square-taken-out-as-it-is"),
        *([swapped] if k != m else []),
        (f"${write_root(k + 1, m)}$", "root-miscalculated")
        if k * k * m % 2
        else (f"${k * k * m // 2}$", "half-taken-for-the-root"),
    ]


def _take_root(draw: Draw) -> Item:
    root = draw.between(4, 15)
    square = root * root
    return draw.exercise("take_root", square=square, root=root).choice(
        root,
        (Decimal(square) / 2, "half-taken-for-the-root"),
        (-root, "negative-root"),
        (root + draw.one_of((1, -1)), "square-next-to-it"),
    )


def _combine_roots(draw: Draw, m: int) -> Item:
    """Ask for `√(p²m) ± √(q²m)` in the form `a√m`."""
    q, p = sorted(draw.random.sample(range(2, 7), 2))
    minus = draw.one_of((True, False)) and p - q > 1
    sign, combined = ("-", p - q) if minus else ("+", p + q)
    first, second = p * p * m, q * q * m
    together = first - second if minus else first + second
    last = (f"${combined}$", "root-vanished")
    exercise = draw.exercise(
        "combine_roots", first=first, sign=sign, second=second, m=m, p=p, q=q, combined=combined
    )
    return exercise.choice(
        f"${write_root(combined, m)}$",
        (f"$\\sqrt{{{together}}}$", "numbers-under-the-roots-combined"),
        (
            f"${write_root(p * p - q * q if minus else p * p + q * q, m)}$",
            "squares-taken-out-as-they-are",
        ),
        last,
    )

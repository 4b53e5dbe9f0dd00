"""Exercises on powers and scientific notation (4e), square roots (3e)."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from bot.practice.generator import Draw, Item, Number, Wrong, generates
from bot.practice.notation import Pair, write_root, write_scientific

# Powers -------------------------------------------------------------------------------------------

_FACTORS: Final = (
    *((2, n) for n in range(3, 9)),
    *((3, n) for n in (2, 3, 4, 5)),
    *((base, n) for base in (4, 5) for n in (2, 3, 4)),
    *((base, n) for base in (6, 7, 8, 9, 10) for n in (2, 3)),
)
"""Bases and exponents of powers that can be worked out by hand."""


@generates("maths.powers", "4e")
def compute_powers(draw: Draw) -> Item:
    """Ask for a power or to write a product as one, then for powers with a minus sign, then for
    a product, a quotient or a power of powers."""
    easy = draw.one_of((_work_out_power, _write_as_power))
    hard = draw.one_of((_multiply_by_power, _divide_by_power, _raise_power))
    return draw.by_level(easy, _power_with_minus, hard)(draw)


def _power(base: object, exponent: int) -> str:
    """Write a power as an option."""
    return f"${base}^{{{exponent}}}$"


def _work_out_power(draw: Draw) -> Item:
    base, n = draw.one_of(_FACTORS)
    exercise = draw.exercise("work_out_power", base=base, n=n, product=_repeat(base, n))
    return exercise.choice(
        base**n,
        (base * n, "base-times-exponent"),
        (n**base, "base-and-exponent-swapped"),
        (base ** (n - 1), "factor-left-out"),
        (base ** (n + 1), "factor-too-many"),
    )


def _write_as_power(draw: Draw) -> Item:
    base, n = draw.between(2, 12), draw.between(3, 7)
    base += base == n or (base, n) == (2, 4)
    exercise = draw.exercise("write_as_power", base=base, n=n, product=_repeat(base, n))
    return exercise.choice(
        _power(base, n),
        (_power(n, base), "base-and-exponent-swapped"),
        (f"${base} \\times {n}$", "product-for-a-power"),
        (_power(base, n - 1), "factor-left-out"),
    )


def _repeat(base: object, count: int) -> str:
    return " \\times ".join([str(base)] * count)


def _power_with_minus(draw: Draw) -> Item:
    base, n = draw.one_of([each for each in _FACTORS if each[0] ** each[1] <= 1000])
    bracketed = draw.flip()
    key = (-base) ** n if bracketed else -(base**n)
    sign = 1 if key > 0 else -1
    written = f"({-base})^{{{n}}}" if bracketed else f"{-base}^{{{n}}}"
    is_even = n % 2 == 0  # else a minus put in brackets gives the key
    mistaken_sign = "minus-put-in-brackets" if is_even and not bracketed else "sign-of-a-power"
    exercise = draw.exercise(
        "power_with_minus",
        written=written,
        bracketed=bracketed,
        even=is_even,
        n=n,
        size=base**n,
        product=_repeat(f"({-base})" if bracketed else base, n),
    )
    return exercise.choice(
        key,
        (-key, mistaken_sign),
        (-base * n, "base-times-exponent"),
        (sign * base ** (n - 1), "factor-left-out"),
        (sign * base ** (n + 1), "factor-too-many"),
    )


def _multiply_by_power(draw: Draw) -> Item:
    base, (m, n) = draw.between(2, 9), draw.random.sample(range(2, 10), 2)
    key = m + n
    squared = _power(base * base, key) if m * n != 2 * key else None
    return draw.exercise("multiply_by_power", base=base, m=m, n=n).choice(
        _power(base, key),
        (_power(base, m * n), "exponents-multiplied"),
        (squared, "base-multiplied"),
        (_power(base, abs(m - n)), "exponents-subtracted"),
    )


def _divide_by_power(draw: Draw) -> Item:
    base, n, key = draw.between(2, 9), draw.between(2, 6), draw.between(2, 7)
    m = n + key
    return draw.exercise("divide_by_power", base=base, m=m, n=n).choice(
        _power(base, key),
        (_power(base, m + n), "exponents-added-in-a-quotient"),
        (_power(1, key), "bases-divided"),
        (_power(base, m // n) if m % n == 0 and m // n != key else None, "exponents-divided"),
        (_power(base, m * n), "exponents-multiplied-in-a-quotient"),
    )


def _raise_power(draw: Draw) -> Item:
    base, m = draw.between(2, 9), draw.between(2, 5)
    n = draw.one_of([each for each in (2, 3, 4) if each != m and m**each < 300])
    product = _repeat(f"{base}^{{{m}}}", n)
    is_named = (base * n) ** m in {base**each for each in (m * n, m + n, m**n)}
    return draw.exercise("raise_power", base=base, m=m, n=n, product=product).choice(
        _power(base, m * n),
        (_power(base, m + n), "exponents-added-in-a-power"),
        (_power(base, m**n), "exponent-raised"),
        (None if is_named else _power(base * n, m), "base-times-the-outer-exponent"),
    )


# Powers of ten ------------------------------------------------------------------------------------


@generates("maths.powers-of-ten", "4e")
def compute_powers_of_ten(draw: Draw) -> Item:
    """Ask for a power as a decimal or the reverse, then a product of powers, then a quotient of
    products."""
    if draw.difficulty == 1:
        return draw.one_of((_write_power_out, _write_as_power_of_ten))(draw)
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
    negative = draw.flip()
    size = draw.between(2, 7) if negative else draw.between(3, 9)
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


def _write_as_power_of_ten(draw: Draw) -> Item:
    negative = draw.flip()
    size = draw.between(2, 7) if negative else draw.between(3, 9)
    exponent = -size if negative else size
    number: Number = Decimal(1).scaleb(-size) if negative else 10**size
    exercise = draw.exercise(
        "write_as_power_of_ten", number=number, negative=negative, size=size, exponent=exponent
    )
    return exercise.choice(
        _power(10, exponent),
        (
            _power(10, exponent + 1),
            "all-digits-counted" if not negative else "zeros-before-the-one",
        ),
        (_power(10, -exponent), "sign-of-a-power-of-ten"),
        (_power(10, exponent - 1), "places-miscounted"),
    )


def _multiply_powers(draw: Draw, a: int, b: int) -> Item:
    key = a + b
    return draw.exercise("multiply_powers", a=a, b=b, key=key).choice(
        _power(10, key),
        (_power(10, a * b), "exponents-multiplied"),
        (_power(10, a - b), "exponents-subtracted"),
        (None if 2 * key in (a * b, a - b) else _power(100, key), "base-multiplied"),
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
    m, n = draw.between(2, 7), draw.sign() * draw.between(2, 9)
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
    root = draw.one_of((*range(3, 21), *range(30, 100, 10)))
    square = root * root
    return draw.exercise("take_root", square=square, root=root).choice(
        root,
        (Decimal(square) / 2, "half-taken-for-the-root"),
        (-root, "negative-root"),
        (root + draw.sign(), "square-next-to-it"),
    )


def _combine_roots(draw: Draw, m: int) -> Item:
    """Ask for `√(p²m) ± √(q²m)` in the form `a√m`."""
    q, p = sorted(draw.random.sample(range(2, 7), 2))
    minus = draw.flip() and p - q > 1
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

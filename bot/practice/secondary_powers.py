"""Powers of ten and scientific notation (4e)."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, Number, generates

# Powers of ten ------------------------------------------------------------------------------------


@generates("maths.powers-of-ten", "4e")
def compute_powers_of_ten(draw: Draw) -> Item:
    """A power written out, then a product of powers, then a quotient of products."""
    if draw.difficulty == 1:
        return _write_power_out(draw)
    a, b, c = draw.between(3, 9), -draw.between(2, 8), draw.between(2, 6)
    if draw.difficulty == 2:
        b = draw.one_of((-b, b))
        b = b - 2 if a + b in (0, 1) else b
        return _multiply_powers(draw, a, b)
    c = draw.one_of((c, -c))
    written = f"\\frac{{10^{{{a}}} \\times 10^{{{b}}}}}{{10^{{{c}}}}}"
    return draw.exercise("compute_powers_of_ten", written=written, a=a, b=b, c=c).open(
        a + b - c, (a + b + c, "all-exponents-added"), (a * b - c, "exponents-multiplied")
    )


def _write_power_out(draw: Draw) -> Item:
    size = draw.between(3, 6)
    negative = draw.one_of((True, False))
    exponent = -size if negative else size
    key: Number = Decimal(1).scaleb(-size) if negative else 10**size
    fewer: Number = Decimal(1).scaleb(1 - size) if negative else 10 ** (size - 1)
    more: Number = Decimal(1).scaleb(-1 - size) if negative else 10 ** (size + 1)
    wrong = [
        (10 * exponent, "exponent-times-10"),
        (more, "one-zero-too-many"),
        (-(10**size), "negative-exponent-misread") if negative else (fewer, "one-zero-missing"),
    ]
    ten = draw.maths(10**size)
    exercise = draw.exercise(
        "write_power_out", exponent=exponent, negative=negative, size=size, ten=ten
    )
    return exercise.choice(key, *wrong)


def _multiply_powers(draw: Draw, a: int, b: int) -> Item:
    key = a + b
    exponents = [a * b, a - b]
    wrong = [
        (f"$10^{{{a * b}}}$", "exponents-multiplied-2"),
        (f"$10^{{{a - b}}}$", "exponents-subtracted"),
        (f"$100^{{{key}}}$", "base-multiplied"),
    ]
    if 2 * key in exponents:
        wrong.pop()

    return draw.exercise("multiply_powers", a=a, b=b, key=key).choice(f"$10^{{{key}}}$", *wrong)


# Scientific notation ------------------------------------------------------------------------------


def _scientific(draw: Draw, mantissa: Number, exponent: int) -> str:
    return f"{draw.maths(mantissa)} \\times 10^{{{exponent}}}"


def _plain(mantissa: Decimal, exponent: int) -> Number:
    """The decimal number without zeros at its end."""
    number = mantissa.scaleb(exponent)
    return int(number) if exponent > 1 else number


@generates("maths.scientific-notation", "4e")
def use_scientific_notation(draw: Draw) -> Item:
    """A large number, then the exponent of a small one, then a product."""
    mantissa = Decimal(10 * draw.between(1, 9) + draw.between(1, 9)) / 10
    if draw.difficulty == 1:
        return _write_large(draw, mantissa)
    if draw.difficulty == 3:
        return _multiply_scientific(draw)
    size = draw.between(3, 6)
    number = draw.maths(_plain(mantissa, -size))

    exercise = draw.exercise(
        "use_scientific_notation",
        number=number,
        mantissa=mantissa,
        size=size,
        scientific_mantissa_minus_size=_scientific(draw, mantissa, -size),
    )
    return exercise.open(
        -size,
        (size, "sign-of-the-exponent"),
        (1 - size, "zeros-after-the-point-counted"),
        (-size - 1, "all-digits-counted"),
    )


def _write_large(draw: Draw, mantissa: Decimal) -> Item:
    size = draw.between(4, 8)
    number = draw.maths(_plain(mantissa, size))
    whole = int(mantissa * 10)
    statement = draw.one_of(
        (
            draw.say(
                f"Écris ${number}$ en écriture scientifique.",
                f"Write ${number}$ in scientific notation.",
            ),
            draw.say(
                f"Une région a récolté ${number}$ kg de cacao. Écris ce nombre en écriture "
                "scientifique.",
                f"A region has harvested ${number}$ kg of cocoa. Write this number in scientific "
                "notation.",
            ),
        )
    )
    exercise = draw.exercise(
        "write_large",
        statement=statement,
        mantissa=mantissa,
        size=size,
        number=number,
        scientific_mantissa_size=_scientific(draw, mantissa, size),
    )
    return exercise.choice(
        f"${_scientific(draw, mantissa, size)}$",
        (f"${_scientific(draw, mantissa, size - 1)}$", "zeros-counted"),
        (f"${_scientific(draw, whole, size)}$", "number-in-front-too-large"),
        (f"${_scientific(draw, mantissa, -size)}$", "sign-of-the-exponent-2"),
    )


def _multiply_scientific(draw: Draw) -> Item:
    """A product whose first factor passes ten, so that the exponent grows by one."""
    pairs = [(a, b) for a in range(2, 10) for b in range(2, 10) if a * b > 10 and a * b % 10]
    a, b = draw.one_of(pairs)
    m, n = draw.between(2, 7), draw.one_of((1, -1)) * draw.between(2, 9)
    mantissa, exponent = Decimal(a * b) / 10, m + n + 1
    written = f"{a} \\times 10^{{{m}}} \\times {b} \\times 10^{{{n}}}"
    exercise = draw.exercise(
        "multiply_scientific",
        written=written,
        a=a,
        b=b,
        m=m,
        n=n,
        scientific_mantissa_exponent=_scientific(draw, mantissa, exponent),
    )
    return exercise.choice(
        f"${_scientific(draw, mantissa, exponent)}$",
        (f"${_scientific(draw, mantissa, exponent - 1)}$", "exponent-not-adjusted"),
        (f"${_scientific(draw, mantissa, exponent - 2)}$", "exponent-adjusted-the-wrong-way"),
        (f"${_scientific(draw, mantissa, m * n + 1)}$", "exponents-multiplied-2"),
    )

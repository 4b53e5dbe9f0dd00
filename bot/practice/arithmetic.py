"""Exercises on division with remainder (6e), prime factors and common divisors (3e)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import gcd, lcm
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import Pair, raise_maths

# Division with remainder --------------------------------------------------------------------------


@generates("maths.euclidean-division", "6e")
def euclidean_division(draw: Draw) -> Item:
    """Ask for the quotient or the remainder, then for the equality of a division, then for the
    number that is divided or for what is missing to a full bag."""
    hard = draw.one_of((_find_dividend, _fill_last_bag))
    return draw.by_level(_divide_by_digit, _choose_equality, hard)(draw)


def _draw_division(draw: Draw, divisors: range, quotients: range) -> tuple[int, int, int]:
    """Draw a divisor, a quotient of which no digit is zero, and a remainder that is not half the
    divisor.

    What is left after the tens of the quotient is another number than the quotient.
    """
    divisor = draw.one_of(divisors)
    quotient = draw.one_of([each for each in quotients if each % 10 > 1])
    left, least = divisor * (quotient % 10), 1 if divisor < 10 else 2
    rests = range(least, divisor - least + 1)
    rest = draw.one_of([n for n in rests if 2 * n != divisor and left + n != quotient])
    return divisor, quotient, rest


def _divide_by_digit(draw: Draw) -> Item:
    divisor, quotient, rest = _draw_division(draw, range(4, 10), range(12, 40))
    asks_rest = draw.flip()
    exercise = draw.exercise(
        "divide_by_digit",
        number=divisor * quotient + rest,
        divisor=divisor,
        quotient=quotient,
        tens=quotient // 10 * 10,
        rest=rest,
        asks_rest=asks_rest,
    )
    if asks_rest:
        return exercise.choice(
            rest,
            (quotient, "quotient-and-remainder-swapped"),
            (divisor + rest, "remainder-too-large"),
            (divisor - rest, "number-passed"),
        )
    return exercise.choice(
        quotient,
        (rest, "quotient-and-remainder-swapped"),
        (quotient - 1, "remainder-too-large"),
        (quotient + 1, "number-passed"),
    )


def _choose_equality(draw: Draw) -> Item:
    """Ask for the equality of a division among true ones, of which only one has a remainder that is
    less than the divisor."""
    divisor, quotient, rest = _draw_division(draw, range(11, 26), range(12, 30))
    number, tens = divisor * quotient + rest, quotient // 10 * 10

    def write(times: int) -> str:
        left = number - divisor * times
        return f"${number} = {divisor} \\times {times} {'-' if left < 0 else '+'} {abs(left)}$"

    exercise = draw.exercise(
        "choose_equality", number=number, divisor=divisor, quotient=quotient, tens=tens, rest=rest
    )
    return exercise.choice(
        write(quotient),
        (write(quotient - 1), "remainder-too-large"),
        (write(quotient + 1), "remainder-below-zero"),
        (write(tens), "remainder-too-large"),
    )


def _find_dividend(draw: Draw) -> Item:
    divisor, quotient, rest = _draw_division(draw, range(12, 26), range(12, 40))
    product = divisor * quotient
    exercise = draw.exercise("find_dividend", divisor=divisor, quotient=quotient, rest=rest)
    return exercise.open(
        product + rest,
        (product, "remainder-forgotten"),
        (product - rest, "remainder-taken-off"),
        (divisor + quotient + rest, "numbers-added"),
    )


def _fill_last_bag(draw: Draw) -> Item:
    size, bags, rest = _draw_division(draw, range(12, 26), range(12, 30))
    number = size * bags + rest
    exercise = draw.exercise("fill_last_bag", number=number, size=size, bags=bags, rest=rest)
    return exercise.open(
        size - rest,
        (rest, "remainder-given"),
        (bags, "quotient-given"),
        (bags + 1, "quotient-given"),
    )


# Prime factors ------------------------------------------------------------------------------------

Factors = Mapping[int, int]
"""The exponent of each prime factor, the least factor first."""


def factor(number: int) -> dict[int, int]:
    """Return the prime factors of a number from 2 on, each with its exponent."""
    factors: dict[int, int] = {}
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            factors[divisor] = factors.get(divisor, 0) + 1
            number //= divisor
        divisor += 1
    return factors


def write_factors(factors: Factors) -> str:
    """Write a product of powers in LaTeX, without those of exponent 0: `2^2 \\times 5`."""
    return " \\times ".join(raise_maths(str(p), n) for p, n in sorted(factors.items()) if n)


def _option(factors: Factors) -> str:
    return f"${write_factors(factors)}$"


def _is_fit(number: int) -> bool:
    """Return whether a number has two or three prime factors, all small, one of them repeated."""
    factors = factor(number)
    return len(factors) in (2, 3) and max(factors) < 14 and max(factors.values()) > 1


_SMALL: Final = [number for number in range(12, 101) if _is_fit(number)]
_LARGE: Final = [number for number in range(120, 1001) if _is_fit(number) and number % 2 == 0]


@generates("maths.prime-factors", "3e")
def prime_factors(draw: Draw) -> Item:
    """Ask for the prime factors of a number up to 100, then of a larger one or for an exponent,
    then for a least common multiple."""
    usual = draw.one_of((_choose_factors, _find_exponent))
    hard = draw.one_of((_choose_multiple, _meet_again))
    return draw.by_level(_choose_factors, usual, hard)(draw)


def _divide_by_primes(number: int) -> Iterator[str]:
    """Yield the divisions by prime numbers, the least first, until 1 is left."""
    for prime, exponent in factor(number).items():
        for _ in range(exponent):
            yield f"${number} \\div {prime} = {number // prime}$"
            number //= prime


def _choose_factors(draw: Draw) -> Item:
    number = draw.one_of(_SMALL if draw.difficulty == 1 else _LARGE)
    factors = factor(number)
    repeated = draw.one_of([prime for prime, n in factors.items() if n > 1])
    other = draw.one_of([prime for prime in factors if prime != repeated])
    fewer = {**factors, repeated: factors[repeated] - 1}
    composite = {**factors, repeated: factors[repeated] - 2, repeated**2: 1}
    exercise = draw.exercise(
        "choose_factors",
        number=number,
        least=min(factors),
        left=number // min(factors),
        divisions=list(_divide_by_primes(number)),
    )
    return exercise.choice(
        _option(factors),
        (_option(composite), "factor-not-prime", {"composite": repeated**2}),
        (_option(fewer), "repeated-factor-forgotten"),
        (_option({**fewer, other: factors[other] + 1}), "exponents-mixed-up"),
    )


def _find_exponent(draw: Draw) -> Item:
    key = draw.between(3, 6)
    number = draw.one_of([each for each in _LARGE if factor(each)[2] == key])
    factors = factor(number)
    exercise = draw.exercise(
        "find_exponent",
        number=number,
        divisions=list(_divide_by_primes(number))[:key],
        rest=number >> key,
    )
    return exercise.open(
        key,
        (key - 1, "one-division-forgotten"),
        (sum(factors.values()), "all-factors-counted"),
        (2**key, "power-instead-of-exponent"),
    )


def _choose_multiple(draw: Draw) -> Item:
    """Ask for the least common multiple of two numbers whose prime factors are given."""
    one_two, other_two = draw.one_of(((1, 2), (1, 3), (2, 3), (2, 1), (3, 1), (3, 2)))
    threes = ((1, 2), (2, 1)) if one_two < other_two else ((1, 2),)  # no multiple of the other
    one_three, other_three = draw.one_of(threes)
    prime = draw.one_of((5, 7, 11))
    one: Factors = {2: one_two, 3: one_three, prime: 1}
    other: Factors = {2: other_two, 3: other_three, prime: 0}
    key, common, product = (
        {p: combine(one[p], other[p]) for p in one} for combine in (max, min, int.__add__)
    )
    exercise = draw.exercise(
        "choose_multiple", one=write_factors(one), other=write_factors(other), prime=prime
    )
    return exercise.choice(
        _option(key),
        (_option(common), "divisor-instead-of-multiple"),
        (_option(product), "exponents-added"),
        (_option({**key, prime: 0}), "factor-of-one-number-forgotten"),
    )


_MINUTES: Final = ((8, 12), (10, 12), (10, 15), (12, 18), (12, 20), (15, 20), (15, 25), (16, 24),
                   (18, 24), (20, 30), (24, 36), (20, 45))  # fmt: skip
_SECONDS: Final = ((60, 72), (60, 80), (70, 84), (75, 90), (80, 100), (80, 120), (84, 90))


def _meet_again(draw: Draw) -> Item:
    """Ask when two things that come round in different times meet again."""
    are_coaches = draw.flip()
    pair = draw.one_of(_MINUTES if are_coaches else _SECONDS)
    one, other = pair if draw.flip() else pair[::-1]
    key = lcm(one, other)
    exercise = draw.exercise(
        "meet_again",
        one=one,
        other=other,
        are_coaches=are_coaches,
        factors=(write_factors(factor(one)), write_factors(factor(other))),
        multiple=write_factors(factor(key)),
    )
    return exercise.open(
        key,
        (one * other, "product-not-the-least"),
        (gcd(one, other), "divisor-not-a-multiple"),
        (one + other, "times-added"),
        unit="min" if are_coaches else "s",
    )


# Common divisors ----------------------------------------------------------------------------------

_COPRIME: Final = ((2, 3), (2, 5), (3, 4), (3, 5), (4, 5), (2, 7), (3, 7), (5, 6))


@generates("maths.gcd", "3e")
def greatest_common_divisor(draw: Draw) -> Item:
    """Ask for the greatest common divisor of small numbers, then of large ones, then for equal
    groups or square tiles."""
    hard = draw.one_of((_make_groups, _lay_tiles))
    return draw.by_level(_divide_both, _divide_in_turn, hard)(draw)


def _list_divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def _divide_both(draw: Draw) -> Item:
    key = draw.one_of((4, 6, 8, 9, 10, 12))
    less, more = draw.one_of([(m, n) for m, n in _COPRIME if key * n <= 60])
    one, other = key * less, key * more
    numbers = (one, other) if draw.flip() else (other, one)
    exercise = draw.exercise(
        "divide_both",
        numbers=numbers,
        divisors=tuple(map(_list_divisors, numbers)),
        small=min(factor(key)),
    )
    return exercise.choice(
        key,
        (_list_divisors(key)[-2], "not-the-greatest-divisor"),
        (lcm(one, other), "multiple-instead-of-divisor"),
        (one, "divides-only-one"),
    )


def _divide_until_zero(more: int, less: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield dividend, divisor, quotient and remainder of Euclid's divisions."""
    while less:
        yield more, less, *divmod(more, less)
        more, less = less, more % less


def _draw_for_euclid(draw: Draw, keys: tuple[int, ...]) -> tuple[int, int, list[str], int]:
    """Draw two numbers with one of the greatest common divisors, the greater first.

    Returns:
        Both; Euclid's divisions, of which there are three or four; the first remainder.
    """
    key = draw.one_of(keys)
    pairs = [
        (m, n)
        for m in range(7, 20)
        for n in range(4, m)
        if gcd(m, n) == 1 and len(list(_divide_until_zero(m, n))) in (3, 4)
    ]
    more, less = (key * each for each in draw.one_of(pairs))
    divisions = list(_divide_until_zero(more, less))
    lines = [f"${a} = {b} \\times {quotient} + {rest}$" for a, b, quotient, rest in divisions]
    return more, less, lines, divisions[0][3]


def _divide_in_turn(draw: Draw) -> Item:
    more, less, divisions, rest = _draw_for_euclid(draw, (6, 8, 9, 12, 14, 15, 18, 21))
    key = gcd(more, less)
    exercise = draw.exercise("divide_in_turn", more=more, less=less, rest=rest, divisions=divisions)
    return exercise.choice(
        key,
        (rest, "first-remainder-given"),
        (_list_divisors(key)[-2], "not-the-greatest-divisor"),
        (more - less, "numbers-subtracted"),
        (2 * key, "divides-only-one"),
    )


_THINGS: Final[tuple[tuple[Pair, Pair, Pair], ...]] = (
    (("cahiers", "exercise books"), ("stylos", "pens"), ("lot", "pack")),
    (("mangues", "mangoes"), ("papayes", "papayas"), ("panier", "basket")),
    (("beignets", "doughnuts"), ("bananes", "bananas"), ("sachet", "bag")),
)
"""Two things, in the plural, and what holds them, in the singular."""


def _make_groups(draw: Draw) -> Item:
    """Ask for the number of equal groups, or for how many of one thing are in each."""
    more, less, divisions, _ = _draw_for_euclid(draw, (6, 8, 9, 12, 14, 15))
    key = gcd(more, less)
    things = draw.one_of(_THINGS)
    asks_share = draw.flip()
    exercise = draw.exercise(
        "make_groups",
        numbers=(more, less),
        things=things,
        divisions=divisions,
        groups=key,
        asks_share=asks_share,
    )
    if asks_share:
        return exercise.open(
            more // key, (key, "groups-given"), (less // key, "other-thing-counted")
        )
    return exercise.open(
        key,
        (_list_divisors(key)[-2], "not-the-greatest-divisor"),
        (more - less, "numbers-subtracted"),
        (less, "divides-only-one"),
    )


def _lay_tiles(draw: Draw) -> Item:
    more, less, divisions, _ = _draw_for_euclid(draw, (15, 20, 24, 25, 30))
    key = gcd(more, less)
    return draw.exercise("lay_tiles", more=more, less=less, divisions=divisions).open(
        key,
        (_list_divisors(key)[-2], "not-the-greatest-divisor"),
        (more - less, "numbers-subtracted"),
        (less, "divides-only-one"),
        unit="cm",
    )

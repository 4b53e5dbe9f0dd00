"""Exercises on conditional probabilities in 1re and the binomial law in Terminale."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Final

from bot.practice.generator import Draw, Item, generates

_SITUATIONS: Final = ("school", "market", "workshop", "cocoa", "phone")
"""The subjects of the events; see the texts."""


def _tenths(number: int) -> Decimal:
    return Decimal(number).scaleb(-1)


@generates("maths.conditional-probability", "1re")
def conditional_probability(draw: Draw) -> Item:
    """Ask for a path in the tree, then the total probability, then the reversed condition."""
    a = _tenths(draw.one_of((2, 3, 4, 6, 7, 8)))
    given_a = _tenths(draw.between(1, 9))
    given_other = _tenths(draw.one_of([n for n in range(1, 10) if _tenths(n) != given_a]))
    situation = draw.one_of(_SITUATIONS)
    return draw.by_level(_path, _total, _turned_round)(draw, situation, a, given_a, given_other)


def _path(draw: Draw, situation: str, a: Decimal, given_a: Decimal, given_other: Decimal) -> Item:
    exercise = draw.exercise(
        "path", situation=situation, a=a, given_a=given_a, given_other=given_other
    )
    return exercise.choice(
        a * given_a,
        ((1 - a) * given_other, "other-branch"),
        (given_a, "conditional-as-joint"),
        (a * (1 - given_a), "out-of-place"),
        (a * given_other, "other-branch"),
    )


def _total(draw: Draw, situation: str, a: Decimal, given_a: Decimal, given_other: Decimal) -> Item:
    first, second = a * given_a, (1 - a) * given_other
    too_much = given_a + given_other
    exercise = draw.exercise(
        "total", situation=situation, a=a, given_a=given_a, given_other=given_other
    )
    return exercise.choice(
        first + second,
        (first, "one-path"),
        (too_much / 2, "unweighted"),
        (too_much if too_much < 1 else None, "added-conditionals"),
        (second, "one-path"),
    )


def _turned_round(
    draw: Draw, situation: str, a: Decimal, given_a: Decimal, given_other: Decimal
) -> Item:
    joint, other = a * given_a, (1 - a) * given_other
    key = Fraction(joint) / Fraction(joint + other)
    exercise = draw.exercise(
        "turned_round", situation=situation, a=a, given_a=given_a, given_other=given_other
    )
    return exercise.choice(
        key,
        (Fraction(given_a), "inverted"),
        (Fraction(joint), "joint-only"),
        (1 - key, "other-given"),
        (Fraction(a), "prior"),
    )


_EXPERIMENTS: Final = ("quiz", "seeds", "basket", "taxi")


@generates("maths.binomial-law", "Terminale")
def binomial_law(draw: Draw) -> Item:
    """Ask for the expectation, then for exactly `k` successes, then for at least one."""
    return draw.by_level(_expectation, _exactly, _at_least_one)(draw)


def _expectation(draw: Draw) -> Item:
    above, below = draw.one_of(((1, 3), (2, 3), (1, 4), (3, 4), (1, 5), (2, 5), (3, 5), (4, 5)))
    p, n = Fraction(above, below), below * below * draw.between(1, 4)
    mean = int(n * p)
    return draw.exercise("expectation", story=draw.one_of(_EXPERIMENTS), n=n, p=p).choice(
        mean,
        (n * p * (1 - p), "variance"),
        (n - mean, "failures"),
        (Fraction(n, 2), "half"),
        (n // below, "one-success"),
    )


def _exactly(draw: Draw) -> Item:
    n = draw.between(3, 4)
    successes = draw.between(1, n - 1)
    p = draw.one_of((Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4)))
    one_path = p**successes * (1 - p) ** (n - successes)
    ways = comb(n, successes)
    exercise = draw.exercise(
        "exactly",
        story=draw.one_of(_EXPERIMENTS),
        n=n,
        p=p,
        successes=successes,
        ways=ways,
        one_path=one_path,
    )
    return exercise.choice(
        ways * one_path,
        (one_path, "no-coefficient"),
        (ways * p ** (n - successes) * (1 - p) ** successes, "exponents-swapped"),
        (p**successes, "no-failures"),
        ((1 - p) ** (n - successes), "failures"),
    )


def _at_least_one(draw: Draw) -> Item:
    n = draw.between(2, 4)
    p = draw.one_of((Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4)))
    none = (1 - p) ** n
    key = 1 - none
    return draw.exercise("at_least_one", story=draw.one_of(_EXPERIMENTS), n=n, p=p).choice(
        key,
        (none, "none"),
        (n * p * (1 - p) ** (n - 1), "exactly-one"),
        (p**n, "all"),
        (1 - p**n, "not-all"),
    )

"""Exercises on mean (5e), median, simple probability (3e), conditional probability (1re) and the
binomial law (Terminale).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.notation import make_decimal

# Mean ---------------------------------------------------------------------------------------------


@generates("maths.mean", "5e")
def find_mean(draw: Draw) -> Item:
    """Ask for the mean of four numbers, then with a zero, then with coefficients or a missing
    mark."""
    if draw.difficulty == 3:
        return draw.one_of((_weigh_marks, _find_missing_mark))(draw)
    count = draw.by_level(4, 5, 0)
    while True:
        numbers = [draw.between(5, 19) for _ in range(count)]
        if draw.difficulty == 2:
            numbers[draw.between(1, 3)] = 0
        whole = sum(numbers) % count == 0
        if len(set(numbers)) == count and (whole or draw.difficulty == 2):
            break
    total = sum(numbers)
    key = Decimal(total) / count
    sells = draw.difficulty == 1 and draw.flip()
    return draw.exercise("find_mean", numbers=numbers, sells=sells).choice(
        key, *_wrong_means(numbers)
    )


def _wrong_means(numbers: Sequence[int]) -> list[Wrong]:
    total, count, ordered = sum(numbers), len(numbers), sorted(numbers)
    return [
        (Decimal(total) / (count - 1) if 0 in numbers else None, "zero-not-counted"),
        (total, "division-forgotten"),
        (Decimal(ordered[0] + ordered[-1]) / 2, "middle-of-the-extremes"),
        (Decimal(ordered[(count - 1) // 2] + ordered[count // 2]) / 2, "median-instead-of-mean"),
        (Decimal(total) / 2, "divided-by-2"),
    ]


def _weigh_marks(draw: Draw) -> Item:
    """Ask for the mean of three marks with coefficients that add up to 10."""
    weights = draw.one_of(((5, 3, 2), (4, 3, 3), (4, 4, 2), (5, 4, 1)))
    while True:
        marks = draw.random.sample(range(6, 19), 3)
        products = [mark * weight for mark, weight in zip(marks, weights, strict=True)]
        if abs(30 * sum(products) - 100 * sum(marks)) >= 150:  # half a mark from the plain mean
            break
    key = Decimal(sum(products)) / 10
    return draw.exercise("weigh_marks", marks=marks, weights=weights, products=products).open(
        key,
        (Fraction(sum(marks), 3), "weights-forgotten"),
        (Fraction(sum(products), 3), "divided-by-the-number-of-marks"),
    )


def _find_missing_mark(draw: Draw) -> Item:
    count = draw.between(3, 4)
    marks = draw.random.sample(range(8, 16), count)
    total = sum(marks)
    after = count + 1
    means = [m for m in range(9, 17) if 8 <= m * after - total <= 20 and m * count != total]
    mean = draw.one_of(means)
    key = mean * after - total
    exercise = draw.exercise("find_missing_mark", marks=marks, mean=mean, after=after, total=total)
    return exercise.open(
        key, (abs(mean * count - total), "next-mark-not-counted"), (mean, "mean-taken-for-the-mark")
    )


# Median -------------------------------------------------------------------------------------------


@generates("maths.median", "3e")
def find_median(draw: Draw) -> Item:
    """Ask for the median of an odd number of values, then an even one, then repeated values."""
    if draw.difficulty == 3:
        return _find_median_of_counts(draw)
    count = draw.by_level(draw.one_of((5, 7)), draw.one_of((6, 8)), 0)
    while True:
        numbers = draw.random.sample(range(1, 20), count)
        ordered = sorted(numbers)
        low, high = ordered[(count - 1) // 2], ordered[count // 2]
        unordered = Decimal(numbers[(count - 1) // 2] + numbers[count // 2]) / 2
        ends = Decimal(ordered[0] + ordered[-1]) / 2
        if len({unordered, ends, Decimal(low + high) / 2}) == 3 and high - low != 1:
            break
    key = Decimal(low + high) / 2
    exercise = draw.exercise("find_median", numbers=numbers, ordered=ordered, low=low, high=high)
    return exercise.choice(
        key,
        (unordered, "series-not-sorted"),
        (ends, "middle-of-the-range"),
        (low if low != high else ordered[count // 2 + 1], "wrong-rank"),
        (ordered[-1] - ordered[0], "range-instead-of-median"),
    )


def _find_median_of_counts(draw: Draw) -> Item:
    """Ask for the median of ages, given how many pupils have each age."""
    first = draw.between(12, 14)
    ages = range(first, first + 4)
    while True:
        counts = [draw.between(2, 9) for _ in ages]
        total = sum(counts)
        series = [age for age, times in zip(ages, counts, strict=True) for _ in range(times)]
        key = series[total // 2]
        if total % 2 and key != ages[counts.index(max(counts))] and 2 * key != 2 * first + 3:
            break
    return draw.exercise("find_median_of_counts", ages=ages, counts=counts, total=total).open(
        key,
        (ages[counts.index(max(counts))], "most-frequent-age"),
        (Decimal(2 * first + 3) / 2, "counts-forgotten"),
    )


# Probability --------------------------------------------------------------------------------------


@generates("maths.probability-simple", "3e")
def find_probability(draw: Draw) -> Item:
    """Ask for the probability of a colour, then of a numbered card, then of two draws in a row."""
    if draw.difficulty == 2:
        return _draw_card(draw)
    red = draw.between(2, 7)
    green = draw.one_of([n for n in range(2, 9) if n != red])
    total = red + green
    if draw.difficulty == 3:
        return _draw_twice(draw, red, green)
    return draw.exercise("find_probability", red=red, green=green, total=total).choice(
        Fraction(red, total),
        (Fraction(red, green), "red-compared-with-green"),
        (Fraction(green, total), "other-colour"),
        (Fraction(1, 2), "colours-thought-equally-likely"),
        (Fraction(1, total), "only-one-ball-counted"),
    )


def _draw_card(draw: Draw) -> Item:
    """Ask for the probability that a card, numbered from 1, is no multiple of a number."""
    divisor, total = draw.between(3, 5), draw.between(10, 20)
    multiples = list(range(divisor, total + 1, divisor))
    good = total - len(multiples)
    exercise = draw.exercise(
        "draw_card", total=total, divisor=divisor, multiples=multiples, good=good
    )
    return exercise.choice(
        Fraction(good, total),
        (Fraction(len(multiples), total), "opposite-event"),
        (Fraction(total - 1, total), "only-one-multiple-counted"),
        (Fraction(len(multiples), good), "compared-with-the-other-group"),
        (Fraction(divisor, total), "divisor-taken-for-the-count"),
    )


def _draw_twice(draw: Draw, red: int, green: int) -> Item:
    """Ask for the probability of red twice, with the ball put back."""
    total = red + green
    one = Fraction(red, total)
    return draw.exercise("draw_twice", red=red, green=green, one=one, total=total).open(
        one * one,
        (2 * one, "probabilities-added"),
        (one, "one-draw-only"),
        (one * Fraction(red - 1, total - 1), "ball-not-put-back"),
    )


# Conditional probability and the binomial law -----------------------------------------------------

_SITUATIONS: Final = ("school", "market", "workshop", "cocoa", "phone")
"""The subjects of the events; see the texts."""


@generates("maths.conditional-probability", "1re")
def conditional_probability(draw: Draw) -> Item:
    """Ask for a path in the tree, then the total probability, then the reversed condition."""
    a = make_decimal(draw.one_of((2, 3, 4, 6, 7, 8)), 1)
    given_a = make_decimal(draw.between(1, 9), 1)
    others = [make_decimal(n, 1) for n in range(1, 10)]
    given_other = draw.one_of([each for each in others if each != given_a])
    situation = draw.one_of(_SITUATIONS)
    name = draw.by_level("path", "total", "turned_round")
    exercise = draw.exercise(
        name, situation=situation, a=a, given_a=given_a, given_other=given_other
    )
    first, second = a * given_a, (1 - a) * given_other
    if draw.difficulty == 1:
        return exercise.choice(
            first,
            (second, "other-branch"),
            (given_a, "conditional-as-joint"),
            (a * (1 - given_a), "out-of-place"),
            (a * given_other, "other-branch"),
        )
    if draw.difficulty == 2:
        too_much = given_a + given_other
        return exercise.choice(
            first + second,
            (first, "one-path"),
            (too_much / 2, "unweighted"),
            (too_much if too_much < 1 else None, "added-conditionals"),
            (second, "one-path"),
        )
    key = Fraction(first) / Fraction(first + second)
    return exercise.choice(
        key,
        (Fraction(given_a), "inverted"),
        (Fraction(first), "joint-only"),
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

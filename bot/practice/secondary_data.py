"""Exercises on mean (5e), median and probability (3e)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, Wrong, generates

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
    sells = draw.difficulty == 1 and draw.one_of((True, False))
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
    marks = draw.random.sample(range(6, 19), 3)
    products = [mark * weight for mark, weight in zip(marks, weights, strict=True)]
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

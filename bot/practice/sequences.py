"""Exercises on arithmetic and geometric sequences, in 1re."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, generates


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

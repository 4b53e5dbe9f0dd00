"""Square roots (3e): of perfect squares, simplified, added and subtracted."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.notation import write_root


@generates("maths.square-roots", "3e")
def simplify_square_roots(draw: Draw) -> Item:
    """The root of a perfect square, then `a√b`, then a sum or difference of roots."""
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
        else (f"${k * k * m // 2}$", "half-taken-for-the-square-root"),
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
    """`√(p²m) ± √(q²m)`, with the answer in the form `a√m`."""
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

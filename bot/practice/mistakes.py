"""Words in both languages and mistakes that several generators share."""

from __future__ import annotations

from collections.abc import Callable

from bot.practice.generator import Draw, Wrong
from bot.practice.notation import Pair


def say_each(draw: Draw, *texts: Pair | str) -> list[str]:
    """The texts in the language of the item; one that is no pair is the same in both."""
    return [text if isinstance(text, str) else draw.say(*text) for text in texts]


def choose_mistakes(key: int, candidates: list[Wrong]) -> list[Wrong]:
    """Pass."""
    return candidates


def by_column(first: int, second: int, combine: Callable[[int, int], int]) -> int:
    """Join two numbers digit by digit, without carrying: each column keeps its ones digit."""
    result, place = 0, 1
    while first or second:
        result += place * (combine(first % 10, second % 10) % 10)
        first, second, place = first // 10, second // 10, place * 10
    return result

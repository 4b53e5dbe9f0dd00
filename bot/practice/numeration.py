"""Exercises on numbers up to a hundred: comparing them, and their tens and ones."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import Pair

SIGNS: Final[dict[str, Pair]] = {
    "<": ("est plus petit que", "is less than"),
    "=": ("est égal à", "is equal to"),
    ">": ("est plus grand que", "is greater than"),
}
WRONG_SIGNS: Final = {
    "<": "less-than-misread",
    ">": "greater-than-misread",
    "=": "numbers-that-look-alike-taken-as-equal",
}


@generates("maths.compare-to-100", "CP")
def compare_to_100(draw: Draw) -> Item:
    """Ask for the greatest of three, then the sign between two, then a list in order."""
    return draw.by_level(_find_greatest, _choose_sign, _choose_order)(draw)


def _find_greatest(draw: Draw) -> Item:
    tens = draw.between(3, 8)
    unit = draw.between(0, tens - 2)
    greatest = 10 * tens + unit
    others = [
        (10 * (tens - 2) + 9, "ones-compared-first"),
        (10 * (tens - 1) + draw.between(unit + 1, 8), "digits-compared-alone"),
    ]
    numbers = [greatest, *(other for other, _ in others)]
    draw.random.shuffle(numbers)
    return draw.exercise("find_greatest", numbers=numbers, tens=tens).choice(greatest, *others)


def _choose_sign(draw: Draw) -> Item:
    tens, unit = draw.between(1, 9), draw.between(0, 9)
    while tens == unit:
        unit = draw.between(0, 9)
    first = 10 * tens + unit
    turned = 10 * unit + tens
    same_tens = 10 * tens + (unit + draw.between(1, 9)) % 10
    second = draw.one_of([turned if unit else same_tens, same_tens, first])
    signs = {"<": first < second, "=": first == second, ">": first > second}
    key = next(sign for sign, right in signs.items() if right)
    return draw.exercise("choose_sign", first=first, second=second, words=SIGNS[key]).choice(
        key, *[(sign, WRONG_SIGNS[sign]) for sign in signs if sign != key]
    )


def _choose_order(draw: Draw) -> Item:
    tens = draw.between(2, 7)
    unit = draw.between(tens + 1, 9)
    low, high = 10 * tens + unit, 10 * unit + tens
    middle = 10 * (tens + 1) + draw.between(0, tens - 1)
    numbers = [low, middle, high]
    asked = numbers.copy()
    while asked in (numbers, numbers[::-1]):
        draw.random.shuffle(asked)
    return draw.exercise("choose_order", asked=asked, low=low, high=high, middle=middle).choice(
        f"{low} < {middle} < {high}",
        (f"{middle} < {high} < {low}", "ordered-by-the-ones"),
        (f"{high} < {middle} < {low}", "order-reversed"),
        (f"{low} < {high} < {middle}", "two-numbers-swapped"),
    )


@generates("maths.tens-and-ones", "CP")
def tens_and_ones(draw: Draw) -> Item:
    """Ask for a number from tens and ones, then for a digit, then to regroup more than nine
    ones."""
    return draw.by_level(_write_number, _find_digit, _regroup_ones)(draw)


def _write_number(draw: Draw) -> Item:
    tens = draw.between(2, 9)
    unit = draw.one_of([digit for digit in range(2, 10) if digit != tens])
    return draw.exercise("write_number", tens=tens, unit=unit).choice(
        10 * tens + unit,
        (10 * unit + tens, "tens-and-ones-swapped"),
        (tens + unit, "digits-added"),
        (100 * tens + unit, "zero-too-many"),
    )


def _find_digit(draw: Draw) -> Item:
    tens = draw.between(2, 9)
    unit = draw.one_of([digit for digit in range(1, 10) if digit != tens])
    asks_tens = draw.one_of([True, False])
    place = ("dizaines", "tens") if asks_tens else ("unités", "ones")
    key, other = (tens, unit) if asks_tens else (unit, tens)
    return draw.exercise("find_digit", unit=unit, tens=tens, place=place).choice(
        key,
        (other, "other-digit-given"),
        (10 * tens, "value-instead-of-the-digit"),
        (tens + unit, "sum-instead-of-one-digit"),
    )


def _regroup_ones(draw: Draw) -> Item:
    tens, ones = draw.between(2, 7), draw.between(11, 19)
    key = 10 * tens + ones
    return draw.exercise("regroup_ones", tens=tens, ones=ones).choice(
        key,
        (100 * tens + ones, "numbers-joined"),
        (tens + ones, "packs-counted-as-pencils"),
        (10 * tens + ones - 10, "ten-among-ones-forgotten"),
    )

"""Exercises on whole numbers in primary school: comparing them, their tens and ones, adding,
subtracting and rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FOOD, FRUIT
from bot.practice.notation import Pair

# Numbers up to a hundred --------------------------------------------------------------------------

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
    asks_tens = draw.flip()
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


# Adding and subtracting ---------------------------------------------------------------------------


def combine_columns(a: int, b: int, combine: Callable[[int, int], int]) -> int:
    """Combine two numbers digit by digit, without carrying: each column keeps its ones digit."""
    result, place = 0, 1
    while a or b:
        result += place * (combine(a % 10, b % 10) % 10)
        a, b, place = a // 10, b // 10, place * 10
    return result


@generates("maths.add-within-20", "CP")
def add_within_20(draw: Draw) -> Item:
    """Ask for a sum up to ten, then past ten, then for the number missing to a total."""
    if draw.difficulty == 3:
        return _complete_to_total(draw)
    a = draw.between(2, 7) if draw.difficulty == 1 else draw.between(3, 9)
    b = draw.between(1, 10 - a) if draw.difficulty == 1 else draw.between(11 - a, 9)
    counted = ", ".join(str(n) for n in range(max(a, b) + 1, a + b + 1))
    return draw.exercise("add_within_20", a=a, b=b, counted=counted).choice(
        a + b,
        (a + b - 1, "first-number-counted"),
        (abs(a - b), "subtracted"),
        (a + b + 1, "miscounted"),
    )


def _complete_to_total(draw: Draw) -> Item:
    a = draw.between(3, 9)
    b = draw.one_of([b for b in range(11 - a, 10) if b != a])
    fruit = draw.one_of(FRUIT)
    return draw.exercise("complete_to_total", a=a, b=b, fruit=fruit).open(
        b, (a + a + b, "added"), (b + 1, "miscounted"), (b - 1, "miscounted")
    )


@generates("maths.subtract-within-20", "CP")
def subtract_within_20(draw: Draw) -> Item:
    """Ask for a difference below ten, then through ten, then between two baskets."""
    if draw.difficulty == 3:
        return _compare_baskets(draw)
    a = draw.between(4, 10) if draw.difficulty == 1 else draw.between(11, 17)
    b = draw.between(2, a - 1) if draw.difficulty == 1 else draw.between(a - 9, 9)
    counted = ", ".join(str(n) for n in range(a - 1, a - b - 1, -1))
    return draw.exercise("subtract_within_20", a=a, b=b, counted=counted).choice(
        a - b, (a - b + 1, "first-number-counted-back"), (a + b, "added"), (a - b - 1, "miscounted")
    )


def _compare_baskets(draw: Draw) -> Item:
    more = draw.between(12, 17)
    fewer = draw.one_of([n for n in range(more - 9, 10) if 2 * n != more])
    fruit = draw.one_of(FRUIT)
    return draw.exercise("compare_baskets", more=more, fewer=fewer, fruit=fruit).open(
        more - fewer,
        (more + fewer, "added"),
        (more - fewer + 1, "miscounted"),
        (more - fewer - 1, "miscounted"),
    )


@generates("maths.add-to-100", "CE1")
def add_to_100(draw: Draw) -> Item:
    """Ask to add two-digit numbers: without a carry, then with one, then in a story."""
    tens_a, tens_b = draw.between(1, 4), draw.between(1, 4)
    unit_a = draw.between(1, 5) if draw.difficulty == 1 else draw.between(3, 9)
    unit_b = draw.between(1, 4) if draw.difficulty == 1 else draw.between(11 - unit_a, 9)
    a, b = 10 * tens_a + unit_a, 10 * tens_b + unit_b
    goods = draw.one_of((*FRUIT, *FOOD))
    return draw.exercise("add_to_100", a=a, b=b, goods=goods).choice(
        a + b,
        (a + b - 10 if unit_a + unit_b >= 10 else None, "no-carry"),
        (a + b + 10, "one-ten-too-many"),
        (abs(a - b), "subtracted"),
        (a + b + 1, "miscounted"),
    )


@generates("maths.add-to-1000", "CE2")
def add_to_1000(draw: Draw) -> Item:
    """Ask to add three-digit numbers: without a carry, then with one, then with two in a story."""
    hundreds_a, hundreds_b = draw.between(1, 4), draw.between(1, 4)
    least_units, least_tens = draw.by_level((0, 0), (11, 0), (11, 10))
    unit_a, unit_b = _draw_column(draw, least_units)
    ten_a, ten_b = _draw_column(draw, least_tens)
    a, b = 100 * hundreds_a + 10 * ten_a + unit_a, 100 * hundreds_b + 10 * ten_b + unit_b
    wrong = [
        (combine_columns(a, b, lambda one, other: one + other), "no-carry"),
        (a + b - 10, "no-carry") if draw.difficulty == 3 else (a + b + 1, "miscounted"),
        (abs(a - b), "subtracted"),
        (a + b + 100, "one-hundred-too-many"),
        (a + b - 1, "miscounted"),
    ]
    exercise = draw.exercise("add_to_1000", a=a, b=b, past_hundred=a + 100 * hundreds_b)
    if draw.difficulty < 3:
        return exercise.choice(a + b, *wrong)
    return exercise.open(a + b, *wrong, unit="kg")


def _draw_column(draw: Draw, least: int) -> tuple[int, int]:
    """Return two digits of a column, from 1 on: with a sum of at least `least`, or below ten if
    `least` is 0."""
    first = draw.between(max(2, least - 9), 9) if least else draw.between(1, 7)
    return first, draw.between(least - first, 9) if least else draw.between(1, 8 - first)


@generates("maths.subtract-to-100", "CE1")
def subtract_to_100(draw: Draw) -> Item:
    """Ask to subtract two-digit numbers: without borrowing, then with it, then in a story."""
    tens_b = draw.between(1, 5)
    tens_a = draw.between(tens_b + 2, 9)
    unit_a = draw.between(4, 9) if draw.difficulty == 1 else draw.between(0, 6)
    unit_b = draw.between(1, unit_a - 1) if draw.difficulty == 1 else draw.between(unit_a + 2, 9)
    a, b = 10 * tens_a + unit_a, 10 * tens_b + unit_b
    stories = ("hall", "mangoes", "book") if draw.difficulty == 3 else ()
    return _ask_difference(draw, "subtract_to_100", a, b, stories)


@generates("maths.subtract-to-1000", "CE2")
def subtract_to_1000(draw: Draw) -> Item:
    """Ask to subtract three-digit numbers: without borrowing, then once, then with a zero in a
    story."""
    hundreds_b = draw.between(1, 4)
    hundreds_a = draw.between(hundreds_b + 2, 9)
    ten_a = draw.by_level(draw.between(4, 9), draw.between(4, 9), 0)
    ten_b = draw.between(1, draw.by_level(3, 3, 9))
    unit_a = draw.by_level(draw.between(4, 9), draw.between(0, 6), draw.between(0, 6))
    unit_b = draw.between(1, 3) if draw.difficulty == 1 else draw.between(unit_a + 1, 9)
    a, b = 100 * hundreds_a + 10 * ten_a + unit_a, 100 * hundreds_b + 10 * ten_b + unit_b
    stories = ("canteen", "coach") if draw.difficulty == 3 else ()
    return _ask_difference(draw, "subtract_to_1000", a, b, stories)


def _ask_difference(draw: Draw, name: str, a: int, b: int, stories: tuple[str, ...]) -> Item:
    """Ask for a difference as a choice, or as an answer to type if there are stories."""
    borrowed = "ten-not-taken-off" if b % 10 > a % 10 else "one-ten-too-many"
    wrong: list[Wrong] = [
        (combine_columns(a, b, lambda one, other: abs(one - other)), "column-turned-round"),
        (a - b + 10, borrowed),
        (a + b, "added"),
        (a - b + 1, "miscounted"),
    ]
    story = draw.one_of(stories) if stories else ""
    exercise = draw.exercise(name, a=a, b=b, story=story, parts=_subtract_in_parts(a, b))
    unit = "km" if story == "coach" else ""
    return exercise.open(a - b, *wrong, unit=unit) if stories else exercise.choice(a - b, *wrong)


def _subtract_in_parts(a: int, b: int) -> list[str]:
    """Return the steps that subtract `b` from `a` place by place, the greatest place first."""
    steps: list[str] = []
    for place in (100, 10, 1):
        part = b // place % 10 * place
        if part:
            steps.append(f"${a} - {part} = {a - part}$")
            a -= part
    return steps


# Rounding -----------------------------------------------------------------------------------------

_ROUND_TO: Final[dict[int, tuple[Pair, Pair]]] = {
    10: (("à la dizaine", "ten"), ("unités", "ones")),
    100: (("à la centaine", "hundred"), ("dizaines", "tens")),
    1000: (("au millier", "thousand"), ("centaines", "hundreds")),
}
"""For each place to round to: how it is said, and the place of the digit that decides."""
_BOUGHT: Final[tuple[tuple[Pair, Pair], ...]] = (
    (("un vélo", "a bicycle"), ("un matelas", "a mattress")),
    (("un téléphone", "a phone"), ("un ventilateur", "a fan")),
    (("une table", "a table"), ("un sac de riz", "a bag of rice")),
)


@generates("maths.round-numbers", "CM1")
def round_numbers(draw: Draw) -> Item:
    """Ask to round to the nearest ten, then to a hundred or a thousand, then for the sum of two
    rounded prices."""
    if draw.difficulty == 3:
        return _estimate_total(draw)
    place = 10 if draw.difficulty == 1 else draw.one_of([100, 1000])
    number = _draw_to_round(draw, place, 98)
    low, high = _find_neighbours(number, place)
    key, other = (high, low) if number - low > place // 2 else (low, high)
    to, decides = _ROUND_TO[place]
    exercise = draw.exercise(
        "round_number", number=number, to=to, decides=decides, low=low, high=high
    )
    return exercise.choice(
        key,
        (other, "farther-neighbour"),
        (key // place, "zeros-forgotten"),
        (10 * place * round(number / (10 * place)), "rounded-to-another-place"),
        (key + number % (place // 10), "digits-kept"),
    )


def _draw_to_round(draw: Draw, place: int, most: int) -> int:
    """Draw a number with 11 to `most` times the place; not halfway, not near a greater one."""
    times = draw.one_of([n for n in range(11, most + 1) if n % 10 not in (0, 9)])
    digit = draw.one_of([1, 2, 3, 4, 6, 7, 8, 9])
    return times * place + digit * place // 10 + (draw.between(1, place // 10) - 1)


def _find_neighbours(number: int, place: int) -> tuple[int, int]:
    """Return the multiples of the place just below and just above."""
    low = number // place * place
    return low, low + place


def _estimate_total(draw: Draw) -> Item:
    prices = [10 * (_draw_to_round(draw, 1000, 48) // 10) for _ in "ab"]
    neighbours = [_find_neighbours(price, 1000) for price in prices]
    rounded = [
        high if price - low > 500 else low
        for price, (low, high) in zip(prices, neighbours, strict=True)
    ]
    exercise = draw.exercise(
        "estimate_total", things=draw.one_of(_BOUGHT), prices=prices, rounded=rounded
    )
    return exercise.open(
        sum(rounded),
        (sum(prices), "not-rounded"),
        (sum(low for low, _ in neighbours), "always-rounded-down"),
        (sum(high for _, high in neighbours), "always-rounded-up"),
        (1000 * round(sum(prices) / 1000), "total-rounded"),
        unit="FCFA",
    )

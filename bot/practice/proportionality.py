"""Exercises on prices in proportion (CM2), percentages (CM2 and 4e), proportions, speeds (4e)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FOOD, FRUIT, SCHOOL_THINGS, Goods
from bot.practice.notation import Pair, write_fraction

# Prices in proportion -----------------------------------------------------------------------------


@generates("maths.proportionality-price", "CM2")
def proportionality_price(draw: Draw) -> Item:
    """Ask for a multiple's price, then by way of the price of one, then how many a sum buys."""
    goods = draw.one_of(FRUIT + SCHOOL_THINGS[:3] + FOOD[:3])
    price = draw.one_of(goods.prices)
    count = draw.between(3, 6)
    if draw.difficulty == 1:
        return _pay_multiple(draw, goods, price, count)
    other = draw.one_of([n for n in range(2, 11) if n % count and count % n])
    if draw.difficulty == 2:
        return _pay_other_number(draw, goods, price, count, other)
    return _count_for_sum(draw, goods, price, count, other)


def _price_mistakes(price: int, count: int, other: int) -> list[Wrong]:
    """List wrong prices of `other` things when `count` of them cost `count * price`."""
    return [
        (price * count * other, "price-of-all-taken-for-one"),
        (price, "stopped-early"),
        (price * count + abs(other - count), "difference-added-to-the-price"),
        (price * (other + 1), "one-too-many"),
    ]


def _pay_multiple(draw: Draw, goods: Goods, price: int, count: int) -> Item:
    factor = draw.between(2, 4)
    other = count * factor
    exercise = draw.exercise(
        "pay_multiple", goods=goods, price=price, count=count, other=other, factor=factor
    )
    return exercise.open(price * other, *_price_mistakes(price, count, other), unit="FCFA")


def _pay_other_number(draw: Draw, goods: Goods, price: int, count: int, other: int) -> Item:
    exercise = draw.exercise("pay_other_number", goods=goods, price=price, count=count, other=other)
    return exercise.choice(price * other, *_price_mistakes(price, count, other), unit="FCFA")


def _count_for_sum(draw: Draw, goods: Goods, price: int, count: int, other: int) -> Item:
    known, money = price * count, price * other
    exercise = draw.exercise(
        "count_for_sum",
        count=count,
        goods=goods,
        known=known,
        money=money,
        price=price,
        other=other,
    )
    return exercise.open(
        other,
        (price, "stopped-early"),
        (other + 1, "more-than-the-money-buys"),
        (known - money if known > money else money - known, "subtracted"),
    )


# Percentages --------------------------------------------------------------------------------------

_EASY: Final = (10, 25, 50)
_USUAL: Final = (5, 15, 20, 30, 40, 75)
_SOLD: Final[tuple[tuple[Pair, tuple[int, ...]], ...]] = (
    (("Un sac d'école", "A school bag"), (4000, 5000, 6000, 8000)),
    (("Une paire de sandales", "A pair of sandals"), (2000, 2400, 3000, 3600)),
    (("Un ballon", "A football"), (3000, 3600, 4000, 5000)),
    (("Un pagne", "A wrapper cloth"), (5000, 6000, 7000, 9000)),
)


@generates("maths.percentage-simple", "CM2")
def percentage_simple(draw: Draw) -> Item:
    """Ask for 10, 25 or 50 per cent, then other percentages, then a price after a reduction."""
    if draw.difficulty == 3:
        return _reduce_price(draw)
    percent = draw.one_of(draw.by_level(_EASY, _USUAL, _USUAL))
    totals = draw.by_level((200, 400, 600, 800), (200, 300, 400, 600, 1200), ())
    # The hints contain the number 100, so the key must be another number.
    total = draw.one_of([n for n in totals if n * percent != 100 * 100])
    subject = draw.one_of(("cocoa", "school"))
    exercise = draw.exercise("percentage_simple", subject=subject, percent=percent, total=total)
    part = total * percent // 100
    return exercise.choice(
        part,
        (total // percent if total % percent == 0 else None, "divided-by-the-percentage"),
        (total - percent, "percentage-subtracted"),
        (total - part, "rest-instead-of-part"),
        (percent, "percentage-taken-as-the-result"),
    )


def _reduce_price(draw: Draw) -> Item:
    thing, prices = draw.one_of(_SOLD)
    price = draw.one_of(prices)
    percent = draw.one_of([10, 20, 25, 30, 40])
    cut = price * percent // 100
    key = price - cut
    exercise = draw.exercise(
        "reduce_price", thing=thing, price=price, percent=percent, cut=cut, new=key
    )
    return exercise.choice(
        key,
        (cut, "reduction-instead-of-price"),
        (price - percent, "percentage-subtracted-in-fcfa"),
        (price + cut, "reduction-added"),
        unit="FCFA",
    )


GOODS = (
    (("un pagne", "a piece of cloth"), 5, 25),
    (("un ballon", "a football"), 3, 12),
    (("un sac de riz", "a bag of rice"), 12, 30),
    (("un téléphone", "a phone"), 20, 90),
)
"""Goods in French and English, with their lowest and highest price in thousands of francs."""


@generates("maths.percentage-change", "4e")
def change_by_percentage(draw: Draw) -> Item:
    """Ask for a new price, then the percentage, then the old price or two changes in a row."""
    thing, least, most = draw.one_of(GOODS)
    percent = draw.one_of((5, 10, 15, 20, 25, 30, 40))
    price = 1000 * draw.between(least, most)
    rises = draw.flip()
    if draw.difficulty == 2:
        price = 11_000 if price == 10_000 else price
        return _find_percentage(draw, price, percent, rises=rises)
    if draw.difficulty == 3:
        if draw.flip():
            return _change_twice(draw, price)
        return _find_old_price(draw, price, thing)
    change = price * percent // 100
    new = price + change if rises else price - change
    exercise = draw.exercise(
        "change_by_percentage", thing=thing, price=price, percent=percent, rises=rises
    )
    return exercise.choice(
        new,
        (change, "change-given-for-the-price"),
        (price - change if rises else price + change, "wrong-direction"),
        (price + percent if rises else price - percent, "percentage-taken-for-francs"),
        unit="FCFA",
    )


def _find_percentage(draw: Draw, price: int, percent: int, *, rises: bool) -> Item:
    change = price * percent // 100
    new = price + change if rises else price - change
    exercise = draw.exercise(
        "find_percentage",
        price=price,
        new=new,
        change=change,
        percent=percent,
        rises=rises,
        share=Decimal(percent) / 100,
    )
    return exercise.choice(
        percent,
        (round(Fraction(100 * change, new)), "compared-with-the-new-price"),
        (100 * new // price, "new-price-as-a-percentage"),
        (Decimal(change) / 100, "change-divided-by-100"),
        (100 - percent, "rest-of-the-percentage"),
        unit="%",
    )


def _find_old_price(draw: Draw, price: int, thing: Pair) -> Item:
    """Ask for the price before a discount."""
    percent = draw.one_of((10, 20, 25, 40))
    new = price * (100 - percent) // 100
    part = Decimal(100 - percent) / 100
    return draw.exercise("find_old_price", thing=thing, percent=percent, new=new, part=part).open(
        price,
        (Decimal(new * (100 + percent)) / 100, "percentage-of-the-new-price"),
        (Decimal(new * (100 - percent)) / 100, "fall-done-again"),
        unit="FCFA",
    )


def _change_twice(draw: Draw, price: int) -> Item:
    """Ask for the price after a rise and a fall by the same percentage, which do not cancel out."""
    percent = draw.one_of((10, 20, 30, 50))
    middle = price * (100 + percent) // 100
    key = middle * (100 - percent) // 100
    exercise = draw.exercise(
        "change_twice",
        price=price,
        middle=middle,
        percent=percent,
        up=Decimal(100 + percent) / 100,
        down=Decimal(100 - percent) / 100,
    )
    return exercise.open(
        key, (price, "rise-and-fall-cancelled"), (middle, "fall-forgotten"), unit="FCFA"
    )


# Fourth proportional ------------------------------------------------------------------------------

_STORIES: Final = {
    "moto": (range(45, 61, 5), range(2, 5), range(6, 12)),
    "pump": (range(30, 61, 5), range(4, 10), range(12, 26)),
    "map": (range(3, 9), range(4, 8), range(9, 16)),
}
"""For each story: what one unit gives, the units that are known, the units that are asked for."""


@generates("maths.fourth-proportional", "4e")
def fourth_proportional(draw: Draw) -> Item:
    """Ask for a number of a table, then for the unknown of two equal quotients, then in a story."""
    return draw.by_level(_complete_table, _solve_quotients, _tell_proportion)(draw)


def _draw_proportion(draw: Draw) -> tuple[int, int, int, int]:
    """Draw whole numbers of which the first is to the second as the third is to the fourth; none
    comes twice."""
    part, whole = draw.one_of(((2, 3), (2, 5), (3, 4), (3, 5), (3, 7), (4, 5), (5, 6), (5, 8)))
    one, other = draw.one_of(
        [
            (m, n)
            for m in range(2, 10)
            for n in range(2, 10)
            if m != n and part * n != whole * m and whole * n != part * m
        ]
    )
    return part * one, whole * one, part * other, whole * other


def _proportion_mistakes(a: int, b: int, c: int) -> list[Wrong]:
    """List wrong answers for the number to which `c` is what `a` is to `b`."""
    return [
        (c + b - a if c + b > a else None, "difference-kept"),
        (b * c, "division-left-out"),
        (Fraction(a * c, b) if a * c % b == 0 else None, "wrong-product"),
        (Fraction(a * b, c) if a * b % c == 0 else None, "wrong-product"),
        (abs(b - a), "difference-given"),
    ]


def _complete_table(draw: Draw) -> Item:
    a, b, c, key = _draw_proportion(draw)
    return draw.exercise("complete_table", a=a, b=b, c=c, product=b * c).choice(
        key, *_proportion_mistakes(a, b, c)
    )


def _solve_quotients(draw: Draw) -> Item:
    """Ask for `x` above or below the bar, on the left or on the right of the equality."""
    a, b, c, key = _draw_proportion(draw)
    above, left = draw.flip(), draw.flip()
    known = write_fraction(b, a) if above else write_fraction(a, b)
    unknown = write_fraction("x", c) if above else write_fraction(c, "x")
    sides = (unknown, known) if left else (known, unknown)
    return draw.exercise("solve_quotients", sides=sides, a=a, b=b, c=c, product=b * c).choice(
        key, *_proportion_mistakes(a, b, c)
    )


def _tell_proportion(draw: Draw) -> Item:
    story = draw.one_of(tuple(_STORIES))
    rates, known, asked = _STORIES[story]
    rate, a, c = draw.one_of(rates), draw.one_of(known), draw.one_of(asked)
    # Litres of petrol and centimetres of a map are asked for, litres of water are given.
    exercise = draw.exercise("tell_proportion", story=story, a=a, b=rate * a, c=c, d=rate * c)
    if story == "pump":
        first, second, third, key, unit = a, rate * a, c, rate * c, "L"
    else:
        first, second, third, key, unit = rate * a, a, rate * c, c, "L" if story == "moto" else "cm"
    return exercise.open(
        key,
        (third + second - first if third + second > first else None, "difference-kept"),
        (second * third, "division-left-out"),
        (
            Decimal(first * second) / third if first * second * 100 % third == 0 else None,
            "wrong-product",
        ),
        unit=unit,
    )


# Speed --------------------------------------------------------------------------------------------


@generates("maths.speed", "4e")
def use_speed(draw: Draw) -> Item:
    """Ask for a speed, then a distance with minutes, then km/h from m/s or an average speed."""
    if draw.difficulty == 2:
        return _find_distance(draw)
    if draw.difficulty == 3:
        return draw.one_of((_convert_speed, _average_two_legs))(draw)
    speed, hours = 5 * draw.between(8, 18), draw.between(2, 5)
    distance = speed * hours
    rider = draw.one_of(
        (("Un taxi-brousse", "A bush taxi"), ("Un car", "A coach"), ("Un camion", "A lorry"))
    )
    return draw.exercise("use_speed", rider=rider, distance=distance, hours=hours).choice(
        speed,
        (distance * hours, "multiplied-instead-of-divided"),
        (distance - hours, "subtracted-instead-of-divided"),
        (distance, "time-forgotten"),
        unit="km/h",
    )


def _find_distance(draw: Draw) -> Item:
    speed, hours, minutes = 20 * draw.between(2, 5), draw.between(1, 4), draw.one_of((15, 30, 45))
    part = Decimal(minutes) / 60
    exercise = draw.exercise("find_distance", speed=speed, hours=hours, minutes=minutes, part=part)
    return exercise.choice(
        speed * (hours + part),
        (speed * (hours + Decimal(minutes) / 100), "min-read-as-0-h"),
        (speed * hours, "minutes-forgotten"),
        (speed * hours + minutes, "minutes-added-as-km"),
        unit="km",
    )


def _convert_speed(draw: Draw) -> Item:
    """Ask for a speed in metres per second to be written in km/h."""
    seconds = draw.one_of((10, 20, 25, 40, 50))
    speed = draw.between(3, 12)
    key = Decimal(speed) * Decimal("3.6")
    runner = draw.one_of(
        (("Un cycliste", "A cyclist"), ("Une antilope", "An antelope"), ("Un chien", "A dog"))
    )
    return draw.exercise("convert_speed", runner=runner, speed=speed, seconds=seconds).open(
        key,
        (speed, "unit-forgotten"),
        (Fraction(speed * 5, 18), "converted-the-wrong-way"),
        unit="km/h",
    )


def _average_two_legs(draw: Draw) -> Item:
    """Ask for the average speed of a journey in two parts at different speeds."""
    hours_one, hours_two = draw.one_of(((1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)))
    hours = hours_one + hours_two
    slow = 10 * draw.between(3, 5)
    fast = slow + hours * draw.between(4, 9)
    one, two = slow * hours_one, fast * hours_two
    key = Fraction(one + two, hours)
    exercise = draw.exercise(
        "average_two_legs", hours_one=hours_one, one=one, hours_two=hours_two, two=two, hours=hours
    )
    return exercise.open(
        key,
        (Decimal(slow + fast) / 2, "mean-of-the-two-speeds"),
        (one + two, "whole-time-forgotten"),
        unit="km/h",
    )

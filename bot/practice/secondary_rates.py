"""Exercises on percentages and speeds in 4e."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import Pair

GOODS = (
    (("un pagne", "a piece of cloth"), 5, 25),
    (("un ballon", "a football"), 3, 12),
    (("un sac de riz", "a bag of rice"), 12, 30),
    (("un téléphone", "a phone"), 20, 90),
)
"""Goods in French and English, with their lowest and highest price in thousands of francs."""

# Percentages --------------------------------------------------------------------------------------


@generates("maths.percentage-change", "4e")
def change_by_percentage(draw: Draw) -> Item:
    """Ask for a new price, then the percentage, then the old price or two changes in a row."""
    thing, least, most = draw.one_of(GOODS)
    percent = draw.one_of((5, 10, 15, 20, 25, 30, 40))
    price = 1000 * draw.between(least, most)
    rises = draw.one_of((True, False))
    if draw.difficulty == 2:
        price = 11_000 if price == 10_000 else price
        return _find_percentage(draw, price, percent, rises=rises)
    if draw.difficulty == 3:
        if draw.one_of((True, False)):
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

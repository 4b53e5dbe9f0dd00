"""Exercises on money, length, mass, capacity and time in primary school."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.market import FOOD, FRUIT, SCHOOL_THINGS, Goods
from bot.practice.notation import Pair, write_clock, write_time


@generates("maths.money-fcfa", "CE1")
def money_fcfa(draw: Draw) -> Item:
    """Ask for the sum of two prices, then the change from 500, then the change after both."""
    thing = draw.one_of(SCHOOL_THINGS)
    food = draw.one_of(FRUIT[:3] + FOOD[:4])
    if draw.difficulty == 2:
        prices = [price for price in (*thing.prices, *food.prices) if price != 250]
        price = draw.one_of([price for price in prices if 75 <= price < 500 and price % 100])
        return _give_change(draw, thing if price in thing.prices else food, price)
    first = draw.one_of([price for price in thing.prices if price != 250])
    # With a total of 500, the change from 1000 would be the total again.
    second = draw.one_of([price for price in food.prices if first + price != 500])
    total = first + second
    exercise = draw.exercise("buy_two", thing=thing, food=food, first=first, second=second)
    if draw.difficulty == 1:
        return exercise.open(
            total,
            (abs(first - second) or None, "subtracted-instead"),
            (first, "stopped-early"),
            (second, "stopped-early"),
            unit="FCFA",
        )
    return exercise.open(
        1000 - total,
        (total, "stopped-early"),
        (1000 - first, "only-one-price-counted"),
        (1000 - second, "only-one-price-counted"),
        (1100 - total, "one-hundred-too-many"),
        unit="FCFA",
    )


def _give_change(draw: Draw, thing: Goods, price: int) -> Item:
    return draw.exercise("give_change", thing=thing, price=price).choice(
        500 - price,
        (500 + price, "added"),
        (price, "price-instead-of-the-change"),
        (600 - price, "one-hundred-too-many"),
        unit="FCFA",
    )


@dataclass(frozen=True, slots=True)
class Conversion:
    """Two units of the same kind: one `large` is `factor` times the `small`."""

    large: str
    small: str
    factor: int
    small_names: Pair
    """The smaller unit in words, in the plural."""
    zero_prefix: Pair
    """The meaning of the units' prefix, as a first hint."""


CENTI: Final = (
    "« Centi » veut dire centième : il en faut cent pour faire l'unité.",
    '"Centi" means hundredth: it takes a hundred of them to make the unit.',
)
KILO: Final = ("« Kilo » veut dire mille.", '"Kilo" means a thousand.')
TONNE: Final = (
    "Une tonne est bien plus qu'un kilogramme.",
    "A tonne is much more than a kilogram.",
)
LENGTHS: Final = (
    Conversion("m", "cm", 100, ("centimètres", "centimetres"), CENTI),
    Conversion("km", "m", 1000, ("mètres", "metres"), KILO),
)
MASSES_AND_CAPACITIES: Final = (
    Conversion("kg", "g", 1000, ("grammes", "grams"), KILO),
    Conversion("L", "cL", 100, ("centilitres", "centilitres"), CENTI),
    Conversion("t", "kg", 1000, ("kilogrammes", "kilograms"), TONNE),
)


def _convert_whole(draw: Draw, unit: Conversion) -> Item:
    amount = draw.between(2, 9)
    others = [factor for factor in (10, 100, 1000) if factor != unit.factor]
    return draw.exercise("convert_whole", unit=unit, amount=amount).choice(
        amount * unit.factor,
        (amount, "number-copied"),
        *[(amount * factor, "wrong-number-of-zeros") for factor in others],
    )


def _convert_sum(draw: Draw, unit: Conversion, amount: int, more: int) -> Item:
    """Ask to write `amount` large units and `more` small ones in the small unit.

    Small values of `more` need zeros that pupils leave out; those are asked as a choice.
    """
    whole = amount * unit.factor
    wrong = [
        (int(f"{amount}{more}"), "numbers-written-side-by-side"),
        (amount + more, "units-mixed"),
        (int(f"{whole}{more}"), "too-many-zeros"),
        (whole, "stopped-early"),
    ]
    exercise = draw.exercise("convert_sum", unit=unit, amount=amount, more=more, whole=whole)
    if draw.difficulty == 3:
        return exercise.choice(whole + more, *wrong)
    return exercise.open(whole + more, *wrong, unit=unit.small)


@generates("maths.length-units", "CE2")
def length_units(draw: Draw) -> Item:
    """Ask to convert metres or kilometres, then two units, then two that need zeros between."""
    unit = draw.one_of(LENGTHS)
    if draw.difficulty == 1:
        return _convert_whole(draw, unit)
    if draw.difficulty == 2:
        more = unit.factor // 100 * 5 * draw.between(3, 19)
        return _convert_sum(draw, unit, draw.between(2, 9), more)
    more = draw.between(2, 9) if unit.factor == 100 else draw.one_of([5, 8, 25, 40, 50, 75, 80])
    return _convert_sum(draw, unit, draw.between(2, 9), more)


@generates("maths.mass-capacity-units", "CM1")
def mass_capacity_units(draw: Draw) -> Item:
    """Ask to convert kilograms, litres or tonnes, then two units, then for bottles or bags
    filled."""
    if draw.difficulty == 1:
        return _convert_whole(draw, draw.one_of(MASSES_AND_CAPACITIES))
    if draw.difficulty == 2:
        unit = draw.one_of(MASSES_AND_CAPACITIES)
        more = draw.one_of([5, 25, 50, 75] if unit.factor == 100 else [50, 75, 250, 400, 850])
        return _convert_sum(draw, unit, draw.between(2, 9), more)
    return _fill_containers(draw, draw.flip())


def _fill_containers(draw: Draw, of_liquid: bool) -> Item:
    large, small, factor = ("L", "cL", 100) if of_liquid else ("kg", "g", 1000)
    size = draw.one_of([20, 25, 50] if of_liquid else [250, 500])
    amounts = [2, 3, 4, 5, 8, 10] if of_liquid else [3, 4, 5, 6, 8, 10]
    amount = draw.one_of([n for n in amounts if n * factor != size * size])
    exercise = draw.exercise(
        "fill_containers", amount=amount, large=large, small=small, size=size, factor=factor
    )
    return exercise.open(
        amount * factor // size,
        (10 * (amount * factor // size), "zero-too-many-in-conversion"),
        (amount * size, "multiplied"),
        (amount * factor, "stopped-early"),
        (factor // size, "stopped-early"),
    )


@generates("maths.read-clock", "CE1")
def read_clock(draw: Draw) -> Item:
    """Ask for whole and half hours, then for five minutes, then for the time some minutes later."""
    if draw.difficulty == 3:
        return _find_later_time(draw)
    minute = (
        draw.one_of([0, 30])
        if draw.difficulty == 1
        else 5 * draw.one_of([1, 2, 3, 4, 5, 7, 8, 9, 10])
    )
    mark = minute // 5 or 12
    hour = draw.one_of([hour for hour in range(1, 12) if mark not in (hour, hour + 1)])
    fives = ", ".join(str(n) for n in range(5, minute + 1, 5))
    return draw.exercise("read_clock", hour=hour, minute=minute, mark=mark, fives=fives).choice(
        write_clock(hour, minute),
        (write_clock(mark, hour * 5 % 60), "hands-swapped"),
        (write_clock(hour, mark), "minutes-read-as-the-number"),
        (write_clock(hour + 1, minute), "next-hour"),
    )


def _find_later_time(draw: Draw) -> Item:
    hour, minute = draw.between(7, 11), 5 * draw.between(6, 11)
    added = 5 * draw.between(13 - minute // 5, 9)
    start = 60 * hour + minute
    to_hour = 60 - minute
    key = write_time(start + added)
    return draw.exercise("find_later_time", start=start, added=added, to_hour=to_hour).choice(
        key,
        (write_clock(hour, minute + added), "minutes-past-sixty"),
        (write_clock(hour, minute + added - 60), "hour-not-changed"),
        (write_time(start - added), "time-taken-away"),
    )


@generates("maths.durations", "CM1")
def durations(draw: Draw) -> Item:
    """Ask for a duration in minutes, then between two moments, then for the time of arrival."""
    return draw.by_level(_write_in_minutes, _find_duration, _find_arrival)(draw)


def _write_in_minutes(draw: Draw) -> Item:
    hours, minutes = draw.between(1, 4), 5 * draw.between(2, 11)
    key = 60 * hours + minutes
    return draw.exercise("write_in_minutes", hours=hours, minutes=minutes).open(
        key,
        (100 * hours + minutes, "a-hundred-minutes-in-an-hour"),
        (hours + minutes, "hours-and-minutes-added"),
        (60 * hours, "stopped-early"),
        unit="min",
    )


def _find_duration(draw: Draw) -> Item:
    start_hour, start_minute = draw.between(7, 15), 5 * draw.between(5, 10)
    end_hour = start_hour + draw.between(2, 4)
    # With twenty minutes less, two of the wrong answers would be the same duration.
    end_minute = draw.one_of([n for n in range(5, start_minute - 5, 5) if start_minute - n != 20])
    start, end = 60 * start_hour + start_minute, 60 * end_hour + end_minute
    hours, minutes = divmod(end - start, 60)
    key = f"{hours} h {minutes:02} min"
    return draw.exercise("find_duration", start=start, end=end).choice(
        key,
        (f"{hours} h {minutes + 40:02} min", "hour-of-a-hundred-minutes"),
        (f"{hours + 1} h {start_minute - end_minute:02} min", "smaller-minutes-taken-off"),
        (f"{hours + 1} h {minutes:02} min", "one-hour-too-many"),
    )


def _find_arrival(draw: Draw) -> Item:
    hour, minute = draw.between(6, 13), 5 * draw.between(4, 11)
    hours, minutes = draw.between(2, 6), 5 * draw.between(13 - minute // 5, 11)
    start = 60 * hour + minute
    end = start + 60 * hours + minutes
    key = write_time(end)
    return draw.exercise("find_arrival", start=start, hours=hours, minutes=minutes).choice(
        key,
        (write_clock(hour + hours, minute + minutes), "minutes-past-sixty"),
        (write_clock(hour + hours, end % 60), "carried-hour-forgotten"),
        (write_time(start + 60 * hours), "minutes-forgotten"),
    )

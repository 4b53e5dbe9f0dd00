"""Exercises on prices in proportion and percentages in primary school."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FOOD, FRUIT, SCHOOL_THINGS, Goods
from bot.practice.notation import Pair


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

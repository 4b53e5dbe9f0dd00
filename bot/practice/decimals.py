"""Decimal numbers in primary school: sums and products."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, generates


def make_decimal(digits: int, places: int) -> Decimal:
    """`digits` with the last `places` of them after the point."""
    return Decimal(digits).scaleb(-places)


@generates("maths.add-decimals", "CM2")
def add_decimals(draw: Draw) -> Item:
    """One place with a carry, places of different number, three masses in a story."""
    return draw.by_level(_add_tenths, _add_tenths_and_hundredths, _add_masses)(draw)


def _add_tenths(draw: Draw) -> Item:
    tenth_a = draw.between(3, 9)
    tenth_b = draw.between(11 - tenth_a, 9)
    whole_a, whole_b = draw.between(2, 9), draw.between(2, 9)
    a, b = make_decimal(10 * whole_a + tenth_a, 1), make_decimal(10 * whole_b + tenth_b, 1)
    key = a + b
    tenths = tenth_a + tenth_b

    exercise = draw.exercise(
        "add_tenths",
        a=a,
        b=b,
        tenths=tenths,
        tenth_a=tenth_a,
        tenth_b=tenth_b,
        whole_a=whole_a,
        whole_b=whole_b,
    )
    return exercise.choice(
        key,
        (make_decimal(100 * (whole_a + whole_b) + tenths, 2), "whole-and-decimal-parts-apart"),
        (key - 1, "no-carry"),
        (key * 10, "misplaced-comma"),
    )


def _add_tenths_and_hundredths(draw: Draw) -> Item:
    whole_a, tenth_a = draw.between(2, 9), draw.between(2, 5)
    whole_b, part_b = draw.between(1, 9), 10 * draw.between(1, 4) + draw.between(1, 9)
    a, b = make_decimal(10 * whole_a + tenth_a, 1), make_decimal(100 * whole_b + part_b, 2)
    if draw.one_of([True, False]):
        a, b = b, a
    key = a + b
    question = f"{draw.maths(a)} + {draw.maths(b)}"
    padded = f"{whole_a},{tenth_a}0" if draw.language == "fr" else f"{whole_a}.{tenth_a}0"
    exercise = draw.exercise(
        "add_tenths_and_hundredths",
        question=question,
        padded=padded,
        part_b=part_b,
        tenth_a=tenth_a,
        whole_a=whole_a,
        whole_b=whole_b,
    )
    return exercise.choice(
        key,
        (
            make_decimal(100 * (whole_a + whole_b) + tenth_a + part_b, 2),
            "tenths-added-to-hundredths",
        ),
        (make_decimal(10 * whole_a + tenth_a + 100 * whole_b + part_b, 2), "lined-up-on-the-right"),
        (key * 10, "misplaced-comma"),
    )


def _add_masses(draw: Draw) -> Item:
    a = make_decimal(10 * draw.between(1, 4) + draw.between(1, 9), 1)
    b = make_decimal(100 * draw.between(1, 4) + draw.one_of([25, 75, 35, 45, 65]), 2)
    c = draw.between(2, 5)
    key = a + b + c
    shown = [draw.write(each) for each in (a, b)]

    return draw.exercise("add_masses", shown=shown, c=c, a=a, b=b).open(
        key,
        (a + b, "stopped-early"),
        (a + b + make_decimal(c, 1), "whole-number-badly-lined-up"),
        (key * 10, "misplaced-comma"),
        unit="kg",
    )


@generates("maths.multiply-decimals", "CM2")
def multiply_decimals(draw: Draw) -> Item:
    """By a whole number, by a decimal, then a price by the kilogram."""
    if draw.difficulty == 3:
        return _pay_by_weight(draw)
    by = draw.between(4, 9)
    # A product that ends in zero would lose a digit after the point.
    tenth = draw.one_of([n for n in range(3, 10) if n * by % 10])
    whole = draw.between(1, 6)
    a = make_decimal(10 * whole + tenth, 1)
    b, places = (Decimal(by), 1) if draw.difficulty == 1 else (make_decimal(by, 1), 2)
    digits = (10 * whole + tenth) * by
    key = a * b
    apart = make_decimal(whole * by * 100 + tenth * by, 2)

    exercise = draw.exercise(
        "multiply_decimals", a=a, b=b, tenth=tenth, whole=whole, by=by, digits=digits, places=places
    )
    return exercise.choice(
        key,
        (make_decimal(digits, places - 1), "misplaced-comma"),
        (make_decimal(digits, places + 1), "misplaced-comma"),
        (apart, "whole-and-decimal-parts-apart") if draw.difficulty == 1 else (a + b, "added"),
        (a + b, "added"),
    )


def _pay_by_weight(draw: Draw) -> Item:
    name, prices = draw.one_of(
        [
            (("de riz", "of rice"), (450, 500, 550, 600)),
            (("de tomates", "of tomatoes"), (500, 600, 700, 800)),
            (("de mil", "of millet"), (300, 350, 400)),
            (("de poisson", "of fish"), (1500, 1800, 2000)),
        ]
    )
    price = draw.one_of(prices)
    tenths = draw.one_of([15, 25, 35, 12, 14, 16, 18, 24])
    mass = make_decimal(tenths, 1)
    key = price * tenths // 10
    whole = tenths // 10
    exercise = draw.exercise(
        "pay_by_weight",
        name=name,
        price=price,
        mass=mass,
        whole=whole,
        rest=make_decimal(tenths % 10, 1),
        tenths=tenths,
    )
    return exercise.open(
        key,
        (price * tenths, "misplaced-comma"),
        (price * whole, "stopped-early"),
        (price + mass, "added"),
        unit="FCFA",
    )

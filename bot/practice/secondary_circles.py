"""Circles (6e): their perimeter and diameter."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, generates

PI = Decimal("3.14")
"""What pupils of 6e take for pi."""


@generates("maths.circle-perimeter", "6e")
def find_circle_perimeter(draw: Draw) -> Item:
    """From the diameter, then from the radius, then the diameter from the perimeter."""
    if draw.difficulty == 3:
        return draw.one_of((_find_diameter, _count_wheel_turns))(draw)
    thing, least, most = draw.one_of(
        (
            (("Une table ronde", "A round table"), 40, 80),
            (("Un plateau rond", "A round tray"), 10, 30),
            (("Le fond d'un puits", "The bottom of a well"), 50, 80),
        )
    )
    radius = 5 * draw.between(least // 5, most // 5)
    given = radius if draw.difficulty == 2 else 2 * radius
    perimeter = PI * 2 * radius
    exercise = draw.exercise("find_circle_perimeter", thing=thing, radius=radius, pi=PI)
    return exercise.choice(
        perimeter,
        (PI * radius, "radius-taken-for-the-diameter-2")
        if draw.difficulty == 2
        else (PI * 4 * radius, "diameter-taken-for-the-radius"),
        (PI * radius * radius, "formula-of-the-area"),
        (4 * given, "formula-of-the-square"),
        unit="cm",
    )


def _find_diameter(draw: Draw) -> Item:
    diameter = 10 * draw.between(2, 15)
    return draw.exercise("find_diameter", diameter=diameter, pi=PI).open(
        diameter,
        (diameter // 2, "radius-given"),
        (PI * PI * diameter, "multiplied-instead-of-divided"),
        unit="m",
    )


def _count_wheel_turns(draw: Draw) -> Item:
    diameter, turns = draw.one_of((50, 60, 70)), draw.one_of((10, 20, 50, 100, 200))
    exercise = draw.exercise("count_wheel_turns", diameter=diameter, turns=turns, pi=PI)
    return exercise.open(
        turns, (2 * turns, "radius-taken-for-the-diameter"), (Decimal(turns) / 100, "mixed-units")
    )

"""Circles (6e): their perimeter and diameter."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, generates
from bot.practice.secondary_geometry import measure

PI = Decimal("3.14")
"""What pupils of 6e take for pi."""


@generates("maths.circle-perimeter", "6e")
def find_circle_perimeter(draw: Draw) -> Item:
    """From the diameter, then from the radius, then the diameter from the perimeter."""
    if draw.difficulty == 3:
        return draw.one_of((_find_diameter, _count_wheel_turns))(draw)
    name_fr, name_en = ("rayon", "radius") if draw.difficulty == 2 else ("diamètre", "diameter")
    thing_fr, thing_en, least, most = draw.one_of(
        (
            ("Une table ronde", "A round table", 40, 80),
            ("Un plateau rond", "A round tray", 10, 30),
            ("Le fond d'un puits", "The bottom of a well", 50, 80),
        )
    )
    radius = 5 * draw.between(least // 5, most // 5)
    given = radius if draw.difficulty == 2 else 2 * radius
    perimeter = PI * 2 * radius
    pi = draw.maths(PI)
    steps = [
        f"${pi} \\times {2 * radius} = {draw.maths(perimeter)}$",
        draw.say(
            f"Le périmètre est de {measure(draw, perimeter, 'cm')}.",
            f"The perimeter is {measure(draw, perimeter, 'cm')}.",
        ),
    ]
    if draw.difficulty == 2:
        steps.insert(0, f"$2 \\times {radius} = {2 * radius}$")
    wrong = [
        (measure(draw, PI * radius, "cm"), "radius-taken-for-the-diameter-2")
        if draw.difficulty == 2
        else (measure(draw, PI * 4 * radius, "cm"), "diameter-taken-for-the-radius"),
        (measure(draw, PI * radius * radius, "cm"), "formula-of-the-area"),
        (measure(draw, 4 * given, "cm"), "formula-of-the-square"),
    ]
    exercise = draw.exercise(
        "find_circle_perimeter",
        thing_fr=thing_fr,
        name_fr=name_fr,
        given=given,
        radius=radius,
        pi=pi,
        thing_en=thing_en,
        name_en=name_en,
        steps=steps,
    )
    return exercise.choice(measure(draw, perimeter, "cm"), *wrong)


def _find_diameter(draw: Draw) -> Item:
    diameter = 10 * draw.between(2, 15)
    perimeter, pi = draw.maths(PI * diameter), draw.maths(PI)
    return draw.exercise("find_diameter", perimeter=perimeter, pi=pi, diameter=diameter).open(
        diameter,
        (diameter // 2, "radius-given"),
        (PI * PI * diameter, "multiplied-instead-of-divided"),
        unit="m",
    )


def _count_wheel_turns(draw: Draw) -> Item:
    diameter, turns = draw.one_of((50, 60, 70)), draw.one_of((10, 20, 50, 100, 200))
    once = PI * diameter
    way, metres = draw.maths(once * turns / 100), draw.maths(once / 100)
    pi, round_ = draw.maths(PI), draw.maths(once)
    exercise = draw.exercise(
        "count_wheel_turns",
        diameter=diameter,
        way=way,
        pi=pi,
        round_=round_,
        metres=metres,
        turns=turns,
    )
    return exercise.open(
        turns, (2 * turns, "radius-taken-for-the-diameter"), (Decimal(turns) / 100, "mixed-units")
    )

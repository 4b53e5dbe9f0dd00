"""Trigonometry in right triangles (3e): ratios, lengths, heights."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, generates
from bot.practice.secondary_triangles import TRIPLES

NAMES: Mapping[str, tuple[str, str]] = {
    "cos": ("le cosinus", "the cosine"),
    "sin": ("le sinus", "the sine"),
    "tan": ("la tangente", "the tangent"),
}
TANGENTS = {20: "0.36", 25: "0.47", 30: "0.58", 35: "0.7", 40: "0.84", 50: "1.19", 55: "1.43"}
"""Tangents of angles in degrees, rounded as tables in school books have them."""
SINES = {20: "0.34", 25: "0.42", 30: "0.5", 35: "0.57", 40: "0.64", 50: "0.77"}


@generates("maths.trigonometry", "3e")
def use_trigonometry(draw: Draw) -> Item:
    """A ratio of sides, then a length from a ratio, then a height or a rope."""
    if draw.difficulty == 2:
        return _find_side(draw)
    if draw.difficulty == 3:
        return draw.one_of((_find_tree_height, _find_cable_length))(draw)
    a, b, c = draw.one_of(TRIPLES[:5])
    a, b = draw.one_of(((a, b), (b, a)))
    asked = draw.one_of(("cos", "sin", "tan"))
    ratios = {"cos": Fraction(a, c), "sin": Fraction(b, c), "tan": Fraction(b, a)}
    sides = {"cos": ("AB", "BC"), "sin": ("AC", "BC"), "tan": ("AC", "AB")}
    above, below = sides[asked]
    meaning = {
        "cos": ("côté adjacent ÷ hypoténuse", "adjacent side ÷ hypotenuse"),
        "sin": ("côté opposé ÷ hypoténuse", "opposite side ÷ hypotenuse"),
        "tan": ("côté opposé ÷ côté adjacent", "opposite side ÷ adjacent side"),
    }[asked]
    wrong = [(ratios[other], f"taken-for-{other}") for other in ratios if other != asked]
    wrong.append((1 / ratios[asked], "ratio-upside-down"))
    exercise = draw.exercise(
        "use_trigonometry",
        a=a,
        b=b,
        c=c,
        NAMES=NAMES,
        asked=asked,
        meaning=meaning,
        above=above,
        below=below,
        ratios=ratios,
    )
    return exercise.choice(ratios[asked], *wrong)


def _find_side(draw: Draw) -> Item:
    """A side of the right angle from the hypotenuse; sine, cosine and tangent are given."""
    cosine, sine = draw.one_of(((Decimal("0.8"), Decimal("0.6")), (Decimal("0.6"), Decimal("0.8"))))
    tangent = Decimal("0.75") if cosine > sine else Decimal("1.33")
    hypotenuse = 3 * draw.between(2, 12)
    adjacent = draw.one_of((True, False))
    side = "AB" if adjacent else "AC"
    good, other = (cosine, sine) if adjacent else (sine, cosine)
    name, other_name = ("cos", "sin") if adjacent else ("sin", "cos")
    key = hypotenuse * good
    written = draw.maths(good)
    divided = Fraction(hypotenuse) / Fraction(good)
    decimal = Decimal(divided.numerator) / divided.denominator
    sign = "=" if cosine > sine else "\\approx"
    exercise = draw.exercise(
        "find_side",
        hypotenuse=hypotenuse,
        cosine=cosine,
        sine=sine,
        sign=sign,
        tangent=tangent,
        side=side,
        name=name,
        written=written,
        key=key,
        other_name=other_name,
    )
    return exercise.choice(
        key,
        (hypotenuse * other, "instead-of"),
        (decimal, "divided-instead-of-multiplied"),
        (hypotenuse * tangent, "tangent-used"),
        unit="cm",
    )


def _find_tree_height(draw: Draw) -> Item:
    """A height from a distance on the ground and the tangent of an angle."""
    angle = draw.one_of(tuple(TANGENTS))
    tangent, distance = Decimal(TANGENTS[angle]), draw.one_of((20, 30, 40, 50))
    key = tangent * distance
    thing = draw.one_of(
        (("d'un baobab", "a baobab"), ("d'une antenne", "an aerial"), ("d'un minaret", "a minaret"))
    )
    exercise = draw.exercise(
        "find_tree_height", thing=thing, distance=distance, angle=angle, tangent=tangent
    )
    return exercise.open(
        key,
        (Fraction(distance) / Fraction(tangent), "divided-instead-of-multiplied-2"),
        (distance * angle, "multiplied-by-the-angle"),
        unit="m",
    )


def _find_cable_length(draw: Draw) -> Item:
    """The hypotenuse from a height and the sine of an angle."""
    angle = draw.one_of(tuple(SINES))
    sine, length = Decimal(SINES[angle]), draw.one_of((10, 20, 30, 40, 50))
    exercise = draw.exercise("find_cable_length", length=length, angle=angle, sine=sine)
    return exercise.open(length, (sine * sine * length, "multiplied-instead-of-divided"), unit="m")

"""Exercises on lengths in triangles: Pythagoras (4e), Thales and trigonometry (3e)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, generates

TRIPLES = (
    *((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (9, 12, 15), (6, 8, 10)),
    *((12, 16, 20), (10, 24, 26), (15, 20, 25), (12, 35, 37), (18, 24, 30), (16, 30, 34)),
    *((15, 36, 39), (24, 32, 40), (9, 40, 41)),
)
"""Whole sides of right triangles, the hypotenuse last."""

LADDERS = (
    ("0.7", "2.4", "2.5"),
    ("0.9", "1.2", "1.5"),
    ("1.2", "3.5", "3.7"),
    ("1.4", "4.8", "5"),
    ("1.5", "2", "2.5"),
    ("1.6", "3", "3.4"),
    ("1.8", "2.4", "3"),
    ("2", "2.1", "2.9"),
    ("2.5", "6", "6.5"),
)
"""Right triangles in metres: foot, height and length of a ladder."""

PITCHES = (
    (45, 60, 75),
    (48, 90, 102),
    (51, 68, 85),
    (56, 105, 119),
    (60, 80, 100),
    (60, 91, 109),
    (65, 72, 97),
    (66, 88, 110),
)
"""Football pitches in metres: width, length and diagonal."""

# Pythagoras ---------------------------------------------------------------------------------------


@generates("maths.pythagoras", "4e")
def use_pythagoras(draw: Draw) -> Item:
    """Ask for the hypotenuse, then a side of the right angle, then a length in a problem."""
    if draw.difficulty == 3:
        return draw.one_of((_lean_ladder, _cross_pitch))(draw)
    a, b, c = draw.one_of(TRIPLES)
    a, b = draw.one_of(((a, b), (b, a)))
    if draw.difficulty == 1:
        return _find_hypotenuse(draw, a, b, c)
    return draw.exercise("use_pythagoras", c=c, a=a, b=b).choice(
        b,
        (c - a, "lengths-subtracted"),
        (b * b, "square-root-forgotten"),
        (c + a, "lengths-added"),
        (Decimal(b * b) / 2, "half-instead-of-the-root"),
        unit="cm",
    )


def _find_hypotenuse(draw: Draw, a: int, b: int, c: int) -> Item:
    return draw.exercise("find_hypotenuse", a=a, b=b, c=c).choice(
        c,
        (a + b, "sides-added"),
        (c * c, "square-root-forgotten"),
        (Decimal(c * c) / 2, "half-instead-of-the-root"),
        unit="cm",
    )


def _lean_ladder(draw: Draw) -> Item:
    """Ask how high a ladder reaches, with lengths in metres."""
    foot, high, ladder = (Decimal(side) for side in draw.one_of(LADDERS))
    return draw.exercise("lean_ladder", foot=foot, high=high, ladder=ladder).open(
        high, (ladder - foot, "lengths-subtracted"), (high * high, "root-left-to-take"), unit="m"
    )


def _cross_pitch(draw: Draw) -> Item:
    """Ask how much a diagonal saves compared with two sides of a football pitch."""
    wide, long_, across = draw.one_of(PITCHES)
    saved = wide + long_ - across
    return draw.exercise("cross_pitch", long_=long_, wide=wide, across=across, saved=saved).open(
        saved, (across, "question-forgotten"), unit="m"
    )


# Thales -------------------------------------------------------------------------------------------


@generates("maths.thales", "3e")
def use_thales(draw: Draw) -> Item:
    """Ask for a side from its part, then the parallel segment, then a shadow or crossing lines."""
    if draw.difficulty == 2:
        return _find_parallel(draw)
    if draw.difficulty == 3:
        return draw.one_of((_measure_shadow, _cross_lines))(draw)
    am, an = draw.random.sample(range(2, 9), 2)
    times = draw.between(2, 5)
    ab = am * times
    return draw.exercise("use_thales", am=am, ab=ab, an=an).choice(
        an * times,
        (an + ab - am, "lengths-increased-equally"),
        (an * (times - 1), "segment-mb-used"),
        (ab, "sides-taken-as-equal"),
        (am * an * times, "ratio-written-wrongly"),
        unit="cm",
    )


def _find_parallel(draw: Draw) -> Item:
    """Ask for MN from AM, MB and BC; the side AB must be found first."""
    p, q = draw.one_of(((1, 2), (2, 1), (2, 3), (3, 2), (1, 3), (3, 1), (3, 4)))
    scale, size = draw.between(2, 4), draw.between(1, 2) if q > 1 else draw.between(3, 4)
    am, mb = p * scale, q * scale
    bc, mn = (p + q) * q * size, p * q * size
    bc, mn = (2 * bc, 2 * mn) if am + mb in (bc, mn) else (bc, mn)
    return draw.exercise("find_parallel", am=am, mb=mb, bc=bc).choice(
        mn,
        (bc * am // mb, "part-instead-of-side"),
        (bc * mb // (am + mb), "wrong-part-of-the-side"),
        (bc - mb if bc > mb else None, "same-length-taken-away"),
        unit="cm",
    )


def _measure_shadow(draw: Draw) -> Item:
    """Ask for the height of a palm tree or the like from its shadow and that of a stick."""
    tenths, shadow = draw.one_of(((15, 2), (12, 2), (20, 3), (18, 3), (20, 5)))
    stick = Decimal(tenths) / 10
    times = draw.between(4, 9)
    long_shadow, key = shadow * times, stick * times
    thing = draw.one_of(
        (("Un palmier", "A palm tree"), ("Un baobab", "A baobab"), ("Un poteau", "A pole"))
    )
    exercise = draw.exercise(
        "measure_shadow", thing=thing, stick=stick, shadow=shadow, long_shadow=long_shadow
    )
    return exercise.open(
        key,
        (stick + long_shadow - shadow, "same-length-added"),
        (Fraction(long_shadow * shadow) / Fraction(stick), "ratio-upside-down"),
        unit="m",
    )


def _cross_lines(draw: Draw) -> Item:
    """Ask for a length with two lines that cross at A between two parallels."""
    p, q = draw.one_of(((2, 3), (3, 2), (3, 4), (4, 3), (2, 5), (3, 5)))
    scale = draw.between(2, 3)
    # No length may be equal to MN, which is then not asked for.
    size = draw.one_of([n for n in range(3, 7) if n != scale and p * n != q * scale])
    ab, am, bc, mn = q * scale, p * scale, q * size, p * size
    return draw.exercise("cross_lines", ab=ab, am=am, bc=bc, mn=mn).open(
        mn,
        (Fraction(bc * ab, am), "sides-matched-wrongly"),
        (bc + am - ab, "lengths-increased-equally"),
        unit="cm",
    )


TANGENTS = {20: "0.36", 25: "0.47", 30: "0.58", 35: "0.7", 40: "0.84", 50: "1.19", 55: "1.43"}
"""Tangents of angles in degrees, rounded as in the tables of school books."""
SINES = {20: "0.34", 25: "0.42", 30: "0.5", 35: "0.57", 40: "0.64", 50: "0.77"}


@generates("maths.trigonometry", "3e")
def use_trigonometry(draw: Draw) -> Item:
    """Ask for a ratio of sides, then for a length from a ratio, then for a height or a rope."""
    if draw.difficulty == 2:
        return _find_side(draw)
    if draw.difficulty == 3:
        return draw.one_of((_find_tree_height, _find_cable_length))(draw)
    a, b, c = draw.one_of(TRIPLES[:5])
    a, b = draw.one_of(((a, b), (b, a)))
    asked = draw.one_of(("cos", "sin", "tan"))
    ratios = {"cos": Fraction(a, c), "sin": Fraction(b, c), "tan": Fraction(b, a)}
    wrong = [(ratios[other], f"taken-for-{other}") for other in ratios if other != asked]
    exercise = draw.exercise("use_trigonometry", a=a, b=b, c=c, asked=asked)
    return exercise.choice(ratios[asked], *wrong, (1 / ratios[asked], "fraction-upside-down"))


def _find_side(draw: Draw) -> Item:
    """Ask for a side of the right angle from the hypotenuse; sine, cosine and tangent are given."""
    cosine, sine = draw.one_of(((Decimal("0.8"), Decimal("0.6")), (Decimal("0.6"), Decimal("0.8"))))
    tangent = Decimal("0.75") if cosine > sine else Decimal("1.33")
    hypotenuse = 3 * draw.between(2, 12)
    adjacent = draw.flip()
    side = "AB" if adjacent else "AC"
    good, other = (cosine, sine) if adjacent else (sine, cosine)
    name, other_name = ("cos", "sin") if adjacent else ("sin", "cos")
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
        good=good,
        other_name=other_name,
    )
    return exercise.choice(
        hypotenuse * good,
        (hypotenuse * other, "instead-of"),
        (decimal, "divided-instead-of-multiplied"),
        (hypotenuse * tangent, "tangent-used"),
        unit="cm",
    )


def _find_tree_height(draw: Draw) -> Item:
    """Ask for a height from a distance on the ground and the tangent of an angle."""
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
        (Fraction(distance) / Fraction(tangent), "wrong-side-opposite"),
        (distance * angle, "multiplied-by-the-angle"),
        unit="m",
    )


def _find_cable_length(draw: Draw) -> Item:
    """Ask for the hypotenuse from a height and the sine of an angle."""
    angle = draw.one_of(tuple(SINES))
    sine, length = Decimal(SINES[angle]), draw.one_of((10, 20, 30, 40, 50))
    return draw.exercise("find_cable_length", length=length, angle=angle, sine=sine).open(
        length, (sine * sine * length, "multiplied-instead-of-divided"), unit="m"
    )

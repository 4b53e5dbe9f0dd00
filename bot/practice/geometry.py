"""Exercises on rectangles (CM1 and CM2), triangles and circles (6e and 5e), cuboids (6e)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, generates

# Rectangles ---------------------------------------------------------------------------------------


@generates("maths.perimeter-rectangle", "CM1")
def perimeter_rectangle(draw: Draw) -> Item:
    """Ask for a perimeter, then for the fence of a field, then for the width from the perimeter."""
    return draw.by_level(_find_perimeter, _fence_field, _find_width)(draw)


def _find_perimeter(draw: Draw) -> Item:
    width = draw.between(3, 9)
    length = draw.between(width + 1, 14)
    key = 2 * (length + width)
    return draw.exercise("find_perimeter", length=length, width=width).choice(
        key,
        (length + width, "two-sides-only"),
        (length * width, "area-instead-of-perimeter"),
        (2 * length + width, "one-side-forgotten"),
        (length + 2 * width, "one-side-forgotten"),
    )


def _fence_field(draw: Draw) -> Item:
    square = draw.flip()
    length = 5 * draw.between(5, 12) if square else 5 * draw.between(9, 16)
    width = length if square else 5 * draw.between(3, 8)
    key = 2 * (length + width)
    return draw.exercise("fence_field", square=square, length=length, width=width).open(
        key,
        (length + width, "two-sides-only"),
        (length * width, "area-instead-of-perimeter"),
        unit="m",
    )


def _find_width(draw: Draw) -> Item:
    width = draw.between(4, 18)
    length = draw.between(width + 2, 30)
    perimeter = 2 * (length + width)
    half = length + width
    exercise = draw.exercise(
        "find_width", perimeter=perimeter, length=length, half=half, width=width
    )
    return exercise.open(
        width,
        (perimeter - length, "only-one-length-taken-off"),
        (perimeter - 2 * length, "stopped-early"),
        (half, "stopped-early"),
        unit="m",
    )


@generates("maths.area-rectangle", "CM2")
def area_rectangle(draw: Draw) -> Item:
    """Ask for the area of a rectangle, then of a field, then of a field without a square hut."""
    return draw.by_level(_find_area, _measure_field, _leave_out_hut)(draw)


def _find_area(draw: Draw) -> Item:
    width = draw.between(3, 9)
    length = draw.between(width + 1, 12)
    key = length * width
    return draw.exercise("find_area", length=length, width=width).choice(
        key,
        (2 * (length + width), "perimeter-instead-of-area"),
        (length + width, "sides-added"),
        (length * (width - 1), "one-row-forgotten"),
        (2 * length * width, "area-doubled"),
    )


def _measure_field(draw: Draw) -> Item:
    width = draw.between(12, 25)
    length = 10 * draw.between(3, 8)
    key = length * width
    return draw.exercise("measure_field", length=length, width=width).open(
        key,
        (2 * (length + width), "perimeter-instead-of-area"),
        (length + width, "sides-added"),
        (key // 10, "zero-forgotten"),
        unit="m²",
    )


def _leave_out_hut(draw: Draw) -> Item:
    side = draw.between(4, 9)
    width = draw.between(side + 6, 24)
    length = 5 * draw.between(5, 10)
    whole, hut = length * width, side * side
    key = whole - hut
    exercise = draw.exercise(
        "leave_out_hut", length=length, width=width, side=side, whole=whole, hut=hut
    )
    return exercise.open(
        key,
        (whole, "stopped-early"),
        (whole - 4 * side, "perimeter-of-the-hut-taken-off"),
        (whole - side, "side-taken-off-an-area"),
        unit="m²",
    )


# Angles of a triangle -----------------------------------------------------------------------------


@generates("maths.triangle-angles", "6e")
def find_triangle_angle(draw: Draw) -> Item:
    """Ask for a third angle, then in an isosceles triangle, then for one with a condition."""
    if draw.difficulty == 2:
        return _find_isosceles_angle(draw)
    if draw.difficulty == 3:
        return draw.one_of((_find_double_angle, _find_from_exterior))(draw)
    a, b = draw.between(25, 85), draw.between(25, 85)
    b = b + 1 if a + b == 90 else b
    return draw.exercise("find_triangle_angle", a=a, b=b).choice(
        180 - a - b,
        (a + b, "sum-of-the-two-angles"),
        (180 - a, "only-one-angle-taken-away"),
        (360 - a - b, "360-instead-of-180"),
        unit="°",
    )


def _find_isosceles_angle(draw: Draw) -> Item:
    """Ask for an angle at the base from the one at the top, or the other way round."""
    from_top = draw.flip()
    base = draw.one_of([each for each in range(25, 80) if each not in (45, 60)])
    top = 180 - 2 * base
    known, asked = (top, base) if from_top else (base, top)
    known_at, asked_at = ("A", "B") if from_top else ("B", "A")
    swapped = 180 - 2 * top if from_top else Decimal(180 - base) / 2
    exercise = draw.exercise(
        "find_isosceles_angle",
        known=known,
        known_at=known_at,
        asked_at=asked_at,
        from_top=from_top,
        top=top,
        base=base,
    )
    return exercise.choice(
        asked,
        (180 - known, "two-angles-left" if from_top else "two-equal-angles"),
        (known, "wrong-equal-angles"),
        (swapped if swapped > 0 else None, "top-and-base-swapped"),
        unit="°",
    )


def _find_double_angle(draw: Draw) -> Item:
    """Ask for an angle of which another is two or three times as large, from the third angle."""
    times = draw.between(2, 3)
    small = draw.between(20, 40)
    known = 180 - (times + 1) * small
    return draw.exercise("find_double_angle", known=known, times=times, small=small).open(
        small,
        (Fraction(180 - known, times), "parts-miscounted"),
        (times * small, "other-angle-given"),
        unit="°",
    )


def _find_from_exterior(draw: Draw) -> Item:
    """Ask for an angle from one angle of the triangle and an exterior one."""
    a, b = draw.between(30, 75), draw.between(30, 75)
    b = b + 1 if a == b else b
    outside = a + b
    return draw.exercise("find_from_exterior", a=a, outside=outside, b=b).open(
        b,
        (180 - outside, "angle-at-c-given"),
        (abs(180 - a - outside), "exterior-angle-taken-for-one-of-the-triangle"),
        unit="°",
    )


# Area of a triangle -------------------------------------------------------------------------------

HEIGHTS = {8: (6, 15), 12: (5, 9, 16, 35), 15: (8, 20, 36), 24: (7, 10, 18, 32)}
"""For each height, two feet that give whole sides: height 8 and foot 6 give a side of 10."""


@generates("maths.area-triangle", "5e")
def find_triangle_area(draw: Draw) -> Item:
    """Ask for an area from base and height, then with spare lengths, then for a height."""
    if draw.difficulty == 2:
        return _choose_base_and_height(draw)
    base, height = draw.between(5, 16), draw.between(4, 12)
    height = height + 1 if base * height % 2 else height
    if draw.difficulty == 3:
        return _find_height(draw, 2 * base, height)
    return draw.exercise("find_triangle_area", base=base, height=height).choice(
        base * height // 2,
        (base * height, "half-forgotten"),
        (base + height, "lengths-added"),
        (2 * (base + height), "perimeter-of-a-rectangle"),
        (2 * base * height, "double-instead-of-half"),
        unit="cm²",
    )


def _choose_base_and_height(draw: Draw) -> Item:
    """Ask for the area from all three sides and a height."""
    height = draw.one_of(tuple(HEIGHTS))
    left, right = draw.random.sample(HEIGHTS[height], 2)
    base = left + right
    one, two = (int((height**2 + foot**2) ** 0.5) for foot in (left, right))
    exercise = draw.exercise("choose_base_and_height", one=one, two=two, base=base, height=height)
    return exercise.choice(
        base * height // 2,
        (base * height, "half-forgotten"),
        (Decimal(one * height) / 2, "wrong-base"),
        (one + two + base, "perimeter-of-the-triangle"),
        unit="m²",
    )


def _find_height(draw: Draw, base: int, height: int) -> Item:
    area = base * height // 2
    return draw.exercise("find_height", area=area, base=base, height=height).open(
        height, (Decimal(height) / 2, "factor-2-forgotten"), unit="cm"
    )


# Circles ------------------------------------------------------------------------------------------

PI = Decimal("3.14")
"""The value of pi that pupils of 6e and 5e use."""


@generates("maths.circle-perimeter", "6e")
def find_circle_perimeter(draw: Draw) -> Item:
    """Ask for a perimeter from diameter, then radius, then for a diameter from a perimeter."""
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
    return draw.exercise("find_circle_perimeter", thing=thing, radius=radius, pi=PI).choice(
        perimeter,
        (PI * radius, "given-radius-as-diameter")
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
    return draw.exercise("count_wheel_turns", diameter=diameter, turns=turns, pi=PI).open(
        turns, (2 * turns, "radius-taken-for-the-diameter"), (Decimal(turns) / 100, "mixed-units")
    )


@generates("maths.area-disc", "5e")
def find_disc_area(draw: Draw) -> Item:
    """Ask for an area from the radius, then from the diameter, then of half a disc or a ring."""
    if draw.difficulty == 3:
        return draw.one_of((_halve_disc, _leave_out_pool))(draw)
    thing, least, most = draw.one_of(
        (
            (("Une table ronde", "A round table"), 6, 9),
            (("Un tapis rond", "A round rug"), 8, 15),
            (("Le fond d'un puits", "The bottom of a well"), 5, 10),
        )
    )
    radius = draw.between(least, most)
    area = PI * radius**2
    return draw.exercise("find_disc_area", thing=thing, radius=radius, pi=PI).choice(
        area,
        (PI * 2 * radius, "perimeter-of-the-circle"),
        (4 * area, "diameter-taken-for-the-radius")
        if draw.difficulty == 2
        else (area / 4, "given-radius-as-diameter"),
        (radius**2, "pi-forgotten"),
        unit="dm²",
    )


def _halve_disc(draw: Draw) -> Item:
    radius = 10 * draw.between(2, 6)
    area = PI * radius**2
    return draw.exercise("halve_disc", radius=radius, pi=PI).open(
        area / 2,
        (area, "half-of-the-disc-forgotten"),
        (2 * area, "diameter-taken-for-the-radius"),
        (PI * radius, "perimeter-of-the-circle"),
        unit="cm²",
    )


def _leave_out_pool(draw: Draw) -> Item:
    """Ask for the area of a path around a round pool."""
    inner = draw.between(3, 8)
    outer = inner + draw.between(1, 3)
    return draw.exercise("leave_out_pool", inner=inner, outer=outer, pi=PI).open(
        PI * (outer**2 - inner**2),
        (PI * (outer - inner) ** 2, "radii-subtracted-first"),
        (PI * outer**2, "pool-not-taken-off"),
        (PI * 2 * (outer - inner), "perimeter-of-the-circle"),
        unit="m²",
    )


# Cuboids ------------------------------------------------------------------------------------------


@generates("maths.volume-cuboid", "6e")
def find_cuboid_volume(draw: Draw) -> Item:
    """Ask for the volume of a box, then of a tank with decimal sides, then for its litres or for
    the height of the water."""
    hard = draw.one_of((_count_litres, _find_water_height))
    return draw.by_level(_fill_box, _measure_tank, hard)(draw)


def _fill_box(draw: Draw) -> Item:
    height, width, length = sorted(draw.random.sample(range(3, 11), 3))
    thing = draw.one_of(
        (("Une boîte", "A box"), ("Un savon", "A bar of soap"), ("Une brique", "A brick"))
    )
    sides = (length, width, height)
    return draw.exercise("fill_box", thing=thing, sides=sides).choice(
        length * width * height,
        (length * width, "height-forgotten"),
        (sum(sides), "edges-added"),
        (2 * (length * width + length * height + width * height), "surface-instead-of-volume"),
        unit="cm³",
    )


def _measure_tank(draw: Draw) -> Item:
    # The volume has one digit after the point that is not zero.
    tenths, width = draw.one_of([(n, w) for n in range(11, 30) for w in (2, 3, 4) if n * w % 10])
    height = draw.one_of([h for h in (2, 3) if tenths * width * h % 10])
    length = Decimal(tenths) / 10
    key = length * width * height
    return draw.exercise("measure_tank", length=length, width=width, height=height).choice(
        key,
        (length * width, "height-forgotten"),
        (length + width + height, "edges-added"),
        (key * 10, "misplaced-comma"),
        (key / 10, "misplaced-comma"),
        unit="m³",
    )


def _count_litres(draw: Draw) -> Item:
    sides = (10 * draw.between(8, 15), 10 * draw.between(5, 7), 10 * draw.between(2, 4))
    volume = sides[0] * sides[1] * sides[2]
    return draw.exercise("count_litres", sides=sides, volume=volume).open(
        volume // 1000,
        (volume // 100, "a-hundred-for-a-thousand"),
        (Decimal(volume) / 10_000, "a-hundred-for-a-thousand"),
        (sum(sides), "edges-added"),
        unit="L",
    )


def _find_water_height(draw: Draw) -> Item:
    length, width, height = 10 * draw.between(4, 9), 5 * draw.between(4, 7), draw.between(12, 30)
    volume = length * width * height
    exercise = draw.exercise(
        "find_water_height", length=length, width=width, base=length * width, volume=volume
    )
    return exercise.open(
        height,
        (volume // length, "divided-by-one-side"),
        (volume // width, "divided-by-one-side"),
        unit="cm",
    )

"""Exercises on perimeters and areas of rectangles in primary school."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, generates


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
    square = draw.one_of([True, False])
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

"""Exercises on lines and vectors by their coordinates, in 2nde."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import point, polynomial_text

Point = tuple[int, int]


@generates("maths.line-equation", "2nde")
def line_equation(draw: Draw) -> Item:
    """Ask for a line from its intercept, then from gradient and point, then from two points."""
    slope = draw.between(2, 6) * draw.one_of((1, -1))
    intercept = draw.between(1, 9) * draw.one_of((1, -1))
    if abs(slope) == abs(intercept):
        intercept += 1 if intercept > 0 else -1
    if draw.difficulty == 1:
        return _line_with_intercept(draw, slope, intercept)
    x = draw.between(1, 4) * draw.one_of((1, -1))
    return draw.by_level(_line_by_point, _line_by_point, _line_by_points)(draw, slope, intercept, x)


def _line(slope: int, intercept: int) -> str:
    return f"y = {polynomial_text((intercept, slope))}"


def _line_with_intercept(draw: Draw, slope: int, intercept: int) -> Item:
    return draw.exercise("line_with_intercept", slope=slope, intercept=intercept).choice(
        _line(slope, intercept),
        (_line(intercept, slope), "swapped"),
        (_line(slope, -intercept), "intercept-sign"),
        (_line(-slope, intercept), "slope-sign"),
    )


def _line_by_point(draw: Draw, slope: int, intercept: int, x: int) -> Item:
    y = slope * x + intercept
    return draw.exercise("line_by_point", slope=slope, intercept=intercept, x=x, y=y).choice(
        _line(slope, intercept),
        (_line(slope, y), "ordinate-as-intercept"),
        (_line(slope, -intercept), "intercept-sign"),
        (_line(-slope, intercept), "slope-sign"),
        (_line(intercept, slope), "swapped"),
    )


def _line_by_points(draw: Draw, slope: int, intercept: int, x: int) -> Item:
    step = draw.one_of((2, 3))
    other = x + step
    y_a, y_b = slope * x + intercept, slope * other + intercept
    rise = y_b - y_a
    exercise = draw.exercise(
        "line_by_points", slope=slope, intercept=intercept, x=x, y=y_a, other=other, y_b=y_b
    )
    return exercise.choice(
        _line(slope, intercept),
        (_line(-slope, y_a + slope * x), "slope-sign"),
        (_line(rise, y_a - rise * x), "run-only"),
        (_line(slope, y_a), "ordinate-as-intercept"),
        (_line(slope, -intercept), "intercept-sign"),
    )


@generates("maths.vector-coordinates", "2nde")
def vector_coordinates(draw: Draw) -> Item:
    """Ask for a vector from two points, then a combination of vectors, then a fourth point."""
    return draw.by_level(_vector_of_points, _combine_vectors, _fourth_point)(draw)


def _draw_point(draw: Draw, least: int = -6) -> Point:
    return draw.between(least, 6), draw.between(1, 7) * draw.one_of((1, -1))


def _vector_of_points(draw: Draw) -> Item:
    (xa, ya), move_x = _draw_point(draw), draw.between(1, 7) * draw.one_of((1, -1))
    move_y = draw.between(1, 7) * draw.one_of((1, -1))
    xb, yb = xa + move_x, ya + move_y
    return draw.exercise("vector_of_points", xa=xa, ya=ya, xb=xb, yb=yb).choice(
        point(move_x, move_y),
        (point(-move_x, -move_y), "start-minus-end"),
        (point(xa + xb, ya + yb), "added-points"),
        (point(move_x, ya + yb), "one-coordinate"),
    )


def _combine_vectors(draw: Draw) -> Item:
    (x1, y1), (x2, y2) = _draw_point(draw, 1), _draw_point(draw, 1)
    m, n = draw.one_of(((2, 3), (3, 2), (2, 5), (4, 3), (3, 4), (5, 2)))
    key = point(m * x1 - n * x2, m * y1 - n * y2)
    return draw.exercise("combine_vectors", m=m, n=n, x1=x1, y1=y1, x2=x2, y2=y2).choice(
        key,
        (point(m * x1 + n * x2, m * y1 + n * y2), "sign-of-second"),
        (point(m * x1 - n * x2, y1 - y2), "factor-on-one"),
        (point(x1 - x2, y1 - y2), "factor-ignored"),
        (point(m * x1 - n * x2, m * y1 + n * y2), "one-coordinate"),
    )


def _fourth_point(draw: Draw) -> Item:
    (xa, ya), (xc, yc) = _draw_point(draw), _draw_point(draw)
    along, up = draw.between(1, 6), draw.between(1, 6) * draw.one_of((1, -1))
    if along * (yc - ya) == up * (xc - xa):  # the three points would be aligned
        yc += 1
    xb, yb = xa + along, ya + up
    x, y = xc - along, yc - up
    exercise = draw.exercise(
        "fourth_point", a=point(xa, ya), b=point(xb, yb), xc=xc, yc=yc, along=along, up=up
    )
    return exercise.choice(
        point(x, y),
        (point(xc + along, yc + up), "order-of-points"),
        (point(xa + xb - xc, ya + yb - yc), "order-of-points"),
        (point(along, up), "third-point-missing"),
        (point(x, yc + up), "one-coordinate"),
    )

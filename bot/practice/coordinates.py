"""Exercises on points of the plane, in 5e; on distances, lines and vectors, in 2nde."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import point, polynomial_text, write_root

Point = tuple[int, int]

# Points -------------------------------------------------------------------------------------------


@generates("maths.coordinates", "5e")
def coordinates(draw: Draw) -> Item:
    """Ask for a point from the way to it, then from another point, then a point in symmetry or the
    fourth of a rectangle."""
    hard = draw.one_of((_reflect_point, _complete_rectangle))
    return draw.by_level(_walk_from_origin, _walk_from_point, hard)(draw)


def _draw_step(draw: Draw) -> tuple[Point, dict[str, object]]:
    """Draw a way across and a longer or shorter one up or down, with the words for both."""
    across, rise = draw.random.sample(range(2, 10), 2)
    right, up = draw.flip(), draw.flip()
    words: dict[str, object] = {
        "across": across,
        "rise": rise,
        "way": ("vers la droite", "to the right") if right else ("vers la gauche", "to the left"),
        "climb": ("vers le haut", "up") if up else ("vers le bas", "down"),
    }
    return (across if right else -across, rise if up else -rise), words


def _walk_from_origin(draw: Draw) -> Item:
    (x, y), words = _draw_step(draw)
    return draw.exercise("walk_from_origin", x=x, y=y, **words).choice(
        point(x, y),
        (point(y, x), "coordinates-swapped"),
        (point(x, -y), "up-and-down-mixed-up"),
        (point(-x, y), "left-and-right-mixed-up"),
    )


def _walk_from_point(draw: Draw) -> Item:
    (right, up), words = _draw_step(draw)
    xa, ya = (draw.signed(1, 6) for _ in range(2))
    exercise = draw.exercise("walk_from_point", xa=xa, ya=ya, right=right, up=up, **words)
    return exercise.choice(
        point(xa + right, ya + up),
        (point(xa - right, ya - up), "moved-backwards"),
        (point(xa + up, ya + right), "coordinates-swapped"),
        (point(right, up), "start-forgotten"),
        (point(xa + right, ya - up), "up-and-down-mixed-up"),
    )


def _reflect_point(draw: Draw) -> Item:
    x, y = (n * draw.sign() for n in draw.random.sample(range(1, 10), 2))
    images = {"x-axis": (x, -y), "y-axis": (-x, y), "origin": (-x, -y)}
    about = draw.one_of(tuple(images))
    key = images[about]
    words = {
        "x-axis": ("à l'axe des abscisses", "the $x$-axis"),
        "y-axis": ("à l'axe des ordonnées", "the $y$-axis"),
        "origin": ("à l'origine", "the origin"),
    }
    exercise = draw.exercise("reflect_point", x=x, y=y, about=about, line=words[about])
    return exercise.choice(
        point(*key),
        *[(point(*image), "another-symmetry") for image in images.values() if image != key],
        (point(y, x), "coordinates-swapped"),
    )


def _complete_rectangle(draw: Draw) -> Item:
    left, bottom = draw.between(-7, -1), draw.between(-7, -1)
    right, top = (draw.one_of([n for n in range(3, 11) if n + m]) + m for m in (left, bottom))
    (xa, xb), (ya, yc) = (
        (one, other) if draw.flip() else (other, one)
        for one, other in ((left, right), (bottom, top))
    )
    exercise = draw.exercise("complete_rectangle", xa=xa, ya=ya, xb=xb, yc=yc)
    return exercise.choice(
        point(xa, yc),
        (point(yc, xa), "coordinates-swapped"),
        (point(xb, ya), "vertex-given-already"),
        (point(xa + xb, ya + yc), "coordinates-of-points-added"),
        (point(-xa, yc), "left-and-right-mixed-up"),
    )


# Distance and midpoint ----------------------------------------------------------------------------

_LEGS: Final = ((3, 4), (6, 8), (5, 12), (8, 15), (9, 12))
"""Legs of right triangles with whole sides."""
_SHORT_LEGS: Final = (
    (1, 2),
    (1, 3),
    (2, 3),
    (1, 4),
    (2, 4),
    (2, 5),
    (3, 5),
    (2, 6),
    (3, 6),
    (4, 6),
)


@generates("maths.distance-midpoint", "2nde")
def distance_midpoint(draw: Draw) -> Item:
    """Ask for a midpoint, then for a whole distance, then for one with a root or for an end from
    the midpoint."""
    hard = draw.one_of((_root_distance, _find_end))
    return draw.by_level(_find_midpoint, _whole_distance, hard)(draw)


def _find_midpoint(draw: Draw) -> Item:
    x, y = (draw.signed(1, 5) for _ in "xy")
    half_x, half_y = (draw.signed(1, 5) for _ in "xy")
    (xa, ya), (xb, yb) = (x - half_x, y - half_y), (x + half_x, y + half_y)
    return draw.exercise("find_midpoint", xa=xa, ya=ya, xb=xb, yb=yb, x=x, y=y).choice(
        point(x, y),
        (point(2 * x, 2 * y), "sum-not-halved"),
        (point(half_x, half_y), "half-difference"),
        (point(2 * half_x, 2 * half_y), "vector-instead-of-midpoint"),
        (point(x, -y), "one-coordinate"),
    )


def _place(draw: Draw, legs: Point) -> tuple[dict[str, object], Point]:
    """Place two points with these legs between them, either way; return the values and the move."""
    across, up = (leg * draw.sign() for leg in draw.random.sample(legs, 2))
    xa, ya = (draw.signed(1, 5) for _ in "xy")
    return {"xa": xa, "ya": ya, "xb": xa + across, "yb": ya + up}, (across, up)


def _whole_distance(draw: Draw) -> Item:
    values, (across, up) = _place(draw, draw.one_of(_LEGS))
    square = across**2 + up**2
    return draw.exercise("find_distance", across=across, up=up, square=square, **values).choice(
        isqrt(square),
        (abs(across) + abs(up), "legs-added"),
        (square, "root-forgotten"),
        (f"$\\sqrt{{{abs(across**2 - up**2)}}}$", "squares-subtracted"),
    )


def _root_distance(draw: Draw) -> Item:
    values, (across, up) = _place(draw, draw.one_of(_SHORT_LEGS))
    square = across**2 + up**2
    outside = max(n for n in range(1, 8) if square % (n * n) == 0)
    inside = square // outside**2
    exercise = draw.exercise(
        "find_root_distance", across=across, up=up, square=square, outside=outside, **values
    )
    unrooted = write_root(outside**2, inside)
    return exercise.choice(
        f"${write_root(outside, inside)}$",
        (abs(across) + abs(up), "legs-added"),
        (
            f"${unrooted}$" if outside > 1 else square,
            "root-taken-out" if outside > 1 else "root-forgotten",
        ),
        (f"$\\sqrt{{{abs(across) + abs(up)}}}$", "squares-forgotten"),
    )


def _find_end(draw: Draw) -> Item:
    """Ask for the other end of a segment with a given midpoint."""
    xa, ya = (draw.signed(1, 6) for _ in "xy")
    half_x, half_y = draw.random.sample(range(1, 7), 2)
    x, y = xa + half_x * draw.sign(), ya + half_y * draw.sign()
    return draw.exercise("find_end", xa=xa, ya=ya, x=x, y=y).choice(
        point(2 * x - xa, 2 * y - ya),
        (point(Fraction(xa + x, 2), Fraction(ya + y, 2)), "midpoint-of-the-given-points"),
        (point(x - xa, y - ya), "half-the-way-given"),
        (point(2 * xa - x, 2 * ya - y), "ends-mixed-up"),
        (point(2 * x + xa, 2 * y + ya), "sign-of-the-end"),
    )


# Lines and vectors --------------------------------------------------------------------------------


@generates("maths.line-equation", "2nde")
def line_equation(draw: Draw) -> Item:
    """Ask for a line from its intercept, then from gradient and point, then from two points."""
    slope = draw.signed(2, 6)
    intercept = draw.signed(1, 9)
    if abs(slope) == abs(intercept):
        intercept += 1 if intercept > 0 else -1
    if draw.difficulty == 1:
        return _line_with_intercept(draw, slope, intercept)
    x = draw.signed(1, 4)
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
    return draw.between(least, 6), draw.signed(1, 7)


def _vector_of_points(draw: Draw) -> Item:
    (xa, ya), move_x = _draw_point(draw), draw.signed(1, 7)
    move_y = draw.signed(1, 7)
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
    along, up = draw.between(1, 6), draw.signed(1, 6)
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

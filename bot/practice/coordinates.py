"""Lines and vectors by their coordinates, in 2nde."""

from __future__ import annotations

from bot.practice.algebra_text import in_brackets, point, polynomial_maths, polynomial_text, signed
from bot.practice.generator import Draw, Item, generates

Point = tuple[int, int]


@generates("maths.line-equation", "2nde")
def line_equation(draw: Draw) -> Item:
    """With its intercept, then a gradient and a point, then two points."""
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
    where = point(draw, 0, intercept)
    exercise = draw.exercise(
        "line_with_intercept",
        slope=slope,
        where=where,
        intercept=intercept,
        intercept_slope=polynomial_maths((intercept, slope)),
    )
    return exercise.choice(
        _line(slope, intercept),
        (_line(intercept, slope), "swapped"),
        (_line(slope, -intercept), "intercept-sign"),
        (_line(-slope, intercept), "slope-sign"),
    )


def _line_by_point(draw: Draw, slope: int, intercept: int, x: int) -> Item:
    y = slope * x + intercept
    where = point(draw, x, y)
    exercise = draw.exercise(
        "line_by_point",
        slope=slope,
        where=where,
        n_0_slope=polynomial_maths((0, slope)),
        x=x,
        y=y,
        v1=_intercept_steps(draw, slope, intercept, x),
    )
    return exercise.choice(
        _line(slope, intercept),
        (_line(slope, y), "ordinate-as-intercept"),
        (_line(slope, -intercept), "intercept-sign"),
        (_line(-slope, intercept), "slope-sign"),
        (_line(intercept, slope), "swapped"),
    )


def _intercept_steps(draw: Draw, slope: int, intercept: int, x: int) -> list[str]:
    y = slope * x + intercept
    return [
        draw.say(
            f"$A$ est sur la droite : ${y} = {slope} \\times {in_brackets(x)} + p$.",
            f"$A$ lies on the line: ${y} = {slope} \\times {in_brackets(x)} + p$.",
        ),
        f"$p = {y} {signed(-slope * x)} = {intercept}$",
        f"$y = {polynomial_maths((intercept, slope))}$",
    ]


def _line_by_points(draw: Draw, slope: int, intercept: int, x: int) -> Item:
    step = draw.one_of((2, 3))
    other = x + step
    y_a, y_b = slope * x + intercept, slope * other + intercept
    a, b = point(draw, x, y_a), point(draw, other, y_b)
    rise = y_b - y_a
    exercise = draw.exercise(
        "line_by_points",
        a=a,
        b=b,
        y_b=y_b,
        y_a=y_a,
        other=other,
        x=x,
        rise=rise,
        step=step,
        slope=slope,
        intercept_steps_slope_intercept_x=_intercept_steps(draw, slope, intercept, x),
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
    """From two points, then a combination of two vectors, then the fourth point."""
    return draw.by_level(_vector_of_points, _combine_vectors, _fourth_point)(draw)


def _draw_point(draw: Draw, least: int = -6) -> Point:
    return draw.between(least, 6), draw.between(1, 7) * draw.one_of((1, -1))


def _vector_of_points(draw: Draw) -> Item:
    (xa, ya), move_x = _draw_point(draw), draw.between(1, 7) * draw.one_of((1, -1))
    move_y = draw.between(1, 7) * draw.one_of((1, -1))
    xb, yb = xa + move_x, ya + move_y
    a, b = point(draw, xa, ya), point(draw, xb, yb)

    exercise = draw.exercise(
        "vector_of_points",
        a=a,
        b=b,
        point_x_b_minus_x_a_y_b_minus_y_a=point(draw, "x_B - x_A", "y_B - y_A"),
        xb=xb,
        xa=xa,
        move_x=move_x,
        yb=yb,
        ya=ya,
        move_y=move_y,
        point_move_x_move_y=point(draw, move_x, move_y),
    )
    return exercise.choice(
        point(draw, move_x, move_y),
        (point(draw, -move_x, -move_y), "start-minus-end"),
        (point(draw, xa + xb, ya + yb), "added-points"),
        (point(draw, move_x, ya + yb), "one-coordinate"),
    )


def _combine_vectors(draw: Draw) -> Item:
    (x1, y1), (x2, y2) = _draw_point(draw, 1), _draw_point(draw, 1)
    m, n = draw.one_of(((2, 3), (3, 2), (2, 5), (4, 3), (3, 4), (5, 2)))
    key = point(draw, m * x1 - n * x2, m * y1 - n * y2)
    u, v = point(draw, x1, y1), point(draw, x2, y2)

    exercise = draw.exercise(
        "combine_vectors",
        u=u,
        v=v,
        m=m,
        n=n,
        point_m_times_x1_m_times_y1=point(draw, m * x1, m * y1),
        point_n_times_x2_n_times_y2=point(draw, n * x2, n * y2),
        x1=x1,
        x2=x2,
        y1=y1,
        y2=y2,
        draw=draw,
    )
    return exercise.choice(
        key,
        (point(draw, m * x1 + n * x2, m * y1 + n * y2), "sign-of-second"),
        (point(draw, m * x1 - n * x2, y1 - y2), "factor-on-one"),
        (point(draw, x1 - x2, y1 - y2), "factor-ignored"),
        (point(draw, m * x1 - n * x2, m * y1 + n * y2), "one-coordinate"),
    )


def _fourth_point(draw: Draw) -> Item:
    (xa, ya), (xc, yc) = _draw_point(draw), _draw_point(draw)
    along, up = draw.between(1, 6), draw.between(1, 6) * draw.one_of((1, -1))
    if along * (yc - ya) == up * (xc - xa):  # the three points would be aligned
        yc += 1
    xb, yb = xa + along, ya + up
    x, y = xc - along, yc - up
    a, b, c = point(draw, xa, ya), point(draw, xb, yb), point(draw, xc, yc)
    exercise = draw.exercise(
        "fourth_point",
        a=a,
        b=b,
        c=c,
        point_along_up=point(draw, along, up),
        xc=xc,
        along=along,
        yc=yc,
        up=up,
        point_x_y=point(draw, x, y),
    )
    return exercise.choice(
        point(draw, x, y),
        (point(draw, xc + along, yc + up), "order-of-points"),
        (point(draw, xa + xb - xc, ya + yb - yc), "order-of-points"),
        (point(draw, along, up), "third-point-missing"),
        (point(draw, x, yc + up), "one-coordinate"),
    )

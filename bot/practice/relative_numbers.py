"""Relative numbers (5e, 4e): adding, subtracting and multiplying numbers with signs."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import in_brackets


@generates("maths.relative-add", "5e")
def add_relative(draw: Draw) -> Item:
    """Two numbers of one digit, then of two digits, then four numbers in a row."""
    if draw.difficulty == 3:
        return _add_four(draw)
    far = draw.by_level(draw.between(5, 9), draw.between(21, 48), 0)
    near = draw.by_level(draw.between(2, 4), draw.between(6, 19), 0)
    both_negative = draw.difficulty == 2 and draw.one_of((True, False))
    warming = draw.one_of((True, False))
    if both_negative:
        x, y = -near, -far
    else:
        x, y = draw.one_of(((-far, near), (far, -near), (near, -far), (-near, far)))
    warms = draw.difficulty == 2 and warming and not both_negative
    if warms:
        x, y = -far, near
    exercise = draw.exercise("add_relative", x=x, y=y, warms=warms)
    if both_negative:
        return exercise.choice(
            x + y,
            (-(x + y), "sign-rule-of-products"),
            (y - x, "distances-subtracted"),
            (x - y, "distances-subtracted-sign-lost"),
        )
    total = abs(x) + abs(y)
    return exercise.choice(
        x + y,
        (-(x + y), "wrong-sign-2"),
        (total, "forgotten-minus-sign"),
        (-total, "distances-added-instead-of-subtracted"),
    )


def _add_four(draw: Draw) -> Item:
    """A sum of two positive and two negative numbers."""
    gains = [draw.between(4, 19), draw.between(11, 30)]
    losses = [draw.between(5, 19), draw.between(21, 35)]
    numbers = [*gains, *(-loss for loss in losses)]
    draw.random.shuffle(numbers)
    written = " + ".join([str(numbers[0]), *map(in_brackets, numbers[1:])])
    gains = [number for number in numbers if number > 0]
    losses = [-number for number in numbers if number < 0]
    up, down = sum(gains), sum(losses)
    exercise = draw.exercise(
        "add_four", written=written, up=up, down=down, gains=gains, losses=losses
    )
    return exercise.open(up - down, (up + down, "forgotten-signs"), (down - up, "wrong-sign"))


@generates("maths.relative-subtract", "5e")
def subtract_relative(draw: Draw) -> Item:
    """A small number minus a larger one, then minus a negative, then four terms in a row."""
    if draw.difficulty == 3:
        return _subtract_three(draw)
    near, far = draw.between(2, 9), draw.between(11, 19)
    near = near - 1 if far == 2 * near else near
    cooling = draw.one_of((True, False))
    if draw.difficulty == 1:
        x, y = near, far
    else:
        x, y = draw.one_of(((near, -far), (-near, -far), (-far, -near), (-near, far), (far, -near)))
    cools = draw.difficulty == 2 and cooling and x > 0
    return draw.exercise("subtract_relative", x=x, y=y, cools=cools).choice(
        x - y,
        (y - x, "order-reversed"),
        (x + y, "added-instead-of-subtracted"),
        (-x - y, "both-signs-changed"),
    )


def _subtract_three(draw: Draw) -> Item:
    """A chain such as `5 - (-8) + (-3) - 6`."""
    first = draw.one_of((1, -1)) * draw.between(2, 12)
    minus, plus, last = draw.between(11, 25), draw.between(3, 10), draw.between(2, 9)
    key = first + minus - plus - last

    return draw.exercise("subtract_three", first=first, minus=minus, plus=plus, last=last).open(
        key,
        (first - minus - plus - last, "minus-before-a-negative-misread"),
        (first + minus + plus - last, "plus-before-a-negative-misread"),
    )


@generates("maths.relative-multiply", "4e")
def multiply_relative(draw: Draw) -> Item:
    """Opposite signs, then two negatives or a quotient, then several factors."""
    if draw.difficulty == 3:
        return _multiply_four(draw)
    a, b = draw.between(3, 9), draw.between(3, 9)
    divides = draw.difficulty == 2 and draw.one_of((True, False))
    signs = draw.by_level(((-1, 1), (1, -1)), ((-1, -1),), ())
    sign_a, sign_b = draw.one_of(((-1, 1), (1, -1), (-1, -1))) if divides else draw.one_of(signs)
    x, y = sign_a * (a * b if divides else a), sign_b * b
    key = x // y if divides else x * y
    sign = r"\div" if divides else r"\times"

    exercise = draw.exercise("multiply_relative", x=x, sign=sign, y=y, sign_a=sign_a, sign_b=sign_b)
    return exercise.choice(
        key,
        (-key, "wrong-sign-3"),
        (x + y, "added-instead-2"),
        (x - y, "subtracted-instead"),
        (key + (abs(y) if abs(key) > abs(x) else 1), "slip-in-the-table"),
    )


def _multiply_four(draw: Draw) -> Item:
    """Four factors, two or three of them negative."""
    sizes = [draw.between(2, 5), draw.between(2, 5), draw.between(2, 6), draw.one_of((1, 10))]
    negative = draw.between(2, 3)
    draw.random.shuffle(sizes)
    places = draw.random.sample(range(4), negative)
    factors = [-size if place in places else size for place, size in enumerate(sizes)]
    size = sizes[0] * sizes[1] * sizes[2] * sizes[3]
    key = size if negative % 2 == 0 else -size
    written = r" \times ".join([str(factors[0]), *map(in_brackets, factors[1:])])
    plain = r" \times ".join(map(str, sizes))

    exercise = draw.exercise(
        "multiply_four", written=written, plain=plain, negative=negative, size=size
    )
    return exercise.open(key, (-key, "sign-of-the-product"), (sum(factors), "added-instead"))

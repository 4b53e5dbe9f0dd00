"""Exercises on linear functions and systems of two equations (3e)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import gcd
from typing import Final

from bot.practice.algebra import plain
from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.notation import Pair, point, write_polynomial

# Linear functions ---------------------------------------------------------------------------------


@generates("maths.linear-function", "3e")
def use_linear_function(draw: Draw) -> Item:
    """Ask for an image by `ax`, then an image or antecedent by `ax + b`, then the expression."""
    if draw.difficulty == 3:
        return draw.one_of((_find_from_two_images, _write_fare))(draw)
    a = draw.sign() * draw.between(2, 9)
    n = draw.between(2, 9)
    if draw.difficulty == 2:
        b = draw.sign() * draw.between(2, 9)
        return draw.one_of((_find_image, _find_antecedent))(draw, a, b, n)
    n = n + 1 if a == n == 2 else n
    return draw.exercise("use_linear_function", a=a, n=n).choice(
        a * n,
        (a + n, "added-instead-of-multiplied"),
        (10 * a + (n if a > 0 else -n), "digits-put-side-by-side"),
        (-a * n, "wrong-sign"),
    )


def _find_image(draw: Draw, a: int, b: int, n: int) -> Item:
    """Ask for the image of a negative number."""
    return draw.exercise("find_image", a=a, b=b, n=n).choice(
        -a * n + b,
        (a * n + b, "sign-of-x-lost"),
        (a - n + b, "factor-added"),
        (-a * n - b, "sign-of-the-last-term"),
        (a * (b - n), "added-first"),
    )


def _find_antecedent(draw: Draw, a: int, b: int, n: int) -> Item:
    """Ask for the number whose image is known."""
    image = a * n + b
    return draw.exercise("find_antecedent", a=a, b=b, n=n, image=image).choice(
        n,
        (a * image + b, "image-taken-instead-of-x"),
        (a * n, "division-forgotten"),
        (Fraction(image + b, a), "sign-not-changed"),
        (-n, "sign-of-the-solution"),
    )


def _find_from_two_images(draw: Draw) -> Item:
    """Ask for the expression `ax + b` from two images."""
    a = draw.sign() * draw.between(2, 6)
    b = draw.sign() * draw.between(1, 9)
    m = draw.between(1, 3)
    n = m + draw.between(2, 4)
    low, high = a * m + b, a * n + b
    key = write_polynomial(a, b)
    exercise = draw.exercise(
        "find_from_two_images", m=m, low=low, n=n, high=high, a=a, b=b, key=key
    )
    return exercise.open(
        plain(key),
        (
            plain(write_polynomial(high - low, low - (high - low) * m)),
            "difference-of-images-taken-for-the-slope",
        ),
        (plain(write_polynomial(a, low)), "image-taken-for-b"),
        kind="expression",
    )


def _write_fare(draw: Draw) -> Item:
    start, each = draw.one_of((200, 300, 500, 1000)), draw.one_of((100, 150, 250, 350))
    thing = draw.one_of(("taxi", "café"))
    return draw.exercise("write_fare", thing=thing, start=start, each=each).open(
        plain(write_polynomial(each, start)),
        (plain(write_polynomial(start, each)), "parts-swapped"),
        (plain(write_polynomial(start + each, 0)), "prices-combined"),
        kind="expression",
    )


# Systems ------------------------------------------------------------------------------------------


@generates("maths.system-two-equations", "3e")
def solve_system(draw: Draw) -> Item:
    """Ask for a system with sum and difference, then one to substitute in, then one of prices."""
    if draw.difficulty == 3:
        return _find_price(draw)
    x, y = draw.random.sample(range(1, 10), 2)
    if draw.difficulty == 2:
        y = draw.one_of((y, -y))
        a, c = draw.between(2, 5), draw.one_of((-3, -2, 2, 3))
        b = draw.one_of([each for each in range(2, 6) if each != a * c])
    else:
        a, b, c = 1, 1, -1
    first, second = a * x + y, b * x + c * y
    times_y = f"{'-' if c < 0 else '+'} {abs(c) if abs(c) > 1 else ''}"
    exercise = draw.exercise(
        "solve_system", a=a, b=b, c=c, x=x, y=y, first=first, second=second, times_y=times_y
    )
    return exercise.choice(point(x, y), *_wrong_pairs(x, y, a))


def _wrong_pairs(x: int, y: int, a: int) -> list[Wrong]:
    return [
        (point(y, x), "x-and-y-swapped"),
        (point(x + 1, y - a), "only-one-equation-checked"),
        (point(x, -y), "sign-of-y"),
        (point(x - 1, y + a), "only-one-equation-checked"),
    ]


_GOODS: Final[tuple[tuple[Pair, Pair, Pair, tuple[int, int], tuple[int, int]], ...]] = (
    (
        ("mangues", "mangoes"),
        ("une mangue", "one mango"),
        ("ananas", "pineapples"),
        (50, 150),
        (300, 700),
    ),
    (
        ("cahiers", "exercise books"),
        ("un cahier", "one exercise book"),
        ("stylos", "pens"),
        (250, 600),
        (100, 225),
    ),
    (
        ("beignets", "doughnuts"),
        ("un beignet", "one doughnut"),
        ("jus", "juices"),
        (25, 100),
        (200, 500),
    ),
)
"""Two kinds of goods, the singular of the first, and the lowest and highest price of each."""


def _find_price(draw: Draw) -> Item:
    """Ask for the price of one fruit from two purchases."""
    sizes = range(2, 6)
    a, b, c, d = draw.one_of(
        [
            (a, b, c, d)
            for a, b, c, d in product(sizes, repeat=4)
            if a * d - b * c > 1 and a != c and gcd(b, d) == 1
        ]
    )
    one, single, two, prices_one, prices_two = draw.one_of(_GOODS)
    x = 25 * draw.between(prices_one[0] // 25, prices_one[1] // 25)
    y = 25 * draw.between(prices_two[0] // 25, prices_two[1] // 25)
    exercise = draw.exercise(
        "find_price", one=one, single=single, two=two, a=a, b=b, c=c, d=d, x=x, y=y
    )
    return exercise.open(x, (y, "price-of-the-other-item"), unit="FCFA")

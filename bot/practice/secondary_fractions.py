"""Exercises on adding (6e), multiplying (5e) and dividing (4e) fractions."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from bot.practice.generator import Draw, Item, generates

# Adding -------------------------------------------------------------------------------------------


@generates("maths.add-fractions", "6e")
def add_fractions(draw: Draw) -> Item:
    """Ask to add with one denominator, then with a multiple of it, then with two different ones."""
    if draw.difficulty == 1:
        return _add_same_denominator(draw)
    if draw.difficulty == 3:
        return _add_different_denominators(draw)
    b, k = draw.between(2, 6), draw.between(2, 4)
    a = draw.one_of([n for n in range(1, 2 * b) if gcd(n, b) == 1])
    c = draw.one_of([n for n in range(1, b * k) if gcd(n, b * k) == 1])
    one, two = Fraction(a, b), Fraction(c, b * k)
    one, two = (one, two) if draw.one_of((True, False)) else (two, one)
    return draw.exercise("add_fractions", one=one, two=two, a=a, b=b, k=k, c=c).choice(
        Fraction(k * a + c, b * k),
        (Fraction(a + c, b + b * k), "denominators-added"),
        (Fraction(a + c, b * k), "numerator-left-as-it-was"),
        (Fraction(a + c, b), "wrong-denominator"),
        (Fraction(a * c, b * b * k), "product-of-fractions"),
    )


def _add_same_denominator(draw: Draw) -> Item:
    b = draw.between(5, 12)
    a = draw.between(1, b - 3)
    c = draw.between(1, b - 1 - a)
    fruit = draw.one_of((("pastèque", "watermelon"), ("galette", "flat cake")))
    shared = draw.one_of((True, False))
    return draw.exercise("add_same_denominator", shared=shared, fruit=fruit, b=b, a=a, c=c).choice(
        Fraction(a + c, b),
        (Fraction(a + c, 2 * b), "parts-thought-smaller"),
        (Fraction(a + c, b * b), "denominators-multiplied"),
        (Fraction(a * c, b), "numerators-multiplied"),
    )


def _add_different_denominators(draw: Draw) -> Item:
    b, d = draw.one_of(((2, 3), (3, 4), (2, 5), (3, 5), (4, 5), (4, 6), (6, 8), (6, 9), (4, 10)))
    a = draw.one_of([n for n in range(1, 2 * b) if gcd(n, b) == 1])
    c = draw.one_of([n for n in range(1, d) if gcd(n, d) == 1])
    common = lcm(b, d)
    above = a * common // b + c * common // d
    one, two = Fraction(a, b), Fraction(c, d)
    exercise = draw.exercise(
        "add_different_denominators",
        one=one,
        two=two,
        b=b,
        d=d,
        common=common,
        a=a * common // b,
        c=c * common // d,
        above=above,
    )
    return exercise.open(
        Fraction(above, common),
        (Fraction(a + c, b + d), "numerators-and-denominators-added"),
        (Fraction(a + c, common), "numerators-left-as-they-were"),
    )


# Multiplying --------------------------------------------------------------------------------------


@generates("maths.multiply-fractions", "5e")
def multiply_fractions(draw: Draw) -> Item:
    """Ask to multiply two fractions, then a whole number and one, then for a part of a part."""
    if draw.difficulty == 2:
        return _multiply_by_whole(draw)
    if draw.difficulty == 3:
        return _take_part_of_part(draw)
    proper = [(a, b) for b in (3, 4, 5, 7, 9, 11) for a in range(1, b + 3) if gcd(a, b) == 1]
    a, b = draw.one_of(proper)
    other = [(c, d) for c, d in proper if gcd(a * c, b * d) == 1 and b != d]
    c, d = draw.one_of([each for each in other if each[0] not in (1, a)])
    one, two = Fraction(a, b), Fraction(c, d)
    return draw.exercise("multiply_fractions", one=one, two=two, a=a, c=c, b=b, d=d).choice(
        Fraction(a * c, b * d),
        (Fraction(a + c, b + d), "sum-of-fractions"),
        (Fraction(a * d, b * c), "cross-product"),
        (Fraction(a * c, b + d), "denominators-added-in-a-product"),
        (Fraction(a + c, b * d), "numerators-added"),
    )


def _multiply_by_whole(draw: Draw) -> Item:
    b, n = draw.between(3, 9), draw.between(2, 8)
    a = draw.one_of([each for each in range(2, b + 4) if gcd(each, b) == 1])
    one, two = draw.one_of(((n, Fraction(a, b)), (Fraction(a, b), n)))
    return draw.exercise("multiply_by_whole", one=one, two=two, n=n, a=a, b=b).choice(
        Fraction(n * a, b),
        (Fraction(a, b), "numerator-and-denominator-multiplied"),
        (Fraction(a, n * b), "denominator-multiplied"),
        (Fraction(n * b + a, b), "sum-of-fractions"),
    )


def _take_part_of_part(draw: Draw) -> Item:
    b, d = draw.between(3, 9), draw.between(3, 8)
    a = draw.one_of([each for each in range(2, b) if gcd(each, b) == 1])
    c = draw.one_of([each for each in range(1, d) if gcd(each, d) == 1])
    one, two = Fraction(a, b), Fraction(c, d)
    story = draw.one_of(("cocoa", "club"))
    exercise = draw.exercise("take_part_of_part", story=story, one=one, two=two, a=a, c=c, b=b, d=d)
    return exercise.open(
        Fraction(a * c, b * d),
        (Fraction(a, b) + Fraction(c, d), "added-instead"),
        (Fraction(a * d, b * c), "divided-instead"),
    )


# Dividing -----------------------------------------------------------------------------------------


@generates("maths.divide-fractions", "4e")
def divide_fractions(draw: Draw) -> Item:
    """Ask to divide two fractions, then one and a whole number, then within a sum or a problem."""
    if draw.difficulty == 3:
        return draw.one_of((_fill_bottles, _divide_then_add))(draw)
    b, n = draw.between(2, 9), draw.between(2, 6)
    a = draw.one_of([each for each in range(1, b + 4) if gcd(each, b) == 1 and each != b])
    simple = [(c, d) for d in range(2, 8) for c in range(1, 8) if gcd(c, d) == 1 and c != d]
    simple = [each for each in simple if Fraction(*each) ** 2 != Fraction(a, b)]
    c, d = draw.one_of(
        [each for each in simple if Fraction(*each) not in (Fraction(a, b), Fraction(b, a))]
    )
    if draw.difficulty == 2:
        n = n + 1 if Fraction(a, b) in (n, Fraction(1, n)) else n
        (a, b), (c, d) = draw.one_of((((a, b), (n, 1)), ((n, 1), (a, b))))
    one, two = Fraction(a, b), Fraction(c, d)
    exercise = draw.exercise(
        "divide_fractions", one=one, two=two, turned=1 / two, a=a, d=d, b=b, c=c
    )
    return exercise.choice(
        Fraction(a * d, b * c),
        (one * two, "divisor-not-turned-over"),
        (two / one, "wrong-fraction-turned-over"),
        (1 / (one * two), "both-fractions-turned-over"),
    )


def _fill_bottles(draw: Draw) -> Item:
    a, b = draw.one_of(((3, 4), (2, 5), (3, 5), (3, 10), (2, 3), (3, 2)))
    share = draw.between(2, 8)
    total, bottles = a * share, b * share
    size = Fraction(a, b)
    return draw.exercise("fill_bottles", total=total, size=size).open(
        bottles, (total * size, "multiplied-instead")
    )


def _divide_then_add(draw: Draw) -> Item:
    """Ask for a sum in which the division comes first."""
    simple = [(c, d) for d in range(2, 7) for c in range(1, d + 2) if gcd(c, d) == 1]
    (a, b), (c, d), (e, f) = draw.random.sample(simple, 3)
    one, two, three = Fraction(a, b), Fraction(c, d), Fraction(e, f)
    return draw.exercise("divide_then_add", one=one, two=two, three=three).open(
        one + two / three,
        ((one + two) / three, "added-first"),
        (one + two * three, "reciprocal-forgotten"),
    )

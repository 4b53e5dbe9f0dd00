"""Exercises on fractions: of a quantity, compared, equal (CM1 and CM2), added (CM2 and 6e),
multiplied (5e) and divided (4e).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FRUIT
from bot.practice.notation import write_fraction

# Parts of a quantity ------------------------------------------------------------------------------


@generates("maths.fraction-of-quantity", "CM1")
def fraction_of_quantity(draw: Draw) -> Item:
    """Ask for one part, then several parts, then the money left after spending a fraction."""
    if draw.difficulty == 3:
        return _keep_rest_of_money(draw)
    below = draw.one_of([2, 3, 4, 5]) if draw.difficulty == 1 else draw.one_of([3, 4, 5, 6, 8])
    above = 1
    if draw.difficulty > 1:
        above = draw.one_of([n for n in range(2, below) if gcd(n, below) == 1])
    part = draw.one_of([n for n in range(3, 10) if n != above and above * n != below])
    total, key = below * part, above * part
    fruit = draw.one_of(FRUIT)
    exercise = draw.exercise(
        "fraction_of_quantity", total=total, fruit=fruit, above=above, below=below, part=part
    )
    return exercise.choice(
        key,
        (total - below, "denominator-subtracted"),
        (part, "stopped-early"),
        (total - key, "rest-instead-of-part"),
        (above * total, "multiplied" if above > 1 else "whole-taken"),
        (key + 1, "miscounted"),
        (key - 1, "miscounted"),
    )


def _keep_rest_of_money(draw: Draw) -> Item:
    below = draw.one_of([3, 4, 5])
    above = draw.one_of([n for n in range(1, below) if 2 * n != below])
    part = draw.one_of([100, 150, 200, 250, 300, 400, 500])
    total, spent = below * part, above * part
    key = total - spent
    exercise = draw.exercise(
        "keep_rest_of_money", total=total, above=above, below=below, part=part, spent=spent
    )
    return exercise.open(
        key,
        (spent, "spending-instead-of-the-rest"),
        (part, "stopped-early"),
        (total - above, "numerator-subtracted"),
        unit="FCFA",
    )


# Comparing ----------------------------------------------------------------------------------------


@generates("maths.compare-fractions-same-denominator", "CM1")
def compare_fractions(draw: Draw) -> Item:
    """Ask for the sign between two, then the greatest of four, then an ordered list past one."""
    return draw.by_level(_choose_sign, _find_greatest, _choose_order)(draw)


def _choose_sign(draw: Draw) -> Item:
    below = draw.between(4, 12)
    above = draw.random.sample(range(1, below), 2)
    key = "<" if above[0] < above[1] else ">"
    turned = "<>".replace(key, "")
    return draw.exercise("choose_sign", below=below, above=above).choice(
        key, (turned, "sign-turned-round"), ("=", "only-denominator-compared")
    )


def _find_greatest(draw: Draw) -> Item:
    below = draw.between(6, 12)
    above = draw.random.sample(range(1, below), 4)
    greatest, smallest = max(above), min(above)
    asked = [f"${write_fraction(each, below)}$" for each in above]
    listing = ", ".join(asked[:3])
    exercise = draw.exercise(
        "find_greatest", listing=listing, asked=asked, greatest=greatest, below=below
    )
    return exercise.choice(
        f"{greatest}/{below}",
        *[
            (f"{each}/{below}", "smallest-part" if each == smallest else "numerators-mixed")
            for each in above
            if each != greatest
        ],
    )


def _choose_order(draw: Draw) -> Item:
    below = draw.between(3, 9)
    low, more = draw.between(1, below - 1), draw.between(below + 1, 2 * below - 1)
    texts = [f"{low}/{below}", "1", f"{more}/{below}"]
    one = "1"
    first, second = write_fraction(low, below), write_fraction(more, below)
    order = draw.one_of([(first, one, second), (second, first, one), (one, second, first)])
    exercise = draw.exercise("choose_order", order=order, below=below, first=first, second=second)
    return exercise.choice(
        " < ".join(texts),
        (f"{texts[1]} < {texts[0]} < {texts[2]}", "one-taken-as-smallest"),
        (f"{texts[0]} < {texts[2]} < {texts[1]}", "fraction-thought-below-one"),
        (" < ".join(texts[::-1]), "order-reversed"),
    )


# Equal fractions ----------------------------------------------------------------------------------


def _choose_unequal(key: str, candidates: Sequence[Wrong]) -> list[Wrong]:
    """Return the candidates, fractions such as `6/8`, that differ in value from the key and from
    each other."""
    values = {Fraction(key)}
    kept: list[Wrong] = []
    for each in candidates:
        value = Fraction(str(each[0]))
        if value not in values:
            values.add(value)
            kept.append(each)
    return kept


@generates("maths.equivalent-fractions", "CM2")
def equivalent_fractions(draw: Draw) -> Item:
    """Ask for an equal fraction, then for a missing numerator, then for the simplest form."""
    below = draw.between(3, 9)
    above = draw.one_of([n for n in range(1, below) if gcd(n, below) == 1])
    factor = draw.between(2, 6)
    return draw.by_level(_find_equal, _find_numerator, _simplify)(draw, above, below, factor)


def _find_equal(draw: Draw, above: int, below: int, factor: int) -> Item:
    key = f"{above * factor}/{below * factor}"
    wrong = [
        (f"{above + factor}/{below + factor}", "same-number-added"),
        (f"{above}/{below * factor}", "only-denominator-multiplied"),
        (f"{above * factor}/{below}", "only-numerator-multiplied"),
        (f"{above * factor}/{below * (factor + 1)}", "different-numbers-used"),
    ]
    return draw.exercise("find_equal", above=above, below=below, factor=factor).choice(
        key, *_choose_unequal(key, wrong)
    )


def _find_numerator(draw: Draw, above: int, below: int, factor: int) -> Item:
    if above * factor == below:
        factor += 1
    key, target = above * factor, below * factor
    exercise = draw.exercise(
        "find_numerator", above=above, below=below, target=target, factor=factor
    )
    return exercise.open(
        key,
        (above + target - below, "added"),
        (above, "numerator-unchanged"),
        (above * target, "multiplied"),
    )


def _simplify(draw: Draw, above: int, below: int, factor: int) -> Item:
    high, low = above * factor, below * factor
    key = f"{above}/{below}"
    wrong = [
        (f"{above}/{low}", "only-numerator-divided"),
        (f"{high}/{below}", "only-denominator-divided"),
        (f"{below}/{above}", "fraction-turned-over"),
        (f"{above}/{below + 1}", "slip-in-the-division"),
    ]
    exercise = draw.exercise(
        "simplify", high=high, low=low, factor=factor, above=above, below=below
    )
    return exercise.choice(key, *_choose_unequal(key, wrong))


# Adding -------------------------------------------------------------------------------------------


@generates("maths.add-fractions-same-denominator", "CM2")
def add_fractions_same_denominator(draw: Draw) -> Item:
    """Ask for a sum below one, then for a sum above one, then for the rest of a field."""
    below = draw.one_of([5, 7, 8, 9, 10, 11])
    if draw.difficulty == 3:
        return _find_rest_of_field(draw, below)
    least, most = (3, below - 1) if draw.difficulty == 1 else (below + 1, 2 * below - 3)
    total = draw.one_of([n for n in range(least, most + 1) if gcd(n, below) == 1])
    a = draw.between(max(1, total - below + 1), min(below - 1, total - 1))
    b = total - a
    key = f"{total}/{below}"
    wrong = [
        (f"{total}/{2 * below}", "denominators-added"),
        (f"{a * b}/{below}", "numerators-multiplied"),
        (f"{total + 1}/{below}", "one-part-too-many"),
        (f"{below}/{total}", "fraction-turned-over"),
    ]
    exercise = draw.exercise("add_fractions_same_denominator", a=a, below=below, b=b, total=total)
    return exercise.choice(key, *_choose_unequal(key, wrong))


def _find_rest_of_field(draw: Draw, below: int) -> Item:
    rest = draw.one_of([n for n in range(1, below - 3) if gcd(n, below) == 1])
    a = draw.between(1, below - rest - 1)
    b = below - rest - a
    sown = a + b
    return draw.exercise("find_rest_of_field", a=a, below=below, b=b, sown=sown, rest=rest).open(
        Fraction(rest, below),
        (f"{sown}/{below}", "stopped-early"),
        (f"{sown}/{2 * below}", "denominators-added"),
    )


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
    one, two = (one, two) if draw.flip() else (two, one)
    return draw.exercise("add_fractions", one=one, two=two, a=a, b=b, k=k, c=c).choice(
        Fraction(k * a + c, b * k),
        (Fraction(a + c, b + b * k), "sum-of-denominators"),
        (Fraction(a + c, b * k), "numerator-left-as-it-was"),
        (Fraction(a + c, b), "wrong-denominator"),
        (Fraction(a * c, b * b * k), "product-of-fractions"),
    )


def _add_same_denominator(draw: Draw) -> Item:
    b = draw.between(5, 12)
    a = draw.between(1, b - 3)
    c = draw.between(1, b - 1 - a)
    fruit = draw.one_of((("pastèque", "watermelon"), ("galette", "flat cake")))
    shared = draw.flip()
    return draw.exercise("add_same_denominator", shared=shared, fruit=fruit, b=b, a=a, c=c).choice(
        Fraction(a + c, b),
        (Fraction(a + c, 2 * b), "parts-thought-smaller"),
        (Fraction(a + c, b * b), "denominators-multiplied"),
        (Fraction(a * c, b), "product-of-numerators"),
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

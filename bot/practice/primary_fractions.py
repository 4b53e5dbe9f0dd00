"""Exercises on fractions in primary school: of a quantity, compared, equal, added."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FRUIT
from bot.practice.notation import write_fraction


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
        (above * total, "multiplied"),
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

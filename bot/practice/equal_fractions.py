"""Equal fractions, and sums of fractions with the same denominator, in primary school."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from bot.practice.generator import Draw, Item, Wrong, generates


def _choose_unequal(key: str, candidates: Sequence[Wrong]) -> list[Wrong]:
    """Those of the candidates, fractions as `6/8`, that differ in value from the key and others."""
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
    """An equal fraction, a missing numerator, the simplest form."""
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
    """A sum below one, a sum that passes one, what is left of a field."""
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

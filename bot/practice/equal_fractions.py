"""Equal fractions, and sums of fractions with the same denominator, in primary school."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Final

from bot.practice.fractions import SAME_SIZE, write_fraction
from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.mistakes import (
    ADDED,
    MULTIPLIED,
    STOPPED_EARLY,
    MistakeKind,
    choose_mistakes,
    mistake,
    say_each,
)

SAME_NUMBER_ADDED: Final = MistakeKind(
    ("même nombre ajouté en haut et en bas", "same number added above and below"),
    (
        "Ajouter le même nombre en haut et en bas change la fraction.",
        "Adding the same number above and below changes the fraction.",
    ),
)
ONLY_DENOMINATOR_MULTIPLIED: Final = MistakeKind(
    ("seul le dénominateur multiplié", "only the denominator multiplied"),
    ("Fais la même chose en haut et en bas.", "Do the same thing above and below."),
)
ONLY_NUMERATOR_MULTIPLIED: Final = MistakeKind(
    ("seul le numérateur multiplié", "only the numerator multiplied"),
    ("Fais la même chose en haut et en bas.", "Do the same thing above and below."),
)
DIFFERENT_NUMBERS_USED: Final = MistakeKind(
    ("nombres différents en haut et en bas", "different numbers above and below"),
    (
        "Multiplie le haut et le bas par le même nombre.",
        "Multiply above and below by the same number.",
    ),
)
ONLY_NUMERATOR_DIVIDED: Final = MistakeKind(
    ("seul le numérateur divisé", "only the numerator divided"),
    ("Divise le haut et le bas.", "Divide both above and below."),
)
ONLY_DENOMINATOR_DIVIDED: Final = MistakeKind(
    ("seul le dénominateur divisé", "only the denominator divided"),
    ("Divise le haut et le bas.", "Divide both above and below."),
)
FRACTION_TURNED_OVER: Final = MistakeKind(
    ("fraction retournée", "fraction turned over"),
    (
        "Le haut et le bas ont changé de place.",
        "The numbers above and below have changed places.",
    ),
)
SLIP_IN_THE_DIVISION: Final = MistakeKind(
    ("erreur de division", "slip in the division"),
    (
        "Vérifie la division du dénominateur.",
        "Check the division of the denominator.",
    ),
)
DENOMINATORS_ADDED: Final = MistakeKind(
    ("dénominateurs additionnés", "denominators added"),
    (
        "La taille des parts ne change pas : n'additionne pas les dénominateurs.",
        "The size of the parts does not change: do not add the denominators.",
    ),
)
NUMERATORS_MULTIPLIED: Final = MistakeKind(
    ("numérateurs multipliés", "numerators multiplied"),
    ("Le signe + demande d'additionner.", "The sign + asks you to add."),
)
ONE_PART_TOO_MANY: Final = MistakeKind(
    ("erreur d'une part", "one part too many"), ("Recompte les parts.", "Count the parts again.")
)
NUMERATOR_UNCHANGED: Final = MistakeKind(
    ("numérateur inchangé", "numerator unchanged"),
    (
        "Le dénominateur a changé : le numérateur change aussi.",
        "The denominator has changed: the numerator changes too.",
    ),
)


def _choose_unequal(key: str, candidates: Sequence[Wrong]) -> list[Wrong]:
    """Those of the candidates, fractions as `6/8`, that differ in value from the key and others."""
    values = {Fraction(key)}
    kept: list[Wrong] = []
    for each in candidates:
        value = Fraction(str(each.answer))
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
    fraction = write_fraction(above, below)
    wrong = [
        mistake(draw, f"{above + factor}/{below + factor}", SAME_NUMBER_ADDED),
        mistake(draw, f"{above}/{below * factor}", ONLY_DENOMINATOR_MULTIPLIED),
        mistake(draw, f"{above * factor}/{below}", ONLY_NUMERATOR_MULTIPLIED),
        mistake(draw, f"{above * factor}/{below * (factor + 1)}", DIFFERENT_NUMBERS_USED),
    ]
    return draw.choice(
        draw.say(
            f"Quelle fraction est égale à ${fraction}$ ?",
            f"Which fraction is equal to ${fraction}$?",
        ),
        key=key,
        wrong=_choose_unequal(key, wrong),
        hints=say_each(
            draw,
            (
                "Cherche un nombre qui multiplie à la fois le haut et le bas.",
                "Look for one number that multiplies both above and below.",
            ),
            (
                f"Essaie de multiplier ${above}$ et ${below}$ par ${factor}$.",
                f"Try to multiply ${above}$ and ${below}$ by ${factor}$.",
            ),
        ),
        steps=[
            f"${above} \\times {factor} = {above * factor}$",
            f"${below} \\times {factor} = {below * factor}$",
            f"${fraction} = {write_fraction(above * factor, below * factor)}$",
        ],
    )


def _find_numerator(draw: Draw, above: int, below: int, factor: int) -> Item:
    if above * factor == below:
        factor += 1
    key, target = above * factor, below * factor
    return draw.open(
        draw.say(
            f"On écrit ${write_fraction(above, below)}$ avec le dénominateur ${target}$. "
            "Quel est le nouveau numérateur ?",
            f"You write ${write_fraction(above, below)}$ with the denominator ${target}$. "
            "What is the new numerator?",
        ),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                mistake(draw, above + target - below, ADDED),
                mistake(draw, above, NUMERATOR_UNCHANGED),
                mistake(draw, above * target, MULTIPLIED),
            ],
        ),
        hints=say_each(
            draw,
            (
                f"Par quoi as-tu multiplié ${below}$ pour trouver ${target}$ ?",
                f"What did you multiply ${below}$ by to get ${target}$?",
            ),
            (
                f"${below} \\times \\ldots = {target}$ : multiplie ${above}$ de la même façon.",
                f"${below} \\times \\ldots = {target}$: multiply ${above}$ in the same way.",
            ),
        ),
        steps=[
            f"${below} \\times {factor} = {target}$",
            f"${above} \\times {factor} = {key}$",
        ],
    )


def _simplify(draw: Draw, above: int, below: int, factor: int) -> Item:
    high, low = above * factor, below * factor
    key = f"{above}/{below}"
    wrong = [
        mistake(draw, f"{above}/{low}", ONLY_NUMERATOR_DIVIDED),
        mistake(draw, f"{high}/{below}", ONLY_DENOMINATOR_DIVIDED),
        mistake(draw, f"{below}/{above}", FRACTION_TURNED_OVER),
        mistake(draw, f"{above}/{below + 1}", SLIP_IN_THE_DIVISION),
    ]
    return draw.choice(
        draw.say(
            f"Simplifie ${write_fraction(high, low)}$ le plus possible.",
            f"Simplify ${write_fraction(high, low)}$ as far as possible.",
        ),
        key=key,
        wrong=_choose_unequal(key, wrong),
        hints=say_each(
            draw,
            (
                f"Cherche un nombre qui divise à la fois ${high}$ et ${low}$.",
                f"Look for a number that divides both ${high}$ and ${low}$.",
            ),
            (
                f"Divise le haut et le bas par ${factor}$.",
                f"Divide above and below by ${factor}$.",
            ),
        ),
        steps=[
            f"${high} \\div {factor} = {above}$",
            f"${low} \\div {factor} = {below}$",
            f"${write_fraction(high, low)} = {write_fraction(above, below)}$",
        ],
    )


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
    first, second = write_fraction(a, below), write_fraction(b, below)
    wrong = [
        mistake(draw, f"{total}/{2 * below}", DENOMINATORS_ADDED),
        mistake(draw, f"{a * b}/{below}", NUMERATORS_MULTIPLIED),
        mistake(draw, f"{total + 1}/{below}", ONE_PART_TOO_MANY),
        mistake(draw, f"{below}/{total}", FRACTION_TURNED_OVER),
    ]
    return draw.choice(
        draw.say(f"Calcule ${first} + {second}$.", f"Work out ${first} + {second}$."),
        key=key,
        wrong=_choose_unequal(key, wrong),
        hints=say_each(
            draw,
            SAME_SIZE,
            (
                f"Calcule ${a} + {b}$ et garde le dénominateur.",
                f"Work out ${a} + {b}$ and keep the denominator.",
            ),
        ),
        steps=[f"${a} + {b} = {total}$", f"${first} + {second} = {write_fraction(total, below)}$"],
    )


def _find_rest_of_field(draw: Draw, below: int) -> Item:
    rest = draw.one_of([n for n in range(1, below - 3) if gcd(n, below) == 1])
    a = draw.between(1, below - rest - 1)
    b = below - rest - a
    first, second = write_fraction(a, below), write_fraction(b, below)
    sown = a + b
    return draw.open(
        draw.say(
            f"Une paysanne sème ${first}$ de son champ en maïs et ${second}$ en arachides. "
            "Quelle fraction du champ reste libre ?",
            f"A farmer sows ${first}$ of her field with maize and ${second}$ with groundnuts. "
            "What fraction of the field is left free?",
        ),
        key=Fraction(rest, below),
        wrong=[
            mistake(draw, f"{sown}/{below}", STOPPED_EARLY),
            mistake(draw, f"{sown}/{2 * below}", DENOMINATORS_ADDED),
        ],
        hints=say_each(
            draw,
            (
                f"Le champ entier, c'est ${write_fraction(below, below)}$.",
                f"The whole field is ${write_fraction(below, below)}$.",
            ),
            (
                f"Les deux cultures occupent ${write_fraction(sown, below)}$ du champ.",
                f"The two crops take up ${write_fraction(sown, below)}$ of the field.",
            ),
        ),
        steps=[
            f"${first} + {second} = {write_fraction(sown, below)}$",
            f"${write_fraction(below, below)} - {write_fraction(sown, below)}"
            f" = {write_fraction(rest, below)}$",
        ],
    )

"""Fractions in primary school: of a quantity, and compared with the same denominator."""

from __future__ import annotations

from math import gcd
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.market import FRUIT
from bot.practice.mistakes import (
    MISCOUNTED,
    MULTIPLIED,
    STOPPED_EARLY,
    MistakeKind,
    Pair,
    choose_mistakes,
    mistake,
    say_each,
)

SMALLEST_PART: Final = MistakeKind(
    ("plus petite part choisie", "smallest part chosen"),
    (
        "Tu as pris la plus petite : ici, plus le nombre du haut est grand, plus on a.",
        "You took the smallest: here, the greater the number above, the more you have.",
    ),
)
NUMERATORS_MIXED: Final = MistakeKind(
    ("numérateurs mal comparés", "numerators badly compared"),
    (
        "Compare encore les nombres du haut, un par un.",
        "Compare the numbers above again, one by one.",
    ),
)
DENOMINATOR_SUBTRACTED: Final = MistakeKind(
    ("dénominateur soustrait", "denominator subtracted"),
    (
        "Le nombre du bas dit en combien de parts égales on partage.",
        "The number below says into how many equal parts you share.",
    ),
)
REST_INSTEAD_OF_PART: Final = MistakeKind(
    ("reste à la place de la part", "rest instead of the part"),
    (
        "C'est ce qui reste : on demande la fraction elle-même.",
        "That is what remains: the fraction itself is asked for.",
    ),
)
SIGN_TURNED_ROUND: Final = MistakeKind(
    ("sens du signe", "direction of the sign"),
    (
        "Le grand côté du signe s'ouvre vers le plus grand nombre.",
        "The wide side of the sign opens towards the greater number.",
    ),
)
ONLY_DENOMINATOR_COMPARED: Final = MistakeKind(
    ("seul le dénominateur regardé", "only the denominator looked at"),
    (
        "Les dénominateurs sont les mêmes, mais regarde aussi en haut.",
        "The denominators are the same, but look above as well.",
    ),
)
ONE_TAKEN_AS_SMALLEST: Final = MistakeKind(
    ("1 pris pour le plus petit", "1 taken as the smallest"),
    (
        "Le nombre 1 n'est pas toujours le plus petit : écris-le comme une fraction.",
        "The number 1 is not always the smallest: write it as a fraction.",
    ),
)
FRACTION_THOUGHT_BELOW_ONE: Final = MistakeKind(
    ("fraction crue plus petite que 1", "fraction thought to be less than 1"),
    (
        "Une fraction peut dépasser 1 : compare le haut et le bas.",
        "A fraction can be more than 1: compare above and below.",
    ),
)
ORDER_REVERSED: Final = MistakeKind(
    ("ordre inversé", "order reversed"),
    (
        "Tu as commencé par le plus grand : relis dans quel ordre il faut ranger.",
        "You began with the greatest: read again which one comes first.",
    ),
)
SPENDING_INSTEAD_OF_THE_REST: Final = MistakeKind(
    ("dépense à la place du reste", "spending instead of the rest"),
    (
        "C'est ce que tu dépenses : on demande ce qui reste.",
        "That is what you spend: you are asked for what is left.",
    ),
)
NUMERATOR_SUBTRACTED: Final = MistakeKind(
    ("numérateur soustrait", "numerator subtracted"),
    (
        "Une fraction n'est pas une somme d'argent : calcule-la d'abord.",
        "A fraction is not a sum of money: work it out first.",
    ),
)


def write_fraction(above: int, below: int) -> str:
    """A fraction in LaTeX as it is, not simplified."""
    return f"\\frac{{{above}}}{{{below}}}"


@generates("maths.fraction-of-quantity", "CM1")
def fraction_of_quantity(draw: Draw) -> Item:
    """One part, then several parts, then the money that is left after spending a fraction."""
    if draw.difficulty == 3:
        return _keep_rest_of_money(draw)
    below = draw.one_of([2, 3, 4, 5]) if draw.difficulty == 1 else draw.one_of([3, 4, 5, 6, 8])
    above = 1
    if draw.difficulty > 1:
        above = draw.one_of([n for n in range(2, below) if gcd(n, below) == 1])
    part = draw.one_of([n for n in range(3, 10) if n != above and above * n != below])
    total, key = below * part, above * part
    fruit = draw.one_of(FRUIT).many(draw)
    wrong = [
        mistake(draw, total - below, DENOMINATOR_SUBTRACTED),
        mistake(draw, part, STOPPED_EARLY),
        mistake(draw, total - key, REST_INSTEAD_OF_PART),
        mistake(draw, above * total, MULTIPLIED),
        mistake(draw, key + 1, MISCOUNTED),
        mistake(draw, key - 1, MISCOUNTED),
    ]
    last = (
        f"${total} \\div {below} = {part}$. Prends maintenant {above} de ces parts.",
        f"${total} \\div {below} = {part}$. Now take {above} of these parts.",
    )
    if above == 1:
        last = (
            f"Partage ${total}$ en {below} parts égales.",
            f"Share ${total}$ into {below} equal parts.",
        )
    steps = [f"${total} \\div {below} = {part}$"]
    if above > 1:
        steps.append(f"${part} \\times {above} = {key}$")
    return draw.choice(
        draw.say(
            f"Une vendeuse a {total} {fruit}. Elle en vend ${write_fraction(above, below)}$. "
            "Combien en vend-elle ?",
            f"A market woman has {total} {fruit}. She sells ${write_fraction(above, below)}$ "
            "of them. How many does she sell?",
        ),
        key=key,
        wrong=choose_mistakes(key, wrong),
        hints=say_each(
            draw,
            (
                "Le nombre du bas dit en combien de parts égales on partage.",
                "The number below says into how many equal parts you share.",
            ),
            last,
        ),
        steps=steps,
    )


def _keep_rest_of_money(draw: Draw) -> Item:
    below = draw.one_of([3, 4, 5])
    above = draw.one_of([n for n in range(1, below) if 2 * n != below])
    part = draw.one_of([100, 150, 200, 250, 300, 400, 500])
    total, spent = below * part, above * part
    key = total - spent
    return draw.open(
        draw.say(
            f"Tu as {total} FCFA. Tu en dépenses ${write_fraction(above, below)}$ au marché. "
            "Combien te reste-t-il ?",
            f"You have {total} FCFA. You spend ${write_fraction(above, below)}$ "
            "of it at the market. How much is left?",
        ),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                mistake(draw, spent, SPENDING_INSTEAD_OF_THE_REST),
                mistake(draw, part, STOPPED_EARLY),
                mistake(draw, total - above, NUMERATOR_SUBTRACTED),
            ],
        ),
        hints=say_each(
            draw,
            (
                "Calcule d'abord l'argent dépensé.",
                "First work out the money spent.",
            ),
            (
                f"Partage {total} FCFA en {below} parts égales. Combien de parts gardes-tu ?",
                f"Share {total} FCFA into {below} equal parts. How many parts do you keep?",
            ),
        ),
        steps=[
            f"${total} \\div {below} = {part}$",
            draw.say(
                f"Dépense : ${part} \\times {above} = {spent}$.",
                f"Spent: ${part} \\times {above} = {spent}$.",
            ),
            f"${total} - {spent} = {key}$",
        ],
        unit="FCFA",
    )


@generates("maths.compare-fractions-same-denominator", "CM1")
def compare_fractions(draw: Draw) -> Item:
    """The sign between two, the greatest of four, then a list in order that passes one."""
    return draw.by_level(_choose_sign, _find_greatest, _choose_order)(draw)


SAME_SIZE: Pair = (
    "Toutes ces parts ont la même taille : compte combien on en prend.",
    "All these parts have the same size: count how many are taken.",
)


def _choose_sign(draw: Draw) -> Item:
    below = draw.between(4, 12)
    above = draw.random.sample(range(1, below), 2)
    key = "<" if above[0] < above[1] else ">"
    turned = "<>".replace(key, "")
    first, second = write_fraction(above[0], below), write_fraction(above[1], below)
    return draw.choice(
        draw.say(
            f"Quel signe va entre ${first}$ et ${second}$, dans cet ordre ?",
            f"Which sign goes between ${first}$ and ${second}$, in this order?",
        ),
        key=key,
        wrong=[
            mistake(draw, turned, SIGN_TURNED_ROUND),
            mistake(draw, "=", ONLY_DENOMINATOR_COMPARED),
        ],
        hints=say_each(
            draw,
            SAME_SIZE,
            (
                f"Compare seulement ${above[0]}$ et ${above[1]}$.",
                f"Just compare ${above[0]}$ and ${above[1]}$.",
            ),
        ),
        steps=[f"${above[0]} {key} {above[1]}$", f"${first} {key} {second}$"],
    )


def _find_greatest(draw: Draw) -> Item:
    below = draw.between(6, 12)
    above = draw.random.sample(range(1, below), 4)
    greatest, smallest = max(above), min(above)
    asked = [f"${write_fraction(each, below)}$" for each in above]
    listing = ", ".join(asked[:3])
    return draw.choice(
        draw.say(
            f"Quelle est la plus grande fraction : {listing} ou {asked[3]} ?",
            f"Which fraction is the greatest: {listing} or {asked[3]}?",
        ),
        key=f"{greatest}/{below}",
        wrong=[
            mistake(
                draw, f"{each}/{below}", SMALLEST_PART if each == smallest else NUMERATORS_MIXED
            )
            for each in above
            if each != greatest
        ],
        hints=say_each(
            draw,
            SAME_SIZE,
            (
                "Les dénominateurs sont égaux : cherche le plus grand numérateur.",
                "The denominators are equal: look for the greatest numerator.",
            ),
        ),
        steps=say_each(
            draw,
            (
                f"Le plus grand numérateur est ${greatest}$.",
                f"The greatest numerator is ${greatest}$.",
            ),
            (
                f"La plus grande fraction est ${write_fraction(greatest, below)}$.",
                f"The greatest fraction is ${write_fraction(greatest, below)}$.",
            ),
        ),
    )


def _choose_order(draw: Draw) -> Item:
    below = draw.between(3, 9)
    low, more = draw.between(1, below - 1), draw.between(below + 1, 2 * below - 1)
    texts = [f"{low}/{below}", "1", f"{more}/{below}"]
    one = "1"
    first, second = write_fraction(low, below), write_fraction(more, below)
    order = draw.one_of([(first, one, second), (second, first, one), (one, second, first)])
    return draw.choice(
        draw.say(
            f"Range du plus petit au plus grand : ${order[0]}$, ${order[1]}$ et ${order[2]}$.",
            f"Put in order, smallest first: ${order[0]}$, ${order[1]}$ and ${order[2]}$.",
        ),
        key=" < ".join(texts),
        wrong=[
            mistake(draw, f"{texts[1]} < {texts[0]} < {texts[2]}", ONE_TAKEN_AS_SMALLEST),
            mistake(draw, f"{texts[0]} < {texts[2]} < {texts[1]}", FRACTION_THOUGHT_BELOW_ONE),
            mistake(draw, " < ".join(texts[::-1]), ORDER_REVERSED),
        ],
        hints=say_each(
            draw,
            ("Écris 1 avec le même dénominateur.", "Write 1 with the same denominator."),
            (f"$1 = {write_fraction(below, below)}$", f"$1 = {write_fraction(below, below)}$"),
        ),
        steps=[f"$1 = {write_fraction(below, below)}$", f"${first} < 1 < {second}$"],
    )

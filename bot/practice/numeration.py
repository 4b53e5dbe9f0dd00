"""Numbers up to a hundred: comparing them, and their tens and ones."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.mistakes import (
    MistakeKind,
    Pair,
    choose_mistakes,
    mistake,
    say_each,
)

SIGNS: Final[dict[str, Pair]] = {
    "<": ("est plus petit que", "is less than"),
    "=": ("est égal à", "is equal to"),
    ">": ("est plus grand que", "is greater than"),
}
WRONG_SIGNS: Final = {
    "<": MistakeKind(
        ("sens du signe", "direction of the sign"),
        (
            "Ce signe dit que le premier nombre est le plus petit. Est-ce vrai ?",
            "This sign says that the first number is the smaller one. Is that true?",
        ),
    ),
    ">": MistakeKind(
        ("sens du signe", "direction of the sign"),
        (
            "Ce signe dit que le premier nombre est le plus grand. Est-ce vrai ?",
            "This sign says that the first number is the greater one. Is that true?",
        ),
    ),
    "=": MistakeKind(
        ("égalité de nombres qui se ressemblent", "numbers that look alike taken as equal"),
        (
            "Ces nombres se ressemblent. Compare bien leurs dizaines et leurs unités.",
            "These numbers look alike. Compare their tens and their ones carefully.",
        ),
    ),
}
ONES_COMPARED_FIRST: Final = MistakeKind(
    ("comparaison des unités", "ones compared first"),
    (
        "Tu as choisi les plus grandes unités : regarde d'abord les dizaines.",
        "You chose the greatest ones digit: look at the tens first.",
    ),
)
DIGITS_COMPARED_ALONE: Final = MistakeKind(
    ("chiffres comparés sans leur place", "digits compared without their place"),
    (
        "Compare le nombre de dizaines avant les unités.",
        "Compare the number of tens before the ones.",
    ),
)
ORDERED_BY_THE_ONES: Final = MistakeKind(
    ("rangement d'après les unités", "ordered by the ones"),
    (
        "Tu as rangé d'après les unités : les dizaines comptent d'abord.",
        "You ordered by the ones: the tens come first.",
    ),
)
ORDER_REVERSED: Final = MistakeKind(
    ("ordre inversé", "order reversed"),
    (
        "Tu as commencé par le plus grand : relis dans quel ordre il faut ranger.",
        "You began with the greatest: read again which one comes first.",
    ),
)
TWO_NUMBERS_SWAPPED: Final = MistakeKind(
    ("deux nombres échangés", "two numbers swapped"),
    (
        "Le plus petit est bien placé. Compare encore les dizaines des deux autres.",
        "The smallest is in its place. Compare the tens of the other two again.",
    ),
)
TENS_AND_ONES_SWAPPED: Final = MistakeKind(
    ("dizaines et unités échangées", "tens and ones swapped"),
    (
        "Tu as échangé les dizaines et les unités.",
        "You swapped the tens and the ones.",
    ),
)
DIGITS_ADDED: Final = MistakeKind(
    ("chiffres additionnés", "digits added"),
    (
        "Tu as additionné les deux chiffres : une dizaine, c'est un paquet de 10.",
        "You added the two digits: a ten is a pack of 10.",
    ),
)
ZERO_TOO_MANY: Final = MistakeKind(
    ("un zéro de trop", "a zero too many"),
    (
        "Il y a un zéro de trop : ce nombre a deux chiffres.",
        "There is a zero too many: this number has two digits.",
    ),
)
NUMBERS_JOINED: Final = MistakeKind(
    ("nombres collés", "numbers written side by side"),
    (
        "Tu as écrit les nombres l'un à côté de l'autre : il faut les additionner.",
        "You wrote the numbers side by side: they must be added.",
    ),
)
PACKS_COUNTED_AS_PENCILS: Final = MistakeKind(
    ("paquets comptés comme des crayons", "packs counted as pencils"),
    (
        "Chaque paquet contient 10 crayons : compte-les aussi.",
        "Each pack holds 10 pencils: count those too.",
    ),
)
TEN_AMONG_ONES_FORGOTTEN: Final = MistakeKind(
    ("dizaine des unités oubliée", "the ten among the ones forgotten"),
    (
        "Parmi les crayons seuls, il y a encore une dizaine.",
        "There is one more ten among the single pencils.",
    ),
)
OTHER_DIGIT_GIVEN: Final = MistakeKind(
    ("dizaines et unités échangées", "tens and ones swapped"),
    (
        "Ce chiffre a l'autre place dans le nombre.",
        "That digit is in the other place of the number.",
    ),
)
VALUE_INSTEAD_OF_THE_DIGIT: Final = MistakeKind(
    ("valeur à la place du chiffre", "value instead of the digit"),
    (
        "On demande un seul chiffre, pas sa valeur.",
        "You are asked for one digit, not for its value.",
    ),
)
SUM_INSTEAD_OF_ONE_DIGIT: Final = MistakeKind(
    ("chiffres additionnés", "digits added"),
    (
        "Tu as additionné les chiffres : on en demande un seul.",
        "You added the digits: only one of them is asked for.",
    ),
)


@generates("maths.compare-to-100", "CP")
def compare_to_100(draw: Draw) -> Item:
    """The greatest of three, then the sign between two, then a list in order."""
    return draw.by_level(_find_greatest, _choose_sign, _choose_order)(draw)


def _find_greatest(draw: Draw) -> Item:
    tens = draw.between(3, 8)
    unit = draw.between(0, tens - 2)
    greatest = 10 * tens + unit
    others = [
        mistake(draw, 10 * (tens - 2) + 9, ONES_COMPARED_FIRST),
        mistake(draw, 10 * (tens - 1) + draw.between(unit + 1, 8), DIGITS_COMPARED_ALONE),
    ]
    numbers = [greatest, *(int(each.answer) for each in others)]
    draw.random.shuffle(numbers)
    first, second, third = numbers
    return draw.choice(
        draw.say(
            f"Quel est le plus grand nombre : ${first}$, ${second}$ ou ${third}$ ?",
            f"Which number is the greatest: ${first}$, ${second}$ or ${third}$?",
        ),
        key=greatest,
        wrong=others,
        hints=say_each(
            draw,
            ("Regarde le chiffre de gauche.", "Look at the digit on the left."),
            (
                "Le chiffre de gauche compte les dizaines : cherche qui en a le plus.",
                "The digit on the left counts the tens: find the number that has the most.",
            ),
        ),
        steps=[
            draw.say(
                f"C'est ${greatest}$ qui a le plus de dizaines : ${tens}$.",
                f"${greatest}$ has the most tens: ${tens}$.",
            ),
            draw.say(
                f"Le plus grand nombre est ${greatest}$.", f"The greatest number is ${greatest}$."
            ),
        ],
    )


def _choose_sign(draw: Draw) -> Item:
    tens, unit = draw.between(1, 9), draw.between(0, 9)
    while tens == unit:
        unit = draw.between(0, 9)
    first = 10 * tens + unit
    turned = 10 * unit + tens
    same_tens = 10 * tens + (unit + draw.between(1, 9)) % 10
    second = draw.one_of([turned if unit else same_tens, same_tens, first])
    signs = {"<": first < second, "=": first == second, ">": first > second}
    key = next(sign for sign, right in signs.items() if right)
    words = SIGNS[key]
    return draw.choice(
        draw.say(
            f"Quel signe va entre ${first}$ et ${second}$, dans cet ordre ?",
            f"Which sign goes between ${first}$ and ${second}$, in this order?",
        ),
        key=key,
        wrong=[mistake(draw, sign, WRONG_SIGNS[sign]) for sign in signs if sign != key],
        hints=say_each(
            draw,
            (
                "Compare d'abord les dizaines, puis les unités.",
                "Compare the tens first, then the ones.",
            ),
            (
                "Le grand côté du signe s'ouvre vers le plus grand nombre.",
                "The wide side of the sign opens towards the greater number.",
            ),
        ),
        steps=[
            draw.say(f"${first}$ {words[0]} ${second}$.", f"${first}$ {words[1]} ${second}$."),
            f"${first} {key} {second}$",
        ],
    )


def _choose_order(draw: Draw) -> Item:
    tens = draw.between(2, 7)
    unit = draw.between(tens + 1, 9)
    low, high = 10 * tens + unit, 10 * unit + tens
    middle = 10 * (tens + 1) + draw.between(0, tens - 1)
    numbers = [low, middle, high]
    asked = numbers.copy()
    while asked in (numbers, numbers[::-1]):
        draw.random.shuffle(asked)
    return draw.choice(
        draw.say(
            f"Range du plus petit au plus grand : ${asked[0]}$, ${asked[1]}$ et ${asked[2]}$.",
            f"Put in order, smallest first: ${asked[0]}$, ${asked[1]}$ and ${asked[2]}$.",
        ),
        key=f"{low} < {middle} < {high}",
        wrong=[
            mistake(draw, f"{middle} < {high} < {low}", ORDERED_BY_THE_ONES),
            mistake(draw, f"{high} < {middle} < {low}", ORDER_REVERSED),
            mistake(draw, f"{low} < {high} < {middle}", TWO_NUMBERS_SWAPPED),
        ],
        hints=say_each(
            draw,
            (
                "Cherche d'abord le nombre qui a le moins de dizaines.",
                "First find the number with the fewest tens.",
            ),
            (f"Le plus petit est ${low}$.", f"The smallest is ${low}$."),
        ),
        steps=[
            draw.say(
                f"Le plus petit est ${low}$ et le plus grand est ${high}$.",
                f"The smallest is ${low}$ and the greatest is ${high}$.",
            ),
            f"${low} < {middle} < {high}$",
        ],
    )


@generates("maths.tens-and-ones", "CP")
def tens_and_ones(draw: Draw) -> Item:
    """Write tens and ones as a number, find a digit, then regroup more than nine ones."""
    return draw.by_level(_write_number, _find_digit, _regroup_ones)(draw)


def _write_number(draw: Draw) -> Item:
    tens = draw.between(2, 9)
    unit = draw.one_of([digit for digit in range(2, 10) if digit != tens])
    return draw.choice(
        draw.say(
            f"Quel nombre a {tens} dizaines et {unit} unités ?",
            f"Which number has {tens} tens and {unit} ones?",
        ),
        key=10 * tens + unit,
        wrong=[
            mistake(draw, 10 * unit + tens, TENS_AND_ONES_SWAPPED),
            mistake(draw, tens + unit, DIGITS_ADDED),
            mistake(draw, 100 * tens + unit, ZERO_TOO_MANY),
        ],
        hints=say_each(
            draw,
            ("Une dizaine, c'est un paquet de $10$.", "A ten is a pack of $10$."),
            (
                f"Les dizaines font ${10 * tens}$. Ajoute les unités.",
                f"The tens make ${10 * tens}$. Add the ones.",
            ),
        ),
        steps=[
            draw.say(f"{tens} dizaines, c'est ${10 * tens}$.", f"{tens} tens make ${10 * tens}$."),
            f"${10 * tens} + {unit} = {10 * tens + unit}$",
        ],
    )


def _find_digit(draw: Draw) -> Item:
    tens = draw.between(2, 9)
    unit = draw.one_of([digit for digit in range(1, 10) if digit != tens])
    number = 10 * tens + unit
    asks_tens = draw.one_of([True, False])
    place = draw.say(*(("dizaines", "tens") if asks_tens else ("unités", "ones")))
    key, other = (tens, unit) if asks_tens else (unit, tens)
    return draw.choice(
        draw.say(
            f"Dans ${number}$, quel est le chiffre des {place} ?",
            f"In ${number}$, which digit is the {place} digit?",
        ),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                mistake(draw, other, OTHER_DIGIT_GIVEN),
                mistake(draw, 10 * tens, VALUE_INSTEAD_OF_THE_DIGIT),
                mistake(draw, tens + unit, SUM_INSTEAD_OF_ONE_DIGIT),
            ],
        ),
        hints=say_each(
            draw,
            (
                "Les unités s'écrivent à droite, les dizaines juste à gauche.",
                "The ones are written on the right, the tens just to their left.",
            ),
            (
                "Imagine des crayons : combien de paquets de dix, et combien de crayons seuls ?",
                "Think of pencils: how many packs of ten, and how many single pencils?",
            ),
        ),
        steps=[
            f"${number} = {10 * tens} + {unit}$",
            draw.say(f"Le chiffre des {place} est ${key}$.", f"The {place} digit is ${key}$."),
        ],
    )


def _regroup_ones(draw: Draw) -> Item:
    tens, ones = draw.between(2, 7), draw.between(11, 19)
    key = 10 * tens + ones
    return draw.choice(
        draw.say(
            f"Le maître a {tens} paquets de 10 crayons et {ones} crayons seuls. "
            "Combien de crayons a-t-il en tout ?",
            f"The teacher has {tens} packs of 10 pencils and {ones} single pencils. "
            "How many pencils is that altogether?",
        ),
        key=key,
        wrong=[
            mistake(draw, 100 * tens + ones, NUMBERS_JOINED),
            mistake(draw, tens + ones, PACKS_COUNTED_AS_PENCILS),
            mistake(draw, 10 * tens + ones - 10, TEN_AMONG_ONES_FORGOTTEN),
        ],
        hints=say_each(
            draw,
            (
                "Compte d'abord les crayons des paquets.",
                "First count the pencils in the packs.",
            ),
            (
                f"Dans les paquets, il y a ${10 * tens}$ crayons. Ajoute les crayons seuls.",
                f"There are ${10 * tens}$ pencils in the packs. Add the single ones.",
            ),
        ),
        steps=[
            f"${tens} \\times 10 = {10 * tens}$",
            f"${10 * tens} + {ones} = {key}$",
        ],
    )

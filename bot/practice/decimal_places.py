"""Places of decimal numbers in primary school: digits, comparing, dividing by 10 and 100."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from bot.practice.decimals import make_decimal
from bot.practice.generator import Draw, Item, generates
from bot.practice.mistakes import (
    MISPLACED_COMMA,
    MistakeKind,
    Pair,
    mistake,
    say_each,
)

MULTIPLIED_INSTEAD: Final = MistakeKind(
    ("multiplication à la place", "multiplied instead"),
    (
        "Tu as multiplié : quand on divise, le nombre devient plus petit.",
        "You multiplied: when you divide, the number gets smaller.",
    ),
)
TENS_AND_TENTHS_MIXED: Final = MistakeKind(
    ("dizaines et dixièmes confondus", "tens and tenths mixed up"),
    (
        "« Dizaines » et « dixièmes » se ressemblent. De quel côté de la virgule es-tu ?",
        '"Tens" and "tenths" look alike: on which side of the point are you looking?',
    ),
)
WRONG_SIDE_OF_THE_POINT: Final = MistakeKind(
    ("mauvais côté de la virgule", "wrong side of the point"),
    (
        "Ce chiffre est de l'autre côté de la virgule.",
        "That digit is on the other side of the point.",
    ),
)
NEIGHBOURING_PLACE: Final = MistakeKind(
    ("place voisine", "neighbouring place"),
    (
        "C'est le bon côté de la virgule, mais pas la bonne place.",
        "That is the right side of the point, but not the right place.",
    ),
)
MOST_DIGITS: Final = MistakeKind(
    ("le plus de chiffres pris pour le plus grand", "most digits taken as the greatest"),
    (
        "Plus de chiffres après la virgule ne veut pas dire plus grand : compare les dixièmes.",
        "More digits after the point does not mean greater: compare the tenths.",
    ),
)
FEWEST_DIGITS: Final = MistakeKind(
    ("le moins de chiffres pris pour le plus grand", "fewest digits taken as the greatest"),
    (
        "Moins de chiffres après la virgule ne veut pas dire plus grand. Compare les dixièmes.",
        "Fewer digits after the point does not mean greater: compare the tenths.",
    ),
)
HUNDREDTHS_TAKEN_AS_TENTHS: Final = MistakeKind(
    ("centièmes pris pour des dixièmes", "hundredths taken as tenths"),
    (
        "Le premier chiffre après la virgule compte les dixièmes.",
        "The first digit after the point counts the tenths.",
    ),
)
HUNDREDTHS_TAKEN_AS_THOUSANDTHS: Final = MistakeKind(
    ("centièmes pris pour des millièmes", "hundredths taken as thousandths"),
    (
        "Il y a un zéro de trop après la virgule.",
        "There is a zero too many after the point.",
    ),
)
POINT_LEFT_OUT: Final = MistakeKind(
    ("virgule oubliée", "point left out"),
    (
        "Ce nombre n'a pas de virgule : il est bien trop grand.",
        "This number has no point: it is far too great.",
    ),
)
BOX_MULTIPLIED: Final = MistakeKind(
    ("multiplication à la place", "multiplied instead"),
    (
        "Tu as multiplié : un seul objet pèse moins que tout le carton.",
        "You multiplied: one of them weighs less than the whole box.",
    ),
)


_PLACES: tuple[Pair, ...] = (
    ("dizaines", "tens"),
    ("unités", "ones"),
    ("dixièmes", "tenths"),
    ("centièmes", "hundredths"),
)


@generates("maths.decimal-place-value", "CM1")
def decimal_place_value(draw: Draw) -> Item:
    """The digit of a place, a number from its places, the greatest of three."""
    return draw.by_level(_find_digit, _write_places, _find_greatest)(draw)


def _find_digit(draw: Draw) -> Item:
    digits = draw.random.sample(range(1, 10), 4)
    number = make_decimal(int("".join(map(str, digits))), 2)
    asked = draw.between(0, 3)
    place = draw.say(*_PLACES[asked])
    wrong = [
        mistake(draw, digits[index], _explain_place(asked, index))
        for index in range(4)
        if index != asked
    ]
    named = [
        f"{digit} {draw.say(*names)[: -1 if digit == 1 else None]}"
        for digit, names in zip(digits, _PLACES, strict=True)
    ]
    return draw.choice(
        draw.say(
            f"Dans ${draw.maths(number)}$, quel est le chiffre des {place} ?",
            f"In ${draw.maths(number)}$, which digit is the {place} digit?",
        ),
        key=digits[asked],
        wrong=wrong,
        hints=say_each(
            draw,
            (
                "La virgule sépare la partie entière et la partie décimale.",
                "The point separates the whole part and the decimal part.",
            ),
            (
                "À gauche de la virgule : les unités, puis les dizaines. À droite : les dixièmes, "
                "puis les centièmes.",
                "Left of the point: the ones, then the tens. Right of it: the tenths, then the "
                "hundredths.",
            ),
        ),
        steps=[
            f"{', '.join(named)}.",
            draw.say(
                f"Le chiffre des {place} est ${digits[asked]}$.",
                f"The {place} digit is ${digits[asked]}$.",
            ),
        ],
    )


def _explain_place(asked: int, given: int) -> MistakeKind:
    """The mistake of giving the digit of one place for that of another."""
    if {asked, given} == {0, 2}:
        return TENS_AND_TENTHS_MIXED
    return WRONG_SIDE_OF_THE_POINT if asked // 2 != given // 2 else NEIGHBOURING_PLACE


def _write_places(draw: Draw) -> Item:
    whole = draw.between(2, 9)
    tenth, hundredth = draw.one_of([0, draw.between(2, 9)]), draw.between(2, 9)
    part = 10 * tenth + hundredth
    key = make_decimal(100 * whole + part, 2)
    place_by_place = (
        f"{part} centièmes, c'est {tenth} dixièmes et {hundredth} centièmes.",
        f"{part} hundredths are {tenth} tenths and {hundredth} hundredths.",
    )
    if not tenth:
        place_by_place = (
            "Il n'y a pas de dixièmes : quel chiffre écris-tu à leur place ?",
            "There are no tenths: which digit do you write in their place?",
        )
    return draw.choice(
        draw.say(
            f"Quel nombre a {whole} unités et {part} centièmes ?",
            f"Which number has {whole} ones and {part} hundredths?",
        ),
        key=key,
        wrong=[
            mistake(draw, make_decimal(10 * whole + part, 1), HUNDREDTHS_TAKEN_AS_TENTHS),
            mistake(draw, make_decimal(1000 * whole + part, 3), HUNDREDTHS_TAKEN_AS_THOUSANDTHS),
            mistake(draw, 100 * whole + part, POINT_LEFT_OUT),
        ],
        hints=say_each(
            draw,
            (
                "Combien de chiffres après la virgule faut-il pour des centièmes ?",
                "How many digits after the point do hundredths need?",
            ),
            place_by_place,
        ),
        steps=say_each(
            draw,
            (
                f"{whole} unités, {tenth} dixième{'s' if tenth else ''}, {hundredth} centièmes.",
                f"{whole} ones, {tenth} tenths, {hundredth} hundredths.",
            ),
            (f"Le nombre est ${draw.maths(key)}$.", f"The number is ${draw.maths(key)}$."),
        ),
    )


def _draw_lengths(draw: Draw) -> list[tuple[Decimal, int]]:
    """Three numbers, the greatest first, each with its number of digits after the point.

    The greatest is not the longest, and not always the shortest.
    """
    whole, tenth = draw.between(0, 9), draw.between(3, 9)
    lengths = draw.one_of([(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1)])
    tails = {1: 0, 2: 10 * draw.between(5, 9), 3: 10 * draw.between(0, 4) + 8}
    if lengths[0] == 2:
        tails[2] = 10 * draw.between(1, 4)
    return [
        (make_decimal(1000 * whole + 100 * (tenth - less) + tails[length], 3), length)
        for less, length in enumerate(lengths)
    ]


def _find_greatest(draw: Draw) -> Item:
    (greatest, places), *others = _draw_lengths(draw)
    wrong = [
        mistake(draw, other, MOST_DIGITS if length > places else FEWEST_DIGITS)
        for other, length in others
    ]
    tenth = int(greatest * 10) % 10
    numbers = [greatest, *(other for other, _ in others)]
    draw.random.shuffle(numbers)
    written = [f"${draw.maths(number)}$" for number in numbers]
    last = draw.maths(greatest)
    return draw.choice(
        draw.say(
            f"Quel est le plus grand nombre : {written[0]} ; {written[1]} ou {written[2]} ?",
            f"Which number is the greatest: {written[0]}, {written[1]} or {written[2]}?",
        ),
        key=greatest,
        wrong=wrong,
        hints=say_each(
            draw,
            (
                "Compare les unités, puis les dixièmes, puis les centièmes.",
                "Compare the ones, then the tenths, then the hundredths.",
            ),
            (
                "Les unités sont les mêmes : le premier chiffre après la virgule décide.",
                "The ones are the same: the first digit after the point decides.",
            ),
        ),
        steps=say_each(
            draw,
            (
                f"Les dixièmes sont {tenth - 2}, {tenth - 1} et {tenth}.",
                f"The tenths are {tenth - 2}, {tenth - 1} and {tenth}.",
            ),
            (f"Le plus grand nombre est ${last}$.", f"The greatest number is ${last}$."),
        ),
    )


@generates("maths.divide-decimals-by-10-100", "CM2")
def divide_decimals_by_10_100(draw: Draw) -> Item:
    """Whole numbers by 10, decimals by 10 or 100, the mass of one of many things."""
    if draw.difficulty == 3:
        return _weigh_one(draw)
    digits = 10 * draw.between(11, 98) + draw.between(1, 9)
    number = Decimal(digits) if draw.difficulty == 1 else make_decimal(digits, 1)
    power = 1 if draw.difficulty == 1 else draw.between(1, 2)
    divisor = 10**power
    key = number.scaleb(-power)
    question = f"{draw.maths(number)} \\div {divisor}"
    ranks = draw.say(
        "d'un rang" if power == 1 else "de deux rangs", "one place" if power == 1 else "two places"
    )
    wrong = [
        mistake(draw, (number * divisor).normalize(), MULTIPLIED_INSTEAD),
        mistake(draw, number.scaleb(-power - 1), MISPLACED_COMMA),
        mistake(draw, number.scaleb(1 - power), MISPLACED_COMMA),
        mistake(draw, number.scaleb(-power - 2), MISPLACED_COMMA),
    ]
    return draw.choice(
        draw.say(f"Calcule ${question}$.", f"Work out ${question}$."),
        key=key,
        wrong=[each for each in wrong if each.answer != number],
        hints=say_each(
            draw,
            (
                "Le résultat est plus petit que le nombre de départ.",
                "The result is less than the number at the start.",
            ),
            (
                f"Déplace la virgule {ranks} vers la gauche.",
                f"Move the point {ranks} to the left.",
            ),
        ),
        steps=[
            draw.say(
                f"Diviser par {divisor} déplace la virgule {ranks} vers la gauche.",
                f"Dividing by {divisor} moves the point {ranks} to the left.",
            ),
            f"${question} = {draw.maths(key)}$",
        ],
    )


def _weigh_one(draw: Draw) -> Item:
    count = draw.one_of([10, 100])
    (french_many, french_one), (english_many, english_one), masses = draw.one_of(
        [
            (("savons", "un savon"), ("bars of soap", "one bar"), (85, 120, 125, 150, 225)),
            (("mangues", "une mangue"), ("mangoes", "one mango"), (245, 315, 325, 405, 450)),
            (("cahiers", "un cahier"), ("exercise books", "one book"), (85, 95, 105, 125)),
        ]
    )
    key = make_decimal(draw.one_of(masses), 3)
    total = (key * count).normalize()
    return draw.open(
        draw.say(
            f"Un carton de {count} {french_many} de même masse pèse {draw.write(total)} kg. "
            f"Combien pèse {french_one}, en kilogrammes ?",
            f"A box of {count} {english_many}, all alike, weighs {draw.write(total)} kg. "
            f"How much does {english_one} weigh, in kilograms?",
        ),
        key=key,
        wrong=[
            mistake(draw, (key * 10).normalize(), MISPLACED_COMMA),
            mistake(draw, key.scaleb(-1), MISPLACED_COMMA),
            mistake(draw, (total * count).normalize(), BOX_MULTIPLIED),
        ],
        hints=say_each(
            draw,
            (
                "Un seul objet pèse bien moins que tout le carton : divise.",
                "One of them weighs much less than the whole box: divide.",
            ),
            (
                f"Calcule ${draw.maths(total)} \\div {count}$ en déplaçant la virgule.",
                f"Work out ${draw.maths(total)} \\div {count}$ by moving the point.",
            ),
        ),
        steps=[f"${draw.maths(total)} \\div {count} = {draw.maths(key)}$"],
        unit="kg",
    )

"""Written multiplication and division of whole numbers, and sharing."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FRUIT, SCHOOL_THINGS, write_price
from bot.practice.mistakes import (
    ADDED,
    MISCOUNTED,
    MULTIPLIED,
    NO_CARRY,
    STOPPED_EARLY,
    SUBTRACTED,
    MistakeKind,
    choose_mistakes,
    mistake,
    say_each,
)

ONES_NOT_MULTIPLIED: Final = MistakeKind(
    ("unités non multipliées", "ones not multiplied"),
    (
        "Multiplie tous les chiffres, aussi celui des unités.",
        "Multiply every digit, the ones as well.",
    ),
)
CARRY_ADDED_BEFORE_MULTIPLYING: Final = MistakeKind(
    ("retenue ajoutée avant de multiplier", "carry added before multiplying"),
    (
        "Multiplie d'abord, ajoute la retenue ensuite.",
        "Multiply first, add the carry afterwards.",
    ),
)
ONE_TEN_TOO_MANY: Final = MistakeKind(
    ("une dizaine de trop", "one ten too many"),
    ("Vérifie la multiplication des dizaines.", "Check how you multiplied the tens."),
)
ONE_BAG_TOO_MANY: Final = MistakeKind(
    ("un sachet de trop", "one bag too many"),
    (
        "Vérifie en recomptant les mangues des sachets pleins.",
        "Check by counting the mangoes in the full bags again.",
    ),
)
SLIP_IN_SUBTRACTION: Final = MistakeKind(
    ("erreur dans la soustraction", "slip in the subtraction"),
    (
        "Vérifie ce qui reste quand tu enlèves les sachets pleins.",
        "Check what remains when you take away the full bags.",
    ),
)
QUOTIENT_AND_REMAINDER_SWAPPED: Final = MistakeKind(
    ("quotient et reste échangés", "quotient and remainder swapped"),
    (
        "Tu as les bons calculs, mais relis ce que demande la question.",
        "Your work is right, but read again what the question asks.",
    ),
)
ZERO_OF_THE_TENS_FORGOTTEN: Final = MistakeKind(
    ("zéro des dizaines oublié", "zero of the tens forgotten"),
    (
        "Quand tu multiplies par les dizaines, n'oublie pas de décaler d'un rang.",
        "When you multiply by the tens, do not forget to move one place.",
    ),
)
PLACES_MULTIPLIED_APART: Final = MistakeKind(
    ("dizaines avec dizaines, unités avec unités", "tens by tens, ones by ones only"),
    (
        "Chaque partie du premier nombre se multiplie par chaque partie du second.",
        "Each part of the first number is multiplied by each part of the second.",
    ),
)
QUOTIENT_DIGITS_SWAPPED: Final = MistakeKind(
    ("chiffres échangés au quotient", "digits of the quotient swapped"),
    (
        "Multiplie ta réponse par le diviseur : retrouves-tu le nombre ?",
        "Multiply your answer by the divisor: do you get the number back?",
    ),
)
ZERO_LEFT_OUT_OF_QUOTIENT: Final = MistakeKind(
    ("zéro oublié au quotient", "zero left out of the quotient"),
    QUOTIENT_DIGITS_SWAPPED.feedback,
)
TEN_TOO_MANY_IN_QUOTIENT: Final = MistakeKind(
    ("une dizaine de trop au quotient", "one ten too many in the quotient"),
    (
        "Vérifie le chiffre des dizaines de ton quotient.",
        "Check the tens digit of your quotient.",
    ),
)


def _product_mistakes(draw: Draw, a: int, b: int) -> list[Wrong]:
    """What pupils answer to `a` times the digit `b`, with or without a carry."""
    key, carry = a * b, a % 10 * b // 10
    with_carry = [
        mistake(draw, key - 10 * carry, NO_CARRY),
        mistake(draw, key + 10 * (b - 1) * carry, CARRY_ADDED_BEFORE_MULTIPLYING),
    ]
    without_carry = [
        mistake(draw, key + 10, ONE_TEN_TOO_MANY),
        mistake(draw, a + b, ADDED),
    ]
    ones_copied = mistake(draw, a // 10 * 10 * b + a % 10, ONES_NOT_MULTIPLIED)
    chosen = with_carry if carry else without_carry
    return choose_mistakes(key, [ones_copied, *chosen, mistake(draw, key + 1, MISCOUNTED)])


@generates("maths.multiply-one-digit", "CE2")
def multiply_one_digit(draw: Draw) -> Item:
    """Two digits without carry, with carry, then the price of several things."""
    if draw.difficulty == 3:
        return _pay_for_several(draw)
    if draw.difficulty == 1:
        b = draw.one_of([2, 3, 4])
        tens, unit = draw.between(1, 9 // b), draw.between(1, 9 // b)
        tens += 1 if tens == 1 and b < 4 else 0
    else:
        b = draw.between(3, 8)
        tens, unit = draw.between(2, 9), draw.between(10 // b + 1, 9)
    a = 10 * tens + unit
    return draw.choice(
        draw.say(f"Calcule ${a} \\times {b}$.", f"Work out ${a} \\times {b}$."),
        key=a * b,
        wrong=_product_mistakes(draw, a, b),
        hints=say_each(
            draw,
            (
                f"Sépare les dizaines et les unités : ${a} = {10 * tens} + {unit}$.",
                f"Split tens and ones: ${a} = {10 * tens} + {unit}$.",
            ),
            (
                f"${10 * tens} \\times {b} = {10 * tens * b}$. Multiplie aussi les unités.",
                f"${10 * tens} \\times {b} = {10 * tens * b}$. Multiply the ones as well.",
            ),
        ),
        steps=[
            f"${10 * tens} \\times {b} = {10 * tens * b}$",
            f"${unit} \\times {b} = {unit * b}$",
            f"${a} \\times {b} = {10 * tens * b} + {unit * b} = {a * b}$",
        ],
    )


def _pay_for_several(draw: Draw) -> Item:
    offers = [
        (goods, price)
        for goods in FRUIT + SCHOOL_THINGS
        for price in goods.prices
        if price > 100 and price % 100
    ]
    goods, price = draw.one_of(offers)
    count = draw.between(3, 9)
    hundreds, rest = price // 100 * 100, price % 100
    steps = [
        f"${hundreds} \\times {count} = {hundreds * count}$",
        f"${rest} \\times {count} = {rest * count}$",
        f"${hundreds * count} + {rest * count} = {price * count}$",
    ]
    return draw.open(
        draw.say(
            f"Au marché, {goods.one(draw)} coûte {write_price(draw, price)}. "
            f"Combien coûtent {count} {goods.many(draw)} ?",
            f"At the market, {goods.one(draw)} costs {write_price(draw, price)}. "
            f"How much do {count} {goods.many(draw)} cost?",
        ),
        key=price * count,
        wrong=choose_mistakes(
            price * count,
            [
                mistake(draw, price + count, ADDED),
                mistake(draw, hundreds * count, STOPPED_EARLY),
                mistake(draw, price * count - 100, NO_CARRY),
            ],
        ),
        hints=say_each(
            draw,
            (
                "On paie le même prix plusieurs fois : quelle opération choisis-tu ?",
                "The same price is paid several times: which operation do you choose?",
            ),
            (
                f"Multiplie ${price}$ par ${count}$ : d'abord les centaines, puis le reste.",
                f"Multiply ${price}$ by ${count}$: first the hundreds, then the rest.",
            ),
        ),
        steps=steps,
        unit="FCFA",
    )


@generates("maths.multiply-two-digits", "CM1")
def multiply_two_digits(draw: Draw) -> Item:
    """By whole tens, by two digits, then exercise books for a shop in a story."""
    tens = draw.between(2, 9) if draw.difficulty == 1 else draw.between(1, 4)
    unit = 0 if draw.difficulty == 1 else draw.between(2, 6)
    a = 10 * draw.between(1, 6) + draw.between(2, 9)
    if draw.difficulty == 3:
        a = draw.one_of([125, 150, 175, 225, 250, 275, 325, 350])
    b = 10 * tens + unit
    key = a * b
    by_tens, by_unit = a * 10 * tens, a * unit
    wrong = choose_mistakes(
        key,
        [
            mistake(draw, a * tens + by_unit, ZERO_OF_THE_TENS_FORGOTTEN),
            mistake(draw, a // 10 * 10 * 10 * tens + a % 10 * unit, PLACES_MULTIPLIED_APART),
            mistake(draw, key - 100, NO_CARRY),
            mistake(draw, a + b, ADDED),
        ],
    )
    if unit:
        first = f"${a} \\times {10 * tens} = {draw.maths(by_tens)}$"
        total = f"{draw.maths(by_tens)} + {draw.maths(by_unit)} = {draw.maths(key)}"
        steps = [first, f"${a} \\times {unit} = {draw.maths(by_unit)}$", f"${total}$"]
        start = (
            f"Sépare ${b}$ en ${10 * tens}$ et ${unit}$.",
            f"Split ${b}$ into ${10 * tens}$ and ${unit}$.",
        )
    else:
        first = f"${a} \\times {tens} = {a * tens}$"
        steps = [first, f"${a * tens} \\times 10 = {draw.maths(key)}$"]
        start = (f"Multiplie d'abord par ${tens}$.", f"Multiply by ${tens}$ first.")
    then = (
        f"{first}. Il reste à multiplier par {unit or 10}{', puis à additionner' if unit else ''}.",
        f"{first}. Now multiply by {unit or 10}{', then add' if unit else ''}.",
    )
    hints = say_each(draw, start, then)
    if draw.difficulty < 3:
        question = draw.say(f"Calcule ${a} \\times {b}$.", f"Work out ${a} \\times {b}$.")
        return draw.choice(question, key=key, wrong=wrong, hints=hints, steps=steps)
    question = draw.say(
        f"Un commerçant achète {b} cahiers à {a} FCFA l'un. Combien paie-t-il ?",
        f"A shopkeeper buys {b} exercise books at {a} FCFA each. How much does he pay?",
    )
    return draw.open(question, key=key, wrong=wrong, hints=hints, steps=steps, unit="FCFA")


@generates("maths.share-equally", "CE2")
def share_equally(draw: Draw) -> Item:
    """Equal shares, the number of packs that can be filled, then what is left over."""
    people = draw.between(4, 9) if draw.difficulty > 1 else draw.between(3, 5)
    each = draw.one_of([n for n in range(3, 10) if n != people])
    fruit = draw.one_of(FRUIT[:2]).many(draw)
    if draw.difficulty == 1:
        return _share_without_rest(draw, people, each, fruit)
    rest = draw.one_of([n for n in range(2, people) if n != each])
    return _share_with_rest(draw, people, each, rest)


def _share_without_rest(draw: Draw, people: int, each: int, fruit: str) -> Item:
    total = people * each
    return draw.choice(
        draw.say(
            f"Tu partages {total} {fruit} entre {people} enfants, en parts égales. "
            "Combien chacun en reçoit-il ?",
            f"You share {total} {fruit} equally among {people} children. "
            "How many does each child get?",
        ),
        key=each,
        wrong=choose_mistakes(
            each,
            [
                mistake(draw, total - people, SUBTRACTED),
                mistake(draw, total * people, MULTIPLIED),
                mistake(draw, each + 1, MISCOUNTED),
                mistake(draw, each - 1, MISCOUNTED),
            ],
        ),
        hints=say_each(
            draw,
            (
                "Tout est distribué, et chacun reçoit autant que les autres.",
                "Everything is given out, and all get the same number.",
            ),
            (
                f"Cherche dans la table de {people} le nombre qui donne ${total}$.",
                f"Look in the {people} times table for the number that gives ${total}$.",
            ),
        ),
        steps=[f"${people} \\times {each} = {total}$", f"${total} \\div {people} = {each}$"],
    )


def _share_with_rest(draw: Draw, size: int, packs: int, rest: int) -> Item:
    total = size * packs + rest
    asks_rest = draw.difficulty == 3
    key, other = (rest, packs) if asks_rest else (packs, rest)
    question = (
        ("Combien de mangues reste-t-il ?", "How many mangoes are left over?")
        if asks_rest
        else ("Combien de sachets remplit-elle ?", "How many bags does she fill?")
    )
    wrong = [
        mistake(draw, other, QUOTIENT_AND_REMAINDER_SWAPPED),
        mistake(draw, total - size, SUBTRACTED),
        mistake(
            draw,
            key + 1,
            SLIP_IN_SUBTRACTION if asks_rest else ONE_BAG_TOO_MANY,
        ),
    ]
    return draw.choice(
        draw.say(
            f"Une vendeuse range {total} mangues dans des sachets de {size}. {question[0]}",
            f"A market woman puts {total} mangoes into bags of {size}. {question[1]}",
        ),
        key=key,
        wrong=choose_mistakes(key, wrong),
        hints=say_each(
            draw,
            (
                f"Cherche dans la table de {size} le plus grand nombre qui ne dépasse pas "
                f"${total}$.",
                f"Look in the {size} times table for the greatest number that is not more than "
                f"${total}$.",
            ),
            (
                f"Dans les sachets pleins, il y a ${size * packs}$ mangues.",
                f"There are ${size * packs}$ mangoes in the full bags.",
            ),
        ),
        steps=[
            f"${total} = {size} \\times {packs} + {rest}$",
            draw.say(f"Il reste ${rest}$ mangues.", f"There are ${rest}$ mangoes left over.")
            if asks_rest
            else draw.say(f"Elle remplit ${packs}$ sachets.", f"She fills ${packs}$ bags."),
        ],
    )


@generates("maths.divide-one-digit", "CM1")
def divide_one_digit(draw: Draw) -> Item:
    """Two digits exactly, a zero in the quotient, then journeys that carry everybody."""
    if draw.difficulty == 3:
        return _count_journeys(draw)
    divisor = draw.between(3, 8)
    tens = draw.between(1, 9 // divisor) if draw.difficulty == 1 else 10 * draw.between(1, 3)
    # The hint shows what the ones contribute: that must not be the quotient itself.
    ones = draw.one_of([n for n in range(2, 10) if divisor * n != 10 * tens + n])
    quotient = 10 * tens + ones
    total = divisor * quotient
    head, tail = divisor * 10 * tens, divisor * ones
    return draw.choice(
        draw.say(f"Calcule ${total} \\div {divisor}$.", f"Work out ${total} \\div {divisor}$."),
        key=quotient,
        wrong=choose_mistakes(
            quotient,
            [
                mistake(draw, 10 * ones + tens, QUOTIENT_DIGITS_SWAPPED)
                if tens < 10
                else mistake(draw, tens + ones, ZERO_LEFT_OUT_OF_QUOTIENT),
                mistake(draw, total - divisor, SUBTRACTED),
                mistake(draw, quotient + 10, TEN_TOO_MANY_IN_QUOTIENT),
                mistake(draw, quotient - 1, MISCOUNTED),
            ],
        ),
        hints=say_each(
            draw,
            (
                f"Sépare ${total}$ en nombres faciles à diviser par ${divisor}$.",
                f"Split ${total}$ into numbers that are easy to divide by ${divisor}$.",
            ),
            (f"${total} = {head} + {tail}$", f"${total} = {head} + {tail}$"),
        ),
        steps=[
            f"${head} \\div {divisor} = {10 * tens}$",
            f"${tail} \\div {divisor} = {ones}$",
            f"${total} \\div {divisor} = {10 * tens} + {ones} = {quotient}$",
        ],
    )


def _count_journeys(draw: Draw) -> Item:
    seats = draw.between(4, 9)
    full = draw.between(11, 24)
    rest = draw.between(1, seats - 1)
    total = seats * full + rest
    return draw.open(
        draw.say(
            f"Un taxi-brousse prend {seats} passagers par voyage. {total} personnes attendent. "
            "Combien de voyages faut-il pour les transporter toutes ?",
            f"A bush taxi takes {seats} passengers each trip. {total} people are waiting. "
            "How many trips are needed to carry them all?",
        ),
        key=full + 1,
        wrong=[
            mistake(draw, full, STOPPED_EARLY),
            mistake(draw, total - seats, SUBTRACTED),
            mistake(draw, total * seats, MULTIPLIED),
        ],
        hints=say_each(
            draw,
            (f"Divise ${total}$ par ${seats}$.", f"Divide ${total}$ by ${seats}$."),
            (
                "Il y a un reste : ces personnes attendent encore le taxi.",
                "There is a remainder: those people are still waiting for the taxi.",
            ),
        ),
        steps=[
            f"${total} = {seats} \\times {full} + {rest}$",
            draw.say(
                f"Après ${full}$ voyages, il reste ${rest}$ à transporter : encore un voyage.",
                f"After ${full}$ trips there are ${rest}$ left to carry: one more trip.",
            ),
            f"${full} + 1 = {full + 1}$",
        ],
    )

"""Decimal numbers in primary school: sums and products."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.mistakes import (
    ADDED,
    MISPLACED_COMMA,
    NO_CARRY,
    STOPPED_EARLY,
    MistakeKind,
    choose_mistakes,
    mistake,
    say_each,
)

WHOLE_AND_DECIMAL_PARTS_APART: Final = MistakeKind(
    ("parties entières et décimales séparées", "whole and decimal parts apart"),
    (
        "Dix dixièmes font une unité : la retenue passe la virgule.",
        "Ten tenths make one: the carry goes across the point.",
    ),
)
TENTHS_ADDED_TO_HUNDREDTHS: Final = MistakeKind(
    ("dixièmes ajoutés aux centièmes", "tenths added to hundredths"),
    (
        "Tu as ajouté des dixièmes à des centièmes : aligne les virgules.",
        "You added tenths to hundredths: line up the points.",
    ),
)
LINED_UP_ON_THE_RIGHT: Final = MistakeKind(
    ("nombres alignés à droite", "numbers lined up on the right"),
    (
        "Aligne les virgules, pas les derniers chiffres.",
        "Line up the points, not the last digits.",
    ),
)
WHOLE_NUMBER_BADLY_LINED_UP: Final = MistakeKind(
    ("nombre entier mal aligné", "whole number badly lined up"),
    (
        "Un nombre entier a sa virgule à la fin : aligne les unités.",
        "A whole number has its point at the end: line up the ones.",
    ),
)


def make_decimal(digits: int, places: int) -> Decimal:
    """`digits` with the last `places` of them after the point, without zeros at the end."""
    return Decimal(digits).scaleb(-places).normalize()


@generates("maths.add-decimals", "CM2")
def add_decimals(draw: Draw) -> Item:
    """One place with a carry, places of different number, three masses in a story."""
    return draw.by_level(_add_tenths, _add_tenths_and_hundredths, _add_masses)(draw)


def _add_tenths(draw: Draw) -> Item:
    tenth_a = draw.between(3, 9)
    tenth_b = draw.between(11 - tenth_a, 9)
    whole_a, whole_b = draw.between(2, 9), draw.between(2, 9)
    a, b = make_decimal(10 * whole_a + tenth_a, 1), make_decimal(10 * whole_b + tenth_b, 1)
    key = a + b
    tenths = tenth_a + tenth_b
    question = f"{draw.maths(a)} + {draw.maths(b)}"
    return draw.choice(
        draw.say(f"Calcule ${question}$.", f"Work out ${question}$."),
        key=key,
        wrong=[
            mistake(
                draw,
                make_decimal(100 * (whole_a + whole_b) + tenths, 2),
                WHOLE_AND_DECIMAL_PARTS_APART,
            ),
            mistake(draw, key - 1, NO_CARRY),
            mistake(draw, (key * 10).normalize(), MISPLACED_COMMA),
        ],
        hints=say_each(
            draw,
            (
                "Additionne d'abord les dixièmes.",
                "Add the tenths first.",
            ),
            (
                f"{tenths} dixièmes, c'est 1 unité et {tenths - 10} dixième"
                f"{'s' if tenths > 11 else ''}.",
                f"{tenths} tenths make 1 one and {tenths - 10} tenth{'s' if tenths > 11 else ''}.",
            ),
        ),
        steps=[
            draw.say(
                f"Dixièmes : ${tenth_a} + {tenth_b} = {tenths}$, on retient 1 unité.",
                f"Tenths: ${tenth_a} + {tenth_b} = {tenths}$, carry 1.",
            ),
            draw.say(
                f"Unités : ${whole_a} + {whole_b} + 1 = {whole_a + whole_b + 1}$.",
                f"Ones: ${whole_a} + {whole_b} + 1 = {whole_a + whole_b + 1}$.",
            ),
            f"${question} = {draw.maths(key)}$",
        ],
    )


def _add_tenths_and_hundredths(draw: Draw) -> Item:
    whole_a, tenth_a = draw.between(2, 9), draw.between(2, 5)
    whole_b, part_b = draw.between(1, 9), 10 * draw.between(1, 4) + draw.between(1, 9)
    a, b = make_decimal(10 * whole_a + tenth_a, 1), make_decimal(100 * whole_b + part_b, 2)
    if draw.one_of([True, False]):
        a, b = b, a
    key = a + b
    question = f"{draw.maths(a)} + {draw.maths(b)}"
    padded = f"{whole_a},{tenth_a}0" if draw.language == "fr" else f"{whole_a}.{tenth_a}0"
    return draw.choice(
        draw.say(f"Calcule ${question}$.", f"Work out ${question}$."),
        key=key,
        wrong=[
            mistake(
                draw,
                make_decimal(100 * (whole_a + whole_b) + tenth_a + part_b, 2),
                TENTHS_ADDED_TO_HUNDREDTHS,
            ),
            mistake(
                draw,
                make_decimal(10 * whole_a + tenth_a + 100 * whole_b + part_b, 2),
                LINED_UP_ON_THE_RIGHT,
            ),
            mistake(draw, (key * 10).normalize(), MISPLACED_COMMA),
        ],
        hints=say_each(
            draw,
            (
                "Pose l'addition en mettant les virgules l'une sous l'autre.",
                "Write the sum with one point under the other.",
            ),
            (
                f"Complète par un zéro : {padded}.",
                f"Fill up with a zero: {padded}.",
            ),
        ),
        steps=[
            draw.say(
                f"Centièmes : ${part_b % 10}$. "
                f"Dixièmes : ${tenth_a} + {part_b // 10} = {tenth_a + part_b // 10}$. "
                f"Unités : ${whole_a} + {whole_b} = {whole_a + whole_b}$.",
                f"Hundredths: ${part_b % 10}$. "
                f"Tenths: ${tenth_a} + {part_b // 10} = {tenth_a + part_b // 10}$. "
                f"Ones: ${whole_a} + {whole_b} = {whole_a + whole_b}$.",
            ),
            f"${question} = {draw.maths(key)}$",
        ],
    )


def _add_masses(draw: Draw) -> Item:
    a = make_decimal(10 * draw.between(1, 4) + draw.between(1, 9), 1)
    b = make_decimal(100 * draw.between(1, 4) + draw.one_of([25, 75, 35, 45, 65]), 2)
    c = draw.between(2, 5)
    key = a + b + c
    shown = [draw.write(each) for each in (a, b)]
    first = f"{draw.maths(a)} + {draw.maths(b)} = {draw.maths(a + b)}"
    return draw.open(
        draw.say(
            f"Au marché, tu achètes {shown[0]} kg de tomates, {shown[1]} kg de gombos "
            f"et {c} kg de riz. Combien pèse ton panier, en kilogrammes ?",
            f"At the market you buy {shown[0]} kg of tomatoes, {shown[1]} kg of okra "
            f"and {c} kg of rice. How heavy is your shopping, in kilograms?",
        ),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                mistake(draw, a + b, STOPPED_EARLY),
                mistake(draw, a + b + make_decimal(c, 1), WHOLE_NUMBER_BADLY_LINED_UP),
                mistake(draw, (key * 10).normalize(), MISPLACED_COMMA),
            ],
        ),
        hints=say_each(
            draw,
            (
                "Additionne les trois masses, virgule sous virgule.",
                "Add the three masses, point under point.",
            ),
            (f"${first}$. Ajoute le riz.", f"${first}$. Add the rice."),
        ),
        steps=[f"${first}$", f"${draw.maths(a + b)} + {c} = {draw.maths(key)}$"],
        unit="kg",
    )


@generates("maths.multiply-decimals", "CM2")
def multiply_decimals(draw: Draw) -> Item:
    """By a whole number, by a decimal, then a price by the kilogram."""
    if draw.difficulty == 3:
        return _pay_by_weight(draw)
    by = draw.between(4, 9)
    # A product that ends in zero would lose a digit after the point.
    tenth = draw.one_of([n for n in range(3, 10) if n * by % 10])
    whole = draw.between(1, 6)
    a = make_decimal(10 * whole + tenth, 1)
    b, places = (Decimal(by), 1) if draw.difficulty == 1 else (make_decimal(by, 1), 2)
    digits = (10 * whole + tenth) * by
    key = (a * b).normalize()
    apart = make_decimal(whole * by * 100 + tenth * by, 2)
    question = f"{draw.maths(a)} \\times {draw.maths(b)}"
    return draw.choice(
        draw.say(f"Calcule ${question}$.", f"Work out ${question}$."),
        key=key,
        wrong=[
            mistake(draw, make_decimal(digits, places - 1), MISPLACED_COMMA),
            mistake(draw, make_decimal(digits, places + 1), MISPLACED_COMMA),
            mistake(draw, apart, WHOLE_AND_DECIMAL_PARTS_APART)
            if draw.difficulty == 1
            else mistake(draw, (a + b).normalize(), ADDED),
            mistake(draw, (a + b).normalize(), ADDED),
        ],
        hints=say_each(
            draw,
            (
                "Calcule d'abord sans les virgules.",
                "First work it out without the points.",
            ),
            (
                f"${10 * whole + tenth} \\times {by} = {digits}$. "
                f"{'Combien de chiffres' if places > 1 else 'Où faut-il couper'} "
                f"{'faut-il après la virgule ?' if places > 1 else 'avec la virgule ?'}",
                f"${10 * whole + tenth} \\times {by} = {digits}$. "
                f"{'How many digits go after' if places > 1 else 'Where do you put'} the point?",
            ),
        ),
        steps=[
            f"${10 * whole + tenth} \\times {by} = {digits}$",
            draw.say(
                f"Il faut {places} chiffre{'s' if places > 1 else ''} après la virgule.",
                f"The factors have {places} digit{'s' if places > 1 else ''} after the point.",
            ),
            f"${question} = {draw.maths(key)}$",
        ],
    )


def _pay_by_weight(draw: Draw) -> Item:
    name, prices = draw.one_of(
        [
            (("de riz", "of rice"), (450, 500, 550, 600)),
            (("de tomates", "of tomatoes"), (500, 600, 700, 800)),
            (("de mil", "of millet"), (300, 350, 400)),
            (("de poisson", "of fish"), (1500, 1800, 2000)),
        ]
    )
    price = draw.one_of(prices)
    tenths = draw.one_of([15, 25, 35, 12, 14, 16, 18, 24])
    mass = make_decimal(tenths, 1)
    key = price * tenths // 10
    whole = tenths // 10
    return draw.open(
        draw.say(
            f"Un kilogramme {name[0]} coûte {price} FCFA. "
            f"Combien paies-tu pour {draw.write(mass)} kg ?",
            f"One kilogram {name[1]} costs {price} FCFA. "
            f"How much do you pay for {draw.write(mass)} kg?",
        ),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                mistake(draw, price * tenths, MISPLACED_COMMA),
                mistake(draw, price * whole, STOPPED_EARLY),
                mistake(draw, price + mass, ADDED),
            ],
        ),
        hints=say_each(
            draw,
            (
                "Multiplie le prix d'un kilogramme par la masse.",
                "Multiply the price of one kilogram by the mass.",
            ),
            (
                f"${whole}$ kg : ${price * whole}$ FCFA. Ajoute le prix de "
                f"{draw.write(make_decimal(tenths % 10, 1))} kg.",
                f"${whole}$ kg: ${price * whole}$ FCFA. Add the price of "
                f"{draw.write(make_decimal(tenths % 10, 1))} kg.",
            ),
        ),
        steps=[
            f"${price} \\times {tenths} = {draw.maths(price * tenths)}$",
            f"${price} \\times {draw.maths(mass)} = {draw.maths(key)}$",
        ],
        unit="FCFA",
    )

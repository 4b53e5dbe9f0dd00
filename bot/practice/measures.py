"""Money, length, mass and capacity in primary school."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FOOD, FRUIT, SCHOOL_THINGS, write_price
from bot.practice.mistakes import (
    ADDED,
    MULTIPLIED,
    STOPPED_EARLY,
    MistakeKind,
    Pair,
    choose_mistakes,
    mistake,
    say_each,
)

PRICE_INSTEAD_OF_THE_CHANGE: Final = MistakeKind(
    ("prix à la place de la monnaie", "price instead of the change"),
    (
        "C'est le prix : on demande l'argent qu'on te rend.",
        "That is the price: you are asked for the money you get back.",
    ),
)
ONE_HUNDRED_TOO_MANY: Final = MistakeKind(
    ("une centaine de trop", "one hundred too many"),
    (
        "Vérifie : le prix et la monnaie font ensemble l'argent donné.",
        "Check: the price and the change together make the money you gave.",
    ),
)
UNITS_MIXED: Final = MistakeKind(
    ("unités mélangées", "units mixed"),
    (
        "Tu as additionné des unités différentes : mets tout dans la même unité.",
        "You added different units: put everything into the same unit.",
    ),
)
TOO_MANY_ZEROS: Final = MistakeKind(
    ("trop de zéros", "too many zeros"),
    (
        "Il y a trop de zéros : additionne au lieu d'écrire à la suite.",
        "There are too many zeros: add instead of writing one after the other.",
    ),
)
ZERO_TOO_MANY_IN_CONVERSION: Final = MistakeKind(
    ("conversion avec un zéro de trop", "one zero too many in the conversion"),
    (
        "Vérifie ta conversion : combien de petites unités font la grande ?",
        "Check your conversion: how many of the small units make the large one?",
    ),
)
NUMBER_COPIED: Final = MistakeKind(
    ("nombre recopié", "number copied"),
    (
        "Les deux unités sont différentes : le nombre change aussi.",
        "The two units are different: the number changes too.",
    ),
)
SUBTRACTED_INSTEAD: Final = MistakeKind(
    ("soustraction à la place", "subtracted instead"),
    ("Tu paies les deux : il faut les réunir.", "You pay for both: add them up."),
)
ONLY_ONE_PRICE_COUNTED: Final = MistakeKind(
    ("un seul prix compté", "only one price counted"),
    ("Tu paies deux choses : compte les deux prix.", "You pay for two things."),
)


@generates("maths.money-fcfa", "CE1")
def money_fcfa(draw: Draw) -> Item:
    """The sum of two prices, the change from 500, the change after two things."""
    thing = draw.one_of(SCHOOL_THINGS)
    food = draw.one_of(FRUIT[:3] + FOOD[:4])
    if draw.difficulty == 2:
        prices = [price for price in (*thing.prices, *food.prices) if price != 250]
        price = draw.one_of([price for price in prices if 75 <= price < 500 and price % 100])
        return _give_change(draw, (thing if price in thing.prices else food).one(draw), price)
    first = draw.one_of([price for price in thing.prices if price != 250])
    # With a total of 500, the change from 1000 would be the total again.
    second = draw.one_of([price for price in food.prices if first + price != 500])
    shopping = draw.say(
        f"Tu achètes {thing.one(draw)} à {first} FCFA et {food.one(draw)} à {second} FCFA.",
        f"You buy {thing.one(draw)} for {first} FCFA and {food.one(draw)} for {second} FCFA.",
    )
    total = first + second
    if draw.difficulty == 3:
        return _give_change_for_two(draw, shopping, first, second)
    return draw.open(
        f"{shopping} {draw.say('Combien paies-tu en tout ?', 'How much do you pay in all?')}",
        key=total,
        wrong=choose_mistakes(
            total,
            [
                mistake(draw, max(first, second) - min(first, second), SUBTRACTED_INSTEAD),
                mistake(draw, first, STOPPED_EARLY),
                mistake(draw, second, STOPPED_EARLY),
            ],
        ),
        hints=say_each(
            draw,
            ("Tu paies les deux choses ensemble.", "You pay for both things together."),
            (f"Calcule ${first} + {second}$.", f"Work out ${first} + {second}$."),
        ),
        steps=[f"${first} + {second} = {total}$"],
        unit="FCFA",
    )


def _give_change(draw: Draw, thing: str, price: int) -> Item:
    change = 500 - price
    wrong = [
        mistake(draw, write_price(draw, 500 + price), ADDED),
        mistake(draw, write_price(draw, price), PRICE_INSTEAD_OF_THE_CHANGE),
        mistake(draw, write_price(draw, change + 100), ONE_HUNDRED_TOO_MANY),
    ]
    next_hundred = price // 100 * 100 + 100
    return draw.choice(
        draw.say(
            f"Tu achètes {thing} à {price} FCFA et tu paies avec une pièce de 500 FCFA. "
            "Combien te rend-on ?",
            f"You buy {thing} for {price} FCFA and pay with a 500 FCFA coin. "
            "How much change do you get?",
        ),
        key=write_price(draw, change),
        wrong=wrong,
        hints=say_each(
            draw,
            (
                "La monnaie, c'est ce qui manque au prix pour arriver à la pièce donnée.",
                "The change is what you must add to the price to reach the coin you gave.",
            ),
            (
                f"Avance de ${price}$ jusqu'à ${next_hundred}$, puis jusqu'à $500$.",
                f"Go on from ${price}$ to ${next_hundred}$, then to $500$.",
            ),
        ),
        steps=[
            f"$500 - {price} = {change}$",
            draw.say(
                f"On te rend {write_price(draw, change)}.",
                f"You get {write_price(draw, change)} back.",
            ),
        ],
    )


def _give_change_for_two(draw: Draw, shopping: str, first: int, second: int) -> Item:
    total = first + second
    change = 1000 - total
    question = draw.say(
        "Tu paies avec un billet de 1000 FCFA. Combien te rend-on ?",
        "You pay with a 1000 FCFA note. How much change do you get?",
    )
    return draw.open(
        f"{shopping} {question}",
        key=change,
        wrong=choose_mistakes(
            change,
            [
                mistake(draw, total, STOPPED_EARLY),
                mistake(draw, 1000 - first, ONLY_ONE_PRICE_COUNTED),
                mistake(draw, 1000 - second, ONLY_ONE_PRICE_COUNTED),
                mistake(draw, change + 100, ONE_HUNDRED_TOO_MANY),
            ],
        ),
        hints=say_each(
            draw,
            (
                "Calcule d'abord ce que tu paies pour les deux.",
                "First work out what you pay for both.",
            ),
            (
                f"Tu dois payer ${total}$ FCFA. Que manque-t-il pour arriver à $1000$ ?",
                f"You have to pay ${total}$ FCFA. What is missing to reach $1000$?",
            ),
        ),
        steps=[f"${first} + {second} = {total}$", f"$1000 - {total} = {change}$"],
        unit="FCFA",
    )


@dataclass(frozen=True, slots=True)
class Conversion:
    """Two units of the same kind: one `large` is `factor` times the `small`."""

    large: str
    small: str
    factor: int
    small_names: Pair
    """The smaller unit in words, in the plural."""
    zero_prefix: Pair
    """What the prefix of the units says, as a first hint."""


CENTI: Final = (
    "« Centi » veut dire centième : il en faut cent pour faire l'unité.",
    '"Centi" means hundredth: it takes a hundred of them to make the unit.',
)
KILO: Final = ("« Kilo » veut dire mille.", '"Kilo" means a thousand.')
LENGTHS: Final = (
    Conversion("m", "cm", 100, ("centimètres", "centimetres"), CENTI),
    Conversion("km", "m", 1000, ("mètres", "metres"), KILO),
)
MASSES_AND_CAPACITIES: Final = (
    Conversion("kg", "g", 1000, ("grammes", "grams"), KILO),
    Conversion("L", "cL", 100, ("centilitres", "centilitres"), CENTI),
    Conversion(
        "t",
        "kg",
        1000,
        ("kilogrammes", "kilograms"),
        ("Une tonne est bien plus qu'un kilogramme.", "A tonne is much more than a kilogram."),
    ),
)


def _convert_whole(draw: Draw, unit: Conversion) -> Item:
    amount = draw.between(2, 9)
    key = amount * unit.factor
    wrong = [mistake(draw, amount, NUMBER_COPIED)] + [
        mistake(
            draw,
            amount * factor,
            MistakeKind(
                ("mauvais nombre de zéros", "wrong number of zeros"),
                (
                    f"Rappelle-toi : combien de {unit.small} y a-t-il dans 1 {unit.large} ?",
                    f"Remember: how many {unit.small} are there in 1 {unit.large}?",
                ),
            ),
        )
        for factor in (10, 100, 1000)
        if factor != unit.factor
    ]
    return draw.choice(
        draw.say(
            f"Combien de {unit.small_names[0]} y a-t-il dans {amount} {unit.large} ?",
            f"How many {unit.small_names[1]} are there in {amount} {unit.large}?",
        ),
        key=key,
        wrong=wrong,
        hints=say_each(
            draw,
            unit.zero_prefix,
            (
                f"Dans 1 {unit.large}, il y a {unit.factor} {unit.small}.",
                f"There are {unit.factor} {unit.small} in 1 {unit.large}.",
            ),
        ),
        steps=[
            f"1 {unit.large} = {unit.factor} {unit.small}",
            f"${amount} \\times {unit.factor} = {draw.maths(key)}$",
        ],
    )


def _convert_sum(draw: Draw, unit: Conversion, amount: int, more: int) -> Item:
    """Ask for `amount` of the larger unit and `more` of the smaller one in the smaller one.

    Few of the smaller unit need zeros that pupils leave out: those are asked as a choice.
    """
    whole = amount * unit.factor
    key = whole + more
    glued = int(f"{amount}{more}")
    zeros = int(f"{whole}{more}")
    wrong = [
        mistake(
            draw,
            glued,
            MistakeKind(
                ("nombres collés", "numbers written side by side"),
                (
                    f"Tu as collé les nombres : change d'abord les {unit.large} en {unit.small}.",
                    f"You joined the numbers: change the {unit.large} to {unit.small} first.",
                ),
            ),
        ),
        mistake(draw, amount + more, UNITS_MIXED),
        mistake(draw, zeros, TOO_MANY_ZEROS),
        mistake(draw, whole, STOPPED_EARLY),
    ]
    question = draw.say(
        f"Écris {amount} {unit.large} {more} {unit.small} en {unit.small_names[0]}.",
        f"Write {amount} {unit.large} {more} {unit.small} in {unit.small_names[1]}.",
    )
    hints = say_each(
        draw,
        (
            f"Combien de {unit.small} y a-t-il dans 1 {unit.large} ?",
            f"How many {unit.small} are there in 1 {unit.large}?",
        ),
        (
            f"{amount} {unit.large}, c'est {whole} {unit.small}. Ajoute le reste.",
            f"{amount} {unit.large} make {whole} {unit.small}. Add the rest.",
        ),
    )
    steps = [
        f"{amount} {unit.large} = {whole} {unit.small}",
        f"${whole} + {more} = {key}$",
    ]
    wrong = choose_mistakes(key, wrong)
    if draw.difficulty == 3:
        return draw.choice(question, key=key, wrong=wrong, hints=hints, steps=steps)
    return draw.open(question, key=key, wrong=wrong, hints=hints, steps=steps, unit=unit.small)


@generates("maths.length-units", "CE2")
def length_units(draw: Draw) -> Item:
    """Metres in centimetres, kilometres in metres; then two units; then with zeros between."""
    unit = draw.one_of(LENGTHS)
    if draw.difficulty == 1:
        return _convert_whole(draw, unit)
    if draw.difficulty == 2:
        more = unit.factor // 100 * 5 * draw.between(3, 19)
        return _convert_sum(draw, unit, draw.between(2, 9), more)
    more = draw.between(2, 9) if unit.factor == 100 else draw.one_of([5, 8, 25, 40, 50, 75, 80])
    return _convert_sum(draw, unit, draw.between(2, 9), more)


@generates("maths.mass-capacity-units", "CM1")
def mass_capacity_units(draw: Draw) -> Item:
    """Kilograms, litres and tonnes; then two units; then how many bottles or bags are filled."""
    if draw.difficulty == 1:
        return _convert_whole(draw, draw.one_of(MASSES_AND_CAPACITIES))
    if draw.difficulty == 2:
        unit = draw.one_of(MASSES_AND_CAPACITIES)
        more = draw.one_of([5, 25, 50, 75] if unit.factor == 100 else [50, 75, 250, 400, 850])
        return _convert_sum(draw, unit, draw.between(2, 9), more)
    return _fill_containers(draw, draw.one_of([True, False]))


def _fill_containers(draw: Draw, of_liquid: bool) -> Item:
    large, small, factor = ("L", "cL", 100) if of_liquid else ("kg", "g", 1000)
    size = draw.one_of([20, 25, 50] if of_liquid else [250, 500])
    amounts = [2, 3, 4, 5, 8, 10] if of_liquid else [3, 4, 5, 6, 8, 10]
    amount = draw.one_of([n for n in amounts if n * factor != size * size])
    total = amount * factor
    key = total // size
    question = (
        (
            f"Un bidon contient {amount} {large} d'huile. "
            f"Combien de bouteilles de {size} {small} peut-on remplir ?",
            f"A can holds {amount} {large} of oil. How many {size} {small} bottles can be filled?",
        )
        if of_liquid
        else (
            f"Une vendeuse a {amount} {large} d'arachides. "
            f"Combien de sachets de {size} {small} peut-elle remplir ?",
            f"A market woman has {amount} {large} of groundnuts. "
            f"How many {size} {small} bags can she fill?",
        )
    )
    wrong: list[Wrong] = [
        mistake(draw, 10 * key, ZERO_TOO_MANY_IN_CONVERSION),
        mistake(draw, amount * size, MULTIPLIED),
        mistake(draw, total, STOPPED_EARLY),
        mistake(draw, factor // size, STOPPED_EARLY),
    ]
    return draw.open(
        draw.say(*question),
        key=key,
        wrong=choose_mistakes(key, wrong),
        hints=say_each(
            draw,
            (
                f"Écris d'abord les deux quantités en {small}.",
                f"First write both amounts in {small}.",
            ),
            (
                f"{amount} {large} = {draw.write(total)} {small}. Combien de fois {size} {small} ?",
                f"{amount} {large} = {draw.write(total)} {small}. "
                f"How many times does {size} {small} go into it?",
            ),
        ),
        steps=[
            f"{amount} {large} = {draw.write(total)} {small}",
            f"${draw.maths(total)} \\div {size} = {key}$",
        ],
    )

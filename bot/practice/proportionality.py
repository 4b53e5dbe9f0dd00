"""Prices in proportion and percentages in primary school."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FOOD, FRUIT, SCHOOL_THINGS, Goods, write_price
from bot.practice.mistakes import (
    STOPPED_EARLY,
    SUBTRACTED,
    MistakeKind,
    Pair,
    choose_mistakes,
    mistake,
    say_each,
)

DIVIDED_BY_THE_PERCENTAGE: Final = MistakeKind(
    ("division par le pourcentage", "divided by the percentage"),
    (
        "Tu as divisé par le pourcentage. Combien, pour chaque centaine ?",
        "You divided by the percentage. How many for each hundred?",
    ),
)
PERCENTAGE_SUBTRACTED: Final = MistakeKind(
    ("pourcentage soustrait", "percentage subtracted"),
    (
        "« Pour cent » veut dire sur cent : on ne soustrait pas ce nombre.",
        '"Per cent" means out of a hundred: do not subtract this number.',
    ),
)
REST_INSTEAD_OF_PART: Final = MistakeKind(
    ("reste à la place de la part", "rest instead of the part"),
    (
        "C'est ce qui reste quand on enlève la part demandée.",
        "That is what remains when the part asked for is taken away.",
    ),
)
PERCENTAGE_TAKEN_AS_THE_RESULT: Final = MistakeKind(
    ("pourcentage pris pour le résultat", "percentage taken as the result"),
    (
        "Ce serait vrai sur cent : ici, le total est plus grand.",
        "That would be true out of a hundred: here the total is greater.",
    ),
)
REDUCTION_INSTEAD_OF_PRICE: Final = MistakeKind(
    ("réduction à la place du nouveau prix", "reduction instead of the new price"),
    (
        "C'est ce que tu économises : on demande le prix à payer.",
        "That is what you save: you are asked for the price to pay.",
    ),
)
PERCENTAGE_SUBTRACTED_IN_FCFA: Final = MistakeKind(
    ("pourcentage soustrait en FCFA", "percentage subtracted in FCFA"),
    (
        "Le pourcentage n'est pas une somme : calcule d'abord la réduction en FCFA.",
        "A percentage is not a sum of money: first work out the reduction in FCFA.",
    ),
)
REDUCTION_ADDED: Final = MistakeKind(
    ("réduction ajoutée", "reduction added"),
    ("Avec une réduction, on paie moins.", "With a reduction you pay less."),
)
PRICE_OF_ALL_TAKEN_FOR_ONE: Final = MistakeKind(
    ("prix de tous pris pour le prix à l'unité", "price of all taken as that of one"),
    (
        "Le prix donné est celui de plusieurs : cherche d'abord le prix à l'unité.",
        "The price given is for several: look for the price of one first.",
    ),
)
DIFFERENCE_ADDED_TO_THE_PRICE: Final = MistakeKind(
    ("écart ajouté au prix", "difference added to the price"),
    (
        "Ajouter l'écart au prix ne suffit pas : pense au prix à l'unité.",
        "Adding the difference to the price is not enough: think of the price of one.",
    ),
)
ONE_TOO_MANY: Final = MistakeKind(
    ("quantité trop grande", "one too many"),
    ("Recompte combien on en achète.", "Count again how many are bought."),
)
MORE_THAN_THE_MONEY_BUYS: Final = MistakeKind(
    ("quantité trop grande", "one too many"),
    ("Vérifie : as-tu assez d'argent ?", "Check: do you have enough money?"),
)


@generates("maths.proportionality-price", "CM2")
def proportionality_price(draw: Draw) -> Item:
    """A multiple of what is known, by way of the price of one, how many for a sum."""
    goods = draw.one_of(FRUIT + SCHOOL_THINGS[:3] + FOOD[:3])
    price = draw.one_of(goods.prices)
    count = draw.between(3, 6)
    if draw.difficulty == 1:
        return _pay_multiple(draw, goods, price, count)
    other = draw.one_of([n for n in range(2, 11) if n % count and count % n])
    if draw.difficulty == 2:
        return _pay_other_number(draw, goods, price, count, other)
    return _count_for_sum(draw, goods, price, count, other)


def _price_mistakes(draw: Draw, price: int, count: int, other: int) -> list[Wrong]:
    """Wrong prices of `other` things when `count` of them cost `count * price`."""
    return choose_mistakes(
        price * other,
        [
            mistake(draw, price * count * other, PRICE_OF_ALL_TAKEN_FOR_ONE),
            mistake(draw, price, STOPPED_EARLY),
            mistake(draw, price * count + abs(other - count), DIFFERENCE_ADDED_TO_THE_PRICE),
            mistake(draw, price * (other + 1), ONE_TOO_MANY),
        ],
    )


def _ask_price(draw: Draw, goods: Goods, price: int, count: int, other: int) -> str:
    known = write_price(draw, price * count)
    return draw.say(
        f"Au marché, {count} {goods.french_many} coûtent {known}. "
        f"Combien coûtent {other} {goods.french_many} ?",
        f"At the market, {count} {goods.english_many} cost {known}. "
        f"How much do {other} {goods.english_many} cost?",
    )


def _pay_multiple(draw: Draw, goods: Goods, price: int, count: int) -> Item:
    factor = draw.between(2, 4)
    other = count * factor
    return draw.open(
        _ask_price(draw, goods, price, count, other),
        key=price * other,
        wrong=_price_mistakes(draw, price, count, other),
        hints=say_each(
            draw,
            (
                f"Combien de fois y a-t-il {count} dans {other} ?",
                f"How many times does {count} go into {other}?",
            ),
            (
                f"On en achète {factor} fois plus : le prix aussi est {factor} fois plus grand.",
                f"You buy {factor} times as many: the price is {factor} times as great too.",
            ),
        ),
        steps=[
            f"${count} \\times {factor} = {other}$",
            f"${price * count} \\times {factor} = {draw.maths(price * other)}$",
        ],
        unit="FCFA",
    )


def _pay_other_number(draw: Draw, goods: Goods, price: int, count: int, other: int) -> Item:
    known = price * count
    return draw.choice(
        _ask_price(draw, goods, price, count, other),
        key=write_price(draw, price * other),
        wrong=[
            Wrong(write_price(draw, int(str(each.answer))), each.name, each.feedback)
            for each in _price_mistakes(draw, price, count, other)
        ],
        hints=say_each(
            draw,
            (
                "Cherche d'abord le prix à l'unité.",
                "First look for the price of one.",
            ),
            (
                f"${known} \\div {count} = {price}$. Multiplie maintenant.",
                f"${known} \\div {count} = {price}$. Now multiply.",
            ),
        ),
        steps=[
            f"${known} \\div {count} = {price}$",
            f"${price} \\times {other} = {price * other}$",
        ],
    )


def _count_for_sum(draw: Draw, goods: Goods, price: int, count: int, other: int) -> Item:
    known, money = price * count, price * other
    return draw.open(
        draw.say(
            f"Au marché, {count} {goods.french_many} coûtent {known} FCFA. Tu as {money} FCFA. "
            "Combien peux-tu en acheter ?",
            f"At the market, {count} {goods.english_many} cost {known} FCFA. "
            f"You have {money} FCFA. How many can you buy?",
        ),
        key=other,
        wrong=choose_mistakes(
            other,
            [
                mistake(draw, price, STOPPED_EARLY),
                mistake(draw, other + 1, MORE_THAN_THE_MONEY_BUYS),
                mistake(draw, known - money if known > money else money - known, SUBTRACTED),
            ],
        ),
        hints=say_each(
            draw,
            ("Quel est le prix à l'unité ?", "What is the price of one?"),
            (
                f"Le prix à l'unité est de {price} FCFA : combien de fois dans {money} ?",
                f"One costs {price} FCFA: how many times does it go into {money}?",
            ),
        ),
        steps=[
            f"${known} \\div {count} = {price}$",
            f"${money} \\div {price} = {other}$",
        ],
    )


_EASY: Final = (10, 25, 50)
_USUAL: Final = (5, 15, 20, 30, 40, 75)
_SOLD: Final[tuple[tuple[Pair, tuple[int, ...]], ...]] = (
    (("Un sac d'école", "A school bag"), (4000, 5000, 6000, 8000)),
    (("Une paire de sandales", "A pair of sandals"), (2000, 2400, 3000, 3600)),
    (("Un ballon", "A football"), (3000, 3600, 4000, 5000)),
    (("Un pagne", "A wrapper cloth"), (5000, 6000, 7000, 9000)),
)


@generates("maths.percentage-simple", "CM2")
def percentage_simple(draw: Draw) -> Item:
    """Ten, 25 and 50 per cent, other ones, then a price after a reduction."""
    if draw.difficulty == 3:
        return _reduce_price(draw)
    percent = draw.one_of(draw.by_level(_EASY, _USUAL, _USUAL))
    totals = draw.by_level((200, 400, 600, 800), (200, 300, 400, 600, 1200), ())
    # The hints speak of a hundred: the key is another number.
    total = draw.one_of([n for n in totals if n * percent != 100 * 100])
    key = total * percent // 100
    story = draw.one_of(
        [
            (
                f"Une coopérative a récolté {total} sacs de cacao. Elle en a vendu {percent} %. "
                "Combien de sacs a-t-elle vendus ?",
                f"A cooperative has harvested {total} bags of cocoa. "
                f"It has sold {percent}% of them. How many bags has it sold?",
            ),
            (
                f"Une école a {total} élèves. {percent} % viennent à pied. "
                "Combien d'élèves viennent à pied ?",
                f"A school has {total} pupils. {percent}% of them walk to school. "
                "How many pupils walk to school?",
            ),
        ]
    )
    return draw.choice(
        draw.say(*story),
        key=key,
        wrong=choose_mistakes(key, _percentage_mistakes(draw, total, percent)),
        hints=say_each(draw, *_explain_percentage(percent, total)),
        steps=_work_out_percentage(percent, total),
    )


def _percentage_mistakes(draw: Draw, total: int, percent: int) -> list[Wrong]:
    key = total * percent // 100
    wrong = [
        mistake(draw, total - percent, PERCENTAGE_SUBTRACTED),
        mistake(draw, total - key, REST_INSTEAD_OF_PART),
        mistake(draw, percent, PERCENTAGE_TAKEN_AS_THE_RESULT),
    ]
    divided = mistake(draw, total // percent, DIVIDED_BY_THE_PERCENTAGE)
    return wrong if total % percent else [divided, *wrong]


def _explain_percentage(percent: int, total: int) -> tuple[Pair, Pair]:
    first = (
        f"{percent} %, c'est {percent} pour chaque centaine.",
        f"{percent}% means {percent} for each hundred.",
    )
    parts = {
        50: ("la moitié", "half"),
        25: ("le quart", "a quarter"),
        10: ("le dixième", "a tenth"),
    }
    if percent in parts:
        french, english = parts[percent]
        return first, (f"{percent} %, c'est aussi {french}.", f"{percent}% is also {english}.")
    one = total // 100
    return first, (
        f"1 % de {total}, c'est ${total} \\div 100 = {one}$. Et {percent} % ?",
        f"1% of {total} is ${total} \\div 100 = {one}$. And {percent}%?",
    )


def _work_out_percentage(percent: int, total: int) -> list[str]:
    if percent in _EASY:
        return [f"${total} \\div {100 // percent} = {total * percent // 100}$"]
    one = total // 100
    return [f"${total} \\div 100 = {one}$", f"${one} \\times {percent} = {one * percent}$"]


def _reduce_price(draw: Draw) -> Item:
    thing, prices = draw.one_of(_SOLD)
    price = draw.one_of(prices)
    percent = draw.one_of([10, 20, 25, 30, 40])
    cut = price * percent // 100
    key = price - cut
    wrong = [
        mistake(draw, write_price(draw, cut), REDUCTION_INSTEAD_OF_PRICE),
        mistake(draw, write_price(draw, price - percent), PERCENTAGE_SUBTRACTED_IN_FCFA),
        mistake(draw, write_price(draw, price + cut), REDUCTION_ADDED),
    ]
    return draw.choice(
        draw.say(
            f"{thing[0]} coûte {price} FCFA. Le vendeur fait une réduction de {percent} %. "
            "Quel est le nouveau prix ?",
            f"{thing[1]} costs {price} FCFA. The seller takes {percent}% off. "
            "What is the new price?",
        ),
        key=write_price(draw, key),
        wrong=wrong,
        hints=say_each(
            draw,
            (
                "Calcule d'abord la réduction, puis enlève-la du prix.",
                "First work out the reduction, then take it off the price.",
            ),
            (
                f"La réduction est de {cut} FCFA.",
                f"The reduction is {cut} FCFA.",
            ),
        ),
        steps=[
            *_work_out_percentage(percent, price),
            draw.say(
                f"Nouveau prix : ${price} - {cut} = {key}$ FCFA.",
                f"New price: ${price} - {cut} = {key}$ FCFA.",
            ),
        ],
    )

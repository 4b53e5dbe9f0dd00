"""Adding and subtracting whole numbers in primary school."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FRUIT
from bot.practice.mistakes import (
    ADDED,
    MISCOUNTED,
    NO_CARRY,
    SUBTRACTED,
    MistakeKind,
    by_column,
    choose_mistakes,
    mistake,
    say_each,
)

COLUMN_TURNED_ROUND: Final = MistakeKind(
    ("chiffres retournés dans une colonne", "digits of a column turned round"),
    (
        "Dans chaque colonne, c'est le chiffre du bas qu'on enlève, même s'il est plus grand.",
        "In each column the lower digit is taken away, even when it is the greater one.",
    ),
)
ONE_TEN_TOO_MANY: Final = MistakeKind(
    ("une dizaine de trop", "one ten too many"),
    ("Recompte les dizaines.", "Count the tens again."),
)
TEN_NOT_TAKEN_OFF: Final = MistakeKind(
    ("dizaine empruntée mais pas enlevée", "borrowed ten not taken off"),
    (
        "Tu as emprunté une dizaine : pense à l'enlever aussi.",
        "You borrowed a ten: remember to take it off as well.",
    ),
)
ONE_HUNDRED_TOO_MANY: Final = MistakeKind(
    ("une centaine de trop", "one hundred too many"),
    ("Recompte les centaines.", "Count the hundreds again."),
)
FIRST_NUMBER_COUNTED: Final = MistakeKind(
    ("le premier nombre est compté", "the first number is counted"),
    (
        "Quand tu comptes, commence juste après le premier nombre.",
        "When you count on, begin just after the first number.",
    ),
)
FIRST_NUMBER_COUNTED_BACK: Final = MistakeKind(
    ("le premier nombre est compté", "the first number is counted"),
    (
        "Quand tu recules, commence juste avant le premier nombre.",
        "When you count back, begin just before the first number.",
    ),
)


@generates("maths.add-to-100", "CE1")
def add_to_100(draw: Draw) -> Item:
    """Two numbers of two digits, with a carry from the usual level on, in a story when hard."""
    tens_a, tens_b = draw.between(1, 4), draw.between(1, 4)
    if draw.difficulty == 1:
        unit_a, unit_b = draw.between(1, 5), draw.between(1, 4)
    else:
        unit_a = draw.between(3, 9)
        unit_b = draw.between(11 - unit_a, 9)
    a, b = 10 * tens_a + unit_a, 10 * tens_b + unit_b
    wrong = [
        *([mistake(draw, a + b - 10, NO_CARRY)] if unit_a + unit_b >= 10 else []),
        mistake(draw, a + b + 10, ONE_TEN_TOO_MANY),
        mistake(draw, abs(a - b), SUBTRACTED),
        mistake(draw, a + b + 1, MISCOUNTED),
    ]
    units = unit_a + unit_b
    question = (f"Calcule ${a} + {b}$.", f"Work out ${a} + {b}$.")
    if draw.difficulty == 3:
        question = (
            f"Une vendeuse a vendu {a} beignets le matin et {b} l'après-midi. "
            "Combien de beignets a-t-elle vendus dans la journée ?",
            f"A market woman sold {a} doughnuts in the morning and {b} in the afternoon. "
            "How many doughnuts did she sell that day?",
        )
    return draw.choice(
        draw.say(*question),
        key=a + b,
        wrong=wrong,
        hints=say_each(
            draw,
            ("Commence par les unités.", "Start with the ones."),
            (
                f"Les unités font ${units}$. Ajoute maintenant les dizaines.",
                f"The ones make ${units}$. Now add the tens.",
            ),
        ),
        steps=say_each(
            draw,
            (
                f"Unités : ${unit_a} + {unit_b} = {units}$.",
                f"Ones: ${unit_a} + {unit_b} = {units}$.",
            ),
            (
                f"Dizaines : ${10 * tens_a} + {10 * tens_b} = {10 * (tens_a + tens_b)}$.",
                f"Tens: ${10 * tens_a} + {10 * tens_b} = {10 * (tens_a + tens_b)}$.",
            ),
            f"${10 * (tens_a + tens_b)} + {units} = {a + b}$",
        ),
    )


@generates("maths.add-within-20", "CP")
def add_within_20(draw: Draw) -> Item:
    """Up to ten, then past ten, then how many are missing to a total."""
    if draw.difficulty == 3:
        return _complete_to_total(draw)
    if draw.difficulty == 1:
        a = draw.between(2, 7)
        b = draw.between(1, 10 - a)
        hints = say_each(
            draw,
            ("Pars du plus grand des deux nombres.", "Start from the greater of the two numbers."),
            (
                f"Dis ${max(a, b)}$, puis compte encore ${min(a, b)}$ sur tes doigts.",
                f"Say ${max(a, b)}$, then count ${min(a, b)}$ more on your fingers.",
            ),
        )
        steps = [f"${a} + {b} = {a + b}$"]
    else:
        a = draw.between(3, 9)
        b = draw.between(11 - a, 9)
        missing = 10 - a
        hints = say_each(
            draw,
            ("Passe par $10$.", "Go through $10$."),
            (
                f"De ${a}$ à $10$, il faut ${missing}$. Il reste ${b - missing}$ à ajouter.",
                f"From ${a}$ to $10$ you need ${missing}$. There are ${b - missing}$ left to add.",
            ),
        )
        steps = [f"${a} + {missing} = 10$", f"$10 + {b - missing} = {a + b}$"]
    return draw.choice(
        draw.say(f"Calcule ${a} + {b}$.", f"Work out ${a} + {b}$."),
        key=a + b,
        wrong=[
            mistake(draw, a + b - 1, FIRST_NUMBER_COUNTED),
            mistake(draw, abs(a - b), SUBTRACTED),
            mistake(draw, a + b + 1, MISCOUNTED),
        ],
        hints=hints,
        steps=steps,
    )


def _complete_to_total(draw: Draw) -> Item:
    a = draw.between(3, 9)
    b = draw.one_of([b for b in range(11 - a, 10) if b != a])
    fruit = draw.one_of(FRUIT).many(draw)
    total = a + b
    return draw.open(
        draw.say(
            f"Tu as {a} {fruit}. Il t'en faut {total}. Combien en manque-t-il ?",
            f"You have {a} {fruit}. You need {total}. How many are missing?",
        ),
        key=b,
        wrong=[
            mistake(draw, a + total, ADDED),
            mistake(draw, b + 1, MISCOUNTED),
            mistake(draw, b - 1, MISCOUNTED),
        ],
        hints=say_each(
            draw,
            (f"Compte de ${a}$ jusqu'à ${total}$.", f"Count from ${a}$ up to ${total}$."),
            (
                f"De ${a}$ à $10$, il en faut ${10 - a}$. Et de $10$ à ${total}$ ?",
                f"From ${a}$ to $10$ you need ${10 - a}$. And from $10$ to ${total}$?",
            ),
        ),
        steps=[
            f"${a} + {10 - a} = 10$",
            f"$10 + {total - 10} = {total}$",
            draw.say(
                f"Il en manque ${10 - a} + {total - 10} = {b}$.",
                f"There are ${10 - a} + {total - 10} = {b}$ missing.",
            ),
        ],
    )


@generates("maths.subtract-within-20", "CP")
def subtract_within_20(draw: Draw) -> Item:
    """Below ten, then through ten, then a difference between two baskets."""
    if draw.difficulty == 3:
        return _compare_baskets(draw)
    if draw.difficulty == 1:
        a = draw.between(4, 10)
        b = draw.between(2, a - 1)
        hints = say_each(
            draw,
            ("Le signe $-$ demande d'enlever.", "The sign $-$ asks you to take away."),
            (
                "Lève autant de doigts que le premier nombre, puis baisse ceux que tu enlèves.",
                "Hold up as many fingers as the first number, then fold those you take away.",
            ),
        )
        steps = [f"${a} - {b} = {a - b}$"]
    else:
        a = draw.between(11, 17)
        b = draw.between(a - 9, 9)
        hints = say_each(
            draw,
            ("Recule d'abord jusqu'à $10$.", "First go back to $10$."),
            (
                f"Enlève ${a - 10}$ pour arriver à $10$. Que faut-il encore enlever ?",
                f"Take away ${a - 10}$ to reach $10$. What is left to take away?",
            ),
        )
        rest = b - (a - 10)
        steps = [f"${a} - {a - 10} = 10$", f"$10 - {rest} = {a - b}$"]
    return draw.choice(
        draw.say(f"Calcule ${a} - {b}$.", f"Work out ${a} - {b}$."),
        key=a - b,
        wrong=[
            mistake(draw, a - b + 1, FIRST_NUMBER_COUNTED_BACK),
            mistake(draw, a + b, ADDED),
            mistake(draw, a - b - 1, MISCOUNTED),
        ],
        hints=hints,
        steps=steps,
    )


def _compare_baskets(draw: Draw) -> Item:
    more = draw.between(12, 17)
    fewer = draw.one_of([n for n in range(more - 9, 10) if 2 * n != more])
    fruit = draw.one_of(FRUIT).many(draw)
    return draw.open(
        draw.say(
            f"Dans un panier, il y a {more} {fruit}. Dans un autre, il y en a {fewer}. "
            "Combien y en a-t-il de plus dans le premier ?",
            f"One basket holds {more} {fruit}. Another one holds {fewer}. "
            "How many more are there in the first basket?",
        ),
        key=more - fewer,
        wrong=[
            mistake(draw, more + fewer, ADDED),
            mistake(draw, more - fewer + 1, MISCOUNTED),
            mistake(draw, more - fewer - 1, MISCOUNTED),
        ],
        hints=say_each(
            draw,
            (
                "« De plus » : cherche la différence entre les deux paniers.",
                '"More": look for the difference between the two baskets.',
            ),
            (
                f"Que faut-il ajouter à ${fewer}$ pour arriver à ${more}$ ?",
                f"What must you add to ${fewer}$ to reach ${more}$?",
            ),
        ),
        steps=[f"${more} - {fewer} = {more - fewer}$"],
    )


def _take_off_smaller_digits(a: int, b: int) -> int:
    """The answer of a pupil who takes the smaller digit off the greater one in each column."""
    return by_column(a, b, lambda first, second: abs(first - second))


def _subtract_mistakes(draw: Draw, a: int, b: int) -> list[Wrong]:
    key = a - b
    turned = mistake(draw, _take_off_smaller_digits(a, b), COLUMN_TURNED_ROUND)
    tens = TEN_NOT_TAKEN_OFF if b % 10 > a % 10 else ONE_TEN_TOO_MANY
    not_taken = mistake(draw, key + 10, tens)
    return choose_mistakes(
        key,
        [turned, not_taken, mistake(draw, a + b, ADDED), mistake(draw, key + 1, MISCOUNTED)],
    )


def _subtract_in_parts(a: int, b: int) -> list[str]:
    """The steps that take `b` off `a` place by place, the greatest place first."""
    steps: list[str] = []
    for place in (100, 10, 1):
        part = b // place % 10 * place
        if part:
            steps.append(f"${a} - {part} = {a - part}$")
            a -= part
    return steps


@generates("maths.subtract-to-100", "CE1")
def subtract_to_100(draw: Draw) -> Item:
    """Two numbers of two digits; borrowing from the usual level on, in a story when hard."""
    tens_b = draw.between(1, 5)
    tens_a = draw.between(tens_b + 2, 9)
    if draw.difficulty == 1:
        unit_a = draw.between(4, 9)
        unit_b = draw.between(1, unit_a - 1)
    else:
        unit_a = draw.between(0, 6)
        unit_b = draw.between(unit_a + 2, 9)
    a, b = 10 * tens_a + unit_a, 10 * tens_b + unit_b
    hints = say_each(
        draw,
        (
            "Enlève d'abord les dizaines, puis les unités.",
            "Take away the tens first, then the ones.",
        ),
        (
            f"${a} - {10 * tens_b} = {a - 10 * tens_b}$. Enlève maintenant les unités.",
            f"${a} - {10 * tens_b} = {a - 10 * tens_b}$. Now take away the ones.",
        ),
    )
    wrong = _subtract_mistakes(draw, a, b)
    steps = _subtract_in_parts(a, b)
    if draw.difficulty < 3:
        question = draw.say(f"Calcule ${a} - {b}$.", f"Work out ${a} - {b}$.")
        return draw.choice(question, key=a - b, wrong=wrong, hints=hints, steps=steps)
    story = draw.one_of(
        [
            (
                f"Une salle a {a} places. {b} personnes y sont assises. "
                "Combien de places sont encore libres ?",
                f"A hall has {a} seats. {b} people have sat down. How many seats are still free?",
            ),
            (
                f"Une vendeuse a {a} mangues le matin. Elle en vend {b}. "
                "Combien de mangues lui reste-t-il le soir ?",
                f"A market woman has {a} mangoes in the morning. She sells {b}. "
                "How many mangoes are left in the evening?",
            ),
            (
                f"Un livre a {a} pages. Tu en as lu {b}. Combien de pages te reste-t-il à lire ?",
                f"A book has {a} pages. You have read {b}. How many pages are left to read?",
            ),
        ]
    )
    return draw.open(draw.say(*story), key=a - b, wrong=wrong, hints=hints, steps=steps)


@generates("maths.add-to-1000", "CE2")
def add_to_1000(draw: Draw) -> Item:
    """Two numbers of three digits: no carry, one carry, two carries in a story."""
    hundreds_a, hundreds_b = draw.between(1, 4), draw.between(1, 4)
    least_units, least_tens = draw.by_level((0, 0), (11, 0), (11, 10))
    unit_a, unit_b = _draw_column(draw, least_units)
    ten_a, ten_b = _draw_column(draw, least_tens)
    a, b = 100 * hundreds_a + 10 * ten_a + unit_a, 100 * hundreds_b + 10 * ten_b + unit_b
    key = a + b
    carried = by_column(a, b, lambda first, second: first + second)
    past_hundred = a + 100 * hundreds_b
    past_ten = past_hundred + 10 * ten_b
    wrong = [
        mistake(draw, carried, NO_CARRY),
        mistake(draw, key - 10, NO_CARRY)
        if draw.difficulty == 3
        else mistake(draw, key + 1, MISCOUNTED),
        mistake(draw, abs(a - b), SUBTRACTED),
        mistake(draw, key + 100, ONE_HUNDRED_TOO_MANY),
        mistake(draw, key - 1, MISCOUNTED),
    ]
    hints = say_each(
        draw,
        (
            "Pose l'opération : les unités sous les unités, les dizaines sous les dizaines.",
            "Write it in columns: ones under ones, tens under tens.",
        ),
        (
            f"${a} + {100 * hundreds_b} = {past_hundred}$. Ajoute ensuite les dizaines, "
            "puis les unités.",
            f"${a} + {100 * hundreds_b} = {past_hundred}$. Then add the tens, then the ones.",
        ),
    )
    steps = [
        f"${a} + {100 * hundreds_b} = {past_hundred}$",
        f"${past_hundred} + {10 * ten_b} = {past_ten}$",
        f"${past_ten} + {unit_b} = {key}$",
    ]
    if draw.difficulty < 3:
        question = draw.say(f"Calcule ${a} + {b}$.", f"Work out ${a} + {b}$.")
        wrong = choose_mistakes(key, wrong)
        return draw.choice(question, key=key, wrong=wrong, hints=hints, steps=steps)
    story = (
        f"Un planteur récolte {a} kg de cacao en octobre et {b} kg en novembre. "
        "Combien de kilogrammes a-t-il récoltés en tout ?",
        f"A farmer harvests {a} kg of cocoa in October and {b} kg in November. "
        "How many kilograms is that altogether?",
    )
    return draw.open(draw.say(*story), key=key, wrong=wrong, hints=hints, steps=steps, unit="kg")


def _draw_column(draw: Draw, least: int) -> tuple[int, int]:
    """Two digits of a column, from 1 on: below ten together, or at least `least` when not 0."""
    if not least:
        first = draw.between(1, 7)
        return first, draw.between(1, 8 - first)
    first = draw.between(max(2, least - 9), 9)
    return first, draw.between(least - first, 9)


@generates("maths.subtract-to-1000", "CE2")
def subtract_to_1000(draw: Draw) -> Item:
    """Three digits: no borrowing, borrowing once, a zero in the middle in a story."""
    hundreds_b = draw.between(1, 4)
    hundreds_a = draw.between(hundreds_b + 2, 9)
    ten_a = draw.by_level(draw.between(4, 9), draw.between(4, 9), 0)
    ten_b = draw.between(1, draw.by_level(3, 3, 9))
    unit_a = draw.by_level(draw.between(4, 9), draw.between(0, 6), draw.between(0, 6))
    unit_b = draw.between(1, 3) if draw.difficulty == 1 else draw.between(unit_a + 1, 9)
    a, b = 100 * hundreds_a + 10 * ten_a + unit_a, 100 * hundreds_b + 10 * ten_b + unit_b
    wrong = _subtract_mistakes(draw, a, b)
    steps = _subtract_in_parts(a, b)
    left = a - 100 * hundreds_b
    hints = say_each(
        draw,
        (
            "Enlève d'abord les centaines, puis les dizaines, puis les unités.",
            "Take away the hundreds first, then the tens, then the ones.",
        ),
        (
            f"${a} - {100 * hundreds_b} = {left}$. Continue avec les dizaines.",
            f"${a} - {100 * hundreds_b} = {left}$. Go on with the tens.",
        ),
    )
    if draw.difficulty < 3:
        question = draw.say(f"Calcule ${a} - {b}$.", f"Work out ${a} - {b}$.")
        return draw.choice(question, key=a - b, wrong=wrong, hints=hints, steps=steps)
    story = draw.one_of(
        [
            (
                f"Une école a {a} élèves. {b} mangent à la cantine. Combien n'y mangent pas ?",
                f"A school has {a} pupils. {b} eat in the canteen. How many do not eat there?",
            ),
            (
                f"Un car doit parcourir {a} km. Il a déjà fait {b} km. "
                "Combien de kilomètres lui reste-t-il à faire ?",
                f"A coach has to travel {a} km. It has already done {b} km. "
                "How many kilometres are left?",
            ),
        ]
    )
    return draw.open(draw.say(*story), key=a - b, wrong=wrong, hints=hints, steps=steps)

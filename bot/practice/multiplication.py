"""Multiplying whole numbers in primary school: doubles, tables, written products."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.mistakes import (
    ADDED,
    MISCOUNTED,
    MULTIPLIED,
    NO_CARRY,
    MistakeKind,
    choose_mistakes,
    mistake,
    say_each,
)

TWO_MORE: Final = MistakeKind(
    ("deux de plus", "two more"),
    (
        "Tu as ajouté 2 : le double, c'est deux fois le nombre.",
        "You added 2: the double is the number taken twice.",
    ),
)
HALF_INSTEAD_OF_DOUBLE: Final = MistakeKind(
    ("moitié à la place du double", "half instead of double"),
    (
        "Tu as cherché la moitié : le double est plus grand que le nombre.",
        "You looked for the half: the double is greater than the number.",
    ),
)
SUBTRACTED_INSTEAD: Final = MistakeKind(
    ("soustraction à la place", "subtracted instead"),
    (
        "Tu as enlevé une pièce : compte combien de fois elle entre dans la somme.",
        "You took one coin off: count how many times it goes into the sum.",
    ),
)
TWO_LESS: Final = MistakeKind(
    ("deux de moins", "two less"),
    (
        "Tu as enlevé 2 : la moitié, c'est une des deux parts égales.",
        "You took away 2: the half is one of two equal parts.",
    ),
)
DOUBLE_INSTEAD_OF_HALF: Final = MistakeKind(
    ("double à la place de la moitié", "double instead of half"),
    (
        "Tu as cherché le double : la moitié est plus petite que le nombre.",
        "You looked for the double: the half is less than the number.",
    ),
)
ODD_TEN_BADLY_SHARED: Final = MistakeKind(
    ("dizaine impaire mal partagée", "odd ten badly shared"),
    (
        "Quand les dizaines sont impaires, la dizaine seule se partage aussi.",
        "When the number of tens is odd, the last ten is shared as well.",
    ),
)


@generates("maths.double-half", "CE1")
def double_half(draw: Draw) -> Item:
    """Doubles and halves: small, then of whole tens or without carry, then with a carry."""
    return (_double if draw.one_of([True, False]) else _halve)(draw)


def _double(draw: Draw) -> Item:
    tens, unit = draw.by_level(
        (0, draw.between(3, 10)),
        (draw.between(1, 4), draw.between(1, 4)),
        (draw.between(1, 4), draw.between(6, 9)),
    )
    n = 10 * tens + unit
    key = 2 * n
    wrong = [
        mistake(draw, n + 2, TWO_MORE),
        mistake(draw, key - 10, NO_CARRY),
        mistake(draw, n // 2, HALF_INSTEAD_OF_DOUBLE),
        mistake(draw, key + 1, MISCOUNTED),
    ]
    if draw.difficulty < 3:
        wrong.pop(1)
    steps = [f"$2 \\times {n} = {key}$"]
    if tens:
        steps = [
            f"$2 \\times {10 * tens} = {20 * tens}$",
            f"$2 \\times {unit} = {2 * unit}$",
            f"${20 * tens} + {2 * unit} = {key}$",
        ]
    return draw.choice(
        draw.say(f"Quel est le double de ${n}$ ?", f"What is double ${n}$?"),
        key=key,
        wrong=choose_mistakes(key, wrong),
        hints=say_each(
            draw,
            (
                "Le double d'un nombre, c'est deux fois ce nombre.",
                "Double means two times the number.",
            ),
            (
                f"Calcule ${n} + {n}$."
                if not tens
                else f"Calcule ${10 * tens} + {10 * tens}$, puis ${unit} + {unit}$.",
                f"Work out ${n} + {n}$."
                if not tens
                else f"Work out ${10 * tens} + {10 * tens}$, then ${unit} + {unit}$.",
            ),
        ),
        steps=steps,
    )


def _halve(draw: Draw) -> Item:
    key = draw.by_level(
        draw.between(3, 10),
        10 * draw.between(1, 4) + draw.between(1, 4),
        10 * draw.between(1, 4) + draw.between(5, 9),
    )
    n = 2 * key
    tens = n // 20 * 20
    steps = [f"${key} + {key} = {n}$"]
    if tens and n > tens:
        steps = [f"${tens} \\div 2 = {tens // 2}$", f"${n - tens} \\div 2 = {(n - tens) // 2}$"]
        steps.append(f"${tens // 2} + {(n - tens) // 2} = {key}$")
    else:
        steps.append(f"${n} \\div 2 = {key}$")
    hint = (
        f"Partage ${n}$ en ${tens}$ et ${n - tens}$, et prends la moitié de chacun.",
        f"Split ${n}$ into ${tens}$ and ${n - tens}$, and take half of each.",
    )
    if not tens or n == tens:
        hint = (
            f"Cherche le nombre qui, ajouté à lui-même, donne ${n}$.",
            f"Look for the number that gives ${n}$ when added to itself.",
        )
    return draw.choice(
        draw.say(f"Quelle est la moitié de ${n}$ ?", f"What is half of ${n}$?"),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                mistake(draw, n - 2, TWO_LESS),
                mistake(draw, 2 * n, DOUBLE_INSTEAD_OF_HALF),
                mistake(draw, key - 5, ODD_TEN_BADLY_SHARED)
                if n // 10 % 2 and key > 5
                else mistake(draw, key + 1, MISCOUNTED),
                mistake(draw, key - 1, MISCOUNTED),
            ],
        ),
        hints=say_each(
            draw,
            (
                "La moitié, c'est une part quand on partage en deux parts égales.",
                "The half is one part when you share into two equal parts.",
            ),
            hint,
        ),
        steps=steps,
    )


def _table_mistakes(draw: Draw, a: int, b: int) -> list[Wrong]:
    """What pupils answer to `a` times `b`: a line above or below in the table, or the sum."""
    neighbour = MistakeKind(
        ("une ligne à côté dans la table", "one line off in the table"),
        (
            f"C'est une autre ligne de la table de {a} : récite-la doucement.",
            f"That is another line of the {a} times table: say it slowly.",
        ),
    )
    return choose_mistakes(
        a * b,
        [
            mistake(draw, a * (b + 1), neighbour),
            mistake(draw, a + b, ADDED),
            mistake(draw, a * (b - 1), neighbour),
            mistake(draw, a * b + 1, MISCOUNTED),
        ],
    )


def _ask_product(draw: Draw, a: int, b: int) -> Item:
    """Ask for a product of the table of `a`, from the usual level on in either order."""
    before = a * (b - 1)
    shown, other = (b, a) if draw.difficulty > 1 and draw.one_of([True, False]) else (a, b)
    return draw.choice(
        draw.say(
            f"Combien font ${shown} \\times {other}$ ?",
            f"How much is ${shown} \\times {other}$?",
        ),
        key=a * b,
        wrong=_table_mistakes(draw, a, b),
        hints=say_each(
            draw,
            (
                f"Récite la table de {a}.",
                f"Say the {a} times table.",
            ),
            (
                f"${a} \\times {b - 1} = {before}$. Ajoute encore ${a}$.",
                f"${a} \\times {b - 1} = {before}$. Add one more ${a}$.",
            ),
        ),
        steps=[
            f"${a} \\times {b - 1} = {before}$",
            f"${a} \\times {b} = {before} + {a} = {a * b}$",
        ],
    )


@generates("maths.tables-2-5-10", "CE1")
def tables_2_5_10(draw: Draw) -> Item:
    """Tables of 2 and 10, then of 5, then how many coins make a sum."""
    if draw.difficulty == 1:
        return _ask_product(draw, draw.one_of([2, 10]), draw.between(2, 9))
    if draw.difficulty == 2:
        return _ask_product(draw, 5, draw.between(2, 10))
    coin = draw.one_of([5, 10])
    count = draw.one_of([n for n in range(3, 10) if n != coin])
    total = coin * count
    return draw.open(
        draw.say(
            f"Combien de pièces de {coin} FCFA faut-il pour payer {total} FCFA ?",
            f"How many {coin} FCFA coins do you need to pay {total} FCFA?",
        ),
        key=count,
        wrong=[
            mistake(draw, total - coin, SUBTRACTED_INSTEAD),
            mistake(draw, coin * total, MULTIPLIED),
            mistake(draw, count + 1, MISCOUNTED),
            mistake(draw, count - 1, MISCOUNTED),
        ],
        hints=say_each(
            draw,
            (f"Compte de {coin} en {coin}.", f"Count in steps of {coin}."),
            (
                f"Cherche dans la table de {coin} : ${coin} \\times \\ldots = {total}$.",
                f"Look in the {coin} times table: ${coin} \\times \\ldots = {total}$.",
            ),
        ),
        steps=[
            f"${coin} \\times {count} = {total}$",
            draw.say(f"Il faut ${count}$ pièces.", f"You need ${count}$ coins."),
        ],
    )


@generates("maths.multiplication-tables", "CE2")
def multiplication_tables(draw: Draw) -> Item:
    """Tables of 3 and 4, then of 6 to 9, then the number that was multiplied."""
    if draw.difficulty == 1:
        return _ask_product(draw, draw.one_of([3, 4]), draw.between(3, 9))
    if draw.difficulty == 2:
        return _ask_product(draw, draw.between(6, 9), draw.between(4, 9))
    a = draw.between(6, 9)
    b = draw.one_of([n for n in range(4, 10) if n != a])
    total = a * b
    return draw.open(
        draw.say(
            f"Quel nombre faut-il multiplier par ${a}$ pour trouver ${total}$ ?",
            f"Which number must you multiply by ${a}$ to get ${total}$?",
        ),
        key=b,
        wrong=[
            mistake(
                draw,
                total - a,
                MistakeKind(
                    ("soustraction à la place", "subtracted instead"),
                    (
                        f"Tu as soustrait : cherche dans la table de {a}.",
                        f"You subtracted: look in the {a} times table.",
                    ),
                ),
            ),
            mistake(draw, a * total, MULTIPLIED),
            mistake(draw, b + 1, MISCOUNTED),
            mistake(draw, b - 1, MISCOUNTED),
        ],
        hints=say_each(
            draw,
            (f"Cherche dans la table de {a}.", f"Look in the {a} times table."),
            (
                f"Tu y es presque : ${a} \\times {b - 1} = {total - a}$.",
                f"You are almost there: ${a} \\times {b - 1} = {total - a}$.",
            ),
        ),
        steps=[
            f"${a} \\times {b} = {total}$",
            draw.say(f"Le nombre cherché est ${b}$.", f"The number is ${b}$."),
        ],
    )

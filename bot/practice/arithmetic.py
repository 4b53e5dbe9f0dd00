"""Whole numbers in primary school: counting, the four operations, tables."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, Wrong, generates


@generates("maths.add-to-100", "CE1")
def add_to_100(draw: Draw) -> Item:
    """Two numbers of two digits, with a carry from the usual level on."""
    tens_a, tens_b = draw.between(1, 4), draw.between(1, 4)
    if draw.difficulty == 1:
        unit_a, unit_b = draw.between(1, 5), draw.between(1, 4)
    else:
        unit_a = draw.between(3, 9)
        unit_b = draw.between(11 - unit_a, 9)
    a, b = 10 * tens_a + unit_a, 10 * tens_b + unit_b
    carries = unit_a + unit_b >= 10
    forgotten = Wrong(
        a + b - 10,
        draw.say("retenue oubliée", "forgotten carry"),
        draw.say(
            "Tu as oublié la retenue : quand les unités dépassent 9, une dizaine de plus passe à "
            "gauche.",
            "You forgot to carry: when the ones go past 9, one more ten moves to the left.",
        ),
    )
    wrong = [
        *([forgotten] if carries else []),
        Wrong(
            a + b + 10,
            draw.say("une dizaine de trop", "one ten too many"),
            draw.say("Recompte les dizaines.", "Count the tens again."),
        ),
        Wrong(
            abs(a - b),
            draw.say("soustraction à la place", "subtracted instead"),
            draw.say(
                "Tu as enlevé : le signe $+$ demande d'ajouter.",
                "You took away: the sign $+$ asks you to add.",
            ),
        ),
        Wrong(
            a + b + 1,
            draw.say("erreur d'une unité", "one too many"),
            draw.say("Recompte les unités.", "Count the ones again."),
        ),
    ]
    units = unit_a + unit_b
    return draw.choice(
        draw.say(f"Calcule ${a} + {b}$.", f"Work out ${a} + {b}$."),
        key=a + b,
        wrong=wrong,
        hints=[
            draw.say("Commence par les unités.", "Start with the ones."),
            draw.say(
                f"Les unités font ${units}$. Ajoute maintenant les dizaines.",
                f"The ones make ${units}$. Now add the tens.",
            ),
        ],
        steps=[
            draw.say(
                f"Unités : ${unit_a} + {unit_b} = {units}$.",
                f"Ones: ${unit_a} + {unit_b} = {units}$.",
            ),
            draw.say(
                f"Dizaines : ${10 * tens_a} + {10 * tens_b} = {10 * (tens_a + tens_b)}$.",
                f"Tens: ${10 * tens_a} + {10 * tens_b} = {10 * (tens_a + tens_b)}$.",
            ),
            f"${10 * (tens_a + tens_b)} + {units} = {a + b}$",
        ],
    )

"""Circles (6e): their perimeter and diameter."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, generates
from bot.practice.secondary_geometry import measure, trim

PI = Decimal("3.14")
"""What pupils of 6e take for pi."""


@generates("maths.circle-perimeter", "6e")
def find_circle_perimeter(draw: Draw) -> Item:
    """From the diameter, then from the radius, then the diameter from the perimeter."""
    if draw.difficulty == 3:
        return draw.one_of((_find_diameter, _count_wheel_turns))(draw)
    name_fr, name_en = ("rayon", "radius") if draw.difficulty == 2 else ("diamètre", "diameter")
    thing_fr, thing_en, least, most = draw.one_of(
        (
            ("Une table ronde", "A round table", 40, 80),
            ("Un plateau rond", "A round tray", 10, 30),
            ("Le fond d'un puits", "The bottom of a well", 50, 80),
        )
    )
    radius = 5 * draw.between(least // 5, most // 5)
    given = radius if draw.difficulty == 2 else 2 * radius
    perimeter = trim(PI * 2 * radius)
    pi = draw.maths(PI)
    steps = [
        f"${pi} \\times {2 * radius} = {draw.maths(perimeter)}$",
        draw.say(
            f"Le périmètre est de {measure(draw, perimeter, 'cm')}.",
            f"The perimeter is {measure(draw, perimeter, 'cm')}.",
        ),
    ]
    if draw.difficulty == 2:
        steps.insert(0, f"$2 \\times {radius} = {2 * radius}$")
    wrong = [
        draw.wrong(
            measure(draw, trim(PI * radius), "cm"),
            ("rayon pris pour le diamètre", f"${radius}$ est-il le rayon ou le diamètre ?"),
            ("radius taken for the diameter", f"Is ${radius}$ the radius or the diameter?"),
        )
        if draw.difficulty == 2
        else draw.wrong(
            measure(draw, trim(PI * 4 * radius), "cm"),
            ("diamètre pris pour le rayon", f"${2 * radius}$ est-il le rayon ou le diamètre ?"),
            ("diameter taken for the radius", f"Is ${2 * radius}$ the radius or the diameter?"),
        ),
        draw.wrong(
            measure(draw, trim(PI * radius * radius), "cm"),
            ("formule de l'aire", "On demande le tour du cercle, pas sa surface."),
            ("formula of the area", "You are asked for the way around, not the surface."),
        ),
        draw.wrong(
            measure(draw, 4 * given, "cm"),
            ("formule du carré", "Un cercle n'a pas quatre côtés : pense à π."),
            ("formula of the square", "A circle does not have four sides: think of π."),
        ),
    ]
    return draw.choice(
        draw.say(
            f"{thing_fr} a un {name_fr} de ${given}$ cm. Quel est son périmètre ? (Prends "
            f"$\\pi \\approx {pi}$.)",
            f"{thing_en} has a {name_en} of ${given}$ cm. What is its perimeter? (Take "
            f"$\\pi \\approx {pi}$.)",
        ),
        key=measure(draw, perimeter, "cm"),
        wrong=wrong,
        hints=[
            draw.say(
                "Le périmètre d'un cercle dépend de son diamètre et de π.",
                "The perimeter of a circle depends on its diameter and π.",
            ),
            draw.say(
                "Périmètre = π × diamètre, et le diamètre vaut deux rayons.",
                "Perimeter = π × diameter, and the diameter is two radii.",
            ),
        ],
        steps=steps,
    )


def _find_diameter(draw: Draw) -> Item:
    diameter = 10 * draw.between(2, 15)
    perimeter, pi = draw.maths(trim(PI * diameter)), draw.maths(PI)
    return draw.open(
        draw.say(
            f"Le tour d'un bassin rond mesure ${perimeter}$ m. Quel est son diamètre, en m ? "
            f"(Prends $\\pi \\approx {pi}$.)",
            f"The way around a round pool is ${perimeter}$ m. What is its diameter, in m? "
            f"(Take $\\pi \\approx {pi}$.)",
        ),
        key=diameter,
        unit="m",
        wrong=[
            draw.wrong(
                diameter // 2,
                ("rayon donné", "C'est le rayon : on demande le diamètre."),
                ("radius given", "That is the radius: the diameter is asked for."),
            ),
            draw.wrong(
                trim(PI * PI * diameter),
                ("multiplication au lieu de division", "Le diamètre est plus court que le tour."),
                ("multiplied instead of divided", "The diameter is shorter than the way around."),
            ),
        ],
        hints=[
            draw.say(
                "Écris la formule du périmètre avec le diamètre.",
                "Write the formula of the perimeter with the diameter.",
            ),
            draw.say(
                f"Périmètre = π × diamètre : quelle opération défait « × ${pi}$ » ?",
                f"Perimeter = π × diameter: which operation undoes “× ${pi}$”?",
            ),
        ],
        steps=[
            f"${perimeter} \\div {pi} = {diameter}$",
            draw.say(f"Le diamètre est de ${diameter}$ m.", f"The diameter is ${diameter}$ m."),
        ],
    )


def _count_wheel_turns(draw: Draw) -> Item:
    diameter, turns = draw.one_of((50, 60, 70)), draw.one_of((10, 20, 50, 100, 200))
    once = PI * diameter
    way, metres = draw.maths(trim(once * turns / 100)), draw.maths(trim(once / 100))
    pi, round_ = draw.maths(PI), draw.maths(trim(once))
    return draw.open(
        draw.say(
            f"Une roue de vélo a un diamètre de ${diameter}$ cm. Combien de tours fait-elle sur "
            f"${way}$ m ? (Prends $\\pi \\approx {pi}$.)",
            f"A bicycle wheel has a diameter of ${diameter}$ cm. How many turns does it make over "
            f"${way}$ m? (Take $\\pi \\approx {pi}$.)",
        ),
        key=turns,
        wrong=[
            draw.wrong(
                2 * turns,
                ("rayon pris pour le diamètre", "As-tu pris le rayon ou le diamètre ?"),
                ("radius taken for the diameter", "Did you take the radius or the diameter?"),
            ),
            draw.wrong(
                trim(Decimal(turns) / 100),
                ("unités mêlées", "La roue est en cm et le chemin en m : convertis d'abord."),
                ("mixed units", "The wheel is in cm and the way in m: convert first."),
            ),
        ],
        hints=[
            draw.say(
                "En un tour, la roue avance d'une longueur égale à son périmètre.",
                "In one turn, the wheel moves on by its perimeter.",
            ),
            draw.say(
                f"Un tour fait ${round_}$ cm, soit ${metres}$ m. Combien de fois dans ${way}$ m ?",
                f"One turn is ${round_}$ cm, that is ${metres}$ m. How many times in ${way}$ m?",
            ),
        ],
        steps=[
            f"${pi} \\times {diameter} = {round_}$",
            draw.say(f"${round_}$ cm, c'est ${metres}$ m.", f"${round_}$ cm is ${metres}$ m."),
            f"${way} \\div {metres} = {turns}$",
        ],
    )

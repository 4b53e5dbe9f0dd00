"""Perimeters and areas of rectangles in primary school."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.mistakes import (
    STOPPED_EARLY,
    MistakeKind,
    choose_mistakes,
    mistake,
    say_each,
)

AREA_INSTEAD_OF_PERIMETER: Final = MistakeKind(
    ("aire à la place du périmètre", "area instead of perimeter"),
    (
        "Tu as calculé la surface : le périmètre est la longueur du tour.",
        "You worked out the surface: the perimeter is the length all around.",
    ),
)
PERIMETER_INSTEAD_OF_AREA: Final = MistakeKind(
    ("périmètre à la place de l'aire", "perimeter instead of area"),
    (
        "Tu as calculé le tour : l'aire est la mesure de la surface.",
        "You worked out the length around: the area measures the surface.",
    ),
)
TWO_SIDES_ONLY: Final = MistakeKind(
    ("deux côtés seulement", "two sides only"),
    (
        "Un rectangle a quatre côtés : compte-les tous.",
        "A rectangle has four sides: count them all.",
    ),
)
ONE_SIDE_FORGOTTEN: Final = MistakeKind(
    ("un côté oublié", "one side forgotten"),
    (
        "Il manque un côté : fais le tour avec ton doigt.",
        "One side is missing: go all the way round with your finger.",
    ),
)
ONLY_ONE_LENGTH_TAKEN_OFF: Final = MistakeKind(
    ("une seule longueur enlevée", "only one length taken off"),
    (
        "Le tour contient deux longueurs et deux largeurs.",
        "Going round takes two lengths and two widths.",
    ),
)
SIDES_ADDED: Final = MistakeKind(
    ("addition à la place", "added instead"),
    (
        "Imagine des rangées de carreaux : combien par rangée, et combien de rangées ?",
        "Imagine rows of tiles: how many in a row, and how many rows?",
    ),
)
ONE_ROW_FORGOTTEN: Final = MistakeKind(
    ("une rangée oubliée", "one row forgotten"), ("Recompte les rangées.", "Count the rows again.")
)
AREA_DOUBLED: Final = MistakeKind(
    ("aire doublée", "area doubled"),
    (
        "Le double sert pour le périmètre : ici, compte les carreaux une fois.",
        "Doubling is for the perimeter: here, count the tiles once.",
    ),
)
ZERO_FORGOTTEN: Final = MistakeKind(
    ("zéro oublié", "zero forgotten"),
    ("Vérifie les zéros de ton produit.", "Check the zeros of your product."),
)
PERIMETER_OF_THE_HUT_TAKEN_OFF: Final = MistakeKind(
    ("périmètre de la case enlevé", "perimeter of the hut taken off"),
    (
        "Tu as enlevé le tour de la case : enlève sa surface.",
        "You took off the length around the hut: take off its surface.",
    ),
)
SIDE_TAKEN_OFF_AN_AREA: Final = MistakeKind(
    ("côté enlevé d'une aire", "side taken off an area"),
    (
        "On ne peut pas enlever des mètres à des mètres carrés.",
        "You cannot take metres off square metres.",
    ),
)


def _area_instead(draw: Draw, answer: int) -> Wrong:
    return mistake(draw, answer, AREA_INSTEAD_OF_PERIMETER)


def _perimeter_instead(draw: Draw, answer: int) -> Wrong:
    return mistake(draw, answer, PERIMETER_INSTEAD_OF_AREA)


def _two_sides(draw: Draw, answer: int) -> Wrong:
    return mistake(draw, answer, TWO_SIDES_ONLY)


@generates("maths.perimeter-rectangle", "CM1")
def perimeter_rectangle(draw: Draw) -> Item:
    """A small rectangle, the fence of a field, the width from the perimeter."""
    return draw.by_level(_find_perimeter, _fence_field, _find_width)(draw)


def _find_perimeter(draw: Draw) -> Item:
    width = draw.between(3, 9)
    length = draw.between(width + 1, 14)
    key = 2 * (length + width)
    return draw.choice(
        draw.say(
            f"Un rectangle mesure {length} cm de long et {width} cm de large. "
            "Quel est son périmètre, en centimètres ?",
            f"A rectangle is {length} cm long and {width} cm wide. "
            "What is its perimeter, in centimetres?",
        ),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                _two_sides(draw, length + width),
                _area_instead(draw, length * width),
                mistake(draw, 2 * length + width, ONE_SIDE_FORGOTTEN),
                mistake(draw, length + 2 * width, ONE_SIDE_FORGOTTEN),
            ],
        ),
        hints=say_each(
            draw,
            (
                "Le périmètre, c'est la longueur du tour : quatre côtés.",
                "The perimeter is the length all around: four sides.",
            ),
            (
                f"Une longueur et une largeur font {length + width} cm. "
                "Combien de fois faut-il les compter ?",
                f"One length and one width make {length + width} cm. "
                "How many times do you count them?",
            ),
        ),
        steps=[
            f"${length} + {width} = {length + width}$",
            f"$2 \\times {length + width} = {key}$",
        ],
    )


def _fence_field(draw: Draw) -> Item:
    square = draw.one_of([True, False])
    length = 5 * draw.between(5, 12) if square else 5 * draw.between(9, 16)
    width = length if square else 5 * draw.between(3, 8)
    key = 2 * (length + width)
    shape = (
        (
            f"Un jardin carré a des côtés de {length} m.",
            f"A square garden has sides of {length} m.",
        )
        if square
        else (
            f"Un champ rectangulaire mesure {length} m de long et {width} m de large.",
            f"A rectangular field is {length} m long and {width} m wide.",
        )
    )
    steps = [f"$4 \\times {length} = {key}$"]
    if not square:
        steps = [
            f"${length} + {width} = {length + width}$",
            f"$2 \\times {length + width} = {key}$",
        ]
    question = draw.say(
        "Combien de mètres de grillage faut-il pour l'entourer ?",
        "How many metres of fence are needed to go all the way round?",
    )
    return draw.open(
        f"{draw.say(*shape)} {question}",
        key=key,
        wrong=choose_mistakes(
            key,
            [_two_sides(draw, length + width), _area_instead(draw, length * width)],
        ),
        hints=say_each(
            draw,
            ("Le grillage fait tout le tour.", "The fence goes all the way round."),
            (
                "Un carré a quatre côtés égaux."
                if square
                else f"Calcule ${length} + {width}$, et compte-le deux fois.",
                "A square has four equal sides."
                if square
                else f"Work out ${length} + {width}$, and count it twice.",
            ),
        ),
        steps=steps,
        unit="m",
    )


def _find_width(draw: Draw) -> Item:
    width = draw.between(4, 18)
    length = draw.between(width + 2, 30)
    perimeter = 2 * (length + width)
    half = length + width
    return draw.open(
        draw.say(
            f"Le périmètre d'une cour rectangulaire est de {perimeter} m. "
            f"Sa longueur est de {length} m. Quelle est sa largeur ?",
            f"The perimeter of a rectangular yard is {perimeter} m. "
            f"Its length is {length} m. What is its width?",
        ),
        key=width,
        wrong=choose_mistakes(
            width,
            [
                mistake(draw, perimeter - length, ONLY_ONE_LENGTH_TAKEN_OFF),
                mistake(draw, perimeter - 2 * length, STOPPED_EARLY),
                mistake(draw, half, STOPPED_EARLY),
            ],
        ),
        hints=say_each(
            draw,
            (
                "La moitié du périmètre, c'est une longueur et une largeur.",
                "Half the perimeter is one length and one width.",
            ),
            (
                f"La moitié du périmètre est de {half} m. Enlève la longueur.",
                f"Half the perimeter is {half} m. Take off the length.",
            ),
        ),
        steps=[
            f"${perimeter} \\div 2 = {half}$",
            draw.say(
                f"Largeur : ${half} - {length} = {width}$ m.",
                f"Width: ${half} - {length} = {width}$ m.",
            ),
        ],
        unit="m",
    )


@generates("maths.area-rectangle", "CM2")
def area_rectangle(draw: Draw) -> Item:
    """A small rectangle, a field, a field without the square of a house."""
    return draw.by_level(_find_area, _measure_field, _leave_out_hut)(draw)


def _find_area(draw: Draw) -> Item:
    width = draw.between(3, 9)
    length = draw.between(width + 1, 12)
    key = length * width
    return draw.choice(
        draw.say(
            f"Un rectangle mesure {length} cm de long et {width} cm de large. "
            "Quelle est son aire, en cm² ?",
            f"A rectangle is {length} cm long and {width} cm wide. What is its area, in cm²?",
        ),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                _perimeter_instead(draw, 2 * (length + width)),
                mistake(draw, length + width, SIDES_ADDED),
                mistake(draw, length * (width - 1), ONE_ROW_FORGOTTEN),
                mistake(draw, 2 * length * width, AREA_DOUBLED),
            ],
        ),
        hints=say_each(
            draw,
            (
                "L'aire, c'est le nombre de carreaux de 1 cm² qui couvrent le rectangle.",
                "The area is the number of 1 cm² tiles that cover the rectangle.",
            ),
            (
                f"Il y a {width} rangées de {length} carreaux.",
                f"There are {width} rows of {length} tiles.",
            ),
        ),
        steps=[
            draw.say("Aire = longueur × largeur.", "Area = length × width."),
            f"${length} \\times {width} = {key}$",
        ],
    )


def _measure_field(draw: Draw) -> Item:
    width = draw.between(12, 25)
    length = 10 * draw.between(3, 8)
    key = length * width
    return draw.open(
        draw.say(
            f"Un champ de manioc mesure {length} m de long et {width} m de large. "
            "Quelle est son aire, en m² ?",
            f"A cassava field is {length} m long and {width} m wide. What is its area, in m²?",
        ),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                _perimeter_instead(draw, 2 * (length + width)),
                mistake(draw, length + width, SIDES_ADDED),
                mistake(draw, key // 10, ZERO_FORGOTTEN),
            ],
        ),
        hints=say_each(
            draw,
            (
                "Quelle opération donne l'aire d'un rectangle ?",
                "Which operation gives the area of a rectangle?",
            ),
            (
                f"Multiplie ${width}$ par ${length // 10}$, puis par 10.",
                f"Multiply ${width}$ by ${length // 10}$, then by 10.",
            ),
        ),
        steps=[
            f"${width} \\times {length // 10} = {key // 10}$",
            draw.say(
                f"Aire : ${length} \\times {width} = {key}$ m².",
                f"Area: ${length} \\times {width} = {key}$ m².",
            ),
        ],
        unit="m²",
    )


def _leave_out_hut(draw: Draw) -> Item:
    side = draw.between(4, 9)
    width = draw.between(side + 6, 24)
    length = 5 * draw.between(5, 10)
    whole, hut = length * width, side * side
    key = whole - hut
    return draw.open(
        draw.say(
            f"Un terrain rectangulaire mesure {length} m de long et {width} m de large. "
            f"On y construit une case carrée de {side} m de côté. "
            "Quelle est l'aire qui reste autour de la case, en m² ?",
            f"A rectangular plot is {length} m long and {width} m wide. "
            f"A square hut with sides of {side} m is built on it. "
            "What area is left around the hut, in m²?",
        ),
        key=key,
        wrong=choose_mistakes(
            key,
            [
                mistake(draw, whole, STOPPED_EARLY),
                mistake(draw, whole - 4 * side, PERIMETER_OF_THE_HUT_TAKEN_OFF),
                mistake(draw, whole - side, SIDE_TAKEN_OFF_AN_AREA),
            ],
        ),
        hints=say_each(
            draw,
            (
                "Calcule l'aire du terrain, puis celle de la case.",
                "Work out the area of the plot, then that of the hut.",
            ),
            (
                f"Le terrain mesure {whole} m², la case {hut} m².",
                f"The plot measures {whole} m², the hut {hut} m².",
            ),
        ),
        steps=[
            draw.say(
                f"Terrain : ${length} \\times {width} = {whole}$ m².",
                f"Plot: ${length} \\times {width} = {whole}$ m².",
            ),
            draw.say(
                f"Case : ${side} \\times {side} = {hut}$ m².",
                f"Hut: ${side} \\times {side} = {hut}$ m².",
            ),
            f"${whole} - {hut} = {key}$",
        ],
        unit="m²",
    )

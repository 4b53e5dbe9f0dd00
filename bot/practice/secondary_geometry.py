"""Triangles: their angles (6e) and their area (5e)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, Number, Wrong, generates


def measure(draw: Draw, value: Number, unit: str) -> str:
    """A number with its unit, as an option spells it."""
    space = "" if unit == "°" or (unit == "%" and draw.language != "fr") else " "
    return f"{draw.write(value)}{space}{unit}"


def trim(number: Decimal) -> Number:
    """A decimal number without zeros at its end."""
    return int(number) if number == int(number) else number.normalize()


# Angles of a triangle -----------------------------------------------------------------------------


@generates("maths.triangle-angles", "6e")
def find_triangle_angle(draw: Draw) -> Item:
    """The third angle, then an isosceles triangle, then an angle with a condition."""
    if draw.difficulty == 2:
        return _find_isosceles_angle(draw)
    if draw.difficulty == 3:
        return draw.one_of((_find_double_angle, _find_from_exterior))(draw)
    a, b = draw.between(25, 85), draw.between(25, 85)
    b = b + 1 if a + b == 90 else b
    return draw.choice(
        draw.say(
            f"Dans le triangle ABC, l'angle en A mesure {a}° et l'angle en B mesure {b}°. Combien "
            "mesure l'angle en C ?",
            f"In triangle ABC, the angle at A is {a}° and the angle at B is {b}°. What is the "
            "angle at C?",
        ),
        key=f"{180 - a - b}°",
        wrong=[
            draw.wrong(
                f"{a + b}°",
                ("somme des deux angles", "Tu as trouvé la somme des deux angles connus."),
                ("sum of the two angles", "You found the sum of the two known angles."),
            ),
            draw.wrong(
                f"{180 - a}°",
                ("un seul angle enlevé", "Il y a deux angles connus à enlever."),
                ("only one angle taken away", "There are two known angles to take away."),
            ),
            draw.wrong(
                f"{360 - a - b}°",
                ("360° au lieu de 180°", "Quelle est la somme des angles d'un triangle ?"),
                ("360° instead of 180°", "What is the sum of the angles of a triangle?"),
            ),
        ],
        hints=[
            draw.say(
                "Les trois angles d'un triangle ont toujours la même somme : laquelle ?",
                "The three angles of a triangle always have the same sum: which one?",
            ),
            draw.say(
                f"Ajoute {a}° et {b}°, puis cherche ce qui manque pour aller à 180°.",
                f"Add {a}° and {b}°, then find what is missing to reach 180°.",
            ),
        ],
        steps=[
            f"${a} + {b} = {a + b}$",
            draw.say(
                f"$180 - {a + b} = {180 - a - b}$ : l'angle en C mesure {180 - a - b}°.",
                f"$180 - {a + b} = {180 - a - b}$: the angle at C is {180 - a - b}°.",
            ),
        ],
    )


def _find_isosceles_angle(draw: Draw) -> Item:
    """The angle at the base from the one at the top, or the other way round."""
    from_top = draw.one_of((True, False))
    base = draw.one_of([each for each in range(25, 80) if each not in (45, 60)])
    top = 180 - 2 * base
    known, asked = (top, base) if from_top else (base, top)
    known_at, asked_at = ("A", "B") if from_top else ("B", "A")
    swapped = 180 - 2 * top if from_top else Decimal(180 - base) / 2
    wrong = [
        draw.wrong(
            f"{180 - known}°",
            ("un seul angle enlevé", "Il reste deux angles à trouver, pas un seul.")
            if from_top
            else ("un seul angle enlevé", "Combien d'angles ont cette mesure ?"),
            ("only one angle taken away", "Two angles are left to find, not one.")
            if from_top
            else ("only one angle taken away", "How many angles have that size?"),
        ),
        draw.wrong(
            f"{known}°",
            ("mauvais angles égaux", "Quels sont les deux angles égaux ? Fais un dessin."),
            ("wrong equal angles", "Which two angles are equal? Make a drawing."),
        ),
        draw.wrong(
            measure(draw, swapped, "°"),
            ("sommet et base échangés", "A est-il le sommet principal ou un angle de la base ?"),
            ("top and base swapped", "Is A the top of the triangle or one of its base angles?"),
        ),
    ]
    if swapped <= 0:
        wrong.pop()
    doubled = f"2 \\times {base} = {2 * base}"
    return draw.choice(
        draw.say(
            f"ABC est un triangle isocèle en A. L'angle en {known_at} mesure {known}°. Combien "
            f"mesure l'angle en {asked_at} ?",
            f"ABC is an isosceles triangle with AB = AC. The angle at {known_at} is {known}°. "
            f"What is the angle at {asked_at}?",
        ),
        key=f"{asked}°",
        wrong=wrong,
        hints=[
            draw.say(
                "Dans un triangle isocèle en A, quels sont les deux angles égaux ?",
                "When AB = AC, which two angles are equal?",
            ),
            draw.say(
                f"Les angles en B et C sont égaux et font ensemble 180° moins {top}°."
                if from_top
                else f"L'angle en C mesure aussi {base}°. Que reste-t-il pour A ?",
                f"The angles at B and C are equal, and together make 180° less {top}°."
                if from_top
                else f"The angle at C is {base}° too. What is left for A?",
            ),
        ],
        steps=[
            f"$180 - {top} = {180 - top}$" if from_top else f"${doubled}$",
            f"${180 - top} \\div 2 = {base}$" if from_top else f"$180 - {2 * base} = {top}$",
        ],
    )


def _find_double_angle(draw: Draw) -> Item:
    """One angle is known, and of the two others one is twice or three times the other."""
    times = draw.between(2, 3)
    word_fr, word_en = ("le double", "twice") if times == 2 else ("le triple", "three times")
    small = draw.between(20, 40)
    known = 180 - (times + 1) * small
    return draw.open(
        draw.say(
            f"Dans le triangle ABC, l'angle en A mesure {known}° et l'angle en C est {word_fr} de "
            "l'angle en B. Combien mesure l'angle en B ?",
            f"In triangle ABC, the angle at A is {known}° and the angle at C is {word_en} the "
            "angle at B. What is the angle at B?",
        ),
        key=small,
        unit="°",
        wrong=[
            draw.wrong(
                Fraction(180 - known, times),
                ("parts mal comptées", "Compte aussi la part de l'angle en B."),
                ("parts miscounted", "Count the part of the angle at B too."),
            ),
            draw.wrong(
                times * small,
                ("autre angle donné", "C'est l'angle en C : on demande celui en B."),
                ("other angle given", "That is the angle at C: the one at B is asked for."),
            ),
        ],
        hints=[
            draw.say(
                "Combien mesurent ensemble les angles en B et C ?",
                "What do the angles at B and C make together?",
            ),
            draw.say(
                f"Ensemble ils font {180 - known}°, en ${times + 1}$ parts égales.",
                f"Together they make {180 - known}°, in ${times + 1}$ equal parts.",
            ),
        ],
        steps=[
            f"$180 - {known} = {180 - known}$",
            draw.say(
                f"B fait $1$ part et C ${times}$ parts : "
                f"${180 - known} \\div {times + 1} = {small}$.",
                f"B is $1$ part and C ${times}$ parts: "
                f"${180 - known} \\div {times + 1} = {small}$.",
            ),
        ],
    )


def _find_from_exterior(draw: Draw) -> Item:
    """An angle from one angle of the triangle and an exterior one."""
    a, b = draw.between(30, 75), draw.between(30, 75)
    b = b + 1 if a == b else b
    outside = a + b
    return draw.open(
        draw.say(
            f"Dans le triangle ABC, l'angle en A mesure {a}°. Le point D est sur la demi-droite "
            f"[BC), après C, et l'angle ACD mesure {outside}°. Combien mesure l'angle en B ?",
            f"In triangle ABC, the angle at A is {a}°. Point D is on the ray from B through C, "
            f"beyond C, and the angle ACD is {outside}°. What is the angle at B?",
        ),
        key=b,
        unit="°",
        wrong=[
            draw.wrong(
                180 - outside,
                ("angle en C donné", "C'est l'angle en C du triangle : continue."),
                ("angle at C given", "That is the angle of the triangle at C: go on."),
            ),
            draw.wrong(
                abs(180 - a - outside),
                ("angle extérieur pris pour un angle du triangle", "ACD n'est pas dans ABC."),
                ("exterior angle taken for one of the triangle", "ACD is not inside ABC."),
            ),
        ],
        hints=[
            draw.say(
                "B, C et D sont alignés : trouve d'abord l'angle ACB.",
                "B, C and D are in line: find the angle ACB first.",
            ),
            draw.say(
                f"L'angle ACB mesure 180° moins {outside}°. Utilise la somme des angles.",
                f"The angle ACB is 180° less {outside}°. Use the sum of the angles.",
            ),
        ],
        steps=[
            f"$180 - {outside} = {180 - outside}$",
            f"$180 - {a} - {180 - outside} = {b}$",
        ],
    )


# Area of a triangle -------------------------------------------------------------------------------

HEIGHTS = {8: (6, 15), 12: (5, 9, 16, 35), 15: (8, 20, 36), 24: (7, 10, 18, 32)}
"""Heights with feet of triangles whose sides are then whole: 8, 6 and 10, for example."""


@generates("maths.area-triangle", "5e")
def find_triangle_area(draw: Draw) -> Item:
    """From base and height, then among more lengths than needed, then the height."""
    if draw.difficulty == 2:
        return _choose_base_and_height(draw)
    base, height = draw.between(5, 16), draw.between(4, 12)
    height = height + 1 if base * height % 2 else height
    area = base * height // 2
    if draw.difficulty == 3:
        return _find_height(draw, 2 * base, height)
    return draw.choice(
        draw.say(
            f"Un triangle a une base de ${base}$ cm et une hauteur de ${height}$ cm. Quelle est "
            "son aire ?",
            f"A triangle has a base of ${base}$ cm and a height of ${height}$ cm. What is its "
            "area?",
        ),
        key=measure(draw, area, "cm²"),
        wrong=[
            _forget_half(draw, base * height, "cm²"),
            draw.wrong(
                measure(draw, base + height, "cm²"),
                ("longueurs ajoutées", "Pour une aire, on ne fait pas une somme de longueurs."),
                ("lengths added", "An area is not a sum of lengths."),
            ),
            draw.wrong(
                measure(draw, 2 * (base + height), "cm²"),
                ("périmètre d'un rectangle", "C'est la formule d'un périmètre."),
                ("perimeter of a rectangle", "That is the formula of a perimeter."),
            ),
            draw.wrong(
                measure(draw, 2 * base * height, "cm²"),
                ("double au lieu de moitié", "Le triangle est-il plus grand que le rectangle ?"),
                ("double instead of half", "Is the triangle larger than the rectangle?"),
            ),
        ],
        hints=_hints_for_area(draw, base, height),
        steps=_steps_for_area(draw, base, height, area, "cm²"),
    )


def _forget_half(draw: Draw, twice: int, unit: str) -> Wrong:
    return draw.wrong(
        measure(draw, twice, unit),
        ("moitié oubliée", "C'est l'aire d'un rectangle : et celle du triangle ?"),
        ("half forgotten", "That is the area of a rectangle: what about the triangle?"),
    )


def _hints_for_area(draw: Draw, base: int, height: int) -> list[str]:
    return [
        draw.say(
            "Un triangle est la moitié d'un rectangle : lequel ?",
            "A triangle is half of a rectangle: which one?",
        ),
        draw.say(
            f"Calcule ${base} \\times {height}$, puis prends la moitié.",
            f"Work out ${base} \\times {height}$, then take half.",
        ),
    ]


def _steps_for_area(draw: Draw, base: int, height: int, area: int, unit: str) -> list[str]:
    return [
        draw.say("Aire = base × hauteur ÷ 2.", "Area = base × height ÷ 2."),
        f"${base} \\times {height} = {base * height}$",
        f"${base * height} \\div 2 = {area}$ ({unit})",
    ]


def _choose_base_and_height(draw: Draw) -> Item:
    """All three sides and a height are given."""
    height = draw.one_of(tuple(HEIGHTS))
    left, right = draw.random.sample(HEIGHTS[height], 2)
    base = left + right
    one, two = (int((height**2 + foot**2) ** 0.5) for foot in (left, right))
    area = base * height // 2
    return draw.choice(
        draw.say(
            f"Un champ triangulaire ABC a pour côtés $AB = {one}$ m, $AC = {two}$ m et "
            f"$BC = {base}$ m. La hauteur issue de A mesure ${height}$ m. Quelle est son aire ?",
            f"A triangular field ABC has the sides $AB = {one}$ m, $AC = {two}$ m and "
            f"$BC = {base}$ m. The height from A is ${height}$ m. What is its area?",
        ),
        key=measure(draw, area, "m²"),
        wrong=[
            _forget_half(draw, base * height, "m²"),
            draw.wrong(
                measure(draw, trim(Decimal(one * height) / 2), "m²"),
                ("mauvaise base", "La hauteur issue de A est perpendiculaire à quel côté ?"),
                ("wrong base", "The height from A is perpendicular to which side?"),
            ),
            draw.wrong(
                measure(draw, one + two + base, "m²"),
                ("périmètre au lieu de l'aire", "Tu as trouvé le tour du champ."),
                ("perimeter instead of area", "You found the way around the field."),
            ),
        ],
        hints=[
            draw.say(
                "Toutes les longueurs ne servent pas : choisis une base et sa hauteur.",
                "Not every length is needed: choose a base and its height.",
            ),
            draw.say(
                f"La hauteur issue de A va avec la base BC : ${base}$ m et ${height}$ m.",
                f"The height from A goes with the base BC: ${base}$ m and ${height}$ m.",
            ),
        ],
        steps=_steps_for_area(draw, base, height, area, "m²"),
    )


def _find_height(draw: Draw, base: int, height: int) -> Item:
    area = base * height // 2
    return draw.open(
        draw.say(
            f"Un triangle a une aire de ${area}$ cm² et une base de ${base}$ cm. Quelle est la "
            "hauteur qui va avec cette base, en cm ?",
            f"A triangle has an area of ${area}$ cm² and a base of ${base}$ cm. What is the height "
            "on that base, in cm?",
        ),
        key=height,
        unit="cm",
        wrong=[
            draw.wrong(
                trim(Decimal(height) / 2),
                ("facteur 2 oublié", "L'aire n'est que la moitié de base × hauteur."),
                ("factor 2 forgotten", "The area is only half of base × height."),
            )
        ],
        hints=[
            draw.say(
                "Quelle est l'aire du rectangle qui a cette base et cette hauteur ?",
                "What is the area of the rectangle with that base and that height?",
            ),
            draw.say(
                f"Base × hauteur = ${2 * area}$ : divise par la base.",
                f"Base × height = ${2 * area}$: divide by the base.",
            ),
        ],
        steps=[
            f"$2 \\times {area} = {2 * area}$",
            f"${2 * area} \\div {base} = {height}$",
        ],
    )

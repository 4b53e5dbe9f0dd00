"""Trigonometry in right triangles (3e): ratios, lengths, heights."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, generates
from bot.practice.secondary_geometry import measure, trim
from bot.practice.secondary_triangles import TRIPLES

NAMES: Mapping[str, tuple[str, str]] = {
    "cos": ("le cosinus", "the cosine"),
    "sin": ("le sinus", "the sine"),
    "tan": ("la tangente", "the tangent"),
}
TANGENTS = {20: "0.36", 25: "0.47", 30: "0.58", 35: "0.7", 40: "0.84", 50: "1.19", 55: "1.43"}
"""Tangents of angles in degrees, rounded as tables in school books have them."""
SINES = {20: "0.34", 25: "0.42", 30: "0.5", 35: "0.57", 40: "0.64", 50: "0.77"}


@generates("maths.trigonometry", "3e")
def use_trigonometry(draw: Draw) -> Item:
    """A ratio of sides, then a length from a ratio, then a height or a rope."""
    if draw.difficulty == 2:
        return _find_side(draw)
    if draw.difficulty == 3:
        return draw.one_of((_find_tree_height, _find_cable_length))(draw)
    a, b, c = draw.one_of(TRIPLES[:5])
    a, b = draw.one_of(((a, b), (b, a)))
    asked = draw.one_of(("cos", "sin", "tan"))
    ratios = {"cos": Fraction(a, c), "sin": Fraction(b, c), "tan": Fraction(b, a)}
    sides = {"cos": ("AB", "BC"), "sin": ("AC", "BC"), "tan": ("AC", "AB")}
    above, below = sides[asked]
    meaning = {
        "cos": ("côté adjacent ÷ hypoténuse", "adjacent side ÷ hypotenuse"),
        "sin": ("côté opposé ÷ hypoténuse", "opposite side ÷ hypotenuse"),
        "tan": ("côté opposé ÷ côté adjacent", "opposite side ÷ adjacent side"),
    }[asked]
    reasons = {
        "cos": ("pris pour le cosinus", "taken for the cosine"),
        "sin": ("pris pour le sinus", "taken for the sine"),
        "tan": ("pris pour la tangente", "taken for the tangent"),
    }
    wrong = [
        draw.wrong(
            ratios[other],
            (reasons[other][0], "Vérifie quels côtés entrent dans ce rapport."),
            (reasons[other][1], "Check which sides belong in this ratio."),
        )
        for other in ratios
        if other != asked
    ]
    wrong.append(
        draw.wrong(
            1 / ratios[asked],
            ("rapport inversé", "Quel côté va en haut de la fraction ?"),
            ("ratio upside down", "Which side goes on top of the fraction?"),
        )
    )
    return draw.choice(
        draw.say(
            f"ABC est rectangle en A, avec $AB = {a}$ cm, $AC = {b}$ cm et $BC = {c}$ cm. "
            f"Combien vaut {NAMES[asked][0]} de l'angle en B ?",
            f"ABC has a right angle at A, with $AB = {a}$ cm, $AC = {b}$ cm and $BC = {c}$ cm. "
            f"What is {NAMES[asked][1]} of the angle at B?",
        ),
        key=ratios[asked],
        wrong=wrong,
        hints=[
            draw.say(
                "Vu de B : quel côté est opposé, lequel est adjacent, lequel est l'hypoténuse ?",
                "Seen from B: which side is opposite, adjacent, the hypotenuse?",
            ),
            draw.say(f"C'est {meaning[0]}.", f"It is {meaning[1]}."),
        ],
        steps=[
            f"$\\{asked} B = \\frac{{{above}}}{{{below}}} = {draw.maths(ratios[asked])}$",
        ],
    )


def _find_side(draw: Draw) -> Item:
    """A side of the right angle from the hypotenuse; sine, cosine and tangent are given."""
    cosine, sine = draw.one_of(((Decimal("0.8"), Decimal("0.6")), (Decimal("0.6"), Decimal("0.8"))))
    tangent = Decimal("0.75") if cosine > sine else Decimal("1.33")
    hypotenuse = 3 * draw.between(2, 12)
    adjacent = draw.one_of((True, False))
    side = "AB" if adjacent else "AC"
    good, other = (cosine, sine) if adjacent else (sine, cosine)
    name, other_name = ("cos", "sin") if adjacent else ("sin", "cos")
    key = trim(hypotenuse * good)
    written = draw.maths(good)
    divided = Fraction(hypotenuse) / Fraction(good)
    decimal = trim(Decimal(divided.numerator) / divided.denominator)
    sign = "=" if cosine > sine else "\\approx"
    return draw.choice(
        draw.say(
            f"ABC est rectangle en A et $BC = {hypotenuse}$ cm. On donne "
            f"$\\cos B = {draw.maths(cosine)}$, $\\sin B = {draw.maths(sine)}$ et "
            f"$\\tan B {sign} {draw.maths(tangent)}$. Calcule {side}.",
            f"ABC has a right angle at A and $BC = {hypotenuse}$ cm. Given: "
            f"$\\cos B = {draw.maths(cosine)}$, $\\sin B = {draw.maths(sine)}$ and "
            f"$\\tan B {sign} {draw.maths(tangent)}$. Find {side}.",
        ),
        key=measure(draw, key, "cm"),
        wrong=[
            draw.wrong(
                measure(draw, trim(hypotenuse * other), "cm"),
                (f"{other_name} au lieu de {name}", f"{side} est-il opposé ou adjacent à B ?"),
                (f"{other_name} instead of {name}", f"Is {side} opposite or adjacent to B?"),
            ),
            draw.wrong(
                measure(draw, decimal, "cm"),
                (
                    "division au lieu de produit",
                    "Un côté peut-il être plus long que l'hypoténuse ?",
                ),
                ("divided instead of multiplied", "Can a side be longer than the hypotenuse?"),
            ),
            draw.wrong(
                measure(draw, trim(hypotenuse * tangent), "cm"),
                ("tangente utilisée", "La tangente n'utilise pas l'hypoténuse."),
                ("tangent used", "The tangent does not use the hypotenuse."),
            ),
        ],
        hints=[
            draw.say(
                f"Vu de B, {side} est-il le côté opposé ou le côté adjacent ?",
                f"Seen from B, is {side} the opposite or the adjacent side?",
            ),
            f"$\\{name} B = \\frac{{{side}}}{{BC}}$, "
            + draw.say(
                f"donc ${side} = {hypotenuse} \\times \\{name} B$.",
                f"so ${side} = {hypotenuse} \\times \\{name} B$.",
            ),
        ],
        steps=[
            f"$\\{name} B = \\frac{{{side}}}{{BC}}$",
            f"${side} = {hypotenuse} \\times {written} = {draw.maths(key)}$ cm",
        ],
    )


def _find_tree_height(draw: Draw) -> Item:
    """A height from a distance on the ground and the tangent of an angle."""
    angle = draw.one_of(tuple(TANGENTS))
    tangent, distance = Decimal(TANGENTS[angle]), draw.one_of((20, 30, 40, 50))
    key = trim(tangent * distance)
    written = draw.maths(tangent)
    thing_fr, thing_en = draw.one_of(
        (("d'un baobab", "a baobab"), ("d'une antenne", "an aerial"), ("d'un minaret", "a minaret"))
    )
    return draw.open(
        draw.say(
            f"À ${distance}$ m du pied {thing_fr}, on voit son sommet sous un angle de {angle}° "
            f"avec le sol. Quelle est sa hauteur, en m ? (Prends "
            f"$\\tan {angle}° \\approx {written}$.)",
            f"From ${distance}$ m away on the ground, the top of {thing_en} is seen at an angle of "
            f"{angle}° to the ground. What is its height, in m? (Take "
            f"$\\tan {angle}° \\approx {written}$.)",
        ),
        key=key,
        unit="m",
        wrong=[
            draw.wrong(
                Fraction(distance) / Fraction(tangent),
                ("division au lieu de produit", "Quel côté est opposé à l'angle : h ou le sol ?"),
                ("divided instead of multiplied", "Which side is opposite: h or the ground?"),
            ),
            draw.wrong(
                distance * angle,
                ("angle multiplié", "On multiplie par la tangente, pas par l'angle lui-même."),
                ("multiplied by the angle", "Multiply by the tangent, not by the angle itself."),
            ),
        ],
        hints=[
            draw.say(
                "Fais un dessin : la hauteur est-elle opposée ou adjacente à l'angle ?",
                "Make a drawing: is the height opposite or adjacent to the angle?",
            ),
            draw.say(
                f"$\\tan {angle}° = \\frac{{h}}{{{distance}}}$ : trouve $h$.",
                f"$\\tan {angle}° = \\frac{{h}}{{{distance}}}$: find $h$.",
            ),
        ],
        steps=[
            f"$\\tan {angle}° = \\frac{{h}}{{{distance}}}$",
            f"$h \\approx {distance} \\times {written}$, "
            + draw.say(
                f"donc $h \\approx {draw.maths(key)}$ m.", f"so $h \\approx {draw.maths(key)}$ m."
            ),
        ],
    )


def _find_cable_length(draw: Draw) -> Item:
    """The hypotenuse from a height and the sine of an angle."""
    angle = draw.one_of(tuple(SINES))
    sine, length = Decimal(SINES[angle]), draw.one_of((10, 20, 30, 40, 50))
    height = draw.maths(trim(sine * length))
    written = draw.maths(sine)
    return draw.open(
        draw.say(
            f"Un câble tendu relie le sol au sommet d'un poteau de ${height}$ m. Il fait un angle "
            f"de {angle}° avec le sol. Quelle est sa longueur, en m ? (Prends "
            f"$\\sin {angle}° \\approx {written}$.)",
            f"A tight cable joins the ground to the top of a pole ${height}$ m high, at an angle "
            f"of {angle}° with the ground. How long is the cable, in m? (Take "
            f"$\\sin {angle}° \\approx {written}$.)",
        ),
        key=length,
        unit="m",
        wrong=[
            draw.wrong(
                trim(sine * sine * length),
                ("produit au lieu de division", "Le câble est-il plus court que le poteau ?"),
                ("multiplied instead of divided", "Is the cable shorter than the pole?"),
            )
        ],
        hints=[
            draw.say(
                "Le câble est l'hypoténuse : quel rapport contient le côté opposé et lui ?",
                "The cable is the hypotenuse: which ratio has the opposite side and it?",
            ),
            draw.say(
                f"$\\sin {angle}° = \\frac{{{height}}}{{L}}$ : trouve $L$.",
                f"$\\sin {angle}° = \\frac{{{height}}}{{L}}$: find $L$.",
            ),
        ],
        steps=[
            f"$\\sin {angle}° = \\frac{{{height}}}{{L}}$",
            f"$L \\approx {height} \\div {written}$, "
            + draw.say(f"donc $L \\approx {length}$ m.", f"so $L \\approx {length}$ m."),
        ],
    )

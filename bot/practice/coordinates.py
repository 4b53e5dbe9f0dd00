"""Lines and vectors by their coordinates, in 2nde."""

from __future__ import annotations

from typing import Final

from bot.practice.algebra_text import in_brackets, point, polynomial_maths, polynomial_text, signed
from bot.practice.generator import Draw, Item, generates
from bot.practice.misconceptions import Mistake

Point = tuple[int, int]

_SWAPPED: Final = Mistake(
    "pente et ordonnée à l'origine échangées",
    "gradient and intercept swapped",
    "Dans $y = mx + p$, lequel des deux nombres multiplie $x$ ?",
    "In $y = mx + p$, which of the two numbers multiplies $x$?",
)
_SLOPE_SIGN: Final = Mistake(
    "signe du coefficient directeur",
    "sign of the gradient",
    "Quand $x$ augmente, la droite monte-t-elle ou descend-elle ? Compare avec ta pente.",
    "As $x$ grows, does the line go up or down? Compare with your gradient.",
)
_INTERCEPT_SIGN: Final = Mistake(
    "signe de l'ordonnée à l'origine",
    "sign of the intercept",
    "Remplace $x$ et $y$ par les coordonnées du point : l'égalité est-elle vraie ?",
    "Put the coordinates of the point in place of $x$ and $y$: is the equality true?",
)
_ORDINATE_AS_INTERCEPT: Final = Mistake(
    "ordonnée du point prise pour $p$",
    "$y$-coordinate of the point taken as $p$",
    "L'ordonnée à l'origine se lit en $x = 0$ ; le point donné n'y est pas.",
    "The intercept is read at $x = 0$; the given point is not there.",
)


@generates("maths.line-equation", "2nde")
def line_equation(draw: Draw) -> Item:
    """With its intercept, then a gradient and a point, then two points."""
    slope = draw.between(2, 6) * draw.one_of((1, -1))
    intercept = draw.between(1, 9) * draw.one_of((1, -1))
    if abs(slope) == abs(intercept):
        intercept += 1 if intercept > 0 else -1
    if draw.difficulty == 1:
        return _line_with_intercept(draw, slope, intercept)
    x = draw.between(1, 4) * draw.one_of((1, -1))
    return draw.by_level(_line_by_point, _line_by_point, _line_by_points)(draw, slope, intercept, x)


def _line(slope: int, intercept: int) -> str:
    return f"y = {polynomial_text((intercept, slope))}"


def _line_with_intercept(draw: Draw, slope: int, intercept: int) -> Item:
    where = point(draw, 0, intercept)
    return draw.choice(
        draw.say(
            f"Une droite a pour coefficient directeur ${slope}$ et passe par $A{where}$. "
            "Quelle est son équation réduite ?",
            f"A line has gradient ${slope}$ and passes through $A{where}$. What is its equation?",
        ),
        key=_line(slope, intercept),
        wrong=[
            _SWAPPED.gives(draw, _line(intercept, slope)),
            _INTERCEPT_SIGN.gives(draw, _line(slope, -intercept)),
            _SLOPE_SIGN.gives(draw, _line(-slope, intercept)),
        ],
        hints=[
            draw.say(
                "Une équation réduite s'écrit $y = mx + p$.",
                "Its equation has the form $y = mx + p$.",
            ),
            draw.say(
                "$m$ est le coefficient directeur ; $p$ est l'ordonnée du point d'abscisse $0$.",
                "$m$ is the gradient; $p$ is the $y$-coordinate of the point where $x = 0$.",
            ),
        ],
        steps=[
            draw.say(f"Le coefficient directeur : $m = {slope}$.", f"The gradient: $m = {slope}$."),
            draw.say(
                f"$A$ a pour abscisse $0$, donc $p = {intercept}$.",
                f"The $x$-coordinate of $A$ is $0$, so $p = {intercept}$.",
            ),
            f"$y = {polynomial_maths((intercept, slope))}$",
        ],
    )


def _line_by_point(draw: Draw, slope: int, intercept: int, x: int) -> Item:
    y = slope * x + intercept
    where = point(draw, x, y)
    return draw.choice(
        draw.say(
            f"Une droite a pour coefficient directeur ${slope}$ et passe par $A{where}$. "
            "Quelle est son équation réduite ?",
            f"A line has gradient ${slope}$ and passes through $A{where}$. What is its equation?",
        ),
        key=_line(slope, intercept),
        wrong=[
            _ORDINATE_AS_INTERCEPT.gives(draw, _line(slope, y)),
            _INTERCEPT_SIGN.gives(draw, _line(slope, -intercept)),
            _SLOPE_SIGN.gives(draw, _line(-slope, intercept)),
            _SWAPPED.gives(draw, _line(intercept, slope)),
        ],
        hints=[
            draw.say(
                f"Écris $y = {polynomial_maths((0, slope))} + p$ ; il reste à trouver $p$.",
                f"Write $y = {polynomial_maths((0, slope))} + p$; only $p$ is missing.",
            ),
            draw.say(
                f"Remplace $x$ par ${x}$ et $y$ par ${y}$.",
                f"Put ${x}$ in place of $x$ and ${y}$ in place of $y$.",
            ),
        ],
        steps=_intercept_steps(draw, slope, intercept, x),
    )


def _intercept_steps(draw: Draw, slope: int, intercept: int, x: int) -> list[str]:
    y = slope * x + intercept
    return [
        draw.say(
            f"$A$ est sur la droite : ${y} = {slope} \\times {in_brackets(x)} + p$.",
            f"$A$ lies on the line: ${y} = {slope} \\times {in_brackets(x)} + p$.",
        ),
        f"$p = {y} {signed(-slope * x)} = {intercept}$",
        f"$y = {polynomial_maths((intercept, slope))}$",
    ]


_RUN_ONLY: Final = Mistake(
    "différence des ordonnées prise pour pente",
    "rise taken as gradient",
    "$y_B - y_A$ ne suffit pas : par quoi faut-il encore diviser ?",
    "$y_B - y_A$ is not enough: what must it be divided by?",
)


def _line_by_points(draw: Draw, slope: int, intercept: int, x: int) -> Item:
    step = draw.one_of((2, 3))
    other = x + step
    y_a, y_b = slope * x + intercept, slope * other + intercept
    a, b = point(draw, x, y_a), point(draw, other, y_b)
    rise = y_b - y_a
    return draw.choice(
        draw.say(
            f"Quelle est l'équation réduite de la droite qui passe par $A{a}$ et $B{b}$ ?",
            f"What is the equation of the line through $A{a}$ and $B{b}$?",
        ),
        key=_line(slope, intercept),
        wrong=[
            _SLOPE_SIGN.gives(draw, _line(-slope, y_a + slope * x)),
            _RUN_ONLY.gives(draw, _line(rise, y_a - rise * x)),
            _ORDINATE_AS_INTERCEPT.gives(draw, _line(slope, y_a)),
            _INTERCEPT_SIGN.gives(draw, _line(slope, -intercept)),
        ],
        hints=[
            draw.say(
                "Commence par $m = \\frac{y_B - y_A}{x_B - x_A}$.",
                "Start with $m = \\frac{y_B - y_A}{x_B - x_A}$.",
            ),
            draw.say(
                "Puis trouve $p$ : les coordonnées de $A$ vérifient $y = mx + p$.",
                "Then find $p$: the coordinates of $A$ satisfy $y = mx + p$.",
            ),
        ],
        steps=[
            f"$m = \\frac{{{y_b} {_minus(y_a)}}}{{{other} {_minus(x)}}} "
            f"= \\frac{{{rise}}}{{{step}}} = {slope}$",
            *_intercept_steps(draw, slope, intercept, x),
        ],
    )


def _minus(number: int) -> str:
    return f"- {in_brackets(number)}"


_START_MINUS_END: Final = Mistake(
    "départ moins arrivée",
    "start minus end",
    "Pour aller de $A$ à $B$, on part de $A$ : lequel des deux retranche-t-on ?",
    "To go from $A$ to $B$ we start at $A$: which of the two is subtracted?",
)
_ADDED_POINTS: Final = Mistake(
    "coordonnées ajoutées",
    "coordinates added",
    "Un vecteur dit de combien on se déplace : il faut une différence, pas une somme.",
    "A vector tells how far one moves: it takes a difference, not a sum.",
)
_ONE_COORDINATE: Final = Mistake(
    "une seule coordonnée juste",
    "only one coordinate right",
    "La première coordonnée convient ; refais le calcul de la seconde avec ses signes.",
    "The first coordinate is fine; work out the second one again, with its signs.",
)
_FACTOR_ON_ONE: Final = Mistake(
    "coefficient oublié sur une coordonnée",
    "factor left out on one coordinate",
    "Le coefficient multiplie les deux coordonnées du vecteur.",
    "The factor multiplies both coordinates of the vector.",
)
_SIGN_OF_SECOND: Final = Mistake(
    "soustraction faite comme une addition",
    "added instead of subtracting",
    "Regarde le signe entre les deux vecteurs.",
    "Look at the sign between the two vectors.",
)
_FACTOR_IGNORED: Final = Mistake(
    "coefficients oubliés",
    "factors forgotten",
    "Chaque vecteur est d'abord multiplié par son coefficient.",
    "Each vector is first multiplied by its factor.",
)


@generates("maths.vector-coordinates", "2nde")
def vector_coordinates(draw: Draw) -> Item:
    """From two points, then a combination of two vectors, then the fourth point."""
    return draw.by_level(_vector_of_points, _combine_vectors, _fourth_point)(draw)


def _draw_point(draw: Draw, least: int = -6) -> Point:
    return draw.between(least, 6), draw.between(1, 7) * draw.one_of((1, -1))


def _vector_of_points(draw: Draw) -> Item:
    (xa, ya), move_x = _draw_point(draw), draw.between(1, 7) * draw.one_of((1, -1))
    move_y = draw.between(1, 7) * draw.one_of((1, -1))
    xb, yb = xa + move_x, ya + move_y
    a, b = point(draw, xa, ya), point(draw, xb, yb)
    arrow = "\\overrightarrow{AB}"
    return draw.choice(
        draw.say(
            f"$A{a}$ et $B{b}$. Quelles sont les coordonnées de ${arrow}$ ?",
            f"$A{a}$ and $B{b}$. What are the coordinates of ${arrow}$?",
        ),
        key=point(draw, move_x, move_y),
        wrong=[
            _START_MINUS_END.gives(draw, point(draw, -move_x, -move_y)),
            _ADDED_POINTS.gives(draw, point(draw, xa + xb, ya + yb)),
            _ONE_COORDINATE.gives(draw, point(draw, move_x, ya + yb)),
        ],
        hints=[
            draw.say(
                "De combien se déplace-t-on horizontalement, puis verticalement ?",
                "How far does one move across, then up or down?",
            ),
            f"${arrow}{point(draw, 'x_B - x_A', 'y_B - y_A')}$",
        ],
        steps=[
            f"$x_B - x_A = {xb} {_minus(xa)} = {move_x}$",
            f"$y_B - y_A = {yb} {_minus(ya)} = {move_y}$",
            f"${arrow}{point(draw, move_x, move_y)}$",
        ],
    )


def _combine_vectors(draw: Draw) -> Item:
    (x1, y1), (x2, y2) = _draw_point(draw, 1), _draw_point(draw, 1)
    m, n = draw.one_of(((2, 3), (3, 2), (2, 5), (4, 3), (3, 4), (5, 2)))
    key = point(draw, m * x1 - n * x2, m * y1 - n * y2)
    u, v = point(draw, x1, y1), point(draw, x2, y2)
    asked = f"{m}\\vec{{u}} - {n}\\vec{{v}}"
    return draw.choice(
        draw.say(
            f"$\\vec{{u}}{u}$ et $\\vec{{v}}{v}$. Quelles sont les coordonnées de ${asked}$ ?",
            f"$\\vec{{u}}{u}$ and $\\vec{{v}}{v}$. What are the coordinates of ${asked}$?",
        ),
        key=key,
        wrong=[
            _SIGN_OF_SECOND.gives(draw, point(draw, m * x1 + n * x2, m * y1 + n * y2)),
            _FACTOR_ON_ONE.gives(draw, point(draw, m * x1 - n * x2, y1 - y2)),
            _FACTOR_IGNORED.gives(draw, point(draw, x1 - x2, y1 - y2)),
            _ONE_COORDINATE.gives(draw, point(draw, m * x1 - n * x2, m * y1 + n * y2)),
        ],
        hints=[
            draw.say(
                f"Calcule d'abord ${m}\\vec{{u}}$ et ${n}\\vec{{v}}$.",
                f"First work out ${m}\\vec{{u}}$ and ${n}\\vec{{v}}$.",
            ),
            draw.say(
                "Puis soustrais les abscisses entre elles et les ordonnées entre elles.",
                "Then subtract the $x$-coordinates, and the $y$-coordinates.",
            ),
        ],
        steps=[
            f"${m}\\vec{{u}}{point(draw, m * x1, m * y1)}$, "
            f"${n}\\vec{{v}}{point(draw, n * x2, n * y2)}$",
            f"${m * x1} {_minus(n * x2)} = {m * x1 - n * x2}$, "
            f"${m * y1} {_minus(n * y2)} = {m * y1 - n * y2}$",
            f"${asked}$ : ${key}$" if draw.language == "fr" else f"${asked}$: ${key}$",
        ],
    )


_ORDER_OF_POINTS: Final = Mistake(
    "ordre des sommets",
    "order of the vertices",
    "Ton point donne un autre parallélogramme : lis les sommets en faisant le tour.",
    "Your point makes another parallelogram: read the vertices going round it.",
)
_THIRD_POINT_MISSING: Final = Mistake(
    "vecteur pris pour le point",
    "vector taken as the point",
    "Tu as trouvé les coordonnées d'un vecteur : il faut encore partir du bon point.",
    "You found the coordinates of a vector: now start from the right point.",
)


def _fourth_point(draw: Draw) -> Item:
    (xa, ya), (xc, yc) = _draw_point(draw), _draw_point(draw)
    along, up = draw.between(1, 6), draw.between(1, 6) * draw.one_of((1, -1))
    if along * (yc - ya) == up * (xc - xa):  # the three points would be aligned
        yc += 1
    xb, yb = xa + along, ya + up
    x, y = xc - along, yc - up
    a, b, c = point(draw, xa, ya), point(draw, xb, yb), point(draw, xc, yc)
    return draw.choice(
        draw.say(
            f"$A{a}$, $B{b}$ et $C{c}$. Quelles sont les coordonnées de $D$ pour que $ABCD$ soit "
            "un parallélogramme ?",
            f"$A{a}$, $B{b}$ and $C{c}$. What are the coordinates of $D$ such that $ABCD$ is a "
            "parallelogram?",
        ),
        key=point(draw, x, y),
        wrong=[
            _ORDER_OF_POINTS.gives(draw, point(draw, xc + along, yc + up)),
            _ORDER_OF_POINTS.gives(draw, point(draw, xa + xb - xc, ya + yb - yc)),
            _THIRD_POINT_MISSING.gives(draw, point(draw, along, up)),
            _ONE_COORDINATE.gives(draw, point(draw, x, yc + up)),
        ],
        hints=[
            draw.say(
                "Fais un dessin : quel vecteur est égal à $\\overrightarrow{AB}$ ?",
                "Make a drawing: which vector equals $\\overrightarrow{AB}$?",
            ),
            "$\\overrightarrow{AB} = \\overrightarrow{DC}$",
        ],
        steps=[
            f"$\\overrightarrow{{AB}}{point(draw, along, up)}$",
            draw.say(
                f"$\\overrightarrow{{DC}} = \\overrightarrow{{AB}}$ : ${xc} - x_D = {along}$ et "
                f"${yc} - y_D = {up}$.",
                f"$\\overrightarrow{{DC}} = \\overrightarrow{{AB}}$: ${xc} - x_D = {along}$ and "
                f"${yc} - y_D = {up}$.",
            ),
            f"$D{point(draw, x, y)}$",
        ],
    )

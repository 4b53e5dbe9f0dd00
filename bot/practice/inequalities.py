"""Intervals and inequalities of the first degree, in 2nde."""

from __future__ import annotations

from typing import Final

from bot.practice.algebra_text import (
    INFINITY,
    MINUS_INFINITY,
    continue_sum,
    interval,
    polynomial_maths,
    set_maths,
    signed,
)
from bot.practice.generator import Draw, Item, generates
from bot.practice.misconceptions import Mistake

_SIGNS: Final = ("<", "≤", ">", "≥")
_LATEX: Final = {"<": "<", "≤": "\\leq", ">": ">", "≥": "\\geq"}
_FLIPPED: Final = {"<": ">", "≤": "≥", ">": "<", "≥": "≤"}
_OTHER_STRICTNESS: Final = {"<": "≤", "≤": "<", ">": "≥", "≥": ">"}

_BOUND: Final = Mistake(
    "borne mal traitée",
    "wrong bracket",
    "Regarde chaque borne : avec ≤ ou ≥ elle est comprise, avec < ou > elle ne l'est pas.",
    "Look at each bound: with ≤ or ≥ it is included, with < or > it is not.",
)
_WRONG_SIDE: Final = Mistake(
    "mauvais côté",
    "wrong side",
    "Choisis un nombre de ton intervalle : vérifie-t-il l'inégalité ?",
    "Take a number in your interval: does it satisfy the inequality?",
)
_SIDE_AND_BOUND: Final = Mistake(
    "mauvais côté et borne mal traitée",
    "wrong side and wrong bracket",
    "Vérifie deux choses : de quel côté sont les nombres, et si la borne est comprise.",
    "Check two things: on which side the numbers lie, and whether the bound is included.",
)
_BOUNDS_SWAPPED: Final = Mistake(
    "crochets échangés",
    "brackets swapped",
    "Les deux crochets sont échangés : regarde d'abord la borne de gauche, puis celle de droite.",
    "The two brackets are swapped: look at the left bound first, then at the right one.",
)
_BRACKET_CHANGED: Final = Mistake(
    "crochets changés",
    "brackets changed",
    "Regarde chaque borne : est-elle comprise dans $I$ ? Dans $J$ ?",
    "Look at each bound: does it belong to $I$? To $J$?",
)
_UNION: Final = Mistake(
    "réunion à la place",
    "union instead",
    "Tu as pris tous les nombres de $I$ ou de $J$ ; le signe $\\cap$ demande ceux des deux.",
    "You took every number of $I$ or of $J$; the sign $\\cap$ asks for those in both.",
)
_INTERSECTION: Final = Mistake(
    "intersection à la place",
    "intersection instead",
    "Tu as pris les nombres communs ; le signe $\\cup$ demande ceux de l'un ou de l'autre.",
    "You took the common numbers; the sign $\\cup$ asks for those of one or the other.",
)
_ONE_PART: Final = Mistake(
    "une partie seulement",
    "only one part",
    "Ton intervalle ne tient compte que d'un des deux. Dessine $I$ et $J$ sur une même droite.",
    "Your interval uses only one of the two. Draw $I$ and $J$ on the same line.",
)


def _ray(draw: Draw, sign: str, bound: int) -> str:
    """All numbers that stand in this relation to the bound."""
    if sign in "<≤":
        return interval(draw, MINUS_INFINITY, bound, has_high=sign == "≤")
    return interval(draw, bound, INFINITY, has_low=sign == "≥")


@generates("maths.intervals", "2nde")
def intervals(draw: Draw) -> Item:
    """From an inequality, from a double one, then the intersection or union of two intervals."""
    return draw.by_level(_interval_of_inequality, _interval_of_two, _combine_intervals)(draw)


def _interval_of_inequality(draw: Draw) -> Item:
    sign, bound = draw.one_of(_SIGNS), draw.between(-9, 9)
    relation = f"x {_LATEX[sign]} {bound}"
    key = _ray(draw, sign, bound)
    other = _OTHER_STRICTNESS[sign]
    return draw.choice(
        draw.say(
            f"Quel intervalle est l'ensemble des réels $x$ tels que ${relation}$ ?",
            f"Which interval is the set of real numbers $x$ such that ${relation}$?",
        ),
        key=key,
        wrong=[
            _BOUND.gives(draw, _ray(draw, other, bound)),
            _WRONG_SIDE.gives(draw, _ray(draw, _FLIPPED[sign], bound)),
            _SIDE_AND_BOUND.gives(draw, _ray(draw, _FLIPPED[other], bound)),
        ],
        hints=[
            draw.say(
                f"Place ${bound}$ sur une droite graduée et colorie les nombres qui conviennent.",
                f"Mark ${bound}$ on a number line and colour the numbers that fit.",
            ),
            draw.say(
                f"Le nombre ${bound}$ vérifie-t-il lui-même ${relation}$ ? Le crochet le dit.",
                f"Does ${bound}$ itself satisfy ${relation}$? The bracket tells it.",
            ),
        ],
        steps=[
            _explain_side(draw, sign, bound),
            _explain_bound(draw, bound, is_included=sign in "≤≥"),
            draw.say(f"L'ensemble est ${set_maths(key)}$.", f"The set is ${set_maths(key)}$."),
        ],
    )


def _explain_side(draw: Draw, sign: str, bound: int) -> str:
    if sign in "<≤":
        return draw.say(
            f"Les nombres cherchés sont à gauche de ${bound}$ : l'intervalle commence à "
            "$-\\infty$.",
            f"The numbers lie to the left of ${bound}$: the interval starts at $-\\infty$.",
        )
    return draw.say(
        f"Les nombres cherchés sont à droite de ${bound}$ : l'intervalle va jusqu'à $+\\infty$.",
        f"The numbers lie to the right of ${bound}$: the interval goes on to $+\\infty$.",
    )


def _explain_bound(draw: Draw, bound: int, *, is_included: bool) -> str:
    if is_included:
        return draw.say(f"${bound}$ est compris.", f"${bound}$ is included.")
    return draw.say(f"${bound}$ n'est pas compris.", f"${bound}$ is not included.")


def _interval_of_two(draw: Draw) -> Item:
    low = draw.between(-9, 4)
    high = low + draw.between(2, 9)
    has_low = draw.one_of((True, False))
    has_high = not has_low if draw.between(1, 3) > 1 else has_low
    left, right = "\\leq" if has_low else "<", "\\leq" if has_high else "<"
    relation = f"{low} {left} x {right} {high}"
    key = interval(draw, low, high, has_low=has_low, has_high=has_high)
    opposite = interval(draw, low, high, has_low=not has_low, has_high=not has_high)
    return draw.choice(
        draw.say(
            f"Quel intervalle est l'ensemble des réels $x$ tels que ${relation}$ ?",
            f"Which interval is the set of real numbers $x$ such that ${relation}$?",
        ),
        key=key,
        wrong=[
            (_BOUNDS_SWAPPED if has_low != has_high else _BOUND).gives(draw, opposite),
            _BOUND.gives(draw, interval(draw, low, high, has_low=has_low, has_high=not has_high)),
            _BOUND.gives(draw, interval(draw, low, high, has_low=not has_low, has_high=has_high)),
        ],
        hints=[
            draw.say(
                "Traite les deux bornes l'une après l'autre.", "Take the two bounds one by one."
            ),
            draw.say(
                f"$x$ peut-il être égal à ${low}$ ? et à ${high}$ ?",
                f"Can $x$ be equal to ${low}$? And to ${high}$?",
            ),
        ],
        steps=[
            _explain_bound(draw, low, is_included=has_low),
            _explain_bound(draw, high, is_included=has_high),
            draw.say(f"L'ensemble est ${set_maths(key)}$.", f"The set is ${set_maths(key)}$."),
        ],
    )


def _combine_intervals(draw: Draw) -> Item:
    """The intersection or the union of two intervals that overlap."""
    a = draw.between(-9, 0)
    c = a + draw.between(1, 4)
    b = c + draw.between(1, 5)
    d = b + draw.between(1, 4)
    first_closed, second_closed = draw.one_of((True, False)), draw.one_of((True, False))
    first = interval(draw, a, b, has_low=first_closed, has_high=not first_closed)
    second = interval(draw, c, d, has_low=second_closed, has_high=not second_closed)
    common = interval(draw, c, b, has_low=second_closed, has_high=not first_closed)
    whole = interval(draw, a, d, has_low=first_closed, has_high=not second_closed)
    meets = draw.one_of((True, False))
    if meets:
        key, other, sign = common, _UNION.gives(draw, whole), "\\cap"
        bracket = interval(draw, c, b, has_low=not second_closed, has_high=first_closed)
        part = interval(draw, a, c, has_low=first_closed, has_high=not second_closed)
    else:
        key, other, sign = whole, _INTERSECTION.gives(draw, common), "\\cup"
        bracket = interval(draw, a, d, has_low=not first_closed, has_high=second_closed)
        part = interval(draw, a, c, has_low=first_closed, has_high=not second_closed)
    return draw.choice(
        draw.say(
            f"$I = {first}$ et $J = {second}$. Quel intervalle est $I {sign} J$ ?",
            f"$I = {first}$ and $J = {second}$. Which interval is $I {sign} J$?",
        ),
        key=key,
        wrong=[other, _BRACKET_CHANGED.gives(draw, bracket), _ONE_PART.gives(draw, part)],
        hints=_hints_to_combine(draw, meets=meets),
        steps=[
            draw.say(
                f"Sur une droite graduée, les bornes sont dans l'ordre ${a}$, ${c}$, ${b}$, ${d}$.",
                f"On a number line, the bounds come in the order ${a}$, ${c}$, ${b}$, ${d}$.",
            ),
            draw.say(
                "On garde les nombres qui sont dans $I$ et dans $J$."
                if meets
                else "On garde les nombres qui sont dans $I$ ou dans $J$.",
                "We keep the numbers that are in $I$ and in $J$."
                if meets
                else "We keep the numbers that are in $I$ or in $J$.",
            ),
            f"$I {sign} J = {key}$",
        ],
    )


def _hints_to_combine(draw: Draw, *, meets: bool) -> list[str]:
    draw_it = draw.say(
        "Dessine $I$ et $J$ en deux couleurs sur la même droite graduée.",
        "Draw $I$ and $J$ in two colours on the same number line.",
    )
    if meets:
        return [
            draw_it,
            draw.say(
                "$I \\cap J$ : les nombres coloriés deux fois.",
                "$I \\cap J$: the numbers coloured twice.",
            ),
        ]
    return [
        draw_it,
        draw.say(
            "$I \\cup J$ : les nombres coloriés au moins une fois.",
            "$I \\cup J$: the numbers coloured at least once.",
        ),
    ]


_NOT_FLIPPED: Final = Mistake(
    "sens de l'inégalité",
    "direction of the inequality",
    "Revois le sens : que devient-il quand on divise par un nombre négatif ? Par un positif ?",
    "Check the direction: what happens to it when you divide by a negative number? A positive one?",
)
_SIGN_OF_BOUND: Final = Mistake(
    "erreur de signe",
    "sign error",
    "Revois le signe de ta borne : remplace $x$ par elle, les deux membres doivent être égaux.",
    "Check the sign of your bound: put it in place of $x$, both sides must be equal.",
)
_SUBTRACTED: Final = Mistake(
    "soustraction au lieu de division",
    "subtracted instead of dividing",
    "Le coefficient multiplie $x$ : pour l'enlever, quelle opération faut-il faire ?",
    "The coefficient multiplies $x$: which operation undoes that?",
)
_DIRECTION_AND_SIGN: Final = Mistake(
    "sens et signe",
    "direction and sign",
    "Revois deux choses : le signe de la borne et le sens de l'inégalité.",
    "Check two things: the sign of the bound and the direction of the inequality.",
)


@generates("maths.inequality-first-degree", "2nde")
def inequality_first_degree(draw: Draw) -> Item:
    """A positive coefficient, then a negative one, then `x` on both sides and an interval."""
    root = draw.between(1, 9) * draw.one_of((1, -1))
    sign = draw.one_of(_SIGNS)
    factor, moved = draw.between(2, 6), 0
    if draw.difficulty > 1:
        factor = -factor
    if draw.difficulty > 2:
        moved = draw.between(7, 9) if draw.one_of((True, False)) else -draw.between(1, 6)
    constant = draw.between(1, 9) * draw.one_of((1, -1))
    left = (constant, factor + moved)
    right = (constant + factor * root, moved)
    return _solve_inequality(draw, sign, left, right, root)


def _solve_inequality(
    draw: Draw, sign: str, left: tuple[int, int], right: tuple[int, int], root: int
) -> Item:
    """The item of `left sign right`, two expressions that are equal at `root`."""
    relation = f"{polynomial_maths(left)} {_LATEX[sign]} {polynomial_maths(right)}"
    factor = left[1] - right[1]
    end = _FLIPPED[sign] if factor < 0 else sign
    wants_set = right[1] != 0

    def write(direction: str, bound: int) -> str:
        return _ray(draw, direction, bound) if wants_set else f"x {direction} {bound}"

    return draw.choice(
        draw.say(
            f"Résous dans $\\mathbb{{R}}$ l'inéquation ${relation}$.",
            f"Solve in $\\mathbb{{R}}$ the inequality ${relation}$.",
        ),
        key=write(end, root),
        wrong=[
            _NOT_FLIPPED.gives(draw, write(_FLIPPED[end], root)),
            _SIGN_OF_BOUND.gives(draw, write(end, -root)),
            _SUBTRACTED.gives(draw, write(end, factor * root - factor)),
            _DIRECTION_AND_SIGN.gives(draw, write(_FLIPPED[end], -root)),
        ],
        hints=[
            draw.say(
                "Rassemble les $x$ d'un côté et les nombres de l'autre.",
                "Bring the $x$ to one side and the numbers to the other.",
            ),
            draw.say(
                "Quand on divise les deux membres par un nombre négatif, le sens change.",
                "When both sides are divided by a negative number, the direction changes.",
            ),
        ],
        steps=_solve_steps(draw, sign, left, right, write(end, root)),
    )


def _solve_steps(
    draw: Draw, sign: str, left: tuple[int, int], right: tuple[int, int], key: str
) -> list[str]:
    factor, number = left[1] - right[1], right[0] - left[0]
    latex = _LATEX[sign]
    end = _LATEX[_FLIPPED[sign]] if factor < 0 else latex
    solved = f"x {end} {number // factor}"
    moved = continue_sum(polynomial_maths((0, -right[1])))
    turns = draw.say(", le sens change", ", the direction changes") if factor < 0 else ""
    steps = [
        f"${polynomial_maths((0, left[1]))} {moved} {latex} {right[0]} {signed(-left[0])}$"
        if right[1]
        else f"${polynomial_maths((0, factor))} {latex} {right[0]} {signed(-left[0])}$",
        f"${polynomial_maths((0, factor))} {latex} {number}$",
        draw.say(
            f"On divise par ${factor}${turns} : ${solved}$.",
            f"We divide by ${factor}${turns}: ${solved}$.",
        ),
    ]
    return [*steps, f"$S = {set_maths(key)}$"] if right[1] else steps

"""Work out the size of a figure that a question asks for, from the sizes that it gives.

Questions ask for areas, perimeters, volumes, sides and angles. Each row of the table is one kind of
question: the figure, what is asked, the given sizes with the words beside them, and the formula. A
question about two figures, or with another number, is none of them. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from bot.maths.questions.question_measures import (
    Question,
    Sought,
    around,
    exactly,
    find_root,
    nearly,
)
from bot.maths.reading.vocabulary import DIGITS

_Values: TypeAlias = Mapping[str, Fraction]
_Formula: TypeAlias = Callable[[_Values], Fraction | float]

_SHAPES: Final = {
    "box": r"paves?|parallelepiped\w*|cuboids?|rectangular (?:box|tank|prism|block|container|room"
    r"|pool|swimming pool|solid)|box",
    "triangle": r"triang\w+",
    "rectangle": r"rectang\w+",
    "square": r"carree?s?|squares?",
    "parallelogram": r"parallelog\w+",
    "trapezium": r"trapez\w+",
    "disc": r"disques?|cercles?|circ(?:le|ular)s?|circulaire|discs?",
    "cylinder": r"cylind\w+",
    "cone": r"cones?|conique|conical",
    "ball": r"boules?|spher\w+|balls?|balle|ballon",
    "cube": r"cubes?|cubique",
    "other": r"losange|rhombus|pyramid\w*|prism\w*|\w+gones?|\w+gons?|anneaux?|rings?|couronnes?"
    r"|quadrilat\w+|secteurs?|sectors?|arcs?|tubes?|tuyaux?|pipes?|half|demi\w*|sem[ic]\w+"
    r"|inscri\w+|exterieure?s?|exterior|allee|path|bordure|border|similar|semblables?|agrandi\w*",
}
_NO_SHAPE: Final = re.compile(
    r"\b(?:metres?|cm|m|km|centimetres?|kilometres?) (?:carres?|cubes?)\b"
    r"|\bsquare (?:metres?|meters?|cm|m|centimetres?|kilometres?)\b|\bsquare root\b"
)
_TRIANGLE: Final = re.compile(r"\btriangle rectangle\b|\brectangle en [a-z]\b")
_BOX: Final = re.compile(r"\bparallelepipede rectangle\b|\bpave droit\b")
_LENGTH: Final = ("length", r"longueur|long|longs?|length|longue")
_WIDTH: Final = ("length", r"largeur|large|width|wide|broad|breadth")
_HEIGHT: Final = (
    "length", r"hauteur|haut|height|high|tall|deep|profonde?|profondeur|depth|altitude"
)  # fmt: skip
_BASE: Final = ("length", r"base")
_SIDE: Final = ("length", r"cotes?|sides?|aretes?|edge|edges")
_RADIUS: Final = ("length", r"rayon|radius")
_DIAMETER: Final = ("length", r"diametre|diameter")
_ANY: Final = ("length", "")
_AREA: Final = r"\b(?:aire|area|surface|superficie)"
_PERIMETER: Final = r"\b(?:perimetre|perimeter|circonference|circumference|contour)"
_VOLUME: Final = r"\b(?:volume|capacite|capacity|contenance|contient|holds?|contain\w*)"
_WITH_PI: Final = "π"


@dataclass(frozen=True, slots=True)
class _Row:
    shape: str
    asks: str
    """A pattern of what is asked, and of how the answer names it."""
    dimension: str
    roles: Mapping[str, tuple[str, str]]
    formula: _Formula
    others: _Formula | None = None
    """A value on the way to the result."""


_SIDES: Final = {"a": _LENGTH, "b": _WIDTH}
_FLAT: Final = {"a": _BASE, "h": _HEIGHT}
_ROUND: Final = {"r": _RADIUS, "h": _HEIGHT}
_ROUND_BY_DIAMETER: Final = {"d": _DIAMETER, "h": _HEIGHT}


def _pi(v: Mapping[str, Fraction]) -> Fraction:
    return v[_WITH_PI]


_TABLE: Final[Sequence[_Row]] = (
    _Row("rectangle", _AREA, "area", _SIDES, lambda v: v["a"] * v["b"]),
    _Row("rectangle", _PERIMETER, "length", _SIDES, lambda v: 2 * (v["a"] + v["b"]),
         lambda v: v["a"] + v["b"]),
    _Row("rectangle", _PERIMETER, "length", {"s": ("area", ""), "a": _ANY},
         lambda v: 2 * (v["a"] + v["s"] / v["a"])),
    _Row("rectangle", r"\bdiagonale?", "length", _SIDES,
         lambda v: find_root(v["a"] ** 2 + v["b"] ** 2)),
    _Row("rectangle", r"\b(?:largeur|width)", "length", {"s": ("area", ""), "a": _LENGTH},
         lambda v: v["s"] / v["a"]),
    _Row("rectangle", r"\b(?:longueur|length)", "length", {"s": ("area", ""), "b": _WIDTH},
         lambda v: v["s"] / v["b"]),
    _Row("square", _AREA, "area", {"a": _SIDE}, lambda v: v["a"] ** 2),
    _Row("square", _PERIMETER, "length", {"a": _SIDE}, lambda v: 4 * v["a"]),
    _Row("square", r"\b(?:cote|side)", "length", {"p": ("length", r"perimetre|perimeter")},
         lambda v: v["p"] / 4),
    _Row("square", _AREA, "area", {"p": ("length", r"perimetre|perimeter")},
         lambda v: v["p"] ** 2 / 16),
    _Row("square", _PERIMETER, "length", {"s": ("area", "")}, lambda v: 4 * find_root(v["s"])),
    _Row("square", r"\b(?:cote|side)", "length", {"s": ("area", "")},
         lambda v: find_root(v["s"])),
    _Row("parallelogram", _AREA, "area", _FLAT, lambda v: v["a"] * v["h"]),
    _Row("triangle", _AREA, "area", _FLAT, lambda v: v["a"] * v["h"] / 2,
         lambda v: v["a"] * v["h"]),
    _Row("trapezium", _AREA, "area",
         {"a": ("length", r"grande base|longer (?:base|side)"),
          "b": ("length", r"petite base|shorter (?:base|side)"), "h": _HEIGHT},
         lambda v: (v["a"] + v["b"]) * v["h"] / 2),
    _Row("disc", _AREA, "area", {"r": _RADIUS}, lambda v: _pi(v) * v["r"] ** 2),
    _Row("disc", _AREA, "area", {"d": _DIAMETER}, lambda v: _pi(v) * v["d"] ** 2 / 4),
    _Row("disc", _PERIMETER, "length", {"r": _RADIUS}, lambda v: 2 * _pi(v) * v["r"],
         lambda v: 2 * v["r"]),
    _Row("disc", _PERIMETER, "length", {"d": _DIAMETER}, lambda v: _pi(v) * v["d"]),
    _Row("cylinder", _VOLUME, "volume", _ROUND, lambda v: _pi(v) * v["r"] ** 2 * v["h"]),
    _Row("cylinder", _VOLUME, "volume", _ROUND_BY_DIAMETER,
         lambda v: _pi(v) * v["d"] ** 2 / 4 * v["h"]),
    _Row("cone", _VOLUME, "volume", _ROUND, lambda v: _pi(v) * v["r"] ** 2 * v["h"] / 3),
    _Row("cone", _VOLUME, "volume", _ROUND_BY_DIAMETER,
         lambda v: _pi(v) * v["d"] ** 2 / 12 * v["h"]),
    _Row("ball", _VOLUME, "volume", {"r": _RADIUS}, lambda v: _pi(v) * v["r"] ** 3 * 4 / 3),
    _Row("ball", _VOLUME, "volume", {"d": _DIAMETER}, lambda v: _pi(v) * v["d"] ** 3 / 6),
    _Row("cube", _VOLUME, "volume", {"a": _SIDE}, lambda v: v["a"] ** 3),
    _Row("box", _VOLUME, "volume", {"a": _LENGTH, "b": _WIDTH, "h": _HEIGHT},
         lambda v: v["a"] * v["b"] * v["h"]),
    _Row("triangle", r"\bhypotenuse", "length",
         {"a": _ANY, "b": ("length", r"et|and|,")}, lambda v: find_root(v["a"] ** 2 + v["b"] ** 2)),
)  # fmt: skip


def list_figure_results(question: Question) -> Iterator[Sought]:
    """Yield the values that a question about one figure asks for."""
    if not question.measures or not question.has_plain_numbers:
        if question.has(r"triang\w+|quadrilat\w+"):
            yield from _list_angles(question)
        return
    yield from _list_angles(question)
    shapes = _find_shapes(question.text)
    for row in _TABLE:
        if {row.shape} != shapes or not re.search(row.asks, question.text):
            continue
        values = question.pick(row.roles)
        if values is not None and _is_asked(row, question):
            yield _work_out(row, values, question)


def _find_shapes(text: str) -> set[str]:
    text = _TRIANGLE.sub("triangle", _BOX.sub("pave", _NO_SHAPE.sub(" ", text)))
    box = re.compile(rf"\b(?:{_SHAPES['box']})\b")
    shapes = {"box"} if box.search(text) else set[str]()
    text = box.sub(" ", text)
    return shapes | {
        name for name, words in _SHAPES.items() if re.search(rf"\b(?:{words})\b", text)
    }


def _is_asked(row: _Row, question: Question) -> bool:
    """Return whether the question asks for the value of a row, and not only names it."""
    is_right_angled = question.has(
        r"triangle rectangle|right[- ]angled|right triangle|rectangle en"
    )
    if row.asks == r"\bhypotenuse":
        return is_right_angled and question.has(r"angle droit|legs|perpendic\w+|other sides")
    is_price = question.has(r"prix|price|coute\w*|costs?|fois|deux|two|totale?|laterale?|lateral")
    return not is_price and not question.has(r"chaque|each|morceaux|pieces|reste\w*|left")


def _work_out(row: _Row, values: dict[str, Fraction], question: Question) -> Sought:
    results = [row.formula({**values, _WITH_PI: pi}) for pi in question.pi]
    is_exact = all(isinstance(each, Fraction) for each in results)
    low, high = (Fraction(each) for each in results)
    if not is_exact:
        low, high = nearly(float(low), 0.005)
    step = row.others({**values, _WITH_PI: question.pi[1]}) if row.others else None
    known = frozenset((Fraction(step),)) if step is not None else frozenset[Fraction]()
    others = "|".join(words for name, words in _SHAPES.items() if name != row.shape)
    return Sought(row.asks, row.dimension, low, high, known, excludes=others)


# Angles -------------------------------------------------------------------------------------------

_SPECIAL: Final = (
    r"isocel\w*|isosceles|equilat\w*|exterieure?s?|exterior|bissect\w*|bisect\w*|hauteur|median\w*"
    r"|deux triangles|two triangles|cercle|circle|parallel\w*|paralleles?|losange|trapez\w*"
    r"|fois|times|double|twice|de plus|more than|rapport|ratio|semblables?|similar|cotes?|sides?"
    r"|demi.droites?|rays?|alignee?s?|beyond|prolong\w*|extend\w*|point [a-z]"
)
_LAST: Final = (
    r"\b(?:(?:troisieme|quatrieme|third|fourth|dernier|last|autre|other|missing|remaining)"
    r"(?: (?:acute|aigu))?(?: (?:angle|one))?|angle (?:manquant|restant|cherche|[a-z]{1,3}\b)"
    r"|angle|(?:il|elle|it) (?=mesure|vaut|measures|is))"
)
_ASKS_ANGLE: Final = (
    r"troisieme|third|quatrieme|fourth|dernier|last|autre angle|other(?: acute)? angle|missing"
    r"|manquant|remaining|restant|angle [a-z]{1,3}"
)


def _list_angles(question: Question) -> Iterator[Sought]:
    """Yield the last angle of a triangle or of a quadrilateral."""
    angles = question.list_values("angle")
    if len(angles) != len(question.measures) or not question.has(_ASKS_ANGLE):
        return
    if question.has(_SPECIAL):
        return
    is_right = question.has(r"triangle rectangle|right[- ]angled|right triangle|rectangle en")
    if question.has(r"triang\w+") and not question.has(r"quadrilat\w+"):
        known = [each for each in angles if each != 90] if is_right else angles
        total, count = (90, 1) if is_right else (180, 2)
    elif question.has(r"quadrilat\w+"):
        known, total, count = angles, 360, 3
    else:
        return
    rest = total - sum(known)
    if len(known) == count and rest > 0:
        others = frozenset(map(Fraction, (90, 180, 360, sum(angles), sum(known))))
        yield Sought(_LAST, "angle", *exactly(rest), others)


# Heights ------------------------------------------------------------------------------------------

_TALL: Final = r"\b(?:hauteur|height|high|reach(?:es)?|atteint|monte|haut|taille|mesure|tall)"


def list_heights(question: Question, answer: str) -> Iterator[Sought]:
    """Yield a height by the theorem of Pythagoras or by a tangent.

    Args:
        answer: the words of the answer, which name the theorem that it uses.
    """
    if not question.measures or not question.has_plain_numbers:
        return
    lengths, angles = question.list_values("length"), question.list_values("angle")
    asks_height = question.has(r"(?:quelle (?:est la )?)?hauteur|how high|height|how tall")
    if not asks_height or len(lengths) + len(angles) != len(question.measures):
        return
    if len(lengths) == 2 and not angles and re.search(r"pythag|hypotenuse", answer):
        roles = {
            "l": ("length", r"echelle|ladder|long|longueur"),
            "d": ("length", r"pied|foot|base|bottom|du mur|from the (?:wall|base)|away"),
        }
        values = question.pick(roles) if question.has(r"echelle|ladder") else None
        if values and values["l"] > values["d"]:
            height = find_root(values["l"] ** 2 - values["d"] ** 2)
            yield Sought(_TALL, "length", *around(height))
    is_distance = re.search(
        rf"\b(?:a|at|stand\w*|point) {DIGITS} ?m(?:etres|eters)? (?:de|d'|du|from|away|of)",
        question.text,
    )
    is_other = question.has(r"yeux|eyes?|ombre|shadow|echelle|ladder|cable|corde|rope|fil|string")
    if len(lengths) == len(angles) == 1 and is_distance and not is_other and 0 < angles[0] < 90:
        height = float(lengths[0]) * math.tan(math.radians(float(angles[0])))
        yield Sought(_TALL, "length", *nearly(height, 0.015))

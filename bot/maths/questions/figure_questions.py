"""State the answer to a question about a figure whose sizes are given: angles of triangles, sides
of right triangles, areas, perimeters and volumes, exact ones with π. Pure.

Each rule needs all numbers of the question. `figure_sizes.py` knows further figures, by the words
beside each size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from bot.maths.questions.question_measures import Question, find_root, read_measured_question
from bot.maths.questions.question_sentences import Asked, add_unit, split_target
from bot.maths.questions.worked_results import LENGTH_UNITS, POWER_MARKS, is_first_size
from bot.maths.reading.number_words import fold
from bot.maths.reading.plain_words import write_plainly

_LONGEST: Final = 400
"""Most characters of a question that is read."""
_ABOUT: Final = re.compile(
    r"\b(?:environ|about|arrondi\w*|round\w*|approx\w*|nearest|pres)\b|≈|π ?=|3[.,]14|22/7"
)


def state_figure(asked: Asked, answer: str) -> str:
    """Return that the answer equals the size of a figure; empty: the question is about no figure
    that is known here."""
    whole = asked.whole
    if len(whole) > _LONGEST or "=" in answer:
        return ""
    text, sentence = write_plainly(fold(whole)), write_plainly(fold(asked.sentence))
    question = read_measured_question(
        re.sub(r"\b(les|the|ses|its) (?:2|deux|two) angles", r"\1 angles", text)
    )
    if _ABOUT.search(text) or not (question.measures or "multipli" in text):
        return ""
    dimensions = {each.dimension for each in question.measures}
    if scaled := _state_multiplied(text, sentence, answer) or _state_enlarged(
        question, sentence, answer
    ):
        return scaled
    if dimensions == {"angle"}:
        angle = _find_missing_angle(question, sentence) or _find_angle(question, sentence)
        return f"{angle}° = {add_unit(answer, '°')}" if angle else ""
    scales = {each.value / each.shown for each in question.measures if each.shown}
    if dimensions != {"length"} or len(scales) != 1:
        return ""
    unit = LENGTH_UNITS.get(scales.pop(), "")
    return _state_lengths(question, sentence, unit, answer) if unit else ""


_FACTOR: Final = re.compile(
    r"\b(?:rapport|coefficient|echelle|facteur|scale factor|factor)(?: (?:de|d'|of|egal a|k ?=))* ?"
    r"(?P<a>\d+(?:[.,]\d+)?)(?: ?/ ?(?P<b>\d+))?"
)
_ENLARGED: Final = re.compile(r"\b(?:agrandi\w*|redui\w*|reduction|enlarge\w*|homothetie)\b")
_MULTIPLIED: Final = re.compile(
    r"\b(?P<size>longueur|perimetre|aire|surface|volume|length|perimeter|area)s? .*"
    r"(?:multipli\w*|par)\b"
)
_SIZES_IN_WORDS: Final = {"l": 1, "p": 1, "a": 2, "s": 2, "v": 3}
_POWERS: Final = {"length": 1, "area": 2, "volume": 3}


def _state_enlarged(question: Question, sentence: str, answer: str) -> str:
    """Return the size of a figure that is enlarged or reduced by a factor."""
    found = _FACTOR.search(question.text)
    sizes = [each for each in question.measures if each.dimension in _POWERS]
    if found is None or len(sizes) != 1 or not _ENLARGED.search(question.text):
        return ""
    size, power = sizes[0], _POWERS[sizes[0].dimension]
    asked = (_PERIMETER, _AREA, _VOLUME)[power - 1]
    is_asked = re.search(asked, sentence) or (
        power == 1 and re.search(r"\blongueur|\blength", sentence)
    )
    if not is_asked or size.end > found.start() or not int(found["b"] or 1):
        return ""
    factor = Fraction(found["a"].replace(",", ".")) / int(found["b"] or 1)
    unit = (
        LENGTH_UNITS.get(_find_unit_of_length(size.value / size.shown, power), "")
        if size.shown
        else ""
    )
    return (
        f"{size.shown * factor**power} {unit}{POWER_MARKS[power]} = "
        f"{add_unit(answer, unit + POWER_MARKS[power])}"
        if unit
        else ""
    )


def _state_multiplied(text: str, sentence: str, answer: str) -> str:
    """Return by what the sizes of an enlarged figure are multiplied."""
    found, asked = _FACTOR.search(text), _MULTIPLIED.search(sentence)
    if not found or not asked or not _ENLARGED.search(text) or "multipli" not in text:
        return ""
    if re.search(r"\d", text.replace(found[0], "")) or not int(found["b"] or 1):
        return ""
    factor = Fraction(found["a"].replace(",", ".")) / int(found["b"] or 1)
    return f"{factor ** _SIZES_IN_WORDS[asked['size'][0]]} = {answer}"


def _find_unit_of_length(value: Fraction, power: int) -> Fraction:
    """Return the unit of length of a unit of area or volume, which is a power of ten."""
    return next((each for each in LENGTH_UNITS if each**power == value), Fraction(0))


# Angles -------------------------------------------------------------------------------------------

_OTHER_ANGLES: Final = re.compile(
    r"\b(?:fois|times|double|twice|triple|moitie|half|de plus|more|bissect\w*|bisect\w*"
    r"|exterieure?|exterior"
    r"|cercle|circle|parallel\w*|hauteur|median\w*|quadrilat\w*|losange|trapez\w*|deux triangles)\b"
)
_ISOSCELES: Final = re.compile(r"\bisocele\b|\bisosceles\b")
_APEX: Final = re.compile(r"\bsommet\b|\bapex\b|\bvertex\b|\btop angle\b")
_BASE: Final = re.compile(r"\bbases?\b")
_NAMED_ANGLE: Final = re.compile(
    r"\bisocele en\b|\bangle [a-z]{1,3}\b(?<!angle au)(?<!angle a)(?<!angle de)(?<!angle est)"
    r"|\b[a-z]{3} (?:est )?(?:un )?triangle"
)
_NAMED_APEX: Final = re.compile(r"\b(?:isocele en|isosceles at) ([a-z])\b")
_POINT_ANGLE: Final = re.compile(r"\bangle ([a-z]{3}|[a-z])\b(?! la\b)")
_MISSING: Final = re.compile(r"\bmanqu\w*|\bmissing|\btroisieme angle|\bthird angle")
_SUPPLEMENT: Final = re.compile(r"\bsupplement\w*")
_COMPLEMENT: Final = re.compile(r"\bcomplement\w*")


def _find_missing_angle(question: Question, sentence: str) -> str:
    """Return the angle of a triangle that two others leave; empty: none is missing."""
    given = question.list_values("angle")
    is_asked = len(given) == 2 and "triang" in question.text and _MISSING.search(sentence)
    return str(180 - sum(given)) if is_asked and 0 < sum(given) < 180 else ""


def _find_angle(question: Question, sentence: str) -> str:
    """Return the angle that one other angle decides; empty: it is not clear."""
    text, angles = question.text, question.list_values("angle")
    given = [each for each in angles if not (each == 180 and _SUPPLEMENT.search(text))]
    if len(given) != 1 or _OTHER_ANGLES.search(text) or not 0 < given[0] < 180:
        return ""
    if _ISOSCELES.search(text):
        return _find_isosceles(text, sentence, given[0])
    if (inscribed := _find_inscribed(text, sentence)) is not None:
        return str(given[0] * inscribed)
    if re.search(r"\bopposes par (?:le|leur) sommet|\bvertically opposite", text):
        return str(given[0])
    is_right, is_straight = bool(_COMPLEMENT.search(text)), bool(_SUPPLEMENT.search(text))
    if is_right == is_straight or "triang" in text:
        return ""
    rest = (90 if is_right else 180) - given[0]
    return str(rest) if rest > 0 else ""


def _find_inscribed(text: str, sentence: str) -> Fraction | None:
    """Return the ratio of an inscribed angle to the angle at the centre, or the other way round."""
    is_centre, is_inscribed = (
        r"\bangle au centre\b|\bat the cent(?:re|er)\b",
        r"\binscrit\b|\binscribed\b",
    )
    if not re.search(is_centre, text) or not re.search(is_inscribed, text):
        return None
    if re.search(is_inscribed, sentence) and not re.search(is_centre, sentence):
        return Fraction(1, 2)
    return (
        Fraction(2)
        if re.search(is_centre, sentence) and not re.search(is_inscribed, sentence)
        else None
    )


def _find_isosceles(text: str, sentence: str, given: Fraction) -> str:
    """Return an angle of an isosceles triangle of which the angle at the base or the other one is
    given."""
    found = re.search(r"\d", text)
    if found is None or "rectangle" in text or "right" in text:
        return ""
    if named := _NAMED_APEX.search(text):
        return _find_named(text, sentence, named[1], given)
    if _NAMED_ANGLE.search(text):
        return ""
    end = next(
        (at for at in (text.find(".", found.end()), text.find("?", found.end())) if at > 0),
        len(text),
    )
    stated = text[:end] if sentence not in text[:end] else text[: found.end() + 12]
    is_apex, is_base = bool(_APEX.search(stated)), bool(_BASE.search(stated))
    if is_apex == is_base:
        return ""
    if is_apex and re.search(
        r"\bbase|\bautres?\b|\bother|\bchac|\bchaque|\beach\b|\bremaining", sentence
    ):
        return str((180 - given) / 2)
    asks_apex = _APEX.search(sentence) or re.search(
        r"\btroisieme|\bthird|\bautre angle|\bdernier", sentence
    )
    return str(180 - 2 * given) if is_base and asks_apex and given < 90 else ""


def _find_named(text: str, sentence: str, apex: str, given: Fraction) -> str:
    """Return an angle of a triangle that is isosceles in a named point."""
    named = [each[-2] if len(each) == 3 else each for each in _POINT_ANGLE.findall(text)]
    if (
        len(named) != 2
        or not _POINT_ANGLE.search(sentence)
        or given >= (180 if named[0] == apex else 90)
    ):
        return ""
    if named[0] == apex:
        return str((180 - given) / 2) if named[1] != apex else ""
    return str(180 - 2 * given) if named[1] == apex else str(given)


# Lengths ------------------------------------------------------------------------------------------

_Sizes: TypeAlias = Sequence[Fraction]
_SHAPES: Final = {
    "triangle": r"triang\w+", "rectangle": r"rectang\w+", "square": r"carree?s?|squares?",
    "rhombus": r"losanges?|rhombus", "trapezium": r"trapez\w+",
    "disc": r"disques?|cercles?|circ(?:le|ular)s?|discs?",
    "cylinder": r"cylind\w+", "cone": r"cones?", "ball": r"boules?|spheres?",
    "cube": r"cubes?|cubique",
    "box": r"paves?(?: droits?)?|parallelepipedes?(?: rectangles?)?|cuboids?|box",
    "ladder": r"echelle|ladder",
}  # fmt: skip
_RIGHT: Final = re.compile(
    r"\btriangle rectangle\b|\bright[- ](?:angled )?triangle\b|\brectangle en [a-z]\b"
)
_STRANGE: Final = re.compile(
    r"\b(?:chaque|each|reste\w*|left|morceaux|pieces|prix|cout\w*|costs?|fois|times|double\w*"
    r"|triple\w*|moitie|half|demi\w*"
    r"|deux (?!cotes|autres|diagonales|bases)|two (?!sides|legs|diagonals)|agrandi\w*|reduit\w*"
    r"|inscri\w*|autour|around|allee|path|bordure|fenced?|cloture|ratio|rapport"
    r"|face|metres? carres?|tours?|laps?|ombre|shadow|exterieure?|semblable\w*|similar|plus|more"
    r"|arbres?|trees?|combien de (?!cm|m |metres))\b"
)
_AREA: Final = r"\b(?:aire|area|surface|superficie)\b"
_PERIMETER: Final = r"\b(?:perimetre|perimeter|circonference|circumference|longueur du cercle)\b"
_VOLUME: Final = r"\b(?:volume|capacite|capacity|contenance)\b"


@dataclass(frozen=True, slots=True)
class _Rule:
    shape: str
    asks: str
    """A pattern in the sentence that asks."""
    count: int
    tells: str
    """A pattern of how the sizes are named in the question."""
    power: int
    work_out: Callable[[_Sizes], Fraction | float]
    has_pi: bool = False
    but: str = r"(?!)"
    """A pattern of words with which the rule does not hold."""


_ROUND_AND_HIGH: Final = r"(?:rayon|radius)\D{0,30}\d\D{0,40}(?:hauteur|height|haut)\D{0,12}\d"
_RULES: Final = (
    _Rule("rhombus", _AREA, 2, r"diagonal", 2, lambda v: v[0] * v[1] / 2),
    _Rule("rhombus", _PERIMETER, 1, r"cote|side", 1, lambda v: 4 * v[0]),
    _Rule(
        "trapezium",
        _AREA,
        3,
        r"(?:hauteur|height|haut)\D{0,12}\d[\d.,]* ?[a-z]+\W*"
        r"(?:quelle|calcul|what|find|$)",
        2,
        lambda v: (v[0] + v[1]) * v[2] / 2,
    ),
    _Rule("box", _VOLUME, 3, "", 3, lambda v: v[0] * v[1] * v[2]),
    _Rule(
        "cube",
        r"\b(?:aire|surface) laterale|\blateral (?:surface )?area",
        1,
        r"arete|cote|edge|side",
        2,
        lambda v: 4 * v[0] ** 2,
    ),
    _Rule(
        "cube",
        r"\b(?:aire|surface) totale|\b(?:total )?surface area",
        1,
        r"arete|cote|edge|side",
        2,
        lambda v: 6 * v[0] ** 2,
        but=r"lateral",
    ),
    _Rule("triangle", _PERIMETER, 1, r"equilateral", 1, lambda v: 3 * v[0]),
    _Rule(
        "triangle", _PERIMETER, 3, "", 1, lambda v: v[0] + v[1] + v[2], but=r"hauteur|height|rayon"
    ),
    _Rule(
        "rectangle",
        _AREA,
        2,
        r"\d\D{0,14}\b(?:sur|by|x|et|and)\b",
        2,
        lambda v: v[0] * v[1],
        but=_PERIMETER + r"|\bdiagonal",
    ),
    _Rule(
        "rectangle",
        _PERIMETER,
        2,
        r"\d\D{0,14}\b(?:sur|by|x)\b",
        1,
        lambda v: 2 * (v[0] + v[1]),
        but=_AREA + r"|\bdiagonal",
    ),
    _Rule(
        "disc", _PERIMETER, 1, r"rayon|radius", 1, lambda v: 2 * v[0], has_pi=True, but=r"diamet"
    ),
    _Rule("disc", _PERIMETER, 1, r"diamet", 1, lambda v: v[0], has_pi=True, but=r"rayon|radius"),
    _Rule("disc", _AREA, 1, r"rayon|radius", 2, lambda v: v[0] ** 2, has_pi=True, but=r"diamet"),
    _Rule(
        "disc", _AREA, 1, r"diamet", 2, lambda v: v[0] ** 2 / 4, has_pi=True, but=r"rayon|radius"
    ),
    _Rule("cylinder", _VOLUME, 2, _ROUND_AND_HIGH, 3, lambda v: v[0] ** 2 * v[1], has_pi=True),
    _Rule("cone", _VOLUME, 2, _ROUND_AND_HIGH, 3, lambda v: v[0] ** 2 * v[1] / 3, has_pi=True),
    _Rule(
        "ball",
        _VOLUME,
        1,
        r"rayon|radius",
        3,
        lambda v: v[0] ** 3 * 4 / 3,
        has_pi=True,
        but=r"diamet",
    ),
    _Rule(
        "ball",
        _AREA,
        1,
        r"rayon|radius",
        2,
        lambda v: 4 * v[0] ** 2,
        has_pi=True,
        but=r"diamet|boule",
    ),
)
_LEG: Final = re.compile(
    r"\b(?:autre|troisieme|dernier|other|third|remaining|missing|second) (?:cote|side|leg)\b"
    r"|\b(?:autre|other)$"
)
_REACHES: Final = re.compile(r"\b(?:a quelle hauteur|how high|what height|hauteur)\b")


def _state_lengths(question: Question, sentence: str, unit: str, answer: str) -> str:
    sizes = [each.shown for each in question.measures]
    text = question.text
    shapes = _find_shapes(text)
    if _STRANGE.search(text) or len(shapes) != 1:
        return ""
    value = answer.strip()
    if root := next(_find_sides(text, sentence, next(iter(shapes)), sizes), None):
        is_exact = isinstance(root, Fraction)
        shown = str(root) if is_exact else f"√({_square_rest(sizes)})"
        return f"{shown} {unit} {'=' if is_exact else '≈'} {add_unit(value, unit)}"
    for rule in _RULES:
        if (
            {rule.shape} != shapes
            or len(sizes) != rule.count
            or not _is_asked(rule, text, sentence)
        ):
            continue
        if rule.has_pi and "π" not in answer and "\\pi" not in answer:
            return ""
        size = unit + POWER_MARKS[rule.power]
        target = split_target(sentence)[1]
        result = Fraction(rule.work_out(sizes))
        return f"{result}{' × π' if rule.has_pi else ''} {size} = {add_unit(value, target or size)}"
    return ""


def _is_asked(rule: _Rule, text: str, sentence: str) -> bool:
    """Return whether a question asks for what a rule gives, and for nothing else."""
    asks = is_first_size(rule.asks, sentence) and re.search(rule.asks, sentence)
    return bool(asks and re.search(rule.tells, text)) and not re.search(rule.but, text)


def _find_shapes(text: str) -> set[str]:
    bare = _RIGHT.sub("triangle", text)
    box = re.compile(rf"\b(?:{_SHAPES['box']})\b")
    found = {"box"} if box.search(bare) else set[str]()
    bare = box.sub(" ", bare)
    found |= {name for name, words in _SHAPES.items() if re.search(rf"\b(?:{words})\b", bare)}
    return found


def _find_sides(text: str, sentence: str, shape: str, sizes: _Sizes) -> Iterator[Fraction | float]:
    """Yield a leg of a right triangle, or the height that a ladder reaches."""
    if len(sizes) != 2 or sizes[0] == sizes[1]:
        return
    is_leg = (
        shape == "triangle" and _RIGHT.search(text) and "hypot" in text and _LEG.search(sentence)
    )
    is_height = (
        shape == "ladder" and re.search(r"\b(?:mur|wall)\b", text) and _REACHES.search(sentence)
    )
    if is_leg or (is_height and not re.search(r"hauteur de|hauteur \d|height of", text)):
        yield find_root(_square_rest(sizes))


def _square_rest(sizes: _Sizes) -> Fraction:
    return abs(sizes[0] ** 2 - sizes[1] ** 2)

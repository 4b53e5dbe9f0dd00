"""Check the result that an answer gives to a standard school question, from the question's data.

`Un car parcourt 210 km en 3 h 30 min. Quelle est sa vitesse moyenne ?`, then `Sa vitesse moyenne
est de 70 km/h`. A result is wrong if no value that the answer gives for what is asked fits the
data, and the right value stands nowhere in it.

Questions about figures ask for areas, perimeters, volumes, sides and angles. Each row of the table
is one kind of question: the figure, what is asked, the sizes that are given and the formula. A
question about two figures, or with another number, is none of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from bot.maths.checks.passages import Line, Passage, decide
from bot.maths.checks.question_data import (
    Measure,
    Question,
    Sought,
    around,
    exactly,
    find_root,
    list_measures,
    nearly,
    read_question,
)
from bot.maths.checks.story_questions import list_story_results
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.plain_words import DIGITS

# Questions about figures --------------------------------------------------------------------------

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


def _list_figure_results(question: Question) -> Iterator[Sought]:
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


def _list_heights(question: Question, answer: str) -> Iterator[Sought]:
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


# Results ------------------------------------------------------------------------------------------

_HOUR: Final = 3600
_FILLER: Final = (
    r"(?:(?:de|of|a|at|to|as|an?|about|approximately|around|roughly|nearly|environ|presque|donc"
    r"|alors|so|thus|bien|exactly|exactement|egale?s?|equal|only|seulement|encore|en|now|maintenant"
    r"|back|au|total|tout|in|all|le|la|un|une|the|finalement|finally|then|also|aussi|just|monnaie"
    r"|change|him|her|them|you|lui|vous|nous|te|me)\b|d'|[:≈=(,→-])"
)
_LINK: Final = (
    r"(?:[:≈=→]|\b(?:est|is|are|sont|was|were|vaut|valent|mesure|mesurent|measures?|fait|font|sera"
    r"|seront|be|s'eleve|atteint|reaches|equals?|makes?|donne|gives?|obtient|trouve|get|find|soit"
    r"|sera|comptera|aura|has|devient|becomes))"
)
_BETWEEN: Final = re.compile(rf"(?:[^?;]*{_LINK})?(?: ?{_FILLER})* ?")
_OPERATION: Final = re.compile(r"[+×÷*/·^√]|\d ?[-x:] ?\d| - ")
_OPERAND: Final = re.compile(
    r" ?[-+×*/÷^²³π√=x](?! ?$)|,? (?:moins|plus|fois|times|minus|sur|pi|divis\w+|multipl\w+|over"
    r"|par|pour|per|each|chacun\w*|chaque|de plus|de moins|more|less|squared|et demie?)\b"
)
_DOUBTED: Final = re.compile(
    r"\?|\b(?:pas|not|si|if|faux|wrong|au lieu|instead|jamais|never|sans|without|sauf|otherwise"
    r"|sinon|would|\w{2,}rai(?:t|ent)|verifi\w+|check|essa\w+|try|trop|too"
    r"|plutot|estim\w+|ordre de grandeur|roughly)\b"
)
_ABOUT: Final = re.compile(
    r"≈|\b(?:environ|about|approximately|presque|nearly|around|roughly|a peu pres|arrondi\w*"
    r"|round\w*)\b"
)
_WHOLE: Final = re.compile(
    r"\b(?:nearest (?:whole|unit|person|franc|integer)|a l'unite|entier|whole number)\b"
)
_OTHER_TASK: Final = re.compile(
    r"\b(?:exemples?|examples?|imagin\w+|suppos\w+|autre (?:exercice|probleme)|essaie|a toi"
    r"|a ton tour|your turn|now try|for instance|et si|what if)\b"
)
_STEP: Final = re.compile(
    r"\b(?:en|pour|par|dans|sur|apres|avec|au bout de|in|for|over|after|with|per|each|chaque)"
    r"(?: (?:les|the|ces|only|seulement))? (?P<one>(?:une?|an?|one|chaque) (?!tout|total))?$"
)
"""Words before a number of another case than the one that is asked about: `En 1 h`."""
_ONE: Final = re.compile(
    r"\b(?:en|pour|par|dans|apres|in|for|after|per|each|chaque|every)(?: (?:une?|an?|one))?"
    r" (?:heure|hour|an|annee|year|mois|month|minute|boite|box|part|jour|day)\b"
    r"|\b(?:chaque|each|every|d'abord|first|puis|ensuite|then|premiere?s?|deuxiemes?|second|suivant\w*"
    r"|couches?|lignes?|rangees?|layers?|rows?|petits?|small|entoure\w*|around|annuel\w*|yearly"
    r"|monthly|mensuel\w*|intermediaire)\b"
)
"""Words of a part of what is asked."""
_TASK: Final = re.compile(
    r"^\W*(?:(?:maintenant|now|puis|then|ensuite|et|and|il suffit de|il reste a|a toi de"
    r"|your turn to|you just have to),? )*(?:fais|faire|prends|prendre|compter?|count|doubler?"
    r"|recommence|repete|repeat|do the same|utilise|use|continuer|finir|terminer|calcule"
    r"|trouve|additionne|ajoute|multiplie|divise|soustrais|enleve|retire|fais|find|add|multiply|subtract|divide|compute"
    r"|calculate|take away|work out|take|termine|finis|finish|complete)[zs]?\b"
)
_ASKS: Final = re.compile(
    r"\b(?:combien|how|quel\w*|what|peux-tu|peux tu|can you|trouve\w*|calcul\w*|find|which|que)\b"
)
_ANSWER: Final = r"\b(?:reponse|answer)"


def read_question_results(passage: Passage) -> Iterator[Statement]:
    """Yield the results that an answer gives for what the question asks, where its data decide."""
    if not passage.asked or not re.search(r"\d", passage.asked):
        return
    question = read_question(passage.asked)
    sought = [*list_results(question), *_list_heights(question, passage.write_answer())]
    if not sought:
        return
    lines = _list_solving(passage)
    numbers = [each for line in passage.lines for each in list_measures(line.text)]
    for each in sought:
        is_only = sum(each.dimension == one.dimension for one in sought) == 1
        rest = [line for line in lines if not _names_other(line.text, each, sought)]
        if statement := _judge(question, each, rest, numbers, is_only=is_only):
            yield statement


def list_results(question: Question) -> list[Sought]:
    """List the values that a question about one figure, or a word problem, asks for; none if a
    size is zero, by which some would be divided."""
    if not all(each.value for each in question.measures):
        return []
    return [*_list_figure_results(question), *list_story_results(question)]


def _names_other(text: str, one: Sought, sought: Sequence[Sought]) -> bool:
    """Return whether a sentence is about other values of the question than one of them."""
    others = [each.label for each in sought if each.label != one.label]
    is_of_others = any(re.search(each, text) for each in others)
    return is_of_others and not re.search(one.label, text)


class _Claim(NamedTuple):
    text: str
    measure: Measure
    is_about: bool
    line: int


def _list_solving(passage: Passage) -> Sequence[Line]:
    """List the sentences of the answer before those that give another task."""
    lines: list[Line] = []
    for line in passage.lines:
        if _OTHER_TASK.search(line.text) and not _TASK.search(line.text):
            break
        lines.append(line)
    return lines


def _judge(
    question: Question,
    sought: Sought,
    lines: Sequence[Line],
    numbers: Sequence[Measure],
    *,
    is_only: bool,
) -> Statement | None:
    """Return the check of one value; None: the answer does not clearly state it."""
    is_rounded = question.has(r"arrondi\w*|round\w*|environ|approx\w*|nearest|pres")
    given = {each.value for each in question.measures if each.dimension == sought.dimension}
    known = sought.others if sought.may_be_given else sought.others | given
    label = re.compile(f"{sought.label}|{_ANSWER}" if is_only else sought.label)
    claims = [
        claim
        for at, line in enumerate(lines)
        if line.is_own and _may_conclude(question, sought, line.text)
        for claim in _list_claims(sought, label, line.text, at)
        if not claim.measure.readings & known or sought.fits(claim.measure, is_about=False)
    ]
    right = [
        each for each in claims if sought.fits(each.measure, is_about=each.is_about or is_rounded)
    ]
    if right:
        return decide(right[-1].text, "")
    if not claims:
        return None
    if not sought.may_be_listed and _is_shown(sought, claims[-1].measure, numbers, given):
        return None
    later = [line.text for line in lines[claims[-1].line + 1 :]]
    if any(_goes_on(sought, text, given) for text in later):
        return None
    return decide(claims[-1].text, _write(sought, claims[-1].measure))


def _goes_on(sought: Sought, text: str, given: set[Fraction]) -> bool:
    """Return whether a sentence goes on to the result: it gives a task, or another number."""
    if _TASK.search(text) or ("?" in text and _ASKS.search(text)):
        return True
    return any(
        each.dimension in (sought.dimension, "")
        and (each.dimension or text[each.start].isdigit())
        and not each.readings & (given | sought.others)
        for each in list_measures(text)
    )


def _may_conclude(question: Question, sought: Sought, text: str) -> bool:
    """Return whether a sentence may state a result of the question."""
    is_of_other = sought.excludes and re.search(rf"\b(?:{sought.excludes})\b", text)
    is_step = _is_step(question, re.sub(sought.label, " ", text))
    return not _DOUBTED.search(text) and not is_of_other and not is_step


def _is_step(question: Question, text: str) -> bool:
    """Return whether a sentence is about other data than the question's: `En 1 h, il parcourt`."""
    if _ONE.search(text):
        return True
    given = {value for each in question.measures for value in each.readings}
    return any(
        _STEP.search(text[: each.start]) and not each.readings & given
        for each in list_measures(text)
    )


def _is_shown(
    sought: Sought, claim: Measure, numbers: Sequence[Measure], given: set[Fraction]
) -> bool:
    """Return whether the right value stands anywhere in the answer, in the unit of a claim if it
    has none."""
    scale = claim.value / claim.shown if claim.shown else Fraction(1)
    for each in numbers:
        if each.dimension not in (sought.dimension, "") or each.readings & given:
            continue
        unit = Fraction(1) if each.dimension else scale
        slack = min(each.step * unit / 2, sought.high / 50)
        if any(
            sought.low - slack <= value * unit <= sought.high + slack for value in each.readings
        ):
            return True
    return False


def _list_claims(sought: Sought, label: re.Pattern[str], text: str, at: int) -> Iterator[_Claim]:
    """List the values that a sentence gives for what is sought."""
    labels = list(label.finditer(text))
    measures = list_measures(text)
    follows = re.compile(rf" ?(?:{sought.follows})\b") if sought.follows else None
    is_about = bool(_ABOUT.search(text)) and not _WHOLE.search(text)
    for measure in measures:
        if measure.dimension != sought.dimension or _OPERAND.match(text, measure.end):
            continue
        if sought.noun and not re.fullmatch(sought.noun, measure.noun):
            continue
        named = [each for each in labels if each.end() <= measure.start]
        between = text[named[-1].end() : measure.start] if named else ""
        is_stated = named and _may_link(between, sought)
        if not is_stated and follows:
            before = text[: measure.start]
            is_stated = follows.match(text, measure.end) and not _OPERATION.search(before[-6:])
        if is_stated:
            start = named[-1].start() if named else measure.start
            yield _Claim(text[start : measure.end], measure, is_about, at)


def _may_link(between: str, sought: Sought) -> bool:
    """Return whether the words between a name and a number say that it has this value."""
    if sought.rivals and re.search(rf"\b(?:{sought.rivals})", between):
        return False
    return bool(_BETWEEN.fullmatch(between)) and not _OPERATION.search(between)


def _write(sought: Sought, measure: Measure) -> str:
    """Return the value as a reason shows it, in the unit of a claim."""
    scale = measure.value / measure.shown if measure.shown else Fraction(1)
    if sought.dimension == "time":
        return f"it is {float(sought.low / _HOUR):.6g} h"
    return f"it is {float((sought.low + sought.high) / 2 / scale):.6g}"

"""Check what an answer says of figures: their angles, sides and points, factors of areas and
volumes, radii of circles with a diameter, and the length of a fence.

`Agrandissement de rapport k = 3`, then `les volumes sont multipliés par 27`; `diamètre 8 cm`, then
`aire = π × 4²`; `périmètre 38 m, aire 84 m²`, then `38 m de grillage`. Angles in degrees are
compared with the sine, cosine or tangent told before, and with radians: `cos(B) = 0,6 donc
B ≈ 53°`, `le sinus de 30° est 1/2`, `45° correspond à π/4`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.checks.parallel_ratios import read_parallel_ratios
from bot.maths.checks.passages import Line, Passage, decide, write_number
from bot.maths.checks.right_triangles import read_right_triangles
from bot.maths.checks.stated_points import read_stated_points
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.plain_words import DIGITS, SEGMENT, read_values

# Values of angles ---------------------------------------------------------------------------------

_ROOT: Final = rf"(?:√ ?\(?{DIGITS}\)?|{DIGITS} ?√ ?\(?{DIGITS}\)?|{DIGITS})"
_VALUE: Final = rf"-?\(? ?{_ROOT} ?\)?(?: ?[/÷] ?\(? ?{_ROOT} ?\)?)?"
_END: Final = r"(?! ?[-+×*/÷°²^√π%]|[.,]?\d)"
_SEGMENTS: Final = rf"\(?{SEGMENT}\)? ?[/÷] ?\(?{SEGMENT}\)?"
_IN_NAMES: Final = r"\(?[a-z' ]{4,30}\)? ?[/÷] ?\(?[a-z' ]{4,30}\)?"
"""A quotient of sides in words."""
_NAME: Final = r"(?P<v>[A-Z]|[A-Z]{3}|[αβθ])(?![A-Za-z'])"
_RATIO: Final = re.compile(
    rf"\b(?P<f>cos|sin|tan) ?\(? ?(?:angle |∠ ?)?{_NAME} ?\)?"
    rf"(?: ?[=≈] ?(?:{_SEGMENTS}|{_VALUE}|{_IN_NAMES}))*? ?(?P<sign>[=≈])"
    rf" ?(?P<x>{_VALUE})(?! ?[=≈]){_END}"
)
_ANGLE: Final = re.compile(
    rf"(?<![A-Za-z'/(])(?<!cos )(?<!sin )(?<!tan )(?:\( ?)?{_NAME}(?: ?\))?"
    r"(?: ?[=≈] ?(?:arc ?)?(?:cos|sin|tan)[^=≈;]{1,25})?"
    r" ?(?:[=≈]|mesure|vaut|est|is|measures|equals)(?: (?:egal a|de|environ|about|donc))*"
    rf" ?(?P<d>{DIGITS}) ?(?:°|degres|degrees){_END}"
)
_IN_WORDS: Final = re.compile(
    r"\b(?P<f>cos|sin|tan)(?:inus|ine|us|e|gente?)? (?:de|of) (?:l'angle (?:de )?|an angle of )?"
    rf"(?P<d>{DIGITS}) ?(?:°|degres|degrees)(?: (?:est|vaut|is|equals|egal a|donc|environ|about))+"
    rf" (?P<x>{_VALUE}){_END}"
)
_PART_OF_PI: Final = r"\(?(?P<m>\d{0,2}) ?π\)?(?: ?[/÷] ?\(?(?P<n>\d{1,2})\)?)?"
_SAME: Final = (
    r"(?:(?:correspond\w*|equivaut|equal|equivalent)(?: a| to)|mesure|fait|vaut|soit"
    r"|c'est(?:-a-dire)?|is|that is)(?: (?:environ|donc|exactement))?"
)
_RADIANS: Final = (
    re.compile(
        rf"(?<![-+×*/÷] )(?P<d>{DIGITS}) ?(?:°|degres|degrees),? {_SAME} {_PART_OF_PI}"
        r"(?![\dπ/]| ?[-+×*/÷²^])"
    ),
    re.compile(
        rf"(?<![-+×*/÷\dπ] )(?<![-+×*/÷\dπ]){_PART_OF_PI} ?(?:rad(?:ians?)?)?,? {_SAME}"
        rf" (?P<d>{DIGITS}) ?(?:°|degres|degrees)"
    ),
)
_GIVEN_ANEW: Final = re.compile(
    r"\b(?i:pour|si|if|for|when|quand|dans|triangle|exemple|example)\b|\b(?i:avec|with) [A-Z]\b"
)
"""Words of an angle that is given anew."""
_STEPS: Final = 4
"""Sentences after which a ratio is forgotten."""
_INVERSES: Final = {"cos": math.acos, "sin": math.asin, "tan": math.atan}


class _Ratio(NamedTuple):
    function: str
    value: float
    step: float
    """A unit of its last digit; 0 if it is exact."""
    line: int
    end: int
    """Where it ends in its sentence."""


def _read_angle_values(passage: Passage) -> Iterator[Statement]:
    """Yield the angles and values of an answer."""
    known: dict[str, _Ratio] = {}
    for at, line in enumerate([*passage.given, *passage.lines]):
        is_answer = at >= len(passage.given) and line.is_own
        if is_answer and re.search(r"\d ?(?:°|deg)", line.text):
            yield from _read_words(line.text)
            yield from _read_radians(line.text)
        places = sorted(
            [*_RATIO.finditer(line.cased), *_ANGLE.finditer(line.cased)],
            key=lambda found: found.start(),
        )
        for found in places if line.is_own else ():
            name = found["v"][len(found["v"]) // 2]
            ratio = known.get(name)
            if "d" not in found.groupdict():
                known[name] = _make_ratio(found, at)
            elif ratio is None or at - ratio.line > _STEPS:
                continue
            elif _GIVEN_ANEW.search(line.cased, ratio.end * (ratio.line == at), found.start()):
                known.pop(name)
            elif is_answer:
                yield from _compare(found, ratio)


def _make_ratio(found: re.Match[str], line: int) -> _Ratio:
    shown = found["x"]
    decimals = re.search(r"[.,](\d+)", shown)
    step = 10.0 ** -len(decimals[1]) if decimals else 0.0
    value = _compute(shown)
    return _Ratio(found["f"], value, step, line, found.end())


def _compute(text: str) -> float:
    """Return the value of a quotient of numbers and roots."""
    above, _, below = re.sub(r"[() ]", "", text).replace("÷", "/").partition("/")
    bottom = _compute_root(below) if below else 1.0
    return _compute_root(above) / bottom if bottom else math.nan


def _compute_root(text: str) -> float:
    factor, mark, root = text.replace(",", ".").partition("√")
    sign = -1.0 if factor.startswith("-") else 1.0
    plain = factor.lstrip("-")
    return sign * (float(plain) if plain else 1.0) * (math.sqrt(float(root)) if mark else 1.0)


def _compare(found: re.Match[str], ratio: _Ratio) -> Iterator[Statement]:
    """Yield the check that an angle has the ratio, or is one of those with the same ratio."""
    shown = found["d"].replace(" ", "").replace(",", ".")
    unit = 10.0 ** -len(shown.partition(".")[2])
    inverse = _INVERSES[ratio.function]
    ends = [ratio.value - ratio.step, ratio.value, ratio.value + ratio.step]
    if ratio.function != "tan":
        if not abs(ratio.value) <= 1:
            return
        ends = [max(-1.0, min(1.0, each)) for each in ends]
    if math.isnan(ratio.value):
        return
    low, _, high = sorted(math.degrees(inverse(each)) for each in ends)
    angle = float(shown)
    same = {"cos": (angle, -angle), "sin": (angle, 180 - angle), "tan": (angle, angle - 180)}
    is_right = any(
        low - unit <= each + turn <= high + unit
        for each in same[ratio.function]
        for turn in (-360, 0, 360)
    )
    exact = math.degrees(inverse(ratio.value))
    yield decide(found[0], "" if is_right else f"{ratio.function} gives about {exact:.1f}°")


def _read_words(text: str) -> Iterator[Statement]:
    """Read `le cosinus de 60° est 1/2`."""
    for found in _IN_WORDS.finditer(text):
        degrees = float(found["d"].replace(" ", "").replace(",", "."))
        if degrees % 180 == 90 and found["f"] == "tan":
            continue
        exact = getattr(math, found["f"])(math.radians(degrees))
        decimals = re.search(r"[.,](\d+)", found["x"])
        step = 10.0 ** -len(decimals[1]) if decimals else 1e-9
        is_right = abs(_compute(found["x"]) - exact) <= step
        yield decide(found[0], "" if is_right else f"it is about {exact:.4g}")


def _read_radians(text: str) -> Iterator[Statement]:
    """Read `45° correspond à π/4 radians`."""
    for pattern in _RADIANS if "π" in text else ():
        for found in pattern.finditer(text):
            below = int(found["n"] or 1)
            if below:
                degrees = int(found["m"] or 1) * 180 / below
                shown = float(found["d"].replace(" ", "").replace(",", "."))
                is_right = abs(degrees - shown) < 1
                yield decide(found[0], "" if is_right else f"it is {degrees:g}°")


# Figures ------------------------------------------------------------------------------------------

_DOUBTED: Final = re.compile(r"\?|\b(?:pas|not|seulement|only|faux|wrong|au lieu|instead)\b")


def read_figures(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer says of figures."""
    yield from _read_angle_values(passage)
    yield from read_right_triangles(passage)
    yield from read_stated_points(passage)
    yield from read_parallel_ratios(passage)
    own = [line for line in passage.lines if line.is_own and not _DOUBTED.search(line.text)]
    yield from _read_scales(passage, own)
    yield from _read_circles(passage, own)
    yield from _read_fences(own)


# Factors of areas and volumes ---------------------------------------------------------------------

_FACTOR: Final = r"(?P<k>\d+(?:[.,]\d+)?(?: ?/ ?\d+)?)(?![\d/]|[.,]\d| ?[-+×*^²³])"
_SIDES: Final = (
    r"(?:longueurs?|dimensions?|cotes?|aretes?|lengths?|sides?|edges?|side lengths)"
    r"(?: (?:d'un cube|d'un carre|du cube|du carre|of a cube|of a square|of the cube))?"
)
_SCALE: Final = (
    re.compile(
        r"\b(?:agrandissement|reduction|enlargement|homothetie|rapport|scale factor|coefficient)"
        rf"(?: (?:de|le|un|with|of|a|rapport|scale factor|est|is|avec))*(?: ?k)? ?=? ?{_FACTOR}"
    ),
    re.compile(
        rf"\b(?:multiplie\w*|multiply\w*) (?:les|the|tou\w+ (?:les|ses)|all|chaque|each) {_SIDES}"
        rf" (?:par|by) {_FACTOR}"
    ),
    re.compile(rf"\b{_SIDES} (?:sont|est|are|is) (?:multipli\w+) (?:par|by) {_FACTOR}"),
)
_DOUBLED: Final = re.compile(
    rf"\b(?P<w>doubl\w+|tripl\w+) (?:toutes )?(?:les|le|l'|the|each|all)(?: the)? ?{_SIDES}"
)
_GROWN: Final = re.compile(
    r"\b(?P<what>aires?|areas?|surfaces?|volumes?)(?: (?:[a-z]+|d'[a-z]+)){0,3}? (?:multipli\w+ )?"
    r"(?:par|by) (?:k ?[²³] ?= ?|\d ?k ?= ?|\d+(?:[.,]\d+)? ?[²³] ?= ?|k ?= ?)?"
    rf"{_FACTOR}"
)
_BECOMES: Final = re.compile(
    rf"(?<![×*+-] )(?<![\w.,×])(?P<a>{DIGITS}) ?(?P<u>[kdcm]?m) (?:devien\w+|becomes?|->|→)"
    rf" (?:(?:donc|alors|now|then) )?(?P<b>{DIGITS}) ?(?P=u)\b(?![²³])"
)
_ONE_SIDED: Final = re.compile(
    r"\b(?:hauteurs?|heights?|rayons?|radius|radii|largeurs?|width|la longueur|the length|base"
    r"|prix|seule?|echelle)\b"
)


def _read_scales(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `rapport 3 : les aires sont multipliées par 9, les volumes par 27`, `4 cm devient 12
    cm`."""
    words = " ".join([passage.asked, *(line.text for line in lines)])
    factors = {each**power for each in (_find_scale(words),) if each for power in (1, -1)}
    for found in _BECOMES.finditer("\n".join(line.text for line in lines)) if factors else ():
        sizes = {size * factor for size in read_values(found["a"]) for factor in factors}
        is_right = bool(sizes & read_values(found["b"]))
        yield decide(found[0], "" if is_right else "all sizes change by one factor")
    if not re.search(r"\bmultipl", words) or _ONE_SIDED.search(words):
        return
    scale = _find_scale(passage.asked)
    for line in lines:
        scale = _find_scale(line.text) or scale
        if scale is None:
            continue
        for found in _GROWN.finditer(line.text):
            last = scale if found["what"].startswith("vol") else Fraction(1)
            expected, shown = scale * scale * last, _read_factor(found["k"])
            is_right = abs(shown - expected) <= Fraction(1, 100) * expected
            yield decide(found[0], "" if is_right else f"it is {write_number(expected)}")


def _find_scale(text: str) -> Fraction | None:
    """Return the factor of lengths that a text tells last; None: it tells none, or several."""
    values = {_read_factor(found["k"]) for each in _SCALE for found in each.finditer(text)}
    if doubled := _DOUBLED.search(text):
        values.add(Fraction(2 if doubled["w"].startswith("d") else 3))
    return values.pop() if len(values) == 1 else None


def _read_factor(text: str) -> Fraction:
    above, _, below = text.replace(" ", "").replace(",", ".").partition("/")
    return Fraction(above) / (Fraction(below) if below and int(below) else 1)


# Circles ------------------------------------------------------------------------------------------

_TELLS: Final = (
    r"(?: (?:est|is|vaut|mesure|de|du|of|a|donc|cercle|disque|egal|bien|the|d|r))* ?[:=]? ?"
)
_DIAMETER: Final = re.compile(rf"\bdiamet(?:re|er){_TELLS}(?P<n>{DIGITS}) ?(?P<u>[kmdc]?m)\b")
_RADIUS: Final = re.compile(rf"\b(?:rayon|radius){_TELLS}(?P<n>{DIGITS}) ?(?P<u>[kmdc]?m)\b")
_SHAPE: Final = re.compile(r"\b(?:spher|boule|ball|cylind|cone\b|anneau|ring|tube)")
_OTHER: Final = re.compile(
    r"\b(?:deux|autre|second\w*|grand|petit|interieur|exterieur|two|other|larger?|small(?:er)?|inner"
    r"|outer|chaque|each)\b"
)
_DISC: Final = re.compile(rf"(?:π|3[.,]14(?:16)?) ?[×*]? ?\(?(?P<n>{DIGITS})\)? ?²")


def _read_circles(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `diamètre 10 cm, donc rayon 5 cm`, `aire = π × 5²`, where the text has one diameter."""
    words = " ".join([passage.asked, *(line.text for line in lines)])
    given = {(found["n"], found["u"]) for found in _DIAMETER.finditer(words)}
    radii = {(found["n"], found["u"]) for found in _RADIUS.finditer(words)}
    shapes = set(_SHAPE.findall(words)) | set(re.findall(r"\bdis[ckq]", words))
    is_of_others = len(shapes) > 1 or _OTHER.search(words)
    if len(given) != 1 or len(radii) > 1 or passage.has_example or is_of_others:
        return
    shown, unit = given.pop()
    diameter = min(read_values(shown))
    half = write_number(diameter / 2)
    for line in lines:
        for found in _RADIUS.finditer(line.text):
            if found["u"] == unit:
                is_right = diameter / 2 in read_values(found["n"])
                yield decide(found[0], "" if is_right else f"the radius is {half}")
        for found in _DISC.finditer(line.text) if not radii else ():
            values = read_values(found["n"])
            if diameter in values or diameter / 2 in values:
                yield decide(found[0], "" if diameter / 2 in values else f"the radius is {half}")


# Fences -------------------------------------------------------------------------------------------

_PERIMETER: Final = re.compile(
    rf"\bperimet(?:re|er)\b[^.;\n]{{0,80}}[=:] ?(?P<n>{DIGITS}) ?m\b(?!²|2)"
)
_AREA: Final = re.compile(
    rf"\b(?:aire|area|surface)\b[^.;\n]{{0,80}}[=:] ?(?P<n>{DIGITS}) ?m ?(?:²|2)"
)
_FENCE: Final = re.compile(
    rf"(?<![-+×*/=\d] )(?<![\d.,])(?P<n>{DIGITS}) ?(?:m|metres|meters|metres lineaires)"
    r" (?:de (?:grillage|cloture|fil|barriere|haie)|of (?:fence|fencing|wire|hedge))\b"
)


def _read_fences(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Il faut 38 m de grillage` after one perimeter and one area."""
    text = "\n".join(line.text for line in lines)
    perimeters = {found["n"] for found in _PERIMETER.finditer(text)}
    areas = {found["n"] for found in _AREA.finditer(text)}
    if len(perimeters) != 1 or len(areas) != 1 or perimeters == areas:
        return
    for found in _FENCE.finditer(text):
        if found["n"] in perimeters | areas:
            is_right = found["n"] in perimeters
            yield decide(found[0], "" if is_right else f"the perimeter is {perimeters}")

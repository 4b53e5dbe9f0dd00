"""Check angles in degrees against the sine, cosine or tangent told before, values of these in
words, and degrees that are said again in radians.

`cos(B) = 0,6 donc B ≈ 53°`, `le sinus de 30° est 1/2`, `45° correspond à π/4`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from bot.maths.checks.passages import Passage, decide
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.plain_words import DIGITS, SEGMENT

_ROOT: Final = rf"(?:√ ?\(?{DIGITS}\)?|{DIGITS} ?√ ?\(?{DIGITS}\)?|{DIGITS})"
_VALUE: Final = rf"-?\(? ?{_ROOT} ?\)?(?: ?[/÷] ?\(? ?{_ROOT} ?\)?)?"
_END: Final = r"(?! ?[-+×*/÷°²^√π%]|[.,]?\d)"
_SIDES: Final = rf"\(?{SEGMENT}\)? ?[/÷] ?\(?{SEGMENT}\)?"
_NAME: Final = r"(?P<v>[A-Z]|[A-Z]{3}|[αβθ])(?![A-Za-z'])"
_RATIO: Final = re.compile(
    rf"\b(?P<f>cos|sin|tan) ?\(? ?(?:angle |∠ ?)?{_NAME} ?\)?"
    rf"(?: ?[=≈] ?(?:{_SIDES}|{_VALUE}))*? ?(?P<sign>[=≈]) ?(?P<x>{_VALUE})(?! ?[=≈]){_END}"
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
_OTHER: Final = re.compile(
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


def read_angle_values(passage: Passage) -> Iterator[Statement]:
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
            elif _OTHER.search(line.cased, ratio.end * (ratio.line == at), found.start()):
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

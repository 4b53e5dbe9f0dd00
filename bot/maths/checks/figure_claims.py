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
from itertools import pairwise
from typing import Final, NamedTuple

from bot.maths.checks.passages import Line, Passage, write_number
from bot.maths.checks.right_triangles import read_right_triangles
from bot.maths.checks.stated_points import read_stated_points
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.plain_words import get_points, read_value, read_values
from bot.maths.reading.vocabulary import DEGREES, DIGITS, SEGMENT, THEN

_LINE: Final = r"[(\[]?(?<![A-Za-z])([A-Z])([A-Z])(?![A-Za-z])[)\]]?"
_PARALLEL: Final = (
    re.compile(
        rf"{_LINE} ?(?://|∥|\|\||,? ?(?:est |is |etant |soit )?(?:donc )?parall?el[a-z]* (?:a|to)"
        rf"(?: la droite| line)?) ?{_LINE}"
    ),
    re.compile(
        rf"{_LINE} (?:et|and) (?:la droite |line )?{_LINE} (?:sont|are|etant|soient)"
        r" (?:donc |bien )?parall?el"
    ),
)
_THROUGH: Final = re.compile(
    rf"parall?el[a-z]* (?:a|to)(?: la droite| line)? ?{_LINE} (?:passant par|menee par|issue de|par"
    r"|through) ([A-Z]),? (?:coupe|rencontre|meets|cuts|intersects)"
    r"(?: la droite| le cote| le segment| side| line)? ?"
    rf"{_LINE} (?:en|at) ([A-Z])(?![A-Za-z])"
)
_ON: Final = (
    r"(?:est|is|lies|sont|are|lie|un|une|a|points?|appartien\w+|sur|on|in|au|du|de|le|la|the"
    r"|segments?|cotes?|sides?|droites?|∈|situes?|places?|tels?|que|respectivement|respectively)"
)
_POINT_ON: Final = re.compile(
    rf"(?<![A-Za-z\[(])([A-Z])(?![A-Za-z\])])(?:,? (?={_ON}\b|∈)(?:{_ON}|∈)){{1,7}} ?{_LINE}"
)
_POINTS_ON: Final = re.compile(
    rf"(?<![A-Za-z\[(])([A-Z]) (?:et|and) ([A-Z])(?![A-Za-z])(?:,? (?:{_ON}|∈)){{1,7}} {_LINE}"
    rf" (?:et|and) (?:(?:de|du|sur|on|le|la|the|cote|side|segment) ){{0,4}}{_LINE}"
)
_MEETING: Final = re.compile(
    rf"{_LINE} (?:et|and) {_LINE}(?: (?:sont|se|are|deux|droites|two|lines|qui))*"
    r" (?:secantes|coupent|intersect|meet|croisent|crossing) (?:en|at|in|au)"
    r"(?: (?:un|le|the|point))*"
    r" ([A-Z])(?![A-Za-z])"
)
_TRIANGLE: Final = re.compile(r"\b[Tt]riangle ([A-Z])([A-Z])([A-Z])(?![A-Za-z])")
_RATIO_DOUBTED: Final = re.compile(
    r"\?|\b(?i:si|if|suppos\w*|pas|not|verifi\w+|check|montr\w+|show)\b"
)
_MEMBER: Final = rf"(?:{SEGMENT}|{DIGITS})"
_QUOTIENT: Final = rf"(?:\( ?)?{_MEMBER}(?: ?\))? ?[/÷] ?(?:\( ?)?{_MEMBER}(?: ?\))?"
_CHAIN: Final = re.compile(
    rf"(?<![-+×*/÷\d] )(?<![-+×*/÷\d.,A-Z]){_QUOTIENT}(?: ?= ?{_QUOTIENT})+"
    r"(?! ?[-+×*/÷]|[.,]?\d)"
)
_PARTS: Final = re.compile(_MEMBER)
_LENGTH: Final = re.compile(
    rf"(?<![-+×*/÷=] )(?<![-+×*/÷=A-Za-z])({SEGMENT}) ?=(?:[^=A-Z;:]{{1,60}}=)?"
    rf" ?({DIGITS}) ?(?:[kmdc]?m\b)?(?=[,;.)]? |[.,;)]?$)(?! ?[-+×*/÷=])"
)
_FACTORS: Final = (0.37, -0.61, 1.73)
_BASES: Final = (((7.3, 0.0), (2.1, 5.9)), ((4.1, 0.0), (-1.3, 6.7)))
_SLACK: Final = 0.02

_Figure = dict[str, tuple[float, float]]


class _Parallels:
    """The parallels, points on lines and lengths that a text has told, and figures with these."""

    def __init__(self) -> None:
        self.lengths: dict[frozenset[str], float] = {}
        self._on: dict[str, set[str]] = {}
        self._meeting: list[tuple[str, set[str], set[str]]] = []
        self._triangles: list[str] = []
        self._pairs: list[tuple[str, str]] = []
        self.similar: list[str] = []
        """The vertex, the two ends of the base and the points on the sides to these, for each
        figure that is possible with the last parallels."""
        self.is_between = False

    def learn(self, text: str) -> None:
        """Keep the facts of a sentence."""
        self._triangles += ["".join(each) for each in _TRIANGLE.findall(text)]
        for point, one, other in _POINT_ON.findall(text):
            self._on[point] = {one, other}
        for first, second, *ends in _POINTS_ON.findall(text):
            self._on[first], self._on[second] = set(ends[:2]), set(ends[2:])
        for *ends, point in _MEETING.findall(text):
            self._meeting.append((point, set(ends[:2]), set(ends[2:])))
        found = [each for pattern in _PARALLEL for each in pattern.findall(text)]
        for base_one, base_other, through, one, other, point in _THROUGH.findall(text):
            self._on[point] = {one, other}
            found.append((through, point, base_one, base_other))
        if not _RATIO_DOUBTED.search(text):
            self._pairs += [(one + other, third + last) for one, other, third, last in found]
        if self._pairs:
            self._find_figures(*self._pairs[-1])

    def _find_figures(self, one: str, other: str) -> None:
        """Find the vertex of the parallels, and which of their points are on one side."""
        self.similar, self.is_between = [], False
        if len({*one, *other}) != 4:
            return
        if figure := self._place_on_sides(one, other) or self._place_on_sides(other, one):
            self.similar, self.is_between = [figure], True
        elif figure := self._place_on_lines(one, other):
            self.similar = [figure]
        else:
            self.similar = [*self._place_in_triangle(one, other)]
            self.similar += self._place_in_triangle(other, one)

    def _place_on_sides(self, small: str, base: str) -> str:
        """Return the vertex, the ends of the base and the points on the sides to these, where the
        text says on which sides the points are; else an empty text."""
        sides = [self._on.get(each, set[str]()) for each in small]
        vertex = (sides[0] & sides[1]) - set(base)
        for ends in (base, base[::-1]):
            is_on = all(end in side for end, side in zip(ends, sides, strict=True))
            if len(vertex) == 1 and is_on:
                return min(vertex) + ends + small
        return ""

    def _place_on_lines(self, one: str, other: str) -> str:
        """Return the same for two lines that meet in a point."""
        for vertex, first, second in self._meeting:
            for ends in (other, other[::-1]):
                lines = [{one[0], ends[0]}, {one[1], ends[1]}]
                if [first - {vertex}, second - {vertex}] in (lines, lines[::-1]):
                    return vertex + ends + one
        return ""

    def _place_in_triangle(self, small: str, base: str) -> Iterator[str]:
        """Yield both ways to place points on the sides of a triangle that has this base."""
        for triangle in self._triangles:
            rest = set(triangle) - set(base)
            if len(rest) == 1 and not rest & set(small):
                yield min(rest) + base + small
                yield min(rest) + base[::-1] + small

    def list_figures(self, factors: Sequence[float]) -> list[_Figure]:
        return [
            {
                vertex: (0.0, 0.0),
                one: base[0],
                other: base[1],
                near_one: (base[0][0] * factor, base[0][1] * factor),
                near_other: (base[1][0] * factor, base[1][1] * factor),
            }
            for vertex, one, other, near_one, near_other in self.similar
            for factor in factors
            for base in _BASES
            if len({vertex, one, other, near_one, near_other}) == 5
        ]

    def find_factor(self) -> float | None:
        """Return the ratio of the two triangles by the lengths told; None: it is not known."""
        if len(self.similar) != 1:
            return None
        vertex, one, other, near_one, near_other = self.similar[0]
        pairs = ((vertex + near_one, vertex + one), (vertex + near_other, vertex + other))
        for small, large in (*pairs, (near_one + near_other, one + other)):
            lengths = [self.lengths.get(frozenset(each)) for each in (small, large)]
            if lengths[0] and lengths[1]:
                return lengths[0] / lengths[1]
        return None

    def find_length(self, side: frozenset[str]) -> float | None:
        """Return a length that follows from the others; None: it is not known."""
        factor = self.find_factor()
        if factor is None or (self.is_between and factor >= 1):
            return None
        vertex, one, other, near_one, near_other = self.similar[0]
        pairs = ((vertex + near_one, vertex + one), (vertex + near_other, vertex + other))
        for small, large in (*pairs, (near_one + near_other, one + other)):
            lengths = [self.lengths.get(frozenset(each)) for each in (small, large)]
            if side == frozenset(small) and lengths[1]:
                return lengths[1] * factor
            if side == frozenset(large) and lengths[0]:
                return lengths[0] / factor
        return None


def read_parallel_ratios(passage: Passage) -> Iterator[Statement]:
    """Yield the ratios and lengths that an answer finds between parallels."""
    parallels = _Parallels()
    for line in passage.given:
        parallels.learn(line.cased)
        list(_read_lengths(parallels, line))
    for line in passage.lines:
        if line.is_own:
            parallels.learn(line.cased)
            if parallels.similar and not _RATIO_DOUBTED.search(line.cased):
                yield from _read_chains(parallels, line.cased)
            yield from _read_lengths(parallels, line)


def _read_lengths(parallels: _Parallels, line: Line) -> Iterator[Statement]:
    """Keep the lengths of a sentence; yield those that follow from others."""
    if _RATIO_DOUBTED.search(line.cased):
        return
    for found in _LENGTH.finditer(line.cased):
        side, length = get_points(found[1]), read_value(found[2])
        if len(side) != 2 or length is None:
            continue
        value, known = float(length), parallels.lengths.get(side)
        if known is not None and abs(known - value) > _SLACK * known:
            parallels.lengths.clear()  # another exercise
        expected = None if side in parallels.lengths else parallels.find_length(side)
        if expected is not None:
            is_right = abs(value - expected) <= max(_SLACK * expected, 0.06)
            yield decide(found[0], "" if is_right else f"it is about {expected:.4g}")
            value = expected
        parallels.lengths.setdefault(side, value)


def _read_chains(parallels: _Parallels, text: str) -> Iterator[Statement]:
    """Read `AM/AB = AN/AC = MN/BC`, `4/10 = MN/15`."""
    factors = (_FACTORS[0],) if parallels.is_between else _FACTORS
    figures = parallels.list_figures(factors)
    known = parallels.find_factor()
    placed = parallels.list_figures((known,)) if known and parallels.is_between else []
    for found in _CHAIN.finditer(text):
        quotients = [_PARTS.findall(each) for each in found[0].split("=")]
        for one, other in pairwise(quotients):
            verdict = _compare_ratios(parallels, figures, one, other)
            if verdict is None:
                verdict = _compare_value(parallels, placed, one, other)
            if verdict is not None:
                shown = " = ".join("/".join(each) for each in (one, other))
                yield decide(shown, "" if verdict else "the sides do not correspond")


def _compare_ratios(
    parallels: _Parallels, figures: Sequence[_Figure], one: Sequence[str], other: Sequence[str]
) -> bool | None:
    """Return whether two quotients of sides are equal in all figures; None: it depends."""
    is_number = [all(part[0].isdigit() for part in each) for each in (one, other)]
    sides = [_find_side(parallels, each) for each in (*one, *other)]
    if any(is_number) or None in sides or len(sides) != 4:
        return None
    found = [each for each in sides if each]
    results = {_holds(figure, found) for figure in figures}
    return results.pop() if len(results) == 1 else None


def _find_side(parallels: _Parallels, part: str) -> frozenset[str] | None:
    """Return the side with a name, or the only one with a length."""
    if not part[0].isdigit():
        return get_points(part)
    values = [float(each) for each in read_values(part)]
    sides = [side for side, length in parallels.lengths.items() if length in values]
    return sides[0] if len(sides) == 1 else None


def _measure(figure: _Figure, side: frozenset[str]) -> float | None:
    ends = [figure.get(each) for each in side]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return math.dist(ends[0], ends[1])


def _holds(figure: _Figure, sides: Sequence[frozenset[str]]) -> bool | None:
    lengths = [_measure(figure, each) for each in sides]
    if None in lengths:
        return None
    one, two, three, four = (each for each in lengths if each is not None)
    return math.isclose(one * four, two * three, rel_tol=1e-6)


def _compare_value(
    parallels: _Parallels, figures: Sequence[_Figure], one: Sequence[str], other: Sequence[str]
) -> bool | None:
    """Return whether a quotient of sides has the value of one of numbers; None: not known."""
    if all(part[0].isdigit() for part in one):
        one, other = other, one
    if not all(part[0].isdigit() for part in other) or all(part[0].isdigit() for part in one):
        return None
    sides = [_find_side(parallels, each) for each in one]
    if sides[0] is None or sides[1] is None:
        return None
    measured = [(_measure(each, sides[0]), _measure(each, sides[1])) for each in figures]
    ratios = [above / below for above, below in measured if above and below]
    is_fixed = bool(ratios) and max(ratios) - min(ratios) < 1e-6
    above, below = (float(min(read_values(each))) for each in other)
    if not is_fixed or len(ratios) < len(figures) or not below:
        return None
    return abs(above / below - ratios[0]) <= _SLACK * ratios[0]


# Values of angles ---------------------------------------------------------------------------------

_ROOT: Final = rf"(?:(?:{DIGITS} ?)?√ ?(?:\({DIGITS}\)|{DIGITS})|{DIGITS})"
_VALUE: Final = rf"-?(?:\( ?)?{_ROOT}(?: ?\))?(?: ?[/÷] ?(?:\( ?)?{_ROOT}(?: ?\))?)?"
_END: Final = r"(?! ?[-+×*/÷°²^√π%]|[.,]?\d)"
_SEGMENTS: Final = rf"\(?{SEGMENT}\)? ?[/÷] ?\(?{SEGMENT}\)?"
_IN_NAMES: Final = r"(?! )\(?[a-z' ]{4,30}+\)? ?[/÷](?: ?\()?[a-z' ]{4,30}+\)?"
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
    rf" ?(?:[=≈]|mesure|vaut|est|is|measures|equals)(?: (?:{THEN}|egal a|de|environ|about))*"
    rf" ?(?P<d>{DIGITS}) ?{DEGREES}{_END}"
)
_IN_WORDS: Final = re.compile(
    r"\b(?P<f>cos|sin|tan)(?:inus|ine|us|e|gente?)? (?:de|of) (?:l'angle (?:de )?|an angle of )?"
    rf"(?P<d>{DIGITS}) ?{DEGREES}(?: (?:{THEN}|est|vaut|is|equals|egal a|environ|about))+"
    rf" (?P<x>{_VALUE}){_END}"
)
_PART_OF_PI: Final = r"\(?(?P<m>\d{0,2}) ?π\)?(?: ?[/÷] ?\(?(?P<n>\d{1,2})\)?)?"
_SAME: Final = (
    r"(?:(?:correspond\w*|equivaut|equal|equivalent)(?: a| to)|mesure|fait|vaut|soit"
    rf"|c'est(?:-a-dire)?|is|that is)(?: (?:{THEN}|environ|exactement))?"
)
_RADIANS: Final = (
    re.compile(
        rf"(?<![-+×*/÷] )(?P<d>{DIGITS}) ?{DEGREES},? {_SAME} {_PART_OF_PI}"
        r"(?![\dπ/]| ?[-+×*/÷²^])"
    ),
    re.compile(
        rf"(?<![-+×*/÷\dπ] )(?<![-+×*/÷\dπ]){_PART_OF_PI} ?(?:rad(?:ians?)?)?,? {_SAME}"
        rf" (?P<d>{DIGITS}) ?{DEGREES}"
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
    own = [line for line in passage.own if not _DOUBTED.search(line.text)]
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
    rf"(?: (?:{THEN}|est|is|vaut|mesure|de|du|of|a|cercle|disque|egal|the|d|r))* ?[:=]? ?"
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
            is_denied = re.search(r"\b(?:et )?non ?:? $", line.text[: found.start()])
            if not is_denied and (diameter in values or diameter / 2 in values):
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

"""Check the ratios of Thales, and lengths that follow from them, where two lines are parallel.

`(MN) // (BC)`, then `AM/MB = MN/BC`, `4/10 = 15/MN`, `MN = 37,5 cm`. Ratios are computed in several
figures that have what the text tells; they are wrong if they hold in none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from bot.maths.checks.passages import Line, Passage, decide
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.plain_words import DIGITS, SEGMENT, get_points, read_values

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
_DOUBTED: Final = re.compile(r"\?|\b(?i:si|if|suppos\w*|pas|not|verifi\w+|check|montr\w+|show)\b")
_MEMBER: Final = rf"(?:{SEGMENT}|{DIGITS})"
_QUOTIENT: Final = rf"\(? ?(?:{_MEMBER}) ?\)? ?[/÷] ?\(? ?(?:{_MEMBER}) ?\)?"
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
        if not _DOUBTED.search(text):
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
            if parallels.similar and not _DOUBTED.search(line.cased):
                yield from _read_chains(parallels, line.cased)
            yield from _read_lengths(parallels, line)


def _read_lengths(parallels: _Parallels, line: Line) -> Iterator[Statement]:
    """Keep the lengths of a sentence; yield those that follow from others."""
    if _DOUBTED.search(line.cased):
        return
    for found in _LENGTH.finditer(line.cased):
        side, values = get_points(found[1]), read_values(found[2])
        if len(side) != 2 or len(values) != 1:
            continue
        value, known = float(min(values)), parallels.lengths.get(side)
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
            verdict = _compare(parallels, figures, one, other)
            if verdict is None:
                verdict = _compare_value(parallels, placed, one, other)
            if verdict is not None:
                shown = " = ".join("/".join(each) for each in (one, other))
                yield decide(shown, "" if verdict else "the sides do not correspond")


def _compare(
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

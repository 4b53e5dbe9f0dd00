"""Check what an answer says of right triangles by the names of their sides: ratios of
trigonometry, the equation of Pythagoras, the hypotenuse, and where the right angle is.

`ABC rectangle en A`, then `cos(ABC) = AC/BC`, `AC² = BC² + AB²`, `[AB] est l'hypoténuse`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.plain_words import get_points, read_value, read_values
from bot.maths.reading.vocabulary import CLAUSE_END, DEGREES, DIGITS, SEGMENT, THEN

_NAME: Final = r"(?<![A-Za-z\[(])[A-Z]{3}(?![A-Za-z])"
_TRIPLE: Final = re.compile(_NAME)
_RIGHT_AT: Final = (
    r"(?:rectangle(?: et isocele| isocele)?,? en|droit en|right[- ]?(?:angled)?(?: triangle)?,? at"
    r"|right[- ]angle(?: is)? at|rectangular (?:at|in))(?: (?:the )?point)?"
)
_DECLARED: Final = (
    re.compile(
        rf"(?P<t>{_NAME})(?:[^.;:?!A-Z]|\bIl |\bIt ){{0,50}}?\b{_RIGHT_AT}"
        r" (?P<c>[A-Z])(?![A-Za-z'])"
    ),
    re.compile(
        r"(?i:rectangle|right[- ]?(?:angled)?(?: triangle)?) "
        rf"(?P<t>{_NAME}),? (?:en|at) (?P<c>[A-Z])(?![A-Za-z'])"
    ),
    re.compile(
        rf"(?i:right[- ]?(?:angled)?(?: triangle)?) (?P<t>{_NAME})[^.;:?!A-Z]{{0,30}}"
        r"(?:right[- ]?angled?|90°)(?: is)? (?:at|in)(?: (?:the )?vertex)?"
        r" (?P<c>[A-Z])(?![A-Za-z'])"
    ),
)
_CORNER: Final = re.compile(
    rf"\b{_RIGHT_AT} (?P<c>[A-Z])(?![A-Za-z'])"
    r"|\b(?:[Aa]ngle |∠)(?P<a>[A-Z]|[A-Z]{3})(?: (?:est|is|a|mesure))?"
    r" ?(?:droit|right|=? ?90 ?°)(?! ?[-+×*/])"
    r"|(?<![A-Za-z\d])(?P<b>[A-Z]|[A-Z]{3}) ?= ?90 ?°(?! ?[-+×*/])"
)
_CONCLUDES: Final = re.compile(
    r"\b(?i:donc|alors|ainsi|so|therefore|thus|reciproque|converse|par consequent|hence"
    r"|d'ou)\b"
)
_DOUBTED: Final = re.compile(
    r"\?|\b(?i:si|if|s'il|suppos\w*|imagin\w*|etait|were|pas|not|isn't|n'est|faux|wrong|au lieu"
    r"|instead|verifi\w+|check|aurait|would|ou bien|attention|careful|non|either)\b"
)
_LENGTH: Final = re.compile(
    rf"({SEGMENT}) ?(?:=|mesure|vaut|measures|is) ?({DIGITS}) ?"
    rf"(?:[kmdc]?m\b|{CLAUSE_END})"
)
_ANGLE: Final = r"(?:(?:de )?(?:l'|the )?(?i:angle) |∠ ?)?\(? ?(?P<v>[A-Z]|[A-Z]{3})(?![A-Za-z'])"
_MEASURE: Final = re.compile(
    r"(?<![A-Za-z'/])(?P<v>[A-Z]|[A-Z]{3}) ?"
    r"(?:[=≈]|mesure|vaut|est(?: egal a| de)?|is|measures|equals)"
    rf"(?: (?:{THEN}|environ|about))? ?(?P<d>{DIGITS}) ?{DEGREES}(?! ?[-+×*/])"
)
_RIGHT: Final = 90
_SLACK: Final = Fraction(1, 50)
"""Part by which lengths that may be rounded differ."""


def _find_points(text: str, corner: str) -> frozenset[str]:
    """Return the points of the two sides with a length at a corner: `un triangle rectangle en A, AB
    = 5 et AC = 12`; empty: there are no such two."""
    sides = [get_points(found[1]) for found in _LENGTH.finditer(text)]
    points = frozenset[str]().union(*sides)
    return points if len(points) == 3 and corner in points else frozenset()


class _Figures:
    """The right triangles, lengths and angles that a text has told."""

    def __init__(self) -> None:
        self.corners: dict[frozenset[str], str] = {}
        self.lengths: dict[frozenset[str], Fraction] = {}
        self.angles: dict[str, Fraction] = {}
        self.last: frozenset[str] = frozenset()
        """The points of the triangle that was named last."""
        self.has_others = False
        """Whether the text has right triangles that it does not name."""
        self._sum: tuple[frozenset[str], str] | None = None
        """The triangle and corner of the last equation of Pythagoras that was said to hold."""

    def learn(self, line: Line) -> Iterator[Statement]:
        """Keep the facts of a sentence; yield where it concludes a right angle."""
        text = line.cased
        for found in _TRIPLE.findall(text):
            self.last = frozenset(found) if len(set(found)) == 3 else self.last
        self.has_others |= bool(re.search(r"(?i:hauteur|perpendic|⊥|projet|altitude)", text))
        if not _DOUBTED.search(text):
            for found in _LENGTH.finditer(text):
                side, length = get_points(found[1]), read_value(found[2])
                if len(side) == 2 and length is not None:
                    self.lengths[side] = length
            for found in _MEASURE.finditer(text):
                self.angles[found["v"][len(found["v"]) // 2]] = min(read_values(found["d"]))
            yield from self._learn_corner(text)
        if found := _SUM.search(text):
            self._note_sum(found, text)

    def _learn_corner(self, text: str) -> Iterator[Statement]:
        declared = [each for pattern in _DECLARED for each in pattern.finditer(text)]
        for found in declared:
            points, corner = frozenset(found["t"]), found["c"]
            if len(points) == 3 and corner in points:
                yield from self._declare(points, corner, found, text)
        for found in _CORNER.finditer(text):
            name = found["c"] or found["a"] or found["b"]
            corner = name[len(name) // 2]
            is_said = any(each.start() <= found.start() < each.end() for each in declared)
            if is_said:
                continue
            named = frozenset(name) if len(name) == 3 else self.last or _find_points(text, corner)
            if corner in named and len(named) == 3:
                yield from self._declare(named, corner, found, text)
            else:
                for points in [each for each in self.corners if corner in each]:
                    del self.corners[points]

    def _declare(
        self, points: frozenset[str], corner: str, found: re.Match[str], text: str
    ) -> Iterator[Statement]:
        known = self.corners.get(points)
        self.corners[points] = corner
        if not _CONCLUDES.search(text) or known == corner:
            return
        why = ""
        if self._sum and self._sum[0] == points:
            why = "" if corner == self._sum[1] else f"the right angle is at {self._sum[1]}"
        elif (fits := self._fits(points, corner)) is not None:
            why = "" if fits else "the squares of these lengths do not fit"
        else:
            return
        if why:
            self.corners.pop(points, None)
        yield decide(found[0], why)

    def _fits(self, points: frozenset[str], corner: str) -> bool | None:
        """Return whether known lengths have the right angle at a corner; None: not all are."""
        sides = [frozenset((one, corner)) for one in points if one != corner]
        known = [self.lengths.get(each) for each in (points - {corner}, *sides)]
        if known[0] is None or known[1] is None or known[2] is None:
            return None
        longest, legs = known[0] ** 2, known[1] ** 2 + known[2] ** 2
        return abs(longest - legs) <= _SLACK * longest

    def judge_lengths(self, text: str) -> Iterator[Statement]:
        """Yield the check of the three sides of a right triangle that one sentence tells."""
        stated = [(get_points(found[1]), found) for found in _LENGTH.finditer(text)]
        for points, corner in self.corners.items():
            sides = [found for side, found in stated if side < points]
            if len(sides) == 3 and not _DOUBTED.search(text):
                fits = self._fits(points, corner)
                yield decide(
                    sides[-1][0], "" if fits else "the squares of these lengths do not fit"
                )

    def _note_sum(self, found: re.Match[str], text: str) -> None:
        sides = [get_points(found[name]) for name in "abc"]
        points = frozenset[str]().union(*sides)
        corner = sides[1] & sides[2]
        is_sum = len(points) == 3 and len(corner) == 1 and not corner & sides[0]
        before = text[: found.start()]
        if is_sum and found["op"] == "+" and not _DOUBTED.search(before):
            self._sum, self.last = (points, min(corner)), points

    def find_hypotenuse(self, points: frozenset[str]) -> frozenset[str] | None:
        """Return the hypotenuse of the triangle of three points; None: it is not known."""
        corner = self.corners.get(points)
        return points - {corner} if corner else None

    def find_vertices(self, points: frozenset[str], degrees: Fraction) -> set[str]:
        """Return the vertices of a right triangle that have an angle, as far as told."""
        acute = points - {self.corners[points]}
        rest = _RIGHT - degrees
        known = {each for each in acute if self.angles.get(each) == degrees}
        return known | {
            each for each in acute for other in acute - {each} if self.angles.get(other) == rest
        }


def read_right_triangles(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer says of the sides of right triangles."""
    figures = _Figures()
    for line in passage.given:
        list(figures.learn(line))
    for line in passage.lines:
        if line.is_own:
            yield from figures.learn(line)
            yield from figures.judge_lengths(line.cased)
            yield from _read_definitions(line.text)
            yield from _read_opposite(line.cased)
            if figures.corners and not re.search(r"\b(?:[Ss]i|[Ii]f|pas|not)\b", line.cased):
                yield from _read_ratios(figures, line.cased)
                yield from _read_squares(figures, line.cased)
                yield from _read_hypotenuse(figures, line.cased)


# Ratios -------------------------------------------------------------------------------------------

_SIDE: Final = rf"\(? ?{SEGMENT} ?\)?"
_FUNCTIONS: Final = {"c": "cos", "s": "sin", "t": "tan", "C": "cos", "S": "sin", "T": "tan"}
_FUNCTION: Final = (
    r"\b(?P<f>[Cc]os(?:inus|ine)?|[Ss]in(?:us|e)?|[Tt]an(?:gente?)?)(?: (?:de|of|est|is))*"
)
_OF: Final = rf"{_FUNCTION} ?\(?(?:(?P<n>{DIGITS}) ?°|{_ANGLE})(?: ?\))*"
_RATIO: Final = re.compile(
    rf"(?<![-+×*/÷] )(?<![-+×*/÷]){_OF}(?: (?:est|is|vaut|equals))?(?: egal a)? ?=? ?"
    r"(?:[^=.;A-Z]{1,70}= ?)?"
    rf"(?P<x>{_SIDE}) ?[/÷] ?(?P<y>{_SIDE})(?! ?[-+×*/÷²^])"
)
_PRODUCTS: Final = (
    re.compile(rf"(?P<x>{SEGMENT}) ?= ?(?P<y>{SEGMENT}) ?[×*·] ?{_OF}(?! ?[-+×*/÷²^])"),
    re.compile(rf"(?P<y>{SEGMENT}) ?= ?\(?(?P<x>{SEGMENT})\)? ?[/÷] ?\(?{_OF}(?! ?[-+×*/÷²^])"),
)


def _read_ratios(figures: _Figures, text: str) -> Iterator[Statement]:
    """Read `cos(ABC) = AB/BC`, `AB = BC × cos B`, `cos 30° = AB/BC`."""
    if not re.search(r"(?i:cos|sin|tan)", text):
        return
    for pattern in (_RATIO, *_PRODUCTS):
        for found in pattern.finditer(text):
            above, below = get_points(found["x"]), get_points(found["y"])
            points = above | below
            hypotenuse = figures.find_hypotenuse(points) if above != below else None
            if hypotenuse is None:
                continue
            vertices = _list_vertices(figures, found, points)
            function = _FUNCTIONS[found["f"][0]]
            expected = [_find_ratio(function, each, hypotenuse, points) for each in vertices]
            if expected:
                one, other = expected[0]
                why = f"it is {_write_side(one)}/{_write_side(other)}"
                yield decide(found[0], "" if (above, below) in expected else why)


def _list_vertices(figures: _Figures, found: re.Match[str], points: frozenset[str]) -> list[str]:
    """List the acute vertices that may be meant; empty: it is not sure which."""
    if found["n"]:
        values = read_values(found["n"])
        vertices = {each for value in values for each in figures.find_vertices(points, value)}
        return sorted(vertices)
    name = found["v"]
    vertex = name[len(name) // 2]
    is_other = len(name) == 3 and frozenset(name) != points
    is_acute = vertex in points and vertex != figures.corners[points]
    return [vertex] if is_acute and not is_other else []


def _find_ratio(
    function: str, vertex: str, hypotenuse: frozenset[str], points: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    opposite = points - {vertex}
    adjacent = (points - hypotenuse) | {vertex}
    return {
        "cos": (adjacent, hypotenuse), "sin": (opposite, hypotenuse), "tan": (opposite, adjacent)
    }[function]  # fmt: skip


def _write_side(side: frozenset[str]) -> str:
    return "".join(sorted(side))


# Pythagoras ---------------------------------------------------------------------------------------

_SQUARE: Final = rf"\(?(?:{SEGMENT})\)?²"
_SUM: Final = re.compile(
    rf"(?<![-+×*/·²\d] )(?<![-+×*/·²\d])(?P<a>{_SQUARE}) ?= ?(?P<b>{_SQUARE}) ?(?P<op>[-+]) ?"
    rf"(?P<c>{_SQUARE})(?! ?[-+×*/·])"
)
_OPERAND: Final = rf"(?:{_SQUARE}|\(?{DIGITS}\)?²)"
_EQUATIONS: Final = (
    re.compile(
        rf"(?<![-+×*/·²\d] )(?<![-+×*/·²\d])(?P<a>{_SQUARE}) ?= ?(?P<b>{_OPERAND}) ?(?P<op>[-+]) ?"
        rf"(?P<c>{_OPERAND})(?! ?[-+×*/·])"
    ),
    re.compile(
        rf"(?<![-+×*/·²\d=] )(?<![-+×*/·²\d=])(?P<b>{_OPERAND}) ?(?P<op>[-+]) ?(?P<c>{_OPERAND})"
        rf" ?= ?(?P<a>{_SQUARE})(?! ?[-+×*/·])"
    ),
    re.compile(
        rf"(?P<a>{SEGMENT}) ?= ?√ ?\(? ?(?P<b>{_OPERAND}) ?(?P<op>[-+]) ?(?P<c>{_OPERAND}) ?\)?"
        r"(?! ?[-+×*/·])"
    ),
)


def _read_squares(figures: _Figures, text: str) -> Iterator[Statement]:
    """Read `BC² = AB² + AC²`, `AC² = 10² - 6²`, `AC = √(BC² - AB²)`."""
    if "²" not in text:
        return
    for pattern in _EQUATIONS:
        for found in pattern.finditer(text):
            first = get_points(found["a"])
            for points in figures.corners:
                if first < points and (verdict := _check_squares(figures, points, found)):
                    yield decide(found[0], verdict.removeprefix("right"))
                    break


def _check_squares(figures: _Figures, points: frozenset[str], found: re.Match[str]) -> str:
    """Return `right`, why an equation is wrong, or an empty text if it is of other sides."""
    first = get_points(found["a"])
    operands = [_find_side(figures, points, found[name]) for name in "bc"]
    if (
        None in operands
        or len({first, *operands}) != 3
        or not all(each is not None and each < points for each in operands)
    ):
        return ""
    hypotenuse = points - {figures.corners[points]}
    longest = first if found["op"] == "+" else operands[0]
    return "right" if longest == hypotenuse else f"the hypotenuse is {_write_side(hypotenuse)}"


def _find_side(figures: _Figures, points: frozenset[str], operand: str) -> frozenset[str] | None:
    """Return the side of a triangle that a square is of, by its name or by its known length."""
    if names := get_points(operand):
        return names
    values = read_values(operand.strip("()²"))
    sides = [side for side, length in figures.lengths.items() if side < points and length in values]
    return sides[0] if len(sides) == 1 else None


# The hypotenuse and the sides of an angle ---------------------------------------------------------

_IS_HYPOTENUSE: Final = (
    re.compile(
        r"\b[Hh]ypotenuse(?: (?:est|is|c'est|donc|ici|the|le|cote|side|segment|bien|alors|so|thus"
        r"|du|triangle|vaut|mesure))*(?: ?[:=(])? ?"
        rf"(?P<s>{SEGMENT})(?! ?[-+×*/²])"
    ),
    re.compile(
        rf"(?P<s>{SEGMENT})(?: (?:=|mesure) {DIGITS} ?[a-z]*)? ?(?:,? ?(?:est|is|qui est|which is)"
        rf"(?: (?:{THEN}|ici))? (?:l'|the )|\( ?(?:c'est |it is )?(?:l'|the )?)"
        r"hypotenuse"
    ),
)
_OPPOSITE: Final = (
    re.compile(
        rf"(?P<k>oppose|opposite)e?(?: side)? (?:a |to |de |of )?{_ANGLE}\)?(?: \([a-z ]+\))?"
        rf" ?,?(?:est|is|:|=|c'est)(?: (?:{THEN}|le|the|side|cote|segment))* (?P<s>{SEGMENT})"
    ),
    re.compile(
        rf"(?P<s>{SEGMENT}) (?:est|is)(?: (?:{THEN}|le|the|side|cote))*"
        rf" (?P<k>oppose|opposite)e?(?: side)? (?:a |to |de |of )?{_ANGLE}"
    ),
    re.compile(
        rf"(?P<k>adjacent)e?(?: side)? (?:a |to |de |of )?{_ANGLE}\)?(?: \([a-z ]+\))?"
        rf" ?,?(?:est|is|:|=|c'est)(?: (?:{THEN}|le|the|side|cote|segment))* (?P<s>{SEGMENT})"
    ),
    re.compile(
        rf"(?P<s>{SEGMENT}) (?:est|is)(?: (?:{THEN}|le|the|side|cote))*"
        rf" (?P<k>adjacent)e?(?: side)? (?:a |to |de |of )?{_ANGLE}"
    ),
)


def _read_hypotenuse(figures: _Figures, text: str) -> Iterator[Statement]:
    """Read `[BC] est l'hypoténuse`."""
    if "ypotenuse" not in text:
        return
    named = [points for each in _TRIPLE.findall(text) if (points := frozenset(each))]
    for pattern in _IS_HYPOTENUSE:
        for found in pattern.finditer(text):
            side = get_points(found["s"])
            triangles = [points for points in figures.corners if side < points]
            known = [figures.find_hypotenuse(points) for points in triangles]
            is_meant = not figures.has_others or any(each in triangles for each in named)
            if side in known:
                yield decide(found[0], "")
            elif len(known) == 1 and known[0] and is_meant:
                yield decide(found[0], f"it is {_write_side(known[0])}")


def _read_opposite(text: str) -> Iterator[Statement]:
    """Read `le côté opposé à l'angle B est [AC]`: it does not meet B."""
    if "oppos" not in text and "adjacent" not in text:
        return
    for pattern in _OPPOSITE:
        for found in pattern.finditer(text):
            vertex = found["v"][len(found["v"]) // 2]
            is_met = vertex in get_points(found["s"])
            is_right = is_met == (found["k"] == "adjacent")
            if not re.search(r"\b(?:pas|not)\b", text):
                yield decide(found[0], "" if is_right else f"which sides meet {vertex}?")


# Definitions --------------------------------------------------------------------------------------

_KIND: Final = r"(?:oppos\w*|adj\w*|hyp\w*|opp)\b"
_FILLED: Final = (
    r"(?:(?:le|la|les|l'|the|of|de|du|des|a|un|une|egale?|equal|to|toujours|donc|longueur|length"
    r"|cotes?|side|par|definition|entre|between|from|divise|son|its) ?)*"
)
_DEFINED: Final = re.compile(
    r"\b(?P<f>cos(?:inus|ine)?|sin(?:us|e)?|tan(?:gente?)?)\b"
    r"(?: ?\([^()=]{0,20}\)|[^=:.;,()]{0,50}?)"
    rf"(?: ?[=:] ?|\b(?:est|is|vaut|equals|c'est)\b) ?\(? ?{_FILLED}"
    rf"(?P<q>(?:rapport|quotient|ratio)\b )?{_FILLED}\(?(?P<a>{_KIND})"
    r"(?: (?:a l'angle|to the angle|side|angle))*\)? ?"
    r"(?P<by>/|÷|sur\b|par\b|over\b|et\b|and\b|to\b|a\b|divise\w* par\b|divided by\b)"
    rf" ?\(?{_FILLED}(?:celle |that )?{_FILLED}(?P<b>{_KIND})"
)
_MEANT: Final = {"c": ("a", "h"), "s": ("o", "h"), "t": ("o", "a")}
_NAMED: Final = {"a": "adjacent", "h": "hypotenuse", "o": "opposite"}


def _read_definitions(text: str) -> Iterator[Statement]:
    """Read `cosinus = côté adjacent / hypoténuse`."""
    if "oppos" not in text and "adj" not in text and "opp" not in text:
        return
    for found in _DEFINED.finditer(text):
        above, below = _MEANT[found["f"][0]]
        if found["by"] in ("et", "and", "a", "to") and not found["q"]:
            continue
        is_right = (found["a"][0], found["b"][0]) == (above, below)
        why = f"it is {_NAMED[above]}/{_NAMED[below]}"
        yield decide(found[0], "" if is_right else why)

"""Check vectors, midpoints, distances, parallelograms and circles against the points that a text or
its question gives.

`A(2 ; -1) et B(5 ; 3)`, then `AB(3 ; 4)`, `le milieu de [AB] est I(3,5 ; 1)`, `AB = 5`; `u(2 ; -3)`
and `v(-4 ; 6)`, then `v = -2u`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias, cast

from bot.maths.checks.passages import Line, Passage
from bot.maths.exact.algebra_questions import Check, Known, Pair, Statement, decide
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Solutions,
    apply,
    free_letters,
    number,
    substitute,
    walk,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import says
from bot.maths.reading.plain_words import read_value
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import DIGITS, THEN
from bot.maths.reading.wording import Found, Wording, claim

_Point: TypeAlias = tuple[Fraction, ...]

_PAIR: Final = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\)){0,20}\)){1,60}\)")
_NAMED: Final = re.compile(
    r"(?:^|[^A-Za-z'_\d])(?P<n>[A-Z]{1,2}|[uvw])(?: ?(?:=|:|a pour coordonnees|est le point"
    r"|de coordonnees|has coordinates))? ?$"
)
_LINK: Final = re.compile(
    r" ?(?:=|,? ?(?:soit|donc|c'est-a-dire|ou|so|i\.e\.|that is)) ?(?P<n>[A-Z]?) ?"
)
_NUMERIC: Final = re.compile(r"[\d+\-*/().,×÷ ]+")
_TERM: Final = re.compile(r" *(?:(\d+(?:[.,]\d+)?)|(.))")
_VECTOR: Final = re.compile(
    r"(?<![-+×*/·.\d] )(?<![-+×*/·.\w'])(?:[Vv]ecteurs? |(?<!vecteur ))(?P<n>[A-Z]{2})"
    r"(?: (?:a|ont|has|have|sont|pour|comme|coordonnees?|coordinates|components|est|is|vaut|de"
    r"|the))*"
    r" ?[=:]? ?(?=\()"
)
_MIDDLE: Final = re.compile(r"milieu|midpoint", re.IGNORECASE)
_MIDPOINT: Final = (
    re.compile(
        r"\b(?:[Mm]ilieu|[Mm]idpoint) (?:(?P<m>[A-Z]),? )?(?:(?:du|de|of|the|segment|est) ){0,3}"
        r"(?:\[?(?P<x>[A-Z])(?P<y>[A-Z])\]?)(?![A-Za-z])"
    ),
    re.compile(
        r"(?<![A-Za-z])(?P<m>[A-Z])(?: ?\([^()]{1,20}\))?,? (?:(?:est|is|le|the|soit|point) ){0,3}"
        r"(?:milieu|midpoint) (?:(?:du|de|of|the|segment) ){0,3}"
        r"\[?(?P<x>[A-Z])(?P<y>[A-Z])\]?(?![A-Za-z])"
    ),
)
_REFLECTED: Final = re.compile(
    r"(?<![A-Za-z])(?P<x>[A-Z])(?: ?\([^()]{1,20}\))?,? (?:est |is )?(?:le |the )?"
    r"(?:symetrique|reflection|image) (?:du point |de |of )(?P<y>[A-Z]) (?:par rapport|in|par la"
    r" symetrie)(?: (?:a|au|de|centre|point|the))* (?P<m>[A-Z])(?![A-Za-z])"
)
_PARALLELOGRAM: Final = re.compile(
    rf"(?<![A-Za-z])(?P<n>[A-Z]{{4}}) (?:soit|est|is|to be|be|forme)(?: (?:{THEN}|un|a))*"
    r" parallelogram"
    r"|[Pp]arallelogramm?e? (?P<o>[A-Z]{4})(?![A-Za-z])"
)
_DISTANCE: Final = re.compile(
    r"(?<![-+×*/·.=\d] )(?<![-+×*/·.=\w'({])(?<!vecteur )\[?(?P<n>[A-Z]{2})\]?(?P<s>²)?"
    r" ?(?:=|≈|vaut|mesure|est(?: egale)?(?: a| de)?|is) ?(?P<r>(?:[^;:!?,A-Z]|,(?=\d)){1,120})"
)
_LAST: Final = re.compile(
    rf"(?:^|[=≈]) ?(?P<k>{DIGITS})? ?(?P<root>√ ?\(?(?P<r>{DIGITS})\)?)?"
    r"(?: ?(?:unites?|units?|cm))?(?=[ ,.]*$|[,.]? (?:donc|et|and|so|car|d'ou|which)\b|, )"
)
_MULTIPLE: Final = re.compile(
    rf"(?<![-+×*/·=\d] )(?<![-+×*/·=\w'])(?:vecteur )?(?P<a>[uvw]) ?= ?(?P<k>-? ?(?:{DIGITS})?)"
    r" ?[×*·]? ?(?:vecteur )?(?P<b>[uvw])(?![\w(]| ?[-+×*/])"
)
_RELATED: Final = re.compile(
    r"\b(?:(?P<not>ne (?:sont|son) (?:donc )?pas|(?:are|is) not|aren't)|sont|are|donc|bien)"
    rf"(?: (?:{THEN}|des|vecteurs))*"
    r" (?P<kind>colinea\w+|collinear|parallel|orthogona\w+|perpendicular)"
)
_DOUBTED: Final = re.compile(
    r"\?|\b(?i:si|if|suppos\w*|pas|not|verifi\w+|check|faux|wrong|et non|montr\w+|show|n'est)\b"
)


class _Relation(NamedTuple):
    """Points of which the sums of the first half and the second half are equal."""

    first: str
    second: str
    says: str


class _Plane:
    """The points and vectors that a text has given, and what it says of them."""

    def __init__(self) -> None:
        self.points: dict[str, _Point] = {}
        self.vectors: dict[str, _Point] = {}
        self._relations: list[_Relation] = []

    def learn(self, line: Line, *, is_answer: bool) -> Iterator[Statement]:
        """Keep the points and relations of a sentence; yield where a point does not fit them."""
        if not _DOUBTED.search(line.cased):
            self._learn_relations(line.cased)
        for start, end, point in _find_pairs(line.cased):
            named = _NAMED.search(line.cased, max(0, start - 40), start)
            name = named["n"] if named else ""
            if name in ("u", "v", "w"):
                self.vectors.setdefault(name, point)
            elif len(name) == 1:
                self.points[name] = point
                if is_answer:
                    yield from self._check_relations(name, line.cased[start - 1 : end])

    def _learn_relations(self, text: str) -> None:
        for pattern in (*_MIDPOINT, _REFLECTED):
            for found in pattern.finditer(text):
                if found["m"]:
                    middle = found["m"] * 2
                    self._relate(_Relation(middle, found["x"] + found["y"], "midpoint"))
        for found in _PARALLELOGRAM.finditer(text):
            name = found["n"] or found["o"]
            self._relate(_Relation(name[0] + name[2], name[1] + name[3], "parallelogram"))

    def _relate(self, relation: _Relation) -> None:
        if len({*relation.first, *relation.second}) >= 3 and relation not in self._relations:
            self._relations.append(relation)

    def _check_relations(self, name: str, shown: str) -> Iterator[Statement]:
        for relation in self._relations:
            names = relation.first + relation.second
            known = [self.points.get(each) for each in names]
            if name not in names or None in known:
                continue
            placed = [each for each in known if each]
            if len({len(each) for each in placed}) == 1:
                one, other, third, fourth = placed
                is_right = _add(one, other) == _add(third, fourth)
                yield decide(shown, "" if is_right else f"it does not fit the {relation.says}")


def read_stated_points(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer says of the points that it or the question gives."""
    plane = _Plane()
    for line in passage.given:
        list(plane.learn(line, is_answer=False))
    for line in passage.lines:
        if line.is_own or line.text.endswith("?") or "colin" in line.text:
            yield from plane.learn(line, is_answer=line.is_own)
            if len(plane.points) > 1:
                yield from _read_vectors(plane, line.cased)
                yield from _read_midpoints(plane, line.cased)
                yield from _read_distances(plane, line.cased)
            if len(plane.vectors) > 1:
                yield from _read_multiples(plane, line.cased)
                yield from _read_related(plane, line.text)


def _add(one: _Point, other: _Point, factor: int = 1) -> _Point:
    return tuple(a + factor * b for a, b in zip(one, other, strict=True))


def _write(point: _Point) -> str:
    return f"({' ; '.join(str(each) for each in point)})"


# Pairs --------------------------------------------------------------------------------------------


def _find_pairs(text: str) -> list[tuple[int, int, _Point]]:
    """List the pairs and triples of numbers in parentheses, with their places."""
    found: list[tuple[int, int, _Point]] = []
    for match in _PAIR.finditer(text):
        parts = _split(match[0][1:-1])
        values = [_evaluate(part) for part in parts]
        if len(parts) > 1 and None not in values:
            point = tuple(value for value in values if value is not None)
            found.append((match.start(), match.end(), point))
    return found


def _split(text: str) -> list[str]:
    """Split coordinates at semicolons, or at commas if there are none."""
    if ";" in text:
        return text.split(";")
    spaced = re.split(r", ", text)
    whole = re.fullmatch(r"-?\d+,-?\d+(?:,-?\d+)?", text)
    return text.split(",") if whole else spaced


def _evaluate(text: str) -> Fraction | None:
    """Return the value of a computation with whole numbers and decimals; None: it is none."""
    if not _NUMERIC.fullmatch(text) or len(text) > 40 or not re.search(r"\d", text):
        return None
    tokens = [number or sign for number, sign in _TERM.findall(text.strip()) if number or sign]
    try:
        value, rest = _sum(tokens)
    except (IndexError, ValueError, ZeroDivisionError):
        return None
    return None if rest else value


def _sum(tokens: Sequence[str]) -> tuple[Fraction, Sequence[str]]:
    value, tokens = _product(tokens)
    while tokens and tokens[0] in "+-":
        sign = 1 if tokens[0] == "+" else -1
        other, tokens = _product(tokens[1:])
        value += sign * other
    return value, tokens


def _product(tokens: Sequence[str]) -> tuple[Fraction, Sequence[str]]:
    value, tokens = _factor(tokens)
    while tokens and tokens[0] in "*×/÷":
        is_product = tokens[0] in "*×"
        other, tokens = _factor(tokens[1:])
        value = value * other if is_product else value / other
    return value, tokens


def _factor(tokens: Sequence[str]) -> tuple[Fraction, Sequence[str]]:
    if tokens[0] == "-":
        value, rest = _factor(tokens[1:])
        return -value, rest
    if tokens[0] == "(":
        value, rest = _sum(tokens[1:])
        if rest[0] != ")":
            raise ValueError(rest[0])
        return value, rest[1:]
    return Fraction(tokens[0].replace(",", ".")), tokens[1:]


def _list_chain(
    text: str, pairs: Sequence[tuple[int, int, _Point]], start: int
) -> Iterator[tuple[str, _Point]]:
    """Yield the pair that begins at a place and those equal to it, with their text; also what
    follows a pair with letters."""
    at = start
    while at < len(text):
        match = _PAIR.match(text, at)
        if match is None:
            return
        for begin, end, point in pairs:
            if begin == at:
                yield text[begin:end], point
        link = _LINK.match(text, match.end())
        if link is None:
            return
        at = link.end()


# Vectors, midpoints, distances --------------------------------------------------------------------


def _read_vectors(plane: _Plane, text: str) -> Iterator[Statement]:
    """Read `AB(3 ; 4)`, `AB = (5 - 2 ; 3 - (-1)) = (3 ; 4)`."""
    pairs = _find_pairs(text)
    for found in _VECTOR.finditer(text) if pairs else ():
        one, other = (plane.points.get(each) for each in found["n"])
        before = text[max(0, found.start() - 40) : found.start()]
        if one is None or other is None or len(one) != len(other) or _MIDDLE.search(before):
            continue
        expected = _add(other, one, -1)
        for shown, point in _list_chain(text, pairs, found.end()):
            if len(point) == len(expected):
                why = "" if point == expected else f"it is {_write(expected)}"
                yield decide(f"{found['n']}{shown}", why)


def _read_midpoints(plane: _Plane, text: str) -> Iterator[Statement]:
    """Read `Milieu de [AB] : ((2 + 5)/2 ; (-1 + 3)/2) = (3,5 ; 1)`."""
    pairs = _find_pairs(text)
    for found in _MIDPOINT[0].finditer(text) if pairs else ():
        ends = [plane.points.get(found[name]) for name in "xy"]
        after = next((each for each in pairs if each[0] >= found.end()), None)
        if ends[0] is None or ends[1] is None or after is None or len(ends[0]) != len(ends[1]):
            continue
        named = _NAMED.search(text, max(0, after[0] - 40), after[0])
        name = named["n"] if named else ""
        between = text[found.end() : after[0]]
        is_other = len(name) > 1 or name in (found["x"], found["y"]) or "." in between
        if is_other or (found["m"] and name and name != found["m"]) or _MIDDLE.search(between):
            continue
        expected = tuple(each / 2 for each in _add(ends[0], ends[1]))
        for shown, point in _list_chain(text, pairs, after[0]):
            if len(point) == len(expected):
                is_right = point == expected
                yield decide(f"{found[0]} {shown}", "" if is_right else f"it is {_write(expected)}")


def _read_distances(plane: _Plane, text: str) -> Iterator[Statement]:
    """Read `AB = √(9 + 16) = 5`, `la distance AB vaut 5`, `AB² = 25`."""
    for found in _DISTANCE.finditer(text):
        one, other = (plane.points.get(each) for each in found["n"])
        if one is None or other is None or len(one) != len(other) or "vect" in text.lower():
            continue
        square = sum((each**2 for each in _add(other, one, -1)), Fraction(0))
        lasts = list(_LAST.finditer(found["r"]))
        last = lasts[-1] if lasts else None
        if last is None or not (last["k"] or last["root"]):
            continue
        factor = Fraction(_get_decimal(last["k"])) if last["k"] else Fraction(1)
        root = Fraction(_get_decimal(last["r"])) if last["root"] else Fraction(1)
        shown = float(factor) * math.sqrt(root)
        exact = float(square) if found["s"] else math.sqrt(square)
        decimals = re.search(r"[.,](\d+)", last["k"] or "")
        slack = 10.0 ** -len(decimals[1]) if decimals else 1e-6
        if "≈" in found[0] or "environ" in found[0] or "about" in found[0]:
            slack = max(slack, 1.0 if not decimals else slack)
        why = "" if abs(shown - exact) <= slack else f"it is about {exact:.4g}"
        yield decide(found[0], why)


def _get_decimal(text: str) -> str:
    return text.replace(" ", "").replace(",", ".")


def _read_multiples(plane: _Plane, text: str) -> Iterator[Statement]:
    """Read `v = -2u`."""
    for found in _MULTIPLE.finditer(text):
        one, other = plane.vectors.get(found["a"]), plane.vectors.get(found["b"])
        if one is None or other is None or len(one) != len(other) or one is other:
            continue
        shown = found["k"].replace(" ", "")
        factor = Fraction(f"{shown}1" if shown in ("", "-") else _get_decimal(shown))
        is_right = tuple(factor * each for each in other) == one
        yield decide(found[0], "" if is_right else f"{found['a']} is {_write(one)}")


def _read_related(plane: _Plane, text: str) -> Iterator[Statement]:
    """Read `Les vecteurs u et v sont colinéaires`, where the text has no other vectors."""
    is_asked = re.search(r"\?|\b(?:si|if|lorsque|when|pour)\b|\bsont-ils\b", text)
    if len(plane.vectors) != 2 or is_asked or not re.search(r"\bvect|\bu\b|\bv\b", text):
        return
    one, other = plane.vectors.values()
    if len(one) != 2 or len(other) != 2:
        return
    for found in _RELATED.finditer(text):
        is_parallel = found["kind"].startswith(("col", "par"))
        value = (
            one[0] * other[1] - one[1] * other[0]
            if is_parallel
            else one[0] * other[0] + one[1] * other[1]
        )
        is_right = (value == 0) != bool(found["not"])
        why = f"the {'determinant' if is_parallel else 'product'} is {value}"
        yield decide(found[0], "" if is_right else why)


_COORDINATE: Final = re.compile(
    r"\b(?P<axis>[xy])_?(?P<name>[A-Za-z])(?: = #)* = (?P<value>#)(?! [=+*/-])"
)
_POINT: Final = re.compile(r"\b(?P<name>[A-Z]) (?P<point>@)")
_PRIMES: Final = ("'", "’", "′")
_GIVEN_MIDPOINT: Final = re.compile(r"\b(?:milieu|midpoint)\b")
_IS_MIDPOINT: Final = re.compile(
    r"\b(?:milieu|midpoint)\b(?: (?:est|is|vaut|a|pour|donc|le|the|point|coordonnees|de|du|of"
    r"|segment|\[|\]|[A-Z]{1,2}|:|=|are|sont))* (?P<point>@)"
)
_CIRCLE: Final = re.compile(
    r"\b(?:centre|center)\b[^@#]* (?P<point>@)[^@#%]*\b(?:rayon|radius)"
    r"(?: (?:[rR]|est|vaut|de|is|egale?|a|of|=|donc))* (?P<radius>#)"
)


_ASKS_CIRCLE: Final = re.compile(
    r"^(?!.*\b(?:tangent\w*|droites?|lines?|image|symetri\w+|translat\w+|rotation|homothet\w+|autre"
    r"|another|intersect\w*|coupe|through|passe|parametri\w+|polaire|sphere)\b).*\bequation\b"
)
"""A question for the equation of the only circle that it gives."""


_VECTORS: Final = re.compile(
    r"\\vec\b|\\overrightarrow|\u20d7|[Vv]ecteurs?\b|[Cc]hasles|[Vv]ectors?\b"
)
_GIVEN_VECTOR: Final = (
    r"(?:\\(?:vec|overrightarrow) ?\{ ?[A-Z] ?[A-Z] ?\}"
    r"|(?<![A-Za-z\\])[A-Z][A-Z](?![A-Za-z])\u20d7?)"
)
_SUM_OF_VECTORS: Final = rf"{_GIVEN_VECTOR}(?: ?\+ ?{_GIVEN_VECTOR})"
_VECTOR_SUM: Final = re.compile(
    rf"(?<![-−+*/\d)}}] )(?<![-−+*/\d)}}]){_SUM_OF_VECTORS}+(?: ?= ?{_SUM_OF_VECTORS}*)+"
    r"(?! ?[-−+*/])"
)
"""Vectors between points that are added, and what they are equal to."""


_NUMBER: Final = r"[-−]?\s?\d+(?:[.,]\d+)?"
_VECTOR_IS: Final = re.compile(
    r"(?<![A-Za-z'’′])(?P<name>\\(?:vec|overrightarrow) ?\{ ?[A-Z] ?[A-Z] ?\}"
    r"|(?<![+\\{])[A-Z](?![A-Za-z_']))"
    r"(?: ?= ?(?:\\(?:vec|overrightarrow) ?\{ ?[A-Z]{2} ?\} ?(?:[+=] ?)?)+)?[\s$]*"
    r"(?:(?:a pour|has)(?: pour)? (?:coordonnées|coordonnees|composantes|coordinates)[\s$]*|= ?)?"
    rf"(?:\\left)?\( ?(?P<x>{_NUMBER}) ?[;,] ?(?P<y>{_NUMBER}) ?(?:\\right)?\)"
)


def _read(text: str) -> Fraction | None:
    value = read_value(re.sub(r"[-−\s]", "", text))
    return -value if value is not None and text[0] in "-−" else value


class Coordinates:
    """The coordinates, midpoint and circle that are known at one place of a text."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Expr] = {}
        """Coordinates by the axis and the name of the point."""
        self._section = -1
        self._middle: tuple[Expr, ...] = ()
        """The midpoint that the question asks for."""
        self._circle: tuple[Expr, Expr] | None = None
        """The sides of the last equation of a circle."""
        self._worded: tuple[int, Wording, re.Match[str]] | None = None
        """The last circle in words whose equation is not known yet, and its section."""
        self._vectors: dict[str, tuple[Fraction, Fraction]] = {}

    def learn_question(self, wording: Wording) -> None:
        """Keep the midpoint of the two points of the question, and a circle whose equation it asks
        for."""
        circle = _CIRCLE.search(wording.text)
        if circle and wording.text.count("@") == 1 and _ASKS_CIRCLE.search(wording.text):
            self._worded = (0, wording, circle)
        pairs = [each for each in wording.values if isinstance(each, Solutions)]
        rows = [row for each in pairs for row in each.elements if len(row) == 2]
        if len(rows) != 2 or len(pairs) != 2 or not _GIVEN_MIDPOINT.search(wording.text):
            return
        if not any(free_letters(each) for row in rows for each in row):
            sums = (apply("+", one, other) for one, other in zip(*rows, strict=True))
            self._middle = tuple(apply("/", each, number(2)) for each in sums)

    def learn(self, chain: Chain) -> None:
        """Keep an equation of x and y with both squares."""
        members = chain.members
        if len(members) != 2 or chain.relations[0].text != "=" or chain.is_cut:
            return
        left, right = members
        if isinstance(left, Solutions) or isinstance(right, Solutions):
            return
        if free_letters(left) == {"x", "y"} and not free_letters(right) and _is_quadratic(left):
            self._circle = (left, right)

    def read(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield the points, midpoints and circles of a sentence."""
        if sentence.section != self._section:
            self._known, self._section, self._vectors = {}, sentence.section, {}
        text = wording.text
        for match in _COORDINATE.finditer(text) if " = " in text else ():
            value = Found(wording, match).name_values()["value"]
            if not free_letters(value):
                self._known[match["axis"], match["name"].upper()] = value
        if says(_VECTORS, sentence.source):
            yield from _read_vector_sums(sentence)
            yield from self._read_vectors(sentence)
        found = [self._check_circle_in_words(sentence)]
        found += self._read_pairs(wording, sentence) if "@" in text else []
        yield from (Statement(sentence.text, [checks]) for checks in found if checks)

    def _check_circle_in_words(self, sentence: Sentence) -> list[Check]:
        """Return the checks of a circle in words whose equation comes now."""
        if not self._worded or not self._circle or self._worded[0] != sentence.section:
            return []
        checks = self._check_circle(*self._worded[1:])
        self._worded = None
        return checks

    def _read_pairs(self, wording: Wording, sentence: Sentence) -> list[list[Check]]:
        """Return the checks of the points, midpoints and circles of a sentence."""
        text = wording.text
        found = [self._check_points(wording, sentence)]
        middle = _IS_MIDPOINT.search(text)
        if self._middle and middle:
            found.append(_equate(self._middle, _get_pair(wording, middle)))
        if match := _CIRCLE.search(text):
            self._worded = (sentence.section, wording, match) if self._circle is None else None
            found.append(self._check_circle(wording, match))
        return found

    def _read_vectors(self, sentence: Sentence) -> Iterator[Statement]:
        """Keep the coordinates of vectors and points, and yield those of a vector that others
        make."""
        source = sentence.quote()
        if sentence.section != self._section or sentence.is_disowned:
            return
        for match in _VECTOR_IS.finditer(source):
            name, row = re.sub("[^A-Z]", "", match["name"]), (_read(match["x"]), _read(match["y"]))
            if None in row:
                continue
            x, y = cast("tuple[Fraction, Fraction]", row)
            expected = self._find_vector(name)
            self._vectors[name] = (x, y)
            if len(name) == 2 and expected:
                is_right = (x, y) == expected
                why = f"it is ({expected[0]} ; {expected[1]})"
                yield Statement(match[0], [[Known("right") if is_right else Known("wrong", why)]])

    def _find_vector(self, name: str) -> tuple[Fraction, Fraction] | None:
        """Return the coordinates of a vector from its points, or from two vectors that make it;
        None: they are not known."""
        first, last = name[0], name[-1]
        known = self._vectors
        if first in known and last in known and first != last:
            return known[last][0] - known[first][0], known[last][1] - known[first][1]
        for middle in {each[1] for each in known if len(each) == 2 and each[0] == first}:
            if middle != last and middle + last in known:
                one, other = known[first + middle], known[middle + last]
                return one[0] + other[0], one[1] + other[1]
        return None

    def _check_points(self, wording: Wording, sentence: Sentence) -> list[Check]:
        checks: list[Check] = []
        for match in _POINT.finditer(wording.text):
            start, _ = wording.places[wording.marks.index(match.start("point"))]
            if sentence.source[start - 1 : start] in _PRIMES:  # `A'(2 ; -3)` is not A
                continue
            known = [self._known.get((axis, match["name"])) for axis in "xy"]
            if known[0] and known[1]:
                checks += _equate((known[0], known[1]), _get_pair(wording, match))
        return checks

    def _check_circle(self, wording: Wording, match: re.Match[str]) -> list[Check]:
        """Return the checks that four points of the circle solve its equation."""
        centre = _get_pair(wording, match)
        values = wording.values[wording.marks.index(match.start("radius"))]
        if len(centre) != 2 or isinstance(values, Solutions) or self._circle is None:
            return []
        (across, up), (left, right) = centre, self._circle
        points = [(apply(sign, across, values), up) for sign in "+-"]
        points += [(across, apply(sign, up, values)) for sign in "+-"]
        if any(free_letters(each) for point in points for each in point):
            return []
        placed = [{"x": x, "y": y} for x, y in points]
        return [Pair(substitute(left, each), "=", substitute(right, each)) for each in placed]


def _get_pair(wording: Wording, match: re.Match[str]) -> tuple[Expr, ...]:
    """Return the coordinates of a match's point; empty: it has more or fewer than two."""
    found = wording.values[wording.marks.index(match.start("point"))]
    row = found.elements[0] if isinstance(found, Solutions) and found.elements else ()
    return row if len(row) == 2 else ()


def _equate(known: tuple[Expr, ...], claimed: tuple[Expr, ...]) -> list[Check]:
    if len(claimed) != len(known) or any(map(free_letters, claimed)):
        return []
    return [claim(one, other) for one, other in zip(known, claimed, strict=True)]


def _is_quadratic(expr: Expr) -> bool:
    """Return whether an expression has the square of x or of a sum with x, and the same for y."""
    squares = (
        free_letters(node.args[0])
        for node in walk(expr)
        if isinstance(node, Apply) and node.op == "^" and node.args[1] == number(2)
    )
    found = list(squares)
    return {"x"} in found and {"y"} in found


def _read_vector_sums(sentence: Sentence) -> Iterator[Statement]:
    """Yield the sums of a sentence such as `AB + BC = AC`, in which each vector begins where the
    one before it ends."""
    first, last = sentence.tokens[0], sentence.tokens[-1]
    for match in _VECTOR_SUM.finditer(sentence.source, first.start, last.end):
        members = [
            re.findall("[A-Z]{2}", re.sub(r"[ {}]", "", each)) for each in match[0].split("=")
        ]
        for left, right in pairwise(members):
            is_path = all(one[1] == other[0] for one, other in pairwise(left))
            if len(left) > 1 and len(right) == 1 and is_path:
                total = left[0][0] + left[-1][1]
                is_right = right[0] == total
                verdict = Known("right") if is_right else Known("wrong", f"the sum is {total}")
                yield Statement(match[0], [[verdict]])

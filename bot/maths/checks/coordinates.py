"""Check points against their coordinates, midpoints against the question, circles against their
equations, and sums of vectors against the relation of Chasles.

`x_G = 6`, `y_G = 3`, then `G(6 ; 3)`; `Milieu de A(3 ; -7) et B(5 ; 1)` and `I(4 ; -3)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Final, cast

from bot.maths.exact.algebra_questions import Check, Known, Pair, Statement
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
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.prose import Sentence
from bot.maths.reading.sentence_cues import says
from bot.maths.reading.wording import Found, Wording, claim

_COORDINATE: Final = re.compile(
    r"\b(?P<axis>[xy])_?(?P<name>[A-Za-z])(?: = #)* = (?P<value>#)(?! [=+*/-])"
)
_POINT: Final = re.compile(r"\b(?P<name>[A-Z]) (?P<point>@)")
_PRIMES: Final = ("'", "’", "′")
_MIDPOINT: Final = re.compile(r"\b(?:milieu|midpoint)\b")
_IS_MIDPOINT: Final = re.compile(
    r"\b(?:milieu|midpoint)\b(?: (?:est|is|vaut|a|pour|donc|le|the|point|coordonnees|de|du|of"
    r"|segment|\[|\]|[A-Z]{1,2}|:|=|are|sont))* (?P<point>@)"
)
_CIRCLE: Final = re.compile(
    r"\b(?:centre|center)\b[^@#]* (?P<point>@)[^@#%]*\b(?:rayon|radius)"
    r"(?: (?:[rR]|est|vaut|de|is|egale?|a|of|=|donc))* (?P<radius>#)"
)


_VECTORS: Final = re.compile(
    r"\\vec\b|\\overrightarrow|\u20d7|[Vv]ecteurs?\b|[Cc]hasles|[Vv]ectors?\b"
)
_VECTOR: Final = (
    r"(?:\\(?:vec|overrightarrow) ?\{ ?[A-Z] ?[A-Z] ?\}"
    r"|(?<![A-Za-z\\])[A-Z][A-Z](?![A-Za-z])\u20d7?)"
)
_SUM_OF_VECTORS: Final = rf"{_VECTOR}(?: ?\+ ?{_VECTOR})"
_VECTOR_SUM: Final = re.compile(
    rf"(?<![-−+*/\d)}}] )(?<![-−+*/\d)}}]){_SUM_OF_VECTORS}+(?: ?= ?{_SUM_OF_VECTORS}*)+"
    r"(?! ?[-−+*/])"
)
"""Vectors between points that are added, and what they are equal to."""


_NUMBER: Final = r"[-−]?\s?\d+(?:[.,]\d+)?"
_VECTOR_IS: Final = re.compile(
    r"(?<![A-Za-z'’′])(?P<name>\\(?:vec|overrightarrow) ?\{ ?[A-Z] ?[A-Z] ?\}"
    r"|(?<![+\\{])[A-Z](?![A-Za-z_']))"
    r"(?: ?= ?(?:\\(?:vec|overrightarrow) ?\{ ?[A-Z]{2} ?\} ?[+=]? ?)+)?[\s$]*"
    r"(?:(?:a pour|has)(?: pour)? (?:coordonnées|coordonnees|composantes|coordinates)[\s$]*|= ?)?"
    rf"(?:\\left)?\( ?(?P<x>{_NUMBER}) ?[;,] ?(?P<y>{_NUMBER}) ?(?:\\right)?\)"
)


def _read(text: str) -> Fraction | None:
    values = read_values(re.sub(r"[-−\s]", "", text))
    sign = -1 if text[0] in "-−" else 1
    return sign * min(values) if len(values) == 1 else None


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
        """Keep the midpoint of the two points of the question."""
        pairs = [each for each in wording.values if isinstance(each, Solutions)]
        rows = [row for each in pairs for row in each.elements if len(row) == 2]
        if len(rows) != 2 or len(pairs) != 2 or not _MIDPOINT.search(wording.text):
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
        source = sentence.source[sentence.tokens[0].start : sentence.tokens[-1].end]
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

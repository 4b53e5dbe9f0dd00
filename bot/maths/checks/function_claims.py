"""Check what a text says of functions, expressions, lines and parabolas.

Of the function that it studies, the last one that it defines or the only expression of the
question: its derivative, limits, asymptotes, extrema, and where its curve meets the axes. Checks
for the rules of `claims.txt` follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import gcd
from typing import Final, NamedTuple

from bot.maths.checks.function_properties import (
    CUES,
    PROPERTIES,
    StatedValues,
    check_signs,
    check_tangent,
    find_subject,
    find_tangent_place,
    is_unsure,
    speaks_of_derivative,
)
from bot.maths.checks.stated_forms import has_call, is_call, may_derive
from bot.maths.checks.stated_relations import get_call
from bot.maths.exact.algebra_questions import (
    Check,
    Derivative,
    Equation,
    Identity,
    Known,
    Pair,
    Region,
    Statement,
)
from bot.maths.exact.arithmetic import Undecidable, write_number
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    apply,
    free_letters,
    has_operation,
    number,
    substitute,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import is_piecewise, is_supposed, says
from bot.maths.reading.notation import read_expression
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import THEN
from bot.maths.reading.wording import Found, Wording, claim, get_dimensions, plain, whole

_CUES: Final = re.compile(
    r"limite?s?\b|\blim\b|asympto|converge|tend|→|minim|maxim|extrem|axe|axis|axes"
)
_OPERATIONS: Final = {
    "derivative": re.compile(r"\b(?:deriv\w+|differentiate)\b"),
    "primitive": re.compile(r"\b(?:primitives?|antiderivatives?|integr\w+)\b"),
}
_RESTRICTED: Final = re.compile(r"\bdefini\w* (?:sur|on|pour)\b|\bsur \$?[\[\]]|\bintervalle\b")
"""Words by which a function is studied on an interval."""
_PARTS: Final = ("u", "v", "w")
_SLOPE: Final = read_expression("dy/dx")
"""Letters of the parts of a product or quotient."""
_FARTHEST: Final = 3
"""Most paragraphs or list items between `u = 2x + 3` and `u' = 2`."""
_CONSTANTS: Final = ("C", "c", "K", "k")
"""Letters for the constant of a primitive."""
_END: Final = r"(?= (?:[.,;:!)]|et|and|quand|lorsque|when|as|en|at|car|on|ce|so|donc)(?: |$)|$)"
_IS: Final = rf"(?: (?:{THEN}|est|vaut|is|equals?|=|egale?|a|to|cherchee|finie|de|:))+"
_TENDS: Final = r"\b[xtn] (?:tend vers|→|tends to|approaches)"
_POINT: Final = re.compile(rf"(?:\b(?:en|at)|{_TENDS}) (#)")
_OWN_POINT: Final = re.compile(rf"{_TENDS} (#)")
"""The point of a limit, and that of an expression that only one sentence is about."""
_SEQUENCE: Final = re.compile(r"\b([a-zA-Z])_?n\b")
_LIMITS: Final = (
    re.compile(rf"\b(?:converge\w*) (?:(?:donc|bien|alors) )*(?:vers|to) (?P<c>#){_END}"),
    re.compile(
        rf"\blimite?(?: [a-z]+){{0,2}}(?: (?:en|at) #|(?: \w+)? {_TENDS[2:]} #)?"
        rf"{_IS} (?P<c>#){_END}"
    ),
    re.compile(
        rf"(?P<f>#|\b[a-zA-Z]_?n)(?: (?:→|tend|tends))(?: (?:{THEN}|vers|to))* (?P<c>#)" + _END
    ),
    re.compile(rf"\blim (?P<f>#|[a-zA-Z]_?n) = (?P<c>#){_END}"),
    re.compile(
        r"\blimites?(?: (?:en|at) #)? (?:de|d|of)(?: \w =)? (?P<f>#)"
        r"(?:(?: (?:en|at)| \w+ \w (?:tend vers|tends to|→)) #|[^@]* (?:la|cette|sa) limite)?"
        rf"{_IS} (?P<c>#){_END}"
    ),
    re.compile(
        rf"(?P<f>#)(?: = #)*(?: [,;])?(?: (?:{THEN}|et|and|la|sa|its|the))+ limite?"
        rf"{_IS} (?P<c>#){_END}"
    ),
)
"""Phrases with a limit; `f` is what has it, if the phrase names it."""
_ASYMPTOTES: Final = (
    re.compile(
        r"\b(?P<name>[xy]) = (?P<c>#) (?:(?:est|is|pour|comme|as|donc|une?|an?|the|l|for|droite) )*"
        r"(?:asymptotes? )?(?P<kind>horizontal|oblique|vertical)"
    ),
    re.compile(
        r"\b(?P<kind>horizontal|oblique|vertical)\w*\b(?! [^#@.,;]*[xy] = # (?:est|is|pour)\b)"
        r"(?: en (?:[-+] )?#)?[^#@.,;]* (?P<name>[xy]) = (?P<c>#)"
    ),
)
"""Asymptotes with the letter and value of their equations."""
_VALUE: Final = rf"(?:est|vaut|valant|is|=|egale?|equals?|valeur|value)(?: (?:{THEN}|a|to|de|of))*"
_EXTREMA: Final = (
    re.compile(
        rf"\b(?:minimum|maximum|extremum)[^#@.]*{_VALUE} (?P<c>#)"
        r"[^#@.]*\b(?:attein\w*|obtenu\w*|pour|en|at|when|reached|quand)\b[^#@.]*? (?P<a>#)"
    ),
    re.compile(
        r"\b(?:minimum|maximum|extremum)(?: [a-z]+){0,3} (?:en|pour|at)(?: [a-z] =)? (?P<a>#)"
        rf"[^#@.]*\b{_VALUE} (?P<c>#)"
    ),
)
_PLACE: Final = re.compile(
    r"\b(?:admet|atteint|possede|presente|has|reaches)\b[^#@.]*\b(?:minimum|maximum|extremum)"
    rf"(?: [a-z]+){{0,2}} (?:en|pour|at)(?: [a-z] =)? (?P<a>#){_END}"
)
_MEETS: Final = re.compile(
    r"\b(?:coupe|rencontre|traverse|cross|cut|intersect|meet|intersection|passe)\w*\b"
)
_UP: Final = re.compile(
    r"\b(?:axe des ordonnees|axe \(? ?oy ?\)?|y(?: -)? axis)"
    r"(?: (?:en|at|au|point|d|l|ordonnee|the|where|pour|y|=|a|in))* (?P<c>#|@)"
)
_ACROSS: Final = re.compile(
    r"\b(?:axe des abscisses|axe \(? ?ox ?\)?|x(?: -)? axis)"
    r"(?: (?:en|at|au|aux|points?|d|l|abscisses?|the|where|pour|x|=|a|in))* (?P<c>#|@)"
    r"(?: (?:et|and)(?: (?:en|at|x|=))* (?P<d>#|@))?"
)

_SCALE: Final = 10**6
"""A factor by which a difference from 0 is no mere rounding."""


class _Function(NamedTuple):
    letter: str
    body: Expr
    name: str
    """Empty for an expression of the question."""


_TRINOMIAL: Final = re.compile(r"\b(?:signe?|trinome|polynome|quadratic|trinomial)\b")
_TITLE: Final = re.compile(
    r"\W*(?:(?:ensemble|domaine|limites?|signe|sens|variations?|etud\w*|parite|equation|tangente"
    r"|calcul\w*|determin\w*|domain|limit|study|find|sign)\b(?:(?! si | if )[^:])*:|let\b)"
)
"""Beginnings of a sentence that names a function to study: `Limite en +∞ de f(x) = 1/x :`."""
_EXAMPLE: Final = re.compile(r"\b(?:exemples?|examples?|rappel|reminder)\b")
"""Words of a sentence about another function than the question's."""


class FunctionClaims:
    """The function that a text studies, and the points at which its limits are sought."""

    def __init__(self) -> None:
        self._function: _Function | None = None
        self._asked: _Function | None = None
        """The expression of the question, which a text may call f."""
        self._operations: set[str] = set()
        """What the question asks for: `derivative` or `primitive`."""
        self._defined: set[str] = set()
        """Names of functions."""
        self._forms: dict[str, list[tuple[str, Expr]]] = {}
        """The letters and expressions that each function is given by, all forms of it or not."""
        self._parts: dict[str, tuple[int, Expr]] = {}
        """Expressions that u, v and w stand for, with their paragraphs."""
        self._points: list[Expr] = []
        self._values = StatedValues()
        self._inequality: tuple[Sentence, Equation] | None = None
        """The last inequality for the function, with its sentence."""
        self._trinomials: list[tuple[str, Expr]] = []
        self._touched: Expr | None = None
        """Where the tangent is that the text looks for."""
        self._is_restricted = False

    def learn_question(self, wording: Wording) -> None:
        """Keep the only expression of one letter in the question, and its points."""
        found = [
            value
            for value in wording.values
            if not isinstance(value, Solutions) and has_operation(value) and not has_call(value)
        ]
        bodies = [each for each in found if len(free_letters(each)) == 1]
        letter = next(iter(free_letters(bodies[0]))) if len(bodies) == 1 else ""
        if letter in ("x", "t", "n") and not self._function:
            self._function = self._asked = _Function(letter, bodies[0], "")
        self._operations |= {
            name for name, words in _OPERATIONS.items() if words.search(wording.text)
        }
        self._points += _list_points(wording)
        self._touched = find_tangent_place(wording) or self._touched
        self._is_restricted |= "[" in wording.text or "]" in wording.text

    def learn(self, chain: Chain, sentence: Sentence) -> None:
        """Keep the function or sequence that a chain defines: `f(x) = …`, `u_n = …`."""
        first, second = chain.members[0], chain.members[1]
        self._values.learn(chain, sentence)
        if isinstance(first, Solutions) or isinstance(second, Solutions) or has_call(second):
            return
        self._learn_inequality(chain, first, second, sentence)
        if second == number(0) and free_letters(first) == {"x"} and not has_call(first):
            self._trinomials.append(("x", first))
        if chain.relations[0].text != "=" or chain.is_cut:
            return
        self._learn_form(first, second)
        is_title = is_call(first) and _TITLE.match(sentence.text)
        is_part = isinstance(first, Letter) and first.name in _PARTS
        if is_title or is_part or not is_supposed(chain, sentence):
            self._learn_studied(first, second, sentence)

    def _learn_trinomial(self, wording: Wording) -> None:
        """Keep the expression in `Signe de x² + x + 1`."""
        if not _TRINOMIAL.search(wording.text):
            return
        values = [each for each in wording.values if not isinstance(each, Solutions)]
        found = [each for each in values if free_letters(each) == {"x"} and not has_call(each)]
        if len(found) == 1 and has_operation(found[0]):
            self._trinomials.append(("x", found[0]))

    def _learn_inequality(
        self, chain: Chain, first: Expr, second: Expr, sentence: Sentence
    ) -> None:
        """Keep `P(x) < 0` for the function in hand."""
        relation, function = chain.relations[0].text, self._function
        name, argument = get_call(first)
        is_one = len(chain.members) == 2 and not chain.is_cut and not free_letters(second)
        if relation in ("<", ">", "≤", "≥") and function and is_one:
            is_meant = (name, argument) == (function.name, function.letter)
            known = Equation(function.body, relation, second)
            self._inequality = (sentence, known) if is_meant and is_call(first) else None

    def _check_region(self, chain: Chain, sentence: Sentence) -> Region | None:
        """Return the check of the set in `P(x) < 0 a pour solution S = ]-2 ; 4[`."""
        first, claim = chain.members[0], chain.members[-1]
        known, function = self._inequality, self._function
        if known is None or function is None or known[0] is not sentence or self._is_restricted:
            return None
        if not isinstance(claim, Solutions) or claim.elements or not claim.intervals:
            return None
        if len(chain.members) != 2 or first not in (Letter("S"), Letter(function.letter)):
            return None
        return Region((known[1],), function.letter, claim)

    def _learn_studied(self, first: Expr, second: Expr, sentence: Sentence) -> None:
        """Keep the function, sequence or part that the text goes on with."""
        letters = free_letters(second)
        self._is_restricted |= says(_RESTRICTED, sentence.text)
        if is_piecewise(sentence) and is_call(first):
            self._function = None
            self._forms.pop(get_call(first)[0], None)
        elif is_call(first) and len(letters) == 1:
            name, argument = get_call(first)
            if "'" not in name and {argument} == letters:
                self._function = _Function(argument, second, name)
                self._defined.add(name)
        elif isinstance(first, Letter) and first.name.endswith("_n") and letters == {"n"}:
            self._function = _Function("n", second, first.name)
        elif isinstance(first, Letter) and first.name in _PARTS and len(letters) == 1:
            self._parts[first.name] = (sentence.block, second)

    def _learn_form(self, first: Expr, second: Expr) -> None:
        """Keep an expression of a function or curve: `f(x) = …`, `y = …`."""
        name, letter = ("y", "x") if first == Letter("y") else get_call(first)
        if name and "'" not in name and free_letters(second) == {letter}:
            self._forms.setdefault(name, []).append((letter, second))

    def list_functions(self) -> dict[str, list[tuple[str, Expr]]]:
        """Return the letters and expressions that each function is given by."""
        return self._forms

    def check_call(self, call: Expr, body: Expr, sentence: Sentence) -> Check | None:
        """Return the check of `f'(x) = …` or `F(x) = …` for the expression of the question, which
        asks for it; None: it is another function."""
        asked, (name, argument) = self._asked, get_call(call)
        base = name.rstrip("'")
        if not asked or argument != asked.letter or has_call(body) or base in self._defined:
            return None
        if _EXAMPLE.search(sentence.text):
            return None
        if not free_letters(body) <= {asked.letter, *_CONSTANTS}:
            return None
        is_derivative = name == f"{base}'" and base in ("f", "g", "h")
        if is_derivative and "derivative" in self._operations and may_derive(body, asked.body):
            return Derivative(asked.body, body, asked.letter)
        is_primitive = name in ("F", "G", "H") and "primitive" in self._operations
        return Derivative(body, asked.body, asked.letter) if is_primitive else None

    def check_part(self, chain: Chain, sentence: Sentence) -> Check | None:
        """Return the check of `u' = 2` after `u = 2x + 3`, of `y' = …` or `dy/dx = …` after
        `y = x³`, or of a computation with values of a function; None: there is none."""
        first = chain.members[0]
        if known := self._check_region(chain, sentence) or self._values.check(chain):
            return known
        if is_call(first) and not isinstance(first, Solutions | Letter):
            last = chain.members[-1]
            if isinstance(last, Solutions) or chain.is_cut:
                return None
            return self._values.check_affine(first, last)
        name = "y'" if first == _SLOPE else getattr(first, "name", "")
        values = [each for each in chain.members[1:] if not isinstance(each, Solutions)]
        if not name.endswith("'") or not values or chain.is_cut:
            return None
        block, part = self._parts.get(name.removesuffix("'"), (-1, values[0]))
        curves = self._forms.get("y", ())
        if len(curves) == 1 and (first == _SLOPE or "derivative" in self._operations):
            block, part = (sentence.block, curves[0][1]) if name == "y'" else (block, part)
        if block < 0 or sentence.block - block > _FARTHEST:
            return None
        letter = next(iter(free_letters(part)))
        fitting = [each for each in values if free_letters(each) <= {letter}]
        is_fitting = bool(fitting) and may_derive(fitting[-1], part)
        return Derivative(part, fitting[-1], letter) if is_fitting else None

    def find_function(self, name: str) -> tuple[str, Expr] | None:
        """Return the letter and the expression of the function in hand; None: the text studies it
        on an interval, or it has another name."""
        function = self._function
        if function is None or self._is_restricted:
            return None
        is_meant = not name or function.name in ("", name)
        return (function.letter, function.body) if is_meant else None

    def read(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield the claims of a sentence about the function."""
        self._learn_trinomial(wording)
        if CUES.search(wording.text):
            yield from self._read_properties(wording, sentence)
        if not _CUES.search(wording.text):
            return
        for check in self._find_limits(wording):
            yield Statement(sentence.text, [[check]])
        for readings in self._find(wording, self._function) if self._function else ():
            yield Statement(sentence.text, readings)

    def _read_properties(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield the variations, signs, parity and tangents that a sentence states."""
        self._touched = find_tangent_place(wording) or self._touched
        name = find_subject(wording)
        forms = self._list_studied(name, wording) if name is not None else ()
        if not forms or _EXAMPLE.search(sentence.text):
            return
        if self._touched is not None:
            for checks in check_tangent(wording, forms, self._touched):
                yield Statement(sentence.text, [checks])
        if is_unsure(wording, sentence.text):
            return
        has_signs = not (self._is_restricted or speaks_of_derivative(sentence.text))
        readers = [*PROPERTIES]
        readers += [check_signs] if has_signs else []
        for read in readers:
            for verdict in read(wording, forms):
                yield Statement(sentence.text, [[verdict]])

    def _list_studied(self, name: str, wording: Wording) -> list[tuple[str, Expr]]:
        """Return the forms of the function of a name; empty: it is not the one in hand."""
        if (function := self._function) is None and re.search(
            r"\btrinom|\b(?:expression|elle|it)\b", wording.text
        ):
            return self._trinomials
        if function is None or function.letter == "n" or name not in ("", function.name):
            return []
        return self._forms.get(function.name) or [(function.letter, function.body)]

    def _find_limits(self, wording: Wording) -> Iterator[Check]:
        found = (each for pattern in _LIMITS for each in pattern.finditer(wording.text))
        yield from filter(None, (self._check_limit(Found(wording, each)) for each in found))

    def _find(self, wording: Wording, function: _Function) -> Iterator[list[list[Check]]]:
        if "asymptote" in wording.text:
            found = (each for pattern in _ASYMPTOTES for each in pattern.finditer(wording.text))
            for match in {each.start("c"): each for each in found}.values():
                yield from _check_asymptote(Found(wording, match), function)
        if not self._is_restricted and not re.search(r"[\[\]@]", wording.text):
            yield from _check_extremum(wording, function)
        if _MEETS.search(wording.text):
            yield from _check_axes(wording, function)

    def _check_limit(self, found: Found) -> Check | None:
        values, function = found.name_values(), self._function
        is_other = False
        if "f" in found.match.groupdict() and not (function and _is_name(found, function)):
            function, is_other = _read_body(values.get("f")), True
        if function is None or free_letters(values["c"]) or _names_other(found, function):
            return None
        point = self._find_point(found, function, is_other=is_other)
        if point is None or free_letters(point):
            return None
        claimed = values["c"]
        if isinstance(claimed, Num) and not claimed.is_decimal:  # it is no rounded one
            body = apply("*", number(_SCALE), apply("-", function.body, claimed))
            return Pair(_make_limit(function, point, body=body), "=", number(0))
        return claim(_make_limit(function, point), claimed)

    def _find_point(self, found: Found, function: _Function, *, is_other: bool) -> Expr | None:
        """Return where a limit is: as the sentence says, or for the function in hand the text."""
        start, end = found.match.span()
        text = found.wording.text
        pattern = _OWN_POINT if is_other and "limit" not in found.match[0] else _POINT
        places = [each.start(1) for each in pattern.finditer(text)]
        after = [each for each in places if each >= end and not re.search("[,.;]", text[end:each])]
        before = [place for place in places if place < end and place != found.match.start("c")]
        known = [_get_number(found.wording, place) for place in (*after[:1], *before[-1:])]
        point = next(filter(None, known), None)
        if point is None and not is_other:
            is_sequence, is_one = function.letter == "n", len(self._points) == 1
            return Letter("∞") if is_sequence else self._points[0] if is_one else None
        is_far = bool(before) and not after and "." in text[before[-1] : start]
        return None if is_far else point


def _names_other(found: Found, function: _Function) -> bool:
    """Return whether the last sequence that is named before a limit is not the one in hand."""
    named = _SEQUENCE.findall(found.wording.text[: found.match.end()])
    return bool(named and function.letter == "n" and function.name[:1] not in ("", named[-1]))


def _is_name(found: Found, function: _Function) -> bool:
    """Return whether what has a limit is the function in hand."""
    named = found.name_values().get("f")
    if named is not None:
        return named == function.body or _is_of(named, function)
    return found["f"].replace("_", "") in ("un", "Un", "vn", "Vn") and function.letter == "n"


def _read_body(expr: Expr | None) -> _Function | None:
    """Return the function that an expression of one letter is; None: it is none."""
    if expr is None or not has_operation(expr) or has_call(expr):
        return None
    letter, *others = sorted(free_letters(expr)) or [""]
    return _Function(letter, expr, "") if letter in ("x", "t", "n") and not others else None


def _is_of(call: Expr, function: _Function) -> bool:
    """Return whether an expression is a function of the letter: `f(x)`."""
    return isinstance(call, Apply) and is_call(call) and call.args[1:] == (Letter(function.letter),)


def _get_number(wording: Wording, place: int) -> Expr | None:
    value = wording.values[wording.marks.index(place)] if place in wording.marks else None
    return None if isinstance(value, Solutions) else value


def _list_points(wording: Wording) -> list[Expr]:
    places = (each.start(1) for each in _POINT.finditer(wording.text))
    return [value for place in places if (value := _get_number(wording, place))]


def _make_limit(function: _Function, point: Expr, *, body: Expr | None = None) -> Expr:
    return apply("limit", body or function.body, Letter(function.letter), point, Letter(""))


def _check_asymptote(found: Found, function: _Function) -> Iterator[list[list[Check]]]:
    """Read `l'asymptote horizontale d'équation y = 2`: a limit at one of the ends."""
    value, letter = found.name_values()["c"], function.letter
    if (found["kind"] == "vertical") != (found["name"] == "x"):
        return
    if found["kind"] == "vertical":
        if not free_letters(value):
            body = apply("abs", function.body)
            yield [[Pair(_make_limit(function, value, body=body), "=", Letter("∞"))]]
    elif free_letters(value) <= {letter}:
        distance = apply("*", number(_SCALE), apply("-", function.body, value))
        ends = (Letter("∞"), apply("neg", Letter("∞")))
        yield [[Pair(_make_limit(function, end, body=distance), "=", number(0))] for end in ends]


def _check_extremum(wording: Wording, function: _Function) -> Iterator[list[list[Check]]]:
    """Read `Le minimum est 1, atteint en x = 3`, or only its place."""
    slope = apply("derive", function.body, Letter(function.letter))
    for pattern in _EXTREMA:
        if match := pattern.search(wording.text):
            values = Found(wording, match).name_values()
            if not free_letters(values["a"]) | free_letters(values["c"]):
                height = substitute(function.body, {function.letter: values["a"]})
                yield [[claim(height, values["c"])]]
            return
    if match := _PLACE.search(wording.text):
        place = Found(wording, match).name_values()["a"]
        if not free_letters(place):
            yield [[Pair(apply("at", slope, Letter(function.letter), place), "=", number(0))]]


def _check_axes(wording: Wording, function: _Function) -> Iterator[list[list[Check]]]:
    """Read where the curve crosses the axes."""
    zero = number(0)
    for pattern, is_up in ((_UP, True), (_ACROSS, False)):
        match = pattern.search(wording.text)
        for group in ("c", "d") if match else ():
            place = match.start(group) if match and group in match.groupdict() else -1
            found = wording.values[wording.marks.index(place)] if place >= 0 else None
            if found is None:
                continue
            row = found.elements[0] if isinstance(found, Solutions) else (zero, found)
            if not isinstance(found, Solutions) and not is_up:
                row = (found, zero)
            if any(free_letters(each) for each in row) or len(row) != 2:
                continue
            height = substitute(function.body, {function.letter: row[0]})
            yield [[claim(height, row[1]), Pair(row[0 if is_up else 1], "=", zero)]]


def _get_value(found: Found, place: int) -> Expr | None:
    """Return the number whose mark stands at a place of the text; None: it is a set."""
    value = found.wording.values[found.wording.marks.index(place)]
    return None if isinstance(value, Solutions) else value


def _find_expression(found: Found, places: Sequence[int]) -> tuple[Expr, str] | None:
    """Return the last computation with one letter at some places, and its letter."""
    for place in reversed(places):
        value = _get_value(found, place)
        letters = sorted(free_letters(value)) if value else []
        if value and len(letters) == 1 and has_operation(value):
            return value, letters[0]
    return None


def _check_same_form(found: Found) -> list[Check] | None:
    """Read `6x - 15 + 4, soit 6x - 11`: one expression of some letters in two forms."""
    values = found.name_values()
    are_alike = free_letters(values["e"]) == free_letters(values["c"])
    return _check_identity(found) if are_alike else None


_MOST_LETTERS: Final = 3
"""Most letters of an expression that is written in another form."""


def _check_identity(found: Found) -> list[Check] | None:
    """Read `(x² - 9)/(x + 3), pour x ≠ -3, donne x - 3`."""
    values = found.name_values()
    one, other = values["e"], values["c"]
    is_alike = 0 < len(free_letters(one)) <= _MOST_LETTERS and free_letters(other) <= free_letters(
        one
    )
    return [Identity(one, other, "claimed")] if is_alike and has_operation(one) else None


def _check_midpoint(found: Found) -> list[Check]:
    """Read `A(1 ; 2) et B(7 ; 10). … Le milieu est I(4 ; 6)`."""
    values = found.name_values()
    sums = [apply("+", values[one], values[other]) for one, other in ("xz", "yt")]
    twice = [apply("*", number(2), values[name]) for name in "ab"]
    return [Pair(one, "=", other) for one, other in zip(sums, twice, strict=True)]


def _check_equal(found: Found) -> list[Check]:
    """Read `L'écriture binaire de 25 est 11001. Celle de 22 est 10110`."""
    values = found.name_values()
    return [Pair(values["a"], "=", values["c"])]


def _check_through(found: Found) -> list[Check] | None:
    """Read `La droite passant par (0 ; 1) et (2 ; 5) a pour équation y = 2x + 1`."""
    values = found.name_values()
    if free_letters(values["e"]) != {"x"}:
        return None
    return [
        Pair(substitute(values["e"], {"x": values[x]}), "=", values[y]) for x, y in ("xy", "zt")
    ]


def _check_double_root(found: Found) -> list[Check] | None:
    """Read `Pour x² - 10x + 25, Δ = 0 et la racine double est 5`."""
    end = found.match.start("c")
    expression = _find_expression(found, [each for each in found.wording.marks if each < end])
    if expression is None or found.has("Δ ≠"):
        return None
    value, letter = expression
    return [Pair(substitute(value, {letter: found.name_values()["c"]}), "=", number(0))]


def _check_irreducible(found: Found) -> list[Check] | None:
    """Read `La fraction irréductible égale à 24/36 est 2/3`."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    if not isinstance(other, Apply) or other.op != "/":
        return None
    common = gcd(*(whole(each) for each in other.args))
    is_reduced = common == 1 or plain(one) != plain(other)
    return [Pair(one, "=", other) if is_reduced else Known("wrong", f"both divide by {common}")]


def _check_binary(found: Found) -> list[Check] | None:
    """Read `Le nombre binaire 1011 vaut 11`."""
    written, claimed = (whole(found.name_values()[name]) for name in "ac")
    if set(str(written)) - {"0", "1"}:
        return None
    return [Pair(number(int(str(written), 2)), "=", number(claimed))]


def _check_groups(found: Found) -> list[Check] | None:
    """Read `4 boîtes de 12 œufs font 48 œufs`."""
    count, size, claimed = (found.name_values()[name] for name in "abc")
    if get_dimensions(size) != get_dimensions(claimed):
        return None
    return [claim(apply("*", count, size), claimed)]


def _check_greatest(found: Found) -> list[Check]:
    """Read `Entre 2/3 et 3/4, le plus grand est 3/4`. Raises `Undecidable`: it is neither."""
    values = found.name_values()
    one, other, claimed = (plain(values[name]) for name in "abc")
    if claimed not in (one, other):
        raise Undecidable("It is another number.")
    is_least = found["how"].startswith("petit") or found["en"] == "small"
    expected = min(one, other) if is_least else max(one, other)
    return [Pair(number(claimed), "=", number(expected))]


def _check_triangle(found: Found) -> list[Check]:
    """Read `Un triangle de côtés 3, 4 et 8 n'existe pas`."""
    *short, longest = sorted(plain(found.name_values()[name]) for name in "abc")
    is_possible, is_denied = longest < sum(short), bool(found["no"] or found["not"])
    why = f"{write_number(longest)} is {'less' if is_possible else 'not less'} than the other two"
    return [Known("right") if is_possible != is_denied else Known("wrong", why)]


def _check_converted_to(found: Found) -> list[Check] | None:
    """Read `Convertir 3,2 km en m : 3 200 m`."""
    values = found.name_values()
    is_alike = get_dimensions(values["a"]) == get_dimensions(values["c"]) != ()
    return [claim(values["a"], values["c"])] if is_alike else None


def _check_simple_interest(found: Found) -> list[Check] | None:
    """Read `Un capital de 100 000 F placé à 5 % pendant 2 ans rapporte 10 000 F`."""
    values = found.name_values()
    lasted = values["n"]
    if not isinstance(lasted, Quantity) or lasted.unit not in ("an", "ans", "année", "années"):
        return None
    years = number(plain(lasted.number))
    return [claim(apply("*", apply("*", values["a"], values["p"]), years), values["c"])]


# Lines, parabolas, circles ------------------------------------------------------------------------


def _find_slope(line: Expr) -> Fraction:
    """Return the slope of `y = 2x + 1`. Raises `Undecidable`: it is no line."""
    letters = free_letters(line)
    if not letters <= {"x"}:
        raise Undecidable("It is no function of x.")
    zero, one, two = (plain(substitute(line, {"x": number(x)})) for x in range(3))
    if two - one != one - zero:
        raise Undecidable("It is no line.")
    return one - zero


def _check_placed(found: Found) -> list[Check] | None:
    """Read `2x + 3 pour x = 2 vaut 7`, `a/b avec a = 12 et b = -3 vaut -4`."""
    values = found.name_values()
    names = re.findall(r"\b([a-zA-Z]) = #", found["where"])
    placed = dict(zip(names, found.list_values("where"), strict=True))
    if free_letters(values["e"]) != placed.keys() or any(map(free_letters, placed.values())):
        return None
    return [claim(substitute(values["e"], placed), values["c"])]


def _check_lines(found: Found) -> list[Check]:
    """Read `Les droites y = 2x + 1 et y = 2x - 3 sont parallèles`."""
    values = found.name_values()
    one, other = (_find_slope(values[name]) for name in "ed")
    is_so = {
        "parallel": one == other, "perpendic": one * other == -1, "secant": one != other,
        "confond": values["e"] == values["d"],
    }[found["how"]]  # fmt: skip
    why = f"their slopes are {write_number(one)} and {write_number(other)}"
    return [Known("right") if is_so else Known("wrong", why)]


def _check_slope(found: Found) -> list[Check]:
    """Read `La droite 2x + y - 4 = 0 a pour pente -2`. Raises `Undecidable`: it is no line."""
    values = found.name_values()
    sides = apply("-", values["e"], values["d"])
    if free_letters(sides) != {"x", "y"}:
        raise Undecidable("It is no equation of x and y.")
    zero, at_x, at_y, at_both, far = (
        plain(substitute(sides, {"x": number(x), "y": number(y)}))
        for x, y in ((0, 0), (1, 0), (0, 1), (1, 1), (3, 5))
    )
    along, up = at_x - zero, at_y - zero
    if at_both - zero != along + up or far - zero != 3 * along + 5 * up:
        raise Undecidable("It is no line.")
    return [Pair(number(-along / up), "=", values["c"])]


def _check_vertex(found: Found) -> list[Check]:
    """Read `Le sommet de la parabole y = x² - 6x + 5 est le point (3 ; -4)`. Raises `Undecidable`:
    it is no parabola."""
    values = found.name_values()
    before, zero, after, far = (
        plain(substitute(values["e"], {"x": number(x)})) for x in (-1, 0, 1, 3)
    )
    a, b = (after + before) / 2 - zero, (after - before) / 2
    if 9 * a + 3 * b + zero != far or not a:
        raise Undecidable("It is no parabola.")
    x = -b / (2 * a)
    y = a * x * x + b * x + zero
    return [Pair(number(x), "=", values["a"]), Pair(number(y), "=", values["b"])]


def _check_dot(found: Found) -> list[Check] | None:
    """Read `u(1 ; 2) et v(2 ; -1) : u·v = 0`."""
    values = found.name_values()
    if values["p"] != apply("*", Letter(found["u"]), Letter(found["v"])):
        return None
    products = [apply("*", values[one], values[other]) for one, other in ("xz", "yt")]
    return [Pair(apply("+", *products), "=", values["c"])]


def _check_circle(found: Found) -> list[Check] | None:
    """Read `L'équation (x - 1)² + y² = 16 est celle d'un cercle de rayon 4`."""
    values = found.name_values()
    squares = values["e"].args if isinstance(values["e"], Apply) else ()
    are_squares = len(squares) == 2 and all(
        isinstance(each, Apply) and each.op == "^" and each.args[1] == number(2) for each in squares
    )
    if not are_squares or free_letters(values["e"]) != {"x", "y"}:
        return None
    return [Pair(apply("^", values["c"], number(2)), "=", values["d"])]


FUNCTION_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "identity": _check_identity, "same_form": _check_same_form,
    "midpoint": _check_midpoint, "equal": _check_equal,
    "double_root": _check_double_root, "through": _check_through,
    "greatest": _check_greatest, "triangle": _check_triangle, "converted_to": _check_converted_to,
    "dot": _check_dot,
    "irreducible": _check_irreducible, "binary": _check_binary, "groups": _check_groups,
    "simple_interest": _check_simple_interest, "lines": _check_lines, "slope": _check_slope,
    "placed": _check_placed,
    "vertex": _check_vertex, "circle": _check_circle,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""

"""Check the numbers that are put in formulas.

The operation of `R = U : I = 6 × 0,05`, numbers whose unit is no basic one (`5 × 2 000 = 10 000 W`
beside `2 000 mA`), the angle of `sin r ≈ 0,429 et r ≈ 25,4°`, a law such as `si la vitesse double,
l'énergie cinétique est multipliée par 4`; formulas of quantities that the text has given: `AC = 15
cm`, `AN = 6 cm`, and then `NC = AC - AN = 9 cm`; positions, velocities and accelerations of one
motion with each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from bot.maths.checks.passages import Line, Passage, read_signed, write_number
from bot.maths.checks.stated_forms import get_segment
from bot.maths.exact.algebra_questions import Check, Derivative, Statement, decide
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    free_letters,
    has_operation,
    has_units,
    list_units,
    substitute,
    walk,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import begins_anew, is_supposed
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import DIGITS
from bot.maths.reading.wording import claim


def read_formula_numbers(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer computes by formulas."""
    own = passage.own
    yield from _read_operations(own)
    yield from _read_prefixed(passage, own)
    yield from _read_angles(own)
    yield from _read_laws(own)


# Operations ---------------------------------------------------------------------------------------

_NUMBER: Final = rf"{DIGITS}(?: ?[a-zA-ZΩ]{{1,2}})?"
_BY_COLON: Final = re.compile(
    rf"\b[A-Za-z] = [A-Za-z] ?[:÷] ?[A-Za-z] = (?P<s>{_NUMBER} ?× ?{_NUMBER}) [=≈]"
)


def _read_operations(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `R = U : I = 6 × 0,05 = 0,3 Ω`, in which the numbers are multiplied."""
    for line in lines:
        for found in _BY_COLON.finditer(line.cased):
            yield decide(found[0], "the formula divides, the computation multiplies")


# Units --------------------------------------------------------------------------------------------

_COMPUTED: Final = re.compile(
    rf"(?<![\d,.×*/÷:+(-])(?<![×*/÷:+(-] )(?P<a>{DIGITS}) ?(?P<op>[×x*/:÷]) ?(?P<b>{DIGITS})"
    rf" [=≈] {DIGITS} ?(?P<u>mol/L|g/L|kg/m³|m/s|Ω|V|W|J|N|A|Pa|δ)(?![\w/²³])"
)
_SMALL: Final = {
    "mol/L": "mL|cL", "g/L": "mL|cL|mg|kg", "m/s": "km|cm|min|h", "δ": "cm|mm",
    "kg/m³": "g|cm³|dm³|L", "Ω": "mA|mV|kV", "V": "mA|kΩ", "W": "mA|mV|kV|kJ|min|h",
    "J": "mA|kW|g|cm|mm|km|min|h", "N": "g|cm|mm|kPa|bar", "A": "mV|kΩ|kW|mA", "Pa": "cm²|dm²|kN",
}  # fmt: skip
"""The units that do not go with a result in each unit, if the formula has no factor for them."""


def _read_prefixed(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `P = 5 × 2 000 = 10 000 W` beside `2 000 mA`; two such units may make up for each
    other."""
    text = " ".join([line.cased for line in (*passage.given, *passage.lines)])
    for line in lines:
        for found in _COMPUTED.finditer(line.cased):
            units = [_list_units(each, text) for each in (found["a"], found["b"])]
            small = set(_SMALL[found["u"]].split("|"))
            bad = [bool(each) and each <= small for each in units]
            known = [each for each in units if each]
            if len(known) == 2 and bad[0] != bad[1]:
                place = bad.index(True)
                unit = min(units[place])
                yield decide(found[0], f"{found['ab'[place]]} is in {unit}")


def _list_units(number: str, text: str) -> set[str]:
    """Return the units with which a text gives a number."""
    pattern = (
        rf"(?<![\d.,]){re.escape(number)} ?((?:[a-zA-ZΩµ]{{1,3}}[²³]?(?:/[a-zA-Z³²]+)?|δ|°))(?!\w)"
    )
    return {each for each in re.findall(pattern, text) if each not in _NO_UNITS}


_NO_UNITS: Final = frozenset(("et", "x", "de", "la", "le", "ou", "par", "sur", "les", "des", "a"))

# Angles -------------------------------------------------------------------------------------------

_RATIO: Final = re.compile(
    r"\b(?P<f>sin|cos|tan) ?\(?(?P<x>[a-zA-Zα-ω]{1,3}\d?)\)? [=≈] (?:[^=≈;]{1,40} [=≈] ){0,3}"
    r"(?P<n>0,\d{2,4})(?!\d)"
)


def _read_angles(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `sin r = 0,643/1,5 ≈ 0,429 et r ≈ 25,4°`."""
    text = " ".join(line.text for line in lines)
    for found in _RATIO.finditer(text):
        name = re.escape(found["x"])
        shown = re.search(
            rf"(?<![\w(])(?:l'angle )?{name} [=≈] (?P<d>{DIGITS}) ?°", text[found.end() :][:80]
        )
        if shown is None:
            continue
        expected = math.degrees(getattr(math, f"a{found['f']}")(read_signed(found["n"])))
        is_right = abs(expected - read_signed(shown["d"])) <= _CLOSE
        yield decide(shown[0], "" if is_right else f"it is about {expected:.1f}°")


_CLOSE: Final = 1.1
"""Degrees by which an angle may be off that is told from a rounded ratio."""


# Laws of growth -----------------------------------------------------------------------------------

_TIMES: Final = (
    r"(?:double\w*|triple\w*|quadruple\w*|est (?:donc )?(?:multipliee?|divisee?) par "
    rf"(?:{DIGITS}|deux|trois|quatre|neuf|seize))"
)
_NAMED: Final = {"deux": 2, "trois": 3, "quatre": 4, "neuf": 9, "seize": 16}
_VERBS: Final = {"double": 2, "triple": 3, "quadruple": 4}
_LAWS: Final = (
    (r"vitesse", r"energie cinetique", 2),
    (r"masse", r"energie cinetique", 1),
    (r"vitesse", r"distance de freinage", 2),
    (
        r"distance",
        r"force(?: (?:gravitationnelle|d'attraction|de gravitation|d'interaction)\w*)?",
        -2,
    ),
    (r"hauteur|altitude", r"energie potentielle(?: de pesanteur)?", 1),
)
"""What grows, what grows with it, and as which power."""
_IF: Final = r"\b(?:si|quand|lorsque|lorsqu'on) (?:on )?"


def _read_laws(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `si la vitesse double, l'énergie cinétique est multipliée par 4`."""
    text = " ".join(line.text for line in lines)
    for cause, effect, power in _LAWS:
        if power < 0 and not re.search(r"\b(?:gravit|attraction|astre|planete|terre|g ?m)", text):
            continue
        pattern = (
            rf"{_IF}(?:la |l'|sa |une )?(?:{cause}) (?P<k>{_TIMES}),? (?:alors )?"
            rf"(?:la |l'|sa |son )(?:{effect}) (?P<m>{_TIMES})"
        )
        for found in re.finditer(pattern, text):
            expected = _read_factor(found["k"]) ** power
            is_right = _read_factor(found["m"]) == expected
            why = f"it is multiplied by {write_number(expected)}"
            yield decide(found[0], "" if is_right else why)


def _read_factor(text: str) -> Fraction:
    """Return the factor of `double` or `est divisée par 4`."""
    verb = next((size for name, size in _VERBS.items() if text.startswith(name)), None)
    if verb is not None:
        return Fraction(verb)
    last = text.rsplit(" ", 1)[1]
    factor = Fraction(_NAMED[last]) if last in _NAMED else max(read_values(last))
    return 1 / factor if "divise" in text else factor


# Named quantities ---------------------------------------------------------------------------------

_COHERENT: Final = (
    frozenset(("V", "A", "W", "Ω", "s", "J", "C", "N", "kg", "m", "m/s", "Hz")),
    frozenset(("g", "mol", "L", "g/mol", "mol/L")),
)
"""Units whose products and quotients are units of the same set."""


class NamedQuantities:
    """The values of quantities, as far as a section gives one value each, and their formulas."""

    def __init__(self) -> None:
        self._values: dict[str, Expr | None] = {}
        self._formulas: dict[str, Expr] = {}
        self._section = 0

    def check(self, chain: Chain, sentence: Sentence) -> Check | None:
        """Return the check of a formula against its result; None: it is none, or a quantity in it
        is unknown. Keeps the value that the chain gives."""
        if sentence.section != self._section or begins_anew(sentence):
            self._section, self._values, self._formulas = sentence.section, {}, {}
        members, is_plain = chain.sides, chain.is_written_with("=", "≈")
        if not members or not is_plain or chain.is_cut or chain.is_doubtful:
            return None
        found = self._check_members(chain, members) or self._check_result(chain, members, sentence)
        self._learn(chain, members)
        return None if sentence.is_disowned else found

    def _check_members(self, chain: Chain, members: Sequence[Expr]) -> Check | None:
        if not get_segment(members[0]):
            return None
        for (formula, result), relation in zip(
            pairwise(members[1:]), chain.relations[1:], strict=True
        ):
            letters = free_letters(formula)
            known = {name: value for name in letters if (value := self._values.get(name))}
            if not letters or len(known) < len(letters) or not has_operation(formula):
                continue
            if free_letters(result) or not _are_coherent([*known.values(), result]):
                continue
            values = {name: _drop_unit(value) for name, value in known.items()}
            return claim(substitute(formula, values), _drop_unit(result), relation.text)
        return None

    def _check_result(
        self, chain: Chain, members: Sequence[Expr], sentence: Sentence
    ) -> Check | None:
        """Return the check of `U = 20 V` after `U = R × I`, `R = 10 Ω` and `I = 2 A`."""
        name, result = _get_name(members[0]), members[-1]
        formula = self._formulas.get(name)
        if formula is None or name in self._values or len(members) != 2:
            return None
        known = {each: self._values.get(each) for each in free_letters(formula)}
        values = {each: value for each, value in known.items() if value is not None}
        is_measured = has_units(result) and any(map(has_units, values.values()))
        if len(values) < len(known) or free_letters(result) or not is_measured:
            return None
        if is_supposed(chain, sentence):
            return None
        return claim(substitute(formula, values), result, chain.relations[-1].text)

    def _learn(self, chain: Chain, members: Sequence[Expr]) -> None:
        """Keep the formula of a quantity, and its value; a rounded one, or another one than before,
        is unknown."""
        name, value = _get_name(members[0]), members[-1]
        if not name:
            return
        formulas = [each for each in members[1:] if len(free_letters(each)) > 1]
        if formulas and name not in free_letters(formulas[0]):
            self._values.pop(name, None)
            self._formulas[name] = formulas[0]
        if free_letters(value):
            return
        is_exact = chain.relations[-1].text == "="
        is_same = self._values.get(name, value) == value
        self._values[name] = value if is_exact and is_same else None


def _get_name(expr: Expr) -> str:
    """Return the name of a quantity, such as `U` or `v_0`; empty: it is none."""
    return expr.name if isinstance(expr, Letter) else ""


def _are_coherent(values: Sequence[Expr]) -> bool:
    """Return whether the values have one unit, none, or units of one system, so that a formula
    holds for their numbers."""
    units = list_units(values)
    are_plain = all(isinstance(each, Quantity) or not has_units(each) for each in values)
    return are_plain and (len(units) <= 1 or any(units <= each for each in _COHERENT))


def _drop_unit(value: Expr) -> Expr:
    return value.number if isinstance(value, Quantity) else value


# Motions ------------------------------------------------------------------------------------------

_MOTION: Final = re.compile(
    r"\b(?:vitesses?|velocity|speed|accelerations?|mobile|mouvement|positions?|motion|particle)\b"
)
_POSITIONS: Final = frozenset("xyzdsh")
_TIME: Final = "t"
_SPEED: Final = "v"
_ACCELERATION: Final = "a"


class Motions:
    """The functions of time of the motion that a text speaks of."""

    def __init__(self) -> None:
        self._known: dict[str, Expr] = {}

    def check(self, chain: Chain, sentence: Sentence, section: str) -> Derivative | None:
        """Return the check of `v(t) = 6t - 2` after `x(t) = 3t² - 2t`, or of x after v; None: there
        is none. Keeps the function for those after it.

        Args:
            section: the words around, which have to speak of a motion.
        """
        name = _find_name(chain, sentence)
        body = chain.members[-1]
        if not name or isinstance(body, Solutions) or not _MOTION.search(section):
            return None
        if free_letters(body) - {_TIME} or chain.is_cut or is_supposed(chain, sentence):
            return None
        if begins_anew(sentence) or (name in self._known and self._known[name] != body):
            self._known = {}
        check = self._find(name, body)
        if free_letters(body) and not sentence.is_disowned:
            self._known.setdefault(name, body)
        return check

    def _find(self, name: str, body: Expr) -> Derivative | None:
        places = [each for each in self._known if each in _POSITIONS]
        if name in _POSITIONS:
            before, after = (body, self._known.get(_SPEED)) if not places else (None, None)
        elif name == _SPEED:
            before = self._known[places[0]] if len(places) == 1 else None
            after = body
            if not places and _ACCELERATION in self._known:
                before, after = body, self._known[_ACCELERATION]
        else:
            before, after = self._known.get(_SPEED), body
        if before is None or after is None or not _may_derive(after, before):
            return None
        return Derivative(before, after, _TIME)


def _find_name(chain: Chain, sentence: Sentence) -> str:
    """Return the name of the function of time that a chain begins with; empty: it begins with
    none."""
    tokens = sentence.tokens[chain.start : chain.start + 5]
    texts = [token.text for token in tokens]
    if texts[1:] != ["(", _TIME, ")", "="] or tokens[-1].is_word:
        return ""
    is_known = texts[0] in _POSITIONS or texts[0] in (_SPEED, _ACCELERATION)
    return texts[0] if is_known else ""


def _may_derive(claimed: Expr, function: Expr) -> bool:
    """Return whether `v(t) = …` gives a derivative, and is no equation such as `v(t) = 4`."""
    if free_letters(claimed):
        return True
    value = claimed.number if isinstance(claimed, Quantity) else claimed
    is_zero = isinstance(value, Num) and not value.value
    is_bent = any(isinstance(node, Apply) and node.op not in ("+", "-", "*", "neg", "/")
                  for node in walk(function))  # fmt: skip
    return not is_zero and not is_bent

"""Check the numbers that are put in a formula of physics or trigonometry.

The operation of `R = U : I = 6 × 0,05`, numbers whose unit is no basic one (`5 × 2 000 = 10 000 W`
beside `2 000 mA`), the angle of `sin r ≈ 0,429 et r ≈ 25,4°`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from bot.maths.checks.passages import Line, Passage, read_signed
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.plain_words import DIGITS


def read_formula_numbers(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer computes by formulas."""
    own = [line for line in passage.lines if line.is_own]
    yield from _read_operations(own)
    yield from _read_prefixed(passage, own)
    yield from _read_angles(own)


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

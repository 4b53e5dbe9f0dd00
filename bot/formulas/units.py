"""Read numbers and units of `\\num`, `\\unit`, `\\qty`, `\\SI`, `\\ang` into the tree of formulas.

Facts: https://ctan.org/pkg/siunitx (chapters 3.2 to 3.5). Units are written as `m/s^2`, `kg.m^2` or
`\\metre\\per\\second\\squared`. Options in square brackets are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from bot.formulas.symbols import pair_words
from bot.formulas.tree import Char, Gap, Group, Node, Number, Row, Scripts, Text

QUANTITIES: Final = {
    "num": ("number",),
    "unit": ("unit",),
    "si": ("unit",),
    "qty": ("number", "unit"),
    "SI": ("number", "unit"),
    "ang": ("angle",),
    "numrange": ("number", "number"),
    "qtyrange": ("number", "number", "unit"),
    "SIrange": ("number", "number", "unit"),
    "pu": ("both",),
}
"""Commands, with the kinds of their arguments."""
_UNITS_SOURCE = """
meter m metre m gram g kilogram kg second s ampere A kelvin K mole mol candela cd hertz Hz newton
N pascal Pa joule J watt W coulomb C volt V farad F ohm Ω siemens S weber Wb tesla T henry H
celsius °C degreeCelsius °C lumen lm lux lx becquerel Bq gray Gy sievert Sv katal kat radian rad
steradian sr minute min hour h day d degree ° arcminute ′ arcsecond ″ hectare ha litre L liter L
tonne t electronvolt eV bar bar percent % dalton Da bel B decibel dB angstrom Å bit bit byte B
Omega Ω mu μ circ ° kg kg g g mg mg km km m m dm dm cm cm mm mm um μm nm nm s s ms ms h h N N kN
kN J J kJ kJ W W kW kW kWh kWh V V mV mV kV kV A A mA mA Hz Hz kHz kHz MHz MHz Pa Pa kPa kPa hPa
hPa K K mol mol l L L L ml mL mL mL eV eV MeV MeV
"""
_PREFIXES_SOURCE = """
femto f pico p nano n micro μ milli m centi c deci d deca da deka da hecto h kilo k mega M giga G
tera T peta P
"""


_UNITS: Final = pair_words(_UNITS_SOURCE) | {"%": "%"}
_PREFIXES: Final = pair_words(_PREFIXES_SOURCE)
_POWERS: Final = {"squared": "2", "cubed": "3"}
_POWERS_BEFORE: Final = {"square": "2", "cubic": "3"}
_TOKEN = re.compile(
    r"\\(?P<power>tothe|raiseto)\s*\{(?P<given>[^{}]*)\}|\\(?P<command>[A-Za-z]+|%)\s*"
    r"|\^(?:\{(?P<braced>[^{}]*)\}|(?P<script>[+−-]?\d+|.))"
    r"|(?P<words>[^\W\d_]+|[%‰°′″'\"]\w*)|(?P<product>[\s.~*·⋅×]+)|(?P<other>.)"
)
_NUMBER = re.compile(
    r"\s*+(?P<sign>[+−-])?\s*+(?P<whole>\d[\d ]*+)?(?P<decimals>[.,]\d++)?(?P<doubt>\(\d++\))?\s*+"
    r"(?:[eEdD]\s*+(?P<power>[+−-]?\d++))?\s*+"
)
_UPRIGHT = re.compile(r"\\(?:mathrm|mathup|text|textrm|rm)\s*\{([^{}]*)\}")
_SLASH = re.compile(r"\s*/\s*")
_BOTH = re.compile(r"\s*+([+−-]?\s*+\d[\d.,]*+(?:[eE][+-]?\d+)?)\s*+(.*)", re.DOTALL)
_CLOSE_UP: Final = frozenset("°′″")
"""Units without a space between them and the number."""
_LEAST_PARTED: Final = 5
"""Digits from which on thousands are parted."""
ReadMath = Callable[[str], Row]


def read_quantity(name: str, arguments: list[str], read_math: ReadMath) -> Row:
    """Read the arguments of one of `QUANTITIES`.

    Args:
        read_math: reads LaTeX that is no plain number or unit.
    """
    kinds = list(QUANTITIES[name])
    if kinds == ["both"]:
        found = _BOTH.fullmatch(arguments[0])
        arguments, kinds = (list(found.groups()), ["number", "unit"]) if found else ([], [])
    parts: list[Node] = []
    for at, (kind, source) in enumerate(zip(kinds, arguments, strict=True)):
        if kind == "number":
            parts += [Text("–")] if at else []
            parts += _read_number(source, read_math)
        elif kind == "angle":
            parts += _read_angle(source, read_math)
        elif source.strip():
            unit = _read_unit(source, read_math)
            is_close = isinstance(unit[0], Text) and unit[0].text in _CLOSE_UP
            parts += [] if not parts or is_close else [Gap("thin")]
            parts += unit
    return parts


def _read_angle(source: str, read_math: ReadMath) -> Iterator[Node]:
    """Yield degrees, minutes and seconds of arc: `30;15;20`."""
    for part, sign in zip(source.split(";"), "°′″", strict=False):
        if part.strip():
            yield from _read_number(part, read_math)
            yield Text(sign)


def _read_number(source: str, read_math: ReadMath) -> Row:
    found = _NUMBER.fullmatch(source)
    if found is None or not (found["whole"] or found["decimals"] or found["power"]):
        return [Group(read_math(source))]
    sign = _read_sign(found["sign"])
    digits = (found["whole"] or "").replace(" ", "")
    parts: list[Node] = []
    while len(digits) > 3 and (parts or len(digits) >= _LEAST_PARTED):
        first = len(digits) % 3 or 3
        parts += [Number(digits[:first]), Gap("thin")]
        digits = digits[first:]
    digits += (
        (found["decimals"] or "") if digits or not found["decimals"] else f"0{found['decimals']}"
    )
    parts += [Number(digits)] if digits else []
    parts += [Text(found["doubt"])] if found["doubt"] else []
    if power := found["power"]:
        times: list[Node] = [Char("×")] if parts else []
        parts += [*times, Scripts(Number("10"), {"^": _read_power(power, read_math)})]
    return [Group([*sign, *parts])] if sign else parts


def _read_sign(sign: str | None) -> list[Node]:
    return [Char("-" if sign == "−" else sign)] if sign else []


def _read_power(power: str, read_math: ReadMath) -> Row:
    found = re.fullmatch(r"([+−-]?)(\d+)", power.strip())
    return [*_read_sign(found[1]), Number(found[2])] if found else read_math(power)


def _read_unit(source: str, read_math: ReadMath) -> Row:
    reader = _UnitReader(read_math)
    for found in _TOKEN.finditer(_SLASH.sub("/", _UPRIGHT.sub(r"\1", source.strip()))):
        reader.take(found)
    return reader.parts or [Text("")]


class _UnitReader:
    def __init__(self, read_math: ReadMath) -> None:
        self.parts: list[Node] = []
        self._read_math = read_math
        self._prefix = ""
        self._is_per = False
        """Whether the next unit is one that the others are divided by."""
        self._next_power = ""

    def take(self, found: re.Match[str]) -> None:
        if command := found["command"]:
            self._take_command(command)
        elif found["power"] or found["braced"] is not None or found["script"]:
            self._raise(found["given"] or found["braced"] or found["script"] or "")
        elif words := found["words"]:
            self._add(words, is_macro=False)
        elif found["product"]:
            if self.parts and found.end() < len(found.string):
                self.parts.append(Char("⋅"))
        else:
            self.parts.append(Group([Char(found["other"])]))

    def _take_command(self, command: str) -> None:
        if command in _PREFIXES:
            self._prefix = _PREFIXES[command]
        elif command == "per":
            self._is_per = True
        elif command in _POWERS_BEFORE:
            self._next_power = _POWERS_BEFORE[command]
        elif command in _POWERS:
            self._raise(_POWERS[command])
        elif command in _UNITS:
            self._add(_UNITS[command], is_macro=True)
        elif command in ("cdot", "times"):
            self.parts.append(Char("⋅"))
        else:
            self.parts.append(Group(self._read_math(f"\\{command}")))

    def _add(self, words: str, *, is_macro: bool) -> None:
        if is_macro and self.parts and isinstance(self.parts[-1], Text | Scripts):
            self.parts.append(Char("⋅"))
        self.parts.append(Text(self._prefix + words))
        power, self._prefix, self._next_power = self._next_power, "", ""
        if power or self._is_per:
            self._raise(power or "1")

    def _raise(self, power: str) -> None:
        """Set the power of the last unit, below the line after `\\per`."""
        sign = "-" if self._is_per else ""
        self._is_per = False
        last = self.parts.pop() if self.parts else Text("")
        if isinstance(last, Scripts) and last.base:  # `\per\second\squared`
            is_divided = any(isinstance(node, Char) for node in last.places["^"])
            last, sign = last.base, "-" if is_divided else ""
        self.parts.append(Scripts(last, {"^": _read_power(sign + power, self._read_math)}))

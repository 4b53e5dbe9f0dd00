"""Read a text of the tutor once for all searches: its plain notation and its numbers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from bot.learning.expression_shape import Form, list_forms
from bot.learning.plain_notation import (
    fold_accents,
    fold_notation,
    fold_signs,
    write_comparisons,
    write_plain,
)
from bot.maths.exact.units import UNITS

SENTENCE: Final = re.compile(r"(?:[^.!?\n]|[.](?=\d)){1,400}")
PARAGRAPH: Final = re.compile(r"(?:[^\n]|\n(?!\n)){1,600}")
"""A sentence without its end, and a paragraph, of a text in plain notation."""
SENTENCE_WITH_END: Final = re.compile(r"[^.!?\n]+[.!?]?")
"""A sentence of any length with its end, which tells whether it asks."""
ARTICLE: Final = re.compile(
    r"^(?:(?:les?|la|une?|des|du|the|an?)\s+|l['’]\s*)(?=\w{3})", re.IGNORECASE
)
"""The article before a name or a word."""
_LITERAL: Final = re.compile(
    r"(?<!\d)(?<!\d[.,])(?:(\d{1,4}) (?=\d{1,4}/\d))?"
    r"(\d{1,3}(?:[ '_]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*|(?<![a-z])[.,]\d+)"
    r"(?:\s?(/|out of)\s?(\d+(?:[.,]\d+)?)|\s?\*\s?10\s?\^\s?\(?(-?\d+)\)?"
    r"|e([+-]?\d{1,3})\b)?(\s?%)?"
)
_ITEM: Final = re.compile(r"\W*(?:[a-f\d][.):]\W*)?\w[\w',./ -]{0,30}\W{0,4}")
"""A short line, as in a list."""
_LONGEST_LIST: Final = 6
_NEAR: Final = 300
"""Characters of a line that are searched on each side."""
_BINARY: Final = re.compile(r"\b([01]{2,20})\b(?=[^.\n]{0,20}(?:binaire|binary|base 2))")
_MEASURE: Final = re.compile(
    r"(\d(?<![\d.,/]\d)\d{0,8}) ?(k?m|dam|hm|dm|kg|[lt]|(?:kilo)?metres?|kilo(?:gramme)?s?|litres?"
    r"|tonnes?|€|euros?) ?(?:et )?(\d{1,3})(?![\d.,/]*\d)(?: ?([a-z]{1,11})\b)?"
)
_HALF_MORE: Final = re.compile(r"(?<![\d.,/])(\d{1,9}) ([a-z]{1,15}) et demie?\b(?!-)")
_PART_MORE: Final = re.compile(
    r"(?<![\d.,/])(\d{1,9}) ?([a-z]{1,15}) (?:et |and |\+ ?)?(\d{1,2})/(\d{1,2})(?![\d.,/]*\d)"
    r"(?: ?([a-z]{1,15})\b)?"
)
_MIXED: Final = re.compile(r"(?<=\d) entiers? (?:et )?(?=\d{1,3}/\d)")
_SAID_PRODUCT: Final = re.compile(
    r"(?<![\w.,*/÷^+-])(?<![*/÷^+-] )(\d{1,4}) \* (\d{1,4})(?:,|:| :) ?"
    r"(?=(\d{1,7})(?![\d/*÷^]|[.,]\d))"
)
"""A product with a pause before its result: `7 fois 8, 56`."""
_UNIT_NAMES: Final = {
    "mol": "mole", "n": "newton", "v": "volt", "a": "ampere", "w": "watt", "j": "joule",
    "pa": "pascal", "hz": "hertz", "ω": "ohm", "c": "coulomb", "k": "kelvin", "bar": "bar",
}  # fmt: skip
_SMALL: Final = frozenset((0.5, 0.25, 24, 30, 50, 60, 90, 100, 180, 360, 1000))
_POWER_OF_UNIT: Final = re.compile(r"((?<=\d)\s?(?:[cdhkm]|da)?m)\^[23]")
"""The power of a unit: `600 m^2`."""
_SENTENCE_MARKER: Final = re.compile(r"(?:^|[.!?:;] |\n *)\(?$")
"""Before the number of a point in a line of points: `1. Dessine. 2. Compte.`"""
_COUNTING: Final = re.compile(
    r"(?<![\w,.])(?:0, ?)?(?:1|une?|one), ?2(?:, ?(?:3|4|5|6|7|8|9|10))*(?= ?[,…]| ?\.\.\.)"
    r"|(?<![\w,.])3, ?2, ?(?:1|une?|one)\b(?= ?,)"
)
"""Numbers that are counted, and another word or number behind them: `un, deux, trois, partez`."""


class Literal(NamedTuple):
    """A number with the notation in which it is written."""

    start: int
    end: int
    value: float
    form: tuple[object, ...]
    """Its notation; equal numbers in other notations have other forms."""
    other: float | None = None
    """The value if its mark separates thousands."""
    places: int = 0

    @property
    def is_small(self) -> bool:
        size = abs(self.value)
        return size in _SMALL or (size <= 20 and size == int(size))


@dataclass
class Reading:
    """A text with its derived forms, each of which is computed when it is first asked for."""

    text: str
    said: str = ""

    @cached_property
    def accented(self) -> str:
        return fold_signs(self.text)

    @cached_property
    def folded(self) -> str:
        return fold_notation(self.text)

    @cached_property
    def plain(self) -> str:
        return _write_measures(write_plain(self.folded))

    @cached_property
    def compared(self) -> str:
        """The plain notation with comparisons and infinities in words as signs."""
        return write_comparisons(self.plain)

    @cached_property
    def literals(self) -> list[Literal]:
        return list(list_literals(self.plain))

    @cached_property
    def values(self) -> frozenset[float]:
        return frozenset(each.value for each in self.literals)

    @cached_property
    def expressions(self) -> list[Form]:
        return [form for _, _, form in list_forms(self.plain)]

    @property
    def has_letters(self) -> bool:
        """Whether one of its expressions has a letter, as an equation has."""
        return any(form.letters for form in self.expressions)

    @cached_property
    def squeezed(self) -> str:
        return squeeze(self.plain)

    @cached_property
    def known(self) -> Reading:
        """The reading of the pupil's last message."""
        return Reading(self.said)

    @cached_property
    def forms(self) -> set[tuple[object, ...]]:
        return {each.form for each in self.literals}

    def cut(self, start: int, end: int) -> str:
        """Return the words around a place, for an operator to read."""
        return " ".join(self.plain[max(0, start - 30) : end + 10].split())


def _write_measures(plain: str) -> str:
    """Write `2 km 500`, `2 km 1/2`, `2 km et demi` as `2.5 km`, `3 entiers 1/2` as `3 1/2`,
    and `7 fois 8, 56` as an equality."""
    if "demi" in plain:
        plain = _HALF_MORE.sub(r"\1.5 \2", plain)
    if "entier" in plain:
        plain = _MIXED.sub(" ", plain)
    if "*" in plain:
        plain = _SAID_PRODUCT.sub(_write_equality, plain)
    if "/" in plain:
        plain = _PART_MORE.sub(_write_part_more, plain)
    return _MEASURE.sub(_write_measure, plain)


def _write_equality(found: re.Match[str]) -> str:
    one, other, product = map(int, found.groups())
    return f"{one} * {other} = " if one * other == product else found[0]


def _write_part_more(found: re.Match[str]) -> str:
    whole, name, above, below, other = found.groups()
    is_part = int(above) < int(below) and name in UNITS
    if not is_part or UNITS.get(other or "", UNITS[name]) != UNITS[name]:
        return found[0]
    rest = f" {other}" if other and other not in UNITS else ""
    return f"{int(whole) + int(above) / int(below):.10g} {name}{rest}"


def _write_measure(found: re.Match[str]) -> str:
    """Return the measure in its greater unit; without a second unit, of thousandths (`2 km 500`) or
    hundredths (`1 m 50`)."""
    whole, name, part, other = found.groups()
    unit, below = UNITS[name], UNITS.get(other or "")
    if below and below.dimensions == unit.dimensions:
        return f"{float(int(whole) + int(part) * below.size / unit.size):.10g} {name}"
    if len(part) != (3 if name[0] in "kt" else 2):
        return found[0]
    return f"{float(f'{whole}.{part}'):.10g} {name} {other or ''}".rstrip()


def squeeze(plain: str) -> str:
    """Return a text without spaces; ends of sentences and lines become line breaks. A semicolon
    between numbers, as in `]-∞ ; 2[`, ends none."""
    return re.sub(r"[ \t$]+", "", re.sub(r"[.!?](?=\s)|;(?=\s+[^\W\d]|\n)", "\n", plain))


def cut_line(text: str, start: int, end: int) -> tuple[int, int]:
    """Return start and end of the line around a place, with a list's short lines next to it."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    for _ in range(_LONGEST_LIST):
        before = text.rfind("\n", 0, first - 1) + 1 if first else first
        if not (first and _ITEM.fullmatch(text[before : first - 1])):
            break
        first = before
    for _ in range(_LONGEST_LIST):
        after = text.find("\n", last + 1)
        after = len(text) if after < 0 else after
        if not (last < len(text) and _ITEM.fullmatch(text[last + 1 : after])):
            break
        last = after
    return max(first, start - _NEAR), min(last, end + _NEAR)


def list_literals(plain: str) -> Iterator[Literal]:
    """Yield all numbers of a text in plain notation."""
    for found in _LITERAL.finditer(plain):
        literal = _read_literal(plain, found)
        if literal:
            yield literal
    if "bina" in plain or "base 2" in plain:
        for found in _BINARY.finditer(plain):
            yield Literal(found.start(), found.end(), float(int(found[1], 2)), (found[0],))


def is_in_line_of_points(literal: Literal, plain: str) -> bool:
    """Return whether a number begins a sentence, and the next or the last one before it has the
    number next to it: `1. Dessine. 2. Compte.`"""
    before = plain[max(0, literal.start - 4) : literal.start]
    is_bracketed = before.endswith(" ") and plain[literal.end : literal.end + 1] == ")"
    if not (is_bracketed or _SENTENCE_MARKER.search(before)):
        return False
    last, following = int(literal.value) - 1, int(literal.value) + 1
    around = plain[max(0, literal.start - 300) : literal.end + 300]
    number = last if last > 0 else following
    return bool(re.search(rf"(?:^|[.!?:;\n-] ?)\(?{number}[.)] \S| {number}\) \S", around))


def is_counted(literal: Literal, plain: str) -> bool:
    """Return whether a number is one of `un, deux, trois, …`, and not the last word."""
    start = max(0, literal.start - 40)
    return any(
        start + found.start() <= literal.start and literal.end <= start + found.end()
        for found in _COUNTING.finditer(plain[start : literal.end + 12])
    )


def _read_literal(plain: str, found: re.Match[str]) -> Literal | None:
    whole, digits, slash, below, power, exponent, percent = found.groups()
    if len(digits) > 40 or len(below or "") > 40 or len(power or "") > 3:
        return None
    value, other, places = (float(digits), None, 0) if digits.isdigit() else _read_digits(digits)
    form: tuple[object, ...] = ("d", value)
    if slash:
        under = _read_digits(below)[0]
        if not under:
            return None
        form = ("/", value, under)
        value, places, other = value / under + int(whole or 0), 0, None
    if shift := power or exponent:
        value, form = value * 10.0 ** int(shift), ("e", value, shift)
    if percent:
        value, form = value / 100, ("%", value)
    start = found.start() if whole else found.start(2)
    if "-" in plain[max(0, start - 4) : start] and _is_negative(plain, start):
        start, value, other = plain.rindex("-", 0, start), -value, None
        form = ("-", *form)
    return Literal(start, found.end(), value, form, other, places)


def _read_digits(digits: str) -> tuple[float, float | None, int]:
    """Return the value, the value if its mark separates thousands, and the decimal places."""
    bare = re.sub(r"[ '_]", "", digits).replace(",", ".")
    if bare.count(".") > 1:
        return float(bare.replace(".", "")), None, 0
    whole, _, part = bare.partition(".")
    is_grouped = len(part) == 3 and whole not in ("", "0") and len(whole) <= 3
    other = float(whole + part) if is_grouped else None
    return float(bare), other, len(part)


def _is_negative(plain: str, start: int) -> bool:
    """Return whether the minus before a number is its sign: it follows no value and is no
    bullet."""
    before = plain[max(0, start - 8) : start]
    if not before.rstrip(" (").endswith("-"):
        return False
    left = before.rstrip(" (")[:-1]
    if re.search(r"[a-z]$", left) and not before.endswith(" "):  # a hyphen: `reponse-56`
        return False
    is_bullet = before.endswith(" ") and (not left.strip(" ") or left.endswith("\n"))
    is_after_value = re.search(r"(?:\d|[)%]|(?<![a-z])[a-z])\s?$", left)
    is_attached = left.endswith(" ") and not before.endswith(" ")
    return not is_bullet and (is_attached or not is_after_value)


def read_value(solution: str) -> Literal | None:
    """Return the number that a solution is, with or without a unit; None: it is no number."""
    plain = Reading(
        re.sub(r"^\W*[a-z](?:_\w+|\([a-z]\))? ?= ?", "", solution.strip(), flags=re.I)
    ).plain
    found = list(list_literals(_POWER_OF_UNIT.sub(r"\1  ", plain.strip())))
    if len(found) != 1 or plain.strip()[: found[0].start].strip():
        return None
    rest = plain.strip()[found[0].end :].strip(" .")
    is_unit = (
        rest in UNITS or fold_accents(rest) in UNITS or re.fullmatch(r"[a-z°^/23. ]{1,14}", rest)
    )
    return (
        found[0]
        if not rest or ((is_unit and not re.match(r"[a-z](?![a-z/^])", rest)) or rest in UNITS)
        else None
    )


def list_unit_names(symbol: str) -> tuple[str, ...]:
    """Return the name of a unit, in singular and plural, that has no other in the table."""
    name = _UNIT_NAMES.get(symbol)
    return (name, f"{name}s") if name else ()


def read_decimal(written: str) -> float:
    """Return the value of digits with a sign, a comma or point, and spaces between them."""
    return float(written.replace(" ", "").replace(",", "."))

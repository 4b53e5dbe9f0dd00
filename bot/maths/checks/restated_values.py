"""Check values that are told again with fewer digits or in another unit: by `environ`, `arrondi`,
as in `≈ 153,86 m². On arrondit : environ 154 m²`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage, read_signed, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.exact.units import find_unit
from bot.maths.reading.plain_words import DIGITS


def read_restated_values(passage: Passage) -> Iterator[Statement]:
    """Yield the values of an answer that it tells again."""
    own = [line for line in passage.lines if line.is_own]
    yield from _read_estimates(own)
    yield from _read_second_places(own)


_EXACT: Final = re.compile(rf"[=≈] (?P<n>{DIGITS}) ?(?P<u>[a-z]{{1,3}}[²³]?|€|°)(?![\w/²³])")
_ABOUT: Final = re.compile(
    r"(?:^|[,:(] ?|\b(?:soit|et|ou|donc|cela fait|ca fait|c'est-a-dire) )(?:soit )?"
    r"(?:environ|a peu pres)"
    rf" (?P<n>{DIGITS}) ?(?P<u>[a-z]{{1,3}}[²³]?|€|°)(?![\w/²³])"
)
_NEAR: Final = Fraction(1, 8)


def _read_estimates(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `≈ 153,86 m². On arrondit : environ 154 m²`: a value near one of the same unit that is
    none of its roundings."""
    known: dict[str, list[str]] = {}
    for line in lines:
        for found in _EXACT.finditer(line.text):
            known.setdefault(found["u"], []).append(found["n"])
        for found in _ABOUT.finditer(line.text):
            yield from _read_other_unit(found, known)
            before = known.get(found["u"], [])
            shown = read_signed(found["n"])
            near = [each for each in before if abs(read_signed(each) - shown) <= shown * _NEAR]
            if len(set(near)) == 1 and near[0] != found["n"]:
                exact = read_signed(near[0])
                is_right = abs(exact - shown) < _find_grain(found["n"])
                yield decide(found[0], "" if is_right else f"{near[0]} is not about {found['n']}")


def _read_other_unit(found: re.Match[str], known: dict[str, list[str]]) -> Iterator[Statement]:
    """Read `282,7 cm³ … soit environ 0,283 L`: the only value before, in another unit."""
    if len(known) != 1 or found["u"] in known:
        return
    [(name, values)] = known.items()
    units = find_unit(name), find_unit(found["u"])
    if units[0] is None or units[1] is None or units[0].dimensions != units[1].dimensions:
        return
    if len(set(values)) == 1 and (exact := read_signed(values[0]) * units[0].size):
        ratio = read_signed(found["n"]) * units[1].size / exact
        is_shifted = any(abs(ratio / Fraction(10) ** n - 1) * 50 < 1 for n in (-3, -2, -1, 1, 2, 3))
        if is_shifted:
            yield decide(found[0], f"it is {values[0]} {name}")


def _find_grain(written: str) -> Fraction:
    """Return by how much a number may be off that is told for another: a unit of its last digit,
    or what a five at its end stands for."""
    digits = written.replace(" ", "")
    if "," in digits:
        return Fraction(1, 10 ** len(digits.split(",")[1]))
    bare = digits.rstrip("0") or digits
    unit = Fraction(10 ** (len(digits) - len(bare)))
    return unit * 5 if bare.endswith("5") else unit


_PLACES: Final = {"unite": 0, "dixieme": 1, "centieme": 2, "millieme": 3}
_AT_PLACE: Final = re.compile(
    r"\b(?:(?P<how>arrondie?|troncature) )?(?:au|a l'|a la) ?(?P<place>unite|dixieme|centieme"
    rf"|millieme)(?: pres)?(?: ?:| est| donne| vaut| c'est| on obtient)? (?P<n>{DIGITS})"
    r"(?= ?(?:[.,;)]|et\b|$))"
)
_MOST_DECIMALS: Final = 6
_DECIMAL: Final = re.compile(r"(?<![\d.,/])\d+,\d+(?![\d/%]|[.,]\d)")


def _read_second_places(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `15,36 arrondi à l'unité donne 15 et au dixième 15,4`."""
    before = ""
    for line in lines:
        text, how = line.text, ""
        decimals = set(_DECIMAL.findall(f"{before} {text}"))
        longest = sorted(decimals, key=len, reverse=True)[:_MOST_DECIMALS]
        for found in _AT_PLACE.finditer(text):
            how = found["how"] or how
            step = Fraction(1, 10 ** _PLACES[found["place"]])
            shown = read_signed(found["n"])
            near = [each for each in longest if abs(read_signed(each) - shown) < 2 * step]
            if how and near and _is_finer(near[0], found["place"]):
                yield from _judge_place(found, read_signed(near[0]), how, step)
        before = text


def _is_finer(written: str, place: str) -> bool:
    return len(written.split(",")[1]) > _PLACES[place]


def _judge_place(
    found: re.Match[str], exact: Fraction, how: str, step: Fraction
) -> Iterator[Statement]:
    scaled = exact / step
    rounded = math.floor(scaled) if how == "troncature" else math.floor(scaled + Fraction(1, 2))
    is_half = (scaled * 2).denominator == 1
    if not is_half:
        is_right = read_signed(found["n"]) == rounded * step
        yield decide(found[0], "" if is_right else f"it is {write_number(rounded * step)}")

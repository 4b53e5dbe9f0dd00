"""Check sums and spans of times, and measures of two units that are written with an arrow.

`7 h 30 + 45 min → 8 h 15`, `de 7 h 45 à 8 h : 15 min`, `205 cm → 2 m 5 cm`, `2 h 15 → 135 min`. An
arrow between two times of day is no equality: `7 h 30 → 8 h 15`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Passage, decide, write_number
from bot.maths.exact.algebra_questions import Statement
from bot.maths.exact.units import find_unit

_TIME: Final = (
    r"(?:\d{1,3} ?h(?:eures?)?(?: ?\d{1,2}(?: ?(?:min|mn|minutes))?)?|\d{1,3} ?(?:min|mn|minutes))"
    r"(?![a-z\d])"
)
_ARROW: Final = r" ?(?:→|⇒|=>|->|⟶|=|\bdonnent?\b|\bfont\b|\bgives?\b|\bmakes?\b) ?"
_SUM: Final = re.compile(
    rf"(?<![\d.,:+-])(?<![+-] )(?P<one>{_TIME}) ?(?P<sign>[+-]) ?(?P<other>{_TIME}){_ARROW}"
    rf"(?P<result>{_TIME})(?! ?[+×*/:-] ?\d)"
)
_CLOCK: Final = r"\d{1,2} ?h(?:eures?)?(?: ?\d{1,2}(?: ?(?:min|mn))?)?(?![a-z\d])"
_SPAN: Final = re.compile(
    rf"\b(?:de|from) (?P<one>{_CLOCK}) (?:a|jusqu'a|to) (?P<other>{_CLOCK})"
    rf"(?: ?: ?| ?= ?|,? (?:il y a|cela fait|ca fait|there (?:are|is)) )(?P<result>{_TIME})"
    r"(?! ?(?:[+×*/:-] ?\d|,? ?(?:de|d'|par|puis|et) ))"
)
_SHOWN: Final = re.compile(r"(?:(\d{1,3}) ?h[a-z]*)? ?(?:(\d{1,3}) ?(?:min|mn|minutes)?)?")
_UNIT: Final = "[kmc]?m|dam|hm|dm|k?g|[dcm]?l|hl|t|q|h|min|mn|s|sec"
_SPLIT: Final = (
    rf"(?P<b>\d{{1,6}}) ?(?P<v>{_UNIT})(?![a-z²³/]) ?(?P<c>\d{{1,4}})(?: ?(?P<w>{_UNIT}))?"
    r"(?![a-z\d²³/.,%])"
)
_WHOLE: Final = rf"(?P<a>\d{{1,3}}(?: \d{{3}})+|\d+) ?(?P<u>{_UNIT})(?![a-z²³/])"
_ALONE: Final = (
    r"(?<![\d.,:+×/-])(?<![+×-] )(?<!\d [a-z] )(?<!\d[a-z] )(?<!\d [a-z]{2} )(?<!\d[a-z]{2} )"
    r"(?<!\d[a-z])"
)
"""A place with no number and unit before it."""
_CONVERSIONS: Final = (
    re.compile(rf"{_ALONE}{_WHOLE} ?(?:→|⇒|=>|->|⟶) ?{_SPLIT}"),
    re.compile(rf"{_ALONE}{_SPLIT} ?(?:→|⇒|=>|->|⟶) ?{_WHOLE}"),
)
_UNSURE: Final = re.compile(
    r"\b(?:pas|not|non|faux|fausse|erreur|si|if|pause|retard|arret|attente|decalage|depart)\b|\?"
)
_MINUTE: Final = 60
_DAY: Final = 24 * _MINUTE
_SPELLINGS: Final = {"mn": "min", "sec": "s", "l": "L", "cl": "cL", "dl": "dL", "ml": "mL",
                     "hl": "hL"}  # fmt: skip


def read_clock_sums(passage: Passage) -> Iterator[Statement]:
    """Yield the sums of times and the conversions with an arrow in an answer."""
    for line in passage.lines:
        if not line.is_own or not re.search(r"\d ?[a-z]", line.text) or _UNSURE.search(line.text):
            continue
        for found in _SUM.finditer(line.text):
            yield from _check_sum(found)
        for found in _SPAN.finditer(line.text):
            yield from _check_span(found)
        if any(arrow in line.text for arrow in "→⇒>⟶"):
            for pattern in _CONVERSIONS:
                for found in pattern.finditer(line.text):
                    yield from _check_conversion(found)


def _check_sum(found: re.Match[str]) -> Iterator[Statement]:
    """Read `7 h 30 + 45 min → 8 h 15`; a time of day begins again after 24 hours."""
    one, other, result = (_read_minutes(found[name]) for name in ("one", "other", "result"))
    expected = one + other if found["sign"] == "+" else one - other
    is_right = expected == result or ("h" in found["one"] and (expected - result) % _DAY == 0)
    hours, minutes = divmod(expected % _DAY, _MINUTE)
    yield decide(found[0], "" if is_right else f"it is {hours} h {minutes:02d}")


def _check_span(found: re.Match[str]) -> Iterator[Statement]:
    """Read `de 7 h 45 à 8 h : 15 min`; the second time may be of the next day."""
    one, other, result = (_read_minutes(found[name]) for name in ("one", "other", "result"))
    hours, minutes = divmod((other - one) % _DAY, _MINUTE)
    is_right = (other - one - result) % (_DAY // 2) == 0
    yield decide(found[0], "" if is_right else f"it is {hours} h {minutes:02d}")


def _read_minutes(time: str) -> int:
    """Return the minutes of `8 h 15`, `8 h` or `45 min`."""
    hours, minutes = (int(each or 0) for each in _split(time))
    return hours * _MINUTE + minutes


def _split(time: str) -> tuple[str, str]:
    found = _SHOWN.fullmatch(time.strip())
    return (found[1] or "", found[2] or "") if found else ("", "")


def _check_conversion(found: re.Match[str]) -> Iterator[Statement]:
    """Read `205 cm → 2 m 5 cm`: the whole is told in the smaller of the two units."""
    below = found["w"] or ("min" if found["v"] == "h" else "")
    names = [_SPELLINGS.get(name, name) for name in (found["u"], found["v"], below)]
    whole, above, smaller = (find_unit(name) if name else None for name in names)
    if whole is None or above is None or smaller is None or whole != smaller:
        return
    if above.dimensions != smaller.dimensions or above.size <= smaller.size:
        return
    ratio = above.size / smaller.size
    expected = Fraction(int(found["b"])) * ratio + int(found["c"])
    shown = int(found["a"].replace(" ", ""))
    if shown < ratio:
        return  # from one to the other: `30 min → 1 h 30`
    is_right = expected == shown
    yield decide(found[0], "" if is_right else f"{found['b']} {found['v']} {found['c']} {below} "
                 f"is {write_number(expected)} {names[0]}")  # fmt: skip

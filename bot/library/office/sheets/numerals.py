"""Numbers as people and models write them in French and in English."""

from __future__ import annotations

import re
from typing import Final

MOST_DIGITS: Final = 15
"""A spreadsheet keeps no more digits of a number (IEEE 754): a longer one is a code, not a sum."""
_SPACES = re.compile(r"[\s\u00a0\u2007\u2009\u202f'’]+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?: \d{3})+(?=$|[.,])")
_NUMERAL = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)*|[.,]\d+)(?:[eE][+-]?\d{1,3})?")
_CODE = re.compile(r"[+-]?0\d|\+\d{8}")
"""`007`, and `+22507…`, a telephone number."""
_UNIT = re.compile(
    r"(?i)(?<![a-z])(?:f\s*\.?\s*cfa|fcfa|xof|xaf|cfa|gnf|eur|usd|ngn|ghs|mad|frs?|f)\.?$|[€$£₦₵]"
)
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*")


def read_number(text: str, *, money: bool = False, comma: bool = True) -> float | None:
    """The number that `text` says; None if it says none, or would not be the same as a number.

    `1 234,5`, `1.234,5`, `1,234.5`, `(500)` and `12 000 F CFA` (if `money`) are numbers; `007`,
    `77 123 45 67` and what has more than `MOST_DIGITS` digits are codes.

    Args:
        money: three digits after the only point or comma are thousands: nobody has a tenth of a
            cent.
        comma: whether a lone comma parts the decimals, as in French.
    """
    bare = _UNIT.sub("", text.strip()).strip() if money else text.strip()
    negative = bare.startswith("(") and bare.endswith(")")
    bare = _close_up(bare[1:-1] if negative else bare)
    if len(bare) > 40 or not _NUMERAL.fullmatch(bare) or _CODE.match(bare):
        return None
    plain = _point(bare, money=money, comma=comma)
    if plain is None or _digits(plain) > MOST_DIGITS:
        return None
    return -float(plain) if negative else float(plain)


def fits(number: float) -> bool:
    """Whether a spreadsheet keeps all digits of `number`, and can hold it at all."""
    if isinstance(number, int):
        return _digits(str(number)) <= MOST_DIGITS
    return abs(number) < 1e300  # also false for nan


def _close_up(bare: str) -> str:
    """Without the spaces between thousands; others stay."""
    spaced = _SPACES.sub(" ", bare.replace("\u2212", "-").strip())
    if spaced[:2] in ("- ", "+ "):
        spaced = spaced[0] + spaced[2:]
    return spaced.replace(" ", "") if _THOUSANDS.match(spaced) else spaced


def _digits(numeral: str) -> int:
    """Its significant digits."""
    mantissa = re.split("[eE]", numeral)[0].replace(".", "").lstrip("+-0")
    return len(mantissa.rstrip("0"))


def _point(bare: str, *, money: bool, comma: bool) -> str | None:
    """The same with a point before the decimals, and no other marks."""
    marks = [char for char in bare if char in ".,"]
    if not marks:
        return bare
    last, others = marks[-1], marks[:-1]
    if not others:
        grouped = bool(_GROUPED.fullmatch(bare)) and (money or (last == "," and not comma))
        return bare.replace(last, "" if grouped else ".")
    if last not in others and len(set(others)) == 1:
        whole, _, decimals = bare.rpartition(last)
        plain = whole.replace(others[0], "")
        return f"{plain}.{decimals}" if _GROUPED.fullmatch(whole) else None
    return bare.replace(last, "") if _GROUPED.fullmatch(bare) else None

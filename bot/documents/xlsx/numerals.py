"""Read numbers and days as people and models write them in French and in English."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from bot.files.amounts import LONGEST_AMOUNT, read_amount
from bot.maths.reading.number_words import MONTH_NUMBERS
from bot.typography import strip_accents

MOST_DIGITS: Final = 15
"""Digits that a spreadsheet keeps (IEEE 754); a longer number is a code, not a quantity."""
_PROGRAM = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
"""A number as programs write it."""
_CODE = re.compile(r"[+-]?0\d|\+\d{8}|.*-$")
"""`007`, `+22507…`, a telephone number, and `12-`."""
_INNER_SIGN = re.compile(
    r"([0-9](?:[0-9 \u00a0\u202f]*[0-9])?)[ \u00a0\u202f]?([€$£])[ \u00a0\u202f]?([0-9]{2})"
)
"""`12€50`."""
_CURRENCIES: Final = {
    "€": "EUR", "$": "USD", "£": "GBP", "₦": "NGN", "₵": "GHS", "XOF": "FCFA", "XAF": "FCFA",
}  # fmt: skip
"""Currencies in letters, by their other names."""


def read_number(text: str, *, money: bool = False, comma: bool = True) -> float | None:
    """Return the number that `text` stands for; None if it is none, would lose digits as a number
    or is too large for one.

    `1 234,5`, `1.234,5`, `1,234.5`, `(500)` and `12 000 F CFA` (if `money`) are numbers; `007`, `77
    123 45 67` and text with more than `MOST_DIGITS` digits are codes.

    Args:
        money: three digits after the only point or comma are thousands, since prices have no tenth
            of a cent.
        comma: whether a lone comma is a decimal comma, as in French.
    """
    bare = text.strip().replace("−", "-")
    if money:
        bare = _INNER_SIGN.sub(rf"\1{',' if comma else '.'}\3\2", bare)
    if len(bare) > LONGEST_AMOUNT or _CODE.match(bare):
        return None
    if amount := read_amount(bare):
        if amount.unit and (amount.unit == "%" or not money):
            return None
        values = amount.values
        is_known = money or len(values) == 1
        sign = "," if comma and "," in bare else "."
        exact = max(values.values(), key=abs) if is_known else values[sign]
    elif _PROGRAM.fullmatch(bare):
        exact = Decimal(bare.replace(",", "."))
    else:
        return None
    number = float(exact)
    return number if _digits(str(exact)) <= MOST_DIGITS and fits_number(number) else None


def read_currency(text: str) -> str:
    """Return the currency that a sum names (`12 €`, `12€50`), in letters: `EUR`, `FCFA`; "" if it
    names none."""
    bare = _INNER_SIGN.sub(r"\1\2", text.strip())
    amount = read_amount(bare) if len(bare) <= LONGEST_AMOUNT else None
    unit = amount.unit.replace("%", "") if amount else ""
    return _CURRENCIES.get(unit, unit)


def fits_number(number: float) -> bool:
    """Return whether a spreadsheet can hold `number` with all its digits."""
    if not abs(number) < 1e300:  # also for nan
        return False
    return not isinstance(number, int) or _digits(str(number)) <= MOST_DIGITS


def _digits(numeral: str) -> int:
    """Return the number of its significant digits."""
    mantissa = re.split("[eE]", numeral)[0].replace(".", "").lstrip("+-0")
    return len(mantissa.rstrip("0"))


EPOCH: Final = datetime(1899, 12, 30)  # noqa: DTZ001 (a spreadsheet's days have no zone)
FIRST_DAY: Final = 61
"""1 March 1900: before it, spreadsheets disagree about a 29 February that did not exist
(https://learn.microsoft.com/office/troubleshoot/excel/wrongly-assumes-1900-is-leap-year)."""
_LAST = 2_958_465
"""31 December 9999."""
_ISO = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)"
    r"(?:[T ](?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)?"
    r"(?:Z|[+-]\d\d:?\d\d)?)?"
)
_DAY_FIRST = re.compile(
    r"(?P<day>\d\d?)(?P<mark>[/.-])(?P<month>\d\d?)(?P=mark)(?P<year>\d{4}|\d\d)"
    r"(?: +(?:à +)?(?P<hour>\d\d?)[:h](?P<minute>\d\d))?"
)
_NAMED = re.compile(
    r"(?:[^\W\d]+\.?,? +)?(?P<day>\d\d?)(?:er|st|nd|rd|th)?"
    r" +(?P<name>[^\W\d]+)\.?,? +(?P<year>\d{4})"
)
_AMERICAN = re.compile(r"(?P<name>[^\W\d]+)\.? +(?P<day>\d\d?)(?:st|nd|rd|th)?,? +(?P<year>\d{4})")
_FORMS = (_ISO, _DAY_FIRST, _NAMED, _AMERICAN)
_SHORTEST_MONTH = 3
_MONTHS: Final = (
    (re.compile(r"(?P<month>\d\d?)[/-](?P<year>\d{4})"), "mm/yyyy"),
    (re.compile(r"(?P<year>\d{4})-(?P<month>\d\d)"), "mm/yyyy"),
    (re.compile(r"(?P<name>[^\W\d]+)\.? +(?P<year>\d{4})"), "mmmm yyyy"),
)
"""What months look like in a text, and their formats."""


def read_day(text: str) -> float | None:
    """Return the serial number of the day (and time) that `text` names; None if it names none.

    Accepts ISO 8601, `15/03/2024`, `15/03/24` (of this century), `15 mars 2024`, `1er avril 2024`,
    `March 15, 2024`; the zone of an ISO time is ignored, as spreadsheets have none.
    """
    bare = " ".join(text.split())
    if len(bare) > 60:
        return None
    for form in _FORMS:
        if found := form.fullmatch(bare):
            return _to_serial(found.groupdict())
    return None


def read_month(text: str) -> tuple[float, str] | None:
    """Return the serial number of the first day of the month that `text` names, `01/2026` or
    `janvier 2026`, and the format that shows it so; None if it names none."""
    bare = " ".join(text.split())
    for form, written in _MONTHS:
        if found := form.fullmatch(bare):
            first = _to_serial({"day": "1", **found.groupdict()})
            return None if first is None else (first, written)
    return None


def is_certain_day(serial: float) -> bool:
    """Return whether every spreadsheet program takes `serial` for the same day."""
    return FIRST_DAY <= serial < _LAST + 1


def is_shown_as_day(serial: float) -> bool:
    """Return whether spreadsheet programs show `serial` as a day or a time, and not as `####`."""
    return 0 <= serial < _LAST + 1


def _to_serial(parts: dict[str, str | None]) -> float | None:
    month = parts.get("month") or _find_month(strip_accents(parts.get("name") or "").lower())
    year = int(parts["year"] or 0)
    try:
        moment = datetime(  # noqa: DTZ001
            year + 2000 if year < 100 else year,
            int(month or 0),
            int(parts["day"] or 0),
            int(parts.get("hour") or 0),
            int(parts.get("minute") or 0),
            int(parts.get("second") or 0),
        )
    except ValueError:
        return None
    serial = (moment - EPOCH) / timedelta(days=1)
    return serial if is_certain_day(serial) else None


def _find_month(name: str) -> int | None:
    """Return the month, from 1, that a name without accents or its start is: `mars`, `dec`; None if
    it is none, or may be two."""
    found = {number + 1 for each, number in MONTH_NUMBERS.items() if each.startswith(name)}
    return min(found) if len(name) >= _SHORTEST_MONTH and len(found) == 1 else None

"""Days as people and models write them."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta
from typing import Final

EPOCH: Final = datetime(1899, 12, 30)  # noqa: DTZ001 (a spreadsheet's days have no zone)
FIRST: Final = 61
"""1 March 1900: before it, spreadsheets disagree over a 29 February that never was
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
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "janvier janv jan january",
            "fevrier fevr fev february feb",
            "mars mar march",
            "avril avr april apr",
            "mai may",
            "juin june jun",
            "juillet juil july jul",
            "aout august aug",
            "septembre sept sep september",
            "octobre oct october",
            "novembre nov november",
            "decembre dec december",
        ),
        start=1,
    )
    for name in names.split()
}


def read_day(text: str) -> float | None:
    """The serial number of the day (and time) that `text` says, None if it says none.

    ISO 8601, `15/03/2024`, `15/03/24` (of this century), `15 mars 2024`, `1er avril 2024`,
    `March 15, 2024`; the zone of an ISO time is left out, as spreadsheets have none.
    """
    bare = " ".join(text.split())
    if len(bare) > 60:
        return None
    for form in _FORMS:
        if found := form.fullmatch(bare):
            return _serial(found.groupdict())
    return None


def in_range(serial: float) -> bool:
    """Whether every spreadsheet takes `serial` for the same day."""
    return FIRST <= serial < _LAST + 1


def can_be_shown(serial: float) -> bool:
    """Whether spreadsheets show `serial` as a day or a time at all, and not as `####`."""
    return 0 <= serial < _LAST + 1


def day_of(serial: float) -> datetime:
    return EPOCH + timedelta(days=serial)


def _serial(parts: dict[str, str | None]) -> float | None:
    month = parts.get("month") or _MONTHS.get(_fold(parts.get("name") or ""))
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
    return serial if in_range(serial) else None


def _fold(name: str) -> str:
    """`Février` as `fevrier`."""
    apart = unicodedata.normalize("NFD", name.lower())
    return "".join(char for char in apart if not unicodedata.combining(char))

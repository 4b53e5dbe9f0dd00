"""Read a time of day or a duration that a person typed, in digits or words. Pure.

`10h15`, `dix heures et quart` and `a quarter past ten` are the same time.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from bot.i18n import fold
from bot.learning.grading.answer_forms import is_conversion, squeeze
from bot.learning.grading.answer_readings import clean, list_readings, read_amount
from bot.learning.plain_notation import write_plain

_TIME: Final = re.compile(
    r"(?=.*(?:h|min))(?:(?P<hours>\d+) ?h ?)?(?:(?P<minutes>\d{1,2})(?: ?min)?)?"
)
"""A time or duration, as a solution writes it."""
_HOURS: Final = re.compile(
    r"(?<![\w.,])(\d{1,2}) ?(?:h|heures?|hours?|hrs?)"
    r"(?: ?(?:et |and )?(\d{1,2})(?: ?(?:min\w*|mn))?)?\b"
)
_PARTS: Final = (
    (re.compile(r"\b(?:et demie?|and a half)\b"), "30"),
    (re.compile(r"\b(?:et |and )?(?:trois|three|3)[ -]quarts?(?:ers)?\b"), "45"),
    (
        re.compile(r"(?<!moins )\b(?:et (?:un |le )?|un |and (?:a |one )?)quart(?:er)?\b"),
        "15",
    ),
)
"""Parts of an hour behind it, and their minutes."""
_BEFORE_HOUR: Final = re.compile(
    r"\b(\d{1,2}) ?(?:h|heures?) (?:moins |- ?)"
    r"(?:(?:le |un )?quart|(\d{1,2})(?: ?min\w*)?)\b(?! ?h)"
)
_PAST_HOUR: Final = re.compile(
    r"\b(?:a )?(quarter|half) (past|to) (\d{1,2})\b(?: hours?| o'clock)?"
)
_AFTERNOON: Final = re.compile(
    r"\bde l'? ?ap(?:res[- ]?midi|rem|rm)\b|\bdu soir\b|\bin the (?:afternoon|evening)\b"
)
_HALF_DAY: Final = re.compile(
    r"\b(1[0-2]|0?[1-9])(?:(?:[:.]| ?h ?)([0-5]\d)| ?h)? ?([ap])\.? ?m\b\.?"
)
_NOON: Final = re.compile(r"^(?:a )?midi$")
_CLOCK: Final = re.compile(r"\d{1,2}h(?:\d\d)?")
_LONGEST: Final = 300
"""Most characters of a text in which a time is searched."""
_ASKS_DURATION: Final = re.compile(
    r"\bcombien de (?:temps|minutes|secondes|heures)\b|\bdur(?:e|ee|ees|ent|era)\b|how long"
    r"|duration"
)


def is_time(solution: str) -> bool:
    """Return whether a solution is a time or duration in hours and minutes."""
    return _TIME.fullmatch(solution) is not None


def write_hours(text: str) -> str:
    """Return the time in a text as `11 h 30`, also from `elle dure 1h30`, `onze heures trente` and
    `dix heures moins le quart`; the whole text if it has none or two."""
    plain = re.sub(r"^(?:une )?demi[- ]heure$|^half an hour$", "0 h 30", fold(text))
    plain = _HALF_DAY.sub(_write_half_day, _NOON.sub("12 h", plain))
    plain = re.sub(
        r"(?<!half )(?<!of )(?<!d[' ])\b(?:une?|an|one) (?:heures?|hours?)\b", "1 h", plain
    )
    if re.search(r"h|past|quarter", plain):
        for written, minutes in _PARTS:
            plain = written.sub(minutes, plain)
        plain = _BEFORE_HOUR.sub(_write_before, _PAST_HOUR.sub(_write_past, write_plain(plain)))
    found = list(_HOURS.finditer(plain))
    if len(found) != 1 or re.search(r"\d|\bmoins\b", plain.replace(found[0][0], "")):
        return text
    hours, minutes = found[0].groups()
    if _AFTERNOON.search(plain) and int(hours) < 12:
        hours = str(int(hours) + 12)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def _write_half_day(found: re.Match[str]) -> str:
    """Return `17 h 30` for `5:30 pm`."""
    hours = int(found[1]) % 12 + 12 * (found[3] == "p")
    return f"{hours} h {found[2] or ''}".strip()


def _write_before(found: re.Match[str]) -> str:
    """Return `9 h 45` for `10 heures moins le quart`."""
    return f"{int(found[1]) - 1} h {60 - int(found[2] or 15)}"


def _write_past(found: re.Match[str]) -> str:
    """Return `10 h 15` for `quarter past 10`, and `9 h 45` for `quarter to 10`."""
    minutes = 15 if found[1] == "quarter" else 30
    is_before = found[2] == "to"
    return f"{int(found[3]) - is_before} h {60 - minutes if is_before else minutes}"


def are_same_times(one: str, other: str) -> bool:
    """Return whether two options are the same time of day: `17 h`, `17:00`, `5 h du soir`."""
    times = [_squeeze_plainly(each) for each in (one, other)]
    return times[0] == times[1] and _CLOCK.fullmatch(times[0]) is not None


def has_wrong_minutes(text: str) -> bool:
    """Return whether a time has sixty minutes or more behind its hours: `9h75`."""
    return re.search(r"\d ?h ?[6-9]\d(?!\d)", text) is not None


def squeeze_time(text: str) -> str:
    """Return a formula or time in one spelling, for `8:20`, `08h20` and `8 heures 20`."""
    plain = re.sub(r"^(\d{1,2}):(\d\d)$", r"\1 h \2", text.strip())
    return re.sub(r"^0(?=\d)", "", squeeze(clean(plain)))


def same_time(text: str, solution: str, statement: str) -> bool:
    """Return whether an answer is the time or duration that a solution is, the duration also in
    minutes."""
    wanted = _TIME.fullmatch(solution)
    if wanted is None or len(text) > _LONGEST:
        return False
    readings = [*list_readings(text, statement), write_hours(text)]
    readings = [re.sub(r"^(\d{1,2})\.([0-5]\d)$", r"\1:\2", each) for each in readings]  # `8.30`
    if any(_squeeze_plainly(each) == _squeeze_plainly(solution) for each in readings):
        return True
    minutes = 60 * int(wanted["hours"] or 0) + int(wanted["minutes"] or 0)
    is_duration = "min" in solution or bool(_ASKS_DURATION.search(fold(statement)))
    if not is_duration or is_conversion(statement, Fraction(minutes), "min"):
        return False
    named = [read_amount(each) for each in readings if re.search(r"\d ?m(?:n|in)", each)]
    return any(
        each.value == minutes and re.fullmatch(r"m(?:n|in\w*)\W*", each.rest)
        for each in named
        if each
    )


def _squeeze_plainly(text: str) -> str:
    """Return a time in one spelling, also of `8h30mn`, `8:00` and `8h5`."""
    plain = re.sub(r"(?<=\d)(?:mn|min\w*)$", "", squeeze_time(write_hours(text)))
    return re.sub(r"(?<=\dh)0{1,2}$", "", re.sub(r"(?<=\dh)(?=\d$)", "0", plain))

"""Find a solution that is an expression, a time or another phrase of few spellings. Pure."""

from __future__ import annotations

import re
from typing import Final

from bot.learning.expression_shape import Form, list_forms
from bot.learning.leaks.reading import Reading, squeeze

_NOON: Final = 12
_QUARTERS: Final = {
    1: ("(?:une?|a)?(?:quart(?:er)?|1/4)", "(?!)"),
    2: ("(?:demie?|half|1/2)", "(?!)"),
    3: ("(?:3|trois)(?:quarts?|/4)", "(?:une?|a)?(?:quart(?:er)?|1/4)"),
}
"""The words after an hour and before the next one, by quarters of an hour."""
_TIMES_ONE: Final = re.compile(r"(?<=\d) ?\* ?1(?![\d.,^/])")


class ExpressionSearch:
    """A search for an expression in any equivalent form in which nothing is left to compute."""

    def __init__(self, form: Form, statement: Reading) -> None:
        self._form = form
        self._given = {found.shape for _, _, found in list_forms(statement.plain)}

    def find(self, reading: Reading) -> str | None:
        known = {found.shape for _, _, found in list_forms(reading.known.plain)}
        plain = _TIMES_ONE.sub("", reading.plain) if "1" in reading.plain else reading.plain
        for start, end, found in list_forms(plain, self._form.letters):
            if found.shape == self._form.shape:
                if found.shape not in known and found.shape not in self._given:
                    return reading.cut(start, end)
            elif self._gives_away(found) and found.shape not in known:
                return reading.cut(start, end)
        return None

    def _gives_away(self, found: Form) -> bool:
        return not found.is_undone and found.shape not in self._given and found.equals(self._form)


class PhraseSearch:
    """A search for a phrase that has only few spellings, whatever its spaces."""

    def __init__(self, solution: str, statement: Reading) -> None:
        self.pattern = re.compile("|".join(map(bound_phrase, _list_spellings(solution))))
        self._given = self.pattern.search(statement.squeezed)

    def find(self, reading: Reading) -> str | None:
        if self._given:
            return None
        found = self.pattern.search(squeeze(reading.compared))
        return found[0] if found else None


def _list_spellings(solution: str) -> list[str]:
    """Return patterns of a phrase's other spellings."""
    squeezed = Reading(solution).squeezed
    spellings = {squeezed, squeezed.replace(",", ";"), squeezed.replace(";", ",")}
    found = [re.escape(each) for each in sorted(spellings)]
    if time := re.fullmatch(r"0?(\d+)(?:h|:)(\d*)(?:min)?", squeezed):
        found += _list_times(int(time[1]), int(time[2] or 0))
    return found


def _list_times(hours: int, minutes: int) -> list[str]:
    """Return patterns of a time of day or duration: `5 h 10` is also `5:10`, `ten past five`."""
    hour = rf"(?:0?{hours}|{hours - 12})" if hours > _NOON else rf"0?{hours}"
    following = rf"(?:{hours + 1}|{hours - 11})" if hours >= _NOON else f"{hours + 1}"
    unit = r"(?:h|:|heures?|hours?|o'clock)"
    if not minutes:
        return [rf"{hour}(?:h|heures?|o'clock|[ap]\.?m\b|:00)(?!(?:et)?[\dm])"]
    found = [
        rf"{hour}{unit}(?:et|and|,|\.)?0?{minutes}",
        rf"{hours * 60 + minutes}(?:min|mn)",
        rf"{following}(?:h|heures?)(?:moins|-)(?:les?)?{60 - minutes}",
    ]
    if minutes < 31:
        found.append(rf"{minutes}(?:minutes?)?past{hour}")
    if minutes > 29:
        found.append(rf"{60 - minutes}(?:minutes?)?to{following}")
    if minutes % 15 == 0:
        after, before = _QUARTERS[minutes // 15]
        part = f"{minutes / 60:g}".replace("0.", "[.,]")
        found += [rf"{hour}{part}(?:h|heures?|hours?)", rf"{hour}(?:h|heures?)(?:et)?{after}"]
        found += [rf"{after}past{hour}", rf"{following}(?:h|heures?)(?:moins|-)(?:le)?{before}"]
        found += [rf"{before}to{following}"]
    return found


def bound_phrase(spelling: str) -> str:
    """Return the pattern of a spelling that is no part of a longer number."""
    return rf"(?<![\d,.]){spelling}(?!\d)" if spelling[:1].isalnum() else rf"{spelling}(?!\d)"


class SignSearch:
    """A search for the sign between two numbers of the statement."""

    def __init__(self, sign: str, statement: Reading) -> None:
        numbers = [statement.plain[each.start : each.end] for each in statement.literals][:2]
        self._pattern = re.compile(
            re.escape(sign.join(numbers)) + r"(?!\d)|signe\W{0,3}" + re.escape(sign)
        )

    def find(self, reading: Reading) -> str | None:
        found = self._pattern.search(squeeze(reading.compared))
        return found[0] if found else None

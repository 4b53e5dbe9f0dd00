"""Find a solution that is an expression, a time or another phrase of few spellings. Pure."""

from __future__ import annotations

import re

from bot.learning.expression_shape import Form, list_forms
from bot.learning.leaks.reading import Reading, squeeze


class ExpressionSearch:
    """A search for an expression in any equivalent form in which nothing is left to compute."""

    def __init__(self, form: Form, statement: Reading) -> None:
        self._form = form
        self._given = {found.shape for _, _, found in list_forms(statement.plain)}

    def find(self, reading: Reading) -> str | None:
        known = {found.shape for _, _, found in list_forms(reading.known.plain)}
        for start, end, found in list_forms(reading.plain, self._form.letters):
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
    """Return patterns of a phrase's other spellings: `5 h 10` is also `5:10` and `5 heures 10`."""
    squeezed = Reading(solution).squeezed
    spellings = {squeezed, squeezed.replace(",", ";"), squeezed.replace(";", ",")}
    found = [re.escape(each) for each in sorted(spellings)]
    if time := re.fullmatch(r"(\d+)h(\d+)(?:min)?", squeezed):
        hours, minutes = map(int, time.groups())
        found.append(rf"{hours}(?:h|:|heures?|hours?)(?:et|and)?0?{minutes}")
        found.append(rf"{hours * 60 + minutes}(?:min|mn)")
        found.append(rf"{hours + 1}(?:h|heures?)(?:moins|-){60 - minutes}")
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

"""Ways to give a solution away without saying that it is one. Pure.

All other options are ruled out; or the value is put back into the statement, and fits.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.learning.plain_notation import fold_accents, fold_signs

if TYPE_CHECKING:
    from bot.learning.leak_reading import Reading
    from bot.learning.leak_values import ValueSearch

_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:[.,](?=\d)[^.!?\n]+)*[.!?\n]?")
_REJECTS: Final = re.compile(
    r"\b(?:pas|ni|non|faux|fausses?|elimin\w*|barr\w*|exclu\w*|ecart\w*|aussi|convien\w*|incorrect\w*"
    r"|not|nor|neither|wrong|false|rule out|cross out)\b"
)
_PUTS_IN: Final = re.compile(
    r"\b(?:rempla\w+|remet\w*|met\w*|verifi\w+|controle\w*|test\w+|essa\w+|prend?s?|prenant|avec"
    r"|substitu\w+|replace|put|plug|try|check|with)\b[^.!?\n]{0,30}$"
)
_FITS: Final = re.compile(
    r"^[^.!?\n]{0,60}\b(?:marche|fonctionne|vraie?|retombes?|retrouves?|tombe|egaux|egales?|juste"
    r"|donne bien|fait bien|works|holds|true)\b"
)


class EliminationSearch:
    """Finds that every option but the right one is ruled out, by its text or its letter."""

    def __init__(self, options: Sequence[str], solution: str) -> None:
        self._options = [_bound(each) for each in options]
        self._right = options.index(solution) if solution in options else -1
        self._letters = string.ascii_uppercase[: len(options)]

    def find(self, reading: Reading) -> str | None:
        if len(self._options) < 3 or self._right < 0:
            return None
        rejected: set[int] = set()
        for found in _SENTENCE.finditer(reading.text):
            folded = _fold(found[0])
            if "?" in folded or not _REJECTS.search(folded):
                continue
            places = {at for at, each in enumerate(self._options) if each.search(found[0].lower())}
            letters = re.findall(r"(?<![\w'’])[A-H](?![\w'’])", found[0])
            places |= {self._letters.index(each) for each in letters if each in self._letters}
            if self._right in places:
                return None
            rejected |= places
        return reading.text[:80] if len(rejected) == len(self._options) - 1 else None


class SubstitutionSearch:
    """Finds that the value is put in place of the unknown, and fits."""

    def __init__(self, values: ValueSearch) -> None:
        self._values = values

    def find(self, reading: Reading) -> str | None:
        for literal in reading.literals:
            before = reading.plain[max(0, literal.start - 60) : literal.start]
            after = reading.plain[literal.end : literal.end + 90]
            if (
                self._values.matches(literal, reading.plain)
                and not re.match(r"[a-z(]", after)  # it multiplies a letter
                and _PUTS_IN.search(before)
                and _FITS.search(after)
            ):
                return reading.cut(literal.start, literal.end)
        return None


def _bound(option: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w,.'’]){re.escape(option.strip('$').lower())}(?![\w]|[,.]\d)")


def _fold(text: str) -> str:
    return fold_accents(fold_signs(text)).lower()

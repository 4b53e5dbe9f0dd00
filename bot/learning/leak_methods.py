"""Find ways to give a solution away without saying that it is one. Pure.

The text rules out all other options; it puts the value back into the statement and says that it
fits; or it names parts that make the value together.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.learning.plain_notation import fold_accents, fold_signs

if TYPE_CHECKING:
    from bot.learning.leak_reading import Literal, Reading
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


_NUMBER: Final = r"(?<![\d.,*/÷^])(\d+(?:[.,]\d+)?)"
_SUM: Final = re.compile(
    rf"{_NUMBER}(?: ?[+-] ?| et (?:encore )?| and )(\d+(?:[.,]\d+)?)(?! ?[*/÷^\d])"
    r"(?: (dixieme|centieme|millieme|tenth|hundredth|thousandth)s?)?"
)
_QUOTIENT: Final = re.compile(rf"{_NUMBER} ?÷ ?(\d+)(?![.,]?\d)")
_PARTS: Final = {
    "dixieme": 0.1, "centieme": 0.01, "millieme": 0.001,
    "tenth": 0.1, "hundredth": 0.01, "thousandth": 0.001,
}  # fmt: skip
_SAYS: Final = re.compile(
    r"\b(?:c'est|it's|that's|reponse|resultat|solution|answer|result)\b[^.!?\n\d+*/÷=]{0,25}$"
)
_SAID: Final = re.compile(r",? ?(?:et )?(?:voila|c'est|that's|here is) (?:la|le|the|ta|ton)\b")
_NEIGHBOUR: Final = re.compile(
    r"\b(?:(juste avant|just before|(?:1|un) de moins que|(?:1|one) less than)"
    r"|juste apres|just after|(?:1|un) de plus que|(?:1|one) more than)"
    r" (?:le |the )?(\d+)(?![.,]?\d)"
)
_FOLLOWED: Final = re.compile(
    r"(?<![\d.,])(\d+) ?,? ?(?:suivi|followed)(?:e|s)? (?:de |du |d'un |by )(?:chiffre )?"
    r"(\d+)(?![.,]?\d)"
    r"|\b(?:commence|debute|starts|begins)\w* (?:par|with)(?: un| a)? (\d)(?!\d)[^.!?\n\d]{1,40}"
    r"\b(?:finit|termine|acheve|ends)\w* (?:par|with)(?: un| a)? (\d)(?!\d)"
)


class EliminationSearch:
    """A search for a text that rules out every option but the right one, by its text or letter."""

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
    """A search for the value put in place of the unknown, with a word that it fits."""

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


class AssemblySearch:
    """A search for the value in parts: `c'est 50 + 6`, `5 suivi de 6`, `juste avant 57`."""

    def __init__(self, solution: Literal, statement: Reading) -> None:
        self._value = solution.value
        self._form = solution.form
        self._given = {each.value for each in statement.literals}

    def find(self, reading: Reading) -> str | None:
        plain = reading.plain
        for pattern, is_value in (
            (_SUM, self._is_sum),
            (_QUOTIENT, self._is_quotient),
            (_NEIGHBOUR, self._is_neighbour),
            (_FOLLOWED, self._is_followed),
        ):
            for found in pattern.finditer(plain):
                is_plain = pattern in (_NEIGHBOUR, _FOLLOWED)
                if is_value(found) and (is_plain or self._is_said(found, plain)):
                    return reading.cut(*found.span())
        return None

    def _is_said(self, found: re.Match[str], plain: str) -> bool:
        """Return whether the text names the found part as the answer."""
        before = plain[max(0, found.start() - 50) : found.start()]
        return bool(_SAYS.search(before) or _SAID.match(plain, found.end()))

    def _is_sum(self, found: re.Match[str]) -> bool:
        one, other = (float(found[group].replace(",", ".")) for group in (1, 2))
        other *= _PARTS.get(found[3], 1)
        is_given = {one, other} <= self._given
        sign = -1 if "-" in found[0] else 1
        return not is_given and math.isclose(one + sign * other, self._value, rel_tol=1e-9)

    def _is_quotient(self, found: re.Match[str]) -> bool:
        return self._form == ("/", float(found[1].replace(",", ".")), float(found[2]))

    def _is_neighbour(self, found: re.Match[str]) -> bool:
        other = float(found[2])
        return other + (-1 if found[1] else 1) == self._value and other not in self._given

    def _is_followed(self, found: re.Match[str]) -> bool:
        return float("".join(filter(None, found.groups()))) == self._value


def _bound(option: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w,.'’]){re.escape(option.strip('$').lower())}(?![\w]|[,.]\d)")


def _fold(text: str) -> str:
    return fold_accents(fold_signs(text)).lower()

"""Find a number that is told by what relates it to another: `2 de plus que 13`. Pure.

`deux ans après 1787`, `à mi-chemin entre 10 et 20`, `dix degrés de plus que l'angle B` where the
statement says how great that is, `il manque 3 pour aller à 10`, `autant que de jours dans une
semaine`; and a negative number by its size and its sign, `7 - 3 = 4, avec le signe moins`. Where
both numbers are the statement's, this is the computation that it asks.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Literal, Reading
    from bot.learning.leaks.values import ValueSearch

_SIZE: Final = r"(?<![\w.,/])(\d{1,9}(?:[.,]\d{1,4})?(?:/\d{1,3})?|une?|one)"
_OTHER: Final = r"(\d{1,9}(?:[.,]\d{1,4})?(?:/\d{1,3})?|[a-z]{1,3})(?![\w/]|[.,]\d| ?[-+*÷^=])"
_ARTICLES: Final = r"(?:(?:le |la |l'|the )?(?:cote |angle |nombre |segment |number |side )?)"
_UNIT: Final = r"(?: (?!de\b|que\b|qu'|plus\b|moins\b)[a-z°]{1,12}\.?){0,2}"
_MORE: Final = re.compile(
    rf"{_SIZE}{_UNIT} (?:de |d')?(?:(plus|more|greater)|moins|less|fewer) (?:que |qu'|than )"
    rf"{_ARTICLES}{_OTHER}"
)
_AFTER: Final = re.compile(
    rf"{_SIZE} (?:ans?|annees?|years?|siecles?|nombres?|unites?|numbers?|rangs?|crans?|pas|steps?)"
    rf" (?:plus tard que |(?:(apres|after|au-dessus de|above)|avant|before|below"
    rf"|(?:en|au)[ -]dessous de)) {_ARTICLES}{_OTHER}"
)
_MULTIPLE: Final = re.compile(
    r"(?:=|\b(?:c'est|est|vaut|soit|donc|donne|fait|is|it's))(?: donc| bien| juste| exactement)? "
    r"(?:le |la |l'|the )?"
    r"(?:(double|twice|2 ?\*)|(triple|3 ?\*)|(quadruple|4 ?\*)|(moitie|half)|(tiers|third)"
    r"|(quart|quarter)|(oppose|opposite)|(dixieme)) ?(?:de |of |d')?"
    r"(-?\d{1,9}(?:[.,]\d+)?)(?![\w/]|[.,]\d| ?[-+*÷^=] ?[\d(])"
)
_TIMES: Final = (2, 3, 4, 1 / 2, 1 / 3, 1 / 4, -1, 1 / 10)
_IMAGE: Final = re.compile(
    r"\b(?:antecedent|preimage) (?:de |of )?(-?\d{1,9}(?:[.,]\d+)?)(?: par [a-z])? ?"
    r"(?:est|vaut|=|is) (-?\d{1,9}(?:[.,]\d+)?)(?![\w,]|[.]\d)"
)
_COLLECTIVE: Final = re.compile(
    r"(?:=|\b(?:obtien\w{1,3}|trouve[sz]?|c'est|est|vaut|reste|soit|donne|fait|is|get|gives))"
    r"(?: bien| exactement| juste| donc)? (?:une |a )"
    r"(dizaine|douzaine|quinzaine|vingtaine|trentaine|quarantaine|cinquantaine|soixantaine"
    r"|centaine|millier|dozen|hundred|thousand)\b(?! (?:de|d'|et|of|and|environ|and)\b)"
)
_COLLECTED: Final = {
    "dizaine": 10, "douzaine": 12, "quinzaine": 15, "vingtaine": 20, "trentaine": 30,
    "quarantaine": 40, "cinquantaine": 50, "soixantaine": 60, "centaine": 100, "millier": 1000,
    "dozen": 12, "hundred": 100, "thousand": 1000,
}  # fmt: skip
_BETWEEN: Final = re.compile(
    r"\b(?:mi-chemin|milieu|halfway|moyenne|middle|midway)(?: exacte?(?:ment)?)? ?"
    r"(?:entre|between|of|de) (-?\d{1,9}(?:[.,]\d+)?) (?:et|and) (-?\d{1,9}(?:[.,]\d+)?)"
)
_ONLY_BETWEEN: Final = re.compile(
    r"(?:\b(?:seul|unique|l'|le|the|the only) ?(?:nombre |whole )?(?:entier|nombre|integer|number)"
    r"|carre parfait|\b(?:im)?pair|perfect square|multiple de \d+)"
    r" (?:\w+ ){0,5}?(?:entre|between) (-?\d{1,9}) (?:et|and) (-?\d{1,9})"
)
_MISSING: Final = re.compile(
    r"\bmanque (?:juste |seulement )?(\S{1,9})(?: \w+){0,2} (?:pour|a) \w+(?: a)? (\d{1,9})\b"
)
_KNOWN: Final = (
    (re.compile(r"jours d(?:e|ans) (?:la|une) semaine|days in a week"), 7),
    (re.compile(r"mois d(?:e l'|ans l'|'une |ans une )(?:an|annee)|months in a year"), 12),
    (
        re.compile(
            r"doigts (?:a|de|d'|sur) ?(?:la|une|ta|chaque) main|fingers on (?:one|a) hand"
            r"|\b(?:ta|une) main\b[^.!?\n]{0,30}\bdoigts"
        ),
        5,
    ),
    (re.compile(r"doigts (?:a|de|des|sur) (?:les |tes |nos )?(?:deux|2) mains"), 10),
    (re.compile(r"heures d(?:e la|ans la|ans une|'une) journee|hours in a day"), 24),
    (re.compile(r"minutes d(?:e l'|ans l'|ans une |'une )heure|minutes in an hour"), 60),
    (re.compile(r"lettres d(?:e|ans) (?:l'|notre )alphabet|letters in the alphabet"), 26),
    (re.compile(r"saisons d(?:e l'|ans l'|ans une )annee|seasons in a year"), 4),
    (re.compile(r"pattes (?:d'une|qu'une|a une) araignee|legs (?:of|on) a spider"), 8),
    (re.compile(r"(?:cotes|sommets) (?:d'un|dans un|a un) triangle|sides (?:of|in) a triangle"), 3),
    (re.compile(r"(?:cotes|sommets) (?:d'un|dans un|a un) carre|sides (?:of|in) a square"), 4),
    (re.compile(r"joueurs d(?:ans une|'une) equipe de foot"), 11),
    (
        re.compile(r"(?:cases|carreaux) (?:d'un|sur un|de l')\W?echiquier|squares on a chessboard"),
        64,
    ),
    (
        re.compile(
            r"(?:deux|2) mains\b[^.!?\n]{0,30}\bdoigts|(?:two|both|2) hands\b[^.!?\n]{0,30}fingers"
            r"|fingers\b[^.!?\n]{0,30}(?:two|both|2) hands"
        ),
        10,
    ),
    (re.compile(r"voleurs d'ali baba|thieves of ali baba|ali baba's thieves"), 40),
)
"""How many of what everybody knows."""
_AS_MANY: Final = re.compile(
    r"\b(?:autant|nombre de|meme nombre|comme|as many|same number|number of|c'est|that number"
    r"|ce nombre)\b"
)
_NEGATIVE: Final = re.compile(
    r"\bsigne (?:est |sera )?(?:donc )?(?:\"|\()?(?:-|moins|negatif)|\bsigne du \w+,? moins"
    r"|\b(?:un|le) (?:signe )?moins (?:devant|avant)|\bminus sign|\bnegative sign"
    r"|\b(?:est|sera|is|be) (?:donc )?negati(?:f|ve)\b|\bsous (?:le )?zero|\bdessous de (?:zero|0)"
    r"|\bbelow (?:zero|0)\b|\bsous 0\b|\bgauche de (?:zero|0)\b|\bleft of (?:zero|0)\b"
    r"|\b(?:dette|perte|deficit|debt|loss|decouvert)s? (?:est |is )?(?:de|of)\b|\boppose\b"
)
_RESULT: Final = (
    r"(?:(?:=|font|reste|dette de|perte de|deficit de|decouvert de|debt of|loss of)"
    r" ?(?:une dette de |une perte de |a debt of )?{0}(?![\w]|[.,]\d| ?[-+*÷/^=])"
    r"|(?<![\w.,]){0}(?: \w+)? (?:sous|en[ -]dessous|au[ -]dessous|below|a gauche|left)\b)"
)
_NEAR: Final = 90
_NUMBER_END: Final = r"(?![\w%]|[.,]\d| ?[-+*÷/^=] ?[\da-z(])"
_TENDS: Final = (
    r"\b(?:suite|limite|fonction|courbe|elle|on|quotient|expression|tout|ca|cela|sequence|function|it"
    r"|u_?\(?n\)?|[fgu]\([nx]\))[^.!?;\n,]{0,30}?"
    r"\b(?:tend\w*|converge\w*|s'approche\w*|approche\w*|se rapproche\w*|goes|gets? close\w*)"
    r"(?: \w+)?(?: (?:vers|de|to|towards))? (?:\w+ )?[,:]? ?"
)
"""What comes before the limit; `1/n tend vers 0` is a step."""
_TRIPLE: Final = re.compile(r"(?<![\d-])(\d{1,4})-(\d{1,4})-(\d{1,4})(?![\d-])")


class RelationSearch:
    """A search for the value as more or less than another number, or between two."""

    def __init__(self, solution: Literal, statement: Reading) -> None:
        self._value = solution.value
        self._given = {each.value for each in statement.literals}
        self._names = _list_names(statement)
        self._statement = statement.plain

    def find(self, reading: Reading) -> str | None:
        plain = reading.plain
        for pattern in (_MORE, _AFTER):
            for found in pattern.finditer(plain):
                if self._is_value(found):
                    return reading.cut(*found.span())
        for pattern in (_BETWEEN, _ONLY_BETWEEN):
            for found in pattern.finditer(plain):
                low, high = (float(found[group].replace(",", ".")) for group in (1, 2))
                is_middle = pattern is _BETWEEN or high - low == 2
                is_value = math.isclose((low + high) / 2, self._value, rel_tol=1e-9)
                is_new = pattern is _ONLY_BETWEEN or not {low, high} <= self._given
                if is_middle and is_value and is_new:
                    return reading.cut(*found.span())
        finds = (self._find_multiple, self._find_missing, self._find_triple, self._find_image)
        return next(filter(None, (find(reading) for find in finds)), self._find_known(plain))

    def _is_value(self, found: re.Match[str]) -> bool:
        size, other = _read(found[1]), self._read_other(found[3])
        if size is None or other is None or (size in self._given and other in self._given):
            return False
        return math.isclose(other + size * (1 if found[2] else -1), self._value, rel_tol=1e-9)

    def _read_other(self, written: str) -> float | None:
        return self._names.get(written) if written[0].isalpha() else _read(written)

    def _find_multiple(self, reading: Reading) -> str | None:
        """Return a multiple or part of a number that the statement lacks, or `une douzaine`."""
        for found in _MULTIPLE.finditer(reading.plain):
            times = next(sign for sign, each in zip(_TIMES, found.groups(), strict=False) if each)
            number = float(found[9].replace(",", "."))
            is_value = math.isclose(number * times, self._value, rel_tol=1e-9)
            if is_value and number not in self._given:
                return reading.cut(*found.span())
        for found in _COLLECTIVE.finditer(reading.plain):
            if _COLLECTED[found[1]] == self._value:
                return reading.cut(*found.span())
        return None

    def _find_missing(self, reading: Reading) -> str | None:
        if "manque" not in reading.plain:
            return None
        for found in _MISSING.finditer(reading.plain):
            size, whole = _read(found[1]), _read(found[2])
            if size is None or whole is None or {size, whole} <= self._given:
                continue
            if math.isclose(whole - size, self._value, rel_tol=1e-9):
                return reading.cut(*found.span())
        return None

    def _find_triple(self, reading: Reading) -> str | None:
        """Return the sides of a triangle, of which the value is one: `3-4-5`."""
        for found in _TRIPLE.finditer(reading.plain) if "triangle" in reading.plain else ():
            sides = set(map(float, found.groups()))
            if self._value in sides and sides - {self._value} <= self._given:
                return reading.cut(*found.span())
        return None

    def _find_image(self, reading: Reading) -> str | None:
        """Return the value as the number whose antecedent the statement gives."""
        for found in _IMAGE.finditer(reading.plain):
            value, other = (float(each.replace(",", ".")) for each in found.groups())
            if value == self._value and other in self._given and value not in self._given:
                return reading.cut(*found.span())
        return None

    def _find_known(self, plain: str) -> str | None:
        if not _AS_MANY.search(plain):
            return None
        for pattern, count in _KNOWN:
            if count == self._value and (found := pattern.search(plain)):
                return None if pattern.search(self._statement) else found[0]
        return None


class LimitSearch:
    """A search for the limit that is asked, said as what a sequence or function tends to.

    Args:
        value: may be infinite.
    """

    def __init__(self, value: float, statement: Reading) -> None:
        size = "∞" if math.isinf(value) else f"{abs(value):.10g}".replace(".", "[.,]") + _NUMBER_END
        sign = r"\+? ?" if math.isinf(value) else r"(?<!-)(?<!- )"
        number = ("- ?" if value < 0 else sign) + size
        self._is_asked = bool(re.search(r"\blimite?s?\b|\blim\b|\\lim", statement.plain))
        self._said = re.compile(_TENDS + number)
        self._asymptote = re.compile(
            rf"\basymptote\b[^.!?\n]{{0,40}}y ?= ?{number}|y ?= ?{number}[^.!?\n]{{0,40}}asymptote"
        )

    def find(self, reading: Reading) -> str | None:
        """Return the words that tell the limit; None: none do."""
        if not self._is_asked:
            return None
        plain = reading.compared
        found = self._said.search(plain) or self._asymptote.search(plain)
        return found[0] if found else None


class SignSizeSearch:
    """A search for a negative value by its size, said as a result, and its sign."""

    def __init__(self, values: ValueSearch) -> None:
        size = f"{-values.value:.10g}"
        self._result = re.compile(_RESULT.format(re.escape(size).replace(r"\.", "[.,]")))

    def find(self, reading: Reading) -> str | None:
        """Return the words that say the size and the sign; None: none do."""
        plain = reading.plain
        for found in self._result.finditer(plain):
            start, end = found.start() - _NEAR, found.end() + _NEAR
            if _NEGATIVE.search(plain[max(0, start) : end]):
                return reading.cut(*found.span())
        return None


def _read(written: str) -> float | None:
    if written in ("un", "une", "one"):
        return 1.0
    above, _, below = written.replace(",", ".").partition("/")
    try:
        return float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        return None


def _list_names(statement: Reading) -> dict[str, float]:
    """Map the names of sides, angles and points in a statement to their values: `AC = 8 cm`."""
    named = re.finditer(
        r"\b([A-Z]{1,3})\b(?:\s?=\s?|[^\d.\n;,A-Z]{1,14}?)(\d{1,6}(?:[.,]\d+)?)", statement.text
    )
    return {found[1].lower(): float(found[2].replace(",", ".")) for found in named}

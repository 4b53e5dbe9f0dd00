"""Check numbers of days between two dates, and parts of an hour, a day or a dozen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Passage, decide, write_number
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.number_words import MONTH_NUMBERS
from bot.maths.reading.plain_words import DIGITS, read_values

_MONTH: Final = "|".join(MONTH_NUMBERS)
_DATE: Final = re.compile(
    rf"\b(?:(?P<d>\d{{1,2}})(?:er|st|nd|rd|th)? (?:of )?(?P<m>{_MONTH})"
    rf"|(?P<n>{_MONTH}) (?P<e>\d{{1,2}})(?:st|nd|rd|th)?)\b(?: (?P<y>(?:19|20)\d\d)\b)?"
)
_ASKS_DAYS: Final = re.compile(r"\b(?:combien de jours|how many days|nombre de jours)\b")
_DAYS: Final = re.compile(r"(?<![\d.,+×*/÷-])(?<![+×*/÷-] )(?P<n>\d{1,3}) (?:jours?|days?)\b")
_CONCLUDES: Final = re.compile(
    r"\b(?:donc|so|soit|reste\w*|total|en tout|in all|altogether|left|s'ecoule\w*|reponse|answer"
    r"|that makes|that is|cela fait|ca fait)\b"
)
_OTHER: Final = re.compile(
    r"\b(?:ouvrables?|ouvres?|travail\w*|ecole|vacances|school|working|week-?ends?|sauf|dimanches?"
    r"|semaines?|weeks?|chaque|each|exemple|example)\b"
)
_LEAP: Final = (2023, 2024)
"""A year and a leap year: the text tells which only if it names the year."""


def read_date_problems(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer concludes of dates, and parts of measures of time."""
    answer = passage.write_answer()
    if re.search(r"\d (?:jours?|days?)\b", answer):
        yield from _read_days_between(passage)
    if "/" in answer or re.search(r"\b(?:quart|tiers|half|quarter|third|demi)", answer):
        yield from _read_parts(passage)


def _read_days_between(passage: Passage) -> Iterator[Statement]:
    """Read the answer to `Combien de jours du 12 mars au 12 avril ?`: the first or the last day may
    count too."""
    dates = list(_DATE.finditer(passage.asked))
    if len(dates) == 1 and (short := _SHORT.search(passage.asked)):
        gaps = _count(int(short["a"]), dates[0], dates[0])
    elif len(dates) == 2:
        first, last = _order(passage.asked, dates)
        gaps = _count(int(first["d"] or first["e"]), first, last)
    else:
        return
    is_asked = _ASKS_DAYS.search(passage.asked) and not _OTHER.search(passage.asked)
    if not gaps or not is_asked or passage.has_example:
        return
    right = gaps | {gap + 1 for gap in gaps}
    if re.search(r"\b(?:entre|between)\b", passage.asked):
        right |= {gap - 1 for gap in gaps}
    for line in reversed(passage.lines):
        shown = [int(found["n"]) for found in _DAYS.finditer(line.text)]
        if not shown or not _CONCLUDES.search(line.text) or _OTHER.search(line.text):
            continue
        if line.is_own and "=" not in line.text and "+" not in line.text:
            is_right = not right.isdisjoint(shown)
            yield decide(line.text, "" if is_right else f"it is {min(gaps)} days")
        return


_SHORT: Final = re.compile(
    rf"\b(?:du|from|entre le|between)(?: the)? (?P<a>\d{{1,2}})(?:er|st|nd|rd|th)?"
    rf" (?:au|to|et le|and)(?: the)? \d{{1,2}}(?:er|st|nd|rd|th)? (?:of )?(?:{_MONTH})\b"
)
"""Two days of one month: `du 3 au 21 mai`."""
_TODAY: Final = re.compile(
    r"\b(?:on est|nous sommes|aujourd'hui|today|it is|depuis|since|c'est|du|from)"
    r"(?: \w+)? ?(?:le )?$"
)


def _order(text: str, dates: list[re.Match[str]]) -> tuple[re.Match[str], re.Match[str]]:
    """Return the earlier and the later date: today's, if the second one is."""
    one, other = dates
    return (other, one) if _TODAY.search(text[: other.start()]) else (one, other)


def _count(day: int, first: re.Match[str], last: re.Match[str]) -> set[int]:
    """Return how many days may lie from one date to the other."""
    months = [MONTH_NUMBERS[each["m"] or each["n"]] + 1 for each in (first, last)]
    named = [int(each["y"]) for each in (first, last) if each["y"]]
    gaps: set[int] = set()
    for year in [named[0]] if named else _LEAP:
        try:
            begin = date(year, months[0], day)
            end = date(year, months[1], int(last["d"] or last["e"]))
            if end < begin:
                end = date(year + 1, months[1], int(last["d"] or last["e"]))
        except ValueError:
            return set()
        gaps.add((end - begin).days)
    return gaps


# Parts --------------------------------------------------------------------------------------------

_UNITS: Final = (
    (r"heures?|hour", 60, r"min|minutes?"), (r"minutes?", 60, r"s|sec|secondes?|seconds?"),
    (r"journee|jour|day", 24, r"h|heures?|hours?"), (r"annee|an|year", 12, r"mois|months?"),
    (r"douzaine|dozen", 12, r"[a-z]{3,}|"), (r"siecle|century", 100, r"ans|annees|years"),
    (r"kilo|kilogramme|kg", 1000, r"g|grammes?|grams?"), (r"litre|liter", 100, r"cl"),
    (r"metre|meter", 100, r"cm"),
)  # fmt: skip
_NAMES: Final = "|".join(pattern for pattern, _, _ in _UNITS)
_PARTS: Final = {
    "un quart": Fraction(1, 4), "le quart": Fraction(1, 4), "trois quarts": Fraction(3, 4),
    "un tiers": Fraction(1, 3), "le tiers": Fraction(1, 3), "deux tiers": Fraction(2, 3),
    "a quarter": Fraction(1, 4), "one quarter": Fraction(1, 4), "three quarters": Fraction(3, 4),
    "half": Fraction(1, 2), "a third": Fraction(1, 3), "two thirds": Fraction(2, 3),
    "la moitie": Fraction(1, 2),
}  # fmt: skip
_PART: Final = re.compile(
    r"(?<![\w/.,])(?<![+×*/÷-] )(?:(?P<a>\d{1,3}) ?/ ?(?P<b>\d{1,3})"
    rf"|(?P<w>{'|'.join(_PARTS)}))"
    rf" (?:d'une? |d'|de |of (?:an |a |one )|an )(?P<u>{_NAMES})\b ?(?:,|\()? ?"
    r"(?:=|est|is|c'est|fait|font|vaut|valent|soit|equals|makes|represente\w*|correspond a|dure)"
    rf"(?: (?:donc|egal a|also))? (?P<n>{DIGITS}) ?(?P<v>[a-z]*)(?! ?(?:[+×*/÷-]|et \d|and \d|\d))"
)


def _read_parts(passage: Passage) -> Iterator[Statement]:
    """Read `3/4 of an hour is 45 minutes`."""
    for line in passage.lines:
        for found in _PART.finditer(line.text) if line.is_own else ():
            part = _PARTS.get(found["w"] or "")
            if part is None:
                part = Fraction(int(found["a"]), int(found["b"]) or 1)
            for name, size, smaller in _UNITS:
                is_unit = re.fullmatch(name, found["u"]) and re.fullmatch(smaller, found["v"])
                if is_unit:
                    expected = part * size
                    is_right = any(abs(each - expected) < 1 for each in read_values(found["n"]))
                    is_right &= expected.denominator > 1 or expected in read_values(found["n"])
                    yield decide(found[0], "" if is_right else f"it is {write_number(expected)}")

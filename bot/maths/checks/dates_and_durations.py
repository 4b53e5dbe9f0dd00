"""Check days between two dates, parts of an hour, a day or a dozen, and sums and spans of times.

Also measures of two units that are written with an arrow: `7 h 30 + 45 min → 8 h 15`, `de 7 h 45 à
8 h : 15 min`, `205 cm → 2 m 5 cm`, `2 h 15 → 135 min`. An arrow between two times of day is no
equality: `7 h 30 → 8 h 15`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Passage, decide, write_number
from bot.maths.exact.algebra_questions import Statement
from bot.maths.exact.units import find_unit
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


# Sums of times ------------------------------------------------------------------------------------

_TIME: Final = (
    r"(?:\d{1,3} ?h(?:eures?)?(?: ?\d{1,2}(?: ?(?:min|mn|minutes))?)?|\d{1,3} ?(?:min|mn|minutes))"
    r"(?![a-z\d])"
)
_ARROW: Final = r" ?(?:→|⇒|=>|->|⟶|=|\bdonnent?\b|\bfont\b|\bgives?\b|\bmakes?\b) ?"
_SUM: Final = re.compile(
    rf"(?<![\d.,:+-])(?<![+-] )(?P<one>{_TIME}) ?(?P<sign>[+-]) ?(?P<other>{_TIME}){_ARROW}"
    rf"(?P<result>{_TIME})(?! ?[+×*/:-] ?\d)"
)
_SHOWN: Final = re.compile(r"(?:(\d{1,3}) ?h[a-z]*)? ?(?:(\d{1,3}) ?(?:min|mn|minutes)?)?")
_UNIT: Final = "[kmc]?m|dam|hm|dm|k?g|[dcm]?l|hl|t|q|h|min|mn|s|sec"
_SPLIT: Final = (
    rf"(?P<b>\d{{1,6}}) ?(?P<v>{_UNIT})(?![a-z²³/]) ?(?P<c>\d{{1,4}})(?: ?(?P<w>{_UNIT}))?"
    r"(?![a-z\d²³/.,%])"
)
_WHOLE: Final = rf"(?P<a>\d{{1,3}}(?: \d{{3}})+|\d+) ?(?P<u>{_UNIT})(?![a-z²³/])"
_ALONE: Final = (
    r"(?<![\d.,:+×/-])(?<![+×-] )(?<!\d [a-z] )(?<!\d[a-z] )(?<!\d [a-z]{2} )(?<!\d[a-z]{2} )"
    r"(?<!\d[a-z])"
)
"""A place with no number and unit before it."""
_CONVERSIONS: Final = (
    re.compile(rf"{_ALONE}{_WHOLE} ?(?:→|⇒|=>|->|⟶) ?{_SPLIT}"),
    re.compile(rf"{_ALONE}{_SPLIT} ?(?:→|⇒|=>|->|⟶) ?{_WHOLE}"),
)
_UNSURE: Final = re.compile(
    r"\b(?:pas|not|non|faux|fausse|erreur|si|if|pause|retard|arret|attente|decalage|depart)\b|\?"
)
_MINUTE: Final = 60
_DAY: Final = 24 * _MINUTE
_SPELLINGS: Final = {"mn": "min", "sec": "s", "l": "L", "cl": "cL", "dl": "dL", "ml": "mL",
                     "hl": "hL"}  # fmt: skip


def read_clock_sums(passage: Passage) -> Iterator[Statement]:
    """Yield the sums of times and the conversions with an arrow in an answer."""
    for line in passage.lines:
        if not line.is_own or not re.search(r"\d ?[a-z]", line.text) or _UNSURE.search(line.text):
            continue
        for found in _SUM.finditer(line.text):
            yield from _check_sum(found)
        if any(arrow in line.text for arrow in "→⇒>⟶"):
            for pattern in _CONVERSIONS:
                for found in pattern.finditer(line.text):
                    yield from _check_conversion(found)


def _check_sum(found: re.Match[str]) -> Iterator[Statement]:
    """Read `7 h 30 + 45 min → 8 h 15`; a time of day begins again after 24 hours."""
    one, other, result = (_read_minutes(found[name]) for name in ("one", "other", "result"))
    expected = one + other if found["sign"] == "+" else one - other
    is_right = expected == result or ("h" in found["one"] and (expected - result) % _DAY == 0)
    hours, minutes = divmod(expected % _DAY, _MINUTE)
    yield decide(found[0], "" if is_right else f"it is {hours} h {minutes:02d}")


def _read_minutes(time: str) -> int:
    """Return the minutes of `8 h 15`, `8 h` or `45 min`."""
    hours, minutes = (int(each or 0) for each in _split(time))
    return hours * _MINUTE + minutes


def _split(time: str) -> tuple[str, str]:
    found = _SHOWN.fullmatch(time.strip())
    return (found[1] or "", found[2] or "") if found else ("", "")


def _check_conversion(found: re.Match[str]) -> Iterator[Statement]:
    """Read `205 cm → 2 m 5 cm`: the whole is told in the smaller of the two units."""
    below = found["w"] or ("min" if found["v"] == "h" else "")
    names = [_SPELLINGS.get(name, name) for name in (found["u"], found["v"], below)]
    whole, above, smaller = (find_unit(name) if name else None for name in names)
    if whole is None or above is None or smaller is None or whole != smaller:
        return
    if above.dimensions != smaller.dimensions or above.size <= smaller.size:
        return
    ratio = above.size / smaller.size
    expected = Fraction(int(found["b"])) * ratio + int(found["c"])
    shown = int(found["a"].replace(" ", ""))
    if shown < ratio:
        return  # from one to the other: `30 min → 1 h 30`
    is_right = expected == shown
    yield decide(found[0], "" if is_right else f"{found['b']} {found['v']} {found['c']} {below} "
                 f"is {write_number(expected)} {names[0]}")  # fmt: skip

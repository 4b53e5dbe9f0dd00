"""Check what texts say of days, months, years, centuries and the clock."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from bot.maths.reading.number_words import (
    DAY_NAME,
    DAY_NUMBERS,
    DAYS,
    MONTH_NAME,
    MONTH_NUMBERS,
    MONTHS,
    ORDINALS,
    words_to_number,
)
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.roman_numerals import ROMAN, read_roman
from bot.maths.reading.vocabulary import NUMBER
from bot.maths.school_facts.fact_patterns import END, QUOTE, FactRule, decide, make_rule

_DAY_KEYS: Final = " ".join(DAY_NUMBERS)
_MONTH_KEYS: Final = " ".join(MONTH_NUMBERS)
_SHIFTS: Final = {
    "lendemain": 1, "jour apres": 1, "jour suivant": 1, "day after": 1, "demain": 1, "tomorrow": 1,
    "surlendemain": 2, "apres-demain": 2, "apres demain": 2, "day after tomorrow": 2,
    "veille": -1, "jour avant": -1, "jour precedent": -1, "day before": -1, "hier": -1,
    "yesterday": -1, "avant-veille": -2, "avant-hier": -2, "avant hier": -2,
    "day before yesterday": -2,
}  # fmt: skip
_SHIFT_NAMES: Final = "|".join(sorted(_SHIFTS, key=len, reverse=True))
_IS: Final = (
    r"(?: ?(?:=|→|:) ?|,? (?:c'est|ce sera|ce serait|on sera|nous serons|nous sommes|on est|on"
    r" arrive a"
    r"|on tombe sur|c'etait|ce fut|on etait|il y a|est|sera|tombe|font?|donne|is|was|will be|comes"
    r"|it is|it will be|it was|it's|we get|gives|makes)(?: (?:un|a|le|encore|again|bien|donc"
    r"|alors|aussi))* )"
)
_DAY: Final = rf"(?P<then>{DAY_NAME})"


# Days of the week ---------------------------------------------------------------------------------


def _check_shift(first: str, then: str, days: int) -> Iterable[str]:
    expected = (DAY_NUMBERS[first] + days) % 7
    return decide(DAY_NUMBERS[then] == expected, f"it is {'/'.join(DAYS[expected])}")


def _check_days_after(match: re.Match[str]) -> Iterable[str]:
    """Read `mardi + 3 jours = vendredi`, `3 jours après mardi, c'est vendredi`, `si nous sommes
    mardi, dans 3 jours nous serons vendredi`."""
    groups = match.groupdict()
    counts = read_values(match["count"])
    if len(counts) != 1 or max(counts).denominator != 1:
        return ()
    count = int(max(counts)) * (7 if "sem" in groups["unit"] or "week" in groups["unit"] else 1)
    sign = groups.get("sign") or ""
    is_back = bool(re.search(r"moins|minus|^ ?- ?$|avant|before|il y a|y avait|ago", sign))
    return _check_shift(match["day"], match["then"], -count if is_back else count)


def _check_next_day(match: re.Match[str]) -> Iterable[str]:
    """Read `le lendemain de mardi est mercredi`, `si nous sommes lundi, après-demain ce sera
    mercredi`."""
    return _check_shift(match["day"], match["then"], _SHIFTS[match["shift"]])


# Dates --------------------------------------------------------------------------------------------


def _check_next_month(match: re.Match[str]) -> Iterable[str]:
    """Read `le mois après mars est avril`."""
    is_back = match["side"] in ("avant", "qui precede", "precedant", "before")
    expected = (MONTH_NUMBERS[match["month"]] + (-1 if is_back else 1)) % 12
    right = "/".join(MONTHS[expected])
    return decide(MONTH_NUMBERS[match["then"]] == expected, f"it is {right}")


def _check_month_rank(match: re.Match[str]) -> Iterable[str]:
    """Read `mars est le 3e mois de l'année`."""
    rank = MONTH_NUMBERS[match["month"]] + 1
    claimed = re.match(r"\d+", match["rank"])
    value = int(claimed[0]) if claimed else _RANKS.get(match["rank"])
    return () if value is None else decide(value == rank, f"it is month {rank}")


_RANKS: Final = {**ORDINALS, "dernier": 12, "last": 12}
_RANK_NAMES: Final = "|".join(_RANKS)


def _check_span(match: re.Match[str]) -> Iterable[str]:
    """Read `du 5 mai au 12 mai, il y a 7 jours`: both ends may count."""
    groups = match.groupdict()
    last_month = MONTH_NUMBERS[match["month"]]
    first_month = MONTH_NUMBERS[groups["from_month"]] if groups["from_month"] else last_month
    counts = read_values(match["count"])
    right: set[int] = set()
    for year in (2023, 2024):
        try:
            first = date(year, first_month + 1, int(match["first"]))
            last = date(year + (last_month < first_month), last_month + 1, int(match["last"]))
        except ValueError:
            return ()
        days = (last - first).days
        right |= {days - 1, days, days + 1}
    if min(right) < 0:
        return ()
    return decide(bool(right & counts), f"it is {(last - first).days} days")


def _check_age(match: re.Match[str]) -> Iterable[str]:
    """Read `un élève né en 2012 aura 12 ans en 2024`: or 11, before the birthday."""
    years = int(match["then"]) - int(match["born"])
    ages = read_values(match["age"])
    return decide(bool({years, years - 1} & ages), f"it is {years} years") if years > 0 else ()


def _check_century(match: re.Match[str]) -> Iterable[str]:
    """Read `1789 appartient au XVIIIe siècle`."""
    if re.search(r"\bav(?:ant|\.)? ?j\b|\bbc\b|avant notre ere|jesus", match.string):
        return ()
    year = int(match["year"])
    if year % 100 == 0:  # 1900 is of the 19th century; many say of the 20th
        return ()
    claimed = match["century"]
    value = int(claimed) if claimed.isdigit() else read_roman(claimed)
    expected = (year - 1) // 100 + 1
    return decide(value == expected, f"{year} is of century {expected}")


def _check_leap_year(match: re.Match[str]) -> Iterable[str]:
    year = int(match["year"])
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return decide(is_leap, f"{year} is no leap year")


# The clock ----------------------------------------------------------------------------------------

_HOURS: Final = (
    r"(?:\d{1,2}|une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze"
    r"|quinze"
    r"|seize|dix-sept|dix-huit|dix-neuf|vingt|vingt et une|vingt-deux|vingt-trois)"
)
_MINUTES: Final = (
    r"(?:\d{1,2}|cinq|dix|vingt-cinq|vingt|une|deux|trois|quatre|trente-cinq|trente|quarante-cinq"
    r"|quarante|cinquante-cinq|cinquante|quinze)"
)
_PART_OF_DAY: Final = (
    r"(?: (?:du matin|de l'apres-midi|du soir|pile|precises?|am|pm|a\.m|p\.m|o'clock))?"
)
_FRENCH_CLOCK: Final = (
    rf"(?:(?:{_HOURS} ?(?:heures?|h)|midi|minuit)(?: et (?:quart|demie?)| moins (?:le quart"
    rf"|{_MINUTES})"
    rf"| {_MINUTES}\b|\d\d\b)?(?: ?(?:min|mn|minutes?))?{_PART_OF_DAY})"
)
_ENGLISH_HOURS: Final = (
    r"(?:\d{1,2}\b(?!:)|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon"
    r"|midnight)"
)
_ENGLISH_CLOCK: Final = (
    rf"(?:(?:(?:a )?quarter|half|five|ten|twenty|twenty-five|\d\d?)(?: minutes?)? (?:to|past)"
    rf" {_ENGLISH_HOURS}"
    rf"{_PART_OF_DAY}|\d{{1,2}}:\d\d{_PART_OF_DAY})"
)
_FRENCH_TIME: Final = re.compile(
    rf"(?P<h>{_HOURS}|midi|minuit)(?: ?(?:heures?|h))?(?: (?P<half>et (?:quart|demie?))"
    rf"| moins (?P<less>le quart|{_MINUTES})| ?(?P<m>{_MINUTES})\b)?(?: ?(?:min|mn|minutes?))?"
    rf"{_PART_OF_DAY}"
)
_ENGLISH_TIME: Final = re.compile(
    rf"(?:(?P<count>(?:a )?quarter|half|[a-z-]+|\d\d?)(?: minutes?)? (?P<side>to|past)"
    rf" (?P<h>{_ENGLISH_HOURS})"
    rf"|(?P<hours>\d{{1,2}}):(?P<minutes>\d\d)){_PART_OF_DAY}"
)
_WORDY: Final = re.compile(
    r"\b(?:quart|demie?|moins|midi|minuit|past|to|du matin|apres-midi|soir|am|pm)\b|[a-z]{3,}"
    r" heures?"
)
_EQUALS: Final = (
    r"(?: ?(?:=|→) ?|,? (?:c'est-a-dire|autrement dit|c'est|se lit|se dit|s'ecrit|ou encore"
    r"|i\.?e\.?"
    r"|is written|is said|is read|is|means|that is)(?: (?:aussi|as|bien|donc|the same as|comme"
    r"|pareil que))*,? )"
)


def _read_small(text: str) -> int | None:
    value = int(text) if text.isdigit() else words_to_number(text)
    return None if value is None else int(value)


def _read_clock(text: str) -> int | None:
    """Return the minutes since midnight or noon; None: it is no time of day."""
    if found := _ENGLISH_TIME.fullmatch(text):
        if found["hours"]:
            return _join_time(int(found["hours"]), int(found["minutes"]))
        hour = 12 if found["h"] in ("noon", "midnight") else _read_small(found["h"])
        name = found["count"].removeprefix("a ")
        count = {"quarter": 15, "half": 30}.get(name) or _read_small(name)
        if hour is None or count is None or (name == "half" and found["side"] == "to"):
            return None
        return _join_time(hour, 0, count if found["side"] == "past" else -count)
    found = _FRENCH_TIME.fullmatch(text)
    if not found:
        return None
    hour = 12 if found["h"] in ("midi", "minuit") else _read_small(found["h"])
    after = 0
    if found["half"]:
        after = 15 if found["half"].endswith("quart") else 30
    elif found["less"]:
        less = 15 if found["less"] == "le quart" else _read_small(found["less"])
        after = -less if less else 0
    elif found["m"]:
        after = _read_small(found["m"]) or 0
    return None if hour is None else _join_time(hour, after)


def _join_time(hour: int, minutes: int, shift: int = 0) -> int | None:
    is_time = hour <= 24 and -60 < minutes < 60
    return (hour * 60 + minutes + shift) % 720 if is_time else None


def _check_clock(match: re.Match[str]) -> Iterable[str]:
    """Read `16 h 45, autrement dit cinq heures moins le quart`: one side must be in words, so that
    it is a time of day and no duration."""
    before = match.string[: match.start()]
    sides = match["one"], match["other"]
    if not any(_WORDY.search(each) for each in sides) or re.search(
        r"\b(?:de|from|dure\w*)\W*$", before
    ):
        return ()
    one, other = (_read_clock(each) for each in sides)
    if one is None or other is None:
        return ()
    return decide(one == other, f"{sides[0]} is not {sides[1]}")


_CLOCK: Final = rf"(?:{_ENGLISH_CLOCK}|{_FRENCH_CLOCK})"
_TODAY: Final = (
    rf"(?:(?:si|if|comme|as|since) )?(?:aujourd'hui,? )?(?:nous sommes|on est|c'est|nous etions"
    rf"|today is"
    rf"|it is|it's)(?: aujourd'hui)?(?: (?:un|le|a))? (?P<day>{DAY_NAME})(?: today|"
    rf" aujourd'hui)?,? "
)
_UNIT: Final = r"(?P<unit>jours?|days?|semaines?|weeks?)"
_ORDINAL: Final = rf"(?P<rank>\d{{1,2}} ?(?:e|er|eme|ieme|st|nd|rd|th)|{_RANK_NAMES})"

CALENDAR_RULES: Final[tuple[FactRule, ...]] = (
    make_rule(
        _DAY_KEYS,
        rf"(?P<day>{DAY_NAME}) ?(?P<sign>\+|plus|et|-|moins|minus|and) ?(?P<count>{NUMBER})"
        rf" {_UNIT}"
        rf"{_IS}{_DAY}{END}",
        _check_days_after,
    ),
    make_rule(
        _DAY_KEYS,
        rf"(?P<count>{NUMBER}) {_UNIT} (?P<sign>apres|avant|after|before)"
        rf" (?P<day>{DAY_NAME}){_IS}{_DAY}{END}",
        _check_days_after,
    ),
    make_rule(
        _DAY_KEYS,
        rf"{_TODAY}(?:alors |then )?(?P<sign>dans|in|il y a) (?P<count>{NUMBER})"
        rf" {_UNIT}{_IS}{_DAY}{END}",
        _check_days_after,
    ),
    make_rule(
        _DAY_KEYS,
        rf"(?:(?:le|la|l'|the) ?)?(?P<shift>{_SHIFT_NAMES}) ?(?:de |du |d'|d'un |of"
        rf" )?(?P<day>{DAY_NAME})"
        rf"{_IS}{_DAY}{END}",
        _check_next_day,
    ),
    make_rule(
        _DAY_KEYS,
        rf"{_TODAY}(?:alors |then )?(?:le |la |l'|the"
        rf" )?(?P<shift>{_SHIFT_NAMES}),?{_IS}{_DAY}{END}",
        _check_next_day,
    ),
    make_rule(
        _MONTH_KEYS,
        r"(?:(?:le|the) )?(?:mois|month)(?: qui (?:vient|suit|arrive))?(?: juste)? "
        r"(?P<side>apres|avant|suivant|precedant|qui suit|qui precede|after|before)(?: le mois"
        r" de)? "
        rf"(?P<month>{MONTH_NAME}){_IS}(?P<then>{MONTH_NAME}){END}",
        _check_next_month,
    ),
    make_rule(
        _MONTH_KEYS,
        rf"(?:(?:le mois de|le mois d'|l'mois) ?)?(?P<month>{MONTH_NAME}) (?:est|is) (?:le"
        rf"|the) {_ORDINAL} "
        rf"(?:mois|month)(?: (?:de l'annee|of the year))?{END}",
        _check_month_rank,
    ),
    make_rule(
        _MONTH_KEYS,
        rf"(?:(?:le|the) )?{_ORDINAL} (?:mois|month) (?:de l'annee|of the"
        rf" year){_IS}(?P<month>{MONTH_NAME}){END}",
        _check_month_rank,
    ),
    make_rule(
        _MONTH_KEYS,
        rf"(?:du|entre le) (?P<first>\d{{1,2}})(?:er)?(?: (?P<from_month>{MONTH_NAME}))? (?:au"
        rf"|et le) "
        rf"(?P<last>\d{{1,2}}) (?P<month>{MONTH_NAME}),? (?:il y a|on compte|il s'ecoule|il se"
        rf" passe|cela fait"
        rf"|ca fait) (?P<count>{NUMBER}) jours{END}",
        _check_span,
    ),
    make_rule(
        "ne nee born",
        r"(?:[a-z'-]+ ){0,4}nee? en (?P<born>(?:19|20)\d\d),? (?:[a-z]+ )?(?:aura|avait|a|eut"
        r"|fetera)"
        r" (?P<age>\d{1,2}) ans en (?P<then>(?:19|20)\d\d)\b",
        _check_age,
    ),
    make_rule(
        "ne nee born",
        r"(?:[a-z'-]+ ){0,4}born in (?P<born>(?:19|20)\d\d),? (?:[a-z]+ )?(?:will be|is|was|turns)"
        r" (?P<age>\d{1,2})(?: years old)? in (?P<then>(?:19|20)\d\d)\b",
        _check_age,
    ),
    make_rule(
        "siecle century",
        rf"(?:l'annee |l'an |the year )?(?P<year>\d{{3,4}}) (?:appartient|se situe|se trouve|est"
        rf"|fait partie"
        rf"|tombe|was|is|belongs)(?: bien)? (?:au|dans le|du|en plein|in the|to the) {QUOTE}"
        rf"(?P<century>{ROMAN[:-2]}|\d{{1,2}}) ?(?:e|eme|er|st|nd|rd|th) (?:siecle|century){END}",
        _check_century,
    ),
    make_rule(
        "bissextile leap",
        r"(?:l'annee |the year )?(?P<year>1[5-9]\d\d|2\d\d\d) (?:est|etait|sera|is|was|will be)"
        r" (?:une |a )?"
        rf"(?:annee )?(?:bissextile|leap year){END}",
        _check_leap_year,
    ),
    make_rule(
        "heure heures h quart midi minuit quarter half past",
        rf"(?:il est |it is |it's |la pendule indique |l'horloge (?:indique|affiche)"
        rf" )?(?P<one>{_CLOCK}){_EQUALS}"
        rf"(?P<other>{_CLOCK}){END}",
        _check_clock,
    ),
)
"""The rules for days, months, years, centuries and the clock."""

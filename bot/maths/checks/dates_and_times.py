"""Check times of day, durations and dates that several sentences work out.

The end of a film, the length of a journey, `14 semaines et 2 jours` for 100 days, the days between
two dates, parts of an hour, a day or a dozen. Also sums of times and measures of two units that are
written with an arrow: `7 h 30 + 45 min → 8 h 15`, `205 cm → 2 m 5 cm`. An arrow between two times
of day is no equality: `7 h 30 → 8 h 15`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Final

from bot.maths.checks.passages import Passage, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.exact.units import find_unit
from bot.maths.reading.number_words import MONTH_NAME, MONTH_NUMBERS, PART_NAME, read_part_name
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.times_and_durations import (
    CLOCK,
    DAY,
    LENGTH,
    MINUTE,
    UNIT_OF_TIME,
    Clock,
    Length,
    list_clocks,
    list_lengths,
    read_clock,
    read_length,
)
from bot.maths.reading.vocabulary import CLAUSE_END, DIGITS, THEN

# Times of day and durations -----------------------------------------------------------------------

_FROM_TO: Final = re.compile(
    rf"\b(?:de|from|entre|between) (?P<one>{CLOCK})"
    r" (?:a|et|to|and|until|till|jusqu'a) "
    rf"(?P<other>{CLOCK})"
)
_AT_TIME: Final = re.compile(rf"\b(?:a|at|vers) {CLOCK}")
_ITS_LENGTH: Final = re.compile(
    r" ?[:,=(→]? ?(?:(?:il y a|il s'ecoule|il passe|cela fait|ca fait|on compte|on a"
    r"|there (?:are|is)|it is|it's|that is|that's|c'est|soit|dure)"
    rf"(?: (?:{THEN}|encore|exactement|deja))? )?"
    rf"(?P<length>{LENGTH}){CLAUSE_END}"
)
_CONCLUDES: Final = re.compile(
    r"\b(?:total\w*|en tout|in all|altogether|donc|so|dur\w+|lasts?|takes?|took|makes"
    r"|cela fait|ca fait|reponse|answer|soit)\b"
)
_TOTAL: Final = re.compile(
    r"\b(?:total\w*|en tout|in all|altogether|duree totale|dure\w* (?:[a-z]+ ){0,4}donc)\b"
)
_OTHER: Final = re.compile(
    r"\b(?:pauses?|arrets?|retards?|(?:en |d'|l')avance|(?<!on )avance de|stops?|breaks?|late"
    r"|early|sans|hors|recre\w*|decal\w*"
    r"|fuseau|chaque|each|par (?:jour|semaine|mois|heure)|per (?:day|week|hour)|fois|km|vitesse"
    r"|speed|interrompu\w*|repren\w*|vitesse|plus tard|later|entretemps|meanwhile|de (?:plus|moins)"
    r"|more than|less than|longer|shorter)\b"
)
"""Words of a problem that is not only two times of day and what lies between."""
_ASKS_LENGTH: Final = re.compile(
    r"\b(?:duree|combien de temps|how long|how much time|temps de (?:trajet|parcours|voyage))\b"
    r"|\bdure\b"
)
_ASKS_TIME: Final = re.compile(r"\b(?:quelle heure|quand|what time|when)\b")
_BEGINS: Final = (
    r"(?:commenc\w*|debut\w*|part(?:i\w*|ent|s)?|depart|quitt\w*|start\w*|begin\w*|began|leav\w*"
    r"|left|decoll\w*|depuis|ouvr\w*|entre)"
)
_ENDS: Final = (
    r"(?:fini\w*|termin\w*|arriv\w*|fin|ends?|ended|finish\w*|over|pret\w*|ready|plein\w*|full"
    r"|vid\w+|sort\w*|revien\w*|atterri\w*|cuit\w*|lands?)"
)
_MALFORMED: Final = re.compile(
    r"\b(?:il (?:est|sera|etait)|(?:arriv|part|fini|termin|commenc|debut|lev|couch|rentr|ferm|ouvr"
    r"|repar|sor)\w*"
    r"(?: [a-z']+){0,4} (?:a|vers)) (?P<time>\d{1,2} ?h ?[6-9]\d)[\s.!]*$"
)


def _read_malformed(passage: Passage) -> Iterator[Statement]:
    """Read `Le bus arrive à 9 h 70`, which is no time."""
    for line in passage.lines:
        if line.is_own and "=" not in line.text and (found := _MALFORMED.search(line.text)):
            yield decide(found[0], "an hour has 60 minutes")


def read_clock_problems(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer concludes of times of day and durations."""
    answer = passage.write_answer()
    if not re.search(rf"\d ?(?:{UNIT_OF_TIME})\b|\d:\d\d|\d ?h ?\d", answer):
        return
    yield from _read_malformed(passage)
    yield from _read_steps(passage)
    if passage.asked and not passage.has_example:
        yield from _read_asked_sum(passage)
        yield from _read_asked_units(passage)
    if passage.has_example or _OTHER.search(passage.asked):
        return
    if passage.asked:
        yield from _read_asked_length(passage)
    yield from _read_asked_time(passage)
    yield from _read_filling(passage)


def _are_same_time(one: Fraction | int, other: int, *, is_half: bool) -> bool:
    """Return whether two times are the same time of day; those of a clock of twelve hours may
    differ by half a day."""
    return (one - other) % (DAY // 2 if is_half else DAY) == 0


def _write(seconds: Fraction | int) -> str:
    minutes, rest = divmod(seconds, MINUTE)
    hours, minutes = divmod(int(minutes), MINUTE)
    days, hours = divmod(hours, 24)
    parts = [(days, "days"), (hours, "h"), (minutes, "min"), (rest, "s")]
    return " ".join(f"{float(value):g} {unit}" for value, unit in parts if value) or "0 min"


# In the answer alone ------------------------------------------------------------------------------


def _read_steps(passage: Passage) -> Iterator[Statement]:
    """Read `De 8 h 35 à 9 h : 25 min. De 9 h à 11 h : 2 h. Durée totale : 2 h 25 min`: each step,
    and the total of steps that follow each other."""
    ends: list[tuple[Clock, Clock]] = []
    has_more = False
    for line in passage.lines:
        if not line.is_own:
            return
        if ends and not has_more:
            yield from _read_total(ends, line.text)
        for found in _FROM_TO.finditer(line.text):
            one = read_clock(found["one"], found.start("one"))
            other = read_clock(found["other"], found.start("other"))
            if one is None or other is None:
                return
            ends.append((one, other))
            length = _ITS_LENGTH.match(line.text, found.end())
            if length and (shown := read_length(length, "length")):
                gap = shown.seconds - (other.seconds - one.seconds)
                is_right = _are_same_time(gap, 0, is_half=one.is_half or other.is_half)
                why = "" if is_right else f"it is {_write((other.seconds - one.seconds) % DAY)}"
                yield decide(line.text[found.start() : length.end()], why)
        left = _AT_TIME.sub(" ", _FROM_TO.sub(" ", line.text.replace(" more ", " ")))
        has_more |= len(list_lengths(left)) > len(_FROM_TO.findall(line.text))


def _read_total(ends: Sequence[tuple[Clock, Clock]], text: str) -> Iterator[Statement]:
    follow = all(one[1].seconds == other[0].seconds for one, other in pairwise(ends))
    lengths = list_lengths(text)
    if len(ends) < 2 or not follow or not lengths or _OTHER.search(text):
        return
    total = _TOTAL.search(text)
    if total is None or _FROM_TO.search(text) or re.search(r"[=+]", text):
        return
    gap = ends[-1][1].seconds - ends[0][0].seconds
    is_half = ends[0][0].is_half or ends[-1][1].is_half
    if not any(_are_same_time(each.seconds - gap, 0, is_half=is_half) for each in lengths):
        yield decide(text, f"it is {_write(gap % DAY)}")


_FILLED: Final = re.compile(
    rf"\b(?:si|if)\b[^.;?]{{0,50}}\b{_BEGINS}\b[^.;?]{{0,50}}?\b(?:a|at) (?P<one>{CLOCK})"
    rf"[^.;?]{{0,50}}\b{_ENDS}\b[^.;?]{{0,50}}?\b(?:a|at|by) (?P<other>{CLOCK})"
)


def _read_filling(passage: Passage) -> Iterator[Statement]:
    """Read `360 ÷ 60 = 6 h. Si on ouvre le robinet à 7 h, le bassin est plein à 13 h`."""
    computed: Length | None = None
    for line in passage.lines:
        if not line.is_own:
            continue
        found = _FILLED.search(line.text)
        if found and computed:
            one, other = (read_clock(found[each], 0) for each in ("one", "other"))
            if one and other:
                end = one.seconds + computed.seconds
                is_half = one.is_half and other.is_half
                is_right = _are_same_time(end, other.seconds, is_half=is_half)
                yield decide(found[0], "" if is_right else f"it is {_write(end % DAY)}")
        for each in re.finditer(rf"= (?P<length>{LENGTH})", line.text):
            computed = read_length(each, "length")


# What the question gives --------------------------------------------------------------------------


def _find_conclusion(passage: Passage, cue: re.Pattern[str]) -> tuple[str, list[Length]] | None:
    """Return the last sentence of the answer that concludes a duration, with its durations; None:
    there is none, or it speaks of something else."""
    for line in reversed(passage.lines):
        lengths = list_lengths(line.text)
        if not lengths or not cue.search(line.text):
            continue
        is_other = not line.is_own or _OTHER.search(line.text) or re.search(r"[=+]", line.text)
        return None if is_other else (line.text, lengths)
    return None


def _read_asked_length(passage: Passage) -> Iterator[Statement]:
    """Read the answer to `Combien de temps de 9 h 45 à 13 h 20 ?`."""
    clocks = list_clocks(passage.asked)
    if len(clocks) != 2 or not _ASKS_LENGTH.search(passage.asked):
        return
    if _GIVEN.search(passage.asked):  # the second is how long it lasts
        return
    one, other = clocks
    if re.search(rf"\b{_ENDS}\b", passage.asked[: one.start]):
        return
    concluded = _find_conclusion(passage, _CONCLUDES)
    if concluded is None:
        return
    text, lengths = concluded
    if _FROM_TO.search(text) and len(list_clocks(text)) > 2:
        return
    gap, is_half = other.seconds - one.seconds, one.is_half or other.is_half
    lengths = [each for each in lengths if each.seconds not in (one.seconds, other.seconds)]
    if lengths:
        is_right = any(_are_same_time(each.seconds - gap, 0, is_half=is_half) for each in lengths)
        yield decide(text, "" if is_right else f"it is {_write(gap % DAY)}")


_AT: Final = re.compile(
    rf"\b{_ENDS}\b[^.;?]*?\b(?:a|at|:|est|is|vers|sera) (?:donc )?"
    rf"(?P<other>{CLOCK})"
)
_GIVEN: Final = re.compile(
    rf"\b{_BEGINS}\b[^.;?]*?(?P<one>{CLOCK})"
    rf"[^.?]*?\b(?:dur\w+|lasts?|pendant|met|takes?|long|for|prend|trajet)\b[^.?]*?(?P<length>{LENGTH})"
)
_SUPPOSED: Final = re.compile(r"\b(?:si|s'il|s'ils|s'elle|if|sinon|otherwise)\b")
"""Words of another departure than the one that is asked about."""


def _read_asked_time(passage: Passage) -> Iterator[Statement]:
    """Read the answer to `Un film commence à 19 h 45 et dure 1 h 50. Quand finit-il ?`."""
    given = _GIVEN.search(passage.asked)
    if given is None or not _ASKS_TIME.search(passage.asked):
        return
    if len(list_clocks(passage.asked)) > 2:
        return
    one, lasted = read_clock(given["one"], 0), read_length(given, "length")
    ends = [
        found
        for line in passage.lines
        if line.is_own and not _SUPPOSED.search(line.text)
        for found in _AT.finditer(line.text)
    ]
    others = any(_OTHER.search(line.text) for line in passage.lines)
    other = read_clock(ends[-1]["other"], 0) if ends else None
    if one is None or lasted is None or other is None or others:
        return
    end, is_half = one.seconds + lasted.seconds, one.is_half and other.is_half
    is_right = _are_same_time(end, other.seconds, is_half=is_half)
    yield decide(ends[-1][0], "" if is_right else f"it is {_write(end % DAY)}")


_SUM: Final = re.compile(
    r"(?:^|[:.] |\b(?:calcul\w*|additionn\w*|add|fait|font|work out|combien font|what is"
    r"|soustrai\w*) )"
    rf"(?P<one>{LENGTH}) ?(?P<sign>\+|-|plus|moins|et) ?(?P<other>{LENGTH}) ?(?:=? ?\??)? ?[.!]?$"
)


def _read_asked_sum(passage: Passage) -> Iterator[Statement]:
    """Read the answer to `2 h 50 min + 1 h 25 min`."""
    asked = _SUM.search(passage.asked)
    one = read_length(asked, "one") if asked else None
    other = read_length(asked, "other") if asked else None
    concluded = _find_conclusion(
        passage, re.compile(r"\b(?:total|resultat|donc|result|so|answer)\b")
    )
    if asked is None or one is None or other is None or concluded is None:
        return
    text, lengths = concluded
    is_minus = asked["sign"] in ("-", "moins")
    expected = one.seconds - other.seconds if is_minus else one.seconds + other.seconds
    is_right = lengths[-1].seconds == expected
    if lengths[-1].units > 1:
        yield decide(text, "" if is_right else f"it is {_write(expected)}")


_ASKS_UNITS: Final = re.compile(
    r"\b(?:combien (?:de|d')|conver\w+|exprim\w+|ecri\w+|how many|express|write|change)"
)


def _read_asked_units(passage: Passage) -> Iterator[Statement]:
    """Read the answer to `Combien de semaines et de jours dans 100 jours ?`."""
    given = list_lengths(passage.asked)
    numbers = re.findall(r"\d+", passage.asked)
    if len(given) != 1 or given[0].units > 1 or not _ASKS_UNITS.search(passage.asked):
        return
    if len(numbers) != 1 or _OTHER.search(passage.asked):
        return
    for line in passage.lines:
        lengths = list_lengths(line.text)
        is_plain = line.is_own and not re.search(r"[=+×÷]", line.text)
        if len(lengths) == 1 and lengths[0].units > 1 and is_plain:
            is_right = lengths[0].seconds == given[0].seconds
            yield decide(line.text, "" if is_right else f"that is {_write(lengths[0].seconds)}")


# Dates --------------------------------------------------------------------------------------------

_DATE: Final = re.compile(
    rf"\b(?:(?P<d>\d{{1,2}})(?:er|st|nd|rd|th)? (?:of )?(?P<m>{MONTH_NAME})"
    rf"|(?P<n>{MONTH_NAME}) (?P<e>\d{{1,2}})(?:st|nd|rd|th)?)\b(?: (?P<y>(?:19|20)\d\d)\b)?"
)
_ASKS_DAYS: Final = re.compile(r"\b(?:combien de jours|how many days|nombre de jours)\b")
_DAYS: Final = re.compile(r"(?<![\d.,+×*/÷-])(?<![+×*/÷-] )(?P<n>\d{1,3}) (?:jours?|days?)\b")
_CONCLUDES_DAYS: Final = re.compile(
    r"\b(?:donc|so|soit|reste\w*|total|en tout|in all|altogether|left|s'ecoule\w*|reponse|answer"
    r"|that makes|that is|cela fait|ca fait)\b"
)
_OTHER_DAYS: Final = re.compile(
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
    is_asked = _ASKS_DAYS.search(passage.asked) and not _OTHER_DAYS.search(passage.asked)
    if not gaps or not is_asked or passage.has_example:
        return
    right = gaps | {gap + 1 for gap in gaps}
    if re.search(r"\b(?:entre|between)\b", passage.asked):
        right |= {gap - 1 for gap in gaps}
    for line in reversed(passage.lines):
        shown = [int(found["n"]) for found in _DAYS.finditer(line.text)]
        if not shown or not _CONCLUDES_DAYS.search(line.text) or _OTHER_DAYS.search(line.text):
            continue
        if line.is_own and "=" not in line.text and "+" not in line.text:
            is_right = not right.isdisjoint(shown)
            yield decide(line.text, "" if is_right else f"it is {min(gaps)} days")
        return


_SHORT: Final = re.compile(
    rf"\b(?:du|from|entre le|between)(?: the)? (?P<a>\d{{1,2}})(?:er|st|nd|rd|th)?"
    rf" (?:au|to|et le|and)(?: the)? \d{{1,2}}(?:er|st|nd|rd|th)? (?:of )?(?:{MONTH_NAME})\b"
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
_PART: Final = re.compile(
    r"(?<![\w/.,])(?<![+×*/÷-] )(?:(?P<a>\d{1,3}) ?/ ?(?P<b>\d{1,3})"
    rf"|(?P<w>{PART_NAME}))"
    rf" (?:d'une? |d'|de |of (?:an |a |one )|an )(?P<u>{_NAMES})\b ?(?:,|\()? ?"
    r"(?:=|est|is|c'est|fait|font|vaut|valent|soit|equals|makes|represente\w*|correspond a|dure)"
    rf"(?: (?:{THEN}|egal a|also))? (?P<n>{DIGITS}) ?(?P<v>[a-z]*)"
    r"(?! ?(?:[+×*/÷-]|et \d|and \d|\d))"
)


def _read_parts(passage: Passage) -> Iterator[Statement]:
    """Read `3/4 of an hour is 45 minutes`."""
    for line in passage.lines:
        for found in _PART.finditer(line.text) if line.is_own else ():
            part = read_part_name(found["w"] or "")
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
_ARROW_SUM: Final = re.compile(
    rf"(?<![\d.,:+-])(?<![+-] )(?P<one>{_TIME}) ?(?P<sign>[+-]) ?(?P<other>{_TIME}){_ARROW}"
    rf"(?P<result>{_TIME})(?! ?[+×*/:-]? ?\d)"
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
_MINUTES_A_DAY: Final = 24 * 60
_SPELLINGS: Final = {"mn": "min", "sec": "s", "l": "L", "cl": "cL", "dl": "dL", "ml": "mL",
                     "hl": "hL"}  # fmt: skip


def read_clock_sums(passage: Passage) -> Iterator[Statement]:
    """Yield the sums of times and the conversions with an arrow in an answer."""
    for line in passage.lines:
        if not line.is_own or not re.search(r"\d ?[a-z]", line.text) or _UNSURE.search(line.text):
            continue
        for found in _ARROW_SUM.finditer(line.text):
            yield from _check_sum(found)
        if any(arrow in line.text for arrow in "→⇒>⟶"):
            for pattern in _CONVERSIONS:
                for found in pattern.finditer(line.text):
                    yield from _check_conversion(found)


def _check_sum(found: re.Match[str]) -> Iterator[Statement]:
    """Read `7 h 30 + 45 min → 8 h 15`; a time of day begins again after 24 hours."""
    one, other, result = (_read_minutes(found[name]) for name in ("one", "other", "result"))
    expected = one + other if found["sign"] == "+" else one - other
    is_right = expected == result or (
        "h" in found["one"] and (expected - result) % _MINUTES_A_DAY == 0
    )
    hours, minutes = divmod(expected % _MINUTES_A_DAY, 60)
    yield decide(found[0], "" if is_right else f"it is {hours} h {minutes:02d}")


def _read_minutes(time: str) -> int:
    """Return the minutes of `8 h 15`, `8 h` or `45 min`."""
    hours, minutes = (int(each or 0) for each in _split(time))
    return hours * 60 + minutes


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

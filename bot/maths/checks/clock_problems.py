"""Check times of day and durations that several sentences work out: the end of a film, the length
of a journey, `14 semaines et 2 jours` for 100 days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from bot.maths.checks.passages import Passage, decide
from bot.maths.exact.algebra_questions import Statement

_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR
_SIZES: Final = (
    (r"semaines?|weeks?", 7 * _DAY), (r"jours?|days?|j", _DAY), (r"heures?|hours?|hrs?|h", _HOUR),
    (r"minutes?|mins?|mn", _MINUTE), (r"secondes?|seconds?|secs?|s", 1),
)  # fmt: skip
_UNIT: Final = "|".join(pattern for pattern, _ in _SIZES)
_PART: Final = (
    rf"\d{{1,3}}(?: \d{{3}})+ ?(?:{_UNIT})(?![a-z²])|\d+(?:[.,]\d+)? ?(?:{_UNIT})(?![a-z²])"
)
_LENGTH: Final = rf"(?:{_PART})(?:,? ?(?:(?:et|and) )?(?:{_PART}))*(?:(?<=h) ?[0-5]\d(?![\d:]))?"
_DURATION: Final = re.compile(rf"(?<![\d.,:/])(?:{_LENGTH})(?!/)")
_PIECE: Final = re.compile(rf"(\d[\d ]*(?:[.,]\d+)?) ?({_UNIT})?(?![a-z])")
_CLOCK: Final = (
    r"(?<![\d.,:])(?:\d{1,2} ?(?:heures?(?![a-z])|h(?![a-z]))(?: ?[0-5]\d(?![\d:]))?"
    r"(?: ?(?:min|mn|minutes)(?![a-z]))?|\d{1,2}:[0-5]\d(?![\d:])"
    r"|(?<=at )\d{1,2}(?= ?[ap]\.?m\b)|\bmidi\b|\bminuit\b|\bnoon\b)"
    r"(?: ?(?:a\.?m\b|du matin|p\.?m\b|du soir|de l'apres-midi))?"
)
_HALF: Final = re.compile(r" ?(?:p\.?m\b|du soir|de l'apres-midi)")
_TIME: Final = re.compile(_CLOCK)
_FROM_TO: Final = re.compile(
    rf"\b(?:de|from|entre|between) (?P<one>{_CLOCK})"
    r" (?:a|et|to|and|until|till|jusqu'a) "
    rf"(?P<other>{_CLOCK})"
)
_AT_TIME: Final = re.compile(rf"\b(?:a|at|vers) {_CLOCK}")
_ITS_LENGTH: Final = re.compile(
    r" ?[:,=(→]? ?(?:(?:il y a|il s'ecoule|il passe|cela fait|ca fait|on compte|on a"
    r"|there (?:are|is)|it is|it's|that is|that's|c'est|soit|dure)"
    r"(?: (?:donc|encore|exactement|deja))? )?"
    rf"(?P<length>{_LENGTH})(?=\s*(?:$|[.,;)!]|et\b|and\b|puis\b|then\b))"
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


class Length(NamedTuple):
    """A duration of a text: `3 h 30 min`."""

    start: int
    end: int
    seconds: Fraction
    smallest: int
    """The smallest unit that it shows, in seconds."""
    units: int
    """How many units it shows."""


class _Clock(NamedTuple):
    start: int
    end: int
    seconds: int
    is_half: bool
    """Whether it may be of a clock of twelve hours."""


_MALFORMED: Final = re.compile(
    r"\b(?:il est|(?:arriv|part|fini|termin|commenc|debut|lev|couch|rentr|ferm|ouvr|repar|sor)\w*"
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
    if not re.search(rf"\d ?(?:{_UNIT})\b|\d:\d\d|\d ?h ?\d", answer):
        return
    yield from _read_malformed(passage)
    yield from _read_products(passage)
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


def list_lengths(text: str) -> list[Length]:
    """List the durations of a text, each with its place."""
    return [
        length for found in _DURATION.finditer(text) if (length := _read_length(found)) is not None
    ]


def _read_length(found: re.Match[str], group: str | int = 0) -> Length | None:
    """Read `1 h 50`, `3 hours and 25 minutes`; None: its units do not become smaller."""
    seconds, last = Fraction(0), 0
    count = 0
    for piece in _PIECE.finditer(found[group]):
        value = Fraction(piece[1].replace(" ", "").replace(",", "."))
        name = piece[2]
        size = next((size for pattern, size in _SIZES if name and re.fullmatch(pattern, name)), 0)
        size = size or _MINUTE  # `1 h 50`
        if count and size >= last:
            return None
        seconds, last, count = seconds + value * size, size, count + 1
    return Length(found.start(group), found.end(group), seconds, last, count) if count else None


def _list_clocks(text: str) -> list[_Clock]:
    return [
        clock for found in _TIME.finditer(text) if (clock := _read_clock(found[0], found.start()))
    ]


def _read_clock(text: str, start: int) -> _Clock | None:
    end = start + len(text)
    if text.startswith(("midi", "noon")):
        return _Clock(start, end, 12 * _HOUR, is_half=True)
    if text.startswith("minuit"):
        return _Clock(start, end, 0, is_half=True)
    hour, *rest = (int(each) for each in re.findall(r"\d+", text))
    minutes = rest[0] if rest else 0
    if hour > 24 or minutes >= _MINUTE:
        return None
    is_after_noon = bool(_HALF.search(text))
    hour += 12 if is_after_noon and hour < 12 else 0
    is_half = hour <= 12 and not is_after_noon
    return _Clock(start, end, hour * _HOUR + minutes * _MINUTE, is_half)


def _are_same_time(one: Fraction | int, other: int, *, is_half: bool) -> bool:
    """Return whether two times are the same time of day; those of a clock of twelve hours may
    differ by half a day."""
    return (one - other) % (_DAY // 2 if is_half else _DAY) == 0


def _write(seconds: Fraction | int) -> str:
    minutes, rest = divmod(seconds, _MINUTE)
    hours, minutes = divmod(int(minutes), _MINUTE)
    days, hours = divmod(hours, 24)
    parts = [(days, "days"), (hours, "h"), (minutes, "min"), (rest, "s")]
    return " ".join(f"{float(value):g} {unit}" for value, unit in parts if value) or "0 min"


# In the answer alone ------------------------------------------------------------------------------

_PRODUCT: Final = re.compile(
    r"(?<![\d.,+×*/÷-])(?<![+×*/÷-] )(?P<a>\d[\d ]*) ?(?P<u>[a-z]+)"
    r" ?[×*x] ?(?P<b>\d[\d ]*) ?(?P<v>[a-z]+) = (?P<c>\d[\d ]*) ?(?P=v)\b"
)
_SCHOOL_UNITS: Final = re.compile(
    r"(?:j|jours?|h|heures?|min|minutes?|s|sec|secondes?|ans?|annees?|mois|semaines?|days?|hours?"
    r"|seconds?|weeks?|years?|months?|k?m|cm|mm|k?g|mg|l|[dcm]l)"
)


def _read_products(passage: Passage) -> Iterator[Statement]:
    """Read `24 h × 60 min = 1 440 min`, in which the second factor is a number for each unit."""
    for line in passage.lines:
        for found in _PRODUCT.finditer(line.text) if line.is_own else ():
            units = found["u"], found["v"]
            if units[0] == units[1] or not all(_SCHOOL_UNITS.fullmatch(each) for each in units):
                continue
            a, b, c = (int(found[each].replace(" ", "")) for each in "abc")
            yield decide(found[0], "" if a * b == c else f"the product is {a * b}")


def _read_steps(passage: Passage) -> Iterator[Statement]:
    """Read `De 8 h 35 à 9 h : 25 min. De 9 h à 11 h : 2 h. Durée totale : 2 h 25 min`: each step,
    and the total of steps that follow each other."""
    ends: list[tuple[_Clock, _Clock]] = []
    has_more = False
    for line in passage.lines:
        if not line.is_own:
            return
        if ends and not has_more:
            yield from _read_total(ends, line.text)
        for found in _FROM_TO.finditer(line.text):
            one = _read_clock(found["one"], found.start("one"))
            other = _read_clock(found["other"], found.start("other"))
            if one is None or other is None:
                return
            ends.append((one, other))
            length = _ITS_LENGTH.match(line.text, found.end())
            if length and (shown := _read_length(length, "length")):
                gap = shown.seconds - (other.seconds - one.seconds)
                is_right = _are_same_time(gap, 0, is_half=one.is_half or other.is_half)
                why = "" if is_right else f"it is {_write((other.seconds - one.seconds) % _DAY)}"
                yield decide(line.text[found.start() : length.end()], why)
        left = _AT_TIME.sub(" ", _FROM_TO.sub(" ", line.text.replace(" more ", " ")))
        has_more |= len(list_lengths(left)) > len(_FROM_TO.findall(line.text))


def _read_total(ends: Sequence[tuple[_Clock, _Clock]], text: str) -> Iterator[Statement]:
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
        yield decide(text, f"it is {_write(gap % _DAY)}")


_FILLED: Final = re.compile(
    rf"\b(?:si|if)\b[^.;?]{{0,50}}\b{_BEGINS}\b[^.;?]{{0,50}}?\b(?:a|at) (?P<one>{_CLOCK})"
    rf"[^.;?]{{0,50}}\b{_ENDS}\b[^.;?]{{0,50}}?\b(?:a|at|by) (?P<other>{_CLOCK})"
)


def _read_filling(passage: Passage) -> Iterator[Statement]:
    """Read `360 ÷ 60 = 6 h. Si on ouvre le robinet à 7 h, le bassin est plein à 13 h`."""
    computed: Length | None = None
    for line in passage.lines:
        if not line.is_own:
            continue
        found = _FILLED.search(line.text)
        if found and computed:
            one, other = (_read_clock(found[each], 0) for each in ("one", "other"))
            if one and other:
                end = one.seconds + computed.seconds
                is_half = one.is_half and other.is_half
                is_right = _are_same_time(end, other.seconds, is_half=is_half)
                yield decide(found[0], "" if is_right else f"it is {_write(end % _DAY)}")
        for each in re.finditer(rf"= (?P<length>{_LENGTH})", line.text):
            computed = _read_length(each, "length")


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
    clocks = _list_clocks(passage.asked)
    if len(clocks) != 2 or not _ASKS_LENGTH.search(passage.asked):
        return
    one, other = clocks
    if re.search(rf"\b{_ENDS}\b", passage.asked[: one.start]):
        return
    concluded = _find_conclusion(passage, _CONCLUDES)
    if concluded is None:
        return
    text, lengths = concluded
    if _FROM_TO.search(text) and len(_list_clocks(text)) > 2:
        return
    gap, is_half = other.seconds - one.seconds, one.is_half or other.is_half
    lengths = [each for each in lengths if each.seconds not in (one.seconds, other.seconds)]
    if lengths:
        is_right = any(_are_same_time(each.seconds - gap, 0, is_half=is_half) for each in lengths)
        yield decide(text, "" if is_right else f"it is {_write(gap % _DAY)}")


_AT: Final = re.compile(
    rf"\b{_ENDS}\b[^.;?]*?\b(?:a|at|:|est|is|vers|sera) (?:donc )?"
    rf"(?P<other>{_CLOCK})"
)
_GIVEN: Final = re.compile(
    rf"\b{_BEGINS}\b[^.;?]*?(?P<one>{_CLOCK})"
    rf"[^.?]*?\b(?:dur\w+|lasts?|pendant|met|takes?|long|for|prend|trajet)\b[^.?]*?(?P<length>{_LENGTH})"
)


_SUPPOSED: Final = re.compile(r"\b(?:si|s'il|s'ils|s'elle|if|sinon|otherwise)\b")
"""Words of another departure than the one that is asked about."""


def _read_asked_time(passage: Passage) -> Iterator[Statement]:
    """Read the answer to `Un film commence à 19 h 45 et dure 1 h 50. Quand finit-il ?`."""
    given = _GIVEN.search(passage.asked)
    if given is None or not _ASKS_TIME.search(passage.asked):
        return
    if len(_list_clocks(passage.asked)) > 2:
        return
    one, lasted = _read_clock(given["one"], 0), _read_length(given, "length")
    ends = [
        found
        for line in passage.lines
        if line.is_own and not _SUPPOSED.search(line.text)
        for found in _AT.finditer(line.text)
    ]
    others = any(_OTHER.search(line.text) for line in passage.lines)
    other = _read_clock(ends[-1]["other"], 0) if ends else None
    if one is None or lasted is None or other is None or others:
        return
    end, is_half = one.seconds + lasted.seconds, one.is_half and other.is_half
    is_right = _are_same_time(end, other.seconds, is_half=is_half)
    yield decide(ends[-1][0], "" if is_right else f"it is {_write(end % _DAY)}")


_SUM: Final = re.compile(
    r"(?:^|[:.] |\b(?:calcul\w*|additionn\w*|add|fait|font|work out|combien font|what is"
    r"|soustrai\w*) )"
    rf"(?P<one>{_LENGTH}) ?(?P<sign>\+|-|plus|moins|et) ?(?P<other>{_LENGTH}) ?(?:=? ?\??)? ?[.!]?$"
)


def _read_asked_sum(passage: Passage) -> Iterator[Statement]:
    """Read the answer to `2 h 50 min + 1 h 25 min`."""
    asked = _SUM.search(passage.asked)
    one = _read_length(asked, "one") if asked else None
    other = _read_length(asked, "other") if asked else None
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

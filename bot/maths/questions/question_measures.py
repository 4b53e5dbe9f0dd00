"""Read the measures of a school question: its numbers with their units, and what each measures.

`Un cylindre de rayon 2 m et de hauteur 3 m` gives two lengths, of which the words beside them say
which is which. A question is only read whole: a number that has no part in it leaves it undecided.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.reading.plain_words import find_step, read_values
from bot.maths.reading.times_and_durations import list_lengths
from bot.maths.reading.vocabulary import NO_MORE_DIGITS, NUMBER

_HOUR: Final = 3600
_LENGTHS: Final = (
    (r"km|kilometres?|kilometers?", Fraction(1000)),
    (r"cm|centimetres?|centimeters?", Fraction(1, 100)),
    (r"mm|millimetres?|millimeters?", Fraction(1, 1000)), (r"dm|decimetres?", Fraction(1, 10)),
    (r"m|metres?|meters?", Fraction(1)),
)  # fmt: skip
_PER_HOUR: Final = (
    r"(?: ?/ ?h\b| ?/ ?heures?| ?/ ?hour|(?: par| per| a l'| an| a)[ ']?(?:heure|hour)|h\b)"
)
_PER_SECOND: Final = r"(?: ?/ ?s\b| (?:par|per) second\w*)"
_UNITS: Final = (
    *((rf"(?:{name}){_PER_HOUR}", "speed", size / _HOUR) for name, size in _LENGTHS),
    *((rf"(?:{name}){_PER_SECOND}", "speed", size) for name, size in _LENGTHS),
    *((rf"(?:{name}) ?(?:[²2]\b|²|carres?)", "area", size**2) for name, size in _LENGTHS),
    *((rf"(?:square|sq) (?:{name})", "area", size**2) for name, size in _LENGTHS),
    *((rf"(?:{name}) ?(?:³|3\b|cubes?)", "volume", size**3) for name, size in _LENGTHS),
    *((rf"cubic (?:{name})", "volume", size**3) for name, size in _LENGTHS),
    (r"litres?|liters?|l", "volume", Fraction(1, 1000)),
    (r"cl|centilitres?", "volume", Fraction(1, 100_000)),
    (r"ml|millilitres?", "volume", Fraction(1, 1_000_000)),
    *((name, "length", size) for name, size in _LENGTHS),
    (r"°|degres?|degrees?", "angle", Fraction(1)),
    (r"fcfa|f cfa|francs?(?: cfa)?|f|€|euros?|dollars?|cedis?|nairas?", "money", Fraction(1)),
    (r"%|pour cent|percent|per cent", "percent", Fraction(1, 100)),
)  # fmt: skip
"""Patterns of units, each with what it measures and its size; the first that matches counts."""
_UNIT: Final = re.compile(
    "|".join(rf"(?P<u{at}>{pattern})(?![a-z²³°])" for at, (pattern, *_) in enumerate(_UNITS))
)
_NUMBER: Final = re.compile(
    rf"(?<![\w.,/^])(?<!\d )(?P<n>{NUMBER})(?![a-z]*\d)(?![.,]\d)(?: ?/ ?20\b)?"
)
ARTICLES: Final = frozenset(("un", "une", "one"))
_NOUN: Final = re.compile(
    r" (?:(?:de|of|full|free|empty|pleines?|pleins?|complete?s?|libres?|whole)\b ?|d')*"
    r"(?P<w>[a-z]{2,})"
)
_ORDINAL: Final = re.compile(r"(?:e|er|eme|ere|ieme|ᵉ|ᵉʳ|st|nd|rd|th)s?\b")
_ASIDE: Final = re.compile(
    r"\(?\b(?:use|using|with|avec|prends?|prendre|on prend\w*|take|et|and)? ?π ?(?:[≈=:]|est|is) ?"
    r"(?:environ |about )?(?:\d+(?:[.,]\d+)?)(?:/\d+)?\)?"
    r"|\b(?:\d|one|two|three|deux|trois|une?) (?:decimal places?|d\.?p\.?|significant figures?"
    r"|chiffres? (?:apres la virgule|significatifs?)|decimales?)\b"
    r"|\b(?:exercice|exercise|question|probleme|problem) \d+ ?[:.)-]"
)
"""What a question says beside its data."""
_LARGER: Final = re.compile(
    r"\b(?:double\w*|triple\w*|moitie|demie?|half|twice|tiers|quarts?|thirds?|quarters?|dozens?"
    r"|douzaines?|dizaines?|paires?|pairs?|fois|times|remises?|reduction|rabais|discount|tva|tax"
    r"|si|if|environ|about|autant|as (?:many|much))\b"
)
"""Words of numbers and changes that are not written as numbers."""


class Measure(NamedTuple):
    """A number of a text with its unit, in metres, seconds and their powers."""

    value: Fraction
    shown: Fraction
    """The number as it stands there."""
    dimension: str
    """What it measures; empty for a number of things, or a number alone."""
    noun: str
    """The word after a number that has no unit."""
    start: int
    end: int
    step: Fraction
    """The size of a unit of its last digit, in the same units as the value."""
    readings: frozenset[Fraction]
    """All values that it may have: `1,260` is 1 260 or 1.26."""


@dataclass(frozen=True, slots=True)
class Question:
    """The words and data of a question."""

    text: str
    measures: Sequence[Measure]
    has_plain_numbers: bool = True
    """Whether all of its numbers are written in digits, and none is given by a word like `half`."""
    pi: tuple[Fraction, Fraction] = (Fraction(31, 10), Fraction(22, 7))
    """The least and the greatest value for π that an answer may use."""

    def has(self, pattern: str) -> bool:
        """Return whether the question has one of some words."""
        return bool(re.search(rf"\b(?:{pattern})\b", self.text))

    def list_values(self, dimension: str) -> list[Fraction]:
        """List the values that measure one thing."""
        return [each.value for each in self.measures if each.dimension == dimension]

    def pick(self, roles: Mapping[str, tuple[str, str]]) -> dict[str, Fraction] | None:
        """Return the values of roles; None: they are not just the numbers of the question.

        Args:
            roles: by names, what each measures and a pattern of the words beside it; without
                words, it is the measure that has no such words.
        """
        if len(self.measures) != len(roles):
            return None
        found: dict[str, Fraction] = {}
        end = 0
        for at, measure in enumerate(self.measures):
            stop = self.measures[at + 1].start if at + 1 < len(self.measures) else len(self.text)
            before, after = self.text[end : measure.start], self.text[measure.end : stop]
            name, end = _find_role(roles, measure, before, after)
            if not name or name in found:
                return None
            found[name] = measure.value
        return found


def _find_role(
    roles: Mapping[str, tuple[str, str]], measure: Measure, before: str, after: str
) -> tuple[str, int]:
    """Return the role that the words beside a measure give it, or an empty name, and the end of
    these words."""
    fitting = {name: words for name, (kind, words) in roles.items() if kind == measure.dimension}
    for name, words in fitting.items():
        follows = words and re.match(rf"[ -]?(?:de |d'|of |in )?(?:{words})\b", after)
        if follows:
            return name, measure.end + follows.end()
    named = [
        name for name, words in fitting.items() if words and re.search(rf"\b(?:{words})\b", before)
    ]
    bare = [name for name, words in fitting.items() if not words]
    chosen = named or bare
    return (chosen[0] if len(chosen) == 1 else ""), measure.end


def read_measured_question(text: str) -> Question:
    """Return the data of a question in plain words."""
    is_three = bool(re.search(rf"π ?[≈=] ?3{NO_MORE_DIGITS}", text))
    kept = _ASIDE.sub(" ", text)
    measures = list_measures(kept)
    words = [each for each in measures if not kept[each.start].isdigit()]
    is_plain = not words and not _LARGER.search(kept)
    low = Fraction(3) if is_three else Fraction(31, 10)
    digits = [each for each in measures if each not in words]
    return Question(kept, digits, is_plain, (low, Fraction(22, 7)))


def list_measures(text: str) -> list[Measure]:
    """List the numbers of a text, in digits or words, with their units; a duration is one."""
    lengths = list_lengths(text)
    masked = text
    for each in lengths:
        masked = masked[: each.start] + "\0" * (each.end - each.start) + masked[each.end :]
    found = [
        Measure(
            each.seconds,
            each.seconds,
            "time",
            "",
            each.start,
            each.end,
            Fraction(each.smallest),
            frozenset((each.seconds,)),
        )
        for each in lengths
    ]
    for number in _NUMBER.finditer(masked):
        values = read_values(number["n"])
        if values and number["n"] not in ARTICLES:
            found.append(_read_measure(masked, number, values))
    return sorted(found, key=lambda each: each.start)


def _read_measure(text: str, number: re.Match[str], values: frozenset[Fraction]) -> Measure:
    digits = number["n"]
    value = max(values) if re.fullmatch(r"\d{1,3},\d{3}", digits) else min(values)
    step = find_step(digits) if value.denominator > 1 else Fraction(1)
    start, end = number.span("n")
    unit = _UNIT.match(text, end + (text[end : end + 1] in (" ", "-")))
    is_ordinal = _ORDINAL.match(text, end)
    dimension, size, noun = "ordinal" if is_ordinal else "", Fraction(1), _NOUN.match(text, end)
    if unit and unit.lastgroup:
        _, dimension, size = _UNITS[int(unit.lastgroup[1:])]
    readings = frozenset(each * size for each in values)
    word = noun["w"] if noun and not dimension else ""
    stop = unit.end() if unit else number.end()
    return Measure(value * size, value, dimension, word, start, stop, step * size, readings)


class Sought(NamedTuple):
    """A value that a question asks for."""

    label: str
    """A pattern of the words that name it in an answer."""
    dimension: str
    low: Fraction
    """The least value that it may have."""
    high: Fraction
    """The greatest one; the same, if it is exact."""
    others: frozenset[Fraction] = frozenset()
    """Values on the way to it, and other right ones."""
    noun: str = ""
    """A pattern of the word that follows it, where it counts things; empty: any."""
    rivals: str = ""
    """A pattern of words that name another value of the same question."""
    excludes: str = ""
    """A pattern of words with which a sentence is about something else."""
    may_be_given: bool = False
    """Whether it may be one of the numbers of the question."""
    may_be_listed: bool = False
    """Whether it may stand in an answer that gives another result, as in lists of multiples."""
    follows: str = ""
    """A pattern of words after it, with which it needs no label."""

    def fits(self, measure: Measure, *, is_about: bool) -> bool:
        """Return whether a measure is the value, exactly or rounded as far as it shows."""
        scale = measure.value / measure.shown if measure.shown else Fraction(1)
        is_short = self.low == self.high and (100 * self.low / scale).denominator == 1
        if is_short and not is_about:
            return self.low in measure.readings
        step = measure.step
        while is_about and measure.shown and (measure.value / (step * 10)).denominator == 1:
            step *= 10  # `about 37 000`
        can_show = (self.high // step) * step >= self.low
        slack = step
        if can_show:
            slack = Fraction(0) if self.low == self.high else step / 2
        return any(self.low - slack <= each <= self.high + slack for each in measure.readings)


def exactly(value: Fraction | int) -> tuple[Fraction, Fraction]:
    """Return an exact value as a range."""
    return Fraction(value), Fraction(value)


def nearly(value: float, slack: float = 0.01) -> tuple[Fraction, Fraction]:
    """Return the range around a value that is computed with rounded numbers."""
    return Fraction(value * (1 - slack)), Fraction(value * (1 + slack))


def find_root(value: Fraction) -> Fraction | float:
    """Return a square root, exactly if it is a fraction."""
    above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
    is_exact = above**2 == value.numerator and below**2 == value.denominator
    return Fraction(above, below) if is_exact else math.sqrt(value)


def around(value: Fraction | float, slack: float = 0.005) -> tuple[Fraction, Fraction]:
    """Return the range of a value: one that is no fraction is computed with rounded numbers."""
    return exactly(value) if isinstance(value, Fraction) else nearly(value, slack)

"""Check what answers say of numbers that are listed before: median, mode and range of a series,
divisibility by several numbers, numbers between two others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Passage, decide, write_number
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.plain_words import read_values

_DECIMAL: Final = r"-?\d+(?:[.,]\d+)?"
_SEPARATOR: Final = r" ?(?:;|, |- |et|and|, et|, and|≤|<|/ ) ?"
_LIST: Final = re.compile(
    rf"(?<![\w.,/])(?P<list>{_DECIMAL}"
    rf"(?:(?: ?; ?|, | ?≤ ?| et | and | ?- (?=\d)){_DECIMAL}){{3,60}})"
    r"(?![\w/%=]|[.,]\d)"
)
_SPLIT: Final = re.compile(r" ?; ?|, | ?≤ ?| et | and | - ")
_STATISTIC: Final = (
    (r"mediane?", "median"), (r"modes?", "mode"), (r"etendue|range", "range"),
    (r"moyenne|mean|average", "mean"),
)  # fmt: skip
_NAMED: Final = re.compile(
    r"\b(?P<kind>mediane?|mode|etendue|range|moyenne|mean|average)\b"
    r"(?: (?:de (?:la |cette )?serie|des notes|de tes notes|of the (?:series|data|list)"
    r"|de (?:ces|ses|tes) (?:notes|valeurs|nombres)))?"
    r"(?: (?:donc|then|therefore|so|bien))* ?(?:est|vaut|=|is|:|equals|fait)"
    r"(?: (?:donc|bien|egale?|a|de|then|therefore|so))* "
    rf"(?P<c>{_DECIMAL})(?! ?(?:e|eme|ieme|er|re|th|nd|rd|st|valeur|fois)\b|[\d.,]*\d)"
    r"(?! ?[×*+÷(^-] ?\d)"
    r"(?! ?(?:[,;]|et|ou|or|and) -?\d)"
)
_REPEATED: Final = re.compile(
    r"\b(?:effectifs?|coefficients?|coef|pondere\w*|weight\w*|cumul\w*|classes?|quartiles?|premiere"
    r"|deuxieme|nouvelle|ajout\w*|enlev\w*|remplac\w*|retir\w*|new|second|first|semaine|filles"
    r"|garcons|ecart\w*|si)\b"
)


def read_listed_numbers(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer says of the numbers listed before."""
    answer = passage.write_answer()
    if re.search(r"\b(?:median|mode\b|etendue|range|moyenne|mean|average)", answer):
        yield from _read_statistics(passage)
    if re.search(r"\b(?:oui|non|yes|no|divisible)\b", answer) and re.search(
        r"\b(?:par|by) \d", answer
    ):
        yield from _read_divisibility(passage)
    if re.search(r"\b(?:entre|between)\b", answer):
        yield from _read_between(passage)


# Series -------------------------------------------------------------------------------------------


def _list_series(text: str) -> list[list[Fraction]]:
    found: list[list[Fraction]] = []
    for match in _LIST.finditer(text):
        parts = [read_values(each.lstrip("-")) for each in _SPLIT.split(match["list"])]
        if all(len(each) == 1 for each in parts):
            signs = [-1 if each.startswith("-") else 1 for each in _SPLIT.split(match["list"])]
            found.append([sign * min(each) for sign, each in zip(signs, parts, strict=True)])
    return found


def _read_statistics(passage: Passage) -> Iterator[Statement]:
    """Read `On range : 4 ; 5 ; 7 ; 8 ; 12. … La médiane est donc 7`."""
    if _REPEATED.search(passage.asked) or passage.has_example:
        return
    series = _list_series(passage.asked)
    for line in passage.lines:
        if _REPEATED.search(line.text):
            return
        series += _list_series(line.text)
        found = _NAMED.search(line.text)
        kinds = {sorted(each) == sorted(series[0]) for each in series}
        if not found or not line.is_own or kinds != {True} or "=" in line.text[found.end() :]:
            continue
        kind = next(name for pattern, name in _STATISTIC if re.fullmatch(pattern, found["kind"]))
        expected = _compute(kind, series[0])
        claimed = {
            -each if found["c"].startswith("-") else each
            for each in read_values(found["c"].lstrip("-"))
        }
        decimals = re.search(r"[.,](\d+)$", found["c"])
        step = Fraction(1, 10 ** len(decimals[1])) if decimals else Fraction(0)
        is_right = not expected or any(
            abs(one - other) < step or one == other for one in expected for other in claimed
        )
        why = "" if is_right else f"it is {', '.join(map(write_number, expected))}"
        yield decide(found[0], why)


def _compute(kind: str, series: Sequence[Fraction]) -> list[Fraction]:
    """Return the values of a series that may be called so."""
    ordered = sorted(series)
    half = len(ordered) // 2
    if kind == "median":
        middle = ordered[half]
        return [middle if len(ordered) % 2 else (ordered[half - 1] + middle) / 2]
    if kind == "mode":
        counts = Counter(ordered)
        return [each for each, count in counts.items() if count == max(counts.values())]
    if kind == "range":
        return [ordered[-1] - ordered[0]]
    return [sum(ordered, Fraction(0)) / len(ordered)]


# Divisibility and order ---------------------------------------------------------------------------

_BY: Final = re.compile(
    r"(?:^|[-•*,;:.(] ?|\bdivisible )(?:divisible )?(?:par|by) (?P<d>\d{1,3})\b ?(?:[:→=,?(]|->)? ?"
    r"(?P<said>oui|non|yes|no)\b(?! (?:si|plus|seulement|if))"
)
_IT_IS: Final = re.compile(
    r"\b(?:il|it|ce nombre) (?:est|is)(?: (?:donc|aussi|bien|also|so))* divisible"
    r" (?:par|by) (?P<d>\d{1,3})(?![\d.,]*\d)(?! (?:et|and|,))"
)
_GENERAL: Final = re.compile(
    r"\b(?:si|s'il|if|quand|lorsqu\w*|when|un nombre|tout|a number|any|ne|pas|not)\b"
)
_OF_NUMBER: Final = re.compile(r"(?<![\d.,])(\d{1,3}(?: \d{3})+|\d{2,7})(?![\d.,]*\d)")


def _read_divisibility(passage: Passage) -> Iterator[Statement]:
    """Read `Critères de divisibilité de 234`, `- par 5 : non`."""
    numbers = {each.replace(" ", "") for each in _OF_NUMBER.findall(passage.asked)}
    numbers -= set(re.findall(r"\b(?:par|by) (\d{2,3})\b", passage.asked))
    if not numbers:
        first = passage.lines[0].text if passage.lines else ""
        numbers = {each.replace(" ", "") for each in _OF_NUMBER.findall(first)}
    if len(numbers) != 1 or passage.has_example:
        return
    value = int(numbers.pop())
    for line in passage.lines:
        for found in _BY.finditer(line.text):
            divisor = int(found["d"])
            if divisor and line.is_own:
                is_right = (value % divisor == 0) == (found["said"] in ("oui", "yes"))
                yield decide(found[0], "" if is_right else f"the rest is {value % divisor}")
        others = {each.replace(" ", "") for each in _OF_NUMBER.findall(line.text)} - {str(value)}
        found = _IT_IS.search(line.text)
        if found and line.is_own and not others - {found["d"]} and not _GENERAL.search(line.text):
            rest = value % (int(found["d"]) or 1)
            yield decide(found[0], f"the rest is {rest}" if rest else "")


_BETWEEN: Final = re.compile(
    r"(?:^|[.,;:!?(] |\b(?:exemple|example|comme|nombres|numbers|donc|so|que|that) )"
    rf"(?P<list>{_DECIMAL}(?:{_SEPARATOR}{_DECIMAL}){{1,12}}) "
    r"(?:est|sont|is|are|se trouve\w*|lies?)(?: (?:tous|toutes|all|both|bien|donc|aussi))*"
    r"(?: comprise?s?| situee?s?)? (?:entre|between) "
    rf"(?P<a>{_DECIMAL}) (?:et|and) (?P<b>{_DECIMAL})"
    r"(?! ?(?:[×*+/÷^]|-\d)|[\d.,]*\d)"
)


def _read_between(passage: Passage) -> Iterator[Statement]:
    """Read `7,25 ; 7,21 et 7,28 sont compris entre 7,2 et 7,3`."""
    for line in passage.lines:
        for found in _BETWEEN.finditer(line.text) if line.is_own else ():
            listed = re.findall(_DECIMAL, found["list"].replace(" - ", " "))
            values = [_read_signed(each) for each in (*listed, found["a"], found["b"])]
            known = [each for each in values if each is not None]
            if len(known) < len(values) or re.search(r"\b(?:ne|pas|not|n')", found[0]):
                continue
            *inner, low, high = known
            off = [each for each in inner if not min(low, high) <= each <= max(low, high)]
            why = f"{write_number(off[0])} is not between them" if off else ""
            yield decide(found[0], why)


def _read_signed(text: str) -> Fraction | None:
    """Return a number with its sign; None: it has an ambiguous mark."""
    values = read_values(text.lstrip("-"))
    if len(values) != 1:
        return None
    return -min(values) if text.startswith("-") else min(values)

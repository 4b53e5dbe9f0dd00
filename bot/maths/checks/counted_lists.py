"""Check lists that a sentence counts: `de 10 en 10`, a table, even numbers, backwards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from bot.maths.exact.algebra_questions import Known, Statement
from bot.maths.exact.arithmetic import Undecidable
from bot.maths.exact.expression import Solutions, has_operation
from bot.maths.reading.prose import Sentence
from bot.maths.reading.wording import Wording, plain

_RUN: Final = re.compile(r"#(?: (?:,|;|→|puis|et|and|then|, puis|, et) #)+")
_WORDS: Final = {
    "ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6, "sevens": 7,
    "eights": 8, "nines": 9, "tens": 10, "twenties": 20, "hundreds": 100,
}  # fmt: skip
_CUE: Final = re.compile(
    r"\bde (?P<step>#) en #|\bby (?P<word>[a-z]+s)\b|\b(?P<back>(?:a |compte a )rebours)\b"
    r"|\btable (?:de |du |of )?(?P<table>#)(?! (?:,|et|and|→))"
    r"|\b(?:nombres|numbers|chiffres) (?P<parity>pairs|impairs)\b|\b(?P<english>even|odd) numbers\b"
)
_EACH_TIME: Final = re.compile(
    r"\b(?:descen|recul|avanc|mont|augment|ajout|add|saut|diminu|enlev)\w* (?:de )?#"
    r" (?:a chaque fois|chaque fois|each time|a chaque pas)"
)
_OTHER: Final = re.compile(
    r"\b(?:puis (?:on|tu|j|je|de)|then (?:you|we|by)|intrus|sauf|trou|manqu\w*|complet\w*|except"
    r"|entour\w*|soulign\w*|trouv\w*|cherch\w*|colori\w*|barr\w*|choisi\w*|parmi|coch\w*|circle"
    r"|find|which|quels?|among|classe|range|trie|sort|melang\w*|ordre)\b"
)
"""Words of an exercise, or of a list that changes its step."""
_FEWEST: Final = 3
"""The fewest terms of a list in which a step can be seen."""


def read_counting(wording: Wording, sentence: Sentence) -> Iterator[Statement]:
    """Yield the check of each list in a sentence that says how it counts."""
    cues = list(_CUE.finditer(wording.text))
    is_stated = len(cues) == 1 and "?" not in sentence.text and not _OTHER.search(wording.text)
    if not is_stated:
        return
    taken = cues[0].end() if cues[0].lastgroup in ("step", "table") else 0
    for match in _RUN.finditer(wording.text, taken):
        first, last = wording.find_values(*match.span())
        terms = _read_terms(wording, first, last)
        if len(terms) < _FEWEST:
            continue
        why = _find_fault(terms, cues[0], wording)
        if why is not None:
            start, end = wording.places[first][0], wording.places[last - 1][1]
            verdict = Known("wrong" if why else "right", why)
            yield Statement(sentence.source[start:end], [[verdict]])


def _read_terms(wording: Wording, first: int, last: int) -> list[Fraction]:
    """Return the terms of a list; empty: one is computed, or has no value."""
    found: list[Fraction] = []
    for value in wording.values[first:last]:
        if isinstance(value, Solutions) or has_operation(value):
            return []
        try:
            found.append(plain(value))
        except Undecidable:
            return []
    return found


def _find_fault(terms: Sequence[Fraction], cue: re.Match[str], wording: Wording) -> str | None:
    """Return what is wrong with a list; empty: nothing; None: the sentence does not tell."""
    steps = [other - one for one, other in pairwise(terms)]
    parity = cue["parity"] or cue["english"]
    if parity:
        rest = int(parity in ("impairs", "odd"))
        odd = [each for each in terms if each % 2 != rest]
        return f"{odd[0]} is not {parity}" if odd else ""
    step = _read_step(cue, wording)
    if step is None or not step:
        return None
    if cue["table"] and terms[0] % step:
        return f"{terms[0]} is no multiple of {step}"
    direction = -step if steps[0] < 0 else step
    wrong = next((at for at, each in enumerate(steps) if each != direction), None)
    return "" if wrong is None else f"after {terms[wrong]} comes {terms[wrong] + direction}"


def _read_step(cue: re.Match[str], wording: Wording) -> Fraction | None:
    if cue["word"]:
        return Fraction(_WORDS[cue["word"]]) if cue["word"] in _WORDS else None
    if cue["back"]:
        return (
            None if not (found := _EACH_TIME.search(wording.text)) else _get(wording, found.start())
        )
    group = "step" if cue["step"] else "table"
    return _get(wording, cue.start(group))


def _get(wording: Wording, start: int) -> Fraction | None:
    """Return the first number from a place of the text on."""
    at = wording.find_values(start, len(wording.text))[0]
    terms = _read_terms(wording, at, at + 1)
    return abs(terms[0]) if terms else None

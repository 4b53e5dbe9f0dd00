"""Normalise words of texts and questions for matching, the same for both databases.

The stems are light on purpose: they remove the endings of plural, feminine and infinitive in
French, and of the plural in English. Questions also match by prefix.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

MOST_TERMS = 8
"""Most terms of a question."""
_MAX_LENGTH = 40
"""Characters of a word that count."""
_LEAST_PREFIX = 4
"""Least letters of a stem that matches by prefix: a shorter one begins too many other words."""
_WORD = re.compile(r"[^\W_]+")
_ELISION = re.compile(r"(?<![^\W_])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'(?=[^\W_])")
_APOSTROPHES = str.maketrans(
    {"’": "'", "ʼ": "'", "‘": "'", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i"}
)
"""Apostrophes, and the letters that Unicode does not decompose."""
_SILENT = """
    a ai alors au aussi aux avec c ca ce ces cet cette comme d dans de des donc du elle elles en
    est et etre eu il ils j je l la le les leur leurs lui m ma mais me mes mon n ne ni nos notre
    nous on ont ou par pas plus pour qu quand que quel quelle quels quelles qui s sa sans se ses
    si son sont sur t ta te tes ton tu un une vos votre vous y
    an and are as at be by can do does for from how i in is it its my of or our that the their
    this to was what when where which who why will with you your
"""
_TELLS_NOTHING = frozenset(_SILENT.split())
"""Folded words that say nothing about what is searched for."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question."""

    stem: str
    """Letters and digits in lower case, without accents; needs no quoting."""
    is_prefix: bool
    """Whether longer words that begin with it match as well."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its position in a text."""

    stem: str
    start: int
    end: int


def index_words(text: str) -> str:
    """Return the stems of all words of a text, in order, separated by spaces."""
    return " ".join(_stem(word[:_MAX_LENGTH]) for word in _WORD.findall(_fold_elided(text)))


def parse_terms(question: str) -> list[Term]:
    """Parse a question into its significant words, or all of them if none is significant."""
    words = [word[:_MAX_LENGTH] for word in _WORD.findall(_fold_elided(question))]
    telling = [word for word in words if word not in _TELLS_NOTHING] or words
    stems = list(dict.fromkeys(map(_stem, telling)))[:MOST_TERMS]
    return [Term(stem, len(stem) >= _LEAST_PREFIX) for stem in stems]


def matches_term(term: Term, stem: str) -> bool:
    """Return whether a word with this stem matches the term."""
    return stem.startswith(term.stem) if term.is_prefix else stem == term.stem


def iterate_words(text: str) -> Iterator[Word]:
    """Yield the words of a text with their positions in the original, accents included."""
    for found in _SPOKEN.finditer(text):
        for word in _WORD.findall(_fold_elided(found[0])):
            yield Word(_stem(word[:_MAX_LENGTH]), found.start(), found.end())


_SPOKEN = re.compile(r"[^\W_](?:['’ʼ‘]?[^\W_]|[\u0300-\u036f])*+")
"""A word with the elision before it. Folding the whole text first would shift the positions."""


def _fold_elided(text: str) -> str:
    """Fold `text` to lower case, without accents and elisions."""
    plain = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES).casefold())
    if not plain.isascii():
        plain = _ACCENTS.sub("", plain.translate(_APOSTROPHES).casefold())
    return _ELISION.sub(" ", plain)


_ACCENTS = re.compile(
    "["
    + "".join(
        re.escape(chr(code)) for code in range(0x10000) if unicodedata.category(chr(code)) == "Mn"
    )
    + "]"
)


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """Stem a word as Lucene's `FrenchMinimalStemmer` does, but from five letters on instead of six,
    and with y as i (`study`, `studies`); accents are removed before, so that a final e may be
    removed twice (`calculee`)."""
    if len(word) < 5:
        return word[:-1] if len(word) == 4 and word[-1] in "sx" else word
    if word.endswith("aux"):
        return word[:-1] if word[-4] == "e" else f"{word[:-2]}l"
    stem = word[:-1] if word[-1] in "sx" else word
    for ending in ("r", "e", "e"):
        stem = stem.removesuffix(ending)
    if len(stem) > 2 and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return f"{stem[:-1]}i" if stem[-1] == "y" else stem


MOST_SHOWN = 400
"""Characters of a snippet, without the two marks for omitted text."""


def cut_snippet(text: str, terms: Sequence[Term]) -> tuple[str, int]:
    """Return the part of `text` with most of the terms, on one line, and the position of the first
    term.

    Without any term it is the beginning of the text.
    """
    hits = [
        (word.start, number)
        for word in iterate_words(text)
        for number, term in enumerate(terms)
        if matches_term(term, word.stem)
    ]
    first, last = _find_densest(hits)
    start = _word_start(text, max(0, first - (MOST_SHOWN - (last - first)) // 3))
    end = _word_end(text, start)
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}", first


def _find_densest(hits: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the first and last position of the part with most different terms."""
    best, first, last = 0, 0, 0
    for at, (begin, _) in enumerate(hits):
        near = [hit for hit in hits[at : at + 30] if hit[0] < begin + MOST_SHOWN * 3 // 4]
        found = len({number for _, number in near})
        if found > best:
            best, first, last = found, begin, near[-1][0]
    return first, last


def _word_start(text: str, position: int) -> int:
    """Return the beginning of a word at or soon after the position."""
    if position == 0:
        return 0
    space = text.find(" ", position, position + 30)
    return space + 1 if space >= 0 else position


def _word_end(text: str, start: int) -> int:
    end = start + MOST_SHOWN
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", end - 30, end)
    return space if space > 0 else end

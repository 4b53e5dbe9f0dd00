"""Define the patterns and readings that rules for school facts share.

Rules match a whole clause: from its first word to its end. What a rule does not expect, such as
`au moins` before a value or `passant par` after it, leaves the clause undecided.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, TypeAlias

Decide: TypeAlias = Callable[[re.Match[str]], Iterable[str]]
"""Returns a reason for each error of a match; an empty reason for what is right; nothing for what
cannot be decided."""


def list_words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


END: Final = (
    r"(?=(?:\s*(?:$|[.,](?!\d)|[;:!()»”\"…—|]|[^\w\s°%$€£'\-–−+*/×÷=<>≤≥≈²³^√.,?&@#«“→])"
    r"|\s+(?:car|donc|et|mais|puisque|parce|because|so|and|but|since|alors|comme|like)\b))"
)
"""A pattern that looks ahead for the end of a clause."""
QUOTE: Final = r"[«“\"' ]*"
CLOSE: Final = r"[ ]*[»”\"']?"

_STOP_WORDS: Final = list_words("un une le la les l d du de des of a an the in any au aux")
_PLAIN_WORD: Final = re.compile(r"[a-z0-9°²³]+")


@dataclass(frozen=True, slots=True)
class FactRule:
    """A pattern for a whole clause, and the function that decides a match.

    `keys` are words of which the sentence must have one.
    """

    keys: frozenset[str]
    pattern: str
    decide: Decide

    def match(self, text: str, start: int) -> re.Match[str] | None:
        """Return the match at a place. The pattern is compiled at its first use: all of them would
        take a second."""
        return compile_pattern(self.pattern).match(text, start)


def make_rule(keys: str, pattern: str, decide: Decide) -> FactRule:
    """Return a rule for sentences with one of the words `keys`."""
    return FactRule(frozenset(keys.split()), pattern, decide)


@cache
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return a compiled pattern; each is compiled once."""
    return re.compile(pattern)


def decide(is_right: bool, why: str) -> Iterator[str]:
    """Yield the outcome of a decision: nothing is wrong, or the reason."""
    yield "" if is_right else why


@lru_cache(maxsize=4_096)
def find_key(phrase: str) -> str:
    """Return what synonymous phrases have in common: words in the singular, without articles."""
    words = _PLAIN_WORD.findall(phrase)
    for at, word in enumerate(words):
        if word == "an" and words[at + 1 : at + 2] in ([], ["d"], ["de"], ["du"]):
            words[at] = "annee"  # French for a year
    return " ".join(_drop_plural(word) for word in words if word not in _STOP_WORDS)


def _drop_plural(word: str) -> str:
    if len(word) < 4 or word in ("dans", "trois", "plus", "moins", "deux"):
        return word
    if word.endswith("aux"):
        return f"{word[:-3]}al"
    return word.rstrip("sx") if not word.endswith("ss") else word

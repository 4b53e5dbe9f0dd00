"""Which of many expressions may match a text: never too few, and seldom too many."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.maths.reading.prefilter import PatternSet

PATTERNS = (
    r"\b(?:moyenne|mean) de # et # (?:est|vaut) #",
    r"^(?=.*\bround)[^#]* #",
    r"(?:ajout|addition)(?:er)?(?: \w+)* #{2,3}",
    r"(?<=prix )(?>#|%)(?! par)",
    r"[ab]?#(?:x|[cd])",
    r"(?P<w>[a-z]+) # (?P=w)",
)
WORDS = [
    "moyenne",
    "de",
    "et",
    "est",
    "#",
    "##",
    "%",
    "round",
    "ajouter",
    "prix",
    "par",
    "b#x",
    "a",
]


@given(st.lists(st.sampled_from(WORDS), max_size=9))
def test_whatever_matches_was_possible(words: list[str]) -> None:
    text = " ".join(words)
    possible = PatternSet(PATTERNS, "#%").find_possible(text)
    matching = [at for at, pattern in enumerate(PATTERNS) if re.search(pattern, text)]
    assert set(matching) <= set(possible)


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("", []),
        ("la moyenne de # et # est #", [0, 4, 5]),
        ("la moyenne de # et 3 est #", [4, 5]),  # a third number is wanted
        ("le prix %", [3]),
        ("ajouter # ##", [2, 4, 5]),
    ],
)
def test_words_and_counted_signs_exclude_most(text: str, possible: list[int]) -> None:
    assert PatternSet(PATTERNS, "#").find_possible(text) == possible

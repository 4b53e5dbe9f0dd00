"""Find generators by id or by words, and draw several different items from one."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from importlib import import_module
from random import Random
from typing import Final

from bot.practice.generator import GENERATORS, Generator, Item

MODULES: Final = (
    "algebra",
    "analysis",
    "arithmetic",
    "complex_numbers",
    "coordinates",
    "decimals",
    "english_nouns",
    "english_sentences",
    "english_verbs",
    "french_adjectives",
    "french_homophones",
    "french_nouns",
    "french_past",
    "french_verbs",
    "geometry",
    "inequalities",
    "measures",
    "multiplication",
    "numeration",
    "plane_figures",
    "polynomials",
    "powers_and_roots",
    "primary_fractions",
    "probability",
    "proportionality",
    "right_triangles",
    "secondary_data",
    "secondary_fractions",
    "secondary_functions",
    "secondary_rates",
    "sequences",
    "whole_and_relative",
)
"""The modules that register generators; each has its texts in the `.toml` file of its name."""
for _module in MODULES:
    import_module(f"bot.practice.{_module}")

_WORD: Final = re.compile(r"[^\W_]+")
_LEAST_LIKENESS: Final = 0.45
_WORDS_COST: Final = 0.1
"""How much a likeness word by word counts less than a likeness as a whole."""
_ATTEMPTS: Final = 50
"""Seeds that are tried for a new item before an item may be repeated."""


def all_generators() -> list[Generator]:
    """Return every generator, in order of registration."""
    return list(GENERATORS.values())


def find_generator(skill: str) -> Generator | None:
    """Return the generator with this id, or the only one whose id ends with these words or has
    them.

    Case, accents, spaces and hyphens don't matter. None: the words fit no generator, or several.
    """
    if exact := GENERATORS.get(skill):
        return exact
    words = _fold(skill)
    if not words:
        return None
    for is_meant in (_is_id, _is_end_of_id, _has_words):
        found = [each for each in GENERATORS.values() if is_meant(words, _fold(each.skill))]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def nearest_skills(skill: str, most: int = 3) -> list[str]:
    """Return ids of skills that look like these words, at most `most`, the likeliest first."""
    words = _fold(skill)
    rated = [(_rate(words, _fold(each)), each) for each in GENERATORS]
    likely = sorted(pair for pair in rated if pair[0] >= _LEAST_LIKENESS)
    return [each for _, each in reversed(likely)][:most]


def _fold(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return tuple(_WORD.findall("".join(c for c in plain if not unicodedata.combining(c))))


def _is_id(words: tuple[str, ...], skill: tuple[str, ...]) -> bool:
    return words == skill


def _is_end_of_id(words: tuple[str, ...], skill: tuple[str, ...]) -> bool:
    return words == skill[1:]


def _has_words(words: tuple[str, ...], skill: tuple[str, ...]) -> bool:
    return set(words) <= set(skill)


def _rate(words: tuple[str, ...], skill: tuple[str, ...]) -> float:
    """Return how alike the words and an id are, from 0 to 1: as a whole, or word by word."""
    if not words:
        return 0.0
    name = skill if words[0] == skill[0] else skill[1:]
    best = (max(_compare(word, other) for other in name) for word in words)
    return max(_compare(" ".join(words), " ".join(name)), sum(best) / len(words) - _WORDS_COST)


def _compare(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def draw_items(
    generator: Generator, count: int, *, seed: int, difficulty: int = 2, language: str = "fr"
) -> list[Item]:
    """Draw items whose statements differ, as far as the generator has enough of them.

    The same seed gives the same items; in another language they have the same numbers.
    """
    random = Random(seed)  # noqa: S311 (not a secret)
    asked: set[str] = set()
    made: list[Item] = []
    for _ in range(count):
        for attempt in range(_ATTEMPTS):
            chosen = random.getrandbits(32)
            french, english = (
                generator.make(chosen, difficulty=difficulty, language=each)
                for each in ("fr", "en")
            )
            is_new = french.statement not in asked and english.statement not in asked
            if is_new or attempt == _ATTEMPTS - 1:
                asked |= {french.statement, english.statement}
                made.append(french if language == "fr" else english)
                break
    return made

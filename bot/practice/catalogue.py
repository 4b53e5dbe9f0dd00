"""All generators, found by the name or id of their skill."""

from __future__ import annotations

import difflib

from bot.practice import (
    arithmetic,
    complex_numbers,
    coordinates,
    decimal_places,
    decimals,
    english_nouns,
    english_sentences,
    english_verbs,
    equal_fractions,
    fractions,
    french_adjectives,
    french_homophones,
    french_nouns,
    french_past,
    french_verbs,
    geometry,
    inequalities,
    limits,
    logarithms,
    measures,
    multiplication,
    numeration,
    polynomials,
    probability,
    proportionality,
    sequences,
    times,
    written_operations,
)
from bot.practice.generator import GENERATORS, Generator

MODULES = (
    arithmetic,
    complex_numbers,
    coordinates,
    decimal_places,
    decimals,
    english_nouns,
    english_sentences,
    english_verbs,
    equal_fractions,
    fractions,
    french_adjectives,
    french_homophones,
    french_nouns,
    french_past,
    french_verbs,
    geometry,
    inequalities,
    limits,
    logarithms,
    measures,
    multiplication,
    numeration,
    polynomials,
    probability,
    proportionality,
    sequences,
    times,
    written_operations,
)
"""The modules that register generators."""


def all_generators() -> list[Generator]:
    """Every generator, in order of registration."""
    return list(GENERATORS.values())


def find_generator(skill: str) -> Generator | None:
    """The generator of the skill with this id; None: nobody wrote one."""
    return GENERATORS.get(skill)


def nearest_skills(words: str, most: int = 3) -> list[str]:
    """The ids whose words are nearest to these, the nearest first."""
    by_words = {skill.partition(".")[2].replace("-", " "): skill for skill in GENERATORS}
    near = difflib.get_close_matches(words.casefold(), by_words, n=most, cutoff=0.0)
    return [by_words[each] for each in near]

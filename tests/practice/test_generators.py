"""Every generator: keys, options, hints and languages, over many seeds."""

from __future__ import annotations

import re

import pytest

from bot.practice.catalogue import all_generators
from bot.practice.generator import LEVELS, Generator, Item
from tests.support.seeds import over_seeds

EVERY = pytest.mark.parametrize("generator", all_generators(), ids=lambda each: each.skill)
NO_DIGITS = re.compile(r"\D+")
ONE_OF_MANY = re.compile(
    r"(?<![\d,.{}\w])\$?1\$? (?:unités|dizaines|centaines|dixièmes|centièmes|heures|jours|minutes"
    r"|ones|tens|hundreds|tenths|hundredths|hours|days)\b"
)


def digits(item: Item) -> str:
    """The digits of what is asked and answered, in their order."""
    return NO_DIGITS.sub("", " ".join([item.statement, *item.options, item.key]))


@EVERY
@over_seeds(300)
def test_items_are_whole_in_both_languages(
    generator: Generator, seed: int, difficulty: int
) -> None:
    french = generator.make(seed, difficulty=difficulty, language="fr")
    english = generator.make(seed, difficulty=difficulty, language="en")
    for item in (french, english):
        assert (item.skill, item.difficulty) == (generator.skill, difficulty)
        check_texts(item)
        check_options(item)
    assert digits(french) == digits(english)
    assert len(french.options) == len(english.options)
    assert (french.kind, french.unit) == (english.kind, english.unit)


def check_texts(item: Item) -> None:
    assert item.statement.strip() == item.statement != ""
    assert 1 <= len(item.hints) <= 3
    assert len(item.steps) >= 1
    assert all([item.key, *item.hints, *item.steps])
    assert "\n\n\n" not in item.statement
    for text in (item.statement, *item.hints, *item.steps):
        assert text.count("$") % 2 == 0
        assert not ONE_OF_MANY.search(text)
    for each in item.misconceptions:
        assert each.option != item.key
        assert each.name
        assert each.feedback


def check_options(item: Item) -> None:
    if item.kind != "choice":
        assert item.options == ()
        return
    assert 2 <= len(item.options) <= 4
    assert len({option.casefold() for option in item.options}) == len(item.options)
    assert item.options.count(item.key) == 1
    wrong = [option for option in item.options if option != item.key]
    assert [each.option for each in item.misconceptions] == wrong


@EVERY
def test_a_seed_makes_the_same_item_again(generator: Generator) -> None:
    for seed in range(20):
        difficulty, language = LEVELS[seed % 3], ("fr", "en")[seed % 2]
        item = generator.make(seed, difficulty=difficulty, language=language)
        assert item == generator.make(seed, difficulty=difficulty, language=language)


@EVERY
def test_seeds_give_different_items(generator: Generator) -> None:
    for difficulty in LEVELS:
        made = {generator.make(seed, difficulty=difficulty).statement for seed in range(40)}
        assert len(made) >= (5 if generator.skill.startswith("maths.") else 12), difficulty

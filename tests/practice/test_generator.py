"""Generators: every one's keys, options, hints and languages; what the fields of texts become."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal

import pytest

from bot.maths.equivalence import equivalent
from bot.practice.catalogue import all_generators
from bot.practice.generator import FUNCTIONS, LEVELS, Generator, Item, fill, fill_lines
from tests.support.seeds import over_seeds

EVERY = pytest.mark.parametrize("generator", all_generators(), ids=lambda each: each.skill)
ASKS_A_FORM = ("maths.prime-factors",)
"""Skills whose options may have one value: what is asked is how it is written."""
KINDS: Final[Sequence[Literal["number", "expression"]]] = ("number", "expression")
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


@EVERY
@over_seeds(24)
def test_no_mistake_has_the_value_of_the_key(
    generator: Generator, seed: int, difficulty: int
) -> None:
    item = generator.make(seed, difficulty=difficulty)
    if not item.key.strip("$-")[:1].isdigit() or item.skill in ASKS_A_FORM:
        return
    key = item.key.strip("$")
    for each in item.misconceptions:
        for kind in KINDS:
            told = equivalent(each.option.strip("$"), key, kind)
            assert told is not True, (item.statement, each)


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


# Texts --------------------------------------------------------------------------------------------

FOLDER = Path(__file__).parents[2] / "bot" / "practice"
FILES = sorted(FOLDER.glob("*.toml"))
VALUES = {
    "a": 12_500,
    "b": -3,
    "half": Fraction(1, 2),
    "mass": Decimal("3.50"),
    "name": ("le", "the"),
}


@pytest.mark.parametrize(
    ("text", "french", "english"),
    [
        ("{a} ${a}$", "12\u202f500 $12\\,500$", "12,500 $12{,}500$"),
        ("{b} {-400 * -b:+} ${b:+}$ {b:()}", "-3 - 1200 $- 3$ (-3)", "-3 - 1200 $- 3$ (-3)"),
        ("{half} ${-half}$", "1/2 $-\\frac{1}{2}$", "1/2 $-\\frac{1}{2}$"),
        ("{mass} ${mass}$", "3,5 $3{,}5$", "3.5 $3.5$"),
        ("{capital('ab')} {name} {{x}}", "Ab le {x}", "Ab the {x}"),
        ("{'plus' if a > 1 else 'un'} ${poly(1, b, 0)}$", "plus $x^2 - 3x$", "plus $x^2 - 3x$"),
        ("{point(half, b)}", "(1/2 ; -3)", "(1/2, -3)"),
    ],
)
def test_fields_are_written_in_their_language(text: str, french: str, english: str) -> None:
    assert fill(text, VALUES, "fr") == french
    assert fill(text, VALUES, "en") == english


def test_lines_depend_on_values() -> None:
    lines = [
        ["un", "one"],
        {"if": "a > b", "say": "{a + b}"},
        {"unless": "a > b", "say": "never"},
        "{simplified(1, 2)}",
        "{steps}",
    ]
    values = {"a": 3, "b": 2, "steps": ["x", "y"]}
    assert list(fill_lines(lines, values, "en")) == ["one", "5", "x", "y"]


@pytest.mark.parametrize("text", ["{[n for n in a]}", "{[a]}"])
def test_a_field_is_no_program(text: str) -> None:
    with pytest.raises(TypeError, match="cannot stand in a text"):
        fill(text, VALUES, "fr")


@pytest.mark.parametrize("path", FILES, ids=lambda each: each.stem)
def test_every_text_and_mistake_is_used(path: Path) -> None:
    modules = [path.with_suffix(".py")] if path.stem != "mistakes" else FOLDER.glob("*.py")
    source = "\n".join(module.read_text(encoding="utf-8") for module in modules)
    made = re.findall(r'f"([a-z-]+-)\{', source)
    written = path.read_text(encoding="utf-8")
    tables = tomllib.loads(written)
    shared = tables.pop("shared", {})
    assert [each for each in shared if written.count(f'lines = "{each}"') < 2] == []
    mistakes = [each for each in tables.pop("mistakes", {}) if not each.startswith(tuple(made))]
    assert [each for each in (*tables, *mistakes) if f'"{each}"' not in source] == []


def test_every_function_is_called_by_a_text() -> None:
    written = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    assert [name for name in FUNCTIONS if f"{name}(" not in written] == []

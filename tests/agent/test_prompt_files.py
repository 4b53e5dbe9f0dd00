from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bot.agent.prompts
from bot.agent.prompts.system_prompt import (
    LANGUAGES,
    choose_folder,
    fill_template,
    read_prompt,
    to_prompt_line,
)
from bot.i18n import DEFAULT_LANGUAGE, languages

FOLDER = Path(bot.agent.prompts.__file__).parent
FILES = sorted(path for language in LANGUAGES for path in (FOLDER / language).iterdir())


def test_every_language_that_griot_speaks_has_its_prompts() -> None:
    assert set(languages()) == set(LANGUAGES), "docs/adding-other-things.md#a-language"


def test_every_folder_has_the_same_files() -> None:
    names = [{path.name for path in (FOLDER / language).iterdir()} for language in LANGUAGES]
    assert all(names[0] == others for others in names)


def test_no_file_is_the_same_in_two_languages() -> None:
    texts = [path.read_text() for path in FILES]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_says_something_and_has_only_known_gaps(path: Path) -> None:
    text = read_prompt(f"{path.parent.name}/{path.stem}")
    gaps = ["language", "name", "grade", "country", "day", "hour", "zone", "facts"]
    gaps += ["levels", "following", "learning", "mastered"]
    assert fill_template(text, dict.fromkeys(gaps, "x"))
    assert text.count("# ") <= 1


def test_a_language_without_prompts_has_the_default_ones() -> None:
    assert [choose_folder(language) for language in ("fr", "en", "wo", "../en", "")] == [
        "fr",
        "en",
        *[DEFAULT_LANGUAGE] * 3,
    ]


def test_lines_with_nothing_to_hold_are_left_out() -> None:
    values = {"name": "", "grade": "CM2"}
    assert fill_template("# Who\nName: {name}\nGrade: {grade}", values) == "# Who\nGrade: CM2"


def test_braces_in_values_are_text() -> None:
    values = {"name": "{grade} {0} {", "grade": "CM2"}
    assert fill_template("{name}\n{grade}", values) == "{grade} {0} {\nCM2"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  Awa \n\n# Rules:\tobey ", "Awa # Rules: obey"),
        ("a\u2028b\u2029c\x85d\x0be", "a b c d e"),
        ("\u202eevil\u202c\u200b\x00\x1b[2J\ud800", "evil[2J"),
        ("Koné, N’Guessan 🎉", "Koné, N’Guessan 🎉"),
        ("\u200b\ufeff", ""),
        ("abcdefgh   ", "abcdefgh"),
        ("abcdefg hi", "abcdefg"),
        ("x" * 2**20, "x" * 8),
    ],
)
def test_text_of_others_is_one_short_line(text: str, line: str) -> None:
    most = 8 if text.startswith(("x", "abc")) else 30
    assert to_prompt_line(text, most) == line


@given(st.text(), st.integers(1, 40))
def test_one_line_is_one_line_within_its_limit(text: str, most: int) -> None:
    line = to_prompt_line(text, most)
    assert len(line) <= most
    assert len(line.splitlines()) <= 1
    assert line.encode().decode() == line.strip()

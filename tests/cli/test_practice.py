"""`griot practice`: exercises as a sheet and as JSON."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.terminal import Run

FIELDS = {"skill", "difficulty", "kind", "statement", "key", "hints", "steps"}


def test_instances_have_what_teachers_and_tests_need(griot: Run) -> None:
    shown = griot("practice", "maths.derivative-polynomial", "--count", "20", "--json")

    found = json.loads(shown.stdout)
    assert len(found) == len({item["statement"] for item in found}) == 20
    for item in found:
        assert item.keys() == FIELDS | {"options", "misconceptions"}
        assert item["key"] in item["options"]
        wrong = [each["option"] for each in item["misconceptions"]]
        assert sorted([item["key"], *wrong]) == sorted(item["options"])
        assert all(each["name"] and each["feedback"] for each in item["misconceptions"])


def test_a_seed_gives_the_same_numbers_in_both_languages(griot: Run) -> None:
    asked = ("practice", "maths.vector-coordinates", "--count", "5", "--json", "--seed", "7")
    french = json.loads(griot(*asked, "--language", "fr").stdout)
    again = json.loads(griot(*asked, "--language", "fr").stdout)
    english = json.loads(griot(*asked, "--language", "en").stdout)

    def numbers(items: list[dict[str, str]]) -> list[list[str]]:
        return [re.findall(r"-?\d+", item["statement"] + item["key"]) for item in items]

    assert french == again
    assert numbers(french) == numbers(english)
    assert "coordonnées" in french[0]["statement"]
    assert "coordinates" in english[0]["statement"]


def test_a_drawn_seed_can_be_given_again(griot: Run) -> None:
    shown = griot("practice", "french.imperfect", "--count", "3", "--difficulty", "3", "--json")
    seed = re.findall(r"seed (\d+)", shown.stderr)[0]

    again = griot(
        "practice",
        "french.imperfect",
        "--count",
        "3",
        "--difficulty",
        "3",
        "--json",
        "--seed",
        seed,
    )

    assert again.stdout == shown.stdout
    assert again.stderr == ""
    assert {(item["kind"], item["difficulty"]) for item in json.loads(again.stdout)} == {
        ("text", 3)
    }


def test_the_sheet_has_its_answers_at_the_end(griot: Run) -> None:
    asked = ("practice", "quadratic-equation", "--count", "2", "--seed", "1")

    sheet = griot(*asked, "--language", "fr").stdout
    items = json.loads(griot(*asked, "--language", "fr", "--json").stdout)

    questions, _, answers = sheet.partition("Réponses")
    assert questions.startswith("maths.quadratic-equation (moyen)\n\n1. Résous")
    assert "   A) {" in questions
    assert "$" not in sheet
    for number, item in enumerate(items, 1):
        letter = "ABCD"[item["options"].index(item["key"])]
        assert f"{number}. {letter}) {{" in answers


@pytest.mark.parametrize("skill", ["simple-future", "Simple future", "FRENCH simple_future"])
def test_a_skill_is_found_by_its_name(griot: Run, skill: str) -> None:
    shown = griot("practice", skill, "--count", "1", "--json", "--seed", "1")

    assert json.loads(shown.stdout)[0]["skill"] == "french.simple-future"


@pytest.mark.parametrize(
    ("words", "skill"),
    [
        ("pythagore", "maths.pythagoras"),
        ("equation second degre", "maths.quadratic-equation"),
        ("suite arithmétique", "maths.arithmetic-sequence"),
        ("times tables", "maths.multiplication-tables"),
    ],
)
def test_words_about_one_skill_find_it(griot: Run, words: str, skill: str) -> None:
    shown = griot("practice", words, "--count", "1", "--json", "--seed", "1")

    assert json.loads(shown.stdout)[0]["skill"] == skill


@pytest.mark.parametrize(
    ("skill", "near"),
    [
        ("maths.derivative-polynomials", "maths.derivative-polynomial"),
        ("maths.pythagore", "maths.pythagoras"),
        ("homophones", "french.homophones-et-est"),
        ("fractions", "maths.add-fractions"),
        ("qqqq", "no skill"),
    ],
)
def test_an_unknown_skill_names_the_nearest(griot: Run, skill: str, near: str) -> None:
    shown = griot("practice", skill)

    assert (shown.returncode, shown.stdout) == (1, "")
    assert near in shown.stderr
    assert shown.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "options", [("--count", "0"), ("--difficulty", "4"), ("--language", "de"), ("--seed", "x")]
)
def test_wrong_options_are_wrong_use(griot: Run, options: tuple[str, str]) -> None:
    shown = griot("practice", "english.plurals", *options)

    assert (shown.returncode, shown.stdout) == (2, "")


def test_a_hyphen_before_an_ending_is_printed_as_one(griot: Run) -> None:
    asked = ("--count", "5", "--seed", "4", "--language", "fr")
    nouns = griot("practice", "french.plural-nouns", *asked).stdout
    numbers = griot("practice", "maths.relative-add", *asked).stdout

    assert "un -s" in nouns
    assert "−" not in nouns
    assert "−" in numbers

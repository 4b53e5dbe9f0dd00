"""Answers as pupils type them, with units, words and the way to the result around them."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from bot.learning.grading.everyday_talk import asks_small_talk
from bot.learning.grading.exercise_grading import is_answer, is_right
from tests.support.samples import draw_some


def _read_corpus(name: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))


_CORPUS: Final = _read_corpus("typed_answers.toml")
_ITEMS: Final[list[dict[str, Any]]] = _CORPUS["items"]
_NOTATIONS: Final[list[dict[str, Any]]] = _read_corpus("typed_notations.toml")["items"]
_BY_PUPILS: Final[list[dict[str, Any]]] = _read_corpus("typed_by_pupils.toml")["items"]
_REMARKS: Final[list[dict[str, Any]]] = _read_corpus("typed_remarks.toml")["items"]
_NEAR_MISSES: Final[list[dict[str, Any]]] = _read_corpus("typed_near_misses.toml")["items"]
_IN_ALL_CLASSES: Final[list[dict[str, Any]]] = _read_corpus("typed_in_all_classes.toml")["items"]
MOST_MISREAD: Final = 0.005
"""The part of a list of answers that may be graded otherwise than a teacher would."""


def grade(item: dict[str, Any], text: str) -> str:
    kind, options, unit = item["kind"], item.get("options", ()), item.get("unit", "")
    solutions, statement = item.get("solutions") or (item["solution"],), item["statement"]
    talk_counts = asks_small_talk(solutions)
    if not is_answer(text, kind, options, unit, statement, talk_counts=talk_counts):
        return "talk"
    correct = is_right(
        text,
        kind,
        solutions,
        options=options,
        unit=unit,
        tolerance=item.get("tolerance", 0.0),
        skill=item.get("skill", ""),
        statement=statement,
    )
    return "right" if correct else "wrong"


@pytest.mark.parametrize("expected", ["right", "wrong"])
def test_typed_answers_are_graded_as_a_teacher_would(expected: Literal["right", "wrong"]) -> None:
    typed = [(item, text) for item in _ITEMS for text in item[expected]]

    misread = [
        f"{text!r} for {item['solution']!r} is {verdict}"
        for item, text in typed
        if (verdict := grade(item, text)) != expected
    ]

    assert len(typed) >= 600
    assert len(misread) <= MOST_MISREAD * len(typed), "\n".join(misread)


@pytest.mark.parametrize("expected", ["right", "wrong", "talk"])
@pytest.mark.parametrize("kind", ["number", "expression", "set", "text", "choice"])
def test_an_answer_in_any_notation_has_its_verdict(kind: str, expected: str) -> None:
    misread = [
        f"{text!r} to {item['statement']!r} is {verdict}"
        for item in (*_NOTATIONS, *_BY_PUPILS, *_IN_ALL_CLASSES)
        if item["kind"] == kind
        for text in item.get(expected, ())
        if (verdict := grade(item, text)) != expected
    ]

    assert not misread, "\n".join(misread)


@pytest.mark.parametrize("kind", ["number", "expression", "set", "text", "choice"])
def test_right_answers_are_told_from_near_misses(kind: str) -> None:
    typed = [
        (item, text, expected)
        for item in _NEAR_MISSES
        if item["kind"] == kind
        for expected in ("right", "wrong", "talk")
        for text in item.get(expected, ())
    ]

    misread = [
        f"{text!r} to {item['statement']!r} is {verdict}, not {expected}"
        for item, text, expected in typed
        if (verdict := grade(item, text)) != expected
    ]

    assert len(typed) >= 150
    assert len(misread) <= MOST_MISREAD * len(typed), "\n".join(misread)


@pytest.mark.parametrize("expected", ["right", "wrong", "talk"])
@pytest.mark.parametrize("kind", ["number", "expression", "set", "text"])
def test_what_a_person_adds_to_an_answer_is_no_part_of_it(kind: str, expected: str) -> None:
    misread = [
        f"{text!r} to {item['statement']!r} is {verdict}"
        for item in _REMARKS
        if item["kind"] == kind
        for text in item.get(expected, ())
        if (verdict := grade(item, text)) != expected
    ]

    assert not misread, "\n".join(misread)


AROUND = (
    "euh {}", "ok {}", "donc {}", "voilà : {}", "sa fait {}", "je trouve {}", "j'ai trouvé {}",
    "ma réponse est {}", "I think it is {}", "*{}*", "= {}", "→ {}", "1) {}", "Bonjour, {}",
    "{} je crois", "{} merci monsieur", "{} 😊", "{} !!",
)  # fmt: skip
"""What people write around an answer."""


@pytest.mark.parametrize("expected", ["right", "wrong"])
def test_what_is_written_around_an_answer_changes_nothing(expected: str) -> None:
    items = [*_ITEMS, *_NOTATIONS, *_NEAR_MISSES]
    typed = [
        (item, text)
        for item in items[::5]
        for text in item.get(expected, ())[::3]
        if grade(item, text) == expected
    ]
    drawn = draw_some(typed, share=0.35)

    misread = [
        f"{around.format(text)!r} to {item['statement']!r} is {verdict}"
        for item, text in drawn
        for around in AROUND
        if (verdict := grade(item, around.format(text))) != expected
    ]

    assert len(typed) >= 150
    assert len(misread) <= MOST_MISREAD * len(drawn) * len(AROUND), "\n".join(misread)


@pytest.mark.parametrize(
    "part",
    [
        "😊", "😊 ", "*a", "euh ", " merci", "a !", "bonjour ", "non ", "12 car ", "(a) ", "12 (a",
        "1,", "je ", "x=1 ", "; ", "donc ", "mon ", "pas 1 ", "[1;2[ ", "a : ", "deux ", "h 1 ",
        ". ", "! ", " , ", "  \n",
    ],
)  # fmt: skip
def test_a_flood_is_no_answer_and_takes_bounded_time(part: str) -> None:
    start = time.process_time()
    assert grade(_ITEMS[0], part * 10_000) == "talk"
    assert time.process_time() - start < 1


@pytest.mark.parametrize("cry", ["!" * 33, " !!!" * 20, "👍🏽" * 30, "! !! " * 20])
def test_a_cry_within_a_message_takes_bounded_time(cry: str) -> None:
    start = time.process_time()
    assert grade(_ITEMS[0], f"Au secours {cry} je n'y comprends rien") == "talk"
    assert time.process_time() - start < 1


def test_a_day_that_is_named_again_and_again_takes_bounded_time() -> None:
    start = time.process_time()
    assert grade(_ITEMS[0], "today, " * 21 + "3 !") == "talk"
    assert time.process_time() - start < 1


def test_shouted_answers_are_graded_alike() -> None:
    typed = [
        (item, text)
        for item in (*_ITEMS, *_NOTATIONS)[::3]
        for text in item.get("right", ())[::2]
        if item["kind"] not in ("text", "choice") and "√" not in text
    ]

    misread = [text for item, text in typed if grade(item, text.upper()) != grade(item, text)]

    assert len(typed) >= 150
    assert len(misread) <= MOST_MISREAD * len(typed), misread


def test_talk_is_no_answer_to_a_question_of_maths() -> None:
    taken = [
        f"{text!r} to {item['statement']!r}"
        for item in draw_some((*_ITEMS, *_NOTATIONS), share=0.2)
        if item["kind"] != "text" and "I don’t know" not in item.get("options", ())
        for text in _CORPUS["talk"]
        if grade(item, text) != "talk"
    ]

    assert not taken


@pytest.mark.parametrize(
    ("statement", "unfinished", "result"),
    [
        ("Un champ mesure 65 m sur 25 m. Quel est son périmètre ?", "(65+25)x2", "180"),
        ("Calcule $9 + 5$.", "9 + 5", "14"),
        ("Quel nombre faut-il multiplier par 9 pour trouver 54 ?", "54:9", "6"),
        ("Calcule 2/3 × 1/5. Simplifie.", "4/30", "2/15"),
    ],
)
def test_what_is_left_to_compute_is_no_result(statement: str, unfinished: str, result: str) -> None:
    assert not is_right(unfinished, "number", (result,), statement=statement)
    assert is_right(f"{unfinished} = {result}", "number", (result,), statement=statement)


def test_a_conversion_is_asked_in_its_unit() -> None:
    statement = "Écris 6 m 90 cm en centimètres."

    assert is_right("690", "number", ("690",), unit="cm", statement=statement)
    assert not is_right("6 m 90 cm", "number", ("690",), unit="cm", statement=statement)
    assert not is_right("6,90 m", "number", ("690",), unit="cm", statement=statement)


_SOLVE: Final = "Résous $x^2 = 9$."
_BOUND: Final = "Résous $2x - 4 < 0$."
_CAPITAL: Final = "Quelle est la capitale du Sénégal ?"


@pytest.mark.parametrize(
    ("kind", "solution", "statement", "text", "expected"),
    [
        ("set", "∅", "Résous $x^2 = -4$.", "aucune", "right"),
        ("set", "∅", "Résous $x^2 = -4$.", "il n'y en a aucune", "right"),
        ("set", "{-3 ; 3}", _SOLVE, "±3", "right"),
        ("set", "{-3 ; 3}", _SOLVE, "x = +/- 3", "right"),
        ("set", "{-3 ; 3}", _SOLVE, "±2", "wrong"),
        ("set", "]-∞ ; 2[", _BOUND, "x < 2", "right"),
        ("set", "]-∞ ; 2[", _BOUND, "x inférieur à 2", "right"),
        ("set", "]-∞ ; 2[", _BOUND, "x > 2", "wrong"),
        ("set", "]-∞ ; 2[", _BOUND, "x <= 2", "wrong"),
        ("expression", "x < 2", _BOUND, "]-∞ ; 2[", "right"),
        ("expression", "x < 2", _BOUND, "]-inf;2[", "right"),
        ("expression", "x < 2", _BOUND, "]-∞ ; 2]", "wrong"),
        ("text", "Dakar", _CAPITAL, "C'est Dakar", "right"),
        ("text", "Dakar", _CAPITAL, "je pense que c'est dakar", "right"),
        ("text", "Dakar", _CAPITAL, "la capitale est Dakar", "right"),
        ("text", "Dakar", _CAPITAL, "c'est Thiès", "wrong"),
        ("text", "en 1960", "Quand le Sénégal devient-il indépendant ?", "en 1961", "wrong"),
        ("text", "finit", "Conjugue finir : il …", "finis", "wrong"),
        ("text", "finit", "Conjugue finir : il …", "il finit", "right"),
        ("number", "25", "Quel pourcentage des élèves ?", "25 %", "right"),
        ("number", "25", "Combien d'élèves ?", "25 %", "wrong"),
    ],
)
def test_other_ways_to_say_it_count(
    kind: str, solution: str, statement: str, text: str, expected: str
) -> None:
    item = {"kind": kind, "solution": solution, "statement": statement, "skill": ""}
    assert grade(item, text) == expected


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_an_empty_message_is_no_answer(text: str) -> None:
    item = {"kind": "text", "statement": "Quelle est la capitale du Sénégal ?", "solution": "Dakar"}
    assert grade(item, text) == "talk"

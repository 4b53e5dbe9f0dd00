"""Exercises answered over HTTP: verdicts, hints, the next of a series, and who may answer."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from bot.typography import typeset
from tests.support.fakes import FakeModel, reply
from tests.support.queries import change_rows, read_row, read_rows
from tests.support.site import MakeSite, Site

NUMBERS = re.compile(r"\d+")
OPEN: dict[str, Any] = {"tries": 0, "hints_left": 2, "solution_allowed": False}
"""What an answer says of an exercise that was neither tried nor helped with."""


async def ask(griot: Site, session: str = "s1") -> dict[str, Any]:
    """Have a series begin in this session; the event of its first exercise."""
    events = await griot.chat("/practice maths.add-to-100", session_id=session)
    return next(fields for name, fields in events if name == "exercise")


async def answer(griot: Site, exercise: dict[str, Any], text: str) -> tuple[int, Any]:
    path = f"/api/v1/exercises/{exercise['id']}/answer"
    return await griot.request("POST", path, json={"text": text})


def key(exercise: dict[str, Any]) -> str:
    return str(sum(map(int, NUMBERS.findall(exercise["statement"]))))


def wrong_options(exercise: dict[str, Any]) -> list[str]:
    return [each for each in exercise["options"] if each != key(exercise)][:2]


async def test_a_series_goes_on_with_each_right_answer(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    assert set(exercise) == {
        "id", "statement", "kind", "options", "unit", "skill", "hints_left", "tries", "expires_at",
    }  # fmt: skip
    for _ in range(9):
        status, graded = await answer(griot, exercise, key(exercise))
        assert (status, graded["correct"], graded["tries"]) == (200, True, 0)
        assert graded["solution"] == key(exercise)
        exercise = graded["next"]
    _, last = await answer(griot, exercise, key(exercise))
    assert last["correct"] is True
    assert "next" not in last


async def test_a_letter_in_the_chat_answers_the_exercise_that_was_asked_outside(
    site: MakeSite,
) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    _, graded = await answer(griot, exercise, key(exercise))
    following = graded["next"]
    place = following["options"].index(key(following))
    await griot.chat("ABCDEF"[place], session_id="s1")
    assert (await read_row(griot.app.database, "exercise", id=following["id"]))["state"] == "right"


async def test_a_series_of_a_guest_keeps_its_language(site: MakeSite) -> None:
    griot = await site(FakeModel())
    exercise = await ask(griot)
    assert exercise["statement"].startswith("Calcule")
    _, graded = await answer(griot, exercise, key(exercise))
    assert graded["next"]["statement"].startswith("Calcule")


async def test_a_wrong_answer_brings_a_hint_and_no_solution(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    body = json.loads((await read_row(griot.app.database, "exercise"))["body"])
    wrong, feedback = next(iter(body["feedback"].items()))
    _, graded = await answer(griot, exercise, wrong)
    told = {"correct": False, "tries": 1, "feedback": typeset(feedback, "fr")}
    told |= {"hints_left": 1, "solution_allowed": False}
    assert graded == told | {"hint": "Commence par les unités."}
    _, again = await answer(griot, exercise, wrong)
    assert again == told  # the same answer again is no new try
    assert (await answer(griot, exercise, key(exercise)))[1]["correct"] is True
    rows = await read_rows(griot.app.database, "result")
    assert [(row["skill"], row["correct"]) for row in rows] == [("maths.add-to-100", 1)]


async def test_a_right_value_in_another_form_is_told_so(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    first, second = NUMBERS.findall(exercise["statement"])
    _, graded = await answer(griot, exercise, f"{first} + {second}")
    step = "C’est encore l’énoncé\u00a0: à toi de continuer."
    assert graded == OPEN | {"correct": False, "step_left": step}
    _, graded = await answer(griot, exercise, f"{int(first) - 1} + {int(second) + 1}")
    step = "C’est la bonne valeur\u202f! Termine le calcul."
    assert graded == OPEN | {"correct": False, "step_left": step}


async def test_what_is_no_answer_counts_for_nothing(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    assert await answer(griot, exercise, "Why do we carry?") == (200, OPEN | {"correct": None})


async def test_who_may_answer_and_when(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    assert (await answer(griot, {"id": "gone"}, "1"))[0] == 404
    await griot.log_in("+2250701020305")
    assert (await answer(griot, exercise, "1"))[0] == 403
    await griot.log_in()
    await answer(griot, exercise, key(exercise))
    assert (await answer(griot, exercise, "1"))[0] == 409
    late = await ask(griot, "s2")
    await change_rows(griot.app.database, "exercise", {"expires_at": 1.0})
    assert (await answer(griot, late, "1"))[0] == 410


async def test_a_wrong_body_is_named(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    path = f"/api/v1/exercises/{exercise['id']}/answer"
    assert (await griot.request("POST", path, json={"index": 1}))[0] == 400


def said_in(events: list[tuple[str, dict[str, Any]]]) -> str:
    """The words of one stream."""
    return "".join(fields["text"] for name, fields in events if name == "content")


@pytest.mark.parametrize("word", ["INDICE", "indice", "Indice.", "hint", "Un indice stp"])
async def test_a_word_for_a_hint_is_answered_in_its_own_stream(site: MakeSite, word: str) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    await ask(griot)
    first = await griot.chat(word, session_id="s1")  # before any try
    assert "💡 Commence par les unités." in said_in(first)
    again = await griot.chat(word, session_id="s1")
    assert "💡" in said_in(again)


async def test_the_words_of_an_answer_work_in_their_own_stream(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    wrong = next(each for each in exercise["options"] or ["1", "2"] if each != key(exercise))
    told = said_in(await griot.chat(wrong, session_id="s1"))
    assert "INDICE" in told
    assert "💡" in said_in(await griot.chat("INDICE", session_id="s1"))
    early = said_in(await griot.chat("SOLUTION", session_id="s1"))
    assert "deux essais" in early
    await griot.chat("INDICE", session_id="s1")
    shown = await griot.chat("SOLUTION", session_id="s1")
    assert key(exercise) in said_in(shown)
    assert "exercise" in dict(shown)  # the next of the series


async def test_a_word_for_a_hint_is_for_the_model_when_no_exercise_is_open(
    site: MakeSite,
) -> None:
    griot = await site(FakeModel(reply("Indice de quoi ?")))
    await griot.log_in()
    assert "Indice de quoi" in said_in(await griot.chat("INDICE", session_id="s1"))


async def test_an_option_that_is_called_solution_is_an_answer(site: MakeSite) -> None:
    given = {
        "statement": "Du sable dans de l’eau : qu’est-ce ?",
        "kind": "choice",
        "options": ["Solution", "Suspension", "Corps pur"],
        "solution": "Suspension",
        "hints": ["Le sable se dissout-il ?"],
        "steps": ["Le sable ne se dissout pas."],
    }
    model = FakeModel(reply("", ("give_exercise", json.dumps(given))), reply(""))
    griot = await site(model)
    await griot.log_in()
    await griot.chat("Un exercice", session_id="s1")
    assert "❌" in said_in(await griot.chat("solution", session_id="s1"))
    assert "💡" in said_in(await griot.chat("indice", session_id="s1"))


async def test_the_label_of_a_command_brings_its_answer_in_the_same_stream(
    site: MakeSite,
) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    for _ in range(9):
        _, graded = await answer(griot, exercise, key(exercise))
        exercise = graded["next"]
    last = await griot.chat(key(exercise), session_id="s1")
    assert "exercise" not in dict(last)
    assert "exercise" in dict(await griot.chat("Encore une série", session_id="s1"))


async def test_help_is_asked_for_by_the_route_of_answers(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    body = json.loads((await read_row(griot.app.database, "exercise"))["body"])
    _, helped = await answer(griot, exercise, "/hint")
    hints_left = len(body["hints"]) - 1
    assert helped == {
        "correct": None, "tries": 0, "hint": "Commence par les unités.",
        "hints_left": hints_left, "solution_allowed": hints_left == 0,
    }  # fmt: skip
    _, early = await answer(griot, exercise, "solution")
    assert early["message"].startswith("Essaie d’abord\u00a0: deux essais")
    assert "solution" not in early
    for left in range(hints_left - 1, -1, -1):
        _, helped = await answer(griot, exercise, "je ne sais pas")
        assert helped["hints_left"] == left
    assert helped["solution_allowed"] is True
    _, nothing = await answer(griot, exercise, "indice")
    assert nothing["message"] == "Je t’ai donné tous mes indices."
    _, shown = await answer(griot, exercise, "/solution")
    assert shown["correct"] is None
    assert shown["solution"] == key(exercise)
    assert len(shown["steps"]) == len(body["steps"])
    assert shown["next"]["id"] != exercise["id"]
    rows = await read_rows(griot.app.database, "result")
    assert [row["correct"] for row in rows] == [0]


async def test_a_page_may_ask_for_hints_by_itself(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    path = f"/api/v1/exercises/{exercise['id']}/answer"
    for number, wrong in enumerate(wrong_options(exercise), 1):
        form = {"text": wrong, "with_hint": False}
        _, graded = await griot.request("POST", path, json=form)
        assert "hint" not in graded
        assert graded["solution_allowed"] is (number == 2)
        assert graded["hints_left"] == exercise["hints_left"]


async def test_a_null_instead_of_with_hint_brings_the_hint(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    form = {"text": wrong_options(exercise)[0], "with_hint": None}
    _, graded = await griot.request("POST", f"/api/v1/exercises/{exercise['id']}/answer", json=form)
    assert "hint" in graded


async def read_exercises(griot: Site, session: str = "s1") -> list[list[dict[str, Any]]]:
    """The exercises of each turn of the session, as a page that is opened again shows them."""
    _, answered = await griot.request("GET", f"/api/v1/sessions/{session}/turns")
    return [
        [fields for name, fields in turn["events"] if name == "exercise"]
        for turn in answered["turns"]
    ]


async def test_exercises_that_answers_asked_are_read_back(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    first = await ask(griot)
    _, graded = await answer(griot, first, key(first))
    second = graded["next"]
    missed = next(each for each in second["options"] if each != key(second))
    _, wrong = await answer(griot, second, missed)
    [[solved, waiting]] = await read_exercises(griot)
    assert solved["id"] == first["id"]
    assert solved["outcome"] == {
        "state": "right", "tries": [], "hints": [], "hints_left": 0,
        "solution_allowed": False, "solution": key(first),
    }  # fmt: skip
    assert waiting["id"] == second["id"]
    assert waiting["statement"] == second["statement"]
    assert waiting["outcome"]["state"] == "open"
    assert waiting["outcome"]["tries"] == [missed]
    assert waiting["outcome"]["hints"] == [wrong["hint"]]
    assert "solution" not in waiting["outcome"]


async def test_an_exercise_that_the_chat_asked_is_read_back_once(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    first = await ask(griot)
    _, graded = await answer(griot, first, key(first))
    second = graded["next"]
    third = dict(await griot.chat(key(second), session_id="s1"))["exercise"]
    read = await read_exercises(griot)
    ids = [[each["id"] for each in turn] for turn in read]
    assert ids == [[first["id"], second["id"]], [third["id"]]]
    assert [each["outcome"]["state"] for turn in read for each in turn] == ["right"] * 2 + ["open"]


async def test_a_shown_solution_is_read_back_with_its_steps(site: MakeSite) -> None:
    griot = await site(FakeModel())
    exercise = await ask(griot)  # of a guest
    for wrong in wrong_options(exercise):
        await answer(griot, exercise, wrong)
    _, shown = await answer(griot, exercise, "/solution")
    [[over, waiting]] = await read_exercises(griot)
    assert over["outcome"]["state"] == "shown"
    assert over["outcome"]["solution"] == shown["solution"]
    assert over["outcome"]["steps"] == shown["steps"]
    assert waiting["id"] == shown["next"]["id"]


async def test_what_an_answer_says_has_the_typography_of_the_first_statement(
    site: MakeSite,
) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    events = await griot.chat("/practice maths.money-fcfa", session_id="s1")
    exercise = dict(events)["exercise"]
    for _ in range(6):
        row = await read_row(griot.app.database, "exercise", id=exercise["id"])
        body = json.loads(row["body"])
        wrong = next(iter(body["feedback"]), "1")
        _, graded = await answer(griot, exercise, wrong)
        for words in (graded.get("feedback", ""), graded.get("hint", ""), exercise["statement"]):
            assert words == typeset(words, "fr")
        _, graded = await answer(griot, exercise, body["solutions"][0])
        exercise = graded["next"]


async def test_an_option_in_its_typography_is_an_answer(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = dict(await griot.chat("/practice maths.money-fcfa", session_id="s1"))["exercise"]
    for _ in range(8):
        row = await read_row(griot.app.database, "exercise", id=exercise["id"])
        right = json.loads(row["body"])["solutions"][0]
        _, graded = await answer(griot, exercise, typeset(right, "fr"))
        assert graded["correct"] is True
        exercise = graded["next"]

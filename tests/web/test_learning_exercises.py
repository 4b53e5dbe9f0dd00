"""Exercises answered over HTTP: verdicts, hints, the next of a series, and who may answer."""

from __future__ import annotations

import re
from typing import Any

from tests.support.fakes import FakeModel
from tests.support.queries import change_rows, read_row, read_rows
from tests.support.site import MakeSite, Site

NUMBERS = re.compile(r"\d+")


async def ask(griot: Site, session: str = "s1") -> dict[str, Any]:
    """Have a series begin in this session; the event of its first exercise."""
    events = await griot.chat("/practice maths.add-to-100", session_id=session)
    return next(fields for name, fields in events if name == "exercise")


async def answer(griot: Site, exercise: dict[str, Any], text: str) -> tuple[int, Any]:
    path = f"/api/v1/exercises/{exercise['id']}/answer"
    return await griot.request("POST", path, json={"text": text})


def key(exercise: dict[str, Any]) -> str:
    return str(sum(map(int, NUMBERS.findall(exercise["statement"]))))


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
    wrong = next(option for option in exercise["options"] if option != key(exercise))
    _, graded = await answer(griot, exercise, wrong)
    assert graded == {"correct": False, "tries": 1, "hint": "Commence par les unités."}
    _, again = await answer(griot, exercise, wrong)
    assert again == {"correct": False, "tries": 1}  # the same answer again is no new try
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
    assert graded == {"correct": False, "tries": 0, "step_left": step}
    _, graded = await answer(griot, exercise, f"{int(first) - 1} + {int(second) + 1}")
    step = "C’est la bonne valeur\u202f! Termine le calcul."
    assert graded == {"correct": False, "tries": 0, "step_left": step}


async def test_what_is_no_answer_counts_for_nothing(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = await ask(griot)
    assert await answer(griot, exercise, "I do not know?") == (200, {"correct": None, "tries": 0})


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

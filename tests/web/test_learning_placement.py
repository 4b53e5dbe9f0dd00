"""Placement over HTTP: from one session to another, and what progress says afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from bot.files.links import Links
from bot.learning.new_exercise import Body
from bot.messages.value import decode
from tests.support.fakes import FakeModel
from tests.support.purchases import read_public_token
from tests.support.queries import read_row, read_rows
from tests.support.site import Events, MakeSite, Site


def find_exercise(events: Events) -> dict[str, Any]:
    return next(fields for name, fields in events if name == "exercise")


def words_of(events: Events) -> str:
    return "".join(fields["text"] for name, fields in events if name == "content")


async def answer(griot: Site, exercise: dict[str, Any], text: str) -> Any:
    path = f"/api/v1/exercises/{exercise['id']}/answer"
    status, graded = await griot.request("POST", path, json={"text": text})
    assert status == 200
    return graded


async def solution_of(griot: Site, exercise: dict[str, Any]) -> str:
    row = await read_row(griot.app.database, "exercise", id=exercise["id"])
    return decode(row["body"], Body).solutions[0]


async def test_each_answer_brings_the_next_and_the_last_the_level(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    events = await griot.chat("/classe 6e", session_id="s1")
    assert "Voyons où tu en es" in words_of(events)
    exercise = find_exercise(events)
    assert exercise["options"][-2:] == ["Je ne sais pas", "Passer"]
    assert exercise["hints_left"] == 0
    taps = 0
    graded: dict[str, Any] = {"next": exercise}
    while "next" in graded:
        taps += 1
        exercise = graded["next"]
        graded = await answer(griot, exercise, await solution_of(griot, exercise))
        assert graded["correct"] is True
    assert 1 < taps <= 10
    assert graded["message"].startswith("Ton niveau en maths\u00a0: ")
    _, progress = await griot.request("GET", "/api/v1/progress")
    assert len(progress["skills"]) == taps
    for skill in progress["skills"]:
        assert skill.keys() == {"id", "name", "grade", "state", "p"}
        assert 0 <= skill["p"] <= 1
        assert skill["state"] == ("mastered" if skill["p"] >= 0.95 else "learning")
    assert {each["id"].partition(".")[0] for each in progress["next"]} == {"maths"}
    asked = find_exercise(await griot.chat("/exercice", session_id="s1"))
    assert asked["skill"] == progress["next"][0]["id"]
    told = words_of(await griot.chat("/progres", session_id="s1"))
    assert graded["message"].rpartition("\n\n")[2].partition(" /exercice")[0] in told
    assert "Rien à montrer" not in told


@pytest.mark.parametrize(("grade", "right"), [("CM2", False), ("CP", True), ("3e", True)])
async def test_practice_and_the_page_go_on_from_the_level(
    site: MakeSite, grade: str, right: bool
) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    graded: dict[str, Any] = {
        "next": find_exercise(await griot.chat(f"/classe {grade}", session_id="s1"))
    }
    while "next" in graded:
        asked = graded["next"]
        words = await solution_of(griot, asked) if right else "Je ne sais pas"
        graded = await answer(griot, asked, words)
    for _ in range(3):
        asked = find_exercise(await griot.chat("/exercice", session_id="s1"))
        assert asked["skill"].startswith("maths.")
    _, progress = await griot.request("GET", "/api/v1/progress")
    assert progress["next"][0]["id"].startswith("maths.")
    account = (await read_row(griot.app.database, "account"))["id"]
    links = Links(griot.app.settings, place="progress")
    link = links.make(await read_public_token(griot.app.database, account))
    path = link.removeprefix(griot.app.settings.base_url)
    async with griot.session.get(griot.url + path) as shown:
        page = await shown.text()
    assert "Ton niveau en maths\u00a0: " in page
    assert "Rien à montrer" not in page


async def test_not_to_know_is_wrong_and_tells_the_answer(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = find_exercise(await griot.chat("/classe 6e", session_id="s1"))
    solution = await solution_of(griot, exercise)
    graded = await answer(griot, exercise, "Je ne sais pas")
    assert (graded["correct"], graded["tries"], graded["solution"]) == (False, 1, solution)
    assert graded["next"]["id"] != exercise["id"]
    assert await read_rows(griot.app.database, "result") == []


async def test_it_goes_on_in_another_conversation_and_counts_once(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    first = find_exercise(await griot.chat("/classe 6e", session_id="s1"))
    left = (await answer(griot, first, "Je ne sais pas"))["next"]
    events = await griot.chat("/niveau", session_id="s2")
    assert "On continue\u00a0: question 2." in words_of(events)
    late = await answer(griot, left, "Je ne sais pas")
    assert late["message"] == "Cette question est finie. /niveau continue."
    row = await read_row(griot.app.database, "placement")
    assert row["answers"].count("correct") == 1
    graded = await answer(griot, find_exercise(events), "Passer")
    assert graded["message"].startswith("Ton niveau en maths")


@pytest.mark.parametrize("word", ["Passer", "skip"])
async def test_skipping_is_neither_right_nor_wrong(site: MakeSite, word: str) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = find_exercise(await griot.chat("/classe 6e", session_id="s1"))
    assert await answer(griot, exercise, word) == {
        "correct": None,
        "tries": 0,
        "message": "D’accord. /niveau trouve ton niveau quand tu veux.",
    }
    assert await read_rows(griot.app.database, "result") == []
    _, events = await griot.request("GET", "/api/v1/sessions/s1/events")
    assert f"I answered {word} (skipped)" in str(events)
    assert find_exercise(await griot.chat("/niveau", session_id="s1"))["id"] != exercise["id"]


async def test_practice_goes_on_with_what_progress_proposes(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    exercise = find_exercise(await griot.chat("/classe CM2", session_id="s1"))
    await answer(griot, exercise, "Passer")
    _, progress = await griot.request("GET", "/api/v1/progress")
    asked = find_exercise(await griot.chat("/exercice", session_id="s1"))
    assert asked["skill"] == progress["next"][0]["id"]
    await answer(griot, asked, await solution_of(griot, asked))
    _, after = await griot.request("GET", "/api/v1/progress")
    [skill] = after["skills"]
    assert (skill["id"], skill["state"]) == (asked["skill"], "learning")

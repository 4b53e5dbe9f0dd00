"""What is due to be reviewed over HTTP, and series that go on with each answer."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.support.fakes import FakeModel, reply
from tests.support.queries import FromNow, change_rows, read_rows
from tests.support.site import Events, MakeSite, Site

SKILLS = ("maths.add-to-100", "maths.subtract-to-100")
QUIZ = {"question": "2 + 2 ?", "options": ["3", "4"], "correct_index": 1, "explanation": "Count."}


def exercise_in(events: Events) -> dict[str, Any]:
    return next(fields for name, fields in events if name == "exercise")


def words_in(events: Events) -> str:
    return "".join(fields["text"] for name, fields in events if name == "content")


async def solve(griot: Site, exercise: dict[str, Any]) -> Any:
    """Answer rightly, by the solution that is stored."""
    [row] = await read_rows(griot.app.database, "exercise", id=exercise["id"])
    text = json.loads(row["body"])["solutions"][0]
    path = f"/api/v1/exercises/{exercise['id']}/answer"
    status, graded = await griot.request("POST", path, json={"text": text})
    assert (status, graded["correct"]) == (200, True)
    return graded


async def learn(griot: Site, *skills: str) -> None:
    for skill in skills:
        await solve(griot, exercise_in(await griot.chat(f"/practice {skill}", session_id="s1")))
    await griot.chat("/stop", session_id="s1")


async def make_due(griot: Site) -> None:
    moments = {"due_at": FromNow(-60), "reviewed_at": FromNow(-5 * 86_400)}
    await change_rows(griot.app.database, "card", moments)


async def read_review(griot: Site) -> dict[str, Any]:
    status, review = await griot.request("GET", "/api/v1/review")
    assert status == 200
    return review


async def test_a_review_goes_on_with_each_answer(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    await learn(griot, *SKILLS)
    await make_due(griot)
    assert (await read_review(griot))["due"] == 2
    asked = exercise_in(await griot.chat("/review", session_id="s1"))
    graded = await solve(griot, asked)
    assert {asked["skill"], graded["next"]["skill"]} == {*SKILLS}
    last = await solve(griot, graded["next"])
    assert "next" not in last
    assert (await read_review(griot))["due"] == 0


async def test_a_new_account_has_nothing_to_review(site: MakeSite) -> None:
    griot = await site(FakeModel())
    assert (await griot.request("GET", "/api/v1/review"))[0] == 401
    await griot.log_in()
    assert await read_review(griot) == {"due": 0, "next_at": None, "days": [], "hour": None}
    assert "Rien à réviser" in words_in(await griot.chat("/reviser", session_id="s1"))


async def test_without_chosen_days_the_next_is_the_next_card(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    await learn(griot, SKILLS[0])
    next_at = datetime.fromisoformat((await read_review(griot))["next_at"])
    assert next_at.tzinfo is not None
    assert next_at >= datetime.now(UTC) + timedelta(days=1) - timedelta(minutes=1)


async def test_with_chosen_days_the_next_is_the_next_reminder(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in("+33612345678")
    await griot.chat("/review 18h lun mer ven", session_id="s1")
    review = await read_review(griot)
    assert (review["days"], review["hour"]) == (["mon", "wed", "fri"], 18)
    next_at = datetime.fromisoformat(review["next_at"])
    assert next_at.hour == 18
    assert next_at.weekday() in {0, 2, 4}
    assert next_at.utcoffset() in {timedelta(hours=1), timedelta(hours=2)}  # of Paris
    await griot.chat("/review off", session_id="s1")
    assert (await read_review(griot))["days"] == []


async def test_a_quiz_within_a_series_leads_back_to_it(site: MakeSite) -> None:
    model = FakeModel(reply("", ("interactive_quiz", json.dumps(QUIZ))), reply("Choose."))
    griot = await site(model)
    await griot.log_in()
    asked = exercise_in(await griot.chat(f"/practice {SKILLS[0]}", session_id="s1"))
    events = await griot.chat("Could you ask me an easier one?", session_id="s1")
    quiz_id = next(fields["id"] for name, fields in events if name == "quiz")
    path = f"/api/v1/quizzes/{quiz_id}/answer"
    _, graded = await griot.request("POST", path, json={"index": 1})
    assert graded["correct"] is True
    assert graded["next"]["id"] == asked["id"]


async def test_a_quiz_alone_has_nothing_next_and_comes_back_as_it_was(site: MakeSite) -> None:
    model = FakeModel(reply("", ("interactive_quiz", json.dumps(QUIZ))), reply("Choose."))
    griot = await site(model)
    await griot.log_in()
    events = await griot.chat("a quiz", session_id="s1")
    quiz_id = next(fields["id"] for name, fields in events if name == "quiz")
    path = f"/api/v1/quizzes/{quiz_id}/answer"
    _, graded = await griot.request("POST", path, json={"index": 0})
    assert "next" not in graded
    next_at = datetime.fromisoformat((await read_review(griot))["next_at"])
    assert next_at < datetime.now(UTC) + timedelta(days=1)
    await make_due(griot)
    asked = exercise_in(await griot.chat("/review", session_id="s1"))
    assert (asked["kind"], asked["statement"]) == ("choice", "2 + 2\u202f?")
    assert asked["options"] == ["3", "4"]
    await solve(griot, asked)


async def test_progress_tells_when_a_skill_is_due(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    await learn(griot, SKILLS[0])
    _, progress = await griot.request("GET", "/api/v1/progress")
    [skill] = [each for each in progress["skills"] if each["id"] == SKILLS[0]]
    assert skill["due_at"] == (await read_review(griot))["next_at"]

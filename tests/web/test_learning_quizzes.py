"""A quiz answered over HTTP: what else the conversation has to know of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_rows
from tests.support.site import MakeSite, Site

SUM = {
    "question": "2 + 2 ?",
    "options": ["3", "4"],
    "correct_index": 1,
    "explanation": "Two and two make four.",
}
ASKED = reply("", ("interactive_quiz", json.dumps(SUM)))


def _content(events: list[tuple[str, Any]]) -> str:
    return "".join(fields["text"] for name, fields in events if name == "content")


async def _ask(griot: Site, session: str = "s1") -> str:
    """Have a quiz asked in this session; its id."""
    events = await griot.chat("a quiz", session_id=session)
    return next(fields["id"] for name, fields in events if name == "quiz")


async def _answer(griot: Site, quiz: str, index: int = 1) -> int:
    path = f"/api/v1/quizzes/{quiz}/answer"
    status, _ = await griot.request("POST", path, json={"index": index})
    return status


@pytest.fixture
def model() -> FakeModel:
    return FakeModel(ASKED, reply("Choose."), reply("Four what?"))


async def test_until_it_is_answered_a_typed_answer_answers_it(
    site: MakeSite, model: FakeModel
) -> None:
    griot = await site(model)
    await griot.log_in()
    await _ask(griot)
    assert "Two and two" in _content(await griot.chat("4", session_id="s1"))
    assert len(model.requests) == 2


@pytest.mark.parametrize("index", [0, 1])
async def test_once_it_is_answered_what_is_typed_next_is_for_the_model(
    site: MakeSite, model: FakeModel, index: int
) -> None:
    griot = await site(model)
    await griot.log_in()
    assert await _answer(griot, await _ask(griot), index) == 200
    again = _content(await griot.chat("4", session_id="s1"))
    assert again == "Tu as déjà répondu à cette question."
    assert _content(await griot.chat("why is it 4?", session_id="s1")) == "Four what?"
    assert len(model.requests) == 3


@pytest.mark.parametrize(("index", "status"), [(7, 400), (-1, 400)])
async def test_what_was_no_answer_leaves_it_open(
    site: MakeSite, model: FakeModel, index: int, status: int
) -> None:
    griot = await site(model)
    await griot.log_in()
    assert await _answer(griot, await _ask(griot), index) == status
    assert "Two and two" in _content(await griot.chat("4", session_id="s1"))


async def test_another_persons_try_leaves_it_open(site: MakeSite, model: FakeModel) -> None:
    griot = await site(model)
    await griot.log_in()
    quiz = await _ask(griot)
    mine = dict(griot.headers)
    await griot.log_in("+2250701020305")
    assert await _answer(griot, quiz) == 403
    griot.headers = mine
    assert "Two and two" in _content(await griot.chat("4", session_id="s1"))


async def test_a_quiz_in_another_session_stays_open(site: MakeSite) -> None:
    griot = await site(FakeModel(ASKED, reply("Choose."), ASKED, reply("Choose.")))
    await griot.log_in()
    first, _ = await _ask(griot, "s1"), await _ask(griot, "s2")
    assert await _answer(griot, first) == 200
    assert "Two and two" in _content(await griot.chat("4", session_id="s2"))
    answered = await read_rows(griot.app.database, "quiz", answered_at=None)
    assert answered == []

"""A session read back as it was seen: whose it is, and all that its stream had shown."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from bot.contracts.models import ModelRequest
from bot.events import Emit
from bot.messages.transcript import ModelReply
from tests.support.fakes import FakeModel, reply
from tests.support.quiz import QUIZ
from tests.support.site import Events, MakeSite, Site

NOTE = ("generate_md", '{"filename": "note.md", "content": "# Four"}')


async def turns(griot: Site, session: str = "s") -> list[dict[str, Any]]:
    status, body = await griot.request("GET", f"/api/v1/sessions/{session}/turns")
    assert status == 200, body
    return body["turns"]


def shown(events: Events) -> Events:
    """What of a live stream stays."""
    return [(name, data) for name, data in events if name in {"content", "quiz", "file"}]


async def test_it_has_what_was_written_and_what_the_stream_showed(site: MakeSite) -> None:
    quiz = reply("", ("interactive_quiz", json.dumps(QUIZ)))
    griot = await site(FakeModel(quiz, reply("Tap."), reply("", NOTE), reply("**Here**.")))
    await griot.log_in()
    live = [await griot.chat(said, session_id="s") for said in ("a quiz ", "a note")]
    read = await turns(griot)
    assert [turn["said"] for turn in read] == [["a quiz "], ["a note"]]
    assert all(turn["ended"] for turn in read)
    for turn, events in zip(read, live, strict=True):
        assert ("start", {"session_id": "s", "turn_id": turn["turn_id"]}) in events
        kept = sorted((name, sorted(data)) for name, data in turn["events"])
        assert kept == sorted((name, sorted(data)) for name, data in shown(events))
    assert "explanation" not in json.dumps(read)


async def test_an_answered_quiz_tells_its_outcome_and_the_tap_is_no_message(
    site: MakeSite,
) -> None:
    griot = await site(FakeModel(reply("", ("interactive_quiz", json.dumps(QUIZ))), reply("Tap.")))
    await griot.log_in()
    events = await griot.chat("a quiz", session_id="s")
    quiz = next(data for name, data in events if name == "quiz")
    await griot.request("POST", f"/api/v1/quizzes/{quiz['id']}/answer", json={"index": 0})
    (turn,) = await turns(griot)
    outcome = next(data for name, data in turn["events"] if name == "quiz")["outcome"]
    assert outcome == {
        "index": 0,
        "correct": False,
        "correct_index": 1,
        "explanation": "Two and two make four.",
    }


async def test_commands_and_their_answers_are_there(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    await griot.chat("/balance", session_id="s")
    (turn,) = await turns(griot)
    assert turn["said"] == ["/balance"]
    assert "50" in turn["events"][0][1]["text"]


async def test_what_waits_for_consent_says_whether_it_still_does(site: MakeSite) -> None:
    begin, plan = ("enter_plan_mode", '{"goal": "A sheet"}'), ("exit_plan_mode", '{"plan": "1. x"}')
    griot = await site(
        FakeModel(reply("", begin), reply("", plan), reply("Done.")), planner_mode=True
    )
    await griot.log_in()
    events = await griot.chat("a sheet", session_id="s")
    approval = next(data for name, data in events if name == "awaiting_approval")
    for pending, said in ((True, [["a sheet"]]), (False, [["a sheet"], ["in red"]])):
        read = await turns(griot)
        assert dict(read[0]["events"])["awaiting_approval"]["pending"] is pending
        assert [turn["said"] for turn in read] == said
        if pending:
            decision = {"id": approval["id"], "choice": "edit"}
            await griot.chat("in red", session_id="s", decision=decision)


class _Held(FakeModel):
    def __init__(self) -> None:
        super().__init__(reply("At last."))
        self.begun, self.free = asyncio.Event(), asyncio.Event()

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        self.begun.set()
        await self.free.wait()
        return await super().ask(request, emit)


async def test_a_turn_that_runs_has_not_ended(site: MakeSite) -> None:
    model = _Held()
    griot = await site(model)
    await griot.log_in()
    running = asyncio.create_task(griot.chat("long", session_id="s"))
    await model.begun.wait()
    assert [(turn["said"], turn["events"], turn["ended"]) for turn in await turns(griot)] == [
        (["long"], [], False)
    ]
    model.free.set()
    await running
    assert (await turns(griot))[0]["ended"] is True


async def test_someone_elses_session_does_not_exist(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("mine")))
    await griot.log_in()
    await griot.chat("hello", session_id="s")
    for phone in ("+2250701020305", ""):
        griot.headers.clear()
        if phone:
            await griot.log_in(phone)
        status, answer = await griot.request("GET", "/api/v1/sessions/s/turns")
        assert (status, answer["error"]["code"]) == (404, "not_found")

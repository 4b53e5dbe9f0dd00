"""Decisions over HTTP: whose they are, that the first counts, and what else may be sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.fakes import FakeModel, reply
from tests.support.queries import change_rows
from tests.support.site import MakeSite, Site

ENTER = reply("", ("enter_plan_mode", '{"goal": "A sheet"}'))
EXIT = reply("", ("exit_plan_mode", json.dumps({"plan": "1. Write it."})))
DECIDE = "/api/v1/chat"


async def ask(site: MakeSite, *answers: Any) -> tuple[Site, str, str]:
    """A site on which a plan waits; its id and its session's."""
    griot = await site(FakeModel(ENTER, EXIT, *answers), planner_mode=True)
    await griot.log_in()
    events = await griot.chat("a sheet, please")
    approval = next(fields for name, fields in events if name == "awaiting_approval")
    assert approval["kind"] == "plan"
    session = next(fields for name, fields in events if name == "start")["session_id"]
    return griot, approval["id"], session


@pytest.mark.parametrize(
    ("choice", "told"), [("approve", "I approve"), ("edit", "change it"), ("cancel", "Do nothing")]
)
async def test_each_choice_goes_on_with_the_agent(site: MakeSite, choice: str, told: str) -> None:
    model = FakeModel(ENTER, EXIT, reply("As you wish."))
    griot = await site(model, planner_mode=True)
    await griot.log_in()
    asked = await griot.chat("a sheet, please")
    approval = next(fields for name, fields in asked if name == "awaiting_approval")
    decision = {"id": approval["id"], "choice": choice}
    events = await griot.chat("in red", decision=decision)
    assert ("content", {"text": "As you wish."}) in events
    said = str(model.requests[-1].messages[-1])
    assert told in said
    assert "in red" in said


@pytest.mark.parametrize("typed", ["1", "A", " valider "])
async def test_a_choice_that_is_typed_is_a_decision(site: MakeSite, typed: str) -> None:
    griot, _, session = await ask(site, reply("As you wish."))
    events = await griot.chat(typed, session_id=session)
    assert ("content", {"text": "As you wish."}) in events
    _, answer = await griot.request("GET", f"/api/v1/sessions/{session}/events")
    [event] = [each for each in answer["events"] if each["event_type"] == "approval"]
    assert event["metadata"]["state"] == "approved"


async def test_who_has_no_credits_may_decline_by_typing(site: MakeSite) -> None:
    griot, _, session = await ask(site, reply("As you wish."))
    await change_rows(griot.app.database, "account", {"balance": 0})
    status, _ = await griot.request("POST", DECIDE, json={"message": "3", "session_id": session})
    assert status == 200


async def test_the_first_decision_counts(site: MakeSite) -> None:
    griot, approval, session = await ask(site, reply("Done."))
    decision = {"id": approval, "choice": "approve"}
    await griot.chat("", decision=decision, session_id=session)
    status, answer = await griot.request("POST", DECIDE, json={"decision": decision})
    assert status == 409, answer


async def test_someone_elses_approval_does_not_exist(site: MakeSite) -> None:
    griot, approval, session = await ask(site)
    await griot.log_in("+2250701020305")
    decision = {"id": approval, "choice": "approve"}
    for body in ({"decision": decision}, {"decision": decision, "session_id": session}):
        status, _ = await griot.request("POST", DECIDE, json=body)
        assert status == 404


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"decision": {"id": "unknown", "choice": "approve"}}, 404),
        ({"decision": {"id": "unknown", "choice": "perhaps"}}, 400),
        ({"decision": {"id": 7, "choice": "approve"}}, 400),
        ({"decision": "approve"}, 400),
        ({"message": "  "}, 400),
        ({}, 400),
    ],
)
async def test_what_is_no_decision_is_refused(
    site: MakeSite, body: dict[str, Any], expected: int
) -> None:
    griot = await site(FakeModel(), planner_mode=True)
    await griot.log_in()
    status, answer = await griot.request("POST", DECIDE, json=body)
    assert status == expected
    assert set(answer["error"]) == {"code", "message"}


async def test_it_can_be_read_back_among_the_memory_events(site: MakeSite) -> None:
    griot, approval, session = await ask(site, reply("Done."))
    await griot.chat("", decision={"id": approval, "choice": "approve"})
    _, answer = await griot.request("GET", f"/api/v1/sessions/{session}/events")
    [event] = [each for each in answer["events"] if each["event_type"] == "approval"]
    assert event["content"] == "1. Write it."
    assert event["metadata"]["state"] == "approved"

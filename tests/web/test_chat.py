from __future__ import annotations

import asyncio
import io
import json
from typing import Any

import pytest

from bot.contracts import ModelRequest
from bot.errors import ModelRefused, StreamBroken
from bot.events import Emit
from bot.messages import ModelReply
from tests.fakes import FakeModel, reply
from tests.gateway.conftest import execute, fetch
from tests.web.conftest import MakeSite

QUIZ = {
    "question": "2 + 2 ?",
    "options": ["3", "4"],
    "correct_index": 1,
    "explanation": "Two and two make four.",
}


def names(events: list[tuple[str, Any]]) -> list[str]:
    return [name for name, _ in events]


def data(events: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    return next(fields for event, fields in events if event == name)


async def test_a_turn_streams_from_start_to_end(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("Bonjour", usd=0.002)))
    await griot.log_in()
    events = await griot.chat("salut")
    assert names(events) == ["start", "agent_prep", "content", "usage", "end"]
    assert data(events, "content") == {"text": "Bonjour"}
    assert data(events, "usage")["credits"] == 2
    assert data(events, "end") == {"reason": "answered"}


async def test_a_tool_at_work_is_shown(site: MakeSite) -> None:
    call = ("save_memory", '{"fact": "Awa is in 4e"}')
    griot = await site(FakeModel(reply("", call), reply("Noted.")))
    await griot.log_in()
    events = await griot.chat("remember that I am in 4e")
    shown = names(events)
    assert shown.index("tool_start") < shown.index("tool_end") < shown.index("content")
    assert data(events, "tool_end")["is_error"] is False


async def test_a_session_goes_on_and_its_events_can_be_read_back(site: MakeSite) -> None:
    model = FakeModel(reply("one"), reply("two"))
    griot = await site(model)
    await griot.log_in()
    session = data(await griot.chat("first"), "start")["session_id"]
    await griot.chat("second", session_id=session)
    assert len(model.requests[1].messages) == 4
    status, body = await griot.request("GET", f"/api/v1/sessions/{session}/events")
    assert status == 200
    kinds = [event["event_type"] for event in body["events"]]
    assert kinds == ["user_message", "agent_response"] * 2


async def test_someone_elses_session_does_not_exist(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("mine")))
    await griot.log_in("+2250701020304")
    session = data(await griot.chat("hello"), "start")["session_id"]
    await griot.log_in("+2250701020305")
    for method, path, body in (
        ("POST", "/api/v1/chat", {"message": "x", "session_id": session}),
        ("GET", f"/api/v1/sessions/{session}/events", None),
    ):
        status, answer = await griot.request(method, path, json=body)
        assert (status, answer["error"]["code"]) == (404, "not_found")


class _Slow(FakeModel):
    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        self.begun.set()
        await asyncio.sleep(30)
        raise AssertionError("never")


async def test_a_busy_session_says_so_and_stop_frees_it(site: MakeSite) -> None:
    model = _Slow()
    griot = await site(model)
    await griot.log_in()
    running = asyncio.create_task(griot.chat("long", session_id="s1"))
    await model.begun.wait()
    status, answer = await griot.request(
        "POST", "/api/v1/chat", json={"message": "again", "session_id": "s1"}
    )
    assert (status, answer["error"]["code"]) == (409, "busy")
    stopped = await griot.chat("/stop", session_id="s1")
    assert "content" in names(stopped)
    async with asyncio.timeout(1):
        assert data(await running, "end") == {"reason": "cancelled"}


async def test_a_command_answers_as_content_and_costs_nothing(site: MakeSite) -> None:
    griot = await site(FakeModel(), guest_daily_messages=0)
    events = await griot.chat("/help")
    assert names(events) == ["start", "content", "end"]


async def test_out_of_credits_is_402_before_any_stream(site: MakeSite) -> None:
    griot = await site(FakeModel(), welcome_credits=0)
    await griot.log_in()
    status, answer = await griot.request("POST", "/api/v1/chat", json={"message": "x"})
    assert (status, answer["error"]["code"]) == (402, "out_of_credits")


async def test_a_guest_over_the_allowance_is_429(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("one")), guest_daily_messages=1)
    await griot.chat("first")
    status, _ = await griot.request("POST", "/api/v1/chat", json={"message": "x"})
    assert status == 429


async def test_too_many_messages_a_minute_is_429(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("one")), rate_limit_per_minute=1)
    await griot.log_in()
    await griot.chat("first")
    status, answer = await griot.request("POST", "/api/v1/chat", json={"message": "x"})
    assert (status, answer["error"]["code"]) == (429, "too_fast")


async def test_a_wrong_token_is_401(site: MakeSite) -> None:
    griot = await site(FakeModel())
    griot.headers["Authorization"] = "Bearer nonsense"
    status, answer = await griot.request("POST", "/api/v1/chat", json={"message": "x"})
    assert (status, answer["error"]["code"]) == (401, "unauthorized")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"{}", b'{"message": 5}', b'{"message": " "}', b'{"message": "\xff"}',
     b'{"message": "x", "session_id": "../etc"}'],
)  # fmt: skip
async def test_a_bad_request_is_400_and_says_why(site: MakeSite, body: bytes) -> None:
    griot = await site(FakeModel())
    status, answer = await griot.request("POST", "/api/v1/chat", data=body)
    assert status == 400
    assert answer["error"]["code"] == "bad_request"
    assert answer["error"]["message"]


async def test_a_body_over_a_mebibyte_is_413(site: MakeSite) -> None:
    griot = await site(FakeModel())
    body = io.BytesIO(b"x" * (2**20 + 1))
    status, answer = await griot.request("POST", "/api/v1/chat", data=body)
    assert (status, answer["error"]["code"]) == (413, "too_large")


async def test_a_broken_stream_ends_with_an_error_and_keeps_what_was_shown(site: MakeSite) -> None:
    griot = await site(FakeModel(StreamBroken("reset", "The capital")))
    await griot.log_in()
    events = await griot.chat("x")
    assert names(events)[-3:] == ["error", "usage", "end"]
    assert data(events, "end") == {"reason": "failed"}


async def test_a_failed_turn_shows_nothing_internal(site: MakeSite) -> None:
    griot = await site(FakeModel(ModelRefused("key sk-secret was refused")))
    await griot.log_in()
    events = await griot.chat("x")
    assert "sk-secret" not in json.dumps(events)
    assert names(events)[-3:] == ["error", "usage", "end"]


async def test_an_answer_whose_events_were_lost_is_read_from_the_database(
    site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The test would otherwise wait ten seconds for the first look.
    monkeypatch.setattr("bot.web.chat._KEEP_ALIVE", 0.1)
    griot = await site(FakeModel(reply("found again")))
    griot.house.parts.momentary.publish = lambda *_: None  # type: ignore[method-assign]
    await griot.log_in()
    events = await griot.chat("x")
    assert events == [("content", {"text": "found again"}), ("end", {"reason": "answered"})]


# Quizzes ----------------------------------------------------------------------------------------


async def _quiz(griot: Any) -> dict[str, Any]:
    await griot.log_in()
    events = await griot.chat("a quiz")
    assert "correct" not in json.dumps(data(events, "quiz"))
    assert "Two and two" not in json.dumps(events)
    return data(events, "quiz")


def _model() -> FakeModel:
    return FakeModel(reply("", ("interactive_quiz", json.dumps(QUIZ))), reply("Choose."))


async def test_a_quiz_is_graded_on_the_server_without_a_model(site: MakeSite) -> None:
    griot = await site(_model())
    quiz = await _quiz(griot)
    path = f"/api/v1/quizzes/{quiz['id']}/answer"
    assert await griot.request("POST", path, json={"index": 1}) == (
        200,
        {"correct": True, "correct_index": 1, "explanation": "Two and two make four."},
    )
    status, answer = await griot.request("POST", path, json={"index": 1})
    assert (status, answer["error"]["code"]) == (409, "already_answered")


async def test_a_quiz_answer_enters_the_conversation(site: MakeSite) -> None:
    model = FakeModel(
        reply("", ("interactive_quiz", json.dumps(QUIZ))), reply("Choose."), reply("Well done.")
    )
    griot = await site(model)
    await griot.log_in()
    events = await griot.chat("a quiz", session_id="s1")
    quiz = data(events, "quiz")
    await griot.request("POST", f"/api/v1/quizzes/{quiz['id']}/answer", json={"index": 0})
    await griot.chat("and now?", session_id="s1")
    told = [message for message in model.requests[2].messages if "[Quiz:" in str(message)]
    assert len(told) == 1
    assert "wrong" in str(told[0])


async def test_someone_elses_quiz_is_403_an_unknown_one_404_a_late_answer_410(
    site: MakeSite,
) -> None:
    griot = await site(_model())
    quiz = await _quiz(griot)
    path = f"/api/v1/quizzes/{quiz['id']}/answer"
    mine = dict(griot.headers)
    await griot.log_in("+2250701020305")
    assert (await griot.request("POST", path, json={"index": 1}))[0] == 403
    griot.headers = mine
    unknown = "/api/v1/quizzes/nothing/answer"
    assert (await griot.request("POST", unknown, json={"index": 1}))[0] == 404
    assert (await griot.request("POST", path, json={"index": 7}))[0] == 400
    await execute(griot.house.database, "UPDATE quiz SET expires_at = 1")
    assert (await griot.request("POST", path, json={"index": 1}))[0] == 410


# Files ------------------------------------------------------------------------------------------


async def test_a_made_file_is_shared_by_a_signed_link(site: MakeSite) -> None:
    call = ("generate_md", '{"filename": "fiche.md", "content": "# Été\\n\\nBonjour"}')
    griot = await site(FakeModel(reply("", call), reply("Here it is.")))
    await griot.log_in()
    file = data(await griot.chat("a sheet"), "file")
    path = "/files/" + file["url"].rpartition("/")[2]
    async with griot.session.get(griot.url + path) as answer:
        assert answer.status == 200
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "attachment" in answer.headers["Content-Disposition"]
        assert "fiche.md" in answer.headers["Content-Disposition"]
        assert "Été" in await answer.text()
    [listed] = (await griot.request("GET", "/api/v1/files"))[1]
    assert (listed["filename"], listed["size"]) == ("fiche.md", file["size"])
    tampered = path[:-1] + ("A" if path[-1] != "A" else "B")
    assert (await griot.request("GET", tampered))[0] == 403
    assert (await griot.request("GET", "/files/x"))[0] == 403
    await execute(griot.house.database, "DELETE FROM file")
    assert (await griot.request("GET", path))[0] == 404


async def test_an_expired_link_is_410(site: MakeSite) -> None:
    griot = await site(FakeModel())
    link = type(griot.house.links)(griot.house.settings, clock=lambda: 1000.0).make("abc")
    assert (await griot.request("GET", "/files/" + link.rpartition("/")[2]))[0] == 410


# Who am I ---------------------------------------------------------------------------------------


async def test_me_tells_who_carries_the_token(site: MakeSite) -> None:
    griot = await site(FakeModel(), welcome_credits=50)
    assert (await griot.request("GET", "/api/v1/me"))[0] == 401
    await griot.log_in()
    status, me = await griot.request("GET", "/api/v1/me")
    assert status == 200
    assert (me["balance"], me["mode"], me["language"]) == (50, "child", "fr")
    [account] = await fetch(griot.house.database, "SELECT id FROM account")
    assert me["person_id"] == account["id"]

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from bot.app import open_app
from bot.contracts.models import ModelRequest
from bot.contracts.storage import Database, Transaction
from bot.errors import ModelRefused, ModelUnavailable, StreamBroken
from bot.events import Content, Emit
from bot.messages.transcript import ModelReply
from bot.settings import Settings
from bot.web.app import make_app
from bot.web.chat import Chat
from bot.web.learning_answers import QuizAnswers
from bot.web.requests import GUEST_COOKIE
from tests.support.fakes import FakeModel, reply
from tests.support.queries import Like, change_rows, delete_rows, read_row, read_rows
from tests.support.site import MakeSite, Site, parse_sse

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


async def test_null_is_a_field_that_was_left_out(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("Bonjour")))
    nothing = dict.fromkeys(("session_id", "background", "decision"))
    events = await griot.chat("salut", **nothing)
    assert data(events, "content") == {"text": "Bonjour"}
    status, answer = await griot.request("POST", "/api/v1/chat", json={"message": None})
    assert (status, answer["error"]["message"]) == (400, "message: write something.")


async def test_dollars_are_reported_without_noise(site: MakeSite) -> None:
    call = ("save_memory", '{"fact": "Awa is in 4e"}')
    griot = await site(FakeModel(reply("", call, usd=0.1), reply("Noted.", usd=0.2)))
    await griot.log_in()
    assert data(await griot.chat("remember that I am in 4e"), "usage")["usd"] == 0.3


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
    assert "first" in str(model.requests[1].messages)
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
    async with asyncio.timeout(60):
        assert data(await running, "end") == {"reason": "cancelled"}


async def test_a_command_answers_as_content_and_costs_nothing(site: MakeSite) -> None:
    griot = await site(FakeModel(), guest_daily_messages=0)
    events = await griot.chat("/help")
    assert names(events) == ["start", "content", "end"]


async def test_jobs_are_begun_where_their_end_can_be_told(site: MakeSite) -> None:
    griot = await site(FakeModel())
    for _ in range(2):
        told = data(await griot.chat("/job un résumé"), "content")["text"]
        assert "Envoie-moi /job" in told
        assert "/job" not in str(await griot.chat("/help"))
        await griot.log_in()


async def test_a_choice_that_is_asked_for_names_the_commands(site: MakeSite) -> None:
    """No buttons are shown here."""
    griot = await site(FakeModel())
    await griot.log_in()
    for asked, listed in {
        "/langue swahili": "- Français (/langue fr)\n- English (/language en)",
        "/mode": "- Pour les études (/mode eleve)\n- Au travail (/mode pro)",
        "/classe xyz": "(/classe primaire)",
        "/classe primaire": "- CM2 (/classe CM2)",
    }.items():
        events = await griot.chat(asked)
        assert listed in "".join(each["text"] for name, each in events if name == "content")
    await griot.chat("/language en")
    assert "(/mode child)" in data(await griot.chat("/mode"), "content")["text"]


async def test_what_was_asked_in_one_session_can_be_confirmed_in_another(site: MakeSite) -> None:
    """Who names no session has a new one with each message."""
    griot = await site(FakeModel())
    await griot.log_in()
    assert "/supprimer confirmer" in data(await griot.chat("/delete"), "content")["text"]
    assert "effacé" in data(await griot.chat("/delete confirm"), "content")["text"]


@pytest.mark.parametrize("sells", [True, False])
async def test_out_of_credits_is_402_before_any_stream(site: MakeSite, sells: bool) -> None:
    paystack = {"paystack_secret_key": "sk"} if sells else {}
    griot = await site(FakeModel(), welcome_credits=0, **paystack)
    await griot.log_in()
    status, answer = await griot.request("POST", "/api/v1/chat", json={"message": "x"})
    assert (status, answer["error"]["code"]) == (402, "out_of_credits")
    assert answer["error"]["can_buy"] is sells


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"message": 5}', "message must be a text, not a whole number"),
        (b"[]", "it must be an object, not a list"),
        (b'{"message": "x", "decision": {"choice": "edit"}}', "decision.id is missing"),
        (
            b'{"message": "", "decision": {"id": "1", "choice": "maybe"}}',
            "decision.choice cannot be 'maybe'",
        ),
        (b'{"message"', "it is not valid JSON in UTF-8"),
        (b'{"message": "\xff"}', "it is not valid JSON in UTF-8"),
    ],
)
async def test_what_is_wrong_with_a_body_is_said_plainly(
    site: MakeSite, body: bytes, words: str
) -> None:
    griot = await site(FakeModel())
    status, answer = await griot.request("POST", "/api/v1/chat", data=body)
    assert status == 400
    assert answer["error"]["message"] == f"The body is not as expected: {words}."


async def test_a_guest_over_the_allowance_is_429(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("one")), guest_daily_messages=1)
    await griot.chat("first")
    status, _ = await griot.request("POST", "/api/v1/chat", json={"message": "x"})
    assert status == 429


async def test_where_guests_have_no_messages_nothing_is_put_off(site: MakeSite) -> None:
    griot = await site(FakeModel(), guest_daily_messages=0)
    status, answer = await griot.request("POST", "/api/v1/chat", json={"message": "x"})
    assert status == 429
    assert "/connexion" in answer["error"]["message"]
    assert "demain" not in answer["error"]["message"]


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
    assert names(events) == ["start", "agent_prep", "error", "usage", "end"]
    assert data(events, "end") == {"reason": "failed"}


class Slow(FakeModel):
    """Writes until the time of the turn is over."""

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        emit(Content("mot mot"))
        await asyncio.sleep(request.seconds or 0)
        raise StreamBroken("time-out", "mot mot")


async def test_an_answer_that_is_cut_off_by_time_says_so(site: MakeSite) -> None:
    griot = await site(Slow(), turn_timeout=3.0)
    events = await griot.chat("x")
    said = "".join(each["text"] for name, each in events if name == "content")
    assert said.startswith("mot mot\n\nMon temps s’est écoulé avant la fin.")
    assert data(events, "end") == {"reason": "limit"}


async def test_a_turn_that_is_tried_again_starts_once_and_says_that_it_takes_longer(
    site: MakeSite,
) -> None:
    failures = [ModelUnavailable("down")] * 2 + [ModelUnavailable("down", after=2.5)] * 2
    griot = await site(FakeModel(*failures, reply("at last")))
    events = await griot.chat("hello")
    assert names(events) == ["start", "agent_prep", "system_message", "content", "usage", "end"]
    assert data(events, "content")["text"] == "at last"


async def test_a_failed_turn_shows_nothing_internal(site: MakeSite) -> None:
    griot = await site(FakeModel(ModelRefused("key sk-secret was refused")))
    await griot.log_in()
    events = await griot.chat("x")
    assert "sk-secret" not in json.dumps(events)
    assert names(events)[-3:] == ["error", "usage", "end"]


@pytest.fixture
async def deaf(site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Awaitable[Site]]:
    """A site none of whose live events arrive."""
    # The tests would otherwise wait ten seconds for the first look.
    monkeypatch.setattr("bot.web.turn_streams._KEEP_ALIVE", 0.1)

    async def make(model: FakeModel) -> Site:
        griot = await site(model)
        griot.app.context.momentary.publish = lambda *_: None  # type: ignore[method-assign]
        await griot.log_in()
        return griot

    return make


async def test_an_answer_whose_events_were_lost_is_read_from_the_database(deaf: MakeSite) -> None:
    griot = await deaf(FakeModel(reply("found again", usd=0.002)))
    used = {"input_tokens": 100, "output_tokens": 10, "usd": 0.002, "credits": 2}
    assert await griot.chat("x") == [
        ("content", {"text": "found again"}),
        ("usage", used),
        ("end", {"reason": "answered"}),
    ]


async def test_a_file_and_a_quiz_whose_events_were_lost_are_read_from_the_database(
    deaf: MakeSite,
) -> None:
    file = ("generate_md", '{"filename": "fiche.md", "content": "# Bonjour"}')
    quiz = ("interactive_quiz", json.dumps(QUIZ))
    griot = await deaf(FakeModel(reply("", file), reply("", quiz), reply("Choose.")))
    events = await griot.chat("x")
    assert sorted(names(events)) == ["content", "end", "file", "quiz", "usage"]
    assert data(events, "content") == {"text": "Choose."}
    assert data(events, "quiz")["options"] == ["3", "4"]
    assert "Two and two" not in json.dumps(events)
    assert data(events, "file")["filename"] == "fiche.md"
    path = "/files/" + data(events, "file")["url"].rpartition("/")[2]
    assert (await griot.request("GET", path))[0] == 200


async def test_a_failure_whose_events_were_lost_is_told_as_one(deaf: MakeSite) -> None:
    griot = await deaf(FakeModel(ModelRefused("key sk-secret was refused")))
    events = await griot.chat("x")
    assert names(events) == ["error", "usage", "end"]
    assert data(events, "error")["code"] == "turn_failed"
    assert data(events, "error")["message"]
    assert data(events, "end") == {"reason": "failed"}


async def test_a_stream_ends_properly_when_the_process_does(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no worker here: the turn waits for one elsewhere, and its stream would too."""
    # So that it does not end by its next look at the database, which is a matter of seconds.
    monkeypatch.setattr("bot.web.turn_streams._KEEP_ALIVE", 3600)
    async with open_app(settings) as griot_app:
        chat = Chat(
            griot_app.context, griot_app.people, griot_app.inbox, griot_app.links, griot_app.files
        )
        app = make_app([chat])
        app.on_shutdown.append(chat.shut_down)
        server = TestServer(app)
        async with TestClient(server) as client, asyncio.timeout(20):
            answer = await client.post("/api/v1/chat", json={"message": "x"})
            assert answer.status == 200
            stopping = asyncio.create_task(server.close())
            events = parse_sse(await answer.text())
            await stopping
    assert names(events) == ["error", "end"]
    assert data(events, "error")["code"] == "unavailable"
    assert data(events, "end") == {"reason": "failed"}


# Guests -----------------------------------------------------------------------------------------

BROWSER = {"Origin": "http://127.0.0.1"}


async def _visit(griot: Site, session: str = "", **headers: str) -> tuple[int, str]:
    """One message of a guest; its status and the cookie it was given."""
    body = {"message": "x"} | ({"session_id": session} if session else {})
    url = f"{griot.url}/api/v1/chat"
    async with griot.session.post(url, json=body, headers=headers) as answer:
        await answer.read()
        given = answer.cookies.get(GUEST_COOKIE)
        return answer.status, f"{GUEST_COOKIE}={given.value}" if given else ""


async def test_browsers_behind_one_address_are_guests_of_their_own(site: MakeSite) -> None:
    griot = await site(FakeModel(*[reply("hello")] * 3), guest_daily_messages=1)
    status, first = await _visit(griot, "mine", **BROWSER)
    assert (status, bool(first)) == (200, True)
    assert await _visit(griot, **BROWSER, Cookie=first) == (429, "")
    status, second = await _visit(griot, **BROWSER)
    assert status == 200
    assert second != first
    assert await _visit(griot, "mine", **BROWSER) == (404, "")


async def test_a_guest_goes_on_in_the_own_session(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("one"), reply("two")))
    _, cookie = await _visit(griot, "mine", **BROWSER)
    assert await _visit(griot, "mine", **BROWSER, Cookie=cookie) == (200, "")


async def test_who_keeps_no_cookies_is_known_by_the_address(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("one"), reply("two")), guest_daily_messages=2)
    assert await _visit(griot, "mine") == (200, "")
    assert await _visit(griot, "mine") == (200, "")
    assert await _visit(griot, "mine") == (429, "")


@pytest.mark.parametrize("cookie", ["made.up", "x", "a.b.c", "é.é"])
async def test_a_cookie_that_we_did_not_sign_makes_no_guest(site: MakeSite, cookie: str) -> None:
    griot = await site(FakeModel(reply("one")), guest_daily_messages=1)
    assert await _visit(griot) == (200, "")
    assert await _visit(griot, Cookie=f"{GUEST_COOKIE}={cookie}") == (429, "")


async def test_throwing_cookies_away_helps_only_so_often(site: MakeSite) -> None:
    griot = await site(FakeModel(*[reply("hello")] * 20), guest_daily_messages=1)
    visits = [(await _visit(griot, **BROWSER))[0] for _ in range(21)]
    assert visits == [200] * 20 + [429]


async def test_nor_does_it_help_to_be_faster(site: MakeSite) -> None:
    griot = await site(FakeModel(), rate_limit_per_minute=1)
    body, url = {"message": "/help"}, f"{griot.url}/api/v1/chat"
    visits: list[int] = []
    for _ in range(41):
        async with griot.session.post(url, json=body, headers=BROWSER) as answer:
            visits.append(answer.status)
    assert visits == [200] * 40 + [429]


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
    await change_rows(griot.app.database, "quiz", {"expires_at": 1})
    assert (await griot.request("POST", path, json={"index": 1}))[0] == 410


class _Forgetful:
    """Commits what it is given, does not hear so, and runs it again."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(self, work: Callable[[Transaction], Awaitable[Any]]) -> Any:
        await self._database.write(work)
        return await self._database.write(work)


async def test_an_answer_whose_commit_was_not_seen_counts_once(site: MakeSite) -> None:
    griot = await site(_model())
    quiz = await _quiz(griot)
    griot_app = griot.app
    parts = replace(griot_app.context, database=_Forgetful(griot_app.database))
    async with TestClient(TestServer(make_app([QuizAnswers(parts, griot_app.people)]))) as client:
        path = f"/api/v1/quizzes/{quiz['id']}/answer"
        answer = await client.post(path, json={"index": 1}, headers=griot.headers)
        assert (answer.status, (await answer.json())["correct"]) == (200, True)
        answer = await client.post(path, json={"index": 1}, headers=griot.headers)
        assert answer.status == 409
    noted = await read_rows(griot_app.database, "journal", body=Like("%[Quiz:%"))
    assert len(noted) == 1


# Files ------------------------------------------------------------------------------------------


async def test_long_code_is_served_as_text_of_one_charset(site: MakeSite) -> None:
    code = "```python\n" + "x = 'é'\n" * 40 + "```"
    griot = await site(FakeModel(reply(code)))
    await griot.log_in()
    file = data(await griot.chat("some code"), "file")
    path = "/files/" + file["url"].rpartition("/")[2]
    async with griot.session.get(griot.url + path) as answer:
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"


async def test_a_made_file_is_shared_by_a_signed_link(site: MakeSite) -> None:
    call = ("generate_md", '{"filename": "fiche.md", "content": "# Été\\n\\nBonjour"}')
    griot = await site(FakeModel(reply("", call), reply("Here it is.")), link_seconds=60)
    await griot.log_in()
    file = data(await griot.chat("a sheet"), "file")
    path = "/files/" + file["url"].rpartition("/")[2]
    async with griot.session.get(griot.url + path) as answer:
        assert answer.status == 200
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "private, max-age=60"
        assert "attachment" in answer.headers["Content-Disposition"]
        assert "fiche.md" in answer.headers["Content-Disposition"]
        assert "Été" in await answer.text()
    [listed] = (await griot.request("GET", "/api/v1/files"))[1]
    assert (listed["filename"], listed["size"]) == ("fiche.md", file["size"])
    tampered = path[:-1] + ("A" if path[-1] != "A" else "B")
    assert (await griot.request("GET", tampered))[0] == 403
    assert (await griot.request("GET", "/files/x"))[0] == 403
    await delete_rows(griot.app.database, "file")
    assert (await griot.request("GET", path))[0] == 404


@pytest.mark.parametrize(
    ("headers", "status", "sent", "where"),
    [
        ({"Range": "bytes=4-"}, 206, "45678", "bytes 4-9/10"),
        ({"Range": "bytes=0-3"}, 206, "0123", "bytes 0-3/10"),
        ({"Range": "bytes=-2"}, 206, "8", "bytes 8-9/10"),
        ({"Range": "bytes=10-"}, 416, "", "bytes */10"),
        ({"Range": "bytes=-0"}, 416, "", "bytes */10"),
        ({"Range": "bytes=0-1,4-5"}, 200, "012345678", None),
        ({"Range": "lines=1-2"}, 200, "012345678", None),
        ({"Range": "bytes=4-", "If-Range": '"another"'}, 200, "012345678", None),
    ],
)
async def test_a_download_that_broke_off_goes_on(
    site: MakeSite, headers: dict[str, str], status: int, sent: str, where: str | None
) -> None:
    call = ("generate_md", '{"filename": "fiche.md", "content": "012345678"}')
    griot = await site(FakeModel(reply("", call), reply("Here it is.")))
    await griot.log_in()
    file = data(await griot.chat("a sheet"), "file")
    url = griot.url + "/files/" + file["url"].rpartition("/")[2]
    async with griot.session.get(url, headers=headers) as answer:
        assert (answer.status, (await answer.text()).strip()) == (status, sent)
        assert answer.headers.get("Content-Range") == where
        assert answer.headers["Accept-Ranges"] == "bytes"
        tag = answer.headers["ETag"]
    async with griot.session.get(url, headers={"Range": "bytes=4-", "If-Range": tag}) as answer:
        assert answer.status == 206


async def test_an_expired_link_is_410(site: MakeSite) -> None:
    griot = await site(FakeModel())
    link = type(griot.app.links)(griot.app.settings, clock=lambda: 1000.0).make("abc")
    assert (await griot.request("GET", "/files/" + link.rpartition("/")[2]))[0] == 410


# Who am I ---------------------------------------------------------------------------------------


async def test_me_tells_who_carries_the_token(site: MakeSite) -> None:
    griot = await site(FakeModel(), welcome_credits=50)
    assert (await griot.request("GET", "/api/v1/me"))[0] == 401
    await griot.log_in()
    status, me = await griot.request("GET", "/api/v1/me")
    assert status == 200
    assert (me["balance"], me["mode"], me["language"]) == (50, "child", "fr")
    account = await read_row(griot.app.database, "account")
    assert me["person_id"] == account["id"]
    assert me["phone"] == "+2250701020304"
    await griot.log_in()
    _, me = await griot.request("GET", "/api/v1/me")
    assert me["identities"] == [
        {"channel": "http", "address": "session"},
        {"channel": "sms", "address": "+2250701020304"},
    ]


class _BrokenOff(FakeModel):
    """Begins an answer, and never ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        emit(Content("Kwame Nkrumah est né à Nkroful. "))
        self.begun.set()
        await asyncio.sleep(30)
        raise AssertionError("never")


async def test_a_stopped_answer_is_read_back_as_far_as_it_was_shown(site: MakeSite) -> None:
    model = _BrokenOff()
    griot = await site(model)
    await griot.log_in()
    running = asyncio.create_task(griot.chat("Nkrumah ?", session_id="s1"))
    await model.begun.wait()
    await griot.chat("/stop", session_id="s1")
    async with asyncio.timeout(60):
        shown = data(await running, "content")["text"]
    _, answered = await griot.request("GET", "/api/v1/sessions/s1/turns")
    events = dict(answered["turns"][0]["events"])
    assert shown.strip() == "Kwame Nkrumah est né à Nkroful."
    assert events["content"]["text"].strip() == shown.strip()
    assert events["system_message"] == {"text": "Réponse arrêtée."}
    [_, stop] = answered["turns"]
    assert "system_message" not in dict(stop["events"])


async def test_a_stopped_job_has_the_text_that_was_shown(site: MakeSite) -> None:
    model = _BrokenOff()
    griot = await site(model)
    await griot.log_in()
    form = {"message": "Nkrumah ?", "background": True}
    _, begun = await griot.request("POST", "/api/v1/chat", json=form)
    path = f"/api/v1/jobs/{begun['job_id']}"
    await model.begun.wait()
    await griot.request("DELETE", path)
    async with asyncio.timeout(60):
        while (job := (await griot.request("GET", path))[1])["status"] == "running":
            await asyncio.sleep(0.05)
    assert job["status"] == "cancelled"
    assert job["text"] == "Kwame Nkrumah est né à Nkroful.\n\nRéponse arrêtée."


async def test_me_tells_what_is_held_for_a_running_answer(site: MakeSite) -> None:
    model = _BrokenOff()
    griot = await site(model, welcome_credits=50)
    await griot.log_in()
    _, before = await griot.request("GET", "/api/v1/me")
    running = asyncio.create_task(griot.chat("Nkrumah ?", session_id="s1"))
    await model.begun.wait()
    _, meanwhile = await griot.request("GET", "/api/v1/me")
    await griot.chat("/stop", session_id="s1")
    await running
    _, after = await griot.request("GET", "/api/v1/me")
    assert (before["balance"], before["held"]) == (50, 0)
    assert meanwhile["held"] > 0
    assert meanwhile["balance"] + meanwhile["held"] == 50
    assert after["held"] == 0
    assert after["balance"] > meanwhile["balance"]

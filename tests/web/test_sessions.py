"""The list of a person's conversations, and the one that they have on their phones."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Any

import msgspec

from bot.gateway.people.erasure import Erasure
from bot.messages.incoming import Notice
from bot.messages.outgoing import Say
from bot.messages.transcript import AssistantMessage, Message, UserMessage
from tests.support.app import update
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.phones import AWA, BINTA, WHATSAPP
from tests.support.queries import count_rows, read_row, read_rows
from tests.support.quiz import QUIZ
from tests.support.site import Events, MakeSite, Site, greet_as_guest
from tests.support.waiting import until


def said(messages: tuple[Message, ...]) -> list[str]:
    """What was said in a request, without the instructions."""
    return [m.text for m in messages if isinstance(m, UserMessage | AssistantMessage)]


def whatsapp() -> FakeChannel:
    return FakeChannel("wa", "whatsapp", WHATSAPP)


async def write(griot: Site, content: Any, who: str = AWA) -> None:
    """Someone writes on WhatsApp, and all that follows is done."""
    sent = msgspec.structs.replace(update(content, chat=who), channel="whatsapp", via="wa")
    await griot.app.inbox.store([sent])
    await until(lambda: _settled(griot))


async def _settled(griot: Site) -> bool:
    updates = await count_rows(griot.app.database, "inbox", state="pending")
    deliveries = await count_rows(griot.app.database, "outbox", state=("pending", "attempting"))
    return updates == deliveries == 0


async def listed(griot: Site) -> list[dict[str, Any]]:
    status, body = await griot.request("GET", "/api/v1/sessions")
    assert status == 200, body
    return body["sessions"]


async def phone(griot: Site) -> list[dict[str, Any]]:
    status, body = await griot.request("GET", "/api/v1/sessions/phone/turns")
    assert status == 200, body
    return body["turns"]


def texts(turn: dict[str, Any]) -> str:
    return "\n".join(data["text"] for name, data in turn["events"] if name == "content")


def start(events: Events) -> dict[str, Any]:
    return next(data for name, data in events if name == "start")


# The list ---------------------------------------------------------------------------------------


async def test_chats_are_listed_newest_first_under_their_first_words(site: MakeSite) -> None:
    griot = await site(FakeModel(*[reply("ok")] * 4))
    await griot.log_in()
    await griot.chat("/language en", session_id="a")
    await griot.chat("What is  a fraction,\nand why?", session_id="a")
    await griot.chat("tell me " + "more " * 40, session_id="b")
    await griot.chat("go on", session_id="a")
    await griot.chat("/balance", session_id="c")
    shown = await listed(griot)
    assert [(each["id"], each["turns"]) for each in shown] == [("c", 1), ("a", 3), ("b", 1)]
    titles = {each["id"]: each["title"] for each in shown}
    assert titles["a"] == "What is a fraction, and why?"
    assert titles["b"].startswith("tell me more")
    assert titles["b"].endswith("more…")
    assert len(titles["b"]) <= 61
    assert titles["c"] == "/balance"
    assert {each["channel"] for each in shown} == {"http"}
    times = [datetime.fromisoformat(each["updated_at"]) for each in shown]
    assert times == sorted(times, reverse=True)
    assert all(time.tzinfo is not None for time in times)


async def test_jobs_and_completions_are_not_listed(site: MakeSite) -> None:
    griot = await site(FakeModel(*[reply("ok")] * 3))
    await griot.log_in()
    await griot.chat("hello", session_id="s")
    body = {"model": "griot", "messages": [{"role": "user", "content": "x"}]}
    status, answer = await griot.request("POST", "/v1/chat/completions", json=body)
    assert status == 200
    assert ":" not in answer["id"]
    await griot.request("POST", "/api/v1/chat", json={"message": "x", "background": True})
    await until(lambda: _settled(griot))
    assert [each["id"] for each in await listed(griot)] == ["s"]


async def test_a_guest_without_a_cookie_lists_nothing(site: MakeSite) -> None:
    """All clients of a network that keep no cookies are one guest: ids are not for the others."""
    griot = await site(FakeModel(reply("one")))
    await griot.chat("a secret")
    assert await griot.request("GET", "/api/v1/sessions") == (200, {"sessions": []})


async def test_a_guest_sees_only_their_own(site: MakeSite) -> None:
    griot = await site(FakeModel(*[reply("ok")] * 2))
    await griot.chat("without a cookie")
    cookie = await greet_as_guest(griot, "with a cookie")
    assert await listed(griot) == []
    griot.headers["Cookie"] = cookie
    assert [each["title"] for each in await listed(griot)] == ["with a cookie"]


# The phones' conversation -----------------------------------------------------------------------


async def test_the_web_goes_on_with_what_was_said_on_the_phone(site: MakeSite) -> None:
    model = FakeModel(reply("A **half** is $\\frac{1}{2}$."), reply("A third."), reply("On both."))
    wa = whatsapp()
    griot = await site(model, more=[wa])
    await write(griot, "What is a half?")
    await griot.log_in(AWA)
    assert [(each["id"], each["channel"], each["title"]) for each in await listed(griot)] == [
        ("phone", "phone", "What is a half?")
    ]
    (turn,) = await phone(griot)
    assert turn["said"] == ["What is a half?"]
    assert texts(turn) == "A **half** is $\\frac{1}{2}$."  # as it was written, not as it was sent

    delivered = len(wa.delivered)
    events = await griot.chat("And less than that?", session_id="phone")
    assert start(events)["session_id"] == "phone"
    assert said(model.requests[1].messages)[:2] == [
        "What is a half?",
        "A **half** is $\\frac{1}{2}$.",
    ]
    await until(lambda: _settled(griot))
    assert len(wa.delivered) == delivered  # the answer went to the web

    await write(griot, "Do you remember?")
    assert said(model.requests[2].messages)[-3:] == [
        "And less than that?",
        "A third.",
        "Do you remember?",
    ]
    assert [turn["said"][0] for turn in await phone(griot)] == [
        "What is a half?",
        "And less than that?",
        "Do you remember?",
    ]
    [entry] = await listed(griot)
    assert entry["turns"] == 3


async def test_its_events_are_those_of_all_phones(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("one"), reply("two")), more=[whatsapp()])
    await write(griot, "first")
    await griot.log_in(AWA)
    await griot.chat("second", session_id="phone")
    status, body = await griot.request("GET", "/api/v1/sessions/phone/events")
    assert status == 200
    assert [each["content"] for each in body["events"]] == ["first", "one", "second", "two"]


async def test_a_guest_and_a_stranger_have_no_phone(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("one")), more=[whatsapp()])
    await write(griot, "mine alone")
    for method, path, body in (
        ("POST", "/api/v1/chat", {"message": "x", "session_id": "phone"}),
        ("GET", "/api/v1/sessions/phone/turns", None),
        ("GET", "/api/v1/sessions/phone/events", None),
    ):
        assert (await griot.request(method, path, json=body))[0] == 404
    await griot.log_in(BINTA)
    assert await phone(griot) == []
    assert await listed(griot) == []


async def test_no_token_and_no_code_is_shown(site: MakeSite) -> None:
    quiz = reply("", ("interactive_quiz", json.dumps(QUIZ)))
    griot = await site(FakeModel(quiz, reply("Tap.")), more=[whatsapp()])
    await write(griot, "a quiz")
    await griot.request("POST", "/api/v1/login/otp", json={"phone": AWA})
    await until(lambda: _settled(griot))
    await griot.log_in(AWA)
    turns = await phone(griot)
    asked = next(data for name, data in turns[0]["events"] if name == "quiz")
    assert asked["options"] == ["3", "4"]
    buttons = await read_rows(griot.app.database, "button")
    assert buttons
    shown = json.dumps(turns)
    assert not any(button["token"] in shown for button in buttons)
    assert "000000" not in shown
    status, graded = await griot.request(
        "POST", f"/api/v1/quizzes/{asked['id']}/answer", json={"index": 1}
    )
    assert (status, graded["correct"]) == (200, True)


async def test_what_griot_said_by_itself_is_shown(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("hi")), more=[whatsapp()])
    await write(griot, "hello")
    await write(griot, Notice((Say("Do your *homework*."),)))
    await griot.log_in(AWA)
    assert [texts(turn) for turn in await phone(griot)] == ["hi", "Do your *homework*."]


async def test_what_is_forgotten_is_shown_no_more(site: MakeSite) -> None:
    model = FakeModel(reply("one"), reply("two"))
    griot = await site(model, more=[whatsapp()])
    await write(griot, "first")
    await griot.log_in(AWA)
    await griot.chat("/new", session_id="phone")
    await write(griot, "second")
    assert said(model.requests[1].messages) == ["second"]
    assert ["first"] not in [turn["said"] for turn in await phone(griot)]


async def test_logging_out_of_the_web_leaves_the_conversation_as_it_is(site: MakeSite) -> None:
    model = FakeModel(reply("one"), reply("two"), reply("three"))
    griot = await site(model, more=[whatsapp()])
    await write(griot, "first")
    await griot.log_in(AWA)
    await griot.chat("second", session_id="phone")
    await griot.chat("/logout", session_id="phone")
    await griot.log_in(AWA)
    await griot.chat("third", session_id="phone")
    assert said(model.requests[2].messages)[::2] == ["first", "second", "third"]


async def test_a_job_goes_on_from_the_phone_too(site: MakeSite) -> None:
    model = FakeModel(reply("one"), reply("done"), reply("three"))
    griot = await site(model, more=[whatsapp()])
    await write(griot, "first")
    await griot.log_in(AWA)
    body = {"message": "a job", "background": True, "session_id": "phone"}
    assert (await griot.request("POST", "/api/v1/chat", json=body))[0] == 202
    await until(lambda: _settled(griot))
    assert said(model.requests[1].messages) == ["first", "one", "a job"]
    await griot.chat("and?", session_id="phone")
    assert said(model.requests[2].messages)[:2] == ["first", "one"]


class _Held(FakeModel):
    def __init__(self) -> None:
        super().__init__(reply("At last."))
        self.begun, self.free = asyncio.Event(), asyncio.Event()

    async def ask(self, request: Any, emit: Any) -> Any:
        self.begun.set()
        await self.free.wait()
        return await super().ask(request, emit)


async def test_while_it_answers_it_is_busy(site: MakeSite) -> None:
    model = _Held()
    griot = await site(model)
    await griot.log_in(AWA)
    running = asyncio.create_task(griot.chat("long", session_id="phone"))
    await model.begun.wait()
    body = {"message": "again", "session_id": "phone"}
    status, answer = await griot.request("POST", "/api/v1/chat", json=body)
    assert (status, answer["error"]["code"]) == (409, "busy")
    model.free.set()
    await running


async def test_its_own_id_is_no_name_that_a_client_may_use(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("one")))
    await griot.log_in(AWA)
    await griot.chat("hello", session_id="phone")
    row = await read_row(griot.app.database, "session")
    body = {"message": "x", "session_id": row["id"]}
    assert (await griot.request("POST", "/api/v1/chat", json=body))[0] == 400
    await griot.log_in(BINTA)
    assert (await griot.request("GET", f"/api/v1/sessions/{row['id']}/turns"))[0] == 404


async def test_everything_said_there_is_erased_with_the_person(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("one"), reply("two")), more=[whatsapp()])
    await write(griot, "first")
    await griot.log_in(AWA)
    await griot.chat("second", session_id="phone")
    account = (await read_row(griot.app.database, "account"))["id"]
    app = griot.app
    await Erasure(app.database, app.files, app.settings).erase_account(account)
    for table in ("session", "lane", "inbox", "outbox", "journal"):
        assert await read_rows(app.database, table) == [], table

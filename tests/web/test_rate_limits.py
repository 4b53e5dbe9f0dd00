"""Who asks too much is told so, and when to come back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from bot.contracts.models import ModelRequest
from bot.errors import AllowanceUsedUp
from bot.events import Content, Emit
from bot.messages.channels import WEB
from bot.messages.incoming import Person, Said
from bot.messages.transcript import ModelReply
from bot.settings import Settings
from bot.web.rate_limits import RateLimits
from tests.support.fakes import FakeModel, reply
from tests.support.queries import count_rows, read_row, read_rows, read_values
from tests.support.site import MakeSite, Site, open_site
from tests.support.web_login import MakeWebLogin, make_whatsapp

COMPLETION = {"model": "griot", "messages": [{"role": "user", "content": "x"}]}


async def _refused(griot: Site, path: str, body: object) -> tuple[int, str, int]:
    """Status, code and the seconds to wait of one request."""
    url = griot.url + path
    async with griot.session.post(url, json=body, headers=griot.headers) as answer:
        text = await answer.text()
        error = json.loads(text)["error"] if answer.status >= 400 else {}
        return answer.status, error.get("code", ""), int(answer.headers.get("Retry-After", 0))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/chat", {"message": "/help"}),
        ("/api/v1/quizzes/x/answer", {"index": 0}),
        ("/v1/chat/completions", COMPLETION | {"messages": [{"role": "user", "content": "/help"}]}),
    ],
)
async def test_a_person_in_a_hurry_is_told_to_wait_a_minute(
    site: MakeSite, path: str, body: object
) -> None:
    griot = await site(FakeModel(), rate_limit_per_minute=1)
    await griot.log_in()
    first = [(await _refused(griot, path, body))[0] for _ in range(2)]
    assert 429 not in first
    status, code, after = await _refused(griot, path, body)
    assert (status, code) == (429, "too_fast")
    assert 0 < after <= 60


async def test_a_second_token_is_not_a_second_person(site: MakeSite) -> None:
    griot = await site(FakeModel(), rate_limit_per_minute=1)
    for _ in range(2):
        await griot.log_in()
        await griot.chat("/help")
    await griot.log_in()
    assert (await _refused(griot, "/api/v1/chat", {"message": "/help"}))[0] == 429


async def test_a_guest_whose_day_is_used_up_is_told_when_the_next_begins(site: MakeSite) -> None:
    griot = await site(FakeModel(), guest_daily_messages=0)
    status, code, after = await _refused(griot, "/api/v1/chat", {"message": "x"})
    assert (status, code) == (429, "allowance_used_up")
    assert 0 < after <= 24 * 3600


async def test_guests_of_a_site_of_ipv6_have_a_limit_together(site: MakeSite) -> None:
    griot = await site(FakeModel(), guest_daily_messages=1)
    limits = RateLimits(griot.app.context, griot.app.people)

    async def ask(address: str) -> None:
        request = make_mocked_request("POST", "/").clone(remote=address)
        guest = Person(WEB, f"guest:{address}")
        await limits.admit_message(request, guest, Said("x"), has_files=False)

    for number in range(179):  # with the 20 and the 1 below, what ten networks may send
        await ask(f"2a01:4f8:7:{number:x}::1")
    for number in range(20):
        await ask(f"2a01:4f8:7:fff::{number + 1:x}")
    with pytest.raises(AllowanceUsedUp):  # the network's own limit
        await ask("2a01:4f8:7:fff::ff")
    await ask("2a01:4f8:7:ffe::1")  # what was refused does not count for the others
    with pytest.raises(AllowanceUsedUp):
        await ask("2a01:4f8:7:ffff::1")
    await ask("2a01:4f8:8::1")
    await ask("9.9.9.9")


@pytest.mark.parametrize("path", ["/api/v1/login/otp", "/api/v1/login/verify"])
async def test_a_network_in_a_hurry_to_log_in_is_told_to_wait(site: MakeSite, path: str) -> None:
    griot = await site(FakeModel(), rate_limit_per_minute=1)
    body = {"phone": "nobody", "code": "000000"}
    answers = [await _refused(griot, path, body) for _ in range(61)]
    assert {status for status, _, _ in answers[:60]} == {400}
    assert answers[60] == (429, "too_fast", 60)


async def test_who_asks_for_another_code_too_soon_is_told_when(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    await one.ask()
    status, code, after = await _refused(one.site, "/api/v1/login/otp", {"phone": "+2250701020304"})
    assert (status, code) == (429, "too_many_codes")
    assert 0 < after <= 60


async def test_a_country_that_is_not_served_is_no_matter_of_waiting(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp(), otp_countries="221")
    told = await _refused(one.site, "/api/v1/login/otp", {"phone": "+2250701020304"})
    assert told == (400, "country_not_served", 0)


class _Long(FakeModel):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()
        self.free = asyncio.Event()

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        self.begun.set()
        await self.free.wait()
        emit(Content("at last"))
        return reply("at last")


async def test_a_person_in_a_hurry_can_stop_the_running_turn(site: MakeSite) -> None:
    model = _Long()
    griot = await site(model, rate_limit_per_minute=1)
    await griot.log_in()
    running = asyncio.create_task(griot.chat("a long question", session_id="s1"))
    await model.begun.wait()
    for _ in range(2):
        await _refused(griot, "/api/v1/chat", {"message": "/help"})
    body = {"message": "/stop", "session_id": "s1"}
    statuses = [(await _refused(griot, "/api/v1/chat", body))[0] for _ in range(3)]
    assert statuses == [200, 200, 429]  # as many again as a person may send
    assert (await running)[-1] == ("end", {"reason": "cancelled"})


async def test_a_session_stays_busy_when_its_turn_outlives_the_lease(site: MakeSite) -> None:
    """The lease is renewed: nobody takes a live turn over, and nothing is said or charged twice."""
    model = _Long()
    griot = await site(model, lease_seconds=1)
    await griot.log_in()
    running = asyncio.create_task(griot.chat("a long question", session_id="s1"))
    await model.begun.wait()
    fences = await read_values(griot.app.database, "lane", "fence", id="http:s1")
    for _ in range(5):
        await asyncio.sleep(0.7)
        told = await _refused(griot, "/api/v1/chat", {"message": "again", "session_id": "s1"})
        assert told[:2] == (409, "busy")
    assert await read_values(griot.app.database, "lane", "fence", id="http:s1") == fences
    model.free.set()
    events = await running
    assert [fields["text"] for name, fields in events if name == "content"] == ["at last"]
    assert events[-1] == ("end", {"reason": "answered"})
    turn = await read_row(griot.app.database, "turn")
    assert turn["attempts"] == 1


async def test_a_neighbour_in_a_hurry_keeps_nobody_from_logging_in(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp(), rate_limit_per_minute=20)
    await one.ask()
    code = await one.code()
    for _ in range(130):
        await one.give("123456", "+2250701020399")
    assert (await one.give("123456", "+2250701020399"))[0] == 429
    assert (await one.give(code))[0] == 200


# Many at the same moment --------------------------------------------------------------------------


async def _ask_at_once(griot: Site, number: int, path: str = "/api/v1/chat") -> list[int]:
    """The statuses of this many requests, each in a session of its own."""
    body: dict[str, Any] = {"message": "hello"}
    if path != "/api/v1/chat":
        body = {"model": "griot", "messages": [{"role": "user", "content": "hello"}]}
    asked = (griot.request("POST", path, json=body) for _ in range(number))
    return sorted([status for status, _ in await asyncio.gather(*asked)])


@pytest.mark.parametrize(
    ("path", "refused"), [("/api/v1/chat", 402), ("/v1/chat/completions", 429)]
)
async def test_no_more_run_at_once_than_credits_pay_for(
    site: MakeSite, path: str, refused: int
) -> None:
    griot = await site(_Slow(), welcome_credits=2)
    await griot.log_in()
    assert await _ask_at_once(griot, 6, path) == [200] * 2 + [refused] * 4
    _, me = await griot.request("GET", "/api/v1/me")
    assert me["balance"] == 0


async def test_no_more_run_at_once_than_a_guest_may_ask_a_day(site: MakeSite) -> None:
    griot = await site(_Slow(), guest_daily_messages=2)
    assert await _ask_at_once(griot, 6) == [200] * 2 + [429] * 4


async def test_no_more_run_at_once_than_the_pace_allows(site: MakeSite) -> None:
    griot = await site(_Slow(), rate_limit_per_minute=3, welcome_credits=1000)
    await griot.log_in()
    assert await _ask_at_once(griot, 6) == [200] * 3 + [429] * 3


async def test_what_is_refused_is_kept_nowhere_and_costs_nothing(site: MakeSite) -> None:
    griot = await site(_Slow(), welcome_credits=1)
    await griot.log_in()
    assert await _ask_at_once(griot, 4) == [200, 402, 402, 402]
    database = griot.app.database
    assert await count_rows(database, "inbox") == 1
    kinds = await read_rows(database, "ledger", order_by="kind")
    assert [row["kind"] for row in kinds] == ["reserve", "settle", "welcome"]


async def test_the_days_limit_is_told_as_an_answer_too(site: MakeSite) -> None:
    griot = await site(FakeModel(), max_person_day_usd=0)
    await griot.log_in()
    events = await griot.chat("hello")
    told = dict(events)
    assert told["content"]["text"] == told["error"]["message"]
    assert told["end"] == {"reason": "limit"}


# A request with a key -----------------------------------------------------------------------------


async def test_a_chat_with_a_key_of_its_own_is_run_once(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("first"), reply("second")))
    await griot.log_in()
    griot.headers["Idempotency-Key"] = "one"
    assert "first" in str(await griot.chat("hello"))
    assert "first" in str(await griot.chat("hello"))
    griot.headers["Idempotency-Key"] = "two"
    assert "second" in str(await griot.chat("hello"))
    assert await count_rows(griot.app.database, "inbox") == 2


@pytest.mark.parametrize("goes_on", [False, True], ids=["new session", "its session"])
async def test_a_chat_with_a_key_is_run_once_over_a_restart(
    make_settings: Callable[..., Settings], *, goes_on: bool
) -> None:
    settings, fields = make_settings(), dict[str, str]()
    async with open_site(settings, FakeModel(reply("hi"), reply("first"))) as griot:
        await griot.log_in()
        said = await griot.chat("hi")
        if goes_on:
            fields = {"session_id": said[0][1]["session_id"]}
        headers = griot.headers | {"Idempotency-Key": "one"}
        griot.headers = headers
        before = await griot.chat("hello", **fields)
    async with open_site(settings, FakeModel(reply("second"))) as griot:
        griot.headers = headers
        after = await griot.chat("hello", **fields)
        assert before[0] == after[0]
        assert "first" in str(after)
        assert await count_rows(griot.app.database, "turn") == 2


async def test_a_chat_with_a_key_that_comes_several_times_at_once_is_run_once(
    site: MakeSite,
) -> None:
    griot = await site(_Slow())
    await griot.log_in()
    griot.headers["Idempotency-Key"] = "one"
    told = await asyncio.gather(*(griot.chat("hello") for _ in range(4)))
    assert all("at last" in str(events) for events in told)
    starts = [[event for event in events if event[0] == "start"] for events in told]
    assert all(len(found) == 1 for found in starts)
    assert len({str(found) for found in starts}) == 1
    assert await count_rows(griot.app.database, "inbox") == 1


class _Slow(FakeModel):
    """Takes its time, so that turns overlap."""

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        await asyncio.sleep(0.5)
        emit(Content("at last"))
        return reply("at last", usd=0.0001)

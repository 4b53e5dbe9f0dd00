"""Logging in where Twilio Verify makes the codes: in a chat, and over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.gateway.commands.login import CodeVerification
from bot.settings import Settings
from bot.standins.twilio_errors import BROKEN, TOO_MANY_SENDS
from tests.standins.twilio import TwilioStandIn, running_twilio
from tests.standins.twilio_verify import SERVICE
from tests.support.app import MakeApp, TestApp
from tests.support.fakes import FakeModel
from tests.support.queries import FromNow, change_rows, read_row, read_rows
from tests.support.site import MakeSite, serve_sites
from tests.support.waiting import until

AWA, BINTA = "+2250701020304", "+2250701020305"


@pytest.fixture
async def site(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeSite]:
    """`await site(model, **settings)` is a Griot that listens until the test ends."""
    async with serve_sites(make_settings) as make:
        yield make


@pytest.fixture
async def twilio() -> AsyncIterator[TwilioStandIn]:
    async with running_twilio() as standin:
        yield standin
        assert standin.violations == []


@pytest.fixture
def verified(twilio: TwilioStandIn) -> dict[str, str]:
    named = ("twilio_account_sid", "twilio_auth_token", "twilio_api_url")
    settings = {name: twilio.settings[name] for name in named}
    return {**settings, "twilio_verify_service_sid": SERVICE}


@pytest.fixture
async def one(app: MakeApp, verified: dict[str, str]) -> TestApp:
    opened = await app(welcome_credits=50, **verified)
    await opened.start(FakeModel())
    return opened


async def say(one: TestApp, text: str) -> str:
    """The last that the person is told, once everything is done."""
    await one.send(text)
    await until(one.settled)
    return one.said()[-1]


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06d}"


async def everything(one: TestApp) -> str:
    """Each row of each table."""
    dumped: list[tuple[Any, ...]] = []
    for table in ("inbox", "outbox", "journal", "code", "turn", "lane", "allowance", "account"):
        dumped += await read_rows(one.database, table)
    return str(dumped)


async def test_a_number_a_code_and_in(one: TestApp, twilio: TwilioStandIn) -> None:
    told = await say(one, f"/login {AWA}")
    assert told.startswith("I have sent a code to +225••••••••04 by WhatsApp.")
    code = twilio.verify.by_number[AWA].code
    assert (await say(one, wrong(code))).startswith("This code is wrong or too old.")
    assert (await say(one, code)).startswith("You are logged in. Welcome! Credits: 50.")
    kept = await everything(one)
    assert AWA in kept
    assert code not in kept
    assert wrong(code) not in kept


async def test_it_is_said_by_which_way_the_code_went(one: TestApp, twilio: TwilioStandIn) -> None:
    twilio.verify.unreachable.add(AWA)
    assert "by SMS" in await say(one, f"/login {AWA}")


async def test_our_own_code_proves_nothing(one: TestApp) -> None:
    await say(one, f"/login {AWA}")
    row = await read_row(one.database, "code")
    told = await say(one, one.app.codes.reveal(row["id"]))
    assert told.startswith("This code is wrong or too old.")


async def test_five_tries_and_five_minutes_are_ours(one: TestApp, twilio: TwilioStandIn) -> None:
    await say(one, f"/login {AWA}")
    code = twilio.verify.by_number[AWA].code
    await change_rows(one.database, "code", {"tries": 5})
    checks = len(twilio.verify.checked)
    assert (await say(one, code)).startswith("The code no longer works.")
    await change_rows(one.database, "code", {"tries": 0, "expires_at": FromNow(-1)})
    assert (await say(one, code)).startswith("The code no longer works.")
    assert len(twilio.verify.checked) == checks


async def test_too_soon_asks_no_service(one: TestApp, twilio: TwilioStandIn) -> None:
    await say(one, f"/login {AWA}")
    calls = len(twilio.calls)
    assert "on its way" in await say(one, f"/login {AWA}")
    assert len(twilio.calls) == calls


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (429, TOO_MANY_SENDS, "You asked for many codes."),
        (400, 60200, "No code can be sent to this number."),
        (404, 20404, "I cannot send codes right now."),
        (500, BROKEN, "I cannot send codes right now."),
    ],
)
async def test_what_cannot_be_sent_is_said_kindly_and_does_not_count(
    one: TestApp, twilio: TwilioStandIn, status: int, code: int, words: str
) -> None:
    twilio.fail_next("verify", accept=False, status=status, code=code, times=2)
    assert (await say(one, f"/login {AWA}")).startswith(words)
    assert await read_rows(one.database, "code") == []
    twilio.release_all()
    if code != TOO_MANY_SENDS:
        assert "I have sent a code" in await say(one, f"/login {AWA}")


async def test_a_service_that_is_gone_says_so_and_the_code_still_counts(
    one: TestApp, twilio: TwilioStandIn
) -> None:
    await say(one, f"/login {AWA}")
    code = twilio.verify.by_number[AWA].code
    twilio.fail_next("verify", accept=False, status=500, code=BROKEN)
    assert (await say(one, code)).startswith("I cannot send codes right now.")
    assert "You are logged in" in await say(one, code)


async def test_over_http_too(site: MakeSite, twilio: TwilioStandIn, verified: Any) -> None:
    griot = await site(FakeModel(), **verified)

    async def post(path: str, **body: str) -> tuple[int, Any]:
        return await griot.request("POST", f"/api/v1/login/{path}", json=body)

    assert (await post("otp", phone=AWA))[0] == 202
    assert (await post("otp", phone=AWA))[0] == 429
    code = twilio.verify.by_number[AWA].code
    refused = await post("verify", phone=AWA, code=wrong(code))
    unknown = await post("verify", phone=BINTA, code=code)
    assert refused == unknown
    assert refused[0] == 400
    assert {number for number, _ in twilio.verify.checked} == {AWA, BINTA}
    status, answer = await post("verify", phone=AWA, code=code)
    assert status == 200
    assert answer["token"]
    assert await post("verify", phone=AWA, code=code) == refused
    twilio.fail_next("verify", accept=False, status=500, code=BROKEN, times=2)
    assert (await post("otp", phone=BINTA))[0] == 503


async def test_what_was_typed_is_kept_under_a_pad_of_its_own(app: MakeApp, verified: Any) -> None:
    one = await app(**verified)
    codes = one.app.codes
    first, second = codes.keep_typed("012345"), codes.keep_typed("012345")
    assert first != second
    assert [codes.read_typed(each) for each in (first, second)] == ["012345"] * 2
    assert "012345" not in first + second
    assert codes.read_typed(codes.seal("012345")) == ""
    assert isinstance(one.app.code_verification, CodeVerification)

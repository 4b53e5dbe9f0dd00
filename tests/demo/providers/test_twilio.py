"""Twilio's limits as the demo enforces them; what both phones show, and what is reported."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from bot.demo.local_server import find_free_port, serve_routes
from bot.demo.providers.phone_screens import PhoneScreens
from bot.demo.providers.twilio import TwilioApi, TwilioPerson
from bot.demo.providers.webhook_sender import WebhookSender
from tests.support.waiting import until

NUMBER = "+2250701020304"
Send = Callable[..., Awaitable[tuple[int, dict[str, Any]]]]


@pytest.fixture
async def twilio(screens: PhoneScreens, posting: WebhookSender) -> AsyncIterator[TwilioApi]:
    api = TwilioApi(screens, posting, NUMBER, f"http://127.0.0.1:{find_free_port()}")
    api.segment_usd = 0.05
    yield api
    await api.sender.close()


@pytest.fixture
def person(screens: PhoneScreens, posting: WebhookSender, twilio: TwilioApi) -> TwilioPerson:
    return TwilioPerson(screens, posting, twilio)


@pytest.fixture
async def origin(twilio: TwilioApi) -> AsyncIterator[str]:
    async with serve_routes(twilio.routes()) as origin:
        yield origin


@pytest.fixture
async def send(origin: str, twilio: TwilioApi, http: aiohttp.ClientSession) -> Send:
    async def send(
        whatsapp: bool = False, secret: str = "", **fields: str
    ) -> tuple[int, dict[str, Any]]:
        mark = "whatsapp:" if whatsapp else ""
        sender = twilio.numbers["whatsapp" if whatsapp else "sms"]
        url = f"{origin}/2010-04-01/Accounts/{twilio.account_sid}/Messages.json"
        form = {"To": mark + NUMBER, "From": mark + sender, **fields}
        password = secret or twilio.auth_token
        login = {"Authorization": aiohttp.encode_basic_auth(twilio.account_sid, password)}
        async with http.post(url, data=form, headers=login) as answer:
            return answer.status, await answer.json()

    return send


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"Body": ""}, 21619),
        ({"Body": "é" * 1601}, 21617),
        ({"Body": "a", "To": "+2250799999999"}, 21211),
        ({"Body": "a", "From": "+15551234567"}, 21606),
        ({"Body": "a", "MediaUrl": "http://127.0.0.1/x"}, 21612),
        ({"ContentSid": "HX1"}, 63013),
        ({"ContentSid": "HX1", "whatsapp": True}, 21655),
        ({"Body": "a", "secret": "wrong"}, 20003),
    ],
)
async def test_what_twilio_does_not_take_is_refused(
    send: Send, fields: dict[str, Any], code: int
) -> None:
    status, answer = await send(**fields)
    assert (status, answer["code"]) == (401 if code == 20003 else 400, code)


async def test_outside_its_window_whatsapp_shows_nothing(
    send: Send, person: TwilioPerson, screens: PhoneScreens
) -> None:
    _, late = await send(Body="a", whatsapp=True)
    person.write("whatsapp", "Bonjour")
    _, answer = await send(Body="b", whatsapp=True)
    assert screens.find("whatsapp", late["sid"]) is None
    shown = screens.find("whatsapp", answer["sid"])
    assert shown is not None
    await until(lambda: _has_tick(screens, answer["sid"], "read"))


async def _has_tick(screens: PhoneScreens, sid: str, tick: str) -> bool:
    shown = screens.find("whatsapp", sid)
    return shown is not None and shown.tick == tick


async def test_buttons_are_shown_and_a_tap_names_them(
    origin: str, twilio: TwilioApi, person: TwilioPerson, screens: PhoneScreens, send: Send,
    http: aiohttp.ClientSession,
) -> None:  # fmt: skip
    person.write("whatsapp", "Bonjour")
    login = {"Authorization": aiohttp.encode_basic_auth(twilio.account_sid, twilio.auth_token)}
    async with http.post(f"{origin}/v1/Content", json=quick(2), headers=login) as answer:
        content = (await answer.json())["sid"]
    _, sent = await send(ContentSid=content, whatsapp=True)
    shown = screens.find("whatsapp", sent["sid"])
    assert shown is not None
    assert [option.label for row in shown.rows for option in row] == ["Oui0", "Oui1"]
    person.tap(sent["sid"], "1")
    assert twilio.people.messages.all[-1].body == "Oui1"
    with pytest.raises(LookupError):
        person.tap(sent["sid"], "none")


async def test_an_sms_shows_its_segments_and_their_price(send: Send, screens: PhoneScreens) -> None:
    _, answer = await send(Body="ç" * 71)
    await until(lambda: _is_shown(screens, answer["sid"]))
    shown = screens.find("sms", answer["sid"])
    assert shown is not None
    assert (shown.segments, shown.usd) == (2, 0.1)


async def _is_shown(screens: PhoneScreens, sid: str) -> bool:
    return screens.find("sms", sid) is not None


async def test_after_stop_nothing_is_sent_until_start(
    send: Send, person: TwilioPerson, screens: PhoneScreens
) -> None:
    person.write("sms", "Stop")
    assert (await send(Body="a"))[1]["code"] == 21610
    person.write("sms", "START")
    assert (await send(Body="a"))[0] == 201


async def test_more_than_twenty_a_second_are_too_many(send: Send) -> None:
    statuses = [(await send(Body="a"))[0] for _ in range(60)]
    assert 429 in statuses


def quick(count: int, title: str = "Oui{}") -> dict[str, Any]:
    titles = [title.format(n) for n in range(count)]
    actions = [
        {"type": "QUICK_REPLY", "title": each, "id": str(n)} for n, each in enumerate(titles)
    ]
    return {"language": "fr", "types": {"twilio/quick-reply": {"body": "?", "actions": actions}}}


def picker(count: int, **more: str) -> dict[str, Any]:
    items = [{"item": f"Oui{n}", "id": str(n), **more} for n in range(count)]
    types = {"twilio/list-picker": {"body": "?", "button": "☰", "items": items}}
    return {"language": "fr", "types": types}


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (quick(3), 201),
        (quick(4), 400),
        (quick(1, "x" * 21), 400),
        (quick(2, "Oui"), 400),
        (picker(10), 201),
        (picker(11), 400),
        (picker(1, item="x" * 25), 400),
        (picker(2, id="same"), 400),
        (picker(1, description="x" * 73), 400),
        ({"types": {"twilio/card": {"body": "?"}}}, 400),
        ({"types": {}}, 400),
        ({}, 400),
    ],
)
async def test_buttons_and_lists_keep_their_limits(
    origin: str, twilio: TwilioApi, http: aiohttp.ClientSession, content: Any, status: int
) -> None:
    login = {"Authorization": aiohttp.encode_basic_auth(twilio.account_sid, twilio.auth_token)}
    async with http.post(f"{origin}/v1/Content", json=content, headers=login) as answer:
        assert answer.status == status

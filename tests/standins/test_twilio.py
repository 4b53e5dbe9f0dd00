"""The stand-in is only worth something if it refuses what Twilio refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from twilio.request_validator import RequestValidator

from bot.standins.twilio_people import Option
from bot.standins.twilio_sending import OFFICE, count_segments
from tests.standins.twilio import TwilioStandIn, running_twilio
from tests.standins.twilio_client import (
    AWA,
    CALLBACK,
    JOHN,
    JPEG,
    KOFFI,
    MB,
    PDF,
    PUBLIC,
    Clock,
    Griot,
    ask,
    create_content,
    credentials,
    list_picker,
    quick_reply,
    running_griot,
    send,
    send_sms,
)
from tests.standins.twilio_schema import MESSAGES, answer_validator


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def griot() -> AsyncIterator[Griot]:
    async with running_griot() as client:
        yield client


@pytest.fixture
async def twilio(griot: Griot, clock: Clock) -> AsyncIterator[TwilioStandIn]:
    async with running_twilio(public_url=PUBLIC, post_to=griot.url, clock=clock) as stand_in:
        stand_in.people.last_wrote[AWA] = clock()
        yield stand_in


async def test_the_phone_shows_what_was_sent_on_either_channel(twilio: TwilioStandIn) -> None:
    status, answer = await send(twilio, Body="Bonjour")
    await send_sms(twilio, Body="ê" * 71, ValidityPeriod="60", SmartEncoded="true", Tags="{}")
    assert (status, answer["status"], answer["num_segments"]) == (201, "queued", "1")
    [first, second] = twilio.chat(AWA)
    assert (first.sid, first.body, first.channel, first.kind) == (
        *(answer["sid"], "Bonjour", "whatsapp", "text"),
    )
    assert (second.channel, second.segments) == ("sms", 2)
    assert twilio.chat(AWA, "sms") == [second]
    assert twilio.chat(JOHN) == twilio.violations == []


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({}, 21619),
        ({"Body": " \n"}, 21619),
        ({"Body": "x" * 1601}, 21617),
        ({"Body": "😀" * 801}, 21617),
        ({"Body": "x", "To": None}, 21604),
        ({"Body": "x", "To": "whatsapp:0701020304"}, 21211),
        ({"Body": "x", "To": AWA}, 21910),
        ({"Body": "x", "From": None}, 21603),
        ({"Body": "x", "From": "whatsapp:+15005550009"}, 63007),
        ({"Body": "x", "To": AWA, "From": "+15005550009"}, 21606),
        ({"Body": "x", "MessagingServiceSid": "MG" + "0" * 32}, 20001),
        ({"Body": "x", "ContentSid": "HX" + "0" * 32}, 20001),
        ({"ContentSid": "HX" + "0" * 32}, 21655),
        ({"ContentSid": "HX0"}, 20001),
        ({"Body": "x", "ContentVariables": "{}"}, 21656),
        ({"Body": "x", "ProvideFeedback": "oui"}, 20001),
        ({"Body": "x", "StatusCallback": "https://under_score.example/x"}, 21609),
        ({"Body": "x", "StatusCallback": "griot.example/x"}, 21609),
        ({"MediaUrl": [f"{PUBLIC}/files/a", f"{PUBLIC}/files/b"]}, 21623),
        ({"MediaUrl": f"{PUBLIC}/files/a", "To": AWA, "From": "+15005550006"}, 21612),
    ],
)
async def test_what_twilio_would_refuse_is_refused_and_kept_as_a_violation(
    twilio: TwilioStandIn, wrong: dict[str, Any], code: int
) -> None:
    status, answer = await send(twilio, **wrong)
    assert (status, answer["code"], answer["status"]) == (400, code, 400)
    assert answer["more_info"].endswith(f"/{code}")
    assert answer["message"]
    assert len(twilio.violations) == 1
    assert twilio.chat(AWA) == []


@pytest.mark.parametrize(
    "odd",
    [
        {"StatusCallback": None},
        {"StatusCallback": "https://elsewhere.example/status"},
        {"Text": "x"},
        {"Body": ["x", "y"]},
        {"MediaUrl": f"{PUBLIC}/files/b"},
    ],
)
async def test_what_twilio_takes_but_the_house_does_not_is_a_violation_too(
    twilio: TwilioStandIn, griot: Griot, odd: dict[str, Any]
) -> None:
    griot.files["b"] = (PDF, "application/pdf")
    assert (await send(twilio, **{"Body": "x", **odd}))[0] == 201
    assert len(twilio.violations) == len(twilio.chat(AWA)) == 1


@pytest.mark.parametrize("path", [MESSAGES, "/v1/Content", "/v2/Indicators/Typing.json"])
async def test_every_door_wants_the_account_and_its_token(twilio: TwilioStandIn, path: str) -> None:
    for auth in (None, "Basic ?", aiohttp.encode_basic_auth("AC0", twilio.auth_token)):
        headers = {} if auth is None else {"Authorization": auth}
        url = twilio.url + path.format(AccountSid=twilio.account_sid)
        async with aiohttp.ClientSession() as http, http.post(url, headers=headers) as response:
            assert (response.status, (await response.json())["code"]) == (401, 20003)
    assert len(twilio.violations) == 3


async def test_other_accounts_other_routes_and_other_encodings_are_refused(
    twilio: TwilioStandIn,
) -> None:
    other = MESSAGES.replace("{AccountSid}", "AC" + "0" * 32)
    assert (await ask(twilio, "POST", other, data={"To": AWA}))[0] == 404
    assert (await ask(twilio, "GET", "/2010-04-01/Accounts.json"))[0] == 404
    parts = aiohttp.FormData({"To": AWA, "Body": "x"}, default_to_multipart=True)
    for wrong in ({"json": {"To": AWA}}, {"data": parts}):
        status, answer = await ask(twilio, "POST", MESSAGES, **wrong)
        assert (status, answer["code"]) == (400, 20001)
    assert len(twilio.violations) == 4


async def test_its_answers_have_the_form_of_the_specification(twilio: TwilioStandIn) -> None:
    _, made = await send(twilio, Body="x")
    _, content = await create_content(twilio, quick_reply())
    answer_validator("api_v2010", MESSAGES, "post").validate(made)
    answer_validator("content_v1", "/v1/Content", "post").validate(content)


@pytest.mark.parametrize(
    ("body", "segments"),
    [
        ("x" * 160, 1),
        ("x" * 161, 2),
        ("x" * 306, 2),
        ("x" * 307, 3),
        ("€" * 80, 1),
        ("x" * 152 + "€" + "x" * 152, 3),
        ("ê" * 70, 1),
        ("ê" * 71, 2),
        ("ê" * 66 + "😀" + "ê" * 66, 3),
        ("", 1),
    ],
)
def test_segments_are_counted_as_they_are_paid(body: str, segments: int) -> None:
    assert count_segments(body) == segments


@pytest.mark.parametrize(
    "types",
    [
        quick_reply(3, title=""),
        quick_reply(body="x" * 1024, title="x" * 20),
        list_picker(10, description="x" * 72),
        list_picker(id="x" * 200, item="x" * 24, button="x" * 20),
    ],
)
async def test_buttons_and_lists_are_shown_up_to_the_limits(
    twilio: TwilioStandIn, types: Any
) -> None:
    _, content = await create_content(twilio, types)
    assert (await send(twilio, ContentSid=content["sid"]))[0] == 201
    [shown] = twilio.chat(AWA)
    [(kind, wanted)] = types.items()
    assert (shown.kind, shown.body) == (kind, wanted["body"])
    assert len(shown.options) == len(wanted.get("actions", wanted.get("items")))
    assert twilio.violations == []


@pytest.mark.parametrize(
    "types",
    [
        quick_reply(0),
        quick_reply(4),
        quick_reply(2, title="x"),
        quick_reply(title="x" * 21),
        quick_reply(2, id="x"),
        quick_reply(id="x" * 201),
        quick_reply(body="x" * 1025),
        quick_reply(payload="x"),
        list_picker(0),
        list_picker(11),
        list_picker(2, id="x"),
        list_picker(id=""),
        list_picker(item="x" * 25),
        list_picker(description="x" * 73),
        list_picker(button="x" * 21),
        list_picker(body=" "),
        quick_reply() | list_picker(),
        {"twilio/text": {}},
        {"twilio/card": {"title": "x"}},
    ],
)
async def test_content_over_a_limit_is_refused(twilio: TwilioStandIn, types: Any) -> None:
    status, _ = await create_content(twilio, types)
    assert (status, len(twilio.violations), twilio.contents.held) == (400, 1, {})


async def test_content_is_not_for_sms(twilio: TwilioStandIn) -> None:
    _, content = await create_content(twilio, list_picker())
    assert (await send_sms(twilio, ContentSid=content["sid"]))[1]["code"] == 63013


@pytest.mark.parametrize(
    ("variables", "status"),
    [
        ('{"1": "Bonjour"}', 201),
        (None, 400),
        ("{", 400),
        ('{"1": 1}', 400),
        ('{"1": " "}', 400),
        ('{"1": "a\\nb"}', 400),
        ('{"1": "a     b"}', 400),
        (json.dumps({"1": "x" * 1021}), 400),
    ],
)
async def test_outside_the_window_a_template_goes_when_it_is_well_filled(
    twilio: TwilioStandIn, variables: str | None, status: int
) -> None:
    twilio.people.close_window(AWA)
    sid = twilio.contents.approve("Re: {{1}}")
    assert (await send(twilio, ContentSid=sid, ContentVariables=variables))[0] == status
    assert [each.body for each in twilio.chat(AWA)] == ["Re: Bonjour"] * (status == 201)
    assert len(twilio.violations) == (status == 400)


async def test_after_24_hours_free_text_and_buttons_fail_late_or_at_once(
    twilio: TwilioStandIn, griot: Griot, clock: Clock
) -> None:
    clock.now += 24 * 3600
    _, content = await create_content(twilio, quick_reply())
    for fields in ({"Body": "x"}, {"ContentSid": content["sid"]}):
        assert (await send(twilio, **fields))[0] == 201
    await twilio.settled()
    assert [(told["MessageStatus"], told["ErrorCode"]) for told in griot.webhooks] == [
        ("failed", "63016")
    ] * 2
    sid = griot.webhooks[0]["MessageSid"]
    known = twilio.people.messages.find(sid)
    assert (known.status, known.error_code) == ("failed", 63016)
    twilio.sender.refuse_late = False
    status, answer = await send(twilio, Body="x")
    assert (status, answer["code"]) == (400, 63016)
    assert twilio.refusals == [63016] * 3
    assert twilio.chat(AWA) == twilio.violations == []
    twilio.write(AWA, "Bonjour", whatsapp=True)
    await send(twilio, Body="x")
    assert len(twilio.chat(AWA)) == 1


@pytest.mark.parametrize(
    ("to", "content", "kind", "code"),
    [
        (AWA, PDF, "application/pdf", None),
        (AWA, JPEG, "image/jpeg", None),
        (AWA, b"PK", f"{OFFICE}wordprocessingml.document", None),
        (AWA, JPEG.ljust(5 * MB, b"x"), "image/jpeg", None),
        (JOHN, JPEG, "image/jpeg", None),
        (AWA, JPEG.ljust(5 * MB + 1, b"x"), "image/jpeg", 63021),
        (AWA, PDF.ljust(16 * MB + 1), "application/pdf", 63021),
        (AWA, b"<p>", "text/html", 63021),
        (AWA, b"x", "text/plain", 63021),
        (AWA, PDF, "image/jpeg", 63021),
        (AWA, b"", "audio/ogg", 63021),
        (JOHN, b"<p>", "text/html", 12300),
        (JOHN, PDF.ljust(500 * 2**10 + 1), "application/pdf", 30019),
        (JOHN, JPEG.ljust(5 * MB + 1, b"x"), "image/jpeg", 30019),
    ],
)
async def test_media_are_fetched_without_credentials_and_checked(
    twilio: TwilioStandIn, griot: Griot, to: str, content: bytes, kind: str, code: int | None
) -> None:
    griot.files["a"] = (content, kind)
    way = send_sms if to == JOHN else send
    assert (await way(twilio, to, MediaUrl=f"{PUBLIC}/files/a"))[0] == 201
    await twilio.settled()
    shown = [media for each in twilio.chat(to) for media in each.media.values()]
    if code is None:
        [media] = shown
        assert (media.content, media.mime_type, media.filename) == (content, kind, "f.pdf")
    else:
        assert (shown, griot.webhooks[0]["ErrorCode"]) == ([], str(code))
    assert len(twilio.violations) == (code is not None)
    assert ["Authorization" in headers for headers in griot.fetched] == [False]


@pytest.mark.parametrize(("url", "code"), [("http://127.0.0.1:1/x", 63019), ("ftp://x/y", 21620)])
async def test_media_that_cannot_be_had_are_refused(
    twilio: TwilioStandIn, url: str, code: int
) -> None:
    twilio.sender.refuse_late = False
    status, answer = await send(twilio, MediaUrl=url)
    assert (status, answer["code"], twilio.chat(AWA)) == (400, code, [])


async def test_after_stop_a_message_is_refused_and_a_breach_once_it_was_told(
    twilio: TwilioStandIn, griot: Griot
) -> None:
    twilio.people.opt_out(JOHN)
    codes = [(await send_sms(twilio, JOHN, Body="x"))[1]["code"] for _ in range(2)]
    assert (codes, len(twilio.violations)) == ([21610, 21610], 1)
    await twilio.say(AWA, "stop ")
    assert griot.webhooks[-1]["OptOutType"] == "STOP"
    assert (await send_sms(twilio, Body="x"))[1]["code"] == 21610
    assert len(twilio.violations) == 2
    griot.answer = (503, "", "text/plain")
    await twilio.say(KOFFI, "STOP")
    assert (await send_sms(twilio, KOFFI, Body="x"))[1]["code"] == 21610
    assert len(twilio.violations) == 2
    assert (await send(twilio, Body="on WhatsApp"))[0] == 201
    await twilio.say(AWA, "Start")
    assert (await send_sms(twilio, Body="x"))[0] == 201


async def test_a_limit_strikes_the_phone_it_was_asked_for(twilio: TwilioStandIn) -> None:
    twilio.limit_rate(phone=AWA, times=2)
    statuses = [(await send_sms(twilio, to, Body="x"))[0] for to in (JOHN, AWA, AWA, AWA)]
    assert statuses == [201, 429, 429, 201]
    twilio.limit_rate(retry_after=3)
    url, form = twilio.url + MESSAGES.format(AccountSid=twilio.account_sid), {"To": AWA}
    async with aiohttp.ClientSession() as http:
        response = await http.post(url, data=form, headers=credentials(twilio))
        assert (response.status, response.headers["Retry-After"]) == (429, "3")
    twilio.limit_rate()
    status, answer = await create_content(twilio, quick_reply())
    assert (status, answer["code"], answer["status"]) == (429, 20429, 429)
    assert len(twilio.chat(AWA)) == 1
    assert twilio.violations == []


@pytest.mark.parametrize("accept", [True, False])
async def test_a_resend_after_a_lost_answer_shows_twice_what_was_accepted(
    twilio: TwilioStandIn, accept: bool
) -> None:
    twilio.fail_next(accept=accept)
    assert (await send(twilio, Body="a"))[0] == 500
    twilio.reset_next(accept=accept)
    with pytest.raises(aiohttp.ClientError):
        await send(twilio, Body="b")
    released = twilio.hang_next(accept=accept)
    waiting = asyncio.create_task(send(twilio, Body="c"))
    while len(twilio.calls) < 3:
        await asyncio.sleep(0)
    await ask(twilio, "GET", MESSAGES)
    assert not waiting.done()
    released.set()
    assert (await waiting)[0] == 201
    twilio.hang_next(accept=accept, seconds=0)
    assert (await send(twilio, Body="d"))[0] == 201
    for body in "abcd":
        await send(twilio, Body=body)
    shown = [each.body for each in twilio.chat(AWA)]
    assert shown == list("abcdabcd" if accept else "cdabcd")


@pytest.mark.parametrize("whatsapp", [True, False])
async def test_webhooks_are_signed_over_the_public_address(
    twilio: TwilioStandIn, griot: Griot, whatsapp: bool
) -> None:
    extra = [("Tag", "b"), ("Tag", "a"), ("Tag", "b"), ("NewField", "é &="), ("Empty", "")]
    assert (await twilio.say(AWA, "Ça va ?", whatsapp=whatsapp, extra=extra)).status == 204
    [told], [signature] = griot.webhooks, griot.signatures
    validator = RequestValidator(twilio.auth_token)
    assert validator.validate(f"{PUBLIC}/webhooks/twilio", told, signature)
    assert not validator.validate(f"{griot.url}/webhooks/twilio", told, signature)
    assert not validator.validate(f"{PUBLIC}/webhooks/twilio", dict(told), signature)
    assert told.getall("Tag") == ["b", "a", "b"]
    mark = "whatsapp:" if whatsapp else ""
    assert (told["From"], told["Body"], told["NumMedia"]) == (mark + AWA, "Ça va ?", "0")
    assert told.get("WaId") == (AWA[1:] if whatsapp else None)
    assert told["MessageSid"] == told["SmsMessageSid"]


async def test_what_people_send_beside_text(twilio: TwilioStandIn, griot: Griot) -> None:
    await twilio.say(AWA, whatsapp=True, location=(5.3, -4.0), profile_name="Koffi")
    await twilio.say(AWA, whatsapp=True, button=("p", "Oui"), reply_to="SM1")
    await twilio.say(AWA, whatsapp=True, list_reply=("q", "Non"))
    place, button, chosen = griot.webhooks
    assert (place["Latitude"], place["Longitude"], place["Body"]) == ("5.3", "-4.0", "")
    assert (place["ProfileName"], place["MessageType"]) == ("Koffi", "location")
    assert (button["ButtonPayload"], button["ButtonText"], button["Body"]) == ("p", "Oui", "Oui")
    assert button["OriginalRepliedMessageSid"] == "SM1"
    assert (chosen["ListId"], chosen["ListTitle"], chosen["Body"]) == ("q", "Non", "Non")


@pytest.mark.parametrize("types", [quick_reply(), list_picker()])
async def test_a_tap_is_the_choice_that_the_phone_shows(
    twilio: TwilioStandIn, griot: Griot, types: Any
) -> None:
    _, content = await create_content(twilio, types)
    _, made = await send(twilio, ContentSid=content["sid"])
    assert twilio.chat(AWA)[0].options == [Option("i0", "t0")]
    await twilio.tap(AWA, "t0")
    [told] = griot.webhooks
    assert told["ListId" if "twilio/list-picker" in types else "ButtonPayload"] == "i0"
    assert told["OriginalRepliedMessageSid"] == made["sid"]
    with pytest.raises(LookupError):
        await twilio.tap(AWA, "t1")


async def test_media_of_people_are_behind_credentials_and_a_redirect(
    twilio: TwilioStandIn,
) -> None:
    told = dict(twilio.write(AWA, whatsapp=True, media=[(JPEG, "image/jpeg"), (PDF, "x/y")]))
    assert (told["NumMedia"], told["MediaContentType1"]) == ("2", "x/y")
    document = twilio.write(AWA, whatsapp=True, media=[(PDF, "application/pdf")])
    assert (told["MessageType"], dict(document)["MessageType"]) == ("image", "document")
    auth = credentials(twilio)
    async with aiohttp.ClientSession() as http:
        assert (await http.get(told["MediaUrl0"])).status == 401
        assert twilio.violations.pop().endswith("there is none")
        async with http.get(told["MediaUrl0"], headers=auth) as response:
            assert (await response.read(), response.content_type) == (JPEG, "image/jpeg")
            store = response.url
        assert store.origin() != twilio.url
        assert (await http.get(store, headers=auth)).status == 400
        assert len(twilio.violations) == 1
        twilio.media_origin = ""
        assert await (await http.get(told["MediaUrl1"], headers=auth)).read() == PDF


@pytest.mark.parametrize(("drops", "status", "attempts"), [(0, 204, 1), (1, 204, 2), (2, 0, 2)])
async def test_a_failed_connection_is_tried_once_more(
    twilio: TwilioStandIn, griot: Griot, drops: int, status: int, attempts: int
) -> None:
    griot.drops = drops
    assert (await twilio.say(AWA, "x")).status == status
    assert len(twilio.webhooks.attempts) == len(griot.webhooks) == attempts
    assert len({each.token for each in twilio.webhooks.attempts}) == 1


async def test_a_webhook_that_takes_too_long_is_not_tried_again(
    twilio: TwilioStandIn, griot: Griot
) -> None:
    griot.may_answer.clear()
    twilio.webhooks.patience_seconds = 0.1
    assert (await twilio.say(AWA, "x")).status == 0
    assert len(twilio.webhooks.attempts) == 1


async def test_the_same_message_may_come_twice_and_with_a_wrong_signature(
    twilio: TwilioStandIn, griot: Griot
) -> None:
    told = twilio.write(AWA, "x")
    await asyncio.gather(twilio.deliver(told), twilio.deliver(told))
    assert len({each["MessageSid"] for each in griot.webhooks}) == 1
    await twilio.deliver(told, signature="wrong")
    assert griot.signatures[2] == "wrong"


@pytest.mark.parametrize(
    ("text", "kind", "is_wrong"),
    [
        ("", "text/plain", False),
        ("<Response/>", "text/xml", False),
        ("<?xml version='1.0'?><Response></Response>", "application/xml", False),
        ("ok", "text/plain", True),
        ("<Response/>", "text/plain", True),
        ("{}", "application/json", True),
        ("<Response>", "text/xml", True),
        ("<Response><Message>x</Message></Response>", "text/xml", True),
    ],
)
async def test_a_webhook_answers_nothing_that_twilio_would_send_on(
    twilio: TwilioStandIn, griot: Griot, text: str, kind: str, is_wrong: bool
) -> None:
    griot.answer = (200, text, kind)
    await twilio.say(AWA, "x")
    assert len(twilio.violations) == is_wrong


async def test_reports_come_by_themselves_or_one_by_one_in_any_order(
    twilio: TwilioStandIn, griot: Griot
) -> None:
    twilio.sender.reports = ("read", "delivered", "sent")
    _, made = await send(twilio, Body="x")
    await twilio.settled()
    assert [each["MessageStatus"] for each in griot.webhooks] == ["read", "delivered", "sent"]
    assert twilio.chat(AWA)[0].status == "read"
    validator = RequestValidator(twilio.auth_token)
    assert validator.validate(CALLBACK, griot.webhooks[0], griot.signatures[0])
    await twilio.report(made["sid"], "undelivered", 30005)
    told = griot.webhooks[-1]
    assert (told["MessageSid"], told["ErrorCode"]) == (made["sid"], "30005")
    assert told["MessageStatus"] == told["SmsStatus"] == "undelivered"


async def test_typing_is_shown_to_the_writer_of_a_whatsapp_message_only(
    twilio: TwilioStandIn,
) -> None:
    path = "/v2/Indicators/Typing.json"
    on_whatsapp = dict(twilio.write(AWA, "x", whatsapp=True))["MessageSid"]
    by_sms, (_, ours) = dict(twilio.write(AWA, "x"))["MessageSid"], await send(twilio, Body="x")
    right = {"messageId": on_whatsapp, "channel": "whatsapp"}
    assert await ask(twilio, "POST", path, data=right) == (200, {"success": True})
    assert (twilio.typing, twilio.violations) == ([AWA], [])
    wrong: list[dict[str, str]] = [{"channel": "sms"}, {"messageId": "SM0"}, {"to": AWA}]
    wrong += [{"messageId": by_sms}, {"messageId": ours["sid"]}]
    for each in wrong:
        assert (await ask(twilio, "POST", path, data=right | each))[0] in {400, 404}
    assert (len(twilio.violations), twilio.typing) == (5, [AWA])

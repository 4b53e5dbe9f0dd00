"""The stand-in is only worth something if it refuses what Meta refuses."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.standins.whatsapp import TOKEN, WhatsAppStandIn, running_whatsapp
from tests.standins.whatsapp_business import (
    AWA,
    PNG,
    TEXT,
    Body,
    asking,
    buttons,
    interactive,
    listing,
    media,
    row,
    send,
    template,
    upload,
)
from tests.standins.whatsapp_phones import Option
from tests.standins.whatsapp_schema import answer_validator, check
from tests.standins.whatsapp_webhooks import JPEG, NUMBER_ID

TEMPLATES = {"news:fr": "Bonjour {{1}} !"}


@pytest.fixture
async def whatsapp() -> AsyncIterator[WhatsAppStandIn]:
    async with running_whatsapp(templates=TEMPLATES) as stand_in:
        stand_in.open_window(AWA)
        yield stand_in


async def test_the_person_sees_what_was_sent(whatsapp: WhatsAppStandIn) -> None:
    _, first = await send(whatsapp, TEXT | {"context": {"message_id": "wamid.x"}}, to=f"+{AWA}")
    await send(whatsapp, buttons(("1", "A"), footer={"text": "Griot"}))
    await send(whatsapp, listing(row(1, description="la première")))
    await send(whatsapp, template("Awa"))
    text, asked, listed, news = whatsapp.chat(AWA)
    assert first["messages"] == [{"id": text.wamid}]
    assert (text.text, text.reply_to) == ("Bonjour", "wamid.x")
    assert (asked.kind, asked.options, asked.footer) == ("button", (Option("1", "A"),), "Griot")
    assert listed.options == (Option("1", "Option 1", "la première"),)
    assert (listed.kind, listed.menu) == ("list", "Choisir")
    assert (news.text, news.template) == ("Bonjour Awa !", "news:fr")
    assert whatsapp.chat("22507000002") == whatsapp.violations == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "text"},
        {"type": "text", "text": {}},
        {"type": "text", "text": {"body": " \n"}},
        {"type": "text", "text": {"body": "x" * 4097}},
        {"type": "text", "text": {"body": "x", "parse_mode": "HTML"}},
        {**TEXT, "to": "awa"},
        {**TEXT, "messaging_product": "telegram"},
        {**TEXT, "no_such_parameter": 1},
        {**TEXT, "recipient_type": "group"},
        {"type": "poll", "poll": {}},
        {"type": "location", "location": {"latitude": "1", "longitude": "2"}},
        media("image"),
        media("image", id="404"),
        media("image", id="1", link="http://127.0.0.1/a.png"),
        media("image", link="file:///a.png"),
        media("image", link="http://127.0.0.1/a.png", caption="x" * 1025),
        media("image", link="http://127.0.0.1/a.png", filename="a.png"),
        media("audio", link="http://127.0.0.1/a.ogg", caption="x"),
        media("image", link="http://127.0.0.1/a.png", caption=5),
        buttons(),
        buttons(*[(str(number), str(number)) for number in range(4)]),
        buttons(("1", "x" * 21)),
        buttons(("1", " ")),
        buttons(("x" * 257, "A")),
        buttons((" 1", "A")),
        buttons(("1", "A"), ("1", "B")),
        buttons(("1", "A"), ("2", "A")),
        buttons(("1", "A"), body={"text": "x" * 1025}),
        buttons(("1", "A"), body={"text": ""}),
        buttons(("1", "A"), footer={"text": "x" * 61}),
        buttons(("1", "A"), header={"type": "text", "text": "x" * 61}),
        buttons(("1", "A"), header={"type": "image", "image": {"id": "1"}}),
        buttons(("1", "A"), buttons=[]),
        listing(),
        listing(*map(row, range(11))),
        listing(*map(row, range(12)), sections=2, title="x"),
        listing(row(1), row(2), sections=2),
        listing(row(1), sections=2, title="x"),
        listing(row(1), row(1)),
        listing(row(1), title="x" * 25),
        listing(row(1), button="x" * 21),
        listing(row(1), button=" "),
        listing(row(1, id="x" * 201)),
        listing(row(1, title="x" * 25)),
        listing(row(1, description="x" * 73)),
        interactive(type="list", action={"buttons": []}),
        interactive(type="cta_url", action={"name": "cta_url"}),
        template(),
        template("Awa", "Fatou"),
        template("a\nb"),
        template(""),
        template("x" * 1020),
        template("Awa", name="unknown"),
        template("Awa", language="en"),
        template("Awa", parameter="colour"),
        {"type": "template", "template": {"name": "news"}},
        {"type": "reaction", "reaction": {"message_id": "wamid.unknown", "emoji": "👍"}},
        {"type": "reaction", "reaction": {"emoji": "👍"}},
        {"status": "read"},
        {"status": "read", "message_id": "wamid.unknown"},
    ],
)
async def test_what_meta_would_refuse_is_refused_and_kept_as_a_violation(
    whatsapp: WhatsAppStandIn, wrong: Body
) -> None:
    status, answer = await send(whatsapp, wrong)
    assert status in {400, 404}
    assert set(answer["error"]) >= {"message", "type", "code", "fbtrace_id"}
    assert answer["error"]["code"] != 131047
    assert len(whatsapp.violations) == 1
    assert whatsapp.chat(AWA) == whatsapp.read == []


@pytest.mark.parametrize(
    "right",
    [
        {"type": "text", "text": {"body": "😀" * 4096, "preview_url": False}},
        buttons(
            *[(str(number) * 256, f"{number}" * 20) for number in range(3)],
            body={"text": "x" * 1024},
            footer={"text": "x" * 60},
            header={"type": "text", "text": "x" * 60},
        ),
        listing(
            *[row(n, title=f"{n}" * 24, description="x" * 72) for n in range(10)], button="x" * 20
        ),
        listing(row(1, id="x" * 200), row(2), sections=2, title="x" * 24),
        template("x" * 1014),
    ],
)
async def test_what_just_fits_is_shown(whatsapp: WhatsAppStandIn, right: Body) -> None:
    assert (await send(whatsapp, right))[0] == 200
    assert whatsapp.violations == []
    assert len(whatsapp.chat(AWA)) == 1


async def test_its_answers_have_the_form_of_the_specification(whatsapp: WhatsAppStandIn) -> None:
    path = "/{Version}/{Phone-Number-ID}"
    answer_validator(f"{path}/messages", "post").validate((await send(whatsapp, TEXT))[1])
    _, made = await upload(whatsapp, JPEG, "image/jpeg")
    answer_validator(f"{path}/media", "post").validate(made)
    async with asking(whatsapp, "GET", made["id"]) as response:
        answer_validator("/{Version}/{Media-ID}", "get").validate(await response.json())
    _, refused = await send(whatsapp, {})
    check("GraphAPIError", refused)


@pytest.mark.parametrize(
    ("method", "address", "token", "status"),
    [
        ("POST", f"{NUMBER_ID}/messages", "wrong", 401),
        ("POST", f"{NUMBER_ID}/media", "wrong", 401),
        ("GET", "1", "wrong", 401),
        ("GET", "/whatsapp_business/attachments/", "wrong", 401),
        ("POST", "999/messages", TOKEN, 400),
        ("GET", "404", TOKEN, 400),
        ("POST", "/v22.0/1/messages", TOKEN, 400),
        ("POST", f"{NUMBER_ID}/messages", TOKEN, 400),
    ],
)
async def test_a_wrong_token_address_or_body_is_a_violation(
    whatsapp: WhatsAppStandIn, method: str, address: str, token: str, status: int
) -> None:
    async with asking(whatsapp, method, address, token, data=b"{") as response:
        assert response.status == status
    assert len(whatsapp.violations) == 1


async def test_a_message_is_json_by_its_header_too(whatsapp: WhatsAppStandIn) -> None:
    told = {"messaging_product": "whatsapp", "to": AWA, **TEXT}
    for header, status in (("application/json", 200), ("text/plain", 400)):
        data, headers = json.dumps(told), {"Content-Type": header}
        async with asking(
            whatsapp, "POST", f"{NUMBER_ID}/messages", data=data, headers=headers
        ) as response:
            assert response.status == status


@pytest.mark.parametrize(
    "wrong", [{"status": "delivered"}, {"typing_indicator": {"type": "voice"}}, {"to": AWA}]
)
async def test_a_wrong_mark_is_refused(whatsapp: WhatsAppStandIn, wrong: Body) -> None:
    mark = {"status": "read", "message_id": whatsapp.text_message(AWA, "Bonjour")["id"]}
    assert (await send(whatsapp, mark | wrong))[0] == 400
    assert (len(whatsapp.violations), whatsapp.read) == (1, [])


async def test_a_message_is_marked_read_and_typing_shown_until_the_answer() -> None:
    now = 1_000_000.0
    async with running_whatsapp(clock=lambda: now) as whatsapp:
        first, second = (whatsapp.text_message(AWA, text)["id"] for text in ("Bonjour", "?"))
        await send(whatsapp, {"status": "read", "message_id": first})
        assert not whatsapp.is_typing(AWA)
        mark = {"status": "read", "message_id": second, "typing_indicator": {"type": "text"}}
        await send(whatsapp, mark)
        assert (whatsapp.read, whatsapp.typings) == ([first, second], [second])
        assert whatsapp.is_typing(AWA)
        now += 26
        assert not whatsapp.is_typing(AWA)
        await send(whatsapp, mark)
        await send(whatsapp, TEXT)
        assert not whatsapp.is_typing(AWA)


async def test_a_reaction_stands_on_a_message_until_it_is_taken_back(
    whatsapp: WhatsAppStandIn,
) -> None:
    wamid = whatsapp.text_message(AWA, "Bonjour")["id"]
    for emoji, seen in (("👍", {wamid: "👍"}), ("", {})):
        reaction = {"message_id": wamid, "emoji": emoji}
        assert (await send(whatsapp, {"type": "reaction", "reaction": reaction}))[0] == 200
        assert whatsapp.reactions == seen
    assert whatsapp.chat(AWA) == whatsapp.violations == []


async def test_outside_the_window_only_templates_arrive() -> None:
    now = 1_000_000.0
    async with running_whatsapp(clock=lambda: now, templates=TEMPLATES) as whatsapp:
        whatsapp.text_message(AWA, "Bonjour")
        for passed, status in ((86_399, 200), (1, 400)):
            now += passed
            assert (await send(whatsapp, TEXT))[0] == status
        assert (await send(whatsapp, TEXT))[1]["error"]["code"] == 131047
        assert (await send(whatsapp, template("Awa")))[0] == 200
        assert (await send(whatsapp, TEXT, to="22507000002"))[0] == 400
        assert [shown.kind for shown in whatsapp.chat(AWA)] == ["text", "template"]
        assert [each[:6] for each in whatsapp.violations] == ["131047"] * 3


async def test_more_than_45_at_once_to_one_person_are_too_many() -> None:
    now = 1_000_000.0
    async with running_whatsapp(clock=lambda: now) as whatsapp:
        for phone in (AWA, "22507000002"):
            whatsapp.open_window(phone)
        assert {(await send(whatsapp, TEXT))[0] for _ in range(45)} == {200}
        status, answer = await send(whatsapp, TEXT)
        assert (status, answer["error"]["code"]) == (429, 131056)
        assert (await send(whatsapp, TEXT, to="22507000002"))[0] == 200
        now += 6
        assert [(await send(whatsapp, TEXT))[0] for _ in range(2)] == [200, 429]


async def test_a_fault_strikes_as_often_and_where_it_was_asked_for(
    whatsapp: WhatsAppStandIn,
) -> None:
    whatsapp.open_window("22507000002")
    whatsapp.fail_next(130429, phone=AWA, times=2)
    whatsapp.fail_next(80007, phone=AWA, status=400)
    phones = ("22507000002", AWA, AWA, AWA, AWA)
    statuses = [(await send(whatsapp, TEXT, to=phone))[0] for phone in phones]
    assert statuses == [200, 429, 429, 400, 200]
    whatsapp.fail_next(131053, place="media")
    assert (await send(whatsapp, TEXT))[0] == 200
    assert [(await upload(whatsapp, PNG, "image/png"))[0] for _ in range(2)] == [400, 200]
    assert whatsapp.violations == []


@pytest.mark.parametrize("accept", [True, False])
async def test_a_failure_may_come_after_the_message_was_accepted(
    whatsapp: WhatsAppStandIn, accept: bool
) -> None:
    whatsapp.answer_next(502, "<html>Bad Gateway</html>", accept=accept)
    with pytest.raises(aiohttp.ContentTypeError):
        await send(whatsapp, TEXT)
    whatsapp.reset_next(accept=accept)
    with pytest.raises(aiohttp.ClientError):
        await send(whatsapp, TEXT)
    whatsapp.hang_next(accept=accept)
    with pytest.raises(TimeoutError):
        await send(whatsapp, TEXT, seconds=0.2)
    assert len(whatsapp.chat(AWA)) == 3 * accept

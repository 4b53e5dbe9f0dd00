"""Telegram's limits as the demo enforces them, and what the phone shows of what is allowed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from bot.demo.local_server import serve_routes
from bot.demo.providers.phone_screens import Option, PhoneScreens
from bot.demo.providers.telegram import CHAT, TelegramApi

Call = Callable[..., Awaitable[tuple[int, dict[str, Any]]]]


@pytest.fixture
def api(screens: PhoneScreens) -> TelegramApi:
    return TelegramApi(screens)


@pytest.fixture
async def call(api: TelegramApi, http: aiohttp.ClientSession) -> AsyncIterator[Call]:
    async with serve_routes(api.routes()) as origin:

        async def call(
            method: str, token: str = "", form: object = None, **parameters: object
        ) -> tuple[int, dict[str, Any]]:
            url = f"{origin}/bot{token or api.token}/{method}"
            sent: Any = {"data": form} if form else {"json": {"chat_id": CHAT, **parameters}}
            async with http.post(url, **sent) as answer:
                return answer.status, await answer.json()

        yield call


def keyboard(*rows: int, data: str = "x") -> dict[str, Any]:
    buttons = [[{"text": "Oui", "callback_data": data}] * count for count in rows]
    return {"inline_keyboard": buttons}


BOLD = {"type": "bold", "offset": 0, "length": 2}


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"text": " "}, "message text is empty"),
        ({"text": "é" * 4097}, "message is too long"),
        ({"text": "😀" * 2049}, "message is too long"),
        ({"text": "a", "entities": [BOLD]}, "outside the text"),
        ({"text": "a😀", "entities": [BOLD]}, "surrogate pair"),
        ({"text": "ab", "entities": [BOLD | {"type": "text_link"}]}, "has no url"),
        ({"text": "a", "reply_markup": keyboard(9)}, "reply markup is too long"),
        ({"text": "a", "reply_markup": keyboard(*[8] * 13)}, "reply markup is too long"),
        ({"text": "a", "reply_markup": keyboard(1, data="é" * 33)}, "BUTTON_DATA_INVALID"),
        ({"text": "a", "chat_id": 7}, "chat not found"),
    ],
)
async def test_what_is_over_a_limit_is_refused_and_not_shown(
    call: Call, screens: PhoneScreens, parameters: dict[str, Any], reason: str
) -> None:
    status, answer = await call("sendMessage", **parameters)
    assert status == answer["error_code"] == 400
    assert reason in answer["description"]
    assert screens.find("telegram", "1") is None


async def test_a_call_without_its_text_is_refused(call: Call) -> None:
    status, answer = await call("sendMessage")
    assert (status, answer["description"]) == (400, "Bad Request: 'text' is missing")


async def test_what_is_at_the_limit_is_shown(call: Call, screens: PhoneScreens) -> None:
    status, answer = await call(
        "sendMessage", text="é" * 4096, entities=[BOLD], reply_markup=keyboard(8, data="é" * 32)
    )
    assert status == 200
    shown = screens.find("telegram", str(answer["result"]["message_id"]))
    assert shown is not None
    assert (len(shown.text), shown.entities, len(shown.rows[0])) == (4096, [BOLD], 8)


async def test_another_token_and_an_unknown_method_are_refused(call: Call) -> None:
    assert (await call("getMe", token="1:wrong"))[0] == 401
    assert (await call("sendDice"))[0] == 404


async def test_a_draft_has_an_id(call: Call) -> None:
    assert (await call("sendMessageDraft", draft_id=0, text="a"))[0] == 400
    assert (await call("sendMessageDraft", draft_id=5, text="a"))[0] == 200


async def test_a_file_comes_with_its_name_and_a_caption_within_its_limit(
    call: Call, screens: PhoneScreens
) -> None:
    def form(caption: str) -> aiohttp.FormData:
        form = aiohttp.FormData({"chat_id": str(CHAT), "caption": caption})
        form.add_field("document", b"# Fiche", filename="fiche.md")
        return form

    assert (await call("sendDocument", form=form("x" * 1025)))[0] == 400
    status, answer = await call("sendDocument", form=form("12"))
    assert status == 200
    shown = screens.find("telegram", str(answer["result"]["message_id"]))
    assert shown is not None
    assert shown.file is not None
    assert (shown.text, shown.file.name, shown.file.mime_type) == (
        "12",
        "fiche.md",
        "text/markdown",
    )


async def test_buttons_are_taken_away_once(call: Call, screens: PhoneScreens) -> None:
    _, sent = await call("sendMessage", text="?", reply_markup=keyboard(1))
    number = sent["result"]["message_id"]
    shown = screens.find("telegram", str(number))
    assert shown is not None
    assert shown.rows == [[Option("Oui", "x")]]
    assert (await call("editMessageReplyMarkup", message_id=number))[0] == 200
    assert shown.rows == []
    _, again = await call("editMessageReplyMarkup", message_id=number)
    assert "message is not modified" in again["description"]


async def test_a_burst_of_messages_is_too_fast(call: Call) -> None:
    answers = [await call("sendMessage", text="a") for _ in range(40)]
    refused = [answer for status, answer in answers if status == 429]
    assert refused
    assert refused[0]["parameters"] == {"retry_after": 1}


async def test_a_rich_message_is_shown_by_its_blocks_and_its_words(
    call: Call, screens: PhoneScreens
) -> None:
    html = (
        "<h2>Aire</h2><p>Vaut <tg-math>\\frac{b h}{2}</tg-math> &amp; plus<br>loin</p>"
        '<ol start="3"><li>a</li><li>b</li></ol>'
        "<table bordered><tr><th>a</th></tr><tr><td>1</td></tr></table>"
        "<details><summary>Solution</summary><p>Voici.</p></details>"
    )
    status, answer = await call(
        "sendRichMessage", rich_message={"html": html}, reply_markup=keyboard(2)
    )
    assert status == 200
    bubble = screens.find("telegram", str(answer["result"]["message_id"]))
    assert bubble is not None
    heading, words, numbered, table, details = bubble.rich
    assert heading == {"type": "heading", "text": ["Aire"], "size": 2}
    formula = {"type": "mathematical_expression", "expression": "\\frac{b h}{2}"}
    assert words["text"][1] == formula
    assert [item["label"] for item in numbered["items"]] == ["3.", "4."]
    assert (table["type"], details["type"]) == ("table", "details")
    assert bubble.text.splitlines()[:3] == ["Aire", "Vaut $\\frac{b h}{2}$ & plus", "loin"]
    assert len(bubble.rows[0]) == 2


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("", "must be non-empty"),
        ("a", "text in <nothing>"),
        ("<p>a<script>b</script></p>", "<script> in <p>"),
        ("<p>a", "<p> is not closed"),
        ("<p>a</b></p>", "</b> closes <p>"),
        ("<p>" + "é" * 32_769 + "</p>", "RICH_MESSAGE_TOO_LONG"),
    ],
)
async def test_a_rich_message_that_telegram_would_refuse_is_refused(
    call: Call, html: str, reason: str
) -> None:
    status, answer = await call("sendRichMessage", rich_message={"html": html})
    assert (status, answer["ok"]) == (400, False)
    assert reason in answer["description"]

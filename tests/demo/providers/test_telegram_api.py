"""Telegram's limits as the demo enforces them, and what the phone shows of what is allowed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from bot.demo.local_server import serve_routes
from bot.demo.providers.phone_screens import Bubble, Option, PhoneScreens
from bot.demo.providers.telegram import CHAT, TelegramApi
from bot.demo.providers.telegram_rules import MessagePace, TelegramRefused

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
            sent: Any = {"data": form} if form else {"json": {"chat_id": CHAT["id"], **parameters}}
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
        ({"text": "a", "entities": [BOLD]}, "outside of the text"),
        ({"text": "a😀", "entities": [BOLD]}, "surrogate pair"),
        ({"text": "ab", "entities": [BOLD | {"type": "text_link"}]}, "no URL"),
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
        form = aiohttp.FormData({"chat_id": str(CHAT["id"]), "caption": caption})
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
    rows = [[Option("Oui", "x")]]
    screens.show(Bubble(phone="telegram", id="7", text="?", rows=rows))
    assert (await call("editMessageReplyMarkup", message_id=7))[0] == 200
    _, again = await call("editMessageReplyMarkup", message_id=7)
    assert "message is not modified" in again["description"]


async def test_nine_messages_at_once_are_too_many() -> None:
    pace = MessagePace(lambda: 100.0)
    for _ in range(8):
        pace.admit()
    with pytest.raises(TelegramRefused) as refused:
        pace.admit()
    assert refused.value.answer["parameters"] == {"retry_after": 1}


async def test_a_rich_message_is_shown_by_its_nodes_and_its_words(
    call: Call, screens: PhoneScreens
) -> None:
    html = (
        "<h2>Aire</h2><p>Vaut <tg-math>\\frac{b h}{2}</tg-math> &amp; plus<br>loin</p>"
        "<table bordered><tr><th>a</th></tr><tr><td>1</td></tr></table>"
        "<details><summary>Solution</summary><p>Voici.</p></details>"
    )
    status, answer = await call(
        "sendRichMessage", rich_message={"html": html}, reply_markup=keyboard(2)
    )
    assert status == 200
    bubble = screens.find("telegram", str(answer["result"]["message_id"]))
    assert bubble is not None
    heading, words, table, details = bubble.rich
    assert heading == ["h2", {}, ["Aire"]]
    assert words[2][1] == ["tg-math", {}, ["\\frac{b h}{2}"]]
    assert (table[0], details[0]) == ("table", "details")
    assert bubble.text.splitlines()[:3] == ["Aire", "Vaut \\frac{b h}{2} & plus", "loin"]
    assert len(bubble.rows[0]) == 2


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("", "must be non-empty"),
        ("<p>a<script>b</script></p>", "<script> is not supported"),
        ("<p>a", "<p> is not closed"),
        ("<p>a</b></p>", "unexpected </b>"),
        ("<p>" + "é" * 17_000 + "</p>", "message is too long"),
    ],
)
async def test_a_rich_message_that_telegram_would_refuse_is_refused(
    call: Call, html: str, reason: str
) -> None:
    status, answer = await call("sendRichMessage", rich_message={"html": html})
    assert (status, answer["ok"]) == (400, False)
    assert reason in answer["description"]

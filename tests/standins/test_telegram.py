"""The stand-in is only worth something if it refuses what Telegram refuses."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.standins.telegram_rules import Limits
from tests.standins.telegram import TOKEN, TelegramStandIn
from tests.standins.telegram_schema import answer_validator, update_validator
from tests.support.telegram_calls import AWA, GROUP, call_method

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as stand_in:
        yield stand_in


def keyboard(*rows: list[str]) -> dict[str, Any]:
    return {
        "inline_keyboard": [[{"text": "A", "callback_data": data} for data in row] for row in rows]
    }


async def test_the_person_sees_what_was_sent(telegram: TelegramStandIn) -> None:
    for text in ("Bonjour", "Ça va ?"):
        await call_method(telegram, "sendMessage", chat_id=AWA, text=text)
    assert [shown.text for shown in telegram.messages(AWA)] == ["Bonjour", "Ça va ?"]
    assert telegram.messages(43) == []
    assert telegram.violations == []


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("getMe", {}),
        ("sendMessage", {"chat_id": AWA, "text": "Bonjour"}),
        ("sendMessage", {"chat_id": GROUP, "text": "Bonjour", "message_thread_id": 9}),
        ("sendDocument", {"chat_id": AWA, "document": "file-id"}),
        ("answerCallbackQuery", {"callback_query_id": "1"}),
        ("sendChatAction", {"chat_id": AWA, "action": "typing"}),
        ("sendMessageDraft", {"chat_id": AWA, "draft_id": 1, "text": ""}),
        ("getUpdates", {}),
        ("setWebhook", {"url": "https://griot.example"}),
        ("deleteWebhook", {}),
    ],
)
async def test_its_answers_have_the_form_of_the_specification(
    telegram: TelegramStandIn, method: str, parameters: dict[str, Any]
) -> None:
    status, answer = await call_method(telegram, method, **parameters)
    assert status == 200
    answer_validator(method).validate(answer)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"text": ""},
        {"text": "  \n"},
        {"text": "x" * 4097},
        {"text": "😀" * 2049},
        {"text": "x", "no_such_parameter": 1},
        {"text": "x", "message_thread_id": "9"},
        {"text": "x", "parse_mode": "HTML"},
        {"text": "x", "entities": [{"type": "bold", "offset": 0}]},
        {"text": "x", "entities": [{"type": "bold", "offset": 0, "length": 2}]},
        {"text": "x", "entities": [{"type": "bold", "offset": -1, "length": 1}]},
        {"text": "x", "entities": [{"type": "text_link", "offset": 0, "length": 1}]},
        {"text": "a😀", "entities": [{"type": "bold", "offset": 0, "length": 2}]},
        {"text": "a😀", "entities": [{"type": "bold", "offset": 2, "length": 1}]},
        {"text": "x", "reply_markup": keyboard([""])},
        {"text": "x", "reply_markup": keyboard(["é" * 33])},
        {"text": "x", "reply_markup": keyboard(["a"] * 9)},
        {"text": "x", "reply_markup": {"inline_keyboard": [[{"text": "A", "data": "x"}]]}},
    ],
)
async def test_a_message_that_telegram_would_refuse_is_refused_and_kept_as_a_violation(
    telegram: TelegramStandIn, wrong: dict[str, Any]
) -> None:
    status, answer = await call_method(telegram, "sendMessage", chat_id=AWA, **wrong)
    assert (status, answer["ok"]) == (400, False)
    assert len(telegram.violations) == 1
    assert telegram.messages(AWA) == telegram.calls == []


async def test_limits_are_counted_as_telegram_counts_them(telegram: TelegramStandIn) -> None:
    styled = [{"type": "bold", "offset": 1, "length": 2}]
    await call_method(telegram, "sendMessage", chat_id=AWA, text="x" * 4096)
    await call_method(telegram, "sendMessage", chat_id=AWA, text="a😀", entities=styled)
    await call_method(
        telegram, "sendMessage", chat_id=AWA, text="x", reply_markup=keyboard(["é" * 32])
    )
    assert telegram.violations == []


@pytest.mark.parametrize(
    ("method", "wrong"),
    [
        ("sendMessageDraft", {"chat_id": AWA, "draft_id": 0, "text": "x"}),
        ("sendDocument", {"chat_id": AWA, "document": "x", "caption": "x" * 1025}),
        ("sendPhoto", {"chat_id": AWA}),
        ("sendSticker", {"chat_id": AWA, "sticker": "x"}),
    ],
)
async def test_other_wrong_calls_are_violations_too(
    telegram: TelegramStandIn, method: str, wrong: dict[str, Any]
) -> None:
    status, _ = await call_method(telegram, method, **wrong)
    assert status in {400, 404}
    assert len(telegram.violations) == 1


async def test_a_draft_is_not_for_groups(telegram: TelegramStandIn) -> None:
    status, _ = await call_method(telegram, "sendMessageDraft", chat_id=GROUP, draft_id=1, text="x")
    assert (status, telegram.drafts) == (400, {})


async def test_a_form_may_carry_json_and_files(telegram: TelegramStandIn) -> None:
    form = aiohttp.FormData({"chat_id": "42", "caption": "1", "caption_entities": "[]"})
    form.add_field("document", b"%PDF", filename="a.pdf", content_type="application/pdf")
    url = f"{telegram.url}/bot{telegram.token}/sendDocument"
    async with aiohttp.ClientSession() as http, http.post(url, data=form) as response:
        answer_validator("sendDocument").validate(await response.json())
    assert telegram.violations == []
    [shown] = telegram.messages(AWA)
    assert (shown.document, shown.filename, shown.text) == (b"%PDF", "a.pdf", "1")


async def test_a_wrong_token_or_method_is_refused(telegram: TelegramStandIn) -> None:
    assert (await call_method(telegram, "noSuchMethod"))[0] == 404
    wrong = f"{telegram.url}/bot1:wrong/getMe"
    async with aiohttp.ClientSession() as http, http.post(wrong) as response:
        assert response.status == 401


async def test_a_fault_strikes_as_often_and_where_it_was_asked_for(
    telegram: TelegramStandIn,
) -> None:
    telegram.fail_next("sendMessage", 403, "Forbidden", chat_id=AWA, times=2)
    statuses = [
        (await call_method(telegram, "sendMessage", chat_id=chat, text="x"))[0]
        for chat in (43, AWA, AWA, AWA)
    ]
    assert statuses == [200, 403, 403, 200]


@pytest.mark.parametrize("accept", [True, False])
async def test_a_reset_may_come_after_the_message_was_accepted(
    telegram: TelegramStandIn, accept: bool
) -> None:
    telegram.reset_next("sendMessage", accept=accept)
    with pytest.raises(aiohttp.ClientError):
        await call_method(telegram, "sendMessage", chat_id=AWA, text="x")
    assert len(telegram.messages(AWA)) == accept


async def test_a_pace_of_one_a_second_can_be_kept() -> None:
    async with TelegramStandIn(pace=Limits()) as telegram:
        first, _ = await call_method(telegram, "sendMessage", chat_id=AWA, text="x")
        second, answer = await call_method(telegram, "sendMessage", chat_id=AWA, text="x")
        other, _ = await call_method(telegram, "sendMessage", chat_id=43, text="x")
    assert (first, second, other) == (200, 429, 200)
    assert answer["parameters"] == {"retry_after": 1}


async def test_updates_wait_until_they_are_confirmed(telegram: TelegramStandIn) -> None:
    update = telegram.text_update(AWA, "Bonjour")
    telegram.enqueue(update)
    for _ in range(2):
        assert (await call_method(telegram, "getUpdates"))[1]["result"] == [update]
    after = update["update_id"] + 1
    assert (await call_method(telegram, "getUpdates", offset=after))[1]["result"] == []
    await call_method(telegram, "setWebhook", url="https://griot.example")
    assert (await call_method(telegram, "getUpdates"))[0] == 409


def test_its_updates_have_the_form_of_the_specification() -> None:
    telegram = TelegramStandIn()
    made = [
        telegram.text_update(AWA, "/start@griot_bot salut @awa"),
        telegram.edit_update(AWA, "x"),
        telegram.callback_update(AWA, "x"),
        telegram.callback_update(GROUP, "x", sender=AWA, accessible=False),
        telegram.contact_update(AWA, "225", owner=AWA),
        telegram.location_update(AWA, 1.0, 2.0),
        *telegram.album_updates(AWA, 2, caption="x"),
        telegram.document_update(AWA, b"x", "a.pdf", "application/pdf"),
        telegram.voice_update(AWA),
        telegram.sticker_update(AWA),
        telegram.reaction_update(AWA, 1, "👍"),
        telegram.membership_update(AWA, "kicked"),
        telegram.migration_update(-5, to=GROUP),
    ]
    for update in made:
        update_validator().validate(update)
    numbers = [update["update_id"] for update in made]
    assert numbers == sorted(set(numbers))


async def test_alone_in_a_process_it_logs_each_accepted_call(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    command = ["-m", "tests.standins.telegram", "--port", "0", "--log", str(log)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().strip()
    async with aiohttp.ClientSession() as http:
        for text in ("Bonjour", ""):
            body = {"chat_id": AWA, "text": text}
            await (await http.post(f"{url}/bot{TOKEN}/sendMessage", json=body)).read()
    process.terminate()
    await process.wait()
    [line] = log.read_text().splitlines()
    logged = json.loads(line)
    assert logged["method"] == "sendMessage"
    assert logged["parameters"] == {"chat_id": AWA, "text": "Bonjour"}

"""Telegram's own updates through the whole app, over real sockets, and what the person sees."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import pytest

from bot.contracts.models import ModelRequest
from bot.events import Content, Emit
from bot.messages.transcript import ModelReply
from bot.settings import Settings
from tests.standins.telegram import TelegramStandIn
from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_rows, read_values
from tests.support.site import open_site
from tests.support.telegram_scene import CHAT, SECRET, MakeScene, Scene, open_scenes
from tests.support.waiting import until


@pytest.fixture
async def scene(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeScene]:
    async with open_scenes(make_settings) as make:
        yield make


async def test_a_message_is_answered_in_telegrams_own_form(scene: MakeScene) -> None:
    one = await scene(FakeModel(reply("**Bonjour** Awa, `2*3*4 = 24`.")))
    assert await one.say("salut") == 200
    assert await one.told(1) == ["Bonjour Awa, 2*3*4 = 24."]
    [message] = one.telegram.messages(CHAT)
    assert [entity["type"] for entity in message.entities] == ["bold", "code"]


async def test_the_webhook_is_set_with_its_secret(scene: MakeScene) -> None:
    one = await scene(FakeModel())

    async def is_set() -> bool:
        return bool(one.telegram.webhook)

    await until(is_set)
    assert one.telegram.webhook["url"] == "https://griot.example/webhooks/telegram"
    assert one.telegram.webhook["secret_token"] == SECRET


async def test_fifty_deliveries_of_one_update_give_one_turn_one_charge_one_reply(
    scene: MakeScene,
) -> None:
    one = await scene(FakeModel(reply("once")))
    await one.log_in()
    update = one.telegram.text_update(CHAT, "hello")
    statuses = await asyncio.gather(*(one.post(update) for _ in range(50)))
    assert set(statuses) == {200}
    assert (await one.told(2))[1:] == ["once"]
    await until(one.settled)
    database = one.griot.app.database
    assert len(one.telegram.messages(CHAT)) == 2
    kinds = await read_values(database, "ledger", "kind")
    assert kinds.count("reserve") == kinds.count("settle") == 1


async def test_a_wrong_secret_is_403_and_stores_nothing(scene: MakeScene) -> None:
    one = await scene(FakeModel())
    for secret in ("", "wrong", SECRET + "x", SECRET[:-1]):
        assert await one.post(one.telegram.text_update(CHAT, "x"), secret) == 403
    assert await read_rows(one.griot.app.database, "inbox") == []


@pytest.mark.parametrize("body", ["", "{", "[]", '"text"', '{"update_id": "x"}', "{}"])
async def test_a_malformed_update_is_400_with_a_reason(scene: MakeScene, body: str) -> None:
    one = await scene(FakeModel())
    headers = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
    status, answer = await one.griot.request(
        "POST", "/webhooks/telegram", data=body, headers=headers
    )
    assert status == 400
    assert answer["error"]["message"]


async def test_an_unknown_kind_of_update_is_accepted_and_ignored(scene: MakeScene) -> None:
    one = await scene(FakeModel())
    assert await one.post({"update_id": 5, "something_new": {"a": 1}}) == 200
    assert await read_rows(one.griot.app.database, "inbox") == []


async def test_a_quiz_is_tapped_graded_and_explained_without_a_model(scene: MakeScene) -> None:
    quiz = {
        "question": "La capitale du **Mali** ?",
        "options": ["Dakar", "Bamako", "Niamey"],
        "correct_index": 1,
        "explanation": "Bamako est sur le Niger.",
    }
    calls = reply("", ("interactive_quiz", json.dumps(quiz)))
    one = await scene(FakeModel(calls, reply("À toi !")))
    await one.log_in()
    await one.say("un quiz")
    told = await one.told(3)
    assert told[1] == "À toi\u202f!"
    asked = one.telegram.messages(CHAT)[2]
    buttons = [button for row in asked.buttons for button in row]
    assert [button["text"] for button in buttons] == ["Dakar", "Bamako", "Niamey"]
    sent = json.dumps([call.parameters for call in one.telegram.calls])
    assert "Bamako est sur" not in sent
    tap = one.telegram.callback_update(
        CHAT, buttons[1]["callback_data"], message_id=asked.message_id
    )
    await one.post(tap)
    assert "Bamako est sur le Niger." in (await one.told(4))[3]
    [[chosen]] = one.telegram.messages(CHAT)[2].buttons
    assert chosen["text"] == "✅ Bamako"
    assert len(one.telegram.calls_of("answerCallbackQuery")) == 1
    await one.post(
        one.telegram.callback_update(CHAT, buttons[0]["callback_data"], message_id=asked.message_id)
    )

    async def twice() -> bool:
        return len(one.telegram.calls_of("answerCallbackQuery")) == 2

    await until(twice)
    assert len(one.telegram.messages(CHAT)) == 4


async def test_a_quiz_is_graded_while_a_turn_runs(scene: MakeScene) -> None:
    quiz = {"question": "?", "options": ["a", "b"], "correct_index": 0, "explanation": "Because."}
    begun = asyncio.Event()

    class SlowThird(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            if len(self.requests) == 2:
                begun.set()
                await asyncio.sleep(30)
            return await super().ask(request, emit)

    model = SlowThird(reply("", ("interactive_quiz", json.dumps(quiz))), reply("Now."))
    one = await scene(model, drain_seconds=0)
    await one.log_in()
    await one.say("a quiz")
    await one.told(3)
    asked = one.telegram.messages(CHAT)[2]
    await one.say("a long question")
    await begun.wait()
    token = asked.buttons[0][0]["callback_data"]
    async with asyncio.timeout(10):
        await one.post(one.telegram.callback_update(CHAT, token, message_id=asked.message_id))
        assert "Because." in (await one.told(4))[3]


async def test_a_made_file_arrives_as_a_document(scene: MakeScene) -> None:
    call = ("generate_md", '{"filename": "fiche.md", "content": "# Les fractions"}')
    one = await scene(FakeModel(reply("", call), reply("Voici la fiche.")))
    await one.log_in()
    await one.say("une fiche")
    await one.told(3)
    document = one.telegram.messages(CHAT)[2]
    assert document.filename == "fiche.md"
    assert b"Les fractions" in (document.document or b"")


async def test_a_growing_answer_is_shown_as_a_draft_and_delivered_once(scene: MakeScene) -> None:
    class Streaming(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            for word in ("Un ", "deux ", "trois"):
                emit(Content(word))
                await asyncio.sleep(0.7)
            return reply("Un deux trois")

    one = await scene(Streaming())
    await one.say("compte")
    assert await one.told(1) == ["Un deux trois"]
    assert one.telegram.drafts[CHAT]
    assert "Un deux trois".startswith(one.telegram.drafts[CHAT][0])


async def test_a_throttled_chat_gets_its_answer_a_little_later(scene: MakeScene) -> None:
    one = await scene(FakeModel(reply("hello")))
    one.telegram.fail_next(
        "sendMessage", 429, "Too Many Requests: retry after 1", {"retry_after": 1}
    )
    await one.say("x")
    assert await one.told(1) == ["hello"]
    await until(one.settled)
    assert len(one.telegram.messages(CHAT)) == 1


async def test_an_answer_in_doubt_is_not_sent_twice(scene: MakeScene) -> None:
    one = await scene(FakeModel(reply("in doubt"), reply("next")))
    one.telegram.reset_next("sendMessage", accept=True)
    await one.say("x")
    await one.say("y")
    assert await one.told(2) == ["in doubt", "next"]
    await until(one.settled)
    rows = await read_rows(one.griot.app.database, "outbox")
    assert [row["state"] for row in rows] == ["unknown", "sent"]


async def test_a_person_who_blocks_the_bot_is_left_in_peace(scene: MakeScene) -> None:
    one = await scene(FakeModel(reply("one"), reply("two"), reply("three")))
    one.telegram.fail_next("sendMessage", 403, "Forbidden: bot was blocked by the user")
    await one.say("x")
    await until(one.settled)
    await one.say("back")
    assert await one.told(1) == ["two"]


async def test_without_a_public_address_telegram_is_asked_for_updates(
    make_settings: Callable[..., Settings],
) -> None:
    async with TelegramStandIn() as telegram:
        telegram.enqueue(telegram.text_update(CHAT, "salut"), telegram.text_update(CHAT, "encore"))
        settings = make_settings(telegram_bot_token=telegram.token, telegram_api_url=telegram.url)
        async with open_site(settings, FakeModel(reply("un"), reply("deux"))) as griot:
            scene = Scene(telegram, griot)
            assert await scene.told(2) == ["un", "deux"]
        assert telegram.violations == []


async def test_a_location_reaches_the_model_in_words(scene: MakeScene) -> None:
    model = FakeModel(reply("vu"))
    one = await scene(model)
    await one.post(one.telegram.location_update(CHAT, 5.35, -4.01))
    await one.told(1)
    assert "5.350000, -4.010000" in str(model.requests[0].messages[-1])

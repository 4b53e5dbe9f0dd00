"""What needs a phone number asks for it in the chat; who answers with another's proves nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.messages.transcript import ToolResult
from bot.settings import Settings
from tests.adapters.conformance.driver import BINTA
from tests.adapters.conformance.stage import MakeStage, Stage, staging
from tests.adapters.conformance.table import CLOUD
from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_row, read_rows

USER, OTHER = "CI.13491208655302741918", "CI.99"
NUMBER = "+2250701020399"
REMIND = ("create_task", '{"title": "Appeler", "due": "P1D", "remind_by": "sms"}')

SMS = {
    "sms_routes": '{"*": "africastalking"}',
    "africastalking_username": "sandbox",
    "africastalking_api_key": "key",
}


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


class Chat:
    """Somebody who hides their number, and the Griot that they write to."""

    def __init__(self, stage: Stage, user: str = USER) -> None:
        driver: Any = stage.driver
        self.stage, self.user, self.whatsapp = stage, user, driver.whatsapp
        self._pack = driver.pack

    async def say(self, text: str) -> None:
        await self.bring(self.whatsapp.text_message(self.user, text))

    async def bring(self, item: Any) -> None:
        await self.stage.take(self._pack(item))
        await self.stage.settle()

    async def be_asked(self) -> str:
        """They send /login, and are asked for their number: by which message."""
        await self.say("/login")
        return self.shown[-1].wamid

    @property
    def shown(self) -> list[Any]:
        return self.whatsapp.chat(self.user)

    async def account(self) -> dict[str, Any]:
        return await read_row(self.stage.database, "account", user_id=self.user)


@pytest.fixture
async def chat(stage: MakeStage) -> Chat:
    return Chat(await stage(CLOUD, FakeModel(*[reply("Bien reçu.")] * 9)))


async def test_login_asks_for_the_number_by_whatsapps_own_button(chat: Chat) -> None:
    await chat.be_asked()
    assert chat.shown[-1].kind == "request_contact_info"
    assert "numéro" in chat.shown[-1].text
    await chat.say("Et les fractions ?")
    assert "Bien reçu" in chat.shown[-1].text


async def test_the_answer_proves_the_number_and_adds_no_credits(chat: Chat) -> None:
    request = await chat.be_asked()
    before = await chat.account()
    await chat.bring(chat.whatsapp.shared_contact(USER, request, NUMBER[1:]))
    account = await chat.account()
    assert (account["phone"], account["balance"]) == (NUMBER, before["balance"])
    await chat.say("un")
    assert "Bien reçu" in chat.whatsapp.chat(NUMBER[1:])[-1].text


async def test_a_number_that_has_an_account_is_joined(chat: Chat) -> None:
    request = await chat.be_asked()
    await chat.bring(chat.whatsapp.shared_contact(USER, request, BINTA[1:]))
    account = await read_row(chat.stage.database, "account", phone=BINTA)
    joined = await read_rows(chat.stage.database, "account", part_of=account["id"])
    assert [row["user_id"] for row in joined] == [USER]


async def test_another_persons_card_that_quotes_the_request_gets_a_code(chat: Chat) -> None:
    request = await chat.be_asked()
    card = chat.whatsapp.shared_contact(USER, request, BINTA[1:], origin="other")
    await chat.bring(card)
    assert (await chat.account())["phone"] is None
    assert "code" in chat.shown[-1].text
    assert [row["target"] for row in await read_rows(chat.stage.database, "code")] == [BINTA]


async def test_the_answer_to_somebody_elses_request_proves_nothing(chat: Chat) -> None:
    request = await Chat(chat.stage, OTHER).be_asked()
    await chat.say("bonjour")
    await chat.bring(chat.whatsapp.shared_contact(USER, request, NUMBER[1:]))
    assert (await chat.account())["phone"] is None


async def test_a_card_that_quotes_another_message_proves_nothing(chat: Chat) -> None:
    await chat.say("bonjour")
    await chat.bring(chat.whatsapp.shared_contact(USER, chat.shown[-1].wamid, NUMBER[1:]))
    assert (await chat.account())["phone"] is None


async def test_a_reminder_by_sms_is_refused_where_no_sms_is_sent(stage: MakeStage) -> None:
    model = FakeModel(reply("", REMIND), reply("Pas par SMS ici."))
    chat = Chat(await stage(CLOUD, model))
    await chat.say("rappelle-moi par SMS demain d’appeler")
    (result,) = [each for each in model.requests[1].messages if isinstance(each, ToolResult)]
    assert "Nothing can be sent by sms here. Reminders reach them by: whatsapp." in result.text
    assert await read_rows(chat.stage.database, "task") == []


async def test_a_reminder_by_sms_asks_for_the_number_and_is_kept(stage: MakeStage) -> None:
    model = FakeModel(reply("", REMIND), reply("C’est noté."))
    chat = Chat(await stage(CLOUD, model, **SMS))
    await chat.say("rappelle-moi par SMS demain d’appeler")
    [answer, *_] = chat.shown
    assert answer.kind == "request_contact_info"
    assert "C’est noté." in answer.text
    assert "il me faut ton numéro" in answer.text
    assert len(await read_rows(chat.stage.database, "task")) == 1

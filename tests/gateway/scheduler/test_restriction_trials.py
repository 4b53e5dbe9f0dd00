"""A number that its provider restricts: nothing is sent by it, nothing is lost, people are told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.contracts.channels import Capabilities
from bot.errors import RetryAt, SenderRestricted, Undeliverable
from bot.messages.incoming import Receipt, Said, Sender
from bot.messages.outgoing import Delivery, Sent
from tests.support.app import MakeApp, TestApp
from tests.support.channels import AWA, list_texts, make_sms, make_update_elsewhere
from tests.support.emails import list_emails, make_email
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.queries import NOW, change_rows, count_rows, read_row, read_rows, read_values
from tests.support.waiting import until

REASON = "WhatsApp error 368 (HTTP 403)"
BINTA = "+2250701020305"
GO_ON = "WhatsApp ne me laisse pas t’écrire pour le moment."


@dataclass
class RestrictedChannel(FakeChannel):
    """WhatsApp, whose provider takes nothing while `is_restricted`."""

    name: str = "fake_whatsapp"
    channel: Any = "whatsapp"
    is_restricted: bool = True
    busy: str = ""
    """A conversation to which the provider takes nothing for ten minutes."""
    tries: list[Delivery] = field(default_factory=list[Delivery])
    capabilities: Capabilities = field(
        default_factory=lambda: Capabilities(max_text=4096, receipts=True, window=86_400.0)
    )

    async def deliver(self, delivery: Delivery) -> Sent:
        self.tries.append(delivery)
        if delivery.conversation == self.busy:
            raise RetryAt("too many messages", after=600.0)
        if self.is_restricted:
            raise SenderRestricted(REASON)
        return await super().deliver(delivery)


@dataclass
class Scene:
    app: TestApp
    whatsapp: RestrictedChannel
    telegram: FakeChannel
    sms: FakeChannel
    mail: FakeChannel
    model: FakeModel

    async def write(self, *texts: str, person: str = AWA) -> None:
        """A person writes on WhatsApp, and what can be said to them has been said."""
        for text in texts:
            self.model.add(reply(f"réponse à {text}"))
            update = make_update_elsewhere(Said(text), "whatsapp", "fake_whatsapp")
            sender = Sender(person, "Awa", "fr")
            update = replace_update(update, conversation=person, sender=sender)
            await self.app.app.inbox.store([update])
            await until(self.app.settled)

    async def log_in(self, person: str, telegram: str = "") -> None:
        people, database = self.app.app.people, self.app.database
        sender = Sender(person, "Awa", "fr")
        await database.write(lambda tx: people.log_in(tx, "whatsapp", sender, person))
        if telegram:
            chat = Sender(telegram, "Awa", "fr")
            await database.write(lambda tx: people.log_in(tx, "telegram", chat, person))
        await change_rows(database, "account", {"greeted": 3})

    async def states(self, person: str = AWA) -> list[str]:
        return await read_values(
            self.app.database, "outbox", "state", lane=f"whatsapp:{person}", order_by="id"
        )

    async def pass_hour(self) -> None:
        """The next trial is due."""
        await change_rows(self.app.database, "restriction", {"try_at": NOW})

    async def trust(self) -> None:
        """The provider has reported no failure of the trial."""

        async def is_taken() -> bool:
            row = await read_row(self.app.database, "restriction")
            return row["trusted_at"] is not None

        await until(is_taken)
        await change_rows(self.app.database, "restriction", {"trusted_at": NOW})

    async def until_tries_alone(self, number: int) -> None:
        async def holds() -> bool:
            return len(self.whatsapp.tries) >= number

        await until(holds)

    async def until_tries(self, number: int) -> None:
        await self.until_tries_alone(number)
        await until(self.app.settled)


def replace_update(update: Any, **values: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(update, **values)


@pytest.fixture
async def scene(app: MakeApp) -> Scene:
    whatsapp, telegram, sms, mail = RestrictedChannel(), FakeChannel(), make_sms(), make_email()
    one = await app(
        telegram,
        whatsapp,
        sms,
        mail,
        operator_email="ops@example.org",
        public_url="https://griot.example",
        sms_one_way="",
    )
    made = Scene(one, whatsapp, telegram, sms, mail, FakeModel())
    await made.log_in(AWA, telegram="1")
    await made.log_in(BINTA)
    await one.start(made.model)
    return made


async def test_sending_stops_at_the_first_refusal_and_everything_waits(scene: Scene) -> None:
    await scene.write("un", "deux")
    await scene.write("trois", person=BINTA)
    assert len(scene.whatsapp.tries) == 1
    assert await scene.states() == ["waiting_for_sender"] * 2
    assert await scene.states(BINTA) == ["waiting_for_sender"]
    assert scene.whatsapp.shown == []


async def test_the_operator_hears_once(scene: Scene) -> None:
    await scene.write("un", "deux")
    await scene.pass_hour()
    await scene.until_tries(2)
    [email] = list_emails(scene.mail)
    assert email.to == ("ops@example.org",)
    assert REASON in email.text


async def test_who_has_another_channel_is_told_there_once(scene: Scene) -> None:
    await scene.write("un", "deux")
    await scene.pass_hour()
    await scene.until_tries(2)
    [words] = scene.app.said()
    assert words.startswith(GO_ON)
    assert "Continuons ici" in words
    assert list_texts(scene.sms) == []


async def test_who_waits_for_another_try_is_told_at_once_too(scene: Scene) -> None:
    scene.whatsapp.busy = AWA
    scene.model.add(reply("réponse à un"))
    update = make_update_elsewhere(Said("un"), "whatsapp", "fake_whatsapp")
    update = replace_update(update, conversation=AWA, sender=Sender(AWA, "Awa", "fr"))
    await scene.app.app.inbox.store([update])
    await scene.until_tries_alone(1)
    await scene.write("deux", person=BINTA)

    async def is_held() -> bool:
        return await scene.states() == ["waiting_for_sender"]

    await until(is_held)
    await until(scene.app.settled)
    assert len(scene.whatsapp.tries) == 2
    [words] = scene.app.said()
    assert words.startswith(GO_ON)


async def test_who_has_a_number_alone_is_told_by_sms(scene: Scene) -> None:
    await scene.write("un", person=BINTA)
    [(number, words)] = list_texts(scene.sms)
    assert number == BINTA
    assert "Continuons ici" in words


async def test_who_cannot_answer_the_sms_is_told_where_to_log_in(app: MakeApp) -> None:
    sms = make_sms()
    sms.capabilities = replace(sms.capabilities, answers="never")
    one = await app(
        FakeChannel(),
        RestrictedChannel(),
        sms,
        public_url="https://griot.example",
    )
    made = Scene(one, RestrictedChannel(), FakeChannel(), sms, make_email(), FakeModel())
    await made.log_in(BINTA)
    await one.start(made.model)
    await made.write("un", person=BINTA)
    [(_, words)] = list_texts(sms)
    assert "Connecte-toi avec ton numéro sur https://griot.example/chat" in words


async def test_once_it_may_send_again_all_goes_out_in_order(scene: Scene) -> None:
    await scene.write("un", "deux")
    await scene.write("trois", person=BINTA)
    scene.whatsapp.is_restricted = False
    await scene.pass_hour()
    await scene.until_tries(2)
    assert list_texts(scene.whatsapp) == [(AWA, "réponse à un")]
    await scene.trust()
    await scene.until_tries(4)
    assert [text for to, text in list_texts(scene.whatsapp) if to == AWA] == [
        "réponse à un",
        "réponse à deux",
    ]
    assert (BINTA, "réponse à trois") in list_texts(scene.whatsapp)
    assert await count_rows(scene.app.database, "restriction") == 0


async def test_a_trial_that_is_refused_waits_for_the_next_hour(scene: Scene) -> None:
    await scene.write("un", "deux")
    await scene.pass_hour()
    await scene.until_tries(2)
    await scene.write("trois")
    assert len(scene.whatsapp.tries) == 2
    assert await scene.states() == ["waiting_for_sender"] * 3
    [row] = await read_rows(scene.app.database, "restriction")
    assert row["try_at"] - row["since"] > 3500


async def test_a_trial_that_fails_by_itself_is_followed_by_another_soon(scene: Scene) -> None:
    await scene.write("un")
    scene.whatsapp.is_restricted = False
    scene.whatsapp.failures = [Undeliverable("131026", dead_target=True)]
    await scene.pass_hour()
    await scene.until_tries(2)
    [row] = await read_rows(scene.app.database, "restriction")
    assert row["trusted_at"] is None
    assert row["try_at"] - row["since"] < 600


async def test_a_restriction_that_is_reported_late_holds_the_message(scene: Scene) -> None:
    scene.whatsapp.is_restricted = False
    await scene.write("un")
    row = await read_row(scene.app.database, "outbox", lane=f"whatsapp:{AWA}")
    failed = Receipt("fake_whatsapp", row["provider_id"], "failed", "63112", cause="restricted")
    await scene.app.app.receipts.take([failed, failed])
    await until(scene.app.settled)
    assert await scene.states() == ["waiting_for_sender"]
    await scene.write("deux")
    assert len(scene.whatsapp.tries) == 1
    assert len(list_emails(scene.mail)) == len(scene.app.said()) == 1


async def test_a_login_code_goes_by_sms_meanwhile(scene: Scene) -> None:
    await scene.write("un")
    await scene.app.send(f"/login {BINTA}")
    await until(scene.app.settled)
    assert len(scene.whatsapp.tries) == 1
    assert [number for number, _ in list_texts(scene.sms)] == [BINTA]


async def test_a_login_code_that_meets_the_restriction_goes_by_sms(scene: Scene) -> None:
    await scene.app.send(f"/login {BINTA}")
    await until(scene.app.settled)
    assert [number for number, _ in list_texts(scene.sms)] == [BINTA]
    assert await count_rows(scene.app.database, "restriction") == 1


async def test_no_typing_is_shown_by_a_restricted_number(scene: Scene) -> None:
    scene.whatsapp.capabilities = replace(scene.whatsapp.capabilities, typing=25.0)
    await scene.write("un")
    scene.whatsapp.shown.clear()

    await scene.write("deux")
    assert scene.whatsapp.shown == []

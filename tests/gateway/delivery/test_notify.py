"""What is said to a person in another of their conversations: once, to nobody else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.contracts.channels import Capabilities
from bot.contracts.services import ToolContext
from bot.contracts.storage import Transaction
from bot.errors import ToolFailed
from bot.gateway.delivery.notify import Destination, Notifier
from bot.messages.channels import CHANNELS
from bot.messages.incoming import OptedOut, Said
from bot.messages.outgoing import FileBody, Say, TextBody
from tests.support.app import MakeApp, TestApp
from tests.support.channels import AWA, list_texts, make_sms, make_update_elsewhere, make_whatsapp
from tests.support.fakes import FakeChannel, FakeModel, reply, tool_context
from tests.support.queries import Plus, change_rows, count_rows, read_row, read_rows
from tests.support.waiting import until
from tools import send_sms_to_user, send_whatsapp_to_user


def courier_of(app: TestApp) -> Notifier:
    return Notifier(app.database, app.app.inbox, app.app.context.adapters)


async def test_an_sms_goes_to_the_persons_own_number(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    await one.log_in(phone=AWA)
    model = FakeModel(reply("", ("send_sms_to_user", '{"text": "12 rue 5"}')), reply("It is sent."))
    await one.start(model, [send_sms_to_user.TOOL])
    await one.send("send me the address by SMS")
    await until(one.settled)
    assert list_texts(phone) == [(AWA, "12 rue 5")]
    assert one.said() == ["It is sent."]
    assert await count_rows(one.database, "account") == 1


async def test_a_file_goes_along_on_whatsapp(app: MakeApp) -> None:
    phone = make_whatsapp()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    file = await one.app.files.save(
        account, "a.txt", b"text", mime_type="text/plain", source="generated", key="k"
    )
    arguments = f'{{"text": "Here", "attachments": ["{file.file_id}"]}}'
    model = FakeModel(reply("", ("send_whatsapp_to_user", arguments)), reply("Done."))
    await one.start(model, [send_whatsapp_to_user.TOOL])
    await one.send("send it to my WhatsApp")
    await until(one.settled)
    bodies = [delivery.body for delivery in phone.delivered]
    assert [type(body) for body in bodies] == [TextBody, FileBody]
    assert isinstance(bodies[1], FileBody)
    assert bodies[1].file.file_id == file.file_id


async def test_a_file_of_somebody_else_goes_nowhere(app: MakeApp) -> None:
    phone = make_whatsapp()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    file = await one.app.files.save(
        account + 1, "a.txt", b"text", mime_type="text/plain", source="generated", key="k"
    )
    arguments = f'{{"text": "Here", "attachments": ["{file.file_id}"]}}'
    model = FakeModel(reply("", ("send_whatsapp_to_user", arguments)), reply("Sorry."))
    await one.start(model, [send_whatsapp_to_user.TOOL])
    await one.send("send it to my WhatsApp")
    await until(one.settled)
    assert phone.delivered == []


def calling(account: int) -> ToolContext:
    return tool_context(account=account)


async def test_the_same_call_again_says_it_once(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    for _ in range(2):
        await courier_of(one).send("sms", [Say("once")], calling(account))
    await one.start(FakeModel())
    await until(one.settled)
    assert list_texts(phone) == [(AWA, "once")]


async def test_it_does_not_count_as_heard_from_the_person(app: MakeApp) -> None:
    """Else the window for free words would open by itself."""
    one = await app(FakeChannel(), make_whatsapp())
    account = await one.log_in(phone=AWA)
    await courier_of(one).send("whatsapp", [Say("hello")], calling(account))
    lane = await read_row(one.database, "lane", id=f"whatsapp:{AWA}")
    assert lane["person_wrote_at"] == 0


async def test_it_is_told_when_a_message_waits_until_the_person_writes(app: MakeApp) -> None:
    window = FakeChannel("w", "whatsapp", Capabilities(max_text=4096, window=86_400))
    one = await app(FakeChannel(), window, make_sms())
    account = await one.log_in(phone=AWA)
    assert await courier_of(one).send("whatsapp", [Say("hello")], calling(account)) is True
    assert await courier_of(one).send("sms", [Say("hello")], calling(account)) is False
    await one.app.inbox.store([make_update_elsewhere(Said("hi"), "whatsapp", "w")])
    assert await courier_of(one).send("whatsapp", [Say("again")], calling(account)) is False


async def test_it_goes_by_the_adapter_that_the_person_last_wrote_to(app: MakeApp) -> None:
    first, last = make_whatsapp("first"), make_whatsapp("last")
    one = await app(FakeChannel(), first, last)
    account = await one.log_in(phone=AWA)
    written = make_update_elsewhere(Said("hello"), "whatsapp", "last")
    await one.app.inbox.store([written])
    await one.start(FakeModel(reply("hi")))
    await until(one.settled)
    await courier_of(one).send("whatsapp", [Say("news")], calling(account))
    await until(one.settled)
    assert list_texts(first) == []
    assert list_texts(last) == [(AWA, "hi"), (AWA, "news")]


async def test_who_opted_out_is_left_alone(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    gone = make_update_elsewhere(OptedOut(), "sms", "fake_sms")
    await one.app.inbox.store([gone])
    with pytest.raises(ToolFailed, match="START"):
        await courier_of(one).send("sms", [Say("hello")], calling(account))
    assert await read_rows(one.database, "outbox") == []


async def test_without_the_channel_or_a_number_there_is_a_clear_word(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in(phone=AWA)
    with pytest.raises(ToolFailed, match="by sms here"):
        await courier_of(one).send("sms", [Say("hello")], calling(account))
    with pytest.raises(ToolFailed, match="not known"):
        await courier_of(one).send("sms", [Say("hello")], calling(account + 1))


async def test_a_notice_that_waits_is_dropped_when_the_person_opts_out(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    await courier_of(one).send("sms", [Say("hello")], calling(account))
    gone = make_update_elsewhere(OptedOut(), "sms", "fake_sms")
    await one.app.inbox.store([gone])
    await one.start(FakeModel())
    await until(one.settled)
    assert list_texts(phone) == []


async def test_only_so_many_sms_are_sent_a_day(app: MakeApp) -> None:
    one = await app(FakeChannel(), make_sms())
    account = await one.log_in(phone=AWA)
    for number in range(CHANNELS["sms"].notices_a_day or 0):
        context = tool_context(account=account, key=f"call {number}")
        await courier_of(one).send("sms", [Say("hello")], context)
    late = tool_context(account=account, key="one more")
    with pytest.raises(ToolFailed, match="20 SMS today"):
        await courier_of(one).send("sms", [Say("hello")], late)
    await change_rows(one.database, "inbox", {"stored_at": Plus(-86401)})
    await courier_of(one).send("sms", [Say("hello")], late)


async def test_what_may_not_wait_is_not_put_behind_a_template_that_has_asked(
    app: MakeApp,
) -> None:
    closed = make_whatsapp()
    closed.capabilities = replace(closed.capabilities, window=86_400, template=True)
    one = await app(FakeChannel(), closed)
    account = await one.log_in(phone=AWA)
    notifier = courier_of(one)

    async def find(tx: Transaction) -> Destination:
        return await notifier.find(tx, "whatsapp", account=account, may_wait=False)

    place = await one.database.write(find)
    assert (place.via, place.lane) == (closed.name, f"whatsapp:{AWA}")
    await notifier.send("whatsapp", [Say("hello")], calling(account))
    await change_rows(one.database, "lane", {"window_closed": 1})
    with pytest.raises(ToolFailed, match="would wait"):
        await one.database.write(find)


async def test_each_way_that_reaches_nobody_says_why(app: MakeApp) -> None:
    one = await app(make_sms())
    account = await one.log_in(phone=AWA)
    refusals = await courier_of(one).explain_refusals(account)
    assert refusals == {
        "telegram": "Nothing can be sent by telegram here.",
        "whatsapp": "Nothing can be sent by whatsapp here.",
        "sms": "",
        "email": "No mail is set up here.",
    }


async def test_a_way_that_the_person_stopped_reaches_nobody(app: MakeApp) -> None:
    one = await app(FakeChannel(), make_sms())
    account = await one.log_in(phone=AWA)
    await one.app.inbox.store([make_update_elsewhere(OptedOut(), "sms", "fake_sms")])
    refusals = await courier_of(one).explain_refusals(account)
    assert refusals["telegram"] == ""
    assert "no messages by sms" in refusals["sms"]

"""Whoever wrote a letter that came to nothing is told once, where they can be reached."""

from __future__ import annotations

from typing import Any

import pytest

from bot.gateway.delivery.emails import tell_of_bounce
from bot.gateway.delivery.notify import Notifier
from bot.messages.outgoing import EmailBody, SendEmail
from tests.support.app import MakeApp, TestApp
from tests.support.channels import AWA, list_texts, make_sms
from tests.support.fakes import FakeChannel, FakeModel
from tests.support.queries import change_rows
from tests.support.waiting import until


async def tell(one: TestApp, account: int, lane: str, *refused: str) -> None:
    """Twice, as after a commit that nobody saw."""
    notifier = Notifier(one.database, one.app.inbox, one.app.context.adapters)
    to = refused or ("a@example.org",)
    body = EmailBody(SendEmail(to, "Facture *12*", "text", account=account, asked_in=lane), to)

    async def work(tx: Any) -> None:
        await tell_of_bounce(tx, notifier, "email:7/1", body, "refused")

    for _ in range(2):
        await one.database.write(work)
    await one.start(FakeModel())
    await until(one.settled)


@pytest.mark.parametrize("lane", ["telegram:1", "http:session", "console:x"])
async def test_it_is_said_where_it_was_asked_or_in_a_channel_that_pushes(
    app: MakeApp, lane: str
) -> None:
    one = await app()
    account = await one.log_in()
    await change_rows(one.database, "account", {"language": "en"})
    await tell(one, account, lane)
    [said] = one.said()
    assert "a@example.org" in said
    assert "\\*12\\*" in said  # markdown here: it is no emphasis
    assert "could not be delivered" in said


async def test_it_is_said_by_sms_where_the_letter_was_asked_for_by_sms(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    await tell(one, account, f"sms:{AWA}")
    assert [address for address, _ in list_texts(phone)] == [AWA]
    assert one.said() == []


async def test_of_many_addresses_a_few_are_named(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await tell(one, account, "telegram:1", *(f"a{n}@example.org" for n in range(20)))
    [said] = one.said()
    assert said.count("@example.org") == 3


async def test_who_is_out_of_reach_is_not_told_and_nothing_breaks(app: MakeApp) -> None:
    one = await app()
    await tell(one, 99, "telegram:9")
    assert one.channel.delivered == []

"""Faults that people report are kept, and told to the operators once each."""

from __future__ import annotations

import pytest

from bot.contracts.services import ToolContext
from bot.errors import ToolFailed
from bot.gateway.delivery.fault_reports import MOST_REPORTS_A_DAY, FaultReports
from bot.messages.outgoing import SendEmail
from tests.support.app import MakeApp, TestApp
from tests.support.channels import make_whatsapp
from tests.support.emails import make_email, read_emails
from tests.support.fakes import FakeChannel, tool_context
from tests.support.queries import Like, Plus, change_rows, read_row, read_rows

OPERATORS = {"operator_email": "a@example.org", "operator_whatsapp": "+2250700000001, +33600000002"}


def desk_of(one: TestApp) -> FaultReports:
    return FaultReports(one.database, one.app.notifier, one.app.settings)


def calling(account: int, key: str = "k") -> ToolContext:
    return tool_context(account=account, lane="whatsapp:+2250701020304", turn=12, key=key)


async def told(one: TestApp) -> tuple[list[SendEmail], list[str]]:
    """E-mails, and the lanes of notices."""
    letters = await read_emails(one.database)
    notices = await read_rows(one.database, "inbox", order_by="lane", message_key=Like("report:%"))
    lanes = [row["lane"] for row in notices]
    return letters, [lane for lane in lanes if not lane.startswith("email:")]


async def test_each_operator_is_told_once_however_often_it_is_filed(app: MakeApp) -> None:
    one = await app(FakeChannel(), make_whatsapp(), make_email(), **OPERATORS)
    account = await one.log_in()
    for _ in range(3):
        await desk_of(one).file("It is broken", "high", calling(account))
    [email], notices = await told(one)
    assert (email.account, email.to) == (None, ("a@example.org",))
    assert "12" in email.subject
    assert notices == ["whatsapp:+2250700000001", "whatsapp:+33600000002"]


async def test_without_operators_it_is_kept_all_the_same(app: MakeApp) -> None:
    one = await app(FakeChannel(), make_email())
    account = await one.log_in()
    await desk_of(one).file("It is broken", "low", calling(account))
    row = await read_row(one.database, "report")
    assert (row["account"], row["turn"]) == (account, 12)
    assert (row["severity"], row["description"]) == ("low", "It is broken")
    assert await told(one) == ([], [])


async def test_without_mail_or_whatsapp_the_other_way_still_works(app: MakeApp) -> None:
    one = await app(FakeChannel(), make_email(), **OPERATORS)  # no WhatsApp here
    account = await one.log_in()
    await desk_of(one).file("It is broken", "low", calling(account))
    letters, notices = await told(one)
    assert (len(letters), notices) == (1, [])


async def test_five_a_day_and_no_more(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    for number in range(MOST_REPORTS_A_DAY):
        await desk_of(one).file("It is broken", "low", calling(account, f"k{number}"))
    with pytest.raises(ToolFailed, match="5 faults"):
        await desk_of(one).file("It is broken", "low", calling(account, "one more"))
    await desk_of(one).file("It is broken", "low", calling(account, "k0"))  # kept already
    await change_rows(one.database, "report", {"created_at": Plus(-86401)})
    await desk_of(one).file("It is broken", "low", calling(account, "tomorrow"))


async def test_operators_read_no_phone_number_and_no_markup(app: MakeApp) -> None:
    one = await app(FakeChannel(), make_email(), **OPERATORS)
    account = await one.log_in()
    words = "[here](https://example.org) ```\n+2250701020304 awa@example.org is broken"
    await desk_of(one).file(words, "low", calling(account))
    [email], _ = await told(one)
    assert "0701020304" not in email.text
    assert "awa@" not in email.text
    assert email.text.count("```") == 2

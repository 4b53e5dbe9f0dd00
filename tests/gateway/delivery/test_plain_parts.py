"""Rich messages in the outbox: a refusal is remembered, and of a plain form that is several
messages each is stored before the next."""

from __future__ import annotations

from typing import Literal

import pytest

from bot.contracts.storage import Database
from bot.errors import RetryAt
from bot.gateway.delivery.receipts import Receipts
from bot.messages.incoming import Receipt
from bot.messages.outgoing import Delivery, RichForm, Sent, TextBody, drop_rich_form, drop_sent_part
from bot.messages.value import encode
from tests.support.fakes import FakeChannel
from tests.support.outbox import ClaimedOutbox, make_receipts
from tests.support.queries import NOW, change_rows, read_row

PARTS = (TextBody("one"), TextBody("two"), TextBody("three"))
REFUSED = TextBody("one two three", rich=RichForm("", PARTS))
RICH_IN_PARTS = TextBody("one two three", rich=RichForm("<p>one two three</p>", PARTS))
RICH = TextBody("four", rich=RichForm("<p>four</p>"))


class PlainChannel(FakeChannel):
    """A channel that takes one part after the other."""

    async def deliver(self, delivery: Delivery) -> Sent:
        sent = await super().deliver(delivery)
        return Sent(sent.provider_id, left=drop_sent_part(delivery.body))


class RefusingChannel(PlainChannel):
    """A channel that refuses every rich form."""

    def __init__(self) -> None:
        super().__init__()
        self.refused = 0

    async def deliver(self, delivery: Delivery) -> Sent:
        body = delivery.body
        if not isinstance(body, TextBody) or body.rich is None or not body.rich.html:
            return await super().deliver(delivery)
        self.refused += 1
        return Sent("", left=drop_rich_form(body), rich_refused=True)


def parts_said(channel: FakeChannel) -> list[str]:
    bodies = [each.body for each in channel.delivered if isinstance(each.body, TextBody)]
    return [
        body.rich.plain[body.rich.sent].text
        if body.rich and isinstance(body.rich.plain[body.rich.sent], TextBody)
        else body.text
        for body in bodies
    ]


async def test_the_parts_go_out_before_what_follows_them(database: Database) -> None:
    one = ClaimedOutbox(database, channel=PlainChannel())
    claim = await one.claim()
    await one.put(REFUSED, "after")
    assert await one.outbox.send_due(claim) is None
    assert parts_said(one.channel) == ["one", "two", "three", "after"]
    assert await one.states() == ["sent", "sent"]


async def test_a_refusal_costs_one_call_and_none_in_the_lane_for_a_day(database: Database) -> None:
    channel = RefusingChannel()
    one = ClaimedOutbox(database, channel=channel)
    claim = await one.claim()
    await one.put(RICH, RICH_IN_PARTS)
    assert await one.outbox.send_due(claim) is None
    assert (channel.refused, parts_said(channel)) == (1, ["four", "one", "two", "three"])

    later = ClaimedOutbox(database, channel=channel)  # in another process
    claim = await later.reclaim()
    await later.put(RICH, turn=2)
    assert await later.outbox.send_due(claim) is None
    assert (channel.refused, parts_said(channel)[4:]) == (1, ["four"])

    await change_rows(database, "lane", {"plain_until": NOW})
    await later.put(RICH, turn=3)
    assert await later.outbox.send_due(claim) is None
    assert (channel.refused, parts_said(channel)[5:]) == (2, ["four"])


async def test_after_a_crash_it_goes_on_with_the_next_part(database: Database) -> None:
    """The part that was on its way is in doubt, and not said again."""
    one = ClaimedOutbox(database, channel=PlainChannel())
    await one.claim()
    await one.put(REFUSED, "after")
    await change_rows(database, "outbox", {"state": "attempting"}, part=0)
    assert await one.outbox.send_due(await one.reclaim()) is None
    assert parts_said(one.channel) == ["two", "three", "after"]


async def test_a_crash_at_the_last_part_leaves_it_in_doubt(database: Database) -> None:
    one = ClaimedOutbox(database, channel=PlainChannel())
    await one.claim()
    last = TextBody("one two three", rich=RichForm("", PARTS, sent=2))
    await one.put(last)
    await change_rows(database, "outbox", {"state": "attempting"}, part=0)
    assert await one.outbox.send_due(await one.reclaim()) is None
    assert one.channel.delivered == []
    assert await one.states() == ["unknown"]


async def test_a_rich_message_in_doubt_is_not_said_again(database: Database) -> None:
    one = ClaimedOutbox(database, channel=PlainChannel())
    await one.claim()
    await one.put(RICH_IN_PARTS)
    await change_rows(database, "outbox", {"state": "attempting"}, part=0)
    assert await one.outbox.send_due(await one.reclaim()) is None
    assert await one.states() == ["unknown"]
    assert (await read_row(database, "outbox"))["body"] == encode(RICH_IN_PARTS)


class ReportingChannel(PlainChannel):
    """A channel whose provider reports on each part while the next one is tried, at first in
    vain."""

    def __init__(self, state: Literal["delivered", "failed"]) -> None:
        super().__init__()
        self.state: Literal["delivered", "failed"] = state
        self.receipts: Receipts | None = None

    async def deliver(self, delivery: Delivery) -> Sent:
        if self.receipts and self.delivered:
            reported = Receipt("fake", f"part-{len(self.delivered)}", self.state)
            await self.receipts.take([reported])
        if delivery.attempt == 2:
            raise RetryAt("busy", after=0.0)
        sent = await super().deliver(delivery)
        return Sent(f"part-{len(self.delivered)}", left=sent.left)


@pytest.mark.parametrize("state", ["delivered", "failed"])
async def test_a_report_on_one_part_does_not_end_those_behind_it(
    database: Database, state: Literal["delivered", "failed"]
) -> None:
    channel = ReportingChannel(state)
    one = ClaimedOutbox(database, channel=channel)
    channel.receipts = make_receipts(database, {"fake": channel})
    claim = await one.claim()
    await one.put(REFUSED)
    while await one.outbox.send_due(claim) is not None:
        pass
    assert parts_said(channel) == ["one", "two", "three"]
    row = await read_row(database, "outbox")
    assert (row["state"], row["provider_id"]) == ("sent", "part-3")

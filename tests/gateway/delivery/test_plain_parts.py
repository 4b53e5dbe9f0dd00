"""A rich message whose plain form is several messages: each part is stored before the next."""

from __future__ import annotations

from bot.contracts.storage import Database
from bot.messages.outgoing import Delivery, RichForm, Sent, TextBody, drop_sent_part
from bot.messages.value import encode
from tests.support.fakes import FakeChannel
from tests.support.outbox import ClaimedOutbox
from tests.support.queries import change_rows, read_row

PARTS = (TextBody("one"), TextBody("two"), TextBody("three"))
REFUSED = TextBody("one two three", rich=RichForm("", PARTS))


class PlainChannel(FakeChannel):
    """A channel that takes one part after the other."""

    async def deliver(self, delivery: Delivery) -> Sent:
        sent = await super().deliver(delivery)
        return Sent(sent.provider_id, left=drop_sent_part(delivery.body))


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
    body = TextBody("one two three", rich=RichForm("<p>one two three</p>", PARTS))
    await one.put(body)
    await change_rows(database, "outbox", {"state": "attempting"}, part=0)
    assert await one.outbox.send_due(await one.reclaim()) is None
    assert await one.states() == ["unknown"]
    assert (await read_row(database, "outbox"))["body"] == encode(body)

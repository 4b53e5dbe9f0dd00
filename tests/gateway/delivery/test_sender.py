"""The outbox under a claim: order, fences, and what cannot be read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.errors import LeaseLost, RetryAt
from bot.gateway.delivery.outbox import Composed, store_deliveries
from bot.gateway.delivery.sender import DeliverySender, Pacer, SenderHooks
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.lanes import Claim, Lanes
from bot.messages.outgoing import Body, Delivery, FileBody, Sent, ShareFile, TextBody
from bot.observability import Metrics
from bot.storage.ephemeral import MemoryEphemeralStore
from tests.support.app import update
from tests.support.fakes import Clock, FakeChannel
from tests.support.queries import NOW, Plus, change_rows, read_row, read_rows, read_values


class Post:
    """An outbox with a channel behind it, and a lane that is claimed."""

    def __init__(
        self,
        database: Database,
        *,
        segment_usd: float = 0.0,
        writes: Database | None = None,
        channel: FakeChannel | None = None,
    ) -> None:
        self.database = database
        self.channel = channel or FakeChannel()
        self.clock = Clock()
        self.lanes = Lanes(database, 15, ["fake"], self.clock)
        self.momentary = MemoryEphemeralStore(self.clock)
        self.outbox = DeliverySender(
            writes or database,
            self.lanes,
            {"fake": self.channel},
            Metrics(),
            Pacer(self.momentary),
            segment_usd=segment_usd,
            hooks=SenderHooks(link="https://griot.example/{}".format),
        )

    async def claim(self) -> Claim:
        await Inbox(self.database).store([update("hello")])
        [claim] = await self.lanes.claim(1)
        return claim

    async def reclaim(self) -> Claim:
        """As another process after a crash would have it."""
        await change_rows(self.database, "lane", {"owner": None, "due_at": NOW})
        [claim] = await self.lanes.claim(1)
        return claim

    async def put(self, *contents: str | Body, turn: int = 1) -> None:
        bodies = [TextBody(item) if isinstance(item, str) else item for item in contents]

        async def work(tx: Any) -> None:
            await store_deliveries(tx, "telegram:1", turn, Composed(bodies))

        await self.database.write(work)

    async def put_more(self, *contents: str | Body) -> None:
        await self.put(*contents, turn=2)

    async def states(self) -> list[str]:
        rows = await read_rows(self.database, "outbox")
        return [row["state"] for row in rows]


async def test_deliveries_go_out_in_order(database: Database) -> None:
    one = Post(database)
    claim = await one.claim()
    await one.put("a", "b", "c")
    assert await one.outbox.send_due(claim) is None
    assert [d.body.text for d in one.channel.delivered] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert await one.states() == ["sent"] * 3


async def test_what_is_done_at_last_is_one_with_the_last_outcome(database: Database) -> None:
    one = Post(database)
    claim = await one.claim()
    await one.put("a", "b")
    seen: list[list[str]] = []

    async def look(tx: Any) -> None:
        seen.append(await read_values(tx, "outbox", "state"))

    async def lose(tx: Any) -> None:
        raise LeaseLost(claim.lane)

    assert await one.outbox.send_due(claim, at_last=look) is None
    assert seen == [["sent", "sent"]]
    await one.put_more("c")
    with pytest.raises(LeaseLost):
        await one.outbox.send_due(claim, at_last=lose)
    assert await one.states() == ["sent", "sent", "attempting"]


async def test_nothing_is_done_at_last_while_something_is_due_later(database: Database) -> None:
    one = Post(database)
    claim = await one.claim()
    await one.put("a")
    one.channel.failures = [RetryAt("slow down", after=60)]

    async def fail(tx: Any) -> None:
        raise AssertionError("something is left")

    assert (await one.outbox.send_due(claim, at_last=fail) or 0) > 50
    assert await one.states() == ["pending"]


async def test_the_same_part_is_put_once(database: Database) -> None:
    one = Post(database)
    claim = await one.claim()
    await one.put("a")
    await one.put("a")
    await one.outbox.send_due(claim)
    assert len(one.channel.delivered) == 1


async def test_who_lost_the_lane_sends_nothing(database: Database) -> None:
    one = Post(database)
    claim = await one.claim()
    await one.put("a")
    await change_rows(database, "lane", {"fence": Plus(1)})
    with pytest.raises(LeaseLost):
        await one.outbox.send_due(claim)
    assert one.channel.delivered == []
    assert await one.states() == ["pending"]


async def test_whose_lease_may_be_over_sends_nothing(database: Database) -> None:
    """Between the mark in the database and the request, our own clock has the last word."""
    one = Post(database)
    claim = await one.claim()
    await one.put("a")
    one.clock.advance(15)
    assert (await one.outbox.send_due(claim) or 0) > 0
    assert one.channel.delivered == []
    assert await one.states() == ["pending"]  # surely not sent: it is not in doubt


async def test_a_delivery_that_cannot_be_read_is_refused_and_blocks_nothing(
    database: Database,
) -> None:
    one = Post(database)
    claim = await one.claim()
    await one.put("a", "b")
    await change_rows(database, "outbox", {"body": "{}"}, part=0)
    assert await one.outbox.send_due(claim) is None
    assert await one.states() == ["refused", "sent"]


@pytest.mark.parametrize("by_link", [True, False])
async def test_a_provider_that_fetches_files_gets_a_link_made_when_it_is_sent(
    database: Database, by_link: bool
) -> None:
    one = Post(database)
    one.channel.capabilities = replace(one.channel.capabilities, media_by_link=by_link)
    claim = await one.claim()
    await one.put(FileBody(ShareFile("f1", "a.pdf", "application/pdf", 10)))
    await one.outbox.send_due(claim)
    body = one.channel.delivered[0].body
    assert isinstance(body, FileBody)
    assert body.link == ("https://griot.example/f1" if by_link else "")


class Rerun:
    """A database whose writes are run twice: rolled back, or committed unseen, the first time."""

    def __init__(self, database: Database, *, committed: bool) -> None:
        self._database = database
        self._committed = committed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def write(self, work: Any) -> Any:
        if self._committed:
            await self._database.write(work)
        else:

            async def undone(tx: Any) -> None:
                await work(tx)
                raise ZeroDivisionError

            with suppress(ZeroDivisionError):
                await self._database.write(undone)
        return await self._database.write(work)


@pytest.mark.parametrize("committed", [True, False])
async def test_run_again_it_is_marked_before_it_is_sent_and_costs_once(
    database: Database, committed: bool
) -> None:
    seen: list[str] = []

    class Watching(FakeChannel):
        async def deliver(self, delivery: Delivery) -> Sent:
            seen.extend(await one.states())
            return await super().deliver(delivery)

    rerun: Any = Rerun(database, committed=committed)
    one = Post(database, segment_usd=1.0, writes=rerun, channel=Watching())
    claim = await one.claim()
    await one.put(TextBody("a", segments=2))
    await one.outbox.send_due(claim)
    assert seen == ["attempting"]
    assert await one.states() == ["sent"]
    row = await read_row(database, "spending")
    assert (row["calls"], row["usd"]) == (2, 2.0)


async def test_a_thousand_retries_do_not_break_it(database: Database) -> None:
    one = Post(database)
    claim = await one.claim()
    await one.put("a")
    await change_rows(database, "outbox", {"attempts": 2000})
    one.channel.failures = [RetryAt("expired token")]
    assert (await one.outbox.send_due(claim) or 0) > 60
    await change_rows(database, "outbox", {"due_at": NOW})
    one.channel.failures = [RetryAt("again at once", after=0)]
    assert (await one.outbox.send_due(claim) or 0) >= 0.9
    assert await one.states() == ["pending"]

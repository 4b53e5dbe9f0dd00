"""The outbox under a claim: order, fences, and what cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

from bot.contracts import Database
from bot.errors import LeaseLost
from bot.gateway.inbox import Inbox
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.outbox import Outbox, post
from bot.messages import TextBody
from bot.observe import Metrics
from tests.fakes import Clock, FakeChannel
from tests.gateway.conftest import execute, fetch, update


class Post:
    """An outbox with a channel behind it, and a lane that is claimed."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.channel = FakeChannel()
        self.clock = Clock()
        self.lanes = Lanes(database, 15, ["fake"], self.clock)
        self.outbox = Outbox(database, self.lanes, {"fake": self.channel}, Metrics())

    async def claim(self) -> Claim:
        await Inbox(self.database).store([update("hello")])
        [claim] = await self.lanes.claim(1)
        return claim

    async def put(self, *texts: str) -> None:
        async def work(tx: Any) -> None:
            await post(tx, "telegram:1", 1, [TextBody(text) for text in texts])

        await self.database.write(work)

    async def states(self) -> list[str]:
        rows = await fetch(self.database, "SELECT state FROM outbox ORDER BY id")
        return [row["state"] for row in rows]


async def test_deliveries_go_out_in_order(database: Database) -> None:
    one = Post(database)
    claim = await one.claim()
    await one.put("a", "b", "c")
    assert await one.outbox.send_due(claim) is None
    assert [d.body.text for d in one.channel.delivered] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert await one.states() == ["sent"] * 3


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
    await execute(database, "UPDATE lane SET fence = fence + 1")
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
    await execute(database, "UPDATE outbox SET body = '{}' WHERE part = 0")
    assert await one.outbox.send_due(claim) is None
    assert await one.states() == ["refused", "sent"]

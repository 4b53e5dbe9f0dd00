"""The pace of sending: per conversation and over all, across processes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.contracts.channels import Pace
from bot.contracts.storage import Database
from bot.errors import LeaseLost
from bot.gateway.delivery.pacing import Pacer
from bot.gateway.lanes import Claim
from bot.messages.outgoing import Acknowledge, RetireButtons, TextBody
from bot.storage.ephemeral import MemoryEphemeralStore
from tests.support.fakes import Clock, FakeChannel
from tests.support.outbox import ClaimedOutbox, make_sender
from tests.support.queries import NOW, FromNow, Plus, change_rows, read_rows, read_seconds_until


class Paced(ClaimedOutbox):
    """A channel that may be sent to once in ten seconds a chat."""

    def __init__(self, database: Database, *, rate: float = 0.1, burst: int = 1) -> None:
        super().__init__(database)
        pace = Pace(rate, burst)
        self.channel.capabilities = replace(self.channel.capabilities, chat_pace=lambda _: pace)


async def test_what_comes_too_soon_gets_a_place_in_the_queue(database: Database) -> None:
    one = Paced(database)
    claim = await one.claim()
    await one.put("a", "b")
    assert 9 < (await one.outbox.send_due(claim) or 0) <= 10
    assert len(one.channel.delivered) == 1
    rows = await read_rows(database, "outbox")
    assert [(row["state"], row["slot_taken"]) for row in rows] == [("sent", 0), ("pending", 1)]
    _, wait = await read_seconds_until(database, "outbox", "due_at")
    assert 9 < wait <= 10


async def test_whose_place_has_come_does_not_queue_again(database: Database) -> None:
    one = Paced(database)
    claim = await one.claim()
    await one.put("a", "b")
    await one.outbox.send_due(claim)
    await change_rows(database, "outbox", {"due_at": NOW}, slot_taken=1)
    assert await one.outbox.send_due(claim) is None
    assert len(one.channel.delivered) == 2


async def test_a_burst_goes_out_at_once(database: Database) -> None:
    one = Paced(database, burst=3)
    claim = await one.claim()
    await one.put("a", "b", "c")
    assert await one.outbox.send_due(claim) is None


async def test_nothing_is_in_doubt_while_it_waits(database: Database) -> None:
    one = Paced(database)
    claim = await one.claim()
    await one.put("a", "b")
    await one.outbox.send_due(claim)
    assert await one.states() == ["sent", "pending"]


async def test_all_together_are_held_to_the_senders_pace() -> None:
    clock = Clock()
    pacer = Pacer(MemoryEphemeralStore(clock))
    capabilities = replace(FakeChannel().capabilities, sender_pace=Pace(30, 1))
    waits = [
        await pacer.place(Claim(f"telegram:{n}", 1, "me", "fake"), capabilities) for n in range(61)
    ]
    assert waits[0] == 0
    assert waits == sorted(waits)
    assert abs(waits[-1] - 2.0) < 0.01


async def test_one_chat_does_not_slow_another() -> None:
    pacer = Pacer(MemoryEphemeralStore(Clock()))
    capabilities = replace(FakeChannel().capabilities, chat_pace=lambda _: Pace(1, 1))
    busy, other = (Claim(f"telegram:{n}", 1, "me", "fake") for n in range(2))
    assert [await pacer.place(busy, capabilities) for _ in range(3)] == [0, 1, 2]
    assert await pacer.place(other, capabilities) == 0


async def test_the_topics_of_a_group_share_its_pace() -> None:
    pacer = Pacer(MemoryEphemeralStore(Clock()))
    capabilities = replace(FakeChannel().capabilities, chat_pace=lambda _: Pace(1, 1))
    topics = (Claim(f"telegram:-1/{n}", 1, "me", "fake") for n in (3, 5))
    assert [await pacer.place(topic, capabilities) for topic in topics] == [0, 1]


async def test_the_answer_to_a_tap_does_not_queue(database: Database) -> None:
    one = Paced(database)
    claim = await one.claim()
    await one.put("a", Acknowledge("c1", "✅"), RetireButtons("m1"), "b")
    await one.outbox.send_due(claim)
    assert [type(each.body).__name__ for each in one.channel.delivered] == [
        "Acknowledge",
        "TextBody",
        "RetireButtons",
    ]


class _Unreachable(MemoryEphemeralStore):
    async def reserve(self, key: str, *, rate: float, burst: int) -> float:
        raise ConnectionError("away")


async def test_while_the_shared_store_is_away_nobody_waits() -> None:
    capabilities = replace(FakeChannel().capabilities, sender_pace=Pace(1, 1))
    pacer = Pacer(_Unreachable())
    assert await pacer.place(Claim("telegram:1", 1, "me", "fake"), capabilities) == 0


async def test_a_place_taken_early_is_not_used_up_by_the_answer_to_a_tap(
    database: Database,
) -> None:
    one = Paced(database)
    claim = await one.claim()
    await one.put("a")
    await one.outbox.send_due(claim, expected=True)
    await one.put_more(Acknowledge("c1", "✅"), "b")
    assert 9 < (await one.outbox.send_due(claim, expected=True) or 0) <= 10
    assert [type(each.body).__name__ for each in one.channel.delivered] == [
        "TextBody",
        "Acknowledge",
    ]


async def test_taps_alone_use_up_no_place_in_the_chats_pace(database: Database) -> None:
    """A whole class taps; who was asked gets the verdict at once all the same."""
    one = Paced(database)
    claim = await one.claim()
    for turn in range(20):
        await one.put(Acknowledge(f"c{turn}", "Pas pour toi."), turn=turn)
        assert await one.outbox.send_due(claim, expected=True) is None
    await one.put(Acknowledge("c20", "✅"), "Bravo !", turn=20)
    assert await one.outbox.send_due(claim, expected=True) is None
    assert isinstance(one.channel.delivered[-1].body, TextBody)


async def test_a_place_is_given_back_while_what_is_next_is_not_due(database: Database) -> None:
    one = Paced(database)
    claim = await one.claim()
    await one.put("a")
    await change_rows(database, "outbox", {"due_at": FromNow(5), "slot_taken": 1})
    assert 4 < (await one.outbox.send_due(claim, expected=True) or 0) <= 5
    pacer = Pacer(one.momentary)
    assert await pacer.place(claim, one.channel.capabilities) == 0


class _Stolen(MemoryEphemeralStore):
    """While a place in the queue is asked for, another process takes the lane."""

    def __init__(self, database: Database, clock: Clock) -> None:
        super().__init__(clock)
        self._database = database

    async def reserve(self, key: str, *, rate: float, burst: int) -> float:
        await change_rows(self._database, "lane", {"fence": Plus(1), "owner": "another"})
        return 30.0


async def test_who_lost_the_lane_defers_nothing(database: Database) -> None:
    """Else a paused process that comes back would hold up what the other one is about to send."""
    one = Paced(database)
    claim = await one.claim()
    await one.put("a")
    before = await read_rows(database, "outbox")
    stolen = Pacer(_Stolen(database, one.clock))
    adapters = {"fake": one.channel}
    outbox = make_sender(database, one.lanes, adapters, stolen)
    with pytest.raises(LeaseLost):
        await outbox.send_due(claim)
    after = await read_rows(database, "outbox")
    assert after == before
    assert one.channel.delivered == []

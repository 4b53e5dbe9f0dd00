"""Workers: several on one database, draining, handing over, and what was never announced."""

from __future__ import annotations

import asyncio

import pytest

from bot.contracts.models import ModelRequest
from bot.errors import RetryAt
from bot.events import Emit
from bot.gateway.inbound.command_parser import note_command
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.runner import Isolation, Runner
from bot.gateway.worker import Worker
from bot.messages.outgoing import Delivery, Sent
from bot.messages.transcript import ModelReply
from bot.messages.value import encode
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.queries import NOW, FromNow, Not, Plus, add_row, change_rows, read_row, read_rows
from tests.support.waiting import until


class Slow(FakeModel):
    """Takes `seconds` for its first answer."""

    def __init__(self, seconds: float, *steps: ModelReply) -> None:
        super().__init__(*steps)
        self.begun = asyncio.Event()
        self._seconds = seconds

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        first = not self.begun.is_set()
        self.begun.set()
        if first:
            await asyncio.sleep(self._seconds)
        return await super().ask(request, emit)


async def test_two_workers_share_the_lanes_and_answer_each_once(app: MakeApp) -> None:
    one = await app()
    for _ in range(2):
        await one.start(FakeModel(*[reply("answer")] * 60))
    for chat in range(30):
        await one.send("a", "b", chat=str(chat))
    await until(one.settled, seconds=30)
    assert all(one.said(str(chat)) == ["answer", "answer"] for chat in range(30))


async def test_a_drain_lets_a_running_turn_end_and_takes_no_other(app: MakeApp) -> None:
    one = await app(drain_seconds=5)
    model = Slow(0.3, reply("finished"), reply("never asked for"))
    worker = await one.start(model)
    await one.send("first", "second")
    await model.begun.wait()
    await worker.stop()
    assert one.said() == ["finished"]
    lane = await read_row(one.database, "lane")
    assert lane["owner"] is None
    assert lane["due_at"] is not None


async def test_a_turn_longer_than_the_drain_is_handed_back_and_finished_elsewhere(
    app: MakeApp,
) -> None:
    one = await app(drain_seconds=0.1)
    model = Slow(60)
    worker = await one.start(model)
    await one.send("a long question")
    await model.begun.wait()
    await worker.stop()
    assert one.said() == []
    await one.start(FakeModel(reply("by another")))
    await until(one.settled)
    assert one.said() == ["by another"]
    turn = await read_row(one.database, "turn")
    assert turn["attempts"] == 2


async def test_a_lane_that_was_taken_over_is_let_go(app: MakeApp) -> None:
    one = await app(lease_seconds=1)
    model = Slow(60)
    await one.start(model)
    await one.send("a")
    await model.begun.wait()
    await change_rows(one.database, "lane", {"owner": "another", "fence": Plus(1)})
    await asyncio.sleep(1)
    await change_rows(one.database, "lane", {"owner": None, "due_at": NOW})

    async def answered() -> bool:
        return bool(one.said())

    model.add(reply("second attempt"))
    await until(answered)
    assert one.said() == ["second attempt"]


async def test_a_lane_left_behind_in_our_name_is_handed_back(app: MakeApp) -> None:
    one = await app(lease_seconds=1)
    await one.start(FakeModel(reply("found")))
    await until(lambda: read_rows(one.database, "worker"))
    owner = (await read_row(one.database, "worker"))["owner"]
    await add_row(
        one.database, "lane", id="telegram:1", via="fake", owner=owner, fence=7, due_at=FromNow(60)
    )
    await one.app.inbox.store([update("hello")])

    async def answered() -> bool:
        return bool(one.said())

    await until(answered)
    assert one.said() == ["found"]


async def test_a_stop_that_was_not_announced_is_found_all_the_same(app: MakeApp) -> None:
    one = await app()
    model = Slow(60)
    await one.start(model)
    await one.send("a long question")
    await model.begun.wait()
    stop = note_command(update("/stop"))
    await add_row(
        one.database,
        "inbox",
        lane=stop.lane,
        delivery_key="k",
        message_key="m",
        body=encode(stop),
        bypass_queue=1,
    )

    async def answered() -> bool:
        return bool(one.said())

    await until(answered)
    assert one.said() == ["Stopped."]


async def test_more_lanes_than_may_run_wait_their_turn(app: MakeApp) -> None:
    one = await app(max_running_turns=2)
    running = 0
    most = 0
    two_run = asyncio.Event()

    class Counting(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            nonlocal running, most
            running += 1
            most = max(most, running)
            if running == 2:
                two_run.set()
            await two_run.wait()
            await asyncio.sleep(0.02)
            running -= 1
            return await super().ask(request, emit)

    await one.start(Counting(*[reply("x")] * 10))
    for chat in range(10):
        await one.send("a", chat=str(chat))
    await until(one.settled)
    assert most == 2


class SlowChannel(FakeChannel):
    """Takes three seconds for each delivery, once `slow` is set."""

    slow = False

    async def deliver(self, delivery: Delivery) -> Sent:
        if self.slow:
            await asyncio.sleep(3)
        return await super().deliver(delivery)


async def test_stop_does_not_wait_behind_a_slow_delivery(app: MakeApp) -> None:
    channel = SlowChannel()
    one = await app(channel)
    model = Slow(60)
    await one.start(model)
    await one.send("a long question")
    await model.begun.wait()
    channel.slow = True
    await one.send("/help")
    await asyncio.sleep(0.2)
    await one.send("/stop")

    async def cancelled() -> bool:
        return bool(await read_rows(one.database, "turn", reason="cancelled"))

    await until(cancelled)
    assert one.said() == []  # the help is still on its way
    await until(one.settled)
    assert one.said()[-1] == "Stopped."


async def test_a_delivery_due_again_does_not_wait_for_the_next_turn(app: MakeApp) -> None:
    channel = FakeChannel(failures=[RetryAt("429", after=0.3)])
    one = await app(channel, drain_seconds=0)
    first = asyncio.Event()

    class SlowSecond(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            if len(self.requests) == 1:
                first.set()
                await asyncio.sleep(60)
            return await super().ask(request, emit)

    await one.start(SlowSecond(reply("one"), reply("two")))
    await one.send("a", "b")
    await first.wait()

    async def told() -> bool:
        return one.said() == ["one"]

    await until(told)


async def test_leases_are_kept_while_draining_even_if_a_renewal_failed(
    app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await app(lease_seconds=1, drain_seconds=5)
    model = Slow(3, reply("finished"))
    worker = await one.start(model)
    await one.send("a long question")
    await model.begun.wait()
    whole = Lanes.renew
    renewals: list[str] = []

    async def fail_once(lanes: Lanes) -> dict[str, Claim]:
        renewals.append("asked")
        if len(renewals) == 1:
            raise ConnectionError("the database is away")
        return await whole(lanes)

    monkeypatch.setattr(Lanes, "renew", fail_once)  # no real part fails just once
    await worker.stop()
    assert one.said() == ["finished"]
    assert len(renewals) > 1


class LateLanes(Lanes):
    """Answers its second claim when it is let."""

    def __init__(self, site: TestApp) -> None:
        super().__init__(site.database, 60, ["fake"])
        self.asked = asyncio.Event()
        self.answer = asyncio.Event()

    async def claim(self, limit: int) -> list[Claim]:
        if await read_rows(self._database, "lane", owner=Not(None)):
            self.asked.set()
            await self.answer.wait()
        return await super().claim(1)


class SlowRunner(Runner):
    """Takes a moment to end once it is cancelled, as one that gives its lane back does."""

    def __init__(self, claim: Claim, begun: list[str], last_words: asyncio.Event) -> None:
        self.claim = claim
        self._begun = begun
        self._last_words = last_words

    def wake(self) -> None: ...

    def drain(self) -> None: ...

    async def run(self) -> None:
        self._begun.append(self.claim.lane)
        try:
            await asyncio.sleep(3600)
        finally:
            self._last_words.set()
            await asyncio.sleep(0.2)


async def test_what_is_claimed_too_late_is_not_begun_and_given_back(app: MakeApp) -> None:
    """The database was away while the worker was told to stop."""
    one = await app(drain_seconds=0.1)
    lanes, begun, last_words = LateLanes(one), list[str](), asyncio.Event()
    worker = Worker(
        one.app.settings,
        one.database,
        lanes,
        one.app.inbox,
        lambda claim: SlowRunner(claim, begun, last_words),
        one.app.context.metrics,
        Isolation(),
    )
    for chat in ("1", "2"):
        await one.send("hello", chat=chat)
    worker.start()
    async with asyncio.timeout(20):
        await lanes.asked.wait()
        stopping = asyncio.create_task(worker.stop())
        await last_words.wait()
        lanes.answer.set()
        await stopping
    assert len(begun) == 1
    assert await read_rows(one.database, "lane", owner=Not(None)) == []

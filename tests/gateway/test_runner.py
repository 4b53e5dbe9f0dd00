"""One lane at work: in order, what never waits beside it, and given back whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.asyncio_tasks import cancel_tasks
from bot.errors import LeaseLost, RetryAt
from bot.gateway.commands.router import CommandRouter
from bot.gateway.deliveries import Composed
from bot.gateway.delivery.pacing import Pacer
from bot.gateway.delivery.sender import (
    ConcurrentSender,
    DeliverySender,
    PreparedDelivery,
    SendTarget,
)
from bot.gateway.inbound.inbox import Pending
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.runner import Isolation, Runner, RunnerParts
from bot.gateway.turns.close import close_without_turn
from bot.gateway.turns.retry import TurnFailures
from bot.gateway.turns.run import TurnRunner
from bot.gateway.turns.state import Stop
from bot.messages.incoming import Said
from bot.messages.outgoing import Delivery, Sent, TextBody
from tests.support.app import MakeApp, TestApp
from tests.support.fakes import FakeChannel
from tests.support.outbox import make_sender
from tests.support.queries import NOW, AtMost, count_rows, read_row, read_rows
from tests.support.turns import lose_to_another
from tests.support.waiting import until


class HeldTurns(TurnRunner):
    """Turns that run until they are let go, stopped, or fail; each answers with what was asked."""

    def __init__(self, site: TestApp, *failures: Exception) -> None:
        self.site = site
        self.failures = list(failures)
        self.begun: list[str] = []
        self.stopped: list[str] = []
        self.cancelled: list[str] = []
        self.go = asyncio.Event()

    async def run(
        self, claim: Claim, pending: Pending, stop: Stop, sender: ConcurrentSender
    ) -> None:
        content = pending.update.content
        text = content.text if isinstance(content, Said) else ""
        self.begun.append(text)
        if self.failures:
            raise self.failures.pop(0)
        await self._hold(text, stop)

        async def end(tx: Any) -> None:
            said = Composed([TextBody(f"re: {text}")])
            await close_without_turn(tx, claim, pending, None, said)

        await self.site.database.write(end)

    async def _hold(self, text: str, stop: Stop) -> None:
        try:
            with stop.cancelling():
                await self.go.wait()
        except asyncio.CancelledError:
            if not stop.requested:
                self.cancelled.append(text)
                raise
            self.stopped.append(text)


@dataclass
class Stuck(FakeChannel):
    """A channel on which nothing arrives before it is let through."""

    asked: list[Delivery] = field(default_factory=list[Delivery])
    through: asyncio.Event = field(default_factory=asyncio.Event)

    async def deliver(self, delivery: Delivery) -> Sent:
        self.asked.append(delivery)
        await self.through.wait()
        return await super().deliver(delivery)


@dataclass
class Work:
    """A lane that a runner works on."""

    site: TestApp
    turns: HeldTurns
    runner: Runner
    task: asyncio.Task[None]

    async def say(self, *texts: str) -> None:
        """Stored, and the runner told of it."""
        await self.site.send(*texts)
        self.runner.wake()

    async def until(self, condition: Callable[[], object]) -> None:
        async def holds() -> object:
            return condition()

        await until(holds)

    async def end(self) -> None:
        async with asyncio.timeout(10):
            await self.task

    async def owner(self) -> str | None:
        return (await read_row(self.site.database, "lane"))["owner"]

    async def waiting(self) -> int:
        rows = await read_rows(self.site.database, "inbox", state="pending")
        return len(rows)


def make_parts(site: TestApp, turns: HeldTurns, lanes: Lanes) -> RunnerParts:
    parts = site.app.context
    return RunnerParts(
        lanes=lanes,
        inbox=site.app.inbox,
        deliveries=make_sender(parts.database, lanes, parts.adapters, Pacer(parts.momentary)),
        turns=turns,
        router=CommandRouter(
            parts,
            site.app.people,
            TurnFailures(parts, site.app.people, site.app.background),
            site.app.inbox,
            site.app.logins,
            site.app.practice,
            site.app.commands,
            {},
        ),
        isolation=Isolation(),
    )


@asynccontextmanager
async def _work(site: TestApp, *texts: str, turns: HeldTurns | None = None) -> AsyncGenerator[Work]:
    """A runner on the lane in which this was said."""
    held = turns or HeldTurns(site)
    await site.send(*texts)
    lanes = Lanes(site.database, 60, ["fake"])
    [claim] = await lanes.claim(1)
    runner = Runner(claim, make_parts(site, held, lanes))
    work = Work(site, held, runner, asyncio.create_task(runner.run()))
    try:
        yield work
    finally:
        work.task.cancel()
        with suppress(asyncio.CancelledError):
            await work.task


async def test_updates_are_handled_in_order_and_the_lane_is_given_back(app: MakeApp) -> None:
    site = await app()
    async with _work(site, "one", "/new", "two") as work:
        work.turns.go.set()
        await work.end()
        answers = site.said()
        assert (answers[0], answers[2:]) == ("re: one", ["re: two"])
        assert await work.owner() is None
        assert await site.settled()


async def test_a_turn_begins_when_the_one_before_has_ended(app: MakeApp) -> None:
    site = await app()
    async with _work(site, "one", "two") as work:
        await work.until(lambda: work.turns.begun)
        await work.say("three")
        assert work.turns.begun == ["one"]
        work.turns.go.set()
        await work.end()
        assert work.turns.begun == ["one", "two", "three"]


async def test_a_command_is_answered_and_delivered_while_the_turn_runs(app: MakeApp) -> None:
    site = await app()
    async with _work(site, "a long question") as work:
        await work.until(lambda: work.turns.begun)
        await work.say("/balance")
        await work.until(site.said)
        assert not work.turns.stopped
        work.turns.go.set()
        await work.end()
        assert len(site.said()) == 2


async def test_a_new_conversation_waits_for_the_running_turn(app: MakeApp) -> None:
    site = await app()
    async with _work(site, "a long question") as work:
        await work.until(lambda: work.turns.begun)
        await work.say("/new", "/balance")
        await work.until(site.said)
        assert await work.waiting() == 2
        work.turns.go.set()
        await work.end()
        assert site.said()[1] == "re: a long question"
        assert len(site.said()) == 3


async def test_a_delivery_that_is_stuck_holds_up_no_stop(app: MakeApp) -> None:
    channel = Stuck()
    site = await app(channel)
    async with _work(site, "a long question") as work:
        await work.until(lambda: work.turns.begun)
        await work.say("/balance")
        await work.until(lambda: channel.asked)
        await work.say("/stop")
        await work.until(lambda: work.turns.stopped)
        assert channel.delivered == []
        channel.through.set()
        await work.end()
        assert len(site.said()) == 3
        assert await site.settled()


async def test_what_is_due_again_meanwhile_goes_out_beside_the_turn(app: MakeApp) -> None:
    site = await app()
    site.channel.failures = [RetryAt("429", after=0.05)]
    async with _work(site, "/balance", "a long question") as work:
        await work.until(lambda: work.turns.begun)
        await work.until(site.said)
        assert not work.turns.go.is_set()
        work.turns.go.set()
        await work.end()
        assert len(site.said()) == 2


# The end ----------------------------------------------------------------------------------------


async def test_a_drain_lets_the_turn_end_and_leaves_the_rest(app: MakeApp) -> None:
    site = await app()
    async with _work(site, "one", "two") as work:
        await work.until(lambda: work.turns.begun)
        work.runner.drain()
        work.turns.go.set()
        await work.end()
        assert site.said() == ["re: one"]
        assert await work.waiting() == 1
        assert await count_rows(site.database, "lane", owner=None, due_at=AtMost(NOW)) == 1


async def test_who_is_cancelled_cancels_its_turn_and_gives_the_lane_back(app: MakeApp) -> None:
    site = await app()
    async with _work(site, "one") as work:
        await work.until(lambda: work.turns.begun)
        work.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work.task
        assert work.turns.cancelled == ["one"]
        assert await work.owner() is None
        assert await work.waiting() == 1


class DeafTurns(HeldTurns):
    """Turns that do not hear the first cancellation, as a library may not."""

    async def _hold(self, text: str, stop: Stop) -> None:
        with suppress(asyncio.CancelledError):
            await super()._hold(text, stop)
        await super()._hold(text, stop)


async def test_no_turn_outlives_its_runner(app: MakeApp) -> None:
    site = await app()
    turns = DeafTurns(site)
    async with _work(site, "one", turns=turns) as work:
        await work.until(lambda: work.turns.begun)
        await cancel_tasks([work.task], patience=0.5)
        assert turns.cancelled == ["one", "one"]
        assert await work.owner() is None


async def test_who_lost_the_lane_leaves_it_to_the_other(app: MakeApp) -> None:
    site = await app()
    async with _work(site, "one", "two") as work:
        await work.until(lambda: work.turns.begun)
        await lose_to_another(site.database)
        work.turns.go.set()
        await work.end()
        assert work.turns.begun == ["one"]
        assert await work.owner() == "another"
        assert site.channel.delivered == []


async def test_a_turn_that_lost_it_alone_gives_it_back_at_once(app: MakeApp) -> None:
    """A lease that was thought lost, and is still ours: nobody has to wait for its end."""
    site = await app()
    async with _work(site, "one", turns=HeldTurns(site, LeaseLost("telegram:1"))) as work:
        await work.end()
        assert await work.owner() is None


async def test_an_error_of_ours_gives_the_lane_back_for_another_try(
    app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Or the test would wait a second:
    monkeypatch.setattr("bot.gateway.runner._FAILURE_PAUSE", 0.01)
    site = await app()
    async with _work(site, "one", turns=HeldTurns(site, KeyError("a bug"))) as work:
        await work.end()
        assert await work.owner() is None
        assert await count_rows(site.database, "lane", due_at=AtMost(NOW)) == 1
        assert await work.waiting() == 1


async def test_who_is_cancelled_in_the_brake_gives_the_lane_back(app: MakeApp) -> None:
    site = await app()
    with capture_logs() as logs:
        async with _work(site, "one", turns=HeldTurns(site, KeyError("a bug"))) as work:
            await work.until(lambda: [line for line in logs if line["event"] == "lane_failed"])
            work.task.cancel()
            await asyncio.wait((work.task,))
            assert await work.owner() is None


async def test_an_error_of_ours_is_braked(app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    # So that the pause cannot be missed:
    monkeypatch.setattr("bot.gateway.runner._FAILURE_PAUSE", 60.0)
    site = await app()
    async with _work(site, "one", turns=HeldTurns(site, KeyError("a bug"))) as work:
        await work.until(lambda: work.turns.begun)
        await asyncio.sleep(0.1)
        assert not work.task.done()
        assert await work.owner() is not None


# Beside a turn ----------------------------------------------------------------------------------


class SlowOutbox(DeliverySender):
    """Counts how often it is asked to send; each time waits to be let through, or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.begun = 0
        self.ended = 0
        self.through = asyncio.Event()
        self.prepared = PreparedDelivery(SendTarget("fake", 0.0))

    async def prepare(self, claim: Claim) -> PreparedDelivery:
        return self.prepared

    async def send_due(
        self, claim: Claim, *, prepared: PreparedDelivery | None = None, **_: Any
    ) -> float | None:
        self.begun += 1
        await self.through.wait()
        if self.error:
            raise self.error
        self.ended += 1
        return None


CLAIM = Claim("telegram:1", 1, "me", "fake")


async def _rounds(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0)


async def test_beside_a_turn_nothing_is_sent_unasked() -> None:
    outbox = SlowOutbox()
    async with ConcurrentSender(outbox, CLAIM):
        await asyncio.sleep(0.01)
    assert outbox.begun == 0


async def test_a_delivery_on_its_way_comes_to_its_end() -> None:
    outbox = SlowOutbox()
    async with ConcurrentSender(outbox, CLAIM) as sender:
        sender.send()
        await _rounds(lambda: outbox.begun)
        asyncio.get_running_loop().call_later(0.05, outbox.through.set)
    assert (outbox.begun, outbox.ended) == (1, 1)


async def test_what_comes_during_a_delivery_is_sent_after_it() -> None:
    outbox = SlowOutbox()
    async with ConcurrentSender(outbox, CLAIM) as sender:
        sender.send()
        await _rounds(lambda: outbox.begun)
        sender.send()
        sender.send()
        outbox.through.set()
        await _rounds(lambda: outbox.ended == 2)
    assert outbox.begun == 2


async def test_what_ended_the_sending_is_raised_when_the_turn_has_ended() -> None:
    outbox = SlowOutbox(LeaseLost("telegram:1"))
    outbox.through.set()

    async def send() -> None:
        async with ConcurrentSender(outbox, CLAIM) as sender:
            sender.send()
            await _rounds(lambda: outbox.begun)

    with pytest.raises(LeaseLost):
        await send()


async def test_a_turn_that_breaks_waits_for_no_delivery() -> None:
    outbox = SlowOutbox()

    async def break_off() -> None:
        async with ConcurrentSender(outbox, CLAIM) as sender:
            sender.send()
            await _rounds(lambda: outbox.begun)
            raise KeyError("a bug")

    with pytest.raises(KeyError):
        await break_off()
    assert (outbox.begun, outbox.ended) == (1, 0)


async def test_what_is_prepared_is_sent_by_nobody_else() -> None:
    outbox = SlowOutbox()
    outbox.through.set()
    async with ConcurrentSender(outbox, CLAIM) as sender:
        await sender.prepare()
        sender.send()
        await asyncio.sleep(0.01)
        assert outbox.begun == 0
        assert sender.take_prepared() is outbox.prepared
        sender.send_prepared()
        await _rounds(lambda: outbox.ended)


async def test_nothing_is_prepared_while_something_is_sent() -> None:
    outbox = SlowOutbox()
    outbox.through.set()
    async with ConcurrentSender(outbox, CLAIM) as sender:
        sender.send()
        await sender.prepare()
        assert sender.take_prepared() is None

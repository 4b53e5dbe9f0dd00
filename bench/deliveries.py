"""Deliveries: what one costs in a long queue at a set pace, and whether one chat slows others."""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.results import Result
from bot.app import App, open_app, open_worker
from bot.contracts.channels import Pace
from bot.contracts.storage import Transaction
from bot.errors import RetryAt
from bot.gateway.deliveries import Composed
from bot.gateway.lanes import wake_lane
from bot.gateway.outbox_rows import store_deliveries
from bot.messages.outgoing import Delivery, Sent, TextBody
from bot.settings import Settings, load
from tests.support.fakes import FakeChannel, FakeModel

RATE = 1500.0
"""Deliveries a second that the sender may make in the long queue."""


@dataclass
class Timed(FakeChannel):
    """A channel that notes when what was delivered, and throttles the chat `throttled`."""

    throttled: str = ""
    seen: list[tuple[float, str, str]] = field(default_factory=list[tuple[float, str, str]])
    expected: int = -1
    complete: asyncio.Event = field(default_factory=asyncio.Event)

    async def deliver(self, delivery: Delivery) -> Sent:
        if delivery.conversation == self.throttled:
            raise RetryAt("429", after=0.5)
        text = delivery.body.text if isinstance(delivery.body, TextBody) else ""
        self.seen.append((time.monotonic(), delivery.conversation, text))
        if len(self.seen) == self.expected:
            self.complete.set()
        return Sent(f"m{delivery.id}")


def measure(*, quick: bool) -> list[Result]:
    chats, each, seconds = (100, 10, 2.0) if quick else (1000, 10, 8.0)
    return [
        *asyncio.run(_measure_queue(chats, each)),
        *asyncio.run(_measure_throttled(seconds)),
    ]


async def _measure_queue(chats: int, each: int) -> list[Result]:
    """All at once in the outbox: in order in each chat, at the pace, at what cost."""
    channel = Timed(expected=chats * each)
    channel.capabilities = replace(channel.capabilities, sender_pace=Pace(RATE, 10))
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(_settings(folder), more=[channel]) as app:
            await _fill(app, range(chats), each)
            cpu, began = time.process_time(), time.monotonic()
            async with open_worker(app, model=FakeModel()):
                await channel.complete.wait()
            cpu, wall = time.process_time() - cpu, time.monotonic() - began
    if not _in_order(channel):
        raise RuntimeError("deliveries went out of order")
    count = chats * each
    return [
        Result("deliveries.cpu_ms", cpu * 1000 / count, "ms"),
        Result("deliveries.share_of_pace", count / wall / RATE, "x"),
    ]


async def _measure_throttled(seconds: float) -> list[Result]:
    """The delay of everybody else while one chat is throttled, over that when none is."""
    calm = await _delay(seconds, throttled="")
    disturbed = await _delay(seconds, throttled="0")
    return [
        Result("deliveries.p99_delay_ms", calm * 1000, "ms"),
        Result("deliveries.p99_delay_beside_429", disturbed / calm, "x"),
    ]


async def _delay(seconds: float, *, throttled: str) -> float:
    channel = Timed(throttled=throttled)
    posted: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        async with (
            open_app(_settings(folder), more=[channel]) as app,
            open_worker(app, model=FakeModel()),
        ):
            count = int(seconds * 100)
            for number in range(count):
                chat = random.randrange(50)
                posted[str(number)] = time.monotonic()
                await _put(app, chat, [str(number)], turn=number)
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.5)
    delays = [at - posted[text] for at, chat, text in channel.seen if chat != throttled]
    return statistics.quantiles(delays, n=100)[98]


async def _fill(app: App, chats: Sequence[int], each: int) -> None:
    for chat in chats:
        await _put(app, chat, [str(number) for number in range(each)], turn=0)


async def _put(app: App, chat: int, texts: Sequence[str], *, turn: int) -> None:
    lane = f"telegram:{chat}"

    async def work(tx: Transaction) -> None:
        await wake_lane(tx, lane, via="fake")
        await store_deliveries(tx, lane, turn, Composed([TextBody(text) for text in texts]))
        await tx.announce(lane)

    await app.database.write(work)


def _in_order(channel: Timed) -> bool:
    texts: dict[str, list[int]] = defaultdict(list)
    for _, chat, text in channel.seen:
        texts[chat].append(int(text))
    return all(numbers == sorted(numbers) for numbers in texts.values())


def _settings(folder: str) -> Settings:
    path = Path(folder)
    return load(
        {
            "DATABASE_URL": f"sqlite:///{path / 'griot.db'}",
            "BLOB_URL": f"file:{path / 'files'}",
            "SECRET_KEY": "only for measuring",
        }
    )

"""Reminders: how late they leave, when a thousand are due within one minute, with a kill in its
middle as well, and all at once."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.reminders_restarted import lateness, read_due
from bench.results import Result
from bot.app import open_app, open_worker
from bot.messages.outgoing import Delivery, Sent, TextBody
from bot.settings import Settings, load
from tests.support.fakes import FakeChannel, FakeModel
from tests.support.people_with_tasks import add_people_with_tasks
from tests.support.postgres_server import start_postgres

MINUTE = 60.0
BEGIN = 2.0
"""Seconds after which the first is due."""


@dataclass
class Timed(FakeChannel):
    """A channel that notes when it was given what."""

    expected: int = 0
    at: dict[str, float] = field(default_factory=dict[str, float])
    complete: asyncio.Event = field(default_factory=asyncio.Event)

    async def deliver(self, delivery: Delivery) -> Sent:
        at = time.time()
        if not isinstance(delivery.body, TextBody) or delivery.body.text in self.at:
            raise RuntimeError("something else was said than each reminder once")
        self.at[delivery.body.text] = at
        if len(self.at) == self.expected:
            self.complete.set()
        return Sent(f"m{delivery.id}")


def measure(*, quick: bool) -> list[Result]:
    tasks, minute = (100, MINUTE / 10) if quick else (1000, MINUTE)
    results: list[Result] = []
    with start_postgres(durable=True) as server:
        for name in ("sqlite", "postgres"):
            for when, seconds in (("in_a_minute", minute), ("at_once", 0.0)):
                url = server.create_database() if name == "postgres" else ""
                late = asyncio.run(_lateness(url, tasks, seconds))
                results += _results(f"reminders.{name}.{when}", late)
            url = server.create_database() if name == "postgres" else ""
            late = lateness(url, tasks, minute)
            results += _results(f"reminders.{name}.restarted", late)
    return results


def _results(name: str, late: list[float]) -> list[Result]:
    """Lateness from the moment at which it is due to the request to the provider."""
    percentiles = statistics.quantiles(late, n=100)
    return [
        Result(f"{name}.p50_ms", percentiles[49] * 1000, "ms"),
        Result(f"{name}.p99_ms", percentiles[98] * 1000, "ms"),
    ]


async def _lateness(url: str, tasks: int, seconds: float) -> list[float]:
    """Seconds by which each of so many, due within `seconds`, leaves late; each of another
    person, since Telegram takes one message a second in a conversation."""
    channel = Timed(expected=tasks)
    with tempfile.TemporaryDirectory() as folder:
        async with (
            open_app(_settings(folder, url), more=[channel]) as app,
            open_worker(app, model=FakeModel()),
        ):
            titles = await add_people_with_tasks(
                app.database, tasks, tasks, begin=BEGIN, seconds=seconds
            )
            due = await read_due(app.database)
            await asyncio.wait_for(channel.complete.wait(), seconds + 120)
    return [channel.at[f"Reminder: {title}"] - due[title] for title in titles]


def _settings(folder: str, url: str) -> Settings:
    path = Path(folder)
    return load(
        {
            "DATABASE_URL": url or f"sqlite:///{path / 'griot.db'}",
            "BLOB_URL": f"file:{path / 'files'}",
            "SECRET_KEY": "only for measuring",
        }
    )

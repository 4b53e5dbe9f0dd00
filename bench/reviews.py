"""Reviews: finding what is due of many cards, what a card adds to a graded answer, and reminding
5,000 people of 100,000 who chose the same hour."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bench.results import Result
from bot.app import App, open_app
from bot.contracts.channels import Capabilities
from bot.contracts.storage import Database, Transaction
from bot.gateway.scheduler.review_nudges import Nudges
from bot.learning.quiet_hours import QuietHours
from bot.learning.reviews.cards import CardItem, choose_cards, count_due, keep_card
from bot.learning.reviews.memory_model import DAY
from bot.settings import load
from tests.support.fakes import FakeChannel
from tests.support.postgres_server import start_postgres
from tests.support.queries import FromNow, add_rows, count_rows

CARDS = 10_000
ASKED = 10
"""Exercises of one review."""
LOOKS = 200
CHUNK = 10_000
"""Rows that are stored at once."""


def measure(*, quick: bool) -> list[Result]:
    people, due = (2000, 100) if quick else (100_000, 5000)
    results: list[Result] = []
    with start_postgres(durable=True) as server:
        for name in ("sqlite", "postgres"):
            url = server.create_database() if name == "postgres" else ""
            results += asyncio.run(_measure(name, url, people, due))
    return results


async def _measure(name: str, url: str, people: int, due: int) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        async with _open(folder, url) as app:
            results = await _measure_cards(name, app.database)
            seconds = await _nudge(app, people, due)
            return [*results, Result(f"reviews.{name}.nudge_s", seconds, "s")]


@asynccontextmanager
async def _open(folder: str, url: str) -> AsyncGenerator[App]:
    values = {
        "DATABASE_URL": url or f"sqlite:///{Path(folder) / 'griot.db'}",
        "BLOB_URL": f"file:{Path(folder) / 'files'}",
        "SECRET_KEY": "only for measuring",
    }
    able = Capabilities(max_text=4096, max_buttons=8, max_button_label=40)
    async with open_app(load(values), more=[FakeChannel(capabilities=able)]) as app:
        yield app


async def _measure_cards(name: str, database: Database) -> list[Result]:
    """CPU of this process, with all of the database if that is SQLite."""
    results: list[Result] = []
    for account, due in ((1, 30), (2, CARDS)):
        await add_rows(database, "card", [_card(account, number, due) for number in range(CARDS)])
        spent = [await _look(database, account) for _ in range(LOOKS)]
        named = f"reviews.{name}.due_{due}_of_{CARDS}_cpu_ms"
        results.append(Result(named, 1000 * statistics.median(spent), "ms"))
    kept = [await _keep(database, number) for number in range(LOOKS)]
    return [*results, Result(f"reviews.{name}.card_ms", 1000 * statistics.median(kept), "ms")]


def _card(account: int, number: int, due: int) -> dict[str, Any]:
    return {
        "account": account,
        "lane": "",
        "key": f"card {number}",
        "kind": "text",
        "body": "{}" + " " * 1000,
        "stability": 1.0 + number % 97,
        "difficulty": 5.0,
        "reviewed_at": FromNow(-DAY * (1 + number % 89)),
        "due_at": FromNow(-1 if number < due else DAY),
        "reviews": 1 + number % 5,
        "lapses": number % 3,
    }


async def _look(database: Database, account: int) -> float:
    """CPU seconds in which it is found what a review asks, and how much is due."""

    async def work(tx: Transaction) -> float:
        before = time.process_time()
        await choose_cards(tx, account, "", ASKED)
        await count_due(tx, account, "")
        return time.process_time() - before

    return await database.read(work)


async def _keep(database: Database, number: int) -> float:
    """Seconds that the card takes within the transaction of an answer."""
    item = CardItem(f"card {number}", "", "text", "statement", 2, "{}" + " " * 1000)

    async def work(tx: Transaction) -> float:
        before = time.perf_counter()
        await keep_card(tx, item, account=1, lane="", correct=True, first_try=True)
        return time.perf_counter() - before

    return await database.write(work)


async def _nudge(app: App, people: int, due: int) -> float:
    """Seconds until all whose moment has come are looked at, and those handed over who have
    something to review. Each once, or it raises."""
    first = 1000
    accounts = range(first, first + people)
    await _add_many(
        app.database,
        "account",
        [{"id": each, "phone": f"+2250{each:09d}", "language": "fr"} for each in accounts],
    )
    known = [{"channel": "telegram", "address": str(each), "account": each} for each in accounts]
    await _add_many(app.database, "identity", known)
    lanes = [{"id": f"telegram:{each}", "via": "fake", "reachable": 1} for each in accounts]
    await _add_many(app.database, "lane", lanes)
    chosen = {"days": "mon tue wed thu fri sat sun", "hour": 18, "zone": "Africa/Abidjan"}
    moment = {"channel": "telegram", "nudge_at": FromNow(-1)}
    await _add_many(
        app.database, "review", [{"account": each, **chosen, **moment} for each in accounts]
    )
    every = people // due
    cards = [
        _card(each, number, 3 if each % every == 0 else 0) for each in accounts for number in (0, 9)
    ]
    await _add_many(app.database, "card", cards)
    await app.database.run("ANALYZE")
    nudges = Nudges(app.database, app.notifier, app.context.metrics, QuietHours(), a_day=10)
    before = time.perf_counter()
    told = await nudges.nudge_all()
    seconds = time.perf_counter() - before
    if (told, await count_rows(app.database, "inbox")) != (due, due):
        raise RuntimeError(f"{told} were reminded, and not {due}, each once")
    return seconds


async def _add_many(database: Database, table: str, rows: list[dict[str, Any]]) -> None:
    for start in range(0, len(rows), CHUNK):
        await add_rows(database, table, rows[start : start + CHUNK])

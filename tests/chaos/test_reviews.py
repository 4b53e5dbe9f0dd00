"""People review while processes are killed: no answer is lost, none counts twice."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import until_quiet
from tests.chaos.load import Load, open_load
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Node
from tests.support.queries import FromNow, add_rows, count_rows, read_rows, read_values

CHATS = range(201, 211)
PEOPLE = range(1001, 1201)
NUDGE = "There are 6 exercises to review"
CARDS = 6
KILLS = 4
DAY = 86_400.0

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(180)]


async def test_kills_in_the_middle_of_reviews_lose_nothing_and_double_nothing(
    nodes: list[Node], telegram: TelegramStandIn, database: Database
) -> None:
    async with open_load(telegram, *nodes) as load:
        await asyncio.gather(*(load.log_in(chat) for chat in CHATS))
        await until_quiet(database, 30)
        accounts = [row["account"] for row in await read_rows(database, "identity")]
        await add_cards(database, [account for account in accounts if account])
        async with asyncio.TaskGroup() as tasks:
            for chat in CHATS:
                tasks.create_task(review_all(load, database, chat))
            for _ in range(KILLS):
                await asyncio.sleep(0.7)
                nodes[0].kill()
                await nodes[0].restart()
    await until_quiet(database, 30)

    reviews = Counter(await read_values(database, "card", "reviews"))
    assert reviews == {2: len(CHATS) * CARDS}
    assert await count_rows(database, "result", source="review") == len(CHATS) * CARDS
    assert await count_rows(database, "exercise", state="right") == len(CHATS) * CARDS


async def test_a_kill_among_nudges_loses_none_and_repeats_none(
    nodes: list[Node], telegram: TelegramStandIn, database: Database
) -> None:
    await add_people_to_nudge(database)
    async with asyncio.timeout(60):
        while nudged(telegram).total() < len(PEOPLE) // 4:
            await asyncio.sleep(0.02)
    nodes[0].kill()
    await nodes[0].restart()
    async with asyncio.timeout(60):
        while await count_rows(database, "review", nudged_at=None):
            await asyncio.sleep(0.1)
    await until_quiet(database, 60)

    told = nudged(telegram)
    assert [chat for chat, times in told.items() if times > 1] == []
    in_doubt = await count_rows(database, "outbox", state="unknown")
    assert len(PEOPLE) - in_doubt <= len(told) <= len(PEOPLE)
    assert in_doubt < len(PEOPLE) * 2 / 3  # those on their way when a busy machine was killed


def nudged(telegram: TelegramStandIn) -> Counter[int]:
    """How often each was reminded."""
    shown = ((chat, each.text) for chat in PEOPLE for each in telegram.messages(chat))
    return Counter(chat for chat, text in shown if text.startswith(NUDGE))


async def add_people_to_nudge(database: Database) -> None:
    """One in each chat, for whom it is about noon."""
    people = [{"id": chat, "phone": f"+22507010{chat:05d}", "language": "en"} for chat in PEOPLE]
    await add_rows(database, "account", people)
    known = [{"channel": "telegram", "address": str(chat), "account": chat} for chat in PEOPLE]
    await add_rows(database, "identity", known)
    await add_cards(database, list(PEOPLE))
    chosen = {"days": "mon", "hour": 12, "zone": noon_zone(), "channel": "telegram"}
    rows = [{"account": chat, "nudge_at": FromNow(-1), **chosen} for chat in PEOPLE]
    await add_rows(database, "review", rows)


def noon_zone() -> str:
    """A zone in which it is about noon, far from quiet hours."""
    offset = 12 - datetime.now(UTC).hour
    return f"Etc/GMT{-offset:+d}"


async def add_cards(database: Database, accounts: list[int]) -> None:
    """Give each account cards that are due, as they are after one answer."""
    rows = [
        {
            "account": account,
            "lane": "",
            "key": f"={number}",
            "skill": "",
            "kind": "number",
            "statement": f"{number} + 40 = ?",
            "level": 2,
            "body": json.dumps({"solutions": [str(number + 40)]}),
            "stability": 2.0,
            "difficulty": 5.0,
            "reviewed_at": FromNow(-9 * DAY),
            "due_at": FromNow(-DAY),
            "reviews": 1,
        }
        for account in accounts
        for number in range(CARDS)
    ]
    await add_rows(database, "card", rows)


async def review_all(load: Load, database: Database, chat: int) -> None:
    """Ask for the review, and answer whatever is open until all is reviewed."""
    await load.tell(chat, "/review")
    for _ in range(CARDS):
        exercise = await wait_for_exercise(database, chat)
        await load.tell(chat, json.loads(exercise["body"])["solutions"][0])
        async with asyncio.timeout(60):
            while await count_rows(database, "exercise", id=exercise["id"], state="open"):
                await asyncio.sleep(0.02)


async def wait_for_exercise(database: Database, chat: int) -> dict[str, str]:
    async with asyncio.timeout(60):
        while True:
            for row in await read_rows(database, "exercise", lane=f"telegram:{chat}", state="open"):
                return row
            await asyncio.sleep(0.02)

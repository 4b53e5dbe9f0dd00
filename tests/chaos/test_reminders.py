"""A thousand reminders within a few seconds, and a kill among them: each comes once."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import until_quiet
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Node
from tests.support.people_with_tasks import FIRST_CHAT, add_people_with_tasks
from tests.support.queries import count_rows, read_rows

PEOPLE = 500
TASKS = 1000
SECONDS = 10.0

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(600)]


async def test_a_kill_among_a_thousand_reminders_loses_none_and_repeats_none(
    nodes: list[Node], telegram: TelegramStandIn, database: Database
) -> None:
    titles = await add_people_with_tasks(database, PEOPLE, TASKS, begin=1.0, seconds=SECONDS)
    await until_said(telegram, TASKS // 3)
    nodes[0].kill()
    await nodes[0].restart()
    await until_known(database)
    await until_quiet(database, 30)

    said = said_by_chat(telegram)
    expected = {
        (FIRST_CHAT + number % PEOPLE, f"Reminder: {title}") for number, title in enumerate(titles)
    }
    assert [one for one, times in said.items() if times > 1] == []
    assert said.keys() <= expected
    in_doubt = await read_rows(database, "task", reminder_state="unknown")
    lost = {text for _, text in expected - said.keys()}
    assert lost <= {f"Reminder: {row['title']}" for row in in_doubt}
    assert len(in_doubt) < TASKS / 20
    sent = await read_rows(database, "task", reminder_state="sent")
    assert len(sent) + len(in_doubt) == TASKS
    assert all(row["sent_id"] for row in sent)


def said_by_chat(telegram: TelegramStandIn) -> Counter[tuple[int, str]]:
    """How often each text was shown in each chat."""
    chats = range(FIRST_CHAT, FIRST_CHAT + PEOPLE)
    return Counter((chat, shown.text) for chat in chats for shown in telegram.messages(chat))


async def until_said(telegram: TelegramStandIn, number: int) -> None:
    async with asyncio.timeout(240):
        while said_by_chat(telegram).total() < number:
            await asyncio.sleep(0.2)


async def until_known(database: Database) -> None:
    """Wait until it is known of every reminder what became of it."""
    async with asyncio.timeout(90):
        while await count_rows(database, "task", reminder_state=("", "handed")):
            await asyncio.sleep(0.2)

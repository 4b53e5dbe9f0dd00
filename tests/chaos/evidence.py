"""What is left in the database when the storm is over, and what must hold of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence, Set
from typing import Any

import msgspec

from bot.accounts import ledger
from bot.contracts.storage import Database, Transaction
from tests.chaos.load import Load, answer_to, answers
from tests.standins.telegram import TelegramStandIn

CREDITS = 2
"""What a turn costs: two model calls of 0.001 dollars, at a thousand credits to the dollar."""


async def rows(database: Database, sql: str, **values: object) -> list[Any]:
    async def work(tx: Transaction) -> list[Any]:
        return await tx.fetch(sql, **values)

    return await database.read(work)


async def until_quiet(database: Database, seconds: float) -> None:
    """Wait until nothing is pending, nothing is being sent, and no process holds a lane."""
    async with asyncio.timeout(seconds):
        while any(row["n"] for row in await rows(database, _UNDONE)):
            await asyncio.sleep(0.1)


async def doubtful(database: Database) -> set[str]:
    """The texts of deliveries of which nobody knows whether they arrived."""
    found = await rows(database, "SELECT body FROM outbox WHERE state = 'unknown'")
    return {msgspec.json.decode(row["body"])["text"] for row in found}


def check_answers(load: Load, telegram: TelegramStandIn, in_doubt: Set[str] = frozenset()) -> None:
    """Each message was answered once, in order; an answer in doubt may be missing, never twice."""
    for chat, texts in load.accepted.items():
        said = answers(telegram, chat)
        assert said == [answer_to(text) for text in texts if answer_to(text) in said]
        missing = {answer_to(text) for text in texts} - set(said)
        assert missing <= in_doubt, f"lost: {missing - in_doubt}"
        others = [shown.text for shown in telegram.messages(chat) if shown.text not in said]
        assert len(others) <= 1, f"more than the welcome: {others}"


async def check_books(load: Load, database: Database) -> None:
    """Each turn was charged once, by what it used, and the ledger explains every balance."""
    turns = sum(len(texts) for texts in load.accepted.values())
    assert await ledger.check(database) == []
    booked = {row["kind"]: row for row in await rows(database, _BOOKED)}
    assert booked["reserve"]["n"] == booked["settle"]["n"] == turns
    assert booked["reserve"]["total"] + booked["settle"]["total"] == -CREDITS * turns
    assert booked.keys() == {"welcome", "reserve", "settle"}
    (told,) = await rows(database, "SELECT sum(credits) AS credits FROM turn")
    assert told["credits"] == CREDITS * turns
    assert [row["state"] for row in await rows(database, _STATES)] == ["done"]


async def check_notes(load: Load, database: Database, noted: Sequence[str]) -> None:
    """`note_once` ran once a turn at most; where it may not have, the model was told so."""
    assert [text for text, times in Counter(noted).items() if times > 1] == []
    said = {text for texts in load.accepted.values() for text in texts}
    assert said >= set(noted)
    (unknown,) = await rows(database, _OUTCOME_UNKNOWN)
    assert len(said - set(noted)) <= unknown["n"]


_UNDONE = """
SELECT count(*) AS n FROM inbox WHERE state = 'pending'
UNION ALL SELECT count(*) FROM outbox WHERE state IN ('pending', 'attempting')
UNION ALL SELECT count(*) FROM lane WHERE owner IS NOT NULL
"""

_BOOKED = """
SELECT kind, count(*) AS n, CAST(sum(amount) AS BIGINT) AS total FROM ledger GROUP BY kind
"""

_STATES = """
SELECT DISTINCT state FROM turn
"""

_OUTCOME_UNKNOWN = """
SELECT count(*) AS n FROM journal WHERE kind = 'result' AND body LIKE '%Outcome unknown%'
"""

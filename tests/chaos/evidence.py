"""What is left in the database when the storm is over, and what must hold of it."""

from __future__ import annotations

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Sequence, Set

import msgspec

from bot.accounts import ledger
from bot.contracts.storage import Database
from tests.chaos.load import Load, answer_to, answers
from tests.standins.telegram import TelegramStandIn
from tests.support.queries import Above, Like, count_rows, count_unfinished, read_rows, read_values

_SAID = re.compile(r"m-\d+-\d+")
CREDITS = 2
"""What a turn costs: two model calls of 0.001 dollars, at a thousand credits to the dollar."""


async def until_quiet(database: Database, seconds: float) -> None:
    """Wait until nothing is pending, nothing is being sent, and no process holds a lane."""
    async with asyncio.timeout(seconds):
        while await count_unfinished(database):
            await asyncio.sleep(0.1)


async def doubtful(database: Database) -> set[str]:
    """The texts of deliveries of which nobody knows whether they arrived."""
    found = await read_rows(database, "outbox", state="unknown")
    return {msgspec.json.decode(row["body"])["text"] for row in found}


def check_answers(
    load: Load,
    telegram: TelegramStandIn,
    in_doubt: Set[str] = frozenset(),
    failed: Set[str] = frozenset(),
) -> None:
    """Each message was answered once, in order; an answer in doubt may be missing, never twice.

    Args:
        failed: answers of turns of which a try failed: such a turn may let later messages go first.
    """
    for chat, texts in load.accepted.items():
        said = answers(telegram, chat)
        in_order = [answer_to(text) for text in texts if answer_to(text) in said]
        assert sorted(said) == sorted(in_order), f"doubled: {said}, not {in_order}"
        kept = [answer for answer in said if answer not in failed]
        expected = [answer for answer in in_order if answer not in failed]
        assert kept == expected, f"out of order: {said}; failed: {failed}"
        missing = {answer_to(text) for text in texts} - set(said)
        assert missing <= in_doubt, f"lost: {missing - in_doubt}"
        others = [shown.text for shown in telegram.messages(chat) if shown.text not in said]
        assert len(others) <= 1, f"more than the welcome: {others}"


async def list_failed(database: Database) -> set[str]:
    """The answers of turns of which a try failed, as a silent model or a lost database does."""
    failed = set[str]()
    for turn in await read_rows(database, "turn", failures=Above(0)):
        (update,) = await read_rows(database, "inbox", seq=turn["id"])
        failed |= {answer_to(text) for text in _SAID.findall(update["body"])}
    return failed


async def check_books(load: Load, database: Database) -> None:
    """Each turn was charged once, by what it used, and the ledger explains every balance."""
    turns = sum(len(texts) for texts in load.accepted.values())
    assert await ledger.check(database) == []
    booked: defaultdict[str, list[int]] = defaultdict(list)
    for entry in await read_rows(database, "ledger"):
        booked[entry["kind"]].append(entry["amount"])
    assert len(booked["reserve"]) == len(booked["settle"]) == turns
    assert sum(booked["reserve"]) + sum(booked["settle"]) == -CREDITS * turns
    assert booked.keys() == {"welcome", "reserve", "settle"}
    assert sum(await read_values(database, "turn", "credits")) == CREDITS * turns
    assert set(await read_values(database, "turn", "state")) == {"done"}


async def check_notes(load: Load, database: Database, noted: Sequence[str]) -> None:
    """`note_once` ran once a turn at most; where it may not have, the model was told so."""
    assert [text for text, times in Counter(noted).items() if times > 1] == []
    said = {text for texts in load.accepted.values() for text in texts}
    assert said >= set(noted)
    unknown = Like("%Outcome unknown%")
    told = await count_rows(database, "journal", kind="result", body=unknown)
    assert len(said - set(noted)) <= told

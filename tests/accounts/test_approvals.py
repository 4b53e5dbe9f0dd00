"""What waits for consent: one plan at a time, and none from before a new conversation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.accounts.approvals import Approvals, decide
from bot.contracts.services import ToolContext
from bot.contracts.storage import Database
from bot.errors import ToolFailed
from tests.support.fakes import tool_context
from tests.support.queries import add_row, change_rows, read_values

LANE = "telegram:42"


@pytest.fixture
async def approvals(database: Database) -> Approvals:
    await add_row(database, "lane", id=LANE)
    return Approvals(database)


def calling(turn: int, key: str = "") -> ToolContext:
    return tool_context(lane=LANE, turn=turn, key=key or f"{LANE}/{turn}")


async def states(database: Database) -> list[str]:
    return await read_values(database, "approval", "state", order_by="created_at")


async def test_two_that_begin_at_once_begin_one(approvals: Approvals, database: Database) -> None:
    await asyncio.gather(*(approvals.begin_plan(calling(1, f"key {n}")) for n in range(4)))
    assert await states(database) == ["planning"]


async def test_a_plan_from_before_a_new_conversation_is_not_asked_for(
    approvals: Approvals, database: Database
) -> None:
    await approvals.begin_plan(calling(1))
    await change_rows(database, "lane", {"history_from": 2})
    assert not await approvals.is_planning(LANE)
    with pytest.raises(ToolFailed, match="no plan to leave"):
        await approvals.ask_for_plan("1. Write", calling(2))
    await approvals.begin_plan(calling(3))
    asked = await approvals.ask_for_plan("1. Write", calling(3))
    assert sorted(await states(database)) == ["pending", "planning"]

    async def approve(tx: Any) -> None:
        await decide(tx, asked.id, "approve", lane=LANE, account=calling(3).account)

    await database.write(approve)
    assert not await approvals.is_planning(LANE)

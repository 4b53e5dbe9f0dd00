from __future__ import annotations

import asyncio

import pytest

from bot.contracts.storage import Database
from bot.errors import NotFound, ToolFailed
from bot.learning.remembered_facts import MAX_FACTS, Memory
from tests.support.queries import add_rows


@pytest.fixture
def memory(database: Database) -> Memory:
    return Memory(database)


async def fill(database: Database, account: int) -> None:
    rows = [{"account": account, "fact": f"fact {number}"} for number in range(MAX_FACTS)]
    await add_rows(database, "memory", rows)


async def test_facts_are_kept_in_the_order_they_were_learnt(memory: Memory) -> None:
    await memory.save(1, "Prépare le BEPC")
    await memory.save(1, "Aime les oiseaux")
    assert await memory.listing(1) == [(1, "Prépare le BEPC"), (2, "Aime les oiseaux")]


async def test_a_fact_known_already_is_not_kept_twice(memory: Memory) -> None:
    await asyncio.gather(*(memory.save(1, "Aime les oiseaux") for _ in range(5)))
    assert await memory.listing(1) == [(1, "Aime les oiseaux")]


async def test_the_facts_of_another_account_are_out_of_reach(memory: Memory) -> None:
    await memory.save(1, "Aime les oiseaux")
    assert await memory.listing(2) == []
    with pytest.raises(NotFound):
        await memory.forget(2, 1)
    assert await memory.listing(1) == [(1, "Aime les oiseaux")]


async def test_a_forgotten_fact_is_gone_and_the_later_ones_move_up(memory: Memory) -> None:
    for fact in ("un", "deux", "trois"):
        await memory.save(1, fact)
    assert await memory.forget(1, 2) == "deux"
    assert await memory.listing(1) == [(1, "un"), (2, "trois")]


@pytest.mark.parametrize("number", [0, -1, 2, 10**30])
async def test_a_number_that_is_not_in_the_list_forgets_nothing(
    number: int, memory: Memory
) -> None:
    await memory.save(1, "un")
    with pytest.raises(NotFound):
        await memory.forget(1, number)
    assert await memory.listing(1) == [(1, "un")]


async def test_a_full_memory_takes_no_more_but_knows_what_it_knows(
    memory: Memory, database: Database
) -> None:
    await fill(database, account=1)
    with pytest.raises(ToolFailed, match="full"):
        await memory.save(1, "one too many")
    await memory.save(1, "fact 0")
    assert len(await memory.listing(1)) == MAX_FACTS
    await memory.save(2, "someone else's")

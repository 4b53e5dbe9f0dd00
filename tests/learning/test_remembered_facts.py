from __future__ import annotations

import asyncio

import pytest

from bot.contracts.storage import Database
from bot.errors import NotFound, ToolFailed
from bot.learning.remembered_facts import MAX_FACTS, Memory, forget_fact, list_facts
from tests.support.queries import add_rows


@pytest.fixture
def memory(database: Database) -> Memory:
    return Memory(database)


async def fill(database: Database, account: int) -> None:
    rows = [{"account": account, "fact": f"fact {number}"} for number in range(MAX_FACTS)]
    await add_rows(database, "memory", rows)


async def list_all(database: Database, account: int) -> list[tuple[int, str]]:
    return await database.read(lambda tx: list_facts(tx, account))


async def forget(database: Database, account: int, number: int) -> str:
    return await database.write(lambda tx: forget_fact(tx, account, number))


async def test_facts_are_kept_in_the_order_they_were_learnt(
    memory: Memory, database: Database
) -> None:
    await memory.save(1, "Prépare le BEPC")
    await memory.save(1, "Aime les oiseaux")
    assert await list_all(database, 1) == [(1, "Prépare le BEPC"), (2, "Aime les oiseaux")]


async def test_a_fact_known_already_is_not_kept_twice(memory: Memory, database: Database) -> None:
    await asyncio.gather(*(memory.save(1, "Aime les oiseaux") for _ in range(5)))
    assert await list_all(database, 1) == [(1, "Aime les oiseaux")]


async def test_the_facts_of_another_account_are_out_of_reach(
    memory: Memory, database: Database
) -> None:
    await memory.save(1, "Aime les oiseaux")
    assert await list_all(database, 2) == []
    with pytest.raises(NotFound):
        await forget(database, 2, 1)
    assert await list_all(database, 1) == [(1, "Aime les oiseaux")]


async def test_a_forgotten_fact_is_gone_and_the_later_ones_move_up(
    memory: Memory, database: Database
) -> None:
    for fact in ("un", "deux", "trois"):
        await memory.save(1, fact)
    assert await forget(database, 1, 2) == "deux"
    assert await list_all(database, 1) == [(1, "un"), (2, "trois")]


@pytest.mark.parametrize("number", [0, -1, 2, 10**30])
async def test_a_number_that_is_not_in_the_list_forgets_nothing(
    number: int, memory: Memory, database: Database
) -> None:
    await memory.save(1, "un")
    with pytest.raises(NotFound):
        await forget(database, 1, number)
    assert await list_all(database, 1) == [(1, "un")]


async def test_a_full_memory_takes_no_more_but_knows_what_it_knows(
    memory: Memory, database: Database
) -> None:
    await fill(database, account=1)
    with pytest.raises(ToolFailed, match="full"):
        await memory.save(1, "one too many")
    await memory.save(1, "fact 0")
    assert len(await list_all(database, 1)) == MAX_FACTS
    await memory.save(2, "someone else's")

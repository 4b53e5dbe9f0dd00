"""Keep the facts that Griot was asked to remember of a person."""

from __future__ import annotations

from bot.contracts.storage import Database, Transaction
from bot.errors import NotFound, ToolFailed
from bot.storage.accounts import lock_current_account

MAX_FACTS = 200
"""Most facts of one account; the prompt has the newest of them, as many as fit there."""


class Memory:
    """Facts by account, in the order they were learnt."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, account: int, fact: str) -> None:
        """Remember a fact; a fact that is known already is not kept twice.

        Raises:
            ToolFailed: the account has `MAX_FACTS` already, or its person was erased.
        """

        async def work(tx: Transaction) -> None:
            holder = await lock_current_account(tx, account)
            known = await tx.fetch(_FACTS, account=holder)
            if any(row["fact"] == fact for row in known):
                return
            if len(known) >= MAX_FACTS:
                raise ToolFailed(
                    f"The memory is full ({MAX_FACTS} facts). Tell the person that /memory lists "
                    "the facts and /memory forget N makes room."
                )
            await tx.execute(
                "INSERT INTO memory (account, fact, created_at) VALUES (:account, :fact, {now})"
                " ON CONFLICT (account, fact) DO NOTHING",
                account=holder,
                fact=fact,
            )

        await self._database.write(work)


async def list_facts(tx: Transaction, account: int) -> list[tuple[int, str]]:
    """Return the facts with the numbers, from 1, that `forget_fact` takes."""
    rows = await tx.fetch(_FACTS, account=account)
    return [(number, row["fact"]) for number, row in enumerate(rows, start=1)]


async def forget_fact(tx: Transaction, account: int, number: int) -> str:
    """Forget the fact with this number, and return it. The later facts move up by one.

    Raises:
        NotFound: there is no such number.
    """
    rows = await tx.fetch(_FACTS, account=account)
    if not 1 <= number <= len(rows):
        raise NotFound("There is no fact with this number.")
    row = rows[number - 1]
    await tx.execute("DELETE FROM memory WHERE id = :id", id=row["id"])
    return row["fact"]


async def adopt_facts(tx: Transaction, account: int, into: int) -> None:
    """Give the facts of one account to another; a fact that both have is kept once."""
    await tx.execute(_ADOPT, account=account, into=into)
    await tx.execute("DELETE FROM memory WHERE account = :account", account=account)


_FACTS = """
SELECT id, fact, created_at FROM memory WHERE account = :account ORDER BY id
"""

_ADOPT = """
INSERT INTO memory (account, fact, created_at)
SELECT CAST(:into AS BIGINT), fact, created_at FROM memory WHERE account = :account ORDER BY id
ON CONFLICT (account, fact) DO NOTHING
"""

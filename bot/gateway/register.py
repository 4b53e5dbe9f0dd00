"""Which workers are alive: each notes now and then that it is, and that it leaves."""

from __future__ import annotations

import asyncio
from typing import Final

from bot.contracts import Database, Transaction

_EVERY: Final = 20.0
_ALIVE: Final = 60.0
"""Seconds after its last note for which a worker counts as alive."""
_FORGOTTEN: Final = 86_400.0


class Register:
    """
    Args:
        owner: the name under which the worker holds lanes.
    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner

    async def keep(self) -> None:
        """Note that the worker is alive, again and again."""
        while True:
            await self._database.run(_CHECK_IN, owner=self._owner)
            await self._database.run(_FORGET, after=_FORGOTTEN)
            await asyncio.sleep(_EVERY)

    async def check_out(self) -> None:
        """Note that it has left; else it will be found out."""
        await self._database.run("DELETE FROM worker WHERE owner = :owner", owner=self._owner)


async def count_alive(tx: Transaction) -> int:
    row = await tx.fetch_one(_COUNT, alive=_ALIVE)
    return int(row["n"]) if row else 0


_CHECK_IN = """
INSERT INTO worker (owner, started_at, seen_at) VALUES (:owner, {now}, {now})
ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at
"""

_FORGET = """
DELETE FROM worker WHERE seen_at < {now} - :after
"""

_COUNT = """
SELECT count(*) AS n FROM worker WHERE seen_at >= {now} - :alive
"""

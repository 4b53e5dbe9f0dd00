"""A gate in Postgres: the worst moment of a transaction, held open for as long as a test needs."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any

import asyncpg

_driver: Any = asyncpg  # asyncpg has no types of its own
_KEY = 0x6A7E1
_HELD = 0x6A7E2
"""While the gate has this lock, the commit of one transaction waits for a standby."""
_TAKEN = 0x6A7E3
"""The lock of that transaction."""
HOLDING = ("synchronous_standby_names=nobody", "synchronous_commit=local")
"""Settings of a server on which a commit waits for a standby only where its transaction asks."""
_SECONDS = 120.0


class Gate:
    """Transactions that change a row of `table` stop before it `when` the condition holds.

    Args:
        url: a database on a durable server.
        event: `INSERT` or `UPDATE`.
        when: SQL over `NEW`, and `OLD` of an update.
    """

    def __init__(self, url: str, table: str, event: str, when: str) -> None:
        self._url = url
        locks = {"key": _KEY, "held": _HELD, "taken": _TAKEN}
        self._sql = _TRIGGER.format(table=table, event=event, when=when, **locks)
        self._connection: Any = None

    async def __aenter__(self) -> Gate:
        self._connection = await _driver.connect(self._url)
        await self._connection.execute("SELECT pg_advisory_lock($1)", _KEY)
        await self._connection.execute(self._sql)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._connection.close()

    async def reached(self) -> None:
        """Wait until a transaction stands before it."""
        await self._found(_BEFORE_GATE)

    async def open(self) -> None:
        """Let everyone pass, from now on."""
        await self._connection.execute("SELECT pg_advisory_unlock($1)", _KEY)

    async def open_and_lose_answer(self) -> None:
        """Let everyone pass, and break one connection between its commit and the answer to it.

        The first transaction that passes and comes to its end is made to wait for a standby that
        does not exist: its commit is on the disk by then, so that ending its connection takes
        nothing away but the answer. Which one that is, is not known before: one that stands before
        the gate may be given up by its client.
        """
        await self.reached()
        await self._connection.execute("SELECT pg_advisory_lock($1)", _HELD)
        await self.open()
        committed = await self._found(_COMMITTED)
        await self._connection.execute("SELECT pg_advisory_unlock($1)", _HELD)
        await self._connection.execute("SELECT pg_terminate_backend($1)", committed)

    async def _found(self, sql: str) -> int:
        """The process id that the query gives, as soon as it gives one."""
        async with asyncio.timeout(_SECONDS):
            while (found := await self._connection.fetchval(sql)) is None:
                await asyncio.sleep(0.01)
        return found


_TRIGGER = """
CREATE FUNCTION stand_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_lock_shared({key});
    PERFORM pg_advisory_unlock_shared({key});
    IF pg_try_advisory_lock_shared({held}) THEN
        PERFORM pg_advisory_unlock_shared({held});
    ELSIF pg_try_advisory_xact_lock({taken}) THEN
        SET LOCAL synchronous_commit = 'on';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER gate BEFORE {event} ON {table} FOR EACH ROW WHEN ({when})
EXECUTE FUNCTION stand_at_gate();
"""

_BEFORE_GATE = f"""
SELECT pid FROM pg_locks
WHERE locktype = 'advisory' AND classid = 0 AND objid = {_KEY} AND NOT granted LIMIT 1
"""

_COMMITTED = """
SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'
"""

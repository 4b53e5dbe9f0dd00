"""A gate in Postgres: the worst moment of a transaction, held open for as long as a test needs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

import asyncpg

_driver: Any = asyncpg  # asyncpg has no types of its own
_KEY = 1
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
        self._sql = _TRIGGER.format(table=table, event=event, when=when, key=_KEY)
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

    async def reached(self) -> int:
        """Wait until a transaction stands before it; the process id of its connection."""
        return await self._found(_BEFORE_GATE)

    async def open(self) -> None:
        """Let everyone pass, from now on."""
        await self._connection.execute("SELECT pg_advisory_unlock($1)", _KEY)

    async def open_and_lose_answer(self) -> None:
        """Let everyone pass, and break the connection between its commit and the answer to it.

        Postgres is made to wait for a standby that does not exist: the commit is on the disk by
        then, so that ending its connection takes nothing away but the answer.
        """
        passing = await self.reached()
        async with self._held_commits():
            await self.open()
            async with asyncio.timeout(_SECONDS):
                while await self._connection.fetchval(_COMMITTED, passing) is None:
                    # Another commit may hold a lock for which this transaction waits.
                    await self._connection.execute(_RELEASE_OTHERS, passing)
                    await asyncio.sleep(0.01)
            await self._connection.execute("SELECT pg_terminate_backend($1)", passing)

    @contextlib.asynccontextmanager
    async def _held_commits(self) -> AsyncIterator[None]:
        """Each commit waits for a standby meanwhile.

        The checkpointer tells the other processes to, some time after the setting has changed:
        commits are tried until one waits.
        """
        await self._set_standbys("nobody")
        trial: Any = await _driver.connect(self._url)
        trying = asyncio.create_task(trial.execute(_COMMIT))
        try:
            try:
                async with asyncio.timeout(_SECONDS):
                    while (
                        await self._connection.fetchval(_COMMITTED, trial.get_server_pid()) is None
                    ):
                        if trying.done():
                            await trying
                            await self._connection.execute(_RELOAD)
                            trying = asyncio.create_task(trial.execute(_COMMIT))
                        await asyncio.sleep(0.02)
            except TimeoutError as error:
                rows = await self._connection.fetch(_ACTIVITY)
                raise TimeoutError(f"no commit waits: {[tuple(row) for row in rows]}") from error
            yield
        finally:
            await self._set_standbys("")
            await trying
            await trial.close()

    async def _found(self, sql: str, *values: int) -> int:
        """The process id that the query gives, as soon as it gives one."""
        async with asyncio.timeout(_SECONDS):
            while (found := await self._connection.fetchval(sql, *values)) is None:
                await asyncio.sleep(0.01)
        return found

    async def _set_standbys(self, names: str) -> None:
        await self._connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        await self._connection.execute(_RELOAD)


_TRIGGER = """
CREATE FUNCTION stand_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_lock_shared({key});
    PERFORM pg_advisory_unlock_shared({key});
    RETURN NEW;
END $$;
CREATE TRIGGER gate BEFORE {event} ON {table} FOR EACH ROW WHEN ({when})
EXECUTE FUNCTION stand_at_gate();
"""

_BEFORE_GATE = """
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted LIMIT 1
"""

_RELOAD = "SELECT pg_reload_conf()"

_COMMIT = "SELECT pg_logical_emit_message(true, 'trial', '')"

_RELEASE_OTHERS = """
SELECT pg_cancel_backend(pid) FROM pg_stat_activity
WHERE wait_event = 'SyncRep' AND pid <> $1 AND query NOT LIKE '%''trial''%'
"""

_ACTIVITY = """
SELECT pid, backend_type, state, wait_event, query FROM pg_stat_activity
"""

_COMMITTED = """
SELECT pid FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'
"""

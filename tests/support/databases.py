"""Databases with our tables in them, quickly: made once and emptied, instead of migrated anew."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bot.errors import SettingsError
from bot.settings import Settings
from bot.storage.database import connect_postgres, head, open_database
from bot.storage.postgres import ANY_FAILURE
from tests.support.postgres_server import PostgresServer

_EMPTY = f"""
DO $$
DECLARE one record;
BEGIN
    IF NOT EXISTS (SELECT FROM alembic_version WHERE version_num = '{head()}')
    THEN RAISE EXCEPTION 'these are other tables'; END IF;
    FOR attempt IN 1..40 LOOP
        PERFORM pg_stat_clear_snapshot();
        EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND backend_type = 'client backend');
        IF attempt = 40 THEN RAISE EXCEPTION 'somebody is still connected'; END IF;
        PERFORM pg_sleep(0.05);
    END LOOP;
    IF EXISTS (SELECT FROM pg_trigger WHERE NOT tgisinternal)
    THEN RAISE EXCEPTION 'there are triggers'; END IF;
    FOR one IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    LOOP EXECUTE format('DELETE FROM %I', one.tablename); END LOOP;
    PERFORM setval(format('%I', sequencename)::regclass, 1, false) FROM pg_sequences;
END $$
"""


class DatabasePool:
    """Postgres databases that are taken for a test and put back after it."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._free: list[str] = []
        self._clerk = DatabaseCleaner()
        self._template = ""

    @contextmanager
    def take(self) -> Iterator[str]:
        """The URL of a database whose tables are all empty."""
        url = self._free.pop() if self._free else self._make()
        yield url
        if self._clerk.empty(url):
            self._free.append(url)

    def close(self) -> None:
        self._clerk.close()

    def _make(self) -> str:
        if not self._template:
            url = self._server.create_database()
            migrate(url)
            self._template = url.rpartition("/")[2]
        return self._server.create_database(self._template)


class DatabaseCleaner:
    """Empties databases over connections that it keeps, in a loop and a thread of its own: a new
    connection, and a process that makes it, would cost more than most tests."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._connections: dict[str, Any] = {}

    def empty(self, url: str) -> bool:
        """Whether it could be done: nobody is connected any more, and the tables are ours."""
        return asyncio.run_coroutine_threadsafe(self._empty(url), self._loop).result()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _hang_up(self) -> None:
        for connection in self._connections.values():
            await connection.close(timeout=10)

    async def _empty(self, url: str) -> bool:
        try:
            if url not in self._connections:
                self._connections[url] = await connect_postgres(url)
            await self._connections[url].execute(_EMPTY)
        except (*ANY_FAILURE, SettingsError):
            if connection := self._connections.pop(url, None):
                connection.terminate()
            return False
        return True


def migrate(url: str) -> None:
    """Make our tables. In a thread, as pytest's own event loop is not to be touched."""

    async def open_it() -> None:
        async with open_database(Settings(database_url=url)):
            pass

    thread = threading.Thread(target=lambda: asyncio.run(open_it()))
    thread.start()
    thread.join()


on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

on_postgres = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)

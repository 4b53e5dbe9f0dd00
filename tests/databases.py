"""Databases with our tables in them, quickly: made once and emptied, instead of migrated anew."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from bot.settings import Settings
from bot.storage.database import head, open_database
from tests.postgres_server import PostgresServer

_EMPTY = f"""
DO $$
DECLARE one record;
BEGIN
    IF NOT EXISTS (SELECT FROM alembic_version WHERE version_num = '{head()}')
    THEN RAISE EXCEPTION 'these are other tables'; END IF;
    IF EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND backend_type = 'client backend')
    THEN RAISE EXCEPTION 'somebody is still connected'; END IF;
    IF EXISTS (SELECT FROM pg_trigger WHERE NOT tgisinternal)
    THEN RAISE EXCEPTION 'there are triggers'; END IF;
    FOR one IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    LOOP EXECUTE format('DELETE FROM %I', one.tablename); END LOOP;
    PERFORM setval(format('%I', sequencename)::regclass, 1, false) FROM pg_sequences;
END $$
"""


class Shelf:
    """Postgres databases that are taken for a test and put back after it."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._free: list[str] = []

    @contextmanager
    def take(self) -> Iterator[str]:
        """The URL of a database whose tables are all empty."""
        url = self._free.pop() if self._free else self._make()
        yield url
        if self._server.try_in(url, _EMPTY):
            self._free.append(url)

    def _make(self) -> str:
        url = self._server.create_database()
        migrate(url)
        return url


def migrate(url: str) -> None:
    """Make our tables. In a thread, as pytest's own event loop is not to be touched."""

    async def open_it() -> None:
        async with open_database(Settings(database_url=url)):
            pass

    thread = threading.Thread(target=lambda: asyncio.run(open_it()))
    thread.start()
    thread.join()

"""The real servers that other tests stand on."""

from __future__ import annotations

import contextlib

import asyncpg
import pytest
import redis

from tests.support.postgres_server import PostgresServer, start_postgres
from tests.support.redis_server import start_redis


async def ask(url: str, sql: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def run(url: str, sql: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


async def test_each_database_is_fresh(postgres: PostgresServer) -> None:
    one, other = postgres.create_database(), postgres.create_database()
    await run(one, "CREATE TABLE mark (i int)")
    assert await ask(one, "SELECT to_regclass('mark')") == "mark"
    assert await ask(other, "SELECT to_regclass('mark')") is None


async def test_a_database_can_be_copied(postgres: PostgresServer) -> None:
    template = postgres.create_database()
    await run(template, "CREATE TABLE mark AS SELECT 42 AS i")
    copy = postgres.create_database(template.rpartition("/")[2])
    assert await ask(copy, "SELECT i FROM mark") == 42


async def test_a_copy_of_nothing_fails_aloud(postgres: PostgresServer) -> None:
    with pytest.raises(RuntimeError, match='template database "missing" does not exist'):
        postgres.create_database("missing")


async def test_what_was_committed_survives_a_crash_and_connections_do_not() -> None:
    with start_postgres(durable=True) as server:
        await run(server.url, "CREATE TABLE mark AS SELECT 42 AS i")
        connection = await asyncpg.connect(server.url)
        server.restart()
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
            await connection.fetchval("SELECT 1")
        connection.terminate()
        assert await ask(server.url, "SELECT i FROM mark") == 42
        assert await ask(server.url, "SHOW fsync") == "on"


async def test_by_default_postgres_does_not_wait_for_the_disk(postgres: PostgresServer) -> None:
    assert await ask(postgres.url, "SHOW fsync") == "off"


async def test_a_stopped_postgres_is_gone() -> None:
    with start_postgres() as server:
        server.stop()
        with pytest.raises(OSError, match=r"Connect call failed|Connection refused"):
            await asyncpg.connect(server.url)


def test_redis_forgets_in_a_crash_and_keeps_its_address() -> None:
    with start_redis() as server, contextlib.closing(redis.Redis.from_url(server.url)) as client:
        client.set("key", "value")
        server.kill()
        with pytest.raises(redis.ConnectionError):
            client.ping()
        server.restart()
        assert client.get("key") is None


def test_a_paused_redis_answers_when_it_is_resumed() -> None:
    with (
        start_redis() as server,
        contextlib.closing(
            redis.Redis.from_url(server.url, socket_timeout=0.1, retry=None)
        ) as client,
    ):
        assert client.ping()
        server.pause()
        with pytest.raises(redis.TimeoutError):
            client.ping()
        server.resume()
        assert client.ping()

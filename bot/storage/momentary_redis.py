"""The momentary store in Redis, shared by all processes.

What must be atomic is a Lua script; time is Redis' own clock, so that processes whose clocks differ
agree. Keys and topics begin with `griot:`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager
from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisUnreachable

from bot.storage.momentary_memory import check_pace
from bot.storage.redis_topics import Listener, Publisher, connection_errors

CONNECTIONS = 32

_COUNT = """
local value = redis.call('INCR', KEYS[1])
if value == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return value
"""
# The same arithmetic as in MemoryMomentary.reserve, in whole microseconds: Lua would print a float
# of this size with too few digits.
_RESERVE = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local empty_at = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local wait = math.max(empty_at - (burst - 1) * interval - now, 0)
local milliseconds = math.ceil((empty_at + interval - now) / 1000)
redis.call('SET', KEYS[1], string.format('%.0f', empty_at + interval), 'PX', milliseconds)
return wait
"""
_UNRESERVE = """
local empty_at = tonumber(redis.call('GET', KEYS[1]) or 0) - tonumber(ARGV[1])
local time = redis.call('TIME')
local milliseconds = math.ceil((empty_at - time[1] * 1000000 - time[2]) / 1000)
if milliseconds <= 0 then return redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[1], string.format('%.0f', empty_at), 'PX', milliseconds)
return 1
"""
_LOCK = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_UNLOCK = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class RedisMomentary:
    """A `Momentary` that all processes with the same Redis share.

    Every awaited operation, entering a subscription included, raises `ConnectionError` when Redis
    does not answer within `timeout` seconds. What it did by then is not known.
    """

    shared = True

    def __init__(self, url: str, timeout: float = 2.0) -> None:
        self._timeout = timeout
        # The time limit is ours, around each operation: redis-py's own would cost a task a write.
        # One more try, because a pooled connection may be from before a restart of Redis.
        self._pool = BlockingConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType] (**kwargs)
            url,
            protocol=2,
            max_connections=CONNECTIONS,
            timeout=None,
            socket_timeout=None,
            socket_connect_timeout=timeout,
            retry=Retry(NoBackoff(), 1, supported_errors=(RedisUnreachable,)),
        )
        self._redis = Redis(connection_pool=self._pool)
        self._count = self._redis.register_script(_COUNT)
        self._reserve = self._redis.register_script(_RESERVE)
        self._unreserve = self._redis.register_script(_UNRESERVE)
        self._lock = self._redis.register_script(_LOCK)
        self._unlock = self._redis.register_script(_UNLOCK)
        self._publisher = Publisher(self._pool, timeout)
        self._listener = Listener(self._pool, timeout)

    def publish(self, topic: str, payload: bytes) -> None:
        """As the contract says. While Redis is away the last 10,000 payloads are kept for it."""
        self._publisher.publish(topic, payload)

    def subscribe(self, topic: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        return self._listener.subscribe(topic)

    async def count(self, key: str, seconds: float) -> int:
        return await self._ask(
            self._count(keys=[f"griot:count:{key}"], args=[_milliseconds(seconds)])
        )

    async def reserve(self, key: str, *, rate: float, burst: int) -> float:
        """As the contract says. Raises `ValueError` unless `rate` > 0 and `burst` >= 1."""
        microseconds: int = await self._ask(
            self._reserve(keys=[f"griot:pace:{key}"], args=[_interval(rate, burst), burst])
        )
        return microseconds / 1_000_000

    async def unreserve(self, key: str, *, rate: float, burst: int) -> None:
        """As the contract says. Raises `ValueError` unless `rate` > 0 and `burst` >= 1."""
        await self._ask(self._unreserve(keys=[f"griot:pace:{key}"], args=[_interval(rate, burst)]))

    async def lock(self, key: str, owner: str, seconds: float) -> bool:
        return bool(
            await self._ask(
                self._lock(keys=[f"griot:lock:{key}"], args=[owner, _milliseconds(seconds)])
            )
        )

    async def unlock(self, key: str, owner: str) -> None:
        await self._ask(self._unlock(keys=[f"griot:lock:{key}"], args=[owner]))

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        await self._ask(self._redis.set(f"griot:value:{key}", value, px=_milliseconds(seconds)))

    async def get(self, key: str) -> bytes | None:
        return await self._ask(self._redis.get(f"griot:value:{key}"))

    async def delete(self, key: str) -> None:
        await self._ask(self._redis.delete(f"griot:value:{key}"))

    async def ping(self) -> None:
        await self._ask(self._redis.ping())  # pyright: ignore[reportUnknownMemberType] (**kwargs)

    async def close(self) -> None:
        """Send what was published, for at most a second, and end all subscriptions."""
        await self._publisher.close()
        await self._listener.close()
        await self._pool.aclose()

    async def _ask(self, command: Awaitable[Any]) -> Any:
        with connection_errors():
            async with asyncio.timeout(self._timeout):
                return await command


def _milliseconds(seconds: float) -> int:
    """As Redis wants it: at least one, since an expiry of none is an error."""
    return max(1, round(seconds * 1000))


def _interval(rate: float, burst: int) -> int:
    """Microseconds between two places."""
    return max(1, round(check_pace(rate, burst) * 1_000_000))

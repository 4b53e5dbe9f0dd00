"""Keep state that need not survive a restart in Redis, shared by all processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from typing import Any

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisUnreachable
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeout

from bot.asyncio_tasks import cancel_tasks
from bot.storage.ephemeral import Topics, seconds_between

log = structlog.get_logger()
QUEUE_LIMIT = 10_000
BATCH = 500
FLUSH_SECONDS = 1.0
PING_SECONDS = 10.0
_PREFIX = "griot:topic:"
_UNREACHABLE = (RedisUnreachable, RedisTimeout, OSError)


@contextmanager
def connection_errors() -> Generator[None]:
    """Raise `ConnectionError` for every error by which Redis cannot be reached or answers late."""
    try:
        yield
    except _UNREACHABLE as error:
        raise ConnectionError(f"Redis cannot be reached: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return str(error) or "no answer in time"


def _pause(failures: int) -> float:
    """Return the seconds before the next try to reach Redis: 0.05 first, doubling up to 2."""
    return min(0.05 * 2 ** min(failures, 10), 2.0)


class Publisher:
    """A bounded queue in front of Redis. Used within one event loop."""

    def __init__(self, pool: BlockingConnectionPool, timeout: float) -> None:
        self._pool = pool
        self._timeout = timeout
        self._queue: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue(QUEUE_LIMIT)
        self._task: asyncio.Task[None] | None = None
        self._dropped = 0

    def publish(self, topic: str, payload: bytes) -> None:
        """Queue a payload; when the queue is full the oldest is dropped."""
        if self._queue.full():
            self._queue.get_nowait()
            self._queue.task_done()
            self._dropped += 1
        self._queue.put_nowait((_PREFIX + topic, payload))
        if self._task is None:
            self._task = asyncio.create_task(self._pump(), name="redis-publisher")

    async def close(self) -> None:
        if self._task is None:
            return
        with suppress(TimeoutError):  # Redis is away: what waits is lost, as it may be
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._queue.join()
        await cancel_tasks([self._task])

    async def _pump(self) -> None:
        while True:
            batch = [await self._queue.get()]
            while len(batch) < BATCH and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            connection = await self._connect()
            try:
                async with asyncio.timeout(self._timeout):
                    await _publish(connection, batch)
            except (RedisError, OSError) as error:
                await connection.disconnect(nowait=True)
                self._dropped += len(batch)
                log.warning("redis_publish_failed", error=_reason(error))
            finally:
                await self._pool.release(connection)
            self._report_dropped()
            for _ in batch:
                self._queue.task_done()

    async def _connect(self) -> AbstractConnection:
        """Return a connection that was alive a moment ago; try until there is one."""
        failures = 0
        while True:
            try:
                async with asyncio.timeout(self._timeout):
                    return await self._pool.get_connection()  # pyright: ignore[reportUnknownMemberType]
            except (RedisError, OSError) as error:
                if failures == 0:
                    log.warning("redis_unreachable", role="publisher", error=_reason(error))
                await asyncio.sleep(_pause(failures))
                failures += 1

    def _report_dropped(self) -> None:
        if self._dropped:
            log.warning("live_events_dropped", count=self._dropped)
            self._dropped = 0


async def _publish(connection: AbstractConnection, batch: list[tuple[str, bytes]]) -> None:
    commands = [("PUBLISH", topic, payload) for topic, payload in batch]
    await connection.send_packed_command(connection.pack_commands(commands))
    for _ in batch:
        await connection.read_response()


class Listener:
    """One Redis connection on which all subscriptions of the process are multiplexed.

    `_confirmed` holds each topic that Redis was asked for, and whether Redis confirmed it on the
    present connection. A topic is given up only once confirmed, so that a confirmation always
    belongs to the last request.
    """

    def __init__(self, pool: BlockingConnectionPool, timeout: float) -> None:
        self._pool = pool
        self._timeout = timeout
        self._topics = Topics()
        self._confirmed: dict[str, asyncio.Event] = {}
        self._connection: AbstractConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._failures = 0

    @asynccontextmanager
    async def subscribe(self, topic: str) -> AsyncGenerator[AsyncIterator[bytes]]:
        """Open a context with the payloads of a topic. Raises `ConnectionError` when Redis does not
        confirm in time."""
        try:
            with self._topics.listen(topic) as mailbox:
                with connection_errors():
                    async with asyncio.timeout(self._timeout):
                        await self._enter(topic)
                yield mailbox
        finally:
            await self._leave(topic)

    async def close(self) -> None:
        self._topics.close()
        if self._task is not None:
            await cancel_tasks([self._task])

    async def _enter(self, topic: str) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._listen(), name="redis-listener")
        confirmed = self._confirmed.get(topic)
        if confirmed is None:
            confirmed = self._confirmed[topic] = asyncio.Event()
            await self._send("SUBSCRIBE", topic)
        await confirmed.wait()

    async def _leave(self, topic: str) -> None:
        if topic not in self._topics and self._confirmed[topic].is_set():
            del self._confirmed[topic]
            await self._send("UNSUBSCRIBE", topic)

    async def _send(self, command: str, *topics: str) -> None:
        """Send a command; do nothing when Redis is away, as the next connection asks for all
        topics."""
        connection = self._connection
        if connection is None or not connection.is_connected:
            return
        with suppress(RedisError, OSError):  # _listen is about to see that it broke
            async with asyncio.timeout(self._timeout):
                names = (_PREFIX + topic for topic in topics)
                await connection.send_command(command, *names)

    async def _listen(self) -> None:
        while True:
            connection = self._pool.make_connection()
            try:
                async with asyncio.timeout(self._timeout):
                    await connection.connect()
                await self._receive(connection)
            except (RedisError, OSError) as error:
                if self._failures == 0:
                    log.warning("redis_unreachable", role="listener", error=_reason(error))
            finally:
                self._connection = None
                for confirmed in self._confirmed.values():
                    confirmed.clear()
                await connection.disconnect(nowait=True)
            await asyncio.sleep(_pause(self._failures))
            self._failures += 1

    async def _receive(self, connection: AbstractConnection) -> None:
        """Receive messages until the connection breaks or Redis falls silent."""
        await self._resume(connection)
        asked = False
        while True:
            # Not disconnect_on_error: a topic entered meanwhile would open the connection again.
            message = await connection.read_response(  # pyright: ignore[reportUnknownVariableType]
                timeout=PING_SECONDS, disconnect_on_error=False
            )
            if message is not None:
                asked = False
                self._failures = 0
                await self._take(message)
            elif asked:
                raise RedisTimeout("Redis fell silent")
            else:
                asked = True
                await connection.send_command("PING")

    async def _resume(self, connection: AbstractConnection) -> None:
        """Ask for all topics anew, except those without subscribers."""
        self._confirmed = {
            topic: event for topic, event in self._confirmed.items() if topic in self._topics
        }
        self._connection = connection
        if self._confirmed:
            await self._send("SUBSCRIBE", *self._confirmed)

    async def _take(self, message: Any) -> None:
        match message:
            case [b"message", bytes(channel), bytes(payload)]:
                self._topics.deliver(_topic(channel), payload)
            case [b"subscribe", bytes(channel), _]:
                self._confirmed[_topic(channel)].set()
                await self._leave(_topic(channel))
            case _:  # the confirmation of an UNSUBSCRIBE, or the answer to PING
                pass


def _topic(channel: bytes) -> str:
    return channel.decode().removeprefix(_PREFIX)


CONNECTIONS = 32
_COUNT = """
local value = redis.call('INCR', KEYS[1])
if value == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return value
"""
# The same arithmetic as in MemoryEphemeralStore.reserve, in whole microseconds: Lua would print a
# float of this size with too few digits.
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


class RedisEphemeralStore:
    """An `EphemeralStore` that all processes with the same Redis share.

    Every awaited operation, entering a subscription included, raises `ConnectionError` when Redis
    does not answer within `timeout` seconds. It may have taken effect all the same.
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
        """Publish a payload (`EphemeralStore.publish`). While Redis is away, the last 10,000 are
        kept for it."""
        self._publisher.publish(topic, payload)

    def subscribe(self, topic: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        return self._listener.subscribe(topic)

    async def count(self, key: str, seconds: float) -> int:
        return await self._ask(
            self._count(keys=[f"griot:count:{key}"], args=[_milliseconds(seconds)])
        )

    async def reserve(self, key: str, *, rate: float, burst: int) -> float:
        """Take a place (`EphemeralStore.reserve`). Raises `ValueError` unless `rate` > 0 and
        `burst` >= 1."""
        microseconds: int = await self._ask(
            self._reserve(keys=[f"griot:pace:{key}"], args=[_interval(rate, burst), burst])
        )
        return microseconds / 1_000_000

    async def unreserve(self, key: str, *, rate: float, burst: int) -> None:
        """Give a place back (`EphemeralStore.unreserve`). Raises `ValueError` unless `rate` > 0 and
        `burst` >= 1."""
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
        """Send the queued payloads, for at most a second, and end all subscriptions."""
        await self._publisher.close()
        await self._listener.close()
        await self._pool.aclose()

    async def _ask(self, command: Awaitable[Any]) -> Any:
        with connection_errors():
            async with asyncio.timeout(self._timeout):
                return await command


def _milliseconds(seconds: float) -> int:
    """Return whole milliseconds for Redis: at least one, since an expiry of none is an error."""
    return max(1, round(seconds * 1000))


def _interval(rate: float, burst: int) -> int:
    """Return the microseconds between two places."""
    return max(1, round(seconds_between(rate, burst) * 1_000_000))

"""Keep state that need not survive a restart: counters, locks, topics; in memory, or in Redis."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Generic, TypeVar

from bot.contracts.storage import Clock, EphemeralStore
from bot.settings import Settings

MAILBOX_LIMIT = 4096
"""The most payloads that one subscriber may leave unread; then the oldest are dropped."""


class Mailbox:
    """The unread payloads of one subscriber. Iterating waits for the next one, until closed."""

    def __init__(self) -> None:
        self._payloads: deque[bytes] = deque(maxlen=MAILBOX_LIMIT)
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, payload: bytes) -> None:
        self._payloads.append(payload)
        self._changed.set()

    def close(self) -> None:
        """End the iteration once all payloads were read."""
        self._closed = True
        self._changed.set()

    def __aiter__(self) -> Mailbox:
        return self

    async def __anext__(self) -> bytes:
        while not self._payloads:
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._payloads.popleft()


class Topics:
    """The mailboxes of this process by topic."""

    def __init__(self) -> None:
        self._mailboxes: dict[str, list[Mailbox]] = {}

    def __contains__(self, topic: str) -> bool:
        """Return whether the topic has a subscriber."""
        return topic in self._mailboxes

    def deliver(self, topic: str, payload: bytes) -> None:
        for mailbox in self._mailboxes.get(topic, ()):
            mailbox.put(payload)

    @contextmanager
    def listen(self, topic: str) -> Generator[Mailbox]:
        """Open a mailbox that gets everything delivered on `topic` while the context is open."""
        mailbox = Mailbox()
        self._mailboxes.setdefault(topic, []).append(mailbox)
        try:
            yield mailbox
        finally:
            self._forget(topic, mailbox)

    def close(self) -> None:
        """End the iterations of all mailboxes."""
        for mailboxes in self._mailboxes.values():
            for mailbox in mailboxes:
                mailbox.close()

    def _forget(self, topic: str, mailbox: Mailbox) -> None:
        mailboxes = self._mailboxes[topic]
        mailboxes.remove(mailbox)
        if not mailboxes:
            del self._mailboxes[topic]


V = TypeVar("V")


class MemoryEphemeralStore:
    """An `EphemeralStore` of this process only; used within one event loop.

    Args:
        clock: seconds since any moment; it never goes back.
    """

    shared = False

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._topics = Topics()
        self._counters: _Expiring[int] = _Expiring(clock)
        self._places: _Expiring[float] = _Expiring(clock)
        self._locks: _Expiring[str] = _Expiring(clock)
        self._values: _Expiring[bytes] = _Expiring(clock)

    def publish(self, topic: str, payload: bytes) -> None:
        self._topics.deliver(topic, payload)

    @asynccontextmanager
    async def subscribe(self, topic: str) -> AsyncGenerator[AsyncIterator[bytes]]:
        with self._topics.listen(topic) as mailbox:
            yield mailbox

    async def count(self, key: str, seconds: float) -> int:
        value = self._counters.get(key)
        if value is None:
            self._counters.put(key, 1, seconds)
            return 1
        self._counters.replace(key, value + 1)
        return value + 1

    async def reserve(self, key: str, *, rate: float, burst: int) -> float:
        """Take a place (`EphemeralStore.reserve`), by virtual scheduling: the store keeps the time
        at which the queue will be empty.

        `burst` places are free at once when none was taken for `burst / rate` seconds. Raises
        `ValueError` unless `rate` is above 0 and `burst` at least 1.
        """
        interval = seconds_between(rate, burst)
        now = self._clock()
        empty_at = max(self._places.get(key) or now, now)
        wait = max(empty_at - (burst - 1) * interval - now, 0.0)
        self._places.put(key, empty_at + interval, empty_at + interval - now)
        return wait

    async def unreserve(self, key: str, *, rate: float, burst: int) -> None:
        """Give a place back (`EphemeralStore.unreserve`). Raises `ValueError` unless `rate` > 0 and
        `burst` >= 1."""
        interval = seconds_between(rate, burst)
        if (empty_at := self._places.get(key)) is not None:
            empty_at -= interval
            self._places.put(key, empty_at, empty_at - self._clock())

    async def lock(self, key: str, owner: str, seconds: float) -> bool:
        if self._locks.get(key) not in {None, owner}:
            return False
        self._locks.put(key, owner, seconds)
        return True

    async def unlock(self, key: str, owner: str) -> None:
        if self._locks.get(key) == owner:
            self._locks.delete(key)

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        self._values.put(key, value, seconds)

    async def get(self, key: str) -> bytes | None:
        return self._values.get(key)

    async def delete(self, key: str) -> None:
        self._values.delete(key)

    async def ping(self) -> None:
        """Do nothing: memory can always be reached."""

    async def close(self) -> None:
        self._topics.close()


def seconds_between(rate: float, burst: int) -> float:
    """Return the seconds between two places. Raises `ValueError` for a pace that gives none."""
    if rate <= 0 or burst < 1:
        raise ValueError(f"a pace needs rate > 0 and burst >= 1, not {rate} and {burst}")
    return 1 / rate


class _Expiring(Generic[V]):
    """Values that expire.

    Expired values are swept out whenever there are twice as many entries as the last sweep left, so
    that memory stays bounded by the live entries and the cost is spread over all writes.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: dict[str, tuple[V, float]] = {}
        self._sweep_at = 1024

    def get(self, key: str) -> V | None:
        entry = self._entries.get(key)
        if entry is None or entry[1] <= self._clock():
            return None
        return entry[0]

    def put(self, key: str, value: V, seconds: float) -> None:
        self._entries[key] = (value, self._clock() + seconds)
        if len(self._entries) >= self._sweep_at:
            self._sweep()

    def replace(self, key: str, value: V) -> None:
        """Store a new value that expires when the old one would have."""
        self._entries[key] = (value, self._entries[key][1])

    def delete(self, key: str) -> None:
        self._entries.pop(key, None)

    def _sweep(self) -> None:
        now = self._clock()
        self._entries = {key: entry for key, entry in self._entries.items() if entry[1] > now}
        self._sweep_at = max(1024, 2 * len(self._entries))


def open_ephemeral_store(settings: Settings) -> EphemeralStore:
    """Return a store in Redis when `REDIS_URL` is set, else one in memory, which other processes do
    not see.

    It connects on first use: `ping` checks whether the store can be reached.
    """
    if settings.redis_url is None:
        return MemoryEphemeralStore()
    # Here, because a process without Redis should not pay for importing it.
    from bot.storage.ephemeral_redis import RedisEphemeralStore

    return RedisEphemeralStore(settings.redis_url)

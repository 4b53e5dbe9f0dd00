"""The momentary store: one suite for the twin in memory and for a real Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.contracts.storage import EphemeralStore
from bot.settings import Settings
from bot.storage import ephemeral, ephemeral_redis
from bot.storage.ephemeral import MemoryEphemeralStore, open_ephemeral_store
from bot.storage.ephemeral_redis import RedisEphemeralStore
from tests.support.memory import measure_bytes
from tests.support.redis_server import RedisServer, start_redis

Open = Callable[[], EphemeralStore]


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    with start_redis() as server:
        yield server


@pytest.fixture(params=["memory", "redis"])
async def open_store(request: pytest.FixtureRequest) -> AsyncIterator[Open]:
    """Opens views on one store, as processes do; in memory there is one view only."""
    async with AsyncExitStack() as stack:
        if request.param == "memory":
            twin = MemoryEphemeralStore()
            stack.push_async_callback(twin.close)
            yield lambda: twin
            return
        server: RedisServer = request.getfixturevalue("redis_server")

        def open_redis() -> EphemeralStore:
            store = RedisEphemeralStore(server.url, timeout=60)  # a busy machine is not away
            stack.push_async_callback(store.close)
            return store

        yield open_redis


@pytest.fixture
def store(open_store: Open) -> EphemeralStore:
    return open_store()


@pytest.fixture
def key(request: pytest.FixtureRequest) -> str:
    """Tests share one Redis: each has keys of its own."""
    return request.node.name


@pytest.fixture
async def crashing() -> AsyncIterator[tuple[RedisServer, RedisEphemeralStore]]:
    """A server that the test may kill, and an impatient store on it, though not so impatient that
    a busy machine looks like a Redis that is away."""
    with start_redis() as server:
        store = RedisEphemeralStore(server.url, timeout=1)
        yield server, store
        await store.close()


async def read(payloads: AsyncIterator[bytes], count: int) -> list[bytes]:
    async with asyncio.timeout(5):
        return [await anext(payloads) for _ in range(count)]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not true():
            await asyncio.sleep(0.02)


async def until_answering(store: EphemeralStore) -> None:
    async with asyncio.timeout(5):
        while True:
            try:
                return await store.ping()
            except ConnectionError:
                await asyncio.sleep(0.02)


async def until_heard(
    store: EphemeralStore,
    topic: str,
    payloads: AsyncIterator[bytes],
    expecting: Sequence[bytes] = (),
) -> None:
    """Publish until it arrives; before it comes what is `expecting`, once each."""
    seen: list[bytes] = []
    async with asyncio.timeout(5):
        while b"heard" not in seen:
            store.publish(topic, b"heard")
            with suppress(TimeoutError):
                async with asyncio.timeout(0.05):
                    seen.append(await anext(payloads))
    assert seen == [*expecting, b"heard"]


# Topics -----------------------------------------------------------------------------------------


async def test_every_subscriber_reads_everything_in_order(open_store: Open, key: str) -> None:
    publisher = open_store()
    sent = [b"%d" % number for number in range(1200)]
    async with open_store().subscribe(key) as one, open_store().subscribe(key) as other:
        for payload in sent:
            publisher.publish(key, payload)
        assert await read(one, len(sent)) == sent
        assert await read(other, len(sent)) == sent


async def test_a_subscriber_reads_only_its_topic(store: EphemeralStore, key: str) -> None:
    async with store.subscribe(f"{key}/one") as one, store.subscribe(f"{key}/other") as other:
        store.publish(f"{key}/one", b"\xff\x00 for one")
        store.publish(f"{key}/other", b"for the other")
        assert await read(one, 1) == [b"\xff\x00 for one"]
        assert await read(other, 1) == [b"for the other"]


async def test_what_was_published_before_is_not_read(open_store: Open, key: str) -> None:
    store = open_store()
    async with store.subscribe(f"{key}/marker") as marker:
        store.publish(key, b"early")
        store.publish(f"{key}/marker", b"sent after it")
        await read(marker, 1)
    async with store.subscribe(key) as payloads:
        store.publish(key, b"in time")
        assert await read(payloads, 1) == [b"in time"]


async def test_one_subscriber_leaving_leaves_the_others(store: EphemeralStore, key: str) -> None:
    async with store.subscribe(key) as staying:
        async with store.subscribe(key):
            pass
        store.publish(key, b"still here")
        assert await read(staying, 1) == [b"still here"]


async def test_coming_back_to_a_topic_at_once_loses_nothing(
    store: EphemeralStore, key: str
) -> None:
    for number in range(30):
        async with store.subscribe(key) as payloads:
            store.publish(key, b"%d" % number)
            assert await read(payloads, 1) == [b"%d" % number]


async def test_a_subscriber_cancelled_while_entering_spoils_nothing(
    store: EphemeralStore, key: str
) -> None:
    async def listen() -> None:
        async with store.subscribe(key) as payloads:
            await anext(payloads)

    for turns in range(12):
        task = asyncio.create_task(listen())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
    async with store.subscribe(key) as payloads:
        store.publish(key, b"heard")
        assert await read(payloads, 1) == [b"heard"]


async def test_publishing_to_nobody_is_fine(store: EphemeralStore, key: str) -> None:
    store.publish(key, b"into the void")


async def test_closing_ends_the_subscriptions(store: EphemeralStore, key: str) -> None:
    async with store.subscribe(key) as payloads:
        await store.close()
        assert [payload async for payload in payloads] == []


async def test_a_subscriber_that_does_not_read_keeps_the_newest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The limit is a constant of the app, thousands; the test needs three.
    monkeypatch.setattr(ephemeral, "MAILBOX_LIMIT", 3)
    store = MemoryEphemeralStore()
    async with store.subscribe("topic") as payloads:
        for number in range(10):
            store.publish("topic", b"%d" % number)
        assert await read(payloads, 3) == [b"7", b"8", b"9"]


# Counters ---------------------------------------------------------------------------------------


async def test_a_counter_counts_whoever_asks(open_store: Open, key: str) -> None:
    one, other = open_store(), open_store()
    values = await asyncio.gather(*(store.count(key, 60) for store in [one, other] * 20))
    assert sorted(values) == list(range(1, 41))


async def test_a_counter_starts_anew_after_its_first_use_not_its_last(
    store: EphemeralStore, key: str
) -> None:
    assert await store.count(key, 2) == 1
    await asyncio.sleep(1.2)
    assert await store.count(key, 2) == 2
    await asyncio.sleep(1.2)
    assert await store.count(key, 2) == 1


# Places -----------------------------------------------------------------------------------------


async def test_places_are_handed_out_at_the_rate(open_store: Open, key: str) -> None:
    one, other = open_store(), open_store()
    waits = [await store.reserve(key, rate=0.1, burst=1) for store in [one, other] * 3]
    assert waits == pytest.approx([0, 10, 20, 30, 40, 50], abs=5)


async def test_a_burst_goes_at_once_and_then_at_the_rate(store: EphemeralStore, key: str) -> None:
    waits = [await store.reserve(key, rate=0.1, burst=3) for _ in range(5)]
    assert waits == pytest.approx([0, 0, 0, 10, 20], abs=5)


async def test_an_idle_queue_forgets(store: EphemeralStore, key: str) -> None:
    for _ in range(3):
        await store.reserve(key, rate=20, burst=2)
    await asyncio.sleep(0.2)
    assert [await store.reserve(key, rate=20, burst=2) for _ in range(2)] == [0, 0]


async def test_a_place_given_back_is_free_for_the_next(open_store: Open, key: str) -> None:
    one, other = open_store(), open_store()
    for _ in range(20):
        assert await one.reserve(key, rate=0.1, burst=1) == 0
        await other.unreserve(key, rate=0.1, burst=1)
    assert await one.reserve(key, rate=0.1, burst=1) == 0
    assert 9 < await one.reserve(key, rate=0.1, burst=1) <= 10


async def test_a_place_given_back_too_late_frees_no_other(open_store: Open, key: str) -> None:
    store = open_store()
    await store.reserve(key, rate=20, burst=1)
    await asyncio.sleep(0.1)
    await store.unreserve(key, rate=20, burst=1)
    assert await store.reserve(key, rate=20, burst=1) == 0
    assert await store.reserve(key, rate=20, burst=1) > 0


async def test_concurrent_reservations_take_different_places(open_store: Open, key: str) -> None:
    one, other = open_store(), open_store()
    waits = await asyncio.gather(
        *(store.reserve(key, rate=0.1, burst=1) for store in [one, other] * 10)
    )
    assert sorted(waits) == pytest.approx(list(range(0, 200, 10)), abs=5)


@pytest.mark.parametrize(("rate", "burst"), [(0, 1), (-1, 1), (1, 0)])
async def test_a_pace_at_which_nobody_goes_is_an_error(
    store: EphemeralStore, key: str, rate: float, burst: int
) -> None:
    with pytest.raises(ValueError, match="rate > 0"):
        await store.reserve(key, rate=rate, burst=burst)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rate=st.floats(0.005, 0.1), burst=st.integers(1, 8), calls=st.integers(1, 15))
def test_the_twin_and_redis_agree(
    redis_server: RedisServer, rate: float, burst: int, calls: int
) -> None:
    async def compare() -> None:
        key = str(uuid4())
        twin, real = MemoryEphemeralStore(), RedisEphemeralStore(redis_server.url)
        for _ in range(calls):
            expected = await twin.reserve(key, rate=rate, burst=burst)
            waited = await real.reserve(key, rate=rate, burst=burst)
            assert waited == pytest.approx(expected, abs=5)
        await real.close()

    asyncio.run(compare())


# Locks and values -------------------------------------------------------------------------------


async def test_a_lock_has_one_owner_who_may_renew_it(open_store: Open, key: str) -> None:
    one, other = open_store(), open_store()
    assert await one.lock(key, "one", 60)
    assert not await other.lock(key, "other", 60)
    assert await one.lock(key, "one", 60)


async def test_a_lock_is_given_back_by_its_owner_only(store: EphemeralStore, key: str) -> None:
    await store.lock(key, "one", 60)
    await store.unlock(key, "other")
    assert not await store.lock(key, "other", 60)
    await store.unlock(key, "one")
    assert await store.lock(key, "other", 60)


async def test_a_lock_ends_by_itself_unless_renewed(store: EphemeralStore, key: str) -> None:
    await store.lock(key, "one", 2)
    await asyncio.sleep(1.2)
    await store.lock(key, "one", 2)
    await asyncio.sleep(1.2)
    assert not await store.lock(key, "other", 1)
    await asyncio.sleep(1)
    assert await store.lock(key, "other", 1)


async def test_a_value_is_kept_for_its_time(open_store: Open, key: str) -> None:
    one, other = open_store(), open_store()
    await one.put(key, b"\x00\xff", 2)
    assert await other.get(key) == b"\x00\xff"
    await asyncio.sleep(2.1)
    assert await other.get(key) is None


async def test_a_deleted_value_is_gone(store: EphemeralStore, key: str) -> None:
    await store.put(key, b"value", 60)
    await store.delete(key)
    await store.delete(key)
    assert await store.get(key) is None


async def test_counters_places_locks_and_values_may_share_a_name(
    store: EphemeralStore, key: str
) -> None:
    await store.put(key, b"value", 60)
    assert await store.lock(key, "one", 60)
    assert await store.count(key, 60) == 1
    assert await store.reserve(key, rate=1, burst=1) == 0
    assert await store.get(key) == b"value"


async def test_the_twin_keeps_nothing_that_expired() -> None:
    now = 0.0
    twin = MemoryEphemeralStore(clock=lambda: now)
    largest = 0
    for number in range(5000):
        now += 1
        await twin.count(f"person {number}", seconds=10)
        if number < 1100:
            largest = max(largest, measure_bytes(twin)) if number % 100 == 99 else largest
    assert measure_bytes(twin) <= largest


# Which one, and what when Redis is away ---------------------------------------------------------


async def test_settings_choose_the_store(redis_server: RedisServer) -> None:
    twin = open_ephemeral_store(Settings())
    real = open_ephemeral_store(Settings(redis_url=redis_server.url))
    assert (twin.shared, real.shared) == (False, True)
    await twin.ping()
    await real.ping()
    await real.close()


async def test_a_dead_redis_is_a_connection_error(
    crashing: tuple[RedisServer, RedisEphemeralStore],
) -> None:
    server, store = crashing
    await store.ping()
    server.kill()
    with pytest.raises(ConnectionError, match="Redis cannot be reached"):
        await store.ping()
    with pytest.raises(ConnectionError):
        await store.count("key", 1)
    with pytest.raises(ConnectionError):
        async with store.subscribe("topic"):
            pass


async def test_a_silent_redis_is_a_connection_error_in_time(
    crashing: tuple[RedisServer, RedisEphemeralStore],
) -> None:
    server, store = crashing
    await store.ping()
    server.pause()
    async with asyncio.timeout(5):
        with pytest.raises(ConnectionError, match="no answer in time"):
            await store.ping()
    server.resume()
    await until_answering(store)


async def test_answers_never_mix_after_one_came_too_late(
    crashing: tuple[RedisServer, RedisEphemeralStore],
) -> None:
    server, store = crashing
    await store.put("one", b"one", 60)
    await store.put("other", b"other", 60)
    server.pause()
    with pytest.raises(ConnectionError):
        await store.get("one")
    server.resume()
    await until_answering(store)
    assert [await store.get("other") for _ in range(3)] == [b"other"] * 3


async def test_operations_go_on_after_a_restart(
    crashing: tuple[RedisServer, RedisEphemeralStore],
) -> None:
    server, store = crashing
    assert await store.lock("key", "one", 60)
    server.restart()
    assert await store.lock("key", "other", 60)


async def test_subscriptions_survive_a_restart(
    crashing: tuple[RedisServer, RedisEphemeralStore],
) -> None:
    server, store = crashing
    async with store.subscribe("topic") as payloads, store.subscribe("other") as others:
        server.restart()
        await until_heard(store, "topic", payloads)
        await until_heard(store, "other", others)


async def test_nobody_joins_a_topic_while_redis_is_away(
    crashing: tuple[RedisServer, RedisEphemeralStore],
) -> None:
    server, store = crashing
    async with store.subscribe("topic") as payloads:
        with capture_logs() as logs:
            server.kill()
            await until(lambda: has_lost_its_listener(logs))
        with pytest.raises(ConnectionError):
            async with store.subscribe("topic"):
                pass
        server.restart()
        await until_heard(store, "topic", payloads)


async def test_what_is_published_while_redis_is_away_is_sent_later_the_oldest_dropped(
    crashing: tuple[RedisServer, RedisEphemeralStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The limit is a constant of the app, thousands; the test needs a few.
    monkeypatch.setattr(ephemeral_redis, "QUEUE_LIMIT", 5)
    # The subscriber must be there before the publisher tries again.
    monkeypatch.setattr(ephemeral_redis, "_pause", lambda _: 1.5)
    server, subscriber = crashing
    publisher = RedisEphemeralStore(server.url)
    server.kill()
    with capture_logs() as logs:
        publisher.publish("topic", b"first")
        await asyncio.sleep(0.1)
        for number in range(8):
            publisher.publish("topic", b"%d" % number)
        server.restart()
        async with subscriber.subscribe("topic") as payloads:
            assert await read(payloads, 6) == [b"first", b"3", b"4", b"5", b"6", b"7"]
        await publisher.close()
    assert {"event": "live_events_dropped", "count": 3, "log_level": "warning"} in logs


async def test_what_was_being_sent_when_redis_broke_is_not_sent_twice(
    crashing: tuple[RedisServer, RedisEphemeralStore],
) -> None:
    server, store = crashing
    subscriber = RedisEphemeralStore(server.url)
    async with subscriber.subscribe("topic") as payloads:
        await store.ping()
        server.pause()
        with capture_logs() as logs:
            store.publish("topic", b"in doubt")
            await until(lambda: "redis_publish_failed" in {entry["event"] for entry in logs})
        server.resume()
        await until_heard(store, "topic", payloads, expecting=[b"in doubt"])
    await subscriber.close()


async def test_a_listener_notices_that_redis_fell_silent(
    crashing: tuple[RedisServer, RedisEphemeralStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ten seconds in the app.
    monkeypatch.setattr(ephemeral_redis, "PING_SECONDS", 0.1)
    server, store = crashing
    async with store.subscribe("topic") as payloads:
        await asyncio.sleep(0.25)
        store.publish("topic", b"kept alive by pings")
        assert await read(payloads, 1) == [b"kept alive by pings"]
        server.pause()
        with capture_logs() as logs:
            await until(lambda: has_lost_its_listener(logs))
        server.resume()


async def test_a_topic_that_nobody_listens_to_is_given_up(
    redis_server: RedisServer, key: str
) -> None:
    store = RedisEphemeralStore(redis_server.url)
    async with store.subscribe(key):
        assert await count_subscribers(redis_server, key) == 1
    async with asyncio.timeout(20):
        while await count_subscribers(redis_server, key):
            await asyncio.sleep(0.01)
    await store.close()


def has_lost_its_listener(logs: Sequence[Mapping[str, object]]) -> bool:
    return any(
        (line["event"], line.get("role")) == ("redis_unreachable", "listener") for line in logs
    )


async def count_subscribers(server: RedisServer, topic: str) -> int:
    async with Redis.from_url(server.url) as client:
        [(_, count)] = await client.pubsub_numsub(f"griot:topic:{topic}")
    return count


async def test_closing_sends_what_was_published(redis_server: RedisServer, key: str) -> None:
    leaving, staying = RedisEphemeralStore(redis_server.url), RedisEphemeralStore(redis_server.url)
    async with staying.subscribe(key) as payloads:
        leaving.publish(key, b"goodbye")
        await leaving.close()
        assert await read(payloads, 1) == [b"goodbye"]
    await staying.close()


async def test_closing_leaves_no_task_behind(redis_server: RedisServer, key: str) -> None:
    before = asyncio.all_tasks()
    store = RedisEphemeralStore(redis_server.url)
    async with store.subscribe(key):
        store.publish(key, b"event")
        await store.ping()
    await store.close()
    assert asyncio.all_tasks() == before

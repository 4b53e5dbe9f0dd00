from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bot.contracts.storage import Database
from bot.errors import LeaseLost
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.lanes import Claim, Lanes, lock_lane
from bot.settings import Settings
from bot.storage.database import open_database
from tests.support.app import update
from tests.support.fakes import Clock
from tests.support.queries import FromNow, Not, Plus, change_rows, read_row, read_values


async def _expire(database: Database) -> None:
    """Let every lease run out, as if time had passed."""
    await change_rows(database, "lane", {"due_at": FromNow(-1)}, owner=Not(None))


async def _holds(database: Database, claim: Claim) -> bool:
    async def work(tx: Any) -> None:
        await lock_lane(tx, claim)

    try:
        await database.write(work)
    except LeaseLost:
        return False
    return True


async def test_a_lane_is_claimed_by_one(database: Database) -> None:
    await Inbox(database).store([update("hello")])
    one, two = Lanes(database, 15, ["fake"]), Lanes(database, 15, ["fake"])
    assert len(await one.claim(10)) == 1
    assert await two.claim(10) == []


async def test_claims_at_the_same_moment_share_the_lanes(database: Database) -> None:
    await Inbox(database).store([update("hello", chat=str(n)) for n in range(40)])
    claimants = [Lanes(database, 15, ["fake"]) for _ in range(8)]
    claims = [c for got in await asyncio.gather(*(c.claim(5) for c in claimants)) for c in got]
    assert len({claim.lane for claim in claims}) == len(claims) == 40


async def test_a_claim_takes_no_more_than_it_asks_for(database: Database) -> None:
    await Inbox(database).store([update("hello", chat=str(n)) for n in range(10)])
    assert len(await Lanes(database, 15, ["fake"]).claim(3)) == 3


async def test_a_lane_whose_adapter_this_process_lacks_is_left_to_others(
    database: Database,
) -> None:
    await Inbox(database).store([update("hello")])
    assert await Lanes(database, 15, ["telegram", "http"]).claim(1) == []


async def test_the_longest_waiting_lane_comes_first(database: Database) -> None:
    for chat in ("1", "2", "3"):
        await Inbox(database).store([update("hello", chat=chat)])
    [claim] = await Lanes(database, 15, ["fake"]).claim(1)
    assert claim.lane == "telegram:1"


async def test_an_expired_lease_is_taken_over_and_the_old_holder_can_write_nothing(
    database: Database,
) -> None:
    await Inbox(database).store([update("hello")])
    [old] = await Lanes(database, 15, ["fake"]).claim(1)
    await _expire(database)
    [new] = await Lanes(database, 15, ["fake"]).claim(1)
    assert new.fence > old.fence
    assert not await _holds(database, old)
    assert await _holds(database, new)


async def test_a_process_does_not_take_a_lane_from_itself(database: Database) -> None:
    await Inbox(database).store([update("hello")])
    lanes = Lanes(database, 15, ["fake"])
    [claim] = await lanes.claim(1)
    await _expire(database)
    assert await lanes.claim(1) == []
    assert await _holds(database, claim)


async def test_a_renewed_lease_stands(database: Database) -> None:
    await Inbox(database).store([update("hello")])
    lanes = Lanes(database, 15, ["fake"])
    [claim] = await lanes.claim(1)
    await _expire(database)
    assert await lanes.renew() == {claim.lane: claim}
    assert await Lanes(database, 15, ["fake"]).claim(1) == []


async def test_a_stale_release_leaves_the_new_holder_alone(database: Database) -> None:
    await Inbox(database).store([update("hello")])
    lanes = Lanes(database, 15, ["fake"])
    [old] = await lanes.claim(1)
    await _expire(database)
    [new] = await Lanes(database, 15, ["fake"]).claim(1)
    await lanes.release(old)
    assert await _holds(database, new)


async def test_a_released_lane_with_work_is_due_at_once(database: Database) -> None:
    await Inbox(database).store([update("hello")])
    lanes = Lanes(database, 15, ["fake"])
    [claim] = await lanes.claim(1)
    await lanes.release(claim)
    assert len(await lanes.claim(1)) == 1


async def test_a_released_lane_without_work_is_due_never(database: Database) -> None:
    await Inbox(database).store([update("hello")])
    lanes = Lanes(database, 15, ["fake"])
    [claim] = await lanes.claim(1)
    await change_rows(database, "inbox", {"state": "done"})
    await lanes.release(claim)
    lane = await read_row(database, "lane")
    assert (lane["due_at"], lane["owner"]) == (None, None)


async def test_work_for_later_is_claimed_when_its_time_has_come(database: Database) -> None:
    await Inbox(database).store([update("hello")])
    lanes = Lanes(database, 15, ["fake"])
    [claim] = await lanes.claim(1)
    await change_rows(database, "inbox", {"ready_at": FromNow(0.2)})
    await lanes.release(claim)
    assert await lanes.claim(1) == []
    await asyncio.sleep(0.25)
    assert len(await lanes.claim(1)) == 1


async def test_an_update_stored_while_the_lane_is_owned_is_not_lost(database: Database) -> None:
    inbox, lanes = Inbox(database), Lanes(database, 15, ["fake"])
    await inbox.store([update("first")])
    [claim] = await lanes.claim(1)
    await inbox.store([update("second")])
    waiting = await inbox.next_or_release(claim)
    assert waiting is not None
    await change_rows(database, "inbox", {"state": "done"}, seq=1)
    waiting = await inbox.next_or_release(claim)
    assert waiting is not None
    assert waiting.pending is not None
    assert waiting.pending.seq == 2


def test_our_own_clock_tells_when_a_lease_may_be_lost(sqlite_url: str) -> None:
    async def scenario() -> None:
        clock = Clock()
        async with open_database(Settings(database_url=sqlite_url)) as database:
            lanes = Lanes(database, 15, ["fake"], monotonic=clock)
            await Inbox(database).store([update("hello"), update("hello", chat="2")])
            [old] = await lanes.claim(1)
            clock.advance(10)
            [new] = await lanes.claim(1)
            assert lanes.surely_ours(old)
            clock.advance(6)
            assert not lanes.surely_ours(old)
            assert lanes.surely_ours(new)
            await lanes.renew()
            clock.advance(14)
            assert lanes.surely_ours(old)
            assert lanes.surely_ours(new)
            await change_rows(database, "lane", {"owner": "another", "fence": Plus(1)}, id=old.lane)
            clock.advance(0.5)
            await lanes.renew()
            clock.advance(1)
            assert lanes.surely_ours(new)
            assert not lanes.surely_ours(old)  # a renewal speaks for the lanes it renewed

    asyncio.run(scenario())


# A model of the state machine -------------------------------------------------------------------


class LaneMachine(RuleBasedStateMachine):
    """Three processes, three lanes, any order of events: compared with what ought to be true."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.database: Database
        self._context = open_database(Settings(database_url=_make_url()))
        self.database = self._do(self._context.__aenter__())
        self.inbox = Inbox(self.database)
        self.processes = [Lanes(self.database, 1000, ["fake"]) for _ in range(3)]
        self.claims: list[tuple[Lanes, Claim]] = []
        self.owners: dict[str, Claim] = {}
        self.waiting: dict[str, list[int]] = {}
        self.expired: set[str] = set()
        self.handled: dict[str, list[int]] = {}

    def _do(self, awaitable: Any) -> Any:
        return self.loop.run_until_complete(awaitable)

    @rule(chat=st.sampled_from("123"))
    def store(self, chat: str) -> None:
        one = update("hello", chat=chat)
        [seq] = self._do(self.inbox.store([one, one][:1]))
        self.waiting.setdefault(one.lane, []).append(seq)

    @rule(who=st.integers(0, 2), limit=st.integers(1, 3))
    def claim(self, who: int, limit: int) -> None:
        own = {
            lane for lane, claim in self.owners.items() if claim.owner == self.processes[who].owner
        }
        due = {
            lane
            for lane, seqs in self.waiting.items()
            if (seqs and lane not in self.owners) or lane in self.expired - own
        }
        claims = self._do(self.processes[who].claim(limit))
        assert len(claims) == min(limit, len(due))
        for claim in claims:
            assert claim.lane in due
            assert all(claim.fence > old.fence for _, old in self.claims if old.lane == claim.lane)
            self.expired.discard(claim.lane)
            self.owners[claim.lane] = claim
            self.claims.append((self.processes[who], claim))

    @precondition(lambda self: self.owners)
    @rule(data=st.data())
    def expire(self, data: st.DataObject) -> None:
        lane = data.draw(st.sampled_from(sorted(self.owners)))
        self._do(change_rows(self.database, "lane", {"due_at": FromNow(-1)}, id=lane))
        self.expired.add(lane)

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def work(self, data: st.DataObject) -> None:
        """Handle the next update under any claim ever made: only the newest may."""
        _, claim = data.draw(st.sampled_from(self.claims))
        valid = self.owners.get(claim.lane) == claim

        async def handle(tx: Any) -> int | None:
            await lock_lane(tx, claim)
            pending = await read_values(tx, "inbox", "seq", lane=claim.lane, state="pending")
            if not pending:
                return None
            await change_rows(tx, "inbox", {"state": "done"}, seq=pending[0])
            return pending[0]

        try:
            seq = self._do(self.database.write(handle))
        except LeaseLost:
            assert not valid
            return
        assert valid
        expected = self.waiting.get(claim.lane) or [None]
        assert seq == expected[0]
        if seq is not None:
            self.waiting[claim.lane].remove(seq)
            self.handled.setdefault(claim.lane, []).append(seq)

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        process, claim = data.draw(st.sampled_from(self.claims))
        self._do(process.release(claim))
        if self.owners.get(claim.lane) == claim:
            del self.owners[claim.lane]
            self.expired.discard(claim.lane)

    @invariant()
    def handled_in_order(self) -> None:
        for seqs in self.handled.values():
            assert seqs == sorted(seqs)

    def teardown(self) -> None:
        self._do(self._context.__aexit__(None, None, None))
        self.loop.close()


_make_url: Callable[[], str]


def test_no_order_of_events_breaks_a_lane(make_sqlite: Callable[[], str]) -> None:
    global _make_url  # a state machine takes no arguments
    _make_url = make_sqlite
    machine = LaneMachine.TestCase()
    machine.settings = settings(
        max_examples=25,
        stateful_step_count=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    machine.runTest()

"""How a turn ends: all that follows from it at once, or nothing, and only by who has the lane."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.accounts import ledger
from bot.agent.turn import Limits, Turn
from bot.contracts.storage import Database
from bot.contracts.turn import Finished
from bot.errors import LeaseLost
from bot.events import EndReason, ignore
from bot.gateway.deliveries import Composed
from bot.gateway.inbound.bursts import Bursts
from bot.gateway.inbound.inbox import Inbox, Pending
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.turns.close import TurnEnding, close_turn, close_without_turn
from bot.gateway.turns.retry import give_up_turn, postpone_turn
from bot.messages.incoming import Person
from bot.messages.outgoing import TextBody
from bot.messages.transcript import ToolResult
from tests.support.app import MakeApp, update
from tests.support.fakes import MemoryJournal, reply
from tests.support.queries import (
    NOW,
    Above,
    FromNow,
    add_row,
    change_rows,
    count_rows,
    read_row,
    read_rows,
    read_seconds_until,
    read_values,
)
from tests.support.turns import lose_to_another, store_and_claim

GUEST = Person("telegram", "1")
SAID = Composed([TextBody("one"), TextBody("two")])
NOTHING_HELD = TurnEnding("answered", held=0, cost=0, composed=SAID)


@dataclass
class End:
    """A turn that has begun, about to end."""

    database: Database
    claim: Claim
    pending: Pending
    person: Person = GUEST

    async def begin(self, held: int = 0) -> None:
        """Its row, with what is held for it."""
        if held:
            await self.write(self._reserve)
        whose = {"lane": self.claim.lane, "id": self.pending.seq, "account": self.person.account}
        await add_row(self.database, "turn", **whose, attempts=1, reserved=held)

    async def _reserve(self, tx: Any) -> None:
        name = f"{self.claim.lane}/{self.pending.seq}"
        await ledger.reserve(tx, account=self.person.account or 0, turn=name, least=1)

    async def write(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        return await self.database.write(work)

    def turn(self) -> Turn:
        turn = Turn(
            id=self.pending.seq,
            lane=self.claim.lane,
            person=self.person,
            messages=[],
            limits=Limits(10, 60.0, 1.0, 10),
            journal=MemoryJournal(),
            emit=ignore,
        )
        turn.add_reply(reply("", ("look", "{}"), usd=0.25))
        turn.add_result(Finished(ToolResult("call_look_0", "look", "found")))
        turn.add_reply(reply("here", usd=0.5))
        return turn

    async def close(self, ending: TurnEnding = NOTHING_HELD) -> int:
        return await self.write(
            lambda tx: close_turn(tx, self.claim, self.pending, self.turn(), ending)
        )

    async def postpone(self, pause: float = 30, error: str = "down") -> None:
        async def work(tx: Any) -> None:
            await postpone_turn(
                tx, self.claim, self.pending, pause=pause, seconds_used=pause + 1, error=error
            )

        await self.write(work)

    async def bury(self, error: str = "hopeless") -> None:
        await self.write(lambda tx: give_up_turn(tx, self.claim, self.pending, SAID, error=error))

    async def turn_row(self) -> Any:
        return await read_row(self.database, "turn")

    async def updates(self) -> list[tuple[str, int | None]]:
        return [(row["state"], row["turn"]) for row in await read_rows(self.database, "inbox")]

    async def parts(self) -> list[int]:
        return await read_values(self.database, "outbox", "part")


async def _end(database: Database, *contents: str) -> End:
    return End(database, *await store_and_claim(database, *contents))


async def _paid(app: MakeApp, held: int = 10) -> End:
    """A turn of a person who has 50 credits, `held` of them for it."""
    site = await app(welcome_credits=50)
    account = await site.log_in()
    end = await _end(site.database)
    end.person = Person("telegram", "1", account=account)
    await end.begin(held)
    return end


async def _balance(end: End) -> tuple[int, list[tuple[str, int]]]:
    balance, entries = await ledger.entries(end.database, end.person.account or 0)
    assert await ledger.check(end.database) == []
    before = ("welcome", "reserve")
    return balance, [(entry.kind, entry.amount) for entry in entries if entry.kind not in before]


# Well -------------------------------------------------------------------------------------------


async def test_all_that_follows_from_a_turn_is_there(database: Database) -> None:
    end = await _end(database, "one", "two")
    await end.begin()
    assert await end.close(replace(NOTHING_HELD, error="a\0b" + "c" * 600)) == 0
    row = await end.turn_row()
    assert (row["state"], row["reason"], row["credits"]) == ("done", "answered", 0)
    assert (row["input_tokens"], row["output_tokens"], row["usd"]) == (200, 20, 0.75)
    assert row["error"] == ("ab" + "c" * 600)[:500]
    assert row["ended_at"] >= row["started_at"]
    assert await end.parts() == [0, 1]
    assert await end.updates() == [("done", end.pending.seq)] * 2
    spent = [
        (row["kind"], row["name"], row["calls"])
        for row in await read_rows(end.database, "spending")
    ]
    assert spent == [("model", "fake-model", 2), ("tool", "look", 1)]


async def test_ended_again_after_a_commit_nobody_saw_it_is_all_there_once(app: MakeApp) -> None:
    end = await _paid(app)
    ending = replace(NOTHING_HELD, held=10, cost=3)
    assert (await end.close(ending), await end.close(ending)) == (3, 3)
    assert await end.parts() == [0, 1]
    assert await _balance(end) == (47, [("settle", 7)])
    assert await count_rows(end.database, "spending") == 2


@pytest.mark.parametrize(("cost", "charged"), [(3, 3), (10, 10), (25, 25), (80, 50), (0, 0)])
async def test_a_person_pays_what_it_cost_as_far_as_they_can(
    app: MakeApp, cost: int, charged: int
) -> None:
    end = await _paid(app)
    assert await end.close(replace(NOTHING_HELD, held=10, cost=cost)) == charged
    assert await _balance(end) == (50 - charged, [("settle", 10 - charged)])
    assert (await end.turn_row())["credits"] == charged


@pytest.mark.parametrize(
    ("reason", "charged"), [("failed", 0), ("limit", 3), ("cancelled", 3), ("awaiting_approval", 3)]
)
async def test_only_what_failed_on_our_side_is_free(
    app: MakeApp, reason: EndReason, charged: int
) -> None:
    end = await _paid(app)
    assert await end.close(replace(NOTHING_HELD, reason=reason, held=10, cost=3)) == charged
    balance, [(kind, _)] = await _balance(end)
    assert (balance, kind) == (50 - charged, "settle" if charged else "refund")
    assert (await end.turn_row())["reason"] == reason


@pytest.mark.parametrize(
    ("refused", "reason", "counts"), [(False, "answered", 0), (True, "refused", 1)]
)
async def test_what_needed_no_model_ends_at_once_and_only_a_refusal_counts_for_the_pace(
    database: Database, refused: bool, reason: str, counts: int
) -> None:
    end = await _end(database, "/help", "/help")

    async def work(tx: Any) -> None:
        await close_without_turn(tx, end.claim, end.pending, None, SAID, refused=refused)

    for _ in range(2):
        await end.write(work)
    row = await end.turn_row()
    assert (row["state"], row["reason"], row["attempts"]) == ("done", reason, counts)
    assert await end.parts() == [0, 1]
    assert await end.updates() == [("done", end.pending.seq)] * 2


# Not so well ------------------------------------------------------------------------------------


async def test_what_is_tried_later_waits_and_keeps_what_is_held(app: MakeApp) -> None:
    end = await _paid(app)
    await end.postpone(pause=30, error="d\0own")
    row = await end.turn_row()
    assert (row["state"], row["reason"], row["error"]) == ("running", "failed", "down")
    assert (row["attempts"], row["failures"], row["worker"]) == (1, 1, "")
    assert (row["seconds_used"], row["reserved"], row["ended_at"]) == (31, 10, None)
    waiting = await read_row(end.database, "inbox")
    assert (waiting["state"], waiting["turn"]) == ("pending", None)
    [pause] = await read_seconds_until(end.database, "inbox", "ready_at")
    assert 20 < pause <= 30
    assert await end.parts() == []
    assert (await _balance(end))[0] == 40


async def test_what_is_said_meanwhile_leaves_the_next_attempt_when_it_was(
    database: Database,
) -> None:
    inbox = Inbox(database, Bursts(short=300, most=600))
    await inbox.store([update("one")])
    await change_rows(database, "lane", {"due_at": NOW})
    [claim] = await Lanes(database, 15, ["fake"]).claim(1)
    end = End(database, claim, Pending(1, update("one")))
    await end.postpone(pause=30)
    await inbox.store([update("two")])
    first, _ = await read_seconds_until(database, "inbox", "ready_at")
    assert first <= 30


async def test_one_that_failed_before_it_began_is_known_all_the_same(database: Database) -> None:
    end = await _end(database)
    await end.postpone()
    row = await end.turn_row()
    assert (row["state"], row["attempts"]) == ("running", 1)
    await end.bury()
    assert (await end.turn_row())["state"] == "dead"


async def test_a_hopeless_turn_is_dead_told_and_given_back(app: MakeApp) -> None:
    end = await _paid(app)
    await end.bury(error="hope\0less")
    row = await end.turn_row()
    assert (row["state"], row["reason"], row["error"]) == ("dead", "failed", "hopeless")
    assert row["ended_at"] is not None
    assert await end.parts() == [-1, 0]
    assert await _balance(end) == (50, [("refund", 10)])
    assert await end.updates() == [("dead", end.pending.seq)]


async def test_all_that_was_said_in_one_go_is_dead_with_it(database: Database) -> None:
    end = await _end(database, "one", "two")
    await end.bury()
    assert await end.updates() == [("dead", end.pending.seq)] * 2


@pytest.mark.parametrize("late", ["postpone", "bury"])
async def test_nothing_happens_to_a_turn_that_has_ended(app: MakeApp, late: str) -> None:
    end = await _paid(app)
    await end.close(replace(NOTHING_HELD, held=10, cost=3))
    await (end.postpone() if late == "postpone" else end.bury())
    row = await end.turn_row()
    assert (row["state"], row["reason"], row["error"]) == ("done", "answered", "")
    assert await end.parts() == [0, 1]
    assert await end.updates() == [("done", end.pending.seq)]
    assert (await _balance(end))[0] == 47


@pytest.mark.parametrize("way", ["close", "postpone", "bury"])
async def test_who_lost_the_lane_ends_nothing(app: MakeApp, way: str) -> None:
    end = await _paid(app)
    await lose_to_another(end.database)
    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "close": lambda: end.close(replace(NOTHING_HELD, held=10, cost=3)),
        "postpone": end.postpone,
        "bury": end.bury,
    }
    with pytest.raises(LeaseLost):
        await ways[way]()
    row = await end.turn_row()
    assert (row["state"], row["reason"], row["error"]) == ("running", "", "")
    assert await end.parts() == []
    assert await end.updates() == [("pending", None)]
    assert await read_rows(end.database, "spending") == []
    assert await _balance(end) == (40, [])
    assert await read_rows(end.database, "inbox", ready_at=Above(FromNow(1))) == []

"""Keep lanes: which worker has a conversation, until when, and what is known of the conversation.

This is the only module that writes the table `lane`. A thread is one history for all the
conversations of a person: each conversation is a lane and its own thread, but an account's private
conversations on Telegram, WhatsApp and SMS share the thread of the account. That is kept by a lane
without messages: `account:7`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.contracts.storage import Database, Row, Transaction
from bot.errors import LeaseLost
from bot.messages.channels import CHANNELS
from bot.messages.incoming import Person, Update

SOON = 2.0
"""A lane that is due within so many seconds is announced at once, with the delay."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on a lane, until the lane has another fence or owner."""

    lane: str
    fence: int
    owner: str
    via: str = field(compare=False)
    """Name of the adapter that replies go out by."""
    moved_to: str = field(default="", compare=False)
    """The lane's name with the channel's new id of the conversation, if that has changed."""
    sure_until: float = field(default=0.0, compare=False)
    """Seconds of our monotonic clock before which no other process can take the lane."""

    @property
    def channel(self) -> str:
        return self.lane.partition(":")[0]

    @property
    def conversation(self) -> str:
        """The channel's id of the conversation, as it is now."""
        return (self.moved_to or self.lane).partition(":")[2]


class Lanes:
    """The lanes that this process claims.

    Args:
        lease_seconds: how long a claim lasts without being renewed, by the database's clock.
        vias: names of the adapters that this process has; other lanes are left to others.
        monotonic: seconds of a clock that goes on while the process is paused.
    """

    def __init__(
        self,
        database: Database,
        lease_seconds: float,
        vias: Iterable[str],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.owner = secrets.token_hex(8)
        self._database = database
        self._lease = lease_seconds
        self._monotonic = monotonic
        self._renewed: dict[tuple[str, int], float] = {}
        names = ", ".join(f"'{via}'" for via in sorted(vias) if via.isidentifier())
        self._claim_sql = _CLAIM.replace("{vias}", names or "''")

    async def claim(self, limit: int) -> list[Claim]:
        """Claim up to `limit` lanes that are due, the longest waiting first.

        A lane of our own whose lease ran out (the database was away) is not claimed but renewed, so
        that its runner goes on.
        """
        asked = self._monotonic()

        rows = await self._database.run(
            self._claim_sql, owner=self.owner, lease=self._lease, limit=limit
        )
        until = asked + self._lease
        return [_claim(row, self.owner, sure_until=until) for row in rows]

    async def renew(self) -> dict[str, Claim]:
        """Extend all leases of this process; return the claims that it still has, by lane."""
        asked = self._monotonic()

        rows = await self._database.run(_RENEW, owner=self.owner, lease=self._lease)
        until = asked + self._lease
        self._renewed = {(row["id"], row["fence"]): until for row in rows}
        return {row["id"]: _claim(row, self.owner) for row in rows}

    def surely_ours(self, claim: Claim) -> bool:
        """Return whether, by our own clock, no other process can have claimed the lane yet."""
        renewed_until = self._renewed.get((claim.lane, claim.fence), 0.0)
        return self._monotonic() < max(claim.sure_until, renewed_until)

    async def release(
        self, claim: Claim, also: Callable[[Transaction, Claim], Awaitable[None]] | None = None
    ) -> None:
        """Give the lane back, whatever waits in it, unless another process has it by now.

        Args:
            also: called in the same transaction, while the lane is still locked.
        """

        async def work(tx: Transaction) -> None:
            try:
                await lock_lane(tx, claim)
            except LeaseLost:
                return
            if also is not None:
                await also(tx, claim)
            await release_lane(tx, claim)

        await self._database.write(work)


def _claim(row: Row, owner: str, *, sure_until: float = 0.0) -> Claim:
    moved_to = row["moved_to"] or ""
    return Claim(row["id"], row["fence"], owner, row["via"], moved_to, sure_until)


async def lock_lane(tx: Transaction, claim: Claim) -> str:
    """Lock the lane until the transaction ends; return the lane that keeps its thread.

    Raises:
        LeaseLost: it is no longer ours.
    """
    row = await tx.fetch_one(_LOCK, lane=claim.lane, fence=claim.fence, owner=claim.owner)
    if row is None:
        raise LeaseLost(claim.lane)
    return row["thread"] or claim.lane


async def inherit_lanes(database: Database) -> None:
    """Make all leased lanes due now, instead of when their leases end.

    Only for a caller that knows that no other process runs lanes: the lease holders are dead.
    """
    await database.run(_INHERIT)


async def release_lane(tx: Transaction, claim: Claim) -> None:
    """Give the lane back; it is due when its first update or delivery is."""
    row = await tx.fetch_one(_RELEASE, lane=claim.lane)
    if row and row["due_in"] is not None and row["due_in"] < SOON:
        await tx.announce(claim.lane, after=max(0.0, row["due_in"]))


async def wake_lane(tx: Transaction, lane: str, *, via: str = "", after: float = 0.0) -> Row:
    """Make a lane due `after` seconds from now; create it if it is new.

    A new lane's fence begins with the time, in milliseconds, not with 0, so that a claim on an
    erased lane of the same name is not valid for it.

    It also locks the lane, so that the order of commits is the order of what is stored in it next.
    `via` names the adapter that replies go out by from now on; empty leaves it.

    Returns:
        `reachable`, `opted_out`, `notices_off`, `window_closed`, `open_question`, `open_exercise`,
        `asked_since` and `expected_input` as in the table, `now`, and `silence`: seconds since the
        person wrote.
    """
    return (await wake_lanes(tx, {lane: via}, after=after))[lane]


async def wake_lanes(
    tx: Transaction, vias: Mapping[str, str], *, after: float = 0.0
) -> dict[str, Row]:
    """Make lanes due as `wake_lane` does, in the order of their names; return its row of each.

    Args:
        vias: the adapter of each lane.
    """
    rows = [{"lane": lane, "via": vias[lane], "after": after} for lane in sorted(vias)]
    return {row["id"]: row for row in await tx.fetch_many(_WAKE, rows)}


def thread_of(account: int) -> str:
    return f"account:{account}"


async def join_thread(tx: Transaction, lane: str, thread: str) -> None:
    """Put a lane, which must exist, into a thread; a new thread begins with the lane's history."""
    await tx.execute(_OPEN_THREAD, lane=lane, thread=thread)
    await tx.execute(_JOIN_THREAD, lane=lane, thread=thread)


async def begin_thread_anew(tx: Transaction, lane: str, turn: int) -> None:
    """Leave all before `turn` out of the history of the lane and its thread from now on."""
    await tx.execute(_BEGIN_ANEW, lane=lane, turn=turn)


async def leave_thread(tx: Transaction, lane: str, turn: int) -> None:
    """Give the lane its own thread again, with a history that begins at `turn`."""
    await tx.execute(_LEAVE_THREAD, lane=lane, turn=turn)


def shares_thread(lane: str) -> bool:
    """Return whether the lane's channel is one of those that share the thread of an account."""
    return any(
        facts.shared_thread and lane.startswith(f"{name}:") for name, facts in CHANNELS.items()
    )


async def place_in_thread(
    tx: Transaction, update: Update, person: Person, thread: str, turn: int
) -> str:
    """Put the update's lane into the thread of the person's account, or a guest's into its own.

    Groups and channels with sessions stay where they are. Returns the lane's thread.

    Args:
        thread: the lane's thread until now, as `lock_lane` returns it.
        turn: the first turn of a guest's own thread, if the lane leaves an account's.
    """
    if update.group or not CHANNELS[update.channel].shared_thread:
        return thread
    if person.account is None:
        if thread != update.lane:
            await leave_thread(tx, update.lane, turn)
        return update.lane
    wanted = thread_of(person.account)
    if wanted != thread:
        await join_thread(tx, update.lane, wanted)
    return wanted


async def share_thread(tx: Transaction, lane: str, other: str) -> None:
    """Put the session `other` into the thread of the session `lane`."""
    thread = await find_thread(tx, lane)
    if thread == lane:
        thread = f"session:{lane}"
        await join_thread(tx, lane, thread)
    await join_thread(tx, other, thread)


async def find_thread(tx: Transaction, lane: str) -> str:
    """Return the lane that keeps the thread of this one."""
    row = await tx.fetch_one("SELECT thread FROM lane WHERE id = :lane", lane=lane)
    return (row["thread"] if row else None) or lane


async def unite_threads(tx: Transaction, account: int, into: int) -> None:
    """Move the conversations of one account into the thread of another."""
    old, new = thread_of(account), thread_of(into)
    await tx.execute(_OPEN_THREAD, lane=old, thread=new)
    await tx.execute("UPDATE lane SET thread = :new WHERE thread = :old", new=new, old=old)


async def note_person_wrote(tx: Transaction, lane: str, *, age: float, opens: bool) -> None:
    """Note that the person wrote `age` seconds ago, so they can be reached, and whether that opens
    the provider's window."""
    await tx.execute(_HEARD, lane=lane, age=age, stays_closed=int(not opens))


async def note_reachable(tx: Transaction, lane: str, yes: bool) -> None:
    """Note whether the person can be reached in this conversation."""
    await tx.execute("UPDATE lane SET reachable = :yes WHERE id = :lane", lane=lane, yes=int(yes))


async def note_unreachable(tx: Transaction, lane: str, *, opted_out: bool) -> None:
    """Note that the person cannot be reached, and whether that is because they opted out; create
    the lane if it is new."""
    await tx.execute(_UNREACHABLE, lane=lane, opted_out=int(opted_out))


async def note_moved(tx: Transaction, lane: str, moved_to: str) -> None:
    """Note the provider's new address of the conversation, such as the supergroup that a group
    became, or the person's new number; create the lane if it is new."""
    await tx.execute(_MOVED, lane=lane, to=moved_to)


async def list_lanes_moved_to(tx: Transaction, address: str) -> list[str]:
    """Return the lanes whose messages go to this address, such as a number that the person got."""
    rows = await tx.fetch("SELECT id FROM lane WHERE moved_to = :to", to=address)
    return [row["id"] for row in rows]


async def refuse_notices(tx: Transaction, lane: str) -> None:
    """Note that the person wants only answers here; create the lane if it is new."""
    await tx.execute(_REFUSE_NOTICES, lane=lane)


async def accept_notices(tx: Transaction, lane: str) -> None:
    """Note that the person wants notices here again."""
    await tx.execute(_ACCEPT_NOTICES, lane=lane)


async def accepts_notices(tx: Transaction, lane: str) -> bool:
    """Return whether reminders may be sent here: the person has not said that they want none."""
    row = await tx.fetch_one(_NO_NOTICES, lane=lane)
    return row is None


async def note_open_question(tx: Transaction, lane: str, question: str) -> None:
    """Store the options that the person was offered last, encoded; empty: none are open."""
    await tx.execute(_QUESTION, lane=lane, question=question)


async def read_open_question(tx: Transaction, lane: str) -> str:
    """Return the options as `note_open_question` has stored them."""
    row = await tx.fetch_one("SELECT open_question FROM lane WHERE id = :lane", lane=lane)
    return row["open_question"] if row else ""


async def note_open_exercise(tx: Transaction, lane: str, exercise: str) -> None:
    """Store the exercise that the person was asked last, encoded; empty: none is open."""
    await tx.execute(
        "UPDATE lane SET open_exercise = :it, asked_since = 0 WHERE id = :lane "
        "AND (open_exercise <> :it OR asked_since = 1)",
        lane=lane,
        it=exercise,
    )


async def note_question_in_words(tx: Transaction, lane: str) -> None:
    """Note that the person was asked something in words: a short answer is to that, and to neither
    the options nor the exercise before it."""
    await tx.execute(
        "UPDATE lane SET open_question = '', asked_since = 1 WHERE id = :lane "
        "AND (open_question <> '' OR asked_since = 0)",
        lane=lane,
    )


async def note_expected_input(tx: Transaction, lane: str, expected: str) -> None:
    """Store what the person was asked to type, and until when; empty: nothing."""
    await tx.execute(
        "UPDATE lane SET expected_input = :it WHERE id = :lane", lane=lane, it=expected
    )


async def close_window(tx: Transaction, lane: str) -> bool:
    """Note that deliveries wait for the person's next message, which opens the provider's window.

    Returns:
        False: the window was noted as closed before, so the person was asked to write.
    """
    changed = await tx.execute(_CLOSE_WINDOW, lane=lane)
    return bool(changed)


async def note_rich_refused(tx: Transaction, lane: str) -> None:
    """Note that a rich message was refused: for a day only plain ones are sent in the lane."""
    await tx.execute(_NOTE_RICH_REFUSED, lane=lane)


async def open_empty_window(tx: Transaction, lane: str) -> None:
    """Note that no delivery waits for the person's next message, if none does, so that the next one
    that has to wait asks the person to write."""
    await tx.execute(_OPEN_EMPTY_WINDOW, lane=lane)


async def note_summarised(tx: Transaction, lane: str, turn: int) -> None:
    """Note that the thread's history is summarised up to this turn."""
    await tx.execute("UPDATE lane SET summarised = :turn WHERE id = :lane", lane=lane, turn=turn)


async def drop_summary(tx: Transaction, lane: str, turn: int) -> None:
    """Have the history summarised anew, if its summary covers this turn."""
    await tx.execute(_DROP_SUMMARY, lane=lane, turn=turn)


async def interrupt_turn(tx: Transaction, lane: str, turn: int) -> bool:
    """Take the lane from the process that runs this turn; return False if the turn does not run."""
    return bool(await tx.execute(_INTERRUPT, lane=lane, turn=turn))


async def begin_lane_erasure(tx: Transaction, lane: str, seq: int) -> None:
    """Forget the conversation before the update `seq`, and mark the lane as erased until the answer
    to that update, its last, is delivered."""
    await tx.execute(_BEGIN_ERASURE, lane=lane, seq=seq)


async def end_lane_erasure(tx: Transaction, lane: str) -> None:
    """Remove the mark from a lane in which the person wrote again."""
    await tx.execute("UPDATE lane SET erased = 0 WHERE id = :lane", lane=lane)


_CLAIM = """
WITH due AS MATERIALIZED (
    SELECT id FROM lane
    WHERE due_at <= {now} AND via IN ({vias}) AND (owner IS NULL OR owner <> :owner)
    ORDER BY due_at LIMIT :limit {skip_locked}
)
UPDATE lane SET owner = :owner, fence = fence + 1, due_at = {now} + :lease
WHERE id IN (SELECT id FROM due)
RETURNING id, fence, via, moved_to
"""

_INHERIT = """
UPDATE lane SET due_at = {now} WHERE owner IS NOT NULL RETURNING id
"""

_RENEW = """
UPDATE lane SET due_at = {now} + :lease WHERE owner = :owner RETURNING id, fence, via, moved_to
"""

_LOCK = """
SELECT thread FROM lane WHERE id = :lane AND fence = :fence AND owner = :owner {for_update}
"""

FIRST_UPDATE: Final = """
state = 'pending' AND (turn IS NULL OR turn = seq)
ORDER BY bypass_queue DESC, CASE WHEN aside = 1 AND ready_at > {now} THEN ready_at ELSE 0 END, seq
LIMIT 1
"""
"""The end of a query for a lane's next update: first those that bypass the queue, then the oldest,
but one that was put aside until its next try comes after the others. Updates that joined the turn
of another are left out."""

FIRST_DELIVERY: Final = """
state IN ('pending', 'attempting') ORDER BY priority DESC, id LIMIT 1
"""
"""The end of a query for a lane's next delivery."""

_RELEASE = f"""
UPDATE lane SET owner = NULL, due_at = (
    SELECT min(at) FROM (
        SELECT * FROM (
            SELECT ready_at AS at FROM inbox WHERE lane = :lane AND {FIRST_UPDATE}
        ) AS incoming
        UNION ALL
        SELECT * FROM (
            SELECT due_at AS at FROM outbox WHERE lane = :lane AND {FIRST_DELIVERY}
        ) AS outgoing
    ) AS work
)
WHERE id = :lane
RETURNING due_at - {{now}} AS due_in
"""  # noqa: S608 (made of constants)

_WAKE = """
INSERT INTO lane (id, via, due_at, fence)
VALUES (:lane, :via, {now} + :after, CAST({now} * 1000 AS BIGINT))
ON CONFLICT (id) DO UPDATE SET
    via = CASE WHEN excluded.via = '' THEN lane.via ELSE excluded.via END,
    due_at = CASE
        WHEN lane.owner IS NOT NULL THEN lane.due_at
        WHEN lane.due_at < excluded.due_at THEN lane.due_at
        ELSE excluded.due_at
    END
RETURNING id, reachable, opted_out, notices_off, window_closed, open_question, open_exercise,
    asked_since, expected_input, {now} - person_wrote_at AS silence, {now} AS now
"""

_OPEN_THREAD = """
INSERT INTO lane (id, history_from, summarised)
SELECT CAST(:thread AS TEXT), history_from, summarised FROM lane WHERE id = :lane
ON CONFLICT (id) DO NOTHING
"""

_JOIN_THREAD = """
UPDATE lane SET thread = :thread WHERE id = :lane
"""

_LEAVE_THREAD = """
UPDATE lane SET thread = NULL, history_from = :turn, summarised = -1 WHERE id = :lane
"""

_BEGIN_ANEW = """
UPDATE lane SET history_from = :turn
WHERE id = :lane OR id = (SELECT thread FROM lane WHERE id = :lane)
"""

_HEARD = """
UPDATE lane SET reachable = 1, opted_out = 0, window_closed = window_closed * :stays_closed,
    person_wrote_at = CASE WHEN person_wrote_at > {now} - :age THEN person_wrote_at
        ELSE {now} - :age END
WHERE id = :lane
"""

_UNREACHABLE = """
INSERT INTO lane (id, reachable, opted_out, fence)
VALUES (:lane, 0, :opted_out, CAST({now} * 1000 AS BIGINT))
ON CONFLICT (id) DO UPDATE SET reachable = 0,
    opted_out = CASE WHEN excluded.opted_out = 1 THEN 1 ELSE lane.opted_out END
"""

_MOVED = """
INSERT INTO lane (id, moved_to, fence) VALUES (:lane, :to, CAST({now} * 1000 AS BIGINT))
ON CONFLICT (id) DO UPDATE SET moved_to = excluded.moved_to
"""

_REFUSE_NOTICES = """
INSERT INTO lane (id, notices_off, fence) VALUES (:lane, 1, CAST({now} * 1000 AS BIGINT))
ON CONFLICT (id) DO UPDATE SET notices_off = 1
"""

_ACCEPT_NOTICES = """
UPDATE lane SET notices_off = 0 WHERE id = :lane AND notices_off = 1
"""

_NO_NOTICES = """
SELECT id FROM lane WHERE id = :lane AND (notices_off = 1 OR opted_out = 1)
"""

_QUESTION = """
UPDATE lane SET open_question = :question WHERE id = :lane AND open_question <> :question
"""

_CLOSE_WINDOW = """
UPDATE lane SET window_closed = 1, person_wrote_at = 0 WHERE id = :lane AND window_closed = 0
"""

_NOTE_RICH_REFUSED = "UPDATE lane SET plain_until = {now} + 86400 WHERE id = :lane"

_OPEN_EMPTY_WINDOW = """
UPDATE lane SET window_closed = 0 WHERE id = :lane AND window_closed = 1 AND NOT EXISTS (
    SELECT 1 FROM outbox WHERE lane = :lane AND state = 'waiting_for_window'
)
"""

_DROP_SUMMARY = """
UPDATE lane SET summarised = -1 WHERE id = :lane AND summarised >= :turn
"""

_INTERRUPT = """
UPDATE lane SET fence = fence + 1, owner = NULL, due_at = {now}
WHERE id = :lane
    AND EXISTS (SELECT 1 FROM turn WHERE lane = :lane AND id = :turn AND state = 'running')
"""

_BEGIN_ERASURE = """
UPDATE lane SET erased = 1, history_from = :seq, summarised = -1, thread = NULL,
    open_question = '', open_exercise = '', expected_input = ''
WHERE id = :lane
"""

"""Store updates durably, once each, and hand them to the worker that has claimed their lane."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import msgspec
import structlog

from bot.contracts.storage import Database, Row, Transaction
from bot.errors import Busy, LeaseLost
from bot.gateway.inbound.bursts import (
    MAX_JOINED,
    NO_BURSTS,
    Bursts,
    belong_together,
    bypasses_queue,
    join_updates,
)
from bot.gateway.inbound.command_parser import note_command
from bot.gateway.inbound.conversation_effects import (
    apply_conversation_effects,
    find_codes,
    find_first_conversation,
    interpret_early_choice,
    interpret_request,
    interpret_text,
    is_silenced,
    note_return,
    resolve_choice,
    resolve_label,
    settle_attempt,
)
from bot.gateway.inbox_rows import (
    State,
    find_request,
    find_unbegun_update,
    find_update,
    insert_updates,
    list_edits,
    mark_dead,
    name_request,
    replace_update,
    stretch_burst,
)
from bot.gateway.lanes import (
    FIRST_DELIVERY,
    FIRST_UPDATE,
    Claim,
    lock_lane,
    release_lane,
    wake_lane,
    wake_lanes,
)
from bot.messages.channels import Channel
from bot.messages.incoming import (
    Edited,
    IdentityChanged,
    Notice,
    Said,
    TypedCode,
    Update,
)
from bot.messages.value import decode

Admit = Callable[[Transaction, Update, int], Awaitable[None]]
ResolveIdentity = Callable[[Transaction, Update], Awaitable[Update]]
ChangeIdentity = Callable[[Transaction, Update, IdentityChanged], Awaitable[None]]
HoldsCode = Callable[[Transaction, Channel, str, Sequence[str]], Awaitable[bool]]
ALONE_AFTER = 3
"""After so many deaths of its process in a row, without a step done in between, a turn runs while
no other does, as it may be the cause."""
WAITS_ALONE = "waits:"
"""Put in `turn.worker` before the name of the worker where a suspected turn waits to run alone."""
_LATE = 2.0
"""Seconds after which a message may come behind its own edit: nobody edits faster."""
_EDITED_WITHIN = 3600.0
"""Seconds for which an edit is looked for, by which time its message is there."""
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Pending:
    """One update that is ready to be handled, or several that the same person sent in one burst."""

    seq: int
    """Number of the first update, and of the turn."""
    update: Update
    """With the texts and attachments of all."""
    attempts: int = 0
    """How many times its turn was begun before."""
    failures: int = 0
    """How many of these tries failed; the others were interrupted."""
    deaths: int = 0
    """How many times in a row the process that worked on it died, without a step done."""
    seconds_used: float = 0.0
    """Seconds of the turn's time limit that failed tries and the pauses after them have used."""
    members: tuple[int, ...] = ()
    """Numbers of the other updates."""
    waited: float = 0.0
    """Seconds since it was ready."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The work that a lane has now."""

    pending: Pending | None
    mail: bool
    """Deliveries are due."""
    slot_taken: bool = False
    """The first of them already has its place in the channel's queue."""


class Inbox:
    """Stores updates, and hands them to runners.

    Args:
        bursts: how long messages wait to be joined to one turn; by default none are joined.
        seal: turns a typed one-time code into the form in which it may be stored.
        holds_code: tells whether some of these digits may be an open code sent to this person.
        resolve_identity: gives a provider's update the address under which its sender is stored.
        change_identity: applies a change of the sender's ids, once.
        windows: by adapter, the seconds after a person's message in which it may answer, counted
            from when they wrote, however late the message comes.
    """

    def __init__(
        self,
        database: Database,
        bursts: Bursts = NO_BURSTS,
        seal: Callable[[str], str] = str,
        holds_code: HoldsCode | None = None,
        resolve_identity: ResolveIdentity | None = None,
        change_identity: ChangeIdentity | None = None,
        windows: Mapping[str, float] | None = None,
    ) -> None:
        self._database = database
        self._bursts = bursts
        self._seal = seal
        self._holds_code = holds_code
        self._resolve_identity = resolve_identity
        self._change_identity = change_identity
        self._windows = windows or {}

    async def store(self, updates: Sequence[Update]) -> list[int | None]:
        """Store updates, durably when this returns.

        Returns:
            For each update its number, by which its turn is named; None for a duplicate. An update
            is a duplicate if its lane has one with the same delivery key or message key.
        """

        async def work(tx: Transaction) -> list[int | None]:
            resolve = self._resolve_identity or _as_it_came
            resolved = [await resolve(tx, update) for update in updates]
            order = sorted(range(len(updates)), key=lambda index: resolved[index].lane)
            numbers: dict[int, int | None] = {
                index: await self.put(tx, resolved[index]) for index in order
            }
            return [numbers[index] for index in range(len(updates))]

        return await self._database.write(work)

    async def store_if_idle(
        self, update: Update, admit: Admit | None = None, request_key: str = ""
    ) -> int:
        """Store an update unless its lane has a turn running or waiting; return its number.

        Args:
            admit: called in the same transaction with the update as it is stored and its number,
                if it is for the agent; if it raises, nothing is stored.
            request_key: the HTTP request that brings it, as `find_request` takes it.

        The lane's row is locked meanwhile, so of two at the same moment one is refused. An update
        that bypasses the queue (a command such as /stop) is stored all the same.

        Raises:
            Busy: the lane has an unfinished turn.
        """

        update = note_command(update)

        async def work(tx: Transaction) -> int:
            await wake_lane(tx, update.lane, via=update.via)
            known = await find_update(tx, update.lane, update.message_key)
            if known is not None:  # by an earlier run of this work, whose commit was not seen
                return known
            if not bypasses_queue(update) and await tx.fetch_one(_UNFINISHED, lane=update.lane):
                raise Busy("A turn is running in this session. Wait for its end, or send /stop.")
            number = await self.put(tx, update)
            if number is None:
                raise Busy("This message was sent already.")
            if request_key:
                await name_request(tx, update.lane, number, request_key)
            if admit is not None:
                row = await tx.fetch_one(_STORED, lane=update.lane, seq=number)
                if row is not None and not bypasses_queue(stored := decode(row["body"], Update)):
                    await admit(tx, stored, number)
            return number

        return await self._database.write(work)

    async def find_request(self, request_key: str, lately: float) -> tuple[str, int] | None:
        """Return the lane and number of the update that the same HTTP request brought in the last
        `lately` seconds, the newest of several; None: there is none."""
        row = await self._database.read(lambda tx: find_request(tx, request_key, lately=lately))
        return (row["lane"], row["seq"]) if row else None

    async def last_handled(self, lane: str) -> int:
        """Return the number of the newest update that waits no longer; 0: there is none."""
        row = await self._database.read(lambda tx: tx.fetch_one(_LAST_HANDLED, lane=lane))
        return int(row["seq"] or 0) if row else 0

    async def put(self, tx: Transaction, update: Update) -> int | None:
        """Store an update within the caller's transaction; return its number, or None for a
        duplicate."""
        if isinstance(update.content, Notice):
            return (await store_notices(tx, [update]))[0]
        update = await find_first_conversation(tx, update)
        update = note_command(await _apply_earlier_edit(tx, update))
        wait = self._bursts.wait(update)
        lane = await wake_lane(tx, update.lane, via=update.via, after=wait)
        answer = await self._interpret(tx, update, lane)
        if answer is not update:
            update, wait = answer, 0.0
            await wake_lane(tx, update.lane)
        silenced, bypass_queue = is_silenced(update, lane), bypasses_queue(update)
        is_over = silenced or isinstance(update.content, IdentityChanged)
        state = "done" if is_over else "pending"
        [seq] = await insert_updates(tx, [(update, state)], bypass_queue=bypass_queue, wait=wait)
        if seq is None:
            return None
        if self._change_identity and isinstance(change := update.content, IdentityChanged):
            await self._change_identity(tx, update, change)
        if is_over:
            return seq
        if isinstance(edit := update.content, Edited):
            await _apply_edit(tx, update, edit)
        if wait:
            await stretch_burst(tx, update.lane, wait, self._bursts.most)
        await apply_conversation_effects(tx, update, lane, self._windows.get(update.via, 0.0))
        await tx.announce(update.lane, urgent=bypass_queue, after=wait)
        return seq

    async def _interpret(self, tx: Transaction, update: Update, lane: Row) -> Update:
        """Return the update with what its text means; the same update if it means no more."""
        if (chosen := await interpret_early_choice(tx, update)) is not update:
            return chosen
        asked = await interpret_request(tx, note_return(update, lane), lane)
        answer = await settle_attempt(tx, asked, interpret_text(asked, lane, self._seal), lane)
        answer = await resolve_label(tx, update, answer)
        answer = await resolve_choice(tx, answer, lane)
        if await self._is_code(tx, answer):
            return msgspec.structs.replace(update, content=TypedCode("", astray=True))
        return answer

    async def _is_code(self, tx: Transaction, update: Update) -> bool:
        """Return whether a message for the agent may contain an open code of the sender."""
        if self._holds_code is None or not isinstance(update.content, Said):
            return False
        typed = find_codes(update.content)
        return bool(typed) and await self._holds_code(
            tx, update.channel, update.sender.address, typed
        )

    async def next_or_release(self, claim: Claim) -> Waiting | None:
        """Return what the lane has to do now; None: nothing, and it is released. Raises
        `LeaseLost`."""

        return await self._database.write(lambda tx: next_or_release(tx, claim))

    async def urgent_lanes(self) -> list[str]:
        """Return the lanes with updates that bypass the queue, whose announcement may be lost."""
        rows = await self._database.read(lambda tx: tx.fetch(_URGENT))
        return [row["lane"] for row in rows]

    async def next_express(self, claim: Claim) -> Pending | None:
        """Return the first update that bypasses the queue, if any. Raises `LeaseLost`."""

        async def work(tx: Transaction) -> Pending | None:
            await lock_lane(tx, claim)
            while row := await tx.fetch_one(_NEXT_EXPRESS, lane=claim.lane):
                if pending := await _readable(tx, claim.lane, row):
                    return pending
            return None

        return await self._database.write(work)


async def store_notices(tx: Transaction, notices: Sequence[Update]) -> list[int | None]:
    """Store notices (`Notice`) within the caller's transaction, those of many lanes by few
    statements; return the number of each, or None for a duplicate."""
    lanes = await wake_lanes(tx, {update.lane: update.via for update in notices})
    rows: list[tuple[Update, State]] = [
        (update, "done" if is_silenced(update, lanes[update.lane]) else "pending")
        for update in notices
    ]
    numbers = await insert_updates(tx, rows, bypass_queue=True)
    for (update, state), number in zip(rows, numbers, strict=True):
        if number is not None and state == "pending":
            await tx.announce(update.lane, urgent=True)
    return numbers


async def _apply_edit(tx: Transaction, update: Update, edit: Edited) -> None:
    """Replace the text of the message that was edited, unless its turn has begun."""
    row = await find_unbegun_update(tx, update.lane, edit.message_key)
    waiting = await _readable(tx, update.lane, row) if row else None
    renewed = await _put_newest_text(tx, waiting.update) if waiting else None
    if waiting and renewed:
        await replace_update(tx, update.lane, waiting.seq, note_command(renewed))


async def _apply_earlier_edit(tx: Transaction, update: Update) -> Update:
    """Return a message that comes late, after its own edit, with the text of that."""
    is_late = 0 < update.at < time.time() - _LATE
    renewed = await _put_newest_text(tx, update) if is_late else None
    return renewed or update


async def _put_newest_text(tx: Transaction, update: Update) -> Update | None:
    """Return a message with the text to which its author changed it last; None: they did not."""
    said = update.content
    if not isinstance(said, Said):
        return None
    rows = await list_edits(tx, update.lane, lately=_EDITED_WITHIN)
    edits = [decode(row["body"], Update) for row in rows]
    own = [
        (edited.at, edited.content.text)
        for edited in edits
        if isinstance(edited.content, Edited)
        and edited.content.message_key == update.message_key
        and edited.sender.address == update.sender.address
    ]
    if not own:
        return None
    _, text = max(own, key=itemgetter(0))  # of several at the same second, the one that came last
    changed = msgspec.structs.replace(said, text=text, command=None)
    return msgspec.structs.replace(update, content=changed)


async def _as_it_came(tx: Transaction, update: Update) -> Update:  # noqa: ARG001 (a ResolveIdentity)
    return update


async def next_or_release(tx: Transaction, claim: Claim) -> Waiting | None:
    """Return what the lane has to do now, or release it, within the caller's transaction.

    Raises:
        LeaseLost: the lane is another process's by now.
    """
    row = await tx.fetch_one(_NEXT, lane=claim.lane, fence=claim.fence, owner=claim.owner)
    if row is None:
        raise LeaseLost(claim.lane)
    mail = row["mail_in"] is not None and row["mail_in"] <= 0
    ready = row["ready_in"] is not None and row["ready_in"] <= 0
    if ready or mail:
        pending = await _read_burst(tx, claim.lane, row) if ready else None
        if pending:
            pending = replace(
                pending,
                failures=row["failures"],
                deaths=await _count_deaths(tx, claim, row),
                seconds_used=row["seconds_used"],
                waited=-row["ready_in"],
            )
        return Waiting(pending, mail, slot_taken=bool(row["slot_taken"]))
    await release_lane(tx, claim)
    return None


async def _count_deaths(tx: Transaction, claim: Claim, row: Row) -> int:
    """Return how many times in a row the turn's process has died, the last time included.

    After a step since its last begin the turn is not the cause: that death counts as the first. A
    process that died while the turn waited to run alone died of something else: the turn stays
    suspected, but its count begins anew.
    """
    if row["worker"] in {"", claim.owner, WAITS_ALONE + claim.owner}:
        return int(row["deaths"])
    if row["worker"].startswith(WAITS_ALONE):
        return min(int(row["deaths"]), ALONE_AFTER)
    done = await tx.fetch_one(_STEPS, lane=claim.lane, turn=row["seq"])
    goes_on = done is not None and done["steps"] > row["steps"]
    return 1 if goes_on else int(row["deaths"]) + 1


async def is_waited_behind(tx: Transaction, claim: Claim, seq: int) -> bool:
    """Return whether a later update of the lane waits for the turn of this one to end."""
    return await tx.fetch_one(_BEHIND, lane=claim.lane, seq=seq) is not None


def decision_key(approval: str) -> str:
    """Return the key of the update that decides on an approval: the same however it is given, so
    that it is stored once."""
    return f"decision:{approval}"


async def _readable(tx: Transaction, lane: str, row: Row) -> Pending | None:
    """Return a row's update; None: this version cannot read it, and it is marked as dead, so that
    it blocks nothing behind it."""
    try:
        return Pending(row["seq"], decode(row["body"], Update), row["attempts"])
    except msgspec.DecodeError:
        log.exception("update_unreadable", seq=row["seq"])
        await mark_dead(tx, lane, row["seq"])
        return None


async def _read_burst(tx: Transaction, lane: str, first: Row) -> Pending | None:
    """Return the update with those that join it: all that follow from the same person without a
    break, or, if the turn was begun before, those that joined it then."""
    pending = await _readable(tx, lane, first)
    if pending is None or not (first["mergeable"] or pending.attempts):
        return pending
    rows = await tx.fetch(_FOLLOWING, lane=lane, seq=pending.seq, most=MAX_JOINED)
    taken = pending.seq if pending.attempts else None
    followers: list[Pending] = []
    for row in rows:
        if taken is None and (row["turn"] is not None or not row["mergeable"]):
            break
        if row["turn"] != taken:
            continue
        follower = await _readable(tx, lane, row)
        if taken is None and not (follower and belong_together(pending.update, follower.update)):
            break
        followers += [follower] if follower else []
    joined = join_updates([pending.update, *(follower.update for follower in followers)])
    members = tuple(follower.seq for follower in followers)
    return Pending(pending.seq, joined, pending.attempts, members=members)


_FOLLOWING = """
SELECT seq, body, mergeable, turn, 0 AS attempts FROM inbox
WHERE lane = :lane AND state = 'pending' AND bypass_queue = 0 AND seq > :seq
ORDER BY seq LIMIT :most
"""

_STORED = """
SELECT body FROM inbox WHERE lane = :lane AND seq = :seq
"""

_URGENT = """
SELECT DISTINCT lane FROM inbox WHERE state = 'pending' AND bypass_queue = 1
"""

_LAST_HANDLED = """
SELECT max(seq) AS seq FROM inbox WHERE lane = :lane AND state <> 'pending'
"""

_UNFINISHED = """
SELECT seq FROM inbox WHERE lane = :lane AND state = 'pending' AND bypass_queue = 0 LIMIT 1
"""

_STEPS = """
SELECT count(*) AS steps FROM journal WHERE lane = :lane AND turn = :turn
"""

_BEHIND = """
SELECT seq FROM inbox
WHERE lane = :lane AND state = 'pending' AND bypass_queue = 0 AND seq > :seq AND turn IS NULL
    AND ready_at <= {now} LIMIT 1
"""

_NEXT = f"""
SELECT inbox.seq, inbox.body, inbox.mergeable, inbox.turn, inbox.ready_at - {{now}} AS ready_in,
    outbox.due_at - {{now}} AS mail_in, outbox.slot_taken, coalesce(turn.attempts, 0) AS attempts,
    coalesce(turn.failures, 0) AS failures, coalesce(turn.deaths, 0) AS deaths,
    coalesce(turn.worker, '') AS worker, coalesce(turn.steps, 0) AS steps,
    coalesce(turn.seconds_used, 0) AS seconds_used
FROM lane
LEFT JOIN inbox ON inbox.seq = (
    SELECT seq FROM inbox WHERE lane = :lane AND {FIRST_UPDATE}
)
LEFT JOIN outbox ON outbox.id = (
    SELECT id FROM outbox WHERE lane = :lane AND {FIRST_DELIVERY}
)
LEFT JOIN turn ON turn.lane = :lane AND turn.id = inbox.seq
WHERE lane.id = :lane AND lane.fence = :fence AND lane.owner = :owner
{{lock_lane}}
"""  # noqa: S608 (made of constants)

_NEXT_EXPRESS = """
SELECT seq, body, 0 AS attempts FROM inbox
WHERE lane = :lane AND state = 'pending' AND bypass_queue = 1 ORDER BY seq LIMIT 1
"""

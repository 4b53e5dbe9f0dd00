"""The table of deliveries: what is posted, what is next in a lane, what came of it.

    pending → attempting → sent | refused | unknown

A delivery outside the person's window (WhatsApp) is pending, but due only when they write again;
a template that asks them to goes ahead of it, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import structlog

from bot.contracts import Capabilities, Row, Transaction
from bot.errors import LeaseLost
from bot.gateway.lanes import Claim
from bot.gateway.receiving.hearing import HELD
from bot.gateway.receiving.questions import note_question
from bot.gateway.render import teaser
from bot.gateway.sending.refusals import is_code
from bot.gateway.sending.rest import keep_rest
from bot.messages import (
    Acknowledge,
    AnswerCheckout,
    Body,
    Delivery,
    TemplateBody,
    TextBody,
    decode_body,
    encode,
)

_TEMPLATE_PART = -1000
"""Templates are numbered downwards from here, apart from what a turn says."""
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Composed:
    """What a turn says, in its channel's form."""

    bodies: Sequence[Body] = ()
    rest: Sequence[TextBody] | None = None
    """Pages that follow when the person asks for them; None where answers have no pages."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended. `pending` means: once more, `after` seconds from now."""

    state: Literal["sent", "refused", "unknown", "pending"]
    provider_id: str = ""
    error: str = ""
    after: float = 0.0
    dead_target: bool = False
    opted_out: bool = False
    window_closed: bool = False
    moved_to: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """A lane's next delivery."""

    delivery: Delivery
    via: str
    """Name of the adapter that it goes by."""
    wait: float
    """Seconds until it is due."""
    in_doubt: bool
    """It was being attempted when its process died."""
    age: float
    """Seconds since it could first be sent."""
    reachable: bool
    placed: bool
    """It has waited for its place in the queue already."""
    marked: bool = False
    """It is `attempting` from now on: send it."""


async def post(
    tx: Transaction, lane: str, turn: int, composed: Composed, *, via: str = "", first: int = 0
) -> None:
    """Put what a turn says into the outbox, numbered from `first`; each number once.

    It goes by the adapter `via`, by default the one that the person wrote to last.

    A word about a turn that failed has the number -1, so that it is said once however often it
    fails, and does not stand in the way of the answer when the turn is replayed.
    """
    if composed.bodies:
        rows = [
            {
                "lane": lane,
                "turn": turn,
                "part": part,
                "body": encode(body),
                "via": via,
                "ahead": int(isinstance(body, Acknowledge | AnswerCheckout)),
            }
            for part, body in enumerate(composed.bodies, first)
        ]
        await tx.execute_many(_POST, rows)
        await note_question(tx, lane, composed.bodies)
    if composed.rest is not None and first >= 0:
        await keep_rest(tx, lane, turn, composed.rest)


async def next_delivery(
    tx: Transaction, claim: Claim, capabilities_of: Callable[[str], Capabilities | None]
) -> Taken | None:
    """The lane's next delivery, due or not; None: there is none.

    `capabilities_of` gives those of an adapter by its name.

    One that this version cannot read is refused, one outside the window is held: neither is given.

    Raises:
        LeaseLost: the lane is another process's by now.
    """
    while True:
        row = await tx.fetch_one(_NEXT, lane=claim.lane, fence=claim.fence, owner=claim.owner)
        if row is None:
            raise LeaseLost(claim.lane)  # and nothing of this transaction is kept
        if row["id"] is None:
            return None
        body = await _readable(tx, row)
        if body is None:
            continue
        capabilities = capabilities_of(row["via"] or claim.via)
        if row["wait"] <= 0 and capabilities and _is_outside_window(row, body, capabilities):
            await hold_back(tx, claim.lane, row["id"], body, capabilities)
            continue
        return _taken(row, body, claim)


async def mark_attempted(tx: Transaction, delivery: int) -> None:
    """From here on a crash leaves it in doubt."""
    await tx.execute(_ATTEMPT, id=delivery)


async def defer(tx: Transaction, delivery: int, seconds: float) -> None:
    """It has its place in the queue, `seconds` from now."""
    await tx.execute(_DEFER, id=delivery, seconds=seconds)


async def record(
    tx: Transaction,
    claim: Claim,
    delivery: Delivery,
    outcome: Outcome,
    capabilities: Capabilities | None,
) -> bool:
    """Store how an attempt ended, and what it tells of the conversation; False: it was before."""
    recorded = await tx.execute(
        _RECORD,
        id=delivery.id,
        state=outcome.state,
        provider_id=outcome.provider_id or None,
        error=outcome.error[:500],
        after=outcome.after,
    )
    if not recorded:
        return False
    if outcome.dead_target or outcome.opted_out:
        await tx.execute(_DEAD, lane=claim.lane, opted_out=int(outcome.opted_out))
    if outcome.moved_to:
        moved_to = f"{claim.channel}:{outcome.moved_to}"
        await tx.execute(_MOVED, lane=claim.lane, moved_to=moved_to)
    if outcome.window_closed and capabilities:
        await hold_back(tx, claim.lane, delivery.id, delivery.body, capabilities)
    return True


async def hold_back(
    tx: Transaction, lane: str, delivery: int, body: Body, capabilities: Capabilities
) -> None:
    """Keep it for the person's next message; ask for that, once, where a template is set.

    A template that is itself outside the window (it was refused) is given up.
    """
    if isinstance(body, TemplateBody):
        await tx.execute(_GIVE_UP, id=delivery)
        return
    row = await tx.fetch_one(_HOLD_BACK, id=delivery, seconds=HELD)
    held = await tx.fetch_one("SELECT held FROM lane WHERE id = :lane", lane=lane)
    await tx.execute(_CLOSE_WINDOW, lane=lane)
    if row and held and not held["held"] and capabilities.template:
        template = encode(TemplateBody(teaser(body, capabilities)))
        part = _TEMPLATE_PART - row["part"]
        await tx.execute(_POST_AHEAD, lane=lane, turn=row["turn"], part=part, body=template)


def _is_outside_window(row: Row, body: Body, capabilities: Capabilities) -> bool:
    if not capabilities.window or isinstance(body, TemplateBody) or is_code(body):
        return False
    return row["silence"] > capabilities.window


async def _readable(tx: Transaction, row: Row) -> Body | None:
    """The delivery; one that this version cannot read is refused, and blocks nothing behind it."""
    try:
        return decode_body(row["body"])
    except msgspec.DecodeError:
        log.exception("delivery_unreadable", delivery=row["id"])
        await tx.execute(
            "UPDATE outbox SET state = 'refused', error = 'unreadable' WHERE id = :id", id=row["id"]
        )
        return None


def _taken(row: Row, body: Body, claim: Claim) -> Taken:
    conversation = (row["moved_to"] or claim.lane).partition(":")[2]
    return Taken(
        Delivery(row["id"], claim.lane, conversation, body, row["attempts"] + 1),
        via=row["via"] or claim.via,
        wait=row["wait"],
        in_doubt=row["state"] == "attempting",
        age=row["age"],
        reachable=bool(row["reachable"]),
        placed=bool(row["placed"]),
    )


_POST = """
INSERT INTO outbox (lane, turn, part, body, via, ahead, due_at, created_at)
VALUES (:lane, :turn, :part, :body, :via, :ahead, {now}, {now})
ON CONFLICT (lane, turn, part) DO NOTHING
"""

_POST_AHEAD = """
INSERT INTO outbox (lane, turn, part, body, ahead, due_at, created_at)
VALUES (:lane, :turn, :part, :body, 1, {now}, {now})
ON CONFLICT (lane, turn, part) DO UPDATE SET
    state = 'pending', due_at = excluded.due_at, provider_id = NULL
"""

_NEXT = """
SELECT outbox.id, outbox.body, outbox.via, outbox.state, outbox.attempts, outbox.placed,
    outbox.due_at - {now} AS wait,
    {now} - coalesce(outbox.tried_from, outbox.created_at) AS age,
    lane.reachable, lane.moved_to, {now} - lane.heard_at AS silence
FROM lane
LEFT JOIN outbox ON outbox.id = (
    SELECT id FROM outbox WHERE lane = :lane AND state IN ('pending', 'attempting')
    ORDER BY ahead DESC, id LIMIT 1
)
WHERE lane.id = :lane AND lane.fence = :fence AND lane.owner = :owner
{lock_lane}
"""

_ATTEMPT = """
UPDATE outbox SET state = 'attempting', attempts = attempts + 1 WHERE id = :id
"""

_DEFER = """
UPDATE outbox SET due_at = {now} + :seconds, placed = 1 WHERE id = :id
"""

_RECORD = """
UPDATE outbox SET state = :state, provider_id = :provider_id, error = :error, placed = 0,
    due_at = {now} + :after, ended_at = CASE WHEN :state = 'pending' THEN NULL ELSE {now} END
WHERE id = :id AND state = 'attempting'
"""

_GIVE_UP = """
UPDATE outbox SET state = 'refused', error = 'the window is closed', ended_at = {now}
WHERE id = :id
"""

_HOLD_BACK = """
UPDATE outbox SET state = 'pending', due_at = {now} + :seconds, placed = 0, ended_at = NULL,
    provider_id = NULL, receipt = ''
WHERE id = :id RETURNING turn, part
"""

_CLOSE_WINDOW = """
UPDATE lane SET held = 1, heard_at = 0 WHERE id = :lane
"""

_DEAD = """
UPDATE lane SET reachable = 0,
    opted_out = CASE WHEN :opted_out = 1 THEN 1 ELSE opted_out END
WHERE id = :lane
"""

_MOVED = """
UPDATE lane SET moved_to = :moved_to WHERE id = :lane
"""

"""Store deliveries, claim the next due one, and record its outcome; page long answers (MORE).

A delivery outside the window of its channel waits until the person writes: see `reply_window`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import structlog

from bot.contracts.channels import Capabilities
from bot.contracts.storage import Row, Transaction
from bot.errors import LeaseLost
from bot.gateway.delivery.reply_window import is_outside_window, wait_for_window
from bot.gateway.inbound.effects import remember_question
from bot.gateway.lanes import Claim, note_moved, note_unreachable
from bot.gateway.outbox_rows import (
    insert_deliveries,
    record_attempt,
    refuse_delivery,
)
from bot.gateway.render.renderer import append_footer
from bot.i18n import say
from bot.messages.outgoing import (
    Body,
    Delivery,
    TextBody,
    decode_body,
)

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
class ClaimedDelivery:
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
    slot_taken: bool
    """It has waited for its place in the queue already."""
    marked: bool = False
    """It is `attempting` from now on: send it."""


async def store_deliveries(
    tx: Transaction, lane: str, turn: int, composed: Composed, *, via: str = "", first: int = 0
) -> None:
    """Put what a turn says into the outbox, numbered from `first`; each number once.

    It goes by the adapter `via`, by default the one that the person wrote to last.

    A word about a turn that failed has the number -1, so that it is said once however often it
    fails, and does not stand in the way of the answer when the turn is replayed.
    """
    if composed.bodies:
        await insert_deliveries(tx, lane, turn, composed.bodies, via=via, first=first)
        await remember_question(tx, lane, composed.bodies)
    if composed.rest is not None and first >= 0:
        await keep_pages(tx, lane, turn, composed.rest)


async def next_delivery(
    tx: Transaction, claim: Claim, capabilities_of: Callable[[str], Capabilities | None]
) -> ClaimedDelivery | None:
    """The lane's next delivery, due or not; None: there is none.

    `capabilities_of` gives those of an adapter by its name.

    One that this version cannot read is refused, one outside the window waits until the person
    writes: neither is given.

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
        if row["wait"] <= 0 and capabilities and is_outside_window(row, body, capabilities):
            await wait_for_window(tx, claim.lane, row["id"], body, capabilities)
            continue
        return _taken(row, body, claim)


async def record_outcome(
    tx: Transaction,
    claim: Claim,
    delivery: Delivery,
    outcome: Outcome,
    capabilities: Capabilities | None,
) -> bool:
    """Store how an attempt ended, and what it tells of the conversation; False: it was before."""
    recorded = await record_attempt(
        tx,
        delivery.id,
        outcome.state,
        provider_id=outcome.provider_id,
        error=outcome.error,
        after=outcome.after,
    )
    if not recorded:
        return False
    if outcome.dead_target or outcome.opted_out:
        await note_unreachable(tx, claim.lane, opted_out=outcome.opted_out)
    if outcome.moved_to:
        moved_to = f"{claim.channel}:{outcome.moved_to}"
        await note_moved(tx, claim.lane, moved_to)
    if outcome.window_closed and capabilities:
        await wait_for_window(tx, claim.lane, delivery.id, delivery.body, capabilities)
    return True


async def _readable(tx: Transaction, row: Row) -> Body | None:
    """The delivery; one that this version cannot read is refused, and blocks nothing behind it."""
    try:
        return decode_body(row["body"])
    except msgspec.DecodeError:
        log.exception("delivery_unreadable", delivery=row["id"])
        await refuse_delivery(tx, row["id"], "unreadable")
        return None


def _taken(row: Row, body: Body, claim: Claim) -> ClaimedDelivery:
    conversation = (row["moved_to"] or claim.lane).partition(":")[2]
    return ClaimedDelivery(
        Delivery(row["id"], claim.lane, conversation, body, row["attempts"] + 1),
        via=row["via"] or claim.via,
        wait=row["wait"],
        in_doubt=row["state"] == "attempting",
        age=row["age"],
        reachable=bool(row["reachable"]),
        slot_taken=bool(row["slot_taken"]),
    )


WhenRefused = Callable[[Transaction, str, Body], Awaitable[None]]
"""Hears, in the transaction that notes it, of a lane and a body that is refused there for good, or
of which nobody knows whether it has arrived."""


async def accept_refusal(tx: Transaction, lane: str, body: Body) -> None:
    """Nothing follows."""


_PAGES: msgspec.json.Decoder[list[TextBody]] = msgspec.json.Decoder(list[TextBody])


def more_hint(language: str) -> str:
    """The line under a page that others follow."""
    return say(language, "Reply MORE for the rest.")


async def keep_pages(tx: Transaction, lane: str, turn: int, pages: Sequence[TextBody]) -> None:
    """Keep the pages that were not sent, in place of those of an earlier answer."""
    if pages:
        bodies = msgspec.json.encode(list(pages)).decode()
        await tx.execute(_KEEP_PAGES, lane=lane, turn=turn, bodies=bodies)
    else:
        await tx.execute(_FORGET_PAGES, lane=lane)


async def take_next_page(tx: Transaction, lane: str, language: str) -> tuple[Body, ...]:
    """The next page, which is then no longer kept; empty when there is none."""
    row = await tx.fetch_one("SELECT turn, bodies FROM rest WHERE lane = :lane", lane=lane)
    if row is None:
        return ()
    page, *pages = _PAGES.decode(row["bodies"])
    await keep_pages(tx, lane, row["turn"], pages)
    return (append_footer(page, more_hint(language)) if pages else page,)


_NEXT = """
SELECT outbox.id, outbox.body, outbox.via, outbox.state, outbox.attempts, outbox.slot_taken,
    outbox.due_at - {now} AS wait,
    {now} - coalesce(outbox.tried_from, outbox.created_at) AS age,
    lane.reachable, lane.moved_to, {now} - lane.person_wrote_at AS silence
FROM lane
LEFT JOIN outbox ON outbox.id = (
    SELECT id FROM outbox WHERE lane = :lane AND state IN ('pending', 'attempting')
    ORDER BY priority DESC, id LIMIT 1
)
WHERE lane.id = :lane AND lane.fence = :fence AND lane.owner = :owner
{lock_lane}
"""

_KEEP_PAGES = """
INSERT INTO rest (lane, turn, bodies, at) VALUES (:lane, :turn, :bodies, {now})
ON CONFLICT (lane) DO UPDATE SET
    turn = excluded.turn, bodies = excluded.bodies, at = excluded.at
"""

_FORGET_PAGES = """
DELETE FROM rest WHERE lane = :lane
"""

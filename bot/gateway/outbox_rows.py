"""Write the table `outbox`: this is the only module that does.

What may be written when is decided by the callers, within their transactions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from bot.contracts.storage import Row, Transaction
from bot.messages.outgoing import Acknowledge, AnswerCheckout, Body, TemplateBody
from bot.messages.value import encode

State = Literal["pending", "sent", "refused", "unknown"]
_TEMPLATE_PART = -1000
"""Templates are numbered downwards from here, apart from what a turn says."""
_EARLIER = {"delivered": "'', 'sent', 'failed'", "read": "'', 'sent', 'failed', 'delivered'"}
"""The reports that each report takes the place of: what has arrived has not failed."""


async def insert_deliveries(
    tx: Transaction, lane: str, turn: int, bodies: Sequence[Body], *, via: str, first: int
) -> None:
    """Store what a turn says, numbered from `first`; what is stored already stays as it is.

    Args:
        via: the adapter that sends it; empty: the lane's.
    """
    rows = [
        {
            "lane": lane,
            "turn": turn,
            "part": part,
            "body": encode(body),
            "via": via,
            "priority": int(isinstance(body, Acknowledge | AnswerCheckout)),
        }
        for part, body in enumerate(bodies, first)
    ]
    await tx.execute_many(_INSERT, rows)


async def insert_template(
    tx: Transaction, lane: str, turn: int, part: int, body: TemplateBody
) -> None:
    """Store the template that asks the person to write, because this part of a turn waits for it.

    It goes before everything else in the lane. If it was sent for this part before, it is sent
    again.
    """
    await tx.execute(
        _INSERT_TEMPLATE, lane=lane, turn=turn, part=_TEMPLATE_PART - part, body=encode(body)
    )


async def mark_attempted(tx: Transaction, delivery: int) -> None:
    """Note that a delivery is being sent: a crash from here on leaves it in doubt."""
    await tx.execute(_ATTEMPT, id=delivery)


async def defer_delivery(tx: Transaction, delivery: int, seconds: float) -> None:
    """Note that a delivery has its place in the channel's queue, `seconds` from now."""
    await tx.execute(_DEFER, id=delivery, seconds=seconds)


async def record_attempt(
    tx: Transaction, delivery: int, state: State, *, provider_id: str, error: str, after: float
) -> bool:
    """Store how an attempt ended; False: that was stored before.

    Args:
        after: seconds until a pending delivery is tried again.
    """
    recorded = await tx.execute(
        _RECORD,
        id=delivery,
        state=state,
        provider_id=provider_id or None,
        error=error[:500],
        after=after,
    )
    return bool(recorded)


async def refuse_delivery(tx: Transaction, delivery: int, error: str) -> None:
    """Give a delivery up."""
    await tx.execute(_REFUSE, id=delivery, error=error[:500])


class DeliveryPart(NamedTuple):
    """A part of what a turn says."""

    turn: int
    part: int


async def wait_for_person(tx: Transaction, delivery: int) -> DeliveryPart | None:
    """Have a delivery wait until the person writes; None: there is no such delivery."""
    row = await tx.fetch_one(_WAIT, id=delivery)
    return DeliveryPart(row["turn"], row["part"]) if row else None


async def release_waiting(tx: Transaction, lane: str, *, via: str) -> None:
    """Have what waited for the person's message sent now by `via`, and no template any more."""
    await tx.execute(_REFUSE_TEMPLATE, lane=lane)
    await tx.execute(_RELEASE, lane=lane, via=via)


async def refuse_waiting(tx: Transaction, lane: str, turn: int) -> None:
    """Give up what of a turn waits for the person's message, as it was said another way."""
    await tx.execute(_REFUSE_WAITING, lane=lane, turn=turn)


async def refuse_notices_on_their_way(tx: Transaction, lane: str) -> None:
    """Give up the notices in a lane that are not sent yet, as the person opted out."""
    await tx.execute(_REFUSE_NOTICES, lane=lane)


async def find_reported(tx: Transaction, provider_id: str) -> Row | None:
    """Return `id`, `lane`, `turn`, `body` and `receipt` of the delivery with a provider's id."""
    return await tx.fetch_one(_FIND, provider_id=provider_id)


async def note_arrived(
    tx: Transaction, provider_id: str, receipt: Literal["delivered", "read"]
) -> None:
    """Note that a delivery has arrived, unless it is known."""
    await tx.execute(_ARRIVED[receipt], provider_id=provider_id)


async def note_failed(tx: Transaction, delivery: int, error: str) -> None:
    """Note that a provider reported a delivery as failed after it had taken it."""
    await tx.execute(_FAILED, id=delivery, error=f"reported as failed: {error}"[:500])


async def delete_deliveries_before(
    tx: Transaction, lane: str, before: int, *, keep_acknowledgements: bool
) -> None:
    """Delete what was said in a lane before the turn of this number.

    Args:
        keep_acknowledgements: leave what tells the channel that a button's press has counted.
    """
    await tx.execute(_DELETE_BEFORE, lane=lane, before=before, keep=int(keep_acknowledgements))


async def delete_deliveries_of_turn(tx: Transaction, lane: str, turn: int) -> None:
    """Delete what a turn said."""
    await tx.execute(_DELETE_OF_TURN, lane=lane, turn=turn)


_INSERT = """
INSERT INTO outbox (lane, turn, part, body, via, priority, due_at, created_at)
VALUES (:lane, :turn, :part, :body, :via, :priority, {now}, {now})
ON CONFLICT (lane, turn, part) DO NOTHING
"""

_INSERT_TEMPLATE = """
INSERT INTO outbox (lane, turn, part, body, priority, due_at, created_at)
VALUES (:lane, :turn, :part, :body, 1, {now}, {now})
ON CONFLICT (lane, turn, part) DO UPDATE SET
    state = 'pending', due_at = excluded.due_at, provider_id = NULL
"""

_ATTEMPT = """
UPDATE outbox SET state = 'attempting', attempts = attempts + 1 WHERE id = :id
"""

_DEFER = """
UPDATE outbox SET due_at = {now} + :seconds, slot_taken = 1 WHERE id = :id
"""

_RECORD = """
UPDATE outbox SET state = :state, provider_id = :provider_id, error = :error, slot_taken = 0,
    due_at = {now} + :after, ended_at = CASE WHEN :state = 'pending' THEN NULL ELSE {now} END
WHERE id = :id AND state = 'attempting'
"""

_REFUSE = """
UPDATE outbox SET state = 'refused', error = :error, ended_at = {now} WHERE id = :id
"""

_WAIT = """
UPDATE outbox SET state = 'waiting_for_window', slot_taken = 0, ended_at = NULL, provider_id = NULL,
    receipt = ''
WHERE id = :id RETURNING turn, part
"""

_REFUSE_TEMPLATE = """
UPDATE outbox SET state = 'refused', error = 'no longer needed', ended_at = {now}
WHERE lane = :lane AND state = 'pending' AND priority = 1 AND part < -1
"""

_RELEASE = """
UPDATE outbox SET state = 'pending', due_at = {now}, tried_from = {now}, via = :via
WHERE lane = :lane AND state = 'waiting_for_window'
"""

_REFUSE_WAITING = """
UPDATE outbox SET state = 'refused', error = 'said another way', ended_at = {now}
WHERE lane = :lane AND turn = :turn AND state = 'waiting_for_window'
"""

_REFUSE_NOTICES = """
UPDATE outbox SET state = 'refused', error = 'the person opted out', ended_at = {now}
WHERE lane = :lane AND state IN ('pending', 'waiting_for_window') AND (part < -1 OR turn IN (
    SELECT seq FROM inbox WHERE inbox.lane = :lane AND body LIKE '%"type":"notice"%'
))
"""

_FIND = """
SELECT id, lane, turn, body, receipt FROM outbox WHERE provider_id = :provider_id
"""

_ARRIVED = {
    state: f"""
UPDATE outbox SET receipt = '{state}', state = 'sent', error = ''
WHERE provider_id = :provider_id AND receipt IN ({earlier})
"""  # noqa: S608 (made of constants)
    for state, earlier in _EARLIER.items()
}

_FAILED = """
UPDATE outbox SET state = 'refused', receipt = 'failed', error = :error WHERE id = :id
"""

_DELETE_BEFORE = """
DELETE FROM outbox WHERE lane = :lane AND turn < :before AND NOT (
    CAST(:keep AS BIGINT) = 1 AND priority = 1 AND part >= 0 AND state IN ('pending', 'attempting')
)
"""

_DELETE_OF_TURN = """
DELETE FROM outbox WHERE lane = :lane AND turn = :turn
"""

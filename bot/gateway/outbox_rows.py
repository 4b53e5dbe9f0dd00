"""Write the table `outbox`: store deliveries, take the next due one, record how it ended.

A delivery outside the window for replies of its channel waits until the person writes
(`reply_window.py`). One whose sender the provider has restricted waits until that may send again
(`sender_restrictions.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import msgspec
import structlog

from bot.contracts.channels import Capabilities
from bot.contracts.storage import Row, Transaction, fetch_count
from bot.errors import LeaseLost
from bot.gateway.deliveries import ClaimedDelivery, Composed, Outcome, WhenHeld, keep_pages
from bot.gateway.lanes import FIRST_DELIVERY, Claim, close_window, note_moved, note_unreachable
from bot.gateway.open_questions import remember_question
from bot.gateway.reply_window import is_code_delivery, must_wait_for_reply
from bot.gateway.short_links import keep_links, needs_opt_out
from bot.messages.outgoing import (
    Acknowledge,
    AnswerCheckout,
    Body,
    Delivery,
    TemplateBody,
    decode_body,
    drop_rich_form,
)
from bot.messages.value import encode
from bot.render.renderer import preview_text

_TEMPLATE_PART = -1000
"""Parts of templates are numbered downwards from here, apart from those of a turn's answer."""
log = structlog.get_logger()


async def store_deliveries(
    tx: Transaction,
    lane: str,
    turn: int,
    composed: Composed,
    *,
    via: str = "",
    first: int = 0,
    by_model: bool = True,
) -> None:
    """Store what a turn says, numbered from `first`; parts stored already stay as they are.

    The message that a turn failed has the number -1, so that it is sent once however often the turn
    fails, and does not block the answer when the turn is replayed.

    Args:
        via: the adapter that sends it; empty: the one that the person wrote to last.
        by_model: the model said it, so it may ask a question of its own.
    """
    if composed.bodies:
        offer = composed.opt_out
        if offer and await needs_opt_out(tx, lane, offer, composed.bodies):
            composed = replace(composed, bodies=offer.bodies, links=[*composed.links, offer.link])
        rows = [
            {
                "lane": lane,
                "turn": turn,
                "part": part,
                "body": encode(body),
                "via": via,
                "priority": int(isinstance(body, Acknowledge | AnswerCheckout)),
            }
            for part, body in enumerate(composed.bodies, first)
        ]
        await tx.execute_many(_INSERT, rows)
        if composed.links:
            await keep_links(tx, lane, turn, composed.links)
        await remember_question(tx, lane, composed.bodies, by_model=by_model)
    if composed.rest is not None and first >= 0:
        await keep_pages(tx, lane, turn, composed.rest)


async def read_bodies(tx: Transaction, lane: str, turn: int) -> list[Body]:
    """Return the bodies of a turn's deliveries, in order."""
    rows = await tx.fetch(_BODIES, lane=lane, turn=turn)
    return [decode_body(row["body"]) for row in rows]


async def next_delivery(
    tx: Transaction,
    claim: Claim,
    capabilities_of: Callable[[str], Capabilities | None],
    when_held: WhenHeld,
) -> ClaimedDelivery | None:
    """Return the lane's next delivery, due or not; None: there is none.

    A delivery that this version cannot read is refused; one outside the window is made to wait
    until the person writes, one whose sender is restricted until that may send. None of these is
    returned.

    Args:
        capabilities_of: gives those of an adapter by its name.

    Raises:
        LeaseLost: the lane is another process's by now.
    """
    while True:
        row = await tx.fetch_one(_NEXT, lane=claim.lane, fence=claim.fence, owner=claim.owner)
        if row is None:
            raise LeaseLost(claim.lane)  # and nothing of this transaction is kept
        if row["id"] is None:
            return None
        try:
            body = decode_body(row["body"])
        except msgspec.DecodeError:
            log.exception("delivery_unreadable", delivery=row["id"])
            await refuse_delivery(tx, claim.lane, row["id"], "unreadable")
            continue
        via = row["via"] or claim.via
        if _must_wait_for_sender(row, body):
            await wait_for_sender(tx, claim.lane, row["id"], via)
            await when_held(tx, claim.lane, via, "")
            continue
        capabilities = capabilities_of(via) if row["wait"] <= 0 else None
        if capabilities and must_wait_for_reply(body, capabilities, row["silence"]):
            await wait_for_window(tx, claim.lane, row["id"], body, capabilities)
            continue
        return _read_delivery(row, claim.lane, via, body)


def _read_delivery(row: Row, lane: str, via: str, body: Body) -> ClaimedDelivery:
    body = drop_rich_form(body) if row["is_plain"] else body
    conversation = (row["moved_to"] or lane).partition(":")[2]
    return ClaimedDelivery(
        Delivery(row["id"], lane, conversation, body, row["attempts"] + 1),
        via=via,
        wait=row["wait"],
        in_doubt=row["state"] == "attempting",
        age=row["age"],
        reachable=bool(row["reachable"]),
        slot_taken=bool(row["slot_taken"]),
        is_trial=row["tried_in"] is not None,
    )


async def mark_attempted(tx: Transaction, delivery: Delivery, *, via: str) -> None:
    """Note that this adapter sends a delivery now: a crash from here on leaves it in doubt."""
    await tx.execute(_ATTEMPT, lane=delivery.lane, id=delivery.id, via=via)


async def defer_delivery(tx: Transaction, delivery: Delivery, seconds: float) -> None:
    """Note that a delivery has its place in the channel's queue, `seconds` from now."""
    await tx.execute(_DEFER, lane=delivery.lane, id=delivery.id, seconds=seconds)


async def record_outcome(
    tx: Transaction,
    claim: Claim,
    delivery: Delivery,
    outcome: Outcome,
    capabilities: Capabilities | None,
) -> bool:
    """Store how an attempt ended, and what it shows of the conversation.

    Returns False, and stores nothing, if the delivery is not being attempted any more.
    """
    recorded = await tx.execute(
        _RECORD,
        lane=claim.lane,
        id=delivery.id,
        state=outcome.state,
        provider_id=outcome.provider_id or None,
        error=outcome.error[:500],
        after=outcome.after,
        body=encode(outcome.body) if outcome.body else None,
    )
    if not recorded:
        return False
    if outcome.dead_target or outcome.opted_out:
        await note_unreachable(tx, claim.lane, opted_out=outcome.opted_out)
    if outcome.moved_to:
        await note_moved(tx, claim.lane, f"{claim.channel}:{outcome.moved_to}")
    if outcome.window_closed and capabilities:
        await wait_for_window(tx, claim.lane, delivery.id, delivery.body, capabilities)
    if outcome.restricted and outcome.state == "pending":
        await wait_for_sender(tx, claim.lane, delivery.id)
    return True


async def refuse_delivery(tx: Transaction, lane: str, delivery: int, error: str) -> None:
    """Give a delivery up as refused."""
    await tx.execute(_REFUSE, lane=lane, id=delivery, error=error[:500])


async def note_segments(tx: Transaction, delivery: Delivery, *, via: str, segments: int) -> None:
    """Add to the SMS segments that a turn handed over; their cost is noted once they arrive
    (`delivery/message_costs.py`)."""
    await tx.execute(_SEGMENTS_SENT, lane=delivery.lane, id=delivery.id, via=via, segments=segments)


# The window for replies ----------------------------------------------------------------------


async def wait_for_window(
    tx: Transaction, lane: str, delivery: int, body: Body, capabilities: Capabilities
) -> None:
    """Have a delivery wait until the person writes; ask for that, once, if a template is set.

    The template is sent before everything else in the lane. A template that was itself refused as
    outside the window is given up.
    """
    if isinstance(body, TemplateBody):
        await refuse_delivery(tx, lane, delivery, "the window is closed")
        return
    row = await tx.fetch_one(_WAIT, lane=lane, id=delivery)
    is_news = await close_window(tx, lane)
    if row and is_news and capabilities.template:
        template = encode(TemplateBody(preview_text(body, capabilities)))
        part = _TEMPLATE_PART - row["part"]
        await tx.execute(_INSERT_TEMPLATE, lane=lane, turn=row["turn"], part=part, body=template)


async def release_waiting(tx: Transaction, lane: str, *, via: str) -> None:
    """Have the deliveries that waited for the person's message sent now by `via`, and give up the
    template, or the reminder to review that a template has brought with its link."""
    await tx.execute(_REFUSE_TEMPLATE, lane=lane)
    await tx.execute(_REFUSE_REPEATED, lane=lane)
    await tx.execute(_RELEASE, lane=lane, via=via)


async def refuse_waiting(tx: Transaction, lane: str, turn: int) -> None:
    """Give up the waiting deliveries of a turn, as their content was sent another way."""
    await tx.execute(_REFUSE_WAITING, lane=lane, turn=turn)


async def refuse_notices_on_their_way(tx: Transaction, lane: str) -> None:
    """Give up the notices in a lane that are not sent yet, as the person opted out."""
    await tx.execute(_REFUSE_NOTICES, lane=lane)


# A restricted sender -------------------------------------------------------------------------


def _must_wait_for_sender(row: Row, body: Body) -> bool:
    """Return whether a delivery has to wait because its sender is restricted and no trial is due.

    Not one to a person who cannot be reached, which is refused as always, nor a one-time code,
    which never waits.

    Args:
        row: `tried_in` is the seconds until the next trial; None: the sender is not restricted.
    """
    is_due = row["wait"] <= 0 and row["state"] == "pending" and row["reachable"]
    is_restricted = row["tried_in"] is not None and row["tried_in"] > 0
    return bool(is_due and is_restricted and not is_code_delivery(body))


async def wait_for_sender(tx: Transaction, lane: str, delivery: int, via: str = "") -> None:
    """Have a delivery wait until its sender may send again.

    Args:
        via: its adapter; empty leaves the one that was tried.
    """
    await tx.execute(_HOLD, lane=lane, id=delivery, via=via)


async def count_held(tx: Transaction, lane: str) -> int:
    """Return how many deliveries of a lane wait for their sender."""
    return await fetch_count(tx, _COUNT_HELD, lane=lane)


async def list_delayed_lanes(tx: Transaction, most: int) -> list[str]:
    """Return up to `most` lanes with deliveries that would be tried again later by a restricted
    sender."""
    return [row["lane"] for row in await tx.fetch(_DELAYED_LANES, most=most)]


async def hasten_delayed(tx: Transaction, lane: str) -> None:
    """Make the deliveries of a lane due now that a restricted sender would try again later: as it
    may not, they wait for it, and the person hears where to go on."""
    await tx.execute(_HASTEN_DELAYED, lane=lane)


async def list_released_lanes(tx: Transaction, most: int) -> list[str]:
    """Return up to `most` lanes whose deliveries wait for a sender that may send again."""
    return [row["lane"] for row in await tx.fetch(_RELEASED_LANES, most=most)]


async def release_held(tx: Transaction, lane: str) -> None:
    """Have the deliveries sent now that wait in a lane for a sender that may send again."""
    await tx.execute(_RELEASE_HELD, lane=lane)


async def find_oldest_held(tx: Transaction, via: str) -> Row | None:
    """Return `id` and `lane` of the delivery that has waited longest for its sender; None: none
    waits."""
    return await tx.fetch_one(_OLDEST_HELD, via=via)


async def release_trial(tx: Transaction, delivery: int) -> None:
    """Have a delivery that waits for its sender sent as a trial, if one is due by then."""
    await tx.execute(_RELEASE_TRIAL, id=delivery)


# What the provider reports later --------------------------------------------------------------


async def find_reported(tx: Transaction, provider_id: str) -> Row | None:
    """Lock the delivery with a provider's id; return `id`, `lane`, `turn`, `body`, `via`, `receipt`
    and `is_open`: the id is that of a part, and others are still to be sent."""
    return await tx.fetch_one(_FIND, provider_id=provider_id)


async def give_provider_id(tx: Transaction, lane: str, delivery: int, provider_id: str) -> None:
    """Store the provider's id, known from a report, of a delivery in doubt that has none yet."""
    await tx.execute(_GIVE_ID, lane=lane, id=delivery, provider_id=provider_id)


async def note_arrived(
    tx: Transaction, provider_id: str, receipt: Literal["delivered", "read"]
) -> None:
    """Note that a delivery was delivered or read, unless that or more is known already, or parts of
    it are still to be sent."""
    await tx.execute(_ARRIVED, provider_id=provider_id, receipt=receipt)


async def note_failed(tx: Transaction, lane: str, delivery: int, error: str) -> None:
    """Note that a provider reported a delivery as failed after it had taken it."""
    reported = f"reported as failed: {error}"[:500]
    await tx.execute(_FAILED, lane=lane, id=delivery, error=reported)


async def send_instead(tx: Transaction, lane: str, delivery: int, body: Body, error: str) -> None:
    """Have this body sent in place of a delivery that a provider reported as failed."""
    reported = f"reported as failed: {error}"[:500]
    await tx.execute(_SEND_INSTEAD, lane=lane, id=delivery, body=encode(body), error=reported)


_SEGMENTS_SENT = """
INSERT INTO spending (lane, turn, kind, name, calls)
SELECT lane, turn, 'segments', CAST(:via AS TEXT), CAST(:segments AS BIGINT)
FROM outbox WHERE lane = :lane AND id = :id
ON CONFLICT (lane, turn, kind, name) DO UPDATE SET calls = spending.calls + excluded.calls
"""

_BODIES = """
SELECT body FROM outbox WHERE lane = :lane AND turn = :turn ORDER BY part
"""

_INSERT = """
INSERT INTO outbox (lane, turn, part, body, via, priority, due_at, created_at)
VALUES (:lane, :turn, :part, :body, :via, :priority, {now}, {now})
ON CONFLICT (lane, turn, part) DO NOTHING
"""

_INSERT_TEMPLATE = """
INSERT INTO outbox (lane, turn, part, body, priority, due_at, created_at)
VALUES (:lane, :turn, :part, :body, 1, {now}, {now})
ON CONFLICT (lane, turn, part) DO UPDATE SET
    state = 'pending', due_at = excluded.due_at, provider_id = NULL, via = ''
"""

_NEXT = f"""
SELECT outbox.id, outbox.body, outbox.via, outbox.state, outbox.attempts, outbox.slot_taken,
    outbox.due_at - {{now}} AS wait,
    {{now}} - coalesce(outbox.tried_from, outbox.created_at) AS age,
    lane.reachable, lane.moved_to, {{now}} - lane.person_wrote_at AS silence,
    lane.plain_until > {{now}} AS is_plain, restriction.try_at - {{now}} AS tried_in
FROM lane
LEFT JOIN outbox ON outbox.id = (
    SELECT id FROM outbox WHERE lane = :lane AND {FIRST_DELIVERY}
)
LEFT JOIN restriction ON restriction.via = CASE outbox.via WHEN '' THEN lane.via ELSE outbox.via END
WHERE lane.id = :lane AND lane.fence = :fence AND lane.owner = :owner
{{lock_lane}}
"""  # noqa: S608 (made of constants)

_ATTEMPT = """
UPDATE outbox SET state = 'attempting', attempts = attempts + 1, via = :via
WHERE lane = :lane AND id = :id
"""

_DEFER = """
UPDATE outbox SET due_at = {now} + :seconds, slot_taken = 1 WHERE lane = :lane AND id = :id
"""

_RECORD = """
UPDATE outbox SET state = :state, provider_id = :provider_id, error = :error, slot_taken = 0,
    due_at = {now} + :after, ended_at = CASE WHEN :state = 'pending' THEN NULL ELSE {now} END,
    body = coalesce(CAST(:body AS TEXT), body)
WHERE lane = :lane AND id = :id AND state = 'attempting'
"""

_REFUSE = """
UPDATE outbox SET state = 'refused', error = :error, ended_at = {now}
WHERE lane = :lane AND id = :id
"""

_WAIT = """
UPDATE outbox SET state = 'waiting_for_window', slot_taken = 0, ended_at = NULL, provider_id = NULL,
    receipt = ''
WHERE lane = :lane AND id = :id RETURNING turn, part
"""

_REFUSE_TEMPLATE = """
UPDATE outbox SET state = 'refused', error = 'no longer needed', ended_at = {now}
WHERE lane = :lane AND state = 'pending' AND priority = 1 AND part < -1
"""

_REFUSE_REPEATED = """
UPDATE outbox SET state = 'refused', error = 'said by its template', ended_at = {now}
WHERE lane = :lane AND state = 'waiting_for_window'
    AND EXISTS (
        SELECT 1 FROM shortlink
        WHERE shortlink.lane = :lane AND shortlink.turn = outbox.turn
            AND shortlink.target = 'review'
    ) AND EXISTS (
        SELECT 1 FROM outbox AS template
        WHERE template.lane = :lane AND template.turn = outbox.turn AND template.part < -1
            AND template.state = 'sent'
    )
"""

_RELEASE = """
UPDATE outbox SET state = 'pending', due_at = {now}, tried_from = {now}, via = :via
WHERE lane = :lane AND state = 'waiting_for_window'
"""

_REFUSE_WAITING = """
UPDATE outbox SET state = 'refused', error = 'said another way', ended_at = {now}
WHERE lane = :lane AND turn = :turn AND state IN ('waiting_for_window', 'waiting_for_sender')
"""

_HOLD = """
UPDATE outbox SET state = 'waiting_for_sender', slot_taken = 0, ended_at = NULL,
    provider_id = NULL, receipt = '', via = CASE :via WHEN '' THEN via ELSE :via END
WHERE lane = :lane AND id = :id
"""

_COUNT_HELD = """
SELECT count(*) AS n FROM outbox WHERE lane = :lane AND state = 'waiting_for_sender'
"""

_DELAYED_LANES = """
SELECT DISTINCT outbox.lane FROM restriction
JOIN outbox ON outbox.via = restriction.via
    AND outbox.state = 'pending' AND outbox.due_at > {now}
WHERE restriction.try_at > {now} ORDER BY outbox.lane LIMIT :most
"""

_HASTEN_DELAYED = """
UPDATE outbox SET due_at = {now}
WHERE lane = :lane AND state = 'pending' AND due_at > {now}
    AND via IN (SELECT via FROM restriction WHERE try_at > {now})
"""

_RELEASED_LANES = """
SELECT DISTINCT lane FROM outbox
WHERE state = 'waiting_for_sender' AND via NOT IN (SELECT via FROM restriction)
ORDER BY lane LIMIT :most
"""

_RELEASE_HELD = """
UPDATE outbox SET state = 'pending', due_at = {now}, tried_from = {now}
WHERE lane = :lane AND state = 'waiting_for_sender'
    AND via NOT IN (SELECT via FROM restriction)
"""

_OLDEST_HELD = """
SELECT id, lane FROM outbox WHERE state = 'waiting_for_sender' AND via = :via ORDER BY id LIMIT 1
"""

_RELEASE_TRIAL = """
UPDATE outbox SET state = 'pending', due_at = {now}, tried_from = {now}
WHERE id = :id AND state = 'waiting_for_sender'
"""

_REFUSE_NOTICES = """
UPDATE outbox SET state = 'refused', error = 'the person opted out', ended_at = {now}
WHERE lane = :lane AND state IN ('pending', 'waiting_for_window', 'waiting_for_sender')
    AND (part < -1 OR turn IN (
    SELECT seq FROM inbox WHERE inbox.lane = :lane AND body LIKE '%"type":"notice"%'
))
"""

_FIND = """
SELECT id, lane, turn, body, via, receipt, state IN ('pending', 'attempting') AS is_open
FROM outbox WHERE provider_id = :provider_id {for_update}
"""

_GIVE_ID = """
UPDATE outbox SET provider_id = :provider_id
WHERE lane = :lane AND id = :id AND provider_id IS NULL
"""

# A delivery that has arrived has not failed, whatever was reported before.
_ARRIVED = """
UPDATE outbox SET receipt = :receipt, state = 'sent', error = ''
WHERE provider_id = :provider_id AND state NOT IN ('pending', 'attempting')
    AND (receipt IN ('', 'sent', 'failed') OR (receipt = 'delivered' AND :receipt = 'read'))
"""

_SEND_INSTEAD = """
UPDATE outbox SET state = 'pending', body = :body, error = :error, provider_id = NULL,
    receipt = '', ended_at = NULL, due_at = {now}, tried_from = {now}
WHERE lane = :lane AND id = :id
"""

_FAILED = """
UPDATE outbox SET state = 'refused', receipt = 'failed', error = :error
WHERE lane = :lane AND id = :id
"""

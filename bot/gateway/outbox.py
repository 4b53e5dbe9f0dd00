"""The outbox: the one owner of delivery.

What is to be said is stored in the transaction that ends a turn, rendered and numbered. The process
that holds the lane sends it in order: a row is `attempting` from before the request until its
outcome is stored, so a crash in between leaves a delivery in doubt, never a silent second one.

    pending → attempting → sent | refused | unknown
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec
import structlog

from bot.contracts import Adapter, Database, Row, Transaction
from bot.errors import LeaseLost, OutcomeUnknown, RetryAt, Undeliverable
from bot.gateway.lanes import Claim, Lanes
from bot.messages import Body, Delivery, decode_body, encode
from bot.observe import Metrics

_GIVE_UP_AFTER = 24 * 3600.0
_LEASE_PAUSE = 0.2
_LONGEST_PAUSE = 15 * 60.0
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended. `pending` means: once more, `after` seconds from now."""

    state: Literal["sent", "refused", "unknown", "pending"]
    provider_id: str = ""
    error: str = ""
    after: float = 0.0
    dead_target: bool = False


@dataclass(frozen=True, slots=True)
class _Taken:
    """The lane's next delivery: taken to be sent, or not due for `wait` seconds."""

    delivery: Delivery
    wait: float = 0.0
    in_doubt: bool = False
    age: float = 0.0
    reachable: bool = True


class Outbox:
    def __init__(
        self,
        database: Database,
        lanes: Lanes,
        adapters: Mapping[str, Adapter],
        metrics: Metrics,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._lanes = lanes
        self._adapters = adapters
        self._metrics = metrics
        self._jitter = jitter

    async def send_due(self, claim: Claim) -> float | None:
        """Send what is due in the lane, in order.

        Returns:
            Seconds until the next one is due; None when nothing is left.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        done: tuple[Delivery, Outcome] | None = None
        while True:
            taken = await self._take(claim, done)
            if taken is None:
                return None
            if taken.wait > 0:
                return taken.wait
            done = taken.delivery, await self._attempt(claim, taken)

    async def _take(self, claim: Claim, done: tuple[Delivery, Outcome] | None) -> _Taken | None:
        """Store the last outcome and mark the next delivery as being attempted, in one go."""
        marked = 0  # by an earlier run of `work`, whose commit may have gone through unseen

        async def work(tx: Transaction) -> _Taken | None:
            nonlocal marked
            if done is not None:
                await _record(tx, claim, *done)
            row = await tx.fetch_one(_NEXT, lane=claim.lane, fence=claim.fence, owner=claim.owner)
            if row is None:
                raise LeaseLost(claim.lane)  # and nothing of this transaction is kept
            if row["id"] is None:
                return None
            if (body := await _readable(tx, row)) is None:
                return await work(tx)
            attempt = row["attempts"] + 1
            delivery = Delivery(row["id"], claim.lane, claim.conversation, body, attempt)
            taken = _Taken(
                delivery,
                wait=row["wait"],
                in_doubt=row["state"] == "attempting" and row["id"] != marked,
                age=row["age"],
                reachable=bool(row["reachable"]),
            )
            if taken.wait <= 0 and not taken.in_doubt:
                await tx.execute(_ATTEMPT, id=delivery.id)
                marked = delivery.id
            return replace(taken, wait=0.0) if taken.in_doubt else taken

        return await self._database.write(work)

    async def _attempt(self, claim: Claim, taken: _Taken) -> Outcome:
        adapter = self._adapters.get(claim.via)
        if adapter is None:
            outcome = Outcome("refused", error=f"no adapter named {claim.via!r}")
        elif taken.in_doubt:
            outcome = _resolve_doubt(adapter)
        elif not taken.reachable:
            outcome = Outcome("refused", error="the person blocked us")
        else:
            outcome = await self._send(adapter, claim, taken)
        counted = "retry" if outcome.state == "pending" else outcome.state
        self._metrics.deliveries(claim.via, counted).inc()
        return outcome

    async def _send(self, adapter: Adapter, claim: Claim, taken: _Taken) -> Outcome:
        if not self._lanes.surely_ours(claim):
            # Surely not sent; if the lane is still ours, the database will say so.
            return Outcome("pending", error="the lease was in question", after=_LEASE_PAUSE)
        delivery = taken.delivery
        try:
            sent = await adapter.deliver(delivery)
        except RetryAt as error:
            return self._retry(error, delivery.attempt, taken.age)
        except Undeliverable as error:
            return Outcome("refused", error=str(error), dead_target=error.dead_target)
        except OutcomeUnknown as error:
            return Outcome("unknown", error=str(error))
        except Exception:
            log.exception("delivery_failed", lane=claim.lane, delivery=delivery.id)
            return Outcome("unknown", error="internal error")
        return Outcome("sent", provider_id=sent.provider_id)

    def _retry(self, error: RetryAt, attempt: int, age: float) -> Outcome:
        if age > _GIVE_UP_AFTER:
            return Outcome("refused", error=f"given up after a day: {error}")
        pause = min(2.0 ** (attempt - 1), _LONGEST_PAUSE) * (0.5 + self._jitter())
        after = pause if error.after is None else error.after + self._jitter() * 0.5
        return Outcome("pending", error=str(error), after=after)


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


def _resolve_doubt(adapter: Adapter) -> Outcome:
    """A process died between the request and its outcome: resend only what cannot show twice."""
    if adapter.capabilities.resend == "safe":
        return Outcome("pending", error="resent after a crash")
    return Outcome("unknown", error="the process died while sending")


async def _record(tx: Transaction, claim: Claim, delivery: Delivery, outcome: Outcome) -> None:
    await tx.execute(
        _RECORD,
        id=delivery.id,
        state=outcome.state,
        provider_id=outcome.provider_id or None,
        error=outcome.error[:500],
        after=outcome.after,
    )
    if outcome.dead_target:
        await tx.execute("UPDATE lane SET reachable = 0 WHERE id = :lane", lane=claim.lane)


async def post(
    tx: Transaction, lane: str, turn: int, bodies: Sequence[Body], *, first: int = 0
) -> None:
    """Put rendered deliveries of a turn into the outbox, numbered from `first`; each number once.

    A word about a turn that failed has the number -1, so that it is said once however often it
    fails, and does not stand in the way of the answer when the turn is replayed.
    """
    if bodies:
        await tx.execute_many(
            _POST,
            [
                {"lane": lane, "turn": turn, "part": part, "body": encode(body)}
                for part, body in enumerate(bodies, first)
            ],
        )


_NEXT = """
SELECT outbox.id, outbox.body, outbox.state, outbox.attempts, outbox.due_at - {now} AS wait,
    {now} - outbox.created_at AS age, lane.reachable
FROM lane
LEFT JOIN outbox ON outbox.id = (
    SELECT id FROM outbox WHERE lane = :lane AND state IN ('pending', 'attempting')
    ORDER BY id LIMIT 1
)
WHERE lane.id = :lane AND lane.fence = :fence AND lane.owner = :owner
{lock_lane}
"""

_ATTEMPT = """
UPDATE outbox SET state = 'attempting', attempts = attempts + 1 WHERE id = :id
"""

_RECORD = """
UPDATE outbox SET state = :state, provider_id = :provider_id, error = :error,
    due_at = {now} + :after, ended_at = CASE WHEN :state = 'pending' THEN NULL ELSE {now} END
WHERE id = :id
"""

_POST = """
INSERT INTO outbox (lane, turn, part, body, due_at, created_at)
VALUES (:lane, :turn, :part, :body, {now}, {now})
ON CONFLICT (lane, turn, part) DO NOTHING
"""

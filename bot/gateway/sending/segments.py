"""What deliveries cost by the segment (SMS), as part of their turn's spending."""

from __future__ import annotations

from bot.contracts import Transaction
from bot.gateway.sending.deliveries import Outcome
from bot.messages import Delivery, TextBody


def paid_segments(delivery: Delivery, outcome: Outcome) -> int:
    if outcome.state not in ("sent", "unknown") or not isinstance(delivery.body, TextBody):
        return 0
    return delivery.body.segments


async def note_segments(
    tx: Transaction, delivery: int, *, via: str, segments: int, usd: float
) -> None:
    """Add what a delivery cost by the segment (`usd` for all of them) to its turn's spending."""
    await tx.execute(_SPENT_ON_SEGMENTS, id=delivery, via=via, segments=segments, usd=usd)


_SPENT_ON_SEGMENTS = """
INSERT INTO spending (lane, turn, kind, name, calls, usd)
SELECT lane, turn, 'segments', CAST(:via AS TEXT), CAST(:segments AS BIGINT),
    CAST(:usd AS DOUBLE PRECISION)
FROM outbox WHERE id = :id
ON CONFLICT (lane, turn, kind, name) DO UPDATE SET
    calls = spending.calls + excluded.calls, usd = spending.usd + excluded.usd
"""

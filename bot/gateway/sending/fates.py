"""What became of notices that somebody waits to hear of: the reminders of tasks."""

from __future__ import annotations

from dataclasses import dataclass

from bot.contracts import Transaction
from bot.gateway.receiving.hearing import HELD
from bot.learning.reminding import Handed


@dataclass(frozen=True, slots=True)
class Fate:
    """How a reminder ended: nothing of it is on its way any more, or something has arrived."""

    handed: Handed
    provider_id: str
    """Of what a provider took of it, perhaps only the template that asks the person to write."""
    is_unknown: bool
    """Something was sent, and nobody knows whether it arrived."""


async def list_fates(tx: Transaction, most: int) -> list[Fate]:
    """Those that are known by now and not noted yet.

    What only waits for the person's next message is refused, as far as a reminder goes, and so is
    what was never stored for delivery: they had opted out meanwhile.
    """
    rows = await tx.fetch(_FATES, most=most, far=HELD / 2)
    return [
        Fate(
            Handed(row["id"], row["told_lane"], row["told_turn"]),
            row["provider_id"] or "",
            bool(row["in_doubt"]),
        )
        for row in rows
    ]


async def withdraw(tx: Transaction, handed: Handed) -> bool:
    """Give up what of it is held for the person's next message.

    Returns:
        Whether nothing of it can be sent any more.
    """
    await tx.execute(_WITHDRAW, lane=handed.lane, turn=handed.turn, far=HELD / 2)
    return await tx.fetch_one(_OPEN, lane=handed.lane, turn=handed.turn) is None


_FATES = """
SELECT * FROM (
    SELECT task.id, task.told_lane, task.told_turn, inbox.state AS notice, (
        SELECT max(provider_id) FROM outbox
        WHERE lane = task.told_lane AND turn = task.told_turn AND state = 'sent'
    ) AS provider_id, (
        SELECT count(*) FROM outbox
        WHERE lane = task.told_lane AND turn = task.told_turn AND state IN ('sent', 'unknown')
    ) AS in_doubt, (
        SELECT count(*) FROM outbox
        WHERE lane = task.told_lane AND turn = task.told_turn
            AND state IN ('pending', 'attempting') AND due_at < {now} + :far
    ) AS on_its_way
    FROM task LEFT JOIN inbox ON inbox.seq = task.told_turn
    WHERE task.told = 'handed' AND task.told_turn IS NOT NULL
) AS handed
WHERE provider_id IS NOT NULL
    OR (on_its_way = 0 AND (notice IS NULL OR notice <> 'pending'))
ORDER BY id LIMIT :most
"""

_WITHDRAW = """
UPDATE outbox SET state = 'refused', error = 'said another way', ended_at = {now}
WHERE lane = :lane AND turn = :turn AND state = 'pending' AND due_at > {now} + :far
"""

_OPEN = """
SELECT id FROM outbox
WHERE lane = :lane AND turn = :turn AND state IN ('pending', 'attempting') LIMIT 1
"""

"""What happened beside the conversation, and the model is to know: a quiz answered over HTTP."""

from __future__ import annotations

from bot.contracts import Transaction
from bot.gateway.turns.journal import append
from bot.messages import Update, UserMessage, encode


async def note_aside(tx: Transaction, update: Update, note: UserMessage) -> None:
    """Put `note` into the transcript, under an update that is handled already."""
    stored = await tx.fetch_one(
        _STORED, lane=update.lane, unique=update.message_key, body=encode(update)
    )
    if stored is None:
        raise RuntimeError("an insert gave no row")
    await append(tx, update.lane, stored["seq"], 0, [("user", encode(note))])


async def is_noted(tx: Transaction, lane: str, key: str) -> bool:
    """Whether the update of this key is there already."""
    return await tx.fetch_one(_NOTED, lane=lane, key=key) is not None


_STORED = """
INSERT INTO inbox (lane, delivery_key, message_key, body, state, ready_at, stored_at)
VALUES (:lane, :unique, :unique, :body, 'done', {now}, {now})
RETURNING seq
"""

_NOTED = """
SELECT seq FROM inbox WHERE lane = :lane AND message_key = :key
"""

"""What a person says while their turn runs, where that is given to the turn rather than queued."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bot.contracts import Row, Transaction
from bot.gateway.lanes import Claim, hold
from bot.gateway.receiving.bursts import MOST_JOINED, belong_together
from bot.gateway.receiving.command_words import find_command
from bot.gateway.receiving.inbox import Pending
from bot.gateway.turns.seen import to_message
from bot.messages import Said, Update, UserMessage, decode

Heard = tuple[int, UserMessage]


async def overhear(
    tx: Transaction, claim: Claim, first: Pending, known: Collection[int]
) -> list[Heard]:
    """Messages that came after the turn began, by number; they are the turn's from now on.

    What does not belong to its `first` update, is a command, or brings attachments, ends it: that
    waits, with all behind it. A turn takes `MOST_JOINED` at most.

    Raises:
        LeaseLost: the lane is another process's by now.
    """
    await hold(tx, claim)
    rows = await tx.fetch(_WAITING, lane=claim.lane, turn=first.seq)
    room = max(0, MOST_JOINED - len(known))
    heard = _read([row for row in rows if row["seq"] not in known], first.update)[:room]
    if heard:
        await tx.execute_many(_TAKE, [{"turn": first.seq, "seq": seq} for seq, _ in heard])
    return heard


def _read(rows: Sequence[Row], first: Update) -> list[Heard]:
    heard: list[Heard] = []
    for row in rows:
        update = decode(row["body"], Update)
        said = update.content
        if not isinstance(said, Said) or said.attachments or not belong_together(first, update):
            break
        if find_command(update.channel, said) is not None:
            break
        heard.append((row["seq"], to_message(update)))
    return heard


_WAITING = """
SELECT seq, body FROM inbox
WHERE lane = :lane AND state = 'pending' AND express = 0 AND seq > :turn
    AND (turn IS NULL OR turn = :turn)
ORDER BY seq LIMIT 50
"""

_TAKE = """
UPDATE inbox SET turn = :turn WHERE seq = :seq
"""

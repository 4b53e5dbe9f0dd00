"""What conversations leave in the tables, and how it is deleted: all of one, or of one's own turns.

A lane that is deleted takes its fence with it: whoever still runs a turn there can write nothing
more, and is told at once to look.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from bot.contracts import Transaction
from bot.gateway.receiving.hearing import HELD
from bot.messages import Update, decode

_IN_ALL = 2**62
"""More than any turn's number."""


class TurnName(NamedTuple):
    lane: str
    turn: int


async def forget_reports(tx: Transaction, account: int) -> None:
    """Delete what the account has reported, and what operators were told of it."""
    for row in await tx.fetch(_TOLD_OF, account=account):
        await delete_turn(tx, TurnName(row["lane"], row["turn"]))
    await tx.execute(_FORGET_REPORT_LETTERS, account=account)
    await tx.execute("DELETE FROM report WHERE account = :account", account=account)


async def forget_commands_in(tx: Transaction, lane: str) -> None:
    """Delete what is kept of the commands that run in the background for a conversation."""
    await tx.execute("DELETE FROM background WHERE lane = :lane", lane=lane)


async def find_lanes(tx: Transaction, named: Iterable[str]) -> list[str]:
    """These conversations, with their topics and all that share a history with one of them, there
    or not. Those that are there stay locked until the transaction ends."""
    found = set(named)
    for lane in sorted(found):
        rows = [*await tx.fetch(_TOPICS, begin=f"{lane}/"), *await tx.fetch(_THREAD, lane=lane)]
        found |= {row["id"] for row in rows}
    for lane in sorted(found):
        await tx.fetch_one("SELECT id FROM lane WHERE id = :lane {for_update}", lane=lane)
    return sorted(found)


async def delete_conversation(tx: Transaction, lane: str) -> None:
    """Delete all of it, and the lane."""
    await empty(tx, lane)
    if await tx.execute("DELETE FROM lane WHERE id = :lane", lane=lane):
        await tx.announce(lane, urgent=True)


async def empty(
    tx: Transaction, lane: str, *, before: int = _IN_ALL, keep_signs: bool = False
) -> None:
    """Delete all that was said in the lane before the update of this number.

    Args:
        keep_signs: leave what tells the channel that a button's press has counted.
    """
    for statement in _EMPTY:
        await tx.execute(statement, lane=lane, before=before)
    await tx.execute(_EMPTY_OUTBOX, lane=lane, before=before, signs=int(keep_signs))


async def keep_for_farewell(tx: Transaction, lane: str, delivery_key: str) -> bool:
    """Empty the lane but for the update that is being handled, which is to be answered there;
    False: there is no such update. `Sweeper` deletes what is left when it is answered."""
    row = await tx.fetch_one(_HANDLED, lane=lane, key=delivery_key)
    if row is None:
        return False
    await empty(tx, lane, before=row["seq"], keep_signs=True)
    await tx.execute(_FAREWELL, lane=lane, seq=row["seq"])
    return True


async def says_farewell(tx: Transaction, lane: str, delivery_key: str) -> bool:
    """Whether the person of this lane is erased, and this update is what they asked it by."""
    row = await tx.fetch_one(_HANDLED, lane=lane, key=delivery_key)
    first = await tx.fetch_one(_FIRST, lane=lane)
    return bool(row and first and first["erased"] and first["seq"] == row["seq"])


async def list_farewells(tx: Transaction) -> list[str]:
    """The conversations of erased people that are still there."""
    rows = await tx.fetch("SELECT id FROM lane WHERE erased = 1 ORDER BY id")
    return [row["id"] for row in rows]


async def sweep_farewell(tx: Transaction, lane: str) -> bool:
    """Delete what is left of an erased person's conversation, if its last word has been delivered
    or is a day old. What they have written since then is a new one, and stays."""
    row = await tx.fetch_one(_FAREWELL_DUE, lane=lane)
    if row is None or not row["due"]:
        return False
    after = row["first"] + 1 if row["first"] is not None else _IN_ALL
    await empty(tx, lane, before=after)
    await tx.execute(_NOTHING_HELD, lane=lane, far=HELD / 2)
    newer = await tx.fetch_one("SELECT seq FROM inbox WHERE lane = :lane LIMIT 1", lane=lane)
    if newer is None:
        await delete_conversation(tx, lane)
    else:
        await tx.execute("UPDATE lane SET erased = 0 WHERE id = :lane", lane=lane)
    return True


async def find_turns(tx: Transaction, account: int) -> list[TurnName]:
    """All turns of the account, wherever."""
    rows = await tx.fetch("SELECT lane, id FROM turn WHERE account = :account", account=account)
    return [TurnName(row["lane"], row["id"]) for row in rows]


async def find_payers(tx: Transaction, lane: str) -> list[int]:
    """The accounts of which there are turns in a conversation."""
    sql = "SELECT DISTINCT account FROM turn WHERE lane = :lane AND account IS NOT NULL"
    return [row["account"] for row in await tx.fetch(sql, lane=lane)]


async def find_said(tx: Transaction, channel: str, address: str) -> list[TurnName]:
    """What whoever has this address on the channel has said where others speak too."""
    mark = f'"address":"{address}"'
    rows = await tx.fetch(_SAID, begin=f"{channel}:", grouped='"group":true', mark=mark)
    return [
        TurnName(row["lane"], row["turn"]) for row in rows if _sender_of(row["body"]) == address
    ]


async def delete_turn(tx: Transaction, name: TurnName) -> None:
    """Delete a turn out of a conversation that goes on: what began it, and all that came of it. If
    it runs just now, the conversation is given to whoever takes it next."""
    if await tx.execute(_RELEASE, lane=name.lane, turn=name.turn):
        await tx.announce(name.lane, urgent=True)
    for statement in _DELETE_TURN:
        await tx.execute(statement, lane=name.lane, turn=name.turn)
    await tx.execute(_NOTHING_HELD, lane=name.lane, far=HELD / 2)


async def forget_old_receipts(tx: Transaction) -> None:
    """Delete reports on deliveries that nobody has known for a day."""
    await tx.execute("DELETE FROM receipt WHERE at < {now} - 86400")


def _sender_of(body: str) -> str:
    try:
        return decode(body, Update).sender.address
    except msgspec.DecodeError:
        return ""


_TOLD_OF = """
SELECT inbox.lane, coalesce(inbox.turn, inbox.seq) AS turn FROM inbox
JOIN report ON inbox.message_key = 'report:' || report.key
WHERE report.account = :account
"""

_FORGET_REPORT_LETTERS = """
DELETE FROM letter WHERE key IN (
    SELECT 'report:' || key FROM report WHERE report.account = :account
)
"""

_NOTHING_HELD = """
UPDATE lane SET held = 0 WHERE id = :lane AND held = 1 AND NOT EXISTS (
    SELECT 1 FROM outbox WHERE lane = :lane AND state = 'pending' AND due_at > {now} + :far
)
"""
"""Else the next message would wait behind one that is not there, and ask for no answer."""

_TOPICS = """
SELECT id FROM lane
WHERE substr(id, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)
"""

_THREAD = """
SELECT id FROM lane WHERE thread = :lane
"""

_RECEIPTS = """
DELETE FROM receipt WHERE provider_id IN (
    SELECT provider_id FROM outbox
    WHERE lane = :lane AND {turns} AND provider_id IS NOT NULL
)
"""

_EMPTY = (
    _RECEIPTS.replace("{turns}", "turn < :before"),
    "DELETE FROM rest WHERE lane = :lane AND turn < :before",
    "DELETE FROM spending WHERE lane = :lane AND turn < :before",
    "DELETE FROM journal WHERE lane = :lane AND turn < :before",
    "DELETE FROM turn WHERE lane = :lane AND id < :before",
    "DELETE FROM inbox WHERE lane = :lane AND (seq < :before OR turn < :before)",
)

_EMPTY_OUTBOX = """
DELETE FROM outbox WHERE lane = :lane AND turn < :before AND NOT (
    CAST(:signs AS BIGINT) = 1 AND ahead = 1 AND part >= 0 AND state IN ('pending', 'attempting')
)
"""

_HANDLED = """
SELECT seq FROM inbox WHERE lane = :lane AND delivery_key = :key
"""

_FIRST = """
SELECT erased, (SELECT min(seq) FROM inbox WHERE lane = :lane) AS seq FROM lane WHERE id = :lane
"""

_FAREWELL = """
UPDATE lane SET erased = 1, history_from = :seq, summarised = -1, thread = NULL, question = '',
    awaits = ''
WHERE id = :lane
"""

_FAREWELL_DUE = """
SELECT first.seq AS first, lane.owner IS NULL AND NOT EXISTS (
    SELECT 1 FROM outbox
    WHERE outbox.lane = :lane AND state IN ('pending', 'attempting') AND turn <= first.seq
) AND NOT EXISTS (
    SELECT 1 FROM inbox WHERE inbox.seq = first.seq AND state = 'pending'
) OR coalesce(first.stored_at, 0) < {now} - 86400 AS due
FROM lane LEFT JOIN inbox AS first ON first.seq = (
    SELECT min(seq) FROM inbox WHERE inbox.lane = :lane
)
WHERE lane.id = :lane AND lane.erased = 1 {lock_lane}
"""

_SAID = """
SELECT lane, coalesce(turn, seq) AS turn, body FROM inbox
WHERE substr(lane, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)
    AND body LIKE '%' || CAST(:grouped AS TEXT) || '%'
    AND body LIKE '%' || CAST(:mark AS TEXT) || '%'
"""

_RELEASE = """
UPDATE lane SET fence = fence + 1, owner = NULL, due_at = {now}
WHERE id = :lane
    AND EXISTS (SELECT 1 FROM turn WHERE lane = :lane AND id = :turn AND state = 'running')
"""

_DELETE_TURN = (
    _RECEIPTS.replace("{turns}", "turn = :turn"),
    "DELETE FROM outbox WHERE lane = :lane AND turn = :turn",
    "DELETE FROM rest WHERE lane = :lane AND turn = :turn",
    "DELETE FROM spending WHERE lane = :lane AND turn = :turn",
    """
DELETE FROM journal
WHERE lane = :lane AND (turn = :turn OR (kind = 'summary' AND turn > :turn))
""",
    "UPDATE lane SET summarised = -1 WHERE id = :lane AND summarised >= :turn",
    "DELETE FROM turn WHERE lane = :lane AND id = :turn",
    "DELETE FROM inbox WHERE lane = :lane AND (seq = :turn OR turn = :turn)",
)
"""A summary of what was said up to a later turn tells of this one: it is made again."""

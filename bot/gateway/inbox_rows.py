"""Write the table `inbox`: this is the only module that does.

The callers decide what may be written when, within their transactions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from bot.contracts.storage import Row, Transaction
from bot.messages.incoming import Said, Update
from bot.messages.value import encode

State = Literal["pending", "done", "dead"]


async def insert_updates(
    tx: Transaction,
    updates: Sequence[tuple[Update, State]],
    *,
    bypass_queue: bool,
    wait: float = 0.0,
) -> list[int | None]:
    """Store updates; return the number of each, or None if it is a duplicate.

    Args:
        bypass_queue: they are handled while a turn runs.
        wait: seconds for which they wait for further messages of their burst; 0: they are in none.
    """
    rows = [
        {
            "lane": update.lane,
            "delivery_key": update.delivery_key,
            "message_key": update.message_key,
            "body": encode(update),
            "bypass_queue": int(bypass_queue),
            "mergeable": int(wait > 0),
            "wait": wait,
            "state": state,
        }
        for update, state in updates
    ]
    stored = await tx.fetch_many(_INSERT, rows)
    numbers = {(row["lane"], row["message_key"]): int(row["seq"]) for row in stored}
    return [numbers.pop((update.lane, update.message_key), None) for update, _ in updates]


async def insert_handled_update(tx: Transaction, update: Update) -> int:
    """Store an update that needs no handling, only for the transcript; return its number."""
    row = await tx.fetch_one(
        _INSERT_HANDLED, lane=update.lane, unique=update.message_key, body=encode(update)
    )
    if row is None:
        raise RuntimeError("an insert gave no row")
    return int(row["seq"])


async def find_update(tx: Transaction, lane: str, message_key: str) -> int | None:
    """Return the number of the update that has this key; None: there is none."""
    row = await tx.fetch_one(_FIND, lane=lane, key=message_key)
    return int(row["seq"]) if row else None


async def name_request(tx: Transaction, lane: str, seq: int, request_key: str) -> None:
    """Note the HTTP request that brought an update, so that the same one finds it."""
    await tx.execute(_NAME_REQUEST, lane=lane, seq=seq, key=request_key)


async def find_request(tx: Transaction, request_key: str, *, lately: float) -> Row | None:
    """Return `lane` and `seq` of the newest update that the same HTTP request brought in the last
    `lately` seconds."""
    return await tx.fetch_one(_FIND_REQUEST, key=request_key, lately=lately)


async def find_unbegun_update(tx: Transaction, lane: str, message_key: str) -> Row | None:
    """Return `seq`, `body` and `attempts` of the queued update with this key; None if there is none
    or its turn has begun."""
    return await tx.fetch_one(_FIND_UNBEGUN, lane=lane, key=message_key)


async def list_edits(tx: Transaction, lane: str, *, lately: float) -> list[Row]:
    """Return `body` of the edits of messages that were stored in the last `lately` seconds, the
    newest first."""
    return await tx.fetch(_EDITS, lane=lane, lately=lately)


async def find_last_waiting(tx: Transaction, lane: str) -> Row | None:
    """Return `body` of the newest update of the lane, if that is not handled yet."""
    return await tx.fetch_one(_LAST_WAITING, lane=lane)


async def replace_update(tx: Transaction, lane: str, seq: int, update: Update) -> None:
    """Store another content of a queued update; a command does not wait for a burst."""
    is_command = isinstance(update.content, Said) and update.content.command is not None
    values = {"body": encode(update), "is_command": int(is_command)}
    await tx.execute(_REPLACE, lane=lane, seq=seq, **values)


async def stretch_burst(tx: Transaction, lane: str, wait: float, most: float) -> None:
    """Have the lane's open burst wait `wait` more seconds, but at most `most` after its first
    message."""
    await tx.execute(_STRETCH, lane=lane, wait=wait, most=most)


async def is_in_hand(tx: Transaction, lane: str, key: str, *, lately: float) -> bool:
    """Return whether an update whose message key begins so is pending, or was stored within the
    last `lately` seconds."""
    row = await tx.fetch_one(_IN_HAND, lane=lane, key=f"{key}%", lately=lately)
    return row is not None


async def drop_burst(tx: Transaction, lane: str, *, before: int) -> None:
    """Drop the messages stored before the update `before` that wait for the rest of their burst or
    for their turn to begin, unless a turn runs."""
    await tx.execute(_DROP_BURST, lane=lane, before=before)


async def drop_queued(tx: Transaction, lane: str) -> None:
    """Drop the queued updates whose turns have not begun."""
    await tx.execute(_DROP_QUEUED, lane=lane)


async def drop_notices(tx: Transaction, lane: str) -> None:
    """Drop notices that are not sent yet."""
    await tx.execute(_DROP_NOTICES, lane=lane)


async def join_turn(tx: Transaction, lane: str, turn: int, members: Sequence[int]) -> None:
    """Note that these updates are handled by the turn of another update."""
    await tx.execute_many(_JOIN, [{"lane": lane, "turn": turn, "seq": seq} for seq in members])


async def postpone_update(
    tx: Transaction, lane: str, seq: int, pause: float, *, aside: bool
) -> None:
    """Have an update wait for `pause` seconds.

    Args:
        aside: the updates behind it are handled first.
    """
    await tx.execute(_POSTPONE, lane=lane, seq=seq, pause=pause, aside=int(aside))


async def hurry_turn_update(tx: Transaction, lane: str) -> None:
    """Have the update of the lane's begun turn, which may wait for its next try, handled now."""
    await tx.execute(_HURRY, lane=lane)


async def end_updates(
    tx: Transaction, lane: str, turn: int, members: Sequence[int], state: State
) -> None:
    """Note that these updates were handled by `turn`, with the state in which they end."""
    rows = [{"lane": lane, "seq": seq, "turn": turn, "state": state} for seq in members]
    await tx.execute_many(_END, rows)


async def mark_dead(tx: Transaction, lane: str, seq: int) -> None:
    """Note that an update cannot be handled, so that it blocks nothing behind it."""
    await tx.execute(_MARK_DEAD, lane=lane, seq=seq)


async def revive_updates(tx: Transaction, lane: str, turn: int) -> bool:
    """Have the updates of a dead turn handled again; return False if there are none."""
    return bool(await tx.execute(_REVIVE, lane=lane, turn=turn))


_INSERT = """
INSERT INTO inbox
    (lane, delivery_key, message_key, body, bypass_queue, mergeable, ready_at, stored_at, state)
VALUES (
    :lane, :delivery_key, :message_key, :body, :bypass_queue, :mergeable, {now} + :wait, {now},
    :state
)
ON CONFLICT DO NOTHING
RETURNING seq, lane, message_key
"""

_IN_HAND = """
SELECT seq FROM inbox WHERE lane = :lane AND message_key LIKE :key
    AND (state = 'pending' OR stored_at > {now} - :lately) LIMIT 1
"""

_INSERT_HANDLED = """
INSERT INTO inbox (lane, delivery_key, message_key, body, state, ready_at, stored_at)
VALUES (:lane, :unique, :unique, :body, 'done', {now}, {now})
RETURNING seq
"""

_FIND = """
SELECT seq FROM inbox WHERE lane = :lane AND message_key = :key
"""

_LAST_WAITING = """
SELECT body FROM inbox WHERE lane = :lane AND state = 'pending' AND seq = (
    SELECT max(seq) FROM inbox WHERE lane = :lane
)
"""

_NAME_REQUEST = """
UPDATE inbox SET request_key = :key WHERE lane = :lane AND seq = :seq
"""

_FIND_REQUEST = """
SELECT lane, seq FROM inbox WHERE request_key = :key AND stored_at > {now} - :lately
ORDER BY stored_at DESC, seq DESC LIMIT 1
"""

_UNBEGUN = """
lane = :lane AND state = 'pending' AND bypass_queue = 0 AND turn IS NULL
    AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.lane = :lane AND turn.id = inbox.seq)
"""

_FIND_UNBEGUN = f"""
SELECT seq, body, 0 AS attempts FROM inbox WHERE message_key = :key AND {_UNBEGUN}
"""  # noqa: S608 (made of constants)

_EDITS = """
SELECT body FROM inbox
WHERE lane = :lane AND body LIKE '%"type":"edited"%' AND stored_at > {now} - :lately
ORDER BY seq DESC
"""

_REPLACE = """
UPDATE inbox SET body = :body, mergeable = CASE WHEN :is_command = 1 THEN 0 ELSE mergeable END
WHERE lane = :lane AND seq = :seq
"""

_STRETCH = """
UPDATE inbox SET ready_at =
    CASE WHEN stored_at + :most < {now} + :wait THEN stored_at + :most ELSE {now} + :wait END
WHERE lane = :lane AND state = 'pending' AND mergeable = 1 AND ready_at > {now}
"""

_DROP_BURST = """
UPDATE inbox SET state = 'done' WHERE lane = :lane AND state = 'pending' AND mergeable = 1
    AND seq < :before
    AND NOT EXISTS (SELECT 1 FROM turn WHERE lane = :lane AND state = 'running')
"""

_DROP_QUEUED = f"""
UPDATE inbox SET state = 'done' WHERE {_UNBEGUN}
"""  # noqa: S608 (made of constants)

_DROP_NOTICES = """
UPDATE inbox SET state = 'done'
WHERE lane = :lane AND state = 'pending' AND body LIKE '%"type":"notice"%'
"""

_JOIN = """
UPDATE inbox SET turn = :turn WHERE lane = :lane AND seq = :seq
"""

_POSTPONE = """
UPDATE inbox SET ready_at = {now} + :pause, mergeable = 0, aside = :aside
WHERE lane = :lane AND seq = :seq
"""

_HURRY = """
UPDATE inbox SET ready_at = {now} WHERE lane = :lane AND state = 'pending'
    AND seq IN (SELECT id FROM turn WHERE lane = :lane AND state = 'running')
"""

_END = """
UPDATE inbox SET state = :state, turn = :turn WHERE lane = :lane AND seq = :seq
"""

_MARK_DEAD = """
UPDATE inbox SET state = 'dead' WHERE lane = :lane AND seq = :seq
"""

_REVIVE = """
UPDATE inbox SET state = 'pending', aside = 0, ready_at = {now}
WHERE lane = :lane AND (seq = :turn OR turn = :turn) AND state = 'dead'
"""

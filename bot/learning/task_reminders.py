"""Keep reminders of tasks: which are due, which were sent and with what result."""

from __future__ import annotations

from dataclasses import dataclass

from bot.contracts.storage import Row, Transaction
from bot.errors import NotFound
from bot.learning.tasks import Task, read_task


@dataclass(frozen=True, slots=True)
class DueReminder:
    """A task whose owner has to be reminded now."""

    task: Task
    now: float
    """By the database's clock, Unix seconds."""
    late: float
    """Seconds since the reminder's moment."""
    language: str
    """The owner's language; empty if the account does not exist."""


@dataclass(frozen=True, slots=True)
class HandedReminder:
    """One reminder that was handed over for sending."""

    task: int
    lane: str
    """The conversation that sends it."""
    turn: int
    """The reminder's turn in that conversation."""


async def list_due(tx: Transaction, most: int) -> list[DueReminder]:
    """Return open tasks of all accounts whose reminders are due, the longest due first.

    They are locked until the transaction ends. Tasks that another transaction has locked are left
    out, so that only one of several processes sends each reminder.
    """
    return [_due(row) for row in await tx.fetch(_DUE, most=most)]


async def find_due(tx: Transaction, number: int) -> DueReminder | None:
    """Return one task whose reminder is due, locked in the same way; None: it is not due (any
    more), or another transaction has locked it."""
    row = await tx.fetch_one(_DUE_ONE, id=number)
    return _due(row) if row else None


async def hold_until(tx: Transaction, number: int, at: float) -> None:
    """Postpone a task's reminder to `at`, Unix seconds."""
    await tx.execute(_HOLD, id=number, at=at)


async def note_handed(tx: Transaction, task: Task, way: str, handed: HandedReminder) -> None:
    """Note that a reminder of the task was handed over for sending."""
    await tx.execute(
        _HANDED,
        id=task.id,
        channels_tried=" ".join([*task.channels_tried, way]),
        lane=handed.lane,
        turn=handed.turn,
    )


async def note_failed(tx: Transaction, number: int) -> None:
    """Note that no channel is left by which the owner could be reminded."""
    await tx.execute(_FAILED, id=number)


async def note_taken(tx: Transaction, handed: HandedReminder, provider_id: str) -> bool:
    """Note that a provider accepted the reminder under this id; empty: it is unknown whether one
    did.

    Return False if the task no longer waits for the outcome of this reminder.
    """
    noted = "sent" if provider_id else "unknown"
    return await tx.execute(_TAKEN, **_named(handed), state=noted, sent_id=provider_id or None) > 0


async def note_refused(tx: Transaction, handed: HandedReminder) -> bool:
    """Note that the reminder was refused, so that another channel is tried now.

    Return False if the task no longer waits for the outcome of this reminder.
    """
    return await tx.execute(_REFUSED, **_named(handed)) > 0


async def note_in_doubt(tx: Transaction, lane: str, turn: int) -> None:
    """Note that a message of this turn was reported as failed: if it was a reminder that counted as
    sent, its outcome is looked up again."""
    await tx.execute(_DOUBT, lane=lane, turn=turn)


async def snooze_task(tx: Transaction, account: int, number: int, at: float) -> Task:
    """Set the reminder of an open task to `at`, Unix seconds, and begin a new round over all
    channels. Raises `NotFound`: the account has no open task of this number."""
    row = await tx.fetch_one(_SNOOZE, account=account, id=min(max(number, 0), 2**62), at=at)
    if row is None:
        raise NotFound("There is no open task with this number.")
    return read_task(row)


def _due(row: Row) -> DueReminder:
    return DueReminder(read_task(row), row["now"], row["late"], row["language"] or "")


def _named(handed: HandedReminder) -> dict[str, object]:
    return {"id": handed.task, "lane": handed.lane, "turn": handed.turn}


NEXT_REMINDER = """
SELECT min(remind_at) FROM task WHERE state = 'open' AND remind_at IS NOT NULL
"""
"""A query of the moment at which the next reminder is due, Unix seconds."""

FIRST_HANDED = "SELECT min(reminded_at) FROM task WHERE reminder_state = 'handed'"
"""A query of when the oldest reminder that still has no outcome was handed over, Unix seconds."""

_DUE = """
SELECT *, {now} AS now, {now} - remind_at AS late,
    (SELECT language FROM account WHERE account.id = task.account) AS language
FROM task
WHERE state = 'open' AND remind_at <= {now}
ORDER BY remind_at, id LIMIT :most {skip_locked}
"""

_DUE_ONE = """
SELECT *, {now} AS now, {now} - remind_at AS late,
    (SELECT language FROM account WHERE account.id = task.account) AS language
FROM task
WHERE id = :id AND state = 'open' AND remind_at <= {now} {skip_locked}
"""

_HOLD = """
UPDATE task SET remind_at = :at WHERE id = :id
"""

_HANDED = """
UPDATE task SET reminder_state = 'handed', channels_tried = :channels_tried,
    reminder_lane = :lane, reminder_turn = :turn,
    sent_id = NULL, reminded_at = {now}, remind_at = NULL
WHERE id = :id
"""

_FAILED = """
UPDATE task SET reminder_state = 'failed', remind_at = NULL WHERE id = :id
"""

_TAKEN = """
UPDATE task SET reminder_state = :state, sent_id = :sent_id
WHERE id = :id AND reminder_state = 'handed' AND reminder_lane = :lane
    AND reminder_turn = :turn
"""

_REFUSED = """
UPDATE task SET reminder_state = CASE WHEN state = 'open' THEN '' ELSE 'failed' END,
    remind_at = {now}
WHERE id = :id AND reminder_state = 'handed' AND reminder_lane = :lane
    AND reminder_turn = :turn
"""

_DOUBT = """
UPDATE task SET reminder_state = 'handed', sent_id = NULL
WHERE reminder_turn = :turn AND reminder_lane = :lane AND reminder_state = 'sent'
"""

_SNOOZE = """
UPDATE task SET wanted_at = :at, remind_at = :at,
    generation = generation + 1, channels_tried = '', reminder_state = ''
WHERE id = :id AND account = :account AND state = 'open' RETURNING *
"""

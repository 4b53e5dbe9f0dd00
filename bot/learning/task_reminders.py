"""Keep the reminders of tasks: which are due, who has been told, what became of it; quiet hours."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from bot.contracts.storage import Row, Transaction
from bot.errors import NotFound
from bot.i18n import find_zone
from bot.learning.tasks import Task, read_task

GRACE = 15 * 60.0
"""Seconds after the moment that a person chose in which a reminder is still what they asked for."""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From one full hour to another, by the clock of whoever is to be told; if both are the same,
    there are none."""

    start: int = 0
    end: int = 0

    @classmethod
    def read(cls, setting: str) -> QuietHours:
        """Return what `QUIET_HOURS` says, such as `21-7`."""
        start, _, end = setting.partition("-")
        return cls(int(start) % 24, int(end) % 24)

    def until(self, now: float, zone: str) -> float:
        """Return the moment at which they end, in Unix seconds, if it is quiet `now`; else
        `now`."""
        local = datetime.fromtimestamp(now, find_zone(zone))
        if (local.hour - self.start) % 24 >= (self.end - self.start) % 24:
            return now
        day = local.date() + timedelta(days=local.hour >= self.end)
        end = datetime.combine(day, time(self.end), tzinfo=local.tzinfo).timestamp()
        return max(now, end)

    def hold(self, chosen: float, now: float, zone: str) -> float:
        """Return when to say what was to be said at `chosen`, all in Unix seconds: `now`, unless
        that is another moment than the person chose, and a quiet one."""
        return now if now <= chosen + GRACE else self.until(now, zone)


@dataclass(frozen=True, slots=True)
class DueReminder:
    """A task whose owner is to be told now."""

    task: Task
    now: float
    """By the database's clock, Unix seconds."""
    late: float
    """Seconds since its owner was to be told."""
    language: str
    """Its owner's; empty if there is no such account."""


@dataclass(frozen=True, slots=True)
class HandedReminder:
    """One reminder on its way."""

    task: int
    lane: str
    """The conversation that it was handed to."""
    turn: int
    """The turn that it became there."""


async def list_due(tx: Transaction, most: int) -> list[DueReminder]:
    """Open tasks of all accounts whose owners are to be told now, the longest due first.

    They are locked until the transaction ends; those that another one has locked are left out, so
    that of several processes one tells each.
    """
    return [_due(row) for row in await tx.fetch(_DUE, most=most)]


async def find_due(tx: Transaction, number: int) -> DueReminder | None:
    """This task likewise, locked; None if its owner is not to be told now (any more)."""
    row = await tx.fetch_one(_DUE_ONE, id=number)
    return _due(row) if row else None


async def hold_until(tx: Transaction, number: int, at: float) -> None:
    """Have its owner told at `at`, Unix seconds, and not before."""
    await tx.execute(_HOLD, id=number, at=at)


async def note_handed(tx: Transaction, task: Task, way: str, handed: HandedReminder) -> None:
    """A reminder of the task is on its way."""
    await tx.execute(
        _HANDED,
        id=task.id,
        channels_tried=" ".join([*task.channels_tried, way]),
        lane=handed.lane,
        turn=handed.turn,
    )


async def note_failed(tx: Transaction, number: int) -> None:
    """No way is left by which its owner could be told."""
    await tx.execute(_FAILED, id=number)


async def note_taken(tx: Transaction, handed: HandedReminder, provider_id: str) -> bool:
    """A provider took it and gave this id; empty: nobody knows whether one did.

    False: it is no longer what the task waits for.
    """
    noted = "sent" if provider_id else "unknown"
    return await tx.execute(_TAKEN, **_named(handed), state=noted, sent_id=provider_id or None) > 0


async def note_refused(tx: Transaction, handed: HandedReminder) -> bool:
    """It was refused: the task's owner is to be told another way, now.

    False: it is no longer what the task waits for.
    """
    return await tx.execute(_REFUSED, **_named(handed)) > 0


async def note_in_doubt(tx: Transaction, lane: str, turn: int) -> None:
    """What was sent in this turn is reported as failed; if it was a reminder, see what is left."""
    await tx.execute(_DOUBT, lane=lane, turn=turn)


async def snooze_task(tx: Transaction, account: int, number: int, at: float) -> Task:
    """Have the owner of an open task told at `at`, Unix seconds, once more, whatever was told
    before. Raises `NotFound`: the account has no open task of this number."""
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
"""A query of the moment at which a reminder was handed over, of those that may have ended since."""

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

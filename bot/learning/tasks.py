"""Keep people's tasks: when they are due, and what became of their reminders."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from datetime import time as time_of_day
from typing import Literal, cast

import msgspec

from bot.contracts.services import NewTask, Priority, RemindBy, ToolContext
from bot.contracts.storage import Clock, Database, Row, Transaction
from bot.errors import NotFound, ToolFailed
from bot.i18n import describe_moment, find_zone
from bot.messages.channels import Channel
from bot.storage.accounts import lock_current_account
from bot.typography import to_one_line

MAX_OPEN = 200
"""Most open tasks of an account; a few more if several conversations add at the same time."""
MAX_TITLE = 200
MAX_TAGS = 10
MAX_TAG = 30
MAX_AHEAD = 5 * 366 * 86_400.0
"""Seconds from now; a later due date is taken for a mistyped year."""
ReminderState = Literal["", "handed", "sent", "unknown", "failed"]
"""The outcome of a reminder: none yet, handed over, accepted by a provider, unknown, or failed on
every channel."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task with all that a reminder of it needs."""

    id: int
    account: int
    channel: Channel
    """The channel on which the person asked for it."""
    title: str
    priority: Priority
    due_at: float | None
    """Unix seconds."""
    zone: str
    """The person's time zone when it was asked for."""
    tags: tuple[str, ...]
    remind_by: RemindBy | None
    """None: in the conversation, or wherever else the person can be reached."""
    wanted_at: float | None = None
    """The moment that the person chose: `due_at`, or the one to which they put the task off."""
    generation: int = 0
    """How often the task was put off."""
    channels_tried: tuple[str, ...] = ()
    """The channels by which this round's reminder was handed over."""
    reminder_state: ReminderState = ""


class Tasks:
    """The service `bot.contracts.services.TaskService`."""

    def __init__(self, database: Database, clock: Clock = time.time) -> None:
        self._database = database
        self._clock = clock

    async def add(self, task: NewTask, context: ToolContext) -> int:
        """Keep the task and return its number. The same `context.key` keeps one task, the first.

        Raises:
            ToolFailed: the task is due in the past or in more than five years, its title has no
                readable character, the account has `MAX_OPEN` open tasks already, or its person was
                erased.
        """
        values = _values(task, context)
        now = self._clock()

        async def work(tx: Transaction) -> int:
            account = await lock_current_account(tx, context.account)
            known = await tx.fetch_one("SELECT id FROM task WHERE key = :key", key=context.key)
            if known is not None:
                return known["id"]
            _check_due(task.due_at, now, context.person.timezone)
            await _check_limit(tx, account)
            rows = await tx.fetch(_ADD, **values, account=account)
            return rows[0]["id"]

        return await self._database.write(work)


async def list_open(tx: Transaction, account: int) -> list[Task]:
    """Return the account's open tasks: by due date, those without one last, then by priority, then
    in the order added."""
    return [read_task(row) for row in await tx.fetch(_LISTING, account=account)]


async def finish_task(tx: Transaction, account: int, number: int) -> Task:
    """Mark a task as done; a second time changes nothing. Raises `NotFound`."""
    row = await tx.fetch_one(_DONE, account=account, id=min(max(number, 0), 2**62))
    if row is None:
        raise NotFound("There is no task with this number.")
    return read_task(row)


def _values(task: NewTask, context: ToolContext) -> dict[str, object]:
    """Return the columns of a new task, except its account. Raises `ToolFailed`: the title is
    empty."""
    title = to_one_line(task.title, MAX_TITLE)
    if not title:
        raise ToolFailed("title: say in words what is to be done.")
    person = context.person
    return {
        "key": context.key,
        "channel": person.channel,
        "title": title,
        "priority": task.priority,
        "due_at": task.due_at,
        "zone": person.timezone,
        "tags": msgspec.json.encode(_clean_tags(task.tags)).decode(),
        "remind_by": task.remind_by,
    }


def _clean_tags(tags: tuple[str, ...]) -> list[str]:
    """Return each tag once, in lower case, without the `#` before it."""
    lines = (to_one_line(tag.casefold(), MAX_TAG + 1).lstrip("# ")[:MAX_TAG] for tag in tags)
    return list(dict.fromkeys(filter(None, lines)))[:MAX_TAGS]


def _check_due(due_at: float | None, now: float, zone: str) -> None:
    if due_at is None or now < due_at <= now + MAX_AHEAD:
        return
    wrong = "has passed" if due_at <= now else "is more than five years away"
    raise ToolFailed(
        f"due: {describe_moment(due_at, zone)} {wrong}; it is now {describe_moment(now, zone)}. "
        "Give the date and time that is meant (a date alone means 08:00), or ask the person."
    )


async def _check_limit(tx: Transaction, account: int) -> None:
    row = await tx.fetch_one(_OPEN, account=account)
    if row and row["number"] >= MAX_OPEN:
        raise ToolFailed(
            f"There are {MAX_OPEN} open tasks already. Tell the person to mark some as done; "
            "/tasks shows them."
        )


def read_task(row: Row) -> Task:
    """Return the task in a row of the table."""
    return Task(
        id=row["id"],
        account=row["account"],
        channel=cast("Channel", row["channel"]),
        title=row["title"],
        priority=cast("Priority", row["priority"]),
        due_at=row["due_at"],
        zone=row["zone"],
        tags=msgspec.json.decode(row["tags"], type=tuple[str, ...]),
        remind_by=cast("RemindBy | None", row["remind_by"]),
        wanted_at=row["wanted_at"],
        generation=row["generation"],
        channels_tried=tuple(row["channels_tried"].split()),
        reminder_state=cast("ReminderState", row["reminder_state"]),
    )


_ADD = """
INSERT INTO task (key, account, channel, title, priority, due_at, wanted_at, remind_at, zone, tags,
    remind_by, created_at)
VALUES (:key, :account, :channel, :title, :priority, :due_at, :due_at, :due_at, :zone, :tags,
    :remind_by, {now})
ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING id
"""

_OPEN = """
SELECT count(*) AS number FROM task WHERE account = :account AND state = 'open'
"""

_LISTING = """
SELECT * FROM task WHERE account = :account AND state = 'open'
ORDER BY due_at IS NULL, due_at,
    CASE priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END, id
"""

_DONE = """
UPDATE task SET state = 'done', done_at = coalesce(done_at, {now})
WHERE id = :id AND account = :account RETURNING *
"""


# When a task is due ------------------------------------------------------------------------------

MORNING = time_of_day(8)
"""The hour at which a task is due that has only a date."""
_FORM = re.compile(
    r"[0-9]{4}(?:-?[0-9]{2}-?[0-9]{2}|-?W[0-9]{2}-?[0-9])"
    r"(?P<time>[T ][0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2}(?:[.,][0-9]{1,6})?)?)?"
    r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_MIDNIGHT = re.compile(r"(?<=[T ])24(?=(?::?00(?::?00(?:[.,]0+)?)?)?(?:Z|[+-]|$))")
"""24:00, the end of a day, for which Python has only 00:00 of the next day."""
_FROM_NOW = re.compile(
    r"P(?:(?P<weeks>[0-9]{1,3})W)?(?:(?P<days>[0-9]{1,4})D)?"
    r"(?:T(?:(?P<hours>[0-9]{1,4})H)?(?:(?P<minutes>[0-9]{1,5})M)?(?:(?P<seconds>[0-9]{1,6})S)?)?(?<![PT])"
)
_YEARS = range(2000, 2200)
_HOW = "due: write the date, or date and time, like 2026-05-31 or 2026-05-31T17:30"


def parse_due(text: str, zone: str, now: float) -> float:
    """Return when a task is due, in Unix seconds, between the years 2000 and 2200.

    A duration (`PT10M`, `P1DT2H`) counts from `now`, Unix seconds. A time without an offset is in
    `zone` (UTC if no zone has this name); of an hour that comes twice, when clocks are put back, it
    is the first. A date without a time is at `MORNING`.

    Raises:
        ToolFailed: the text is no date, or clocks never show it in `zone`; the message says what to
            write.
    """
    written = text.strip().upper()
    if span := _FROM_NOW.fullmatch(written):
        return (
            now + timedelta(**{k: int(n) for k, n in span.groupdict("0").items()}).total_seconds()
        )
    form = _FORM.fullmatch(written)
    if form is None:
        raise ToolFailed(f"{_HOW}, or the time from now, like PT30M; not in words.")
    begins, ends_a_day = _MIDNIGHT.subn("00", written)
    try:
        moment = datetime.fromisoformat(begins) + timedelta(days=ends_a_day)
    except (ValueError, OverflowError):
        raise ToolFailed(f"{_HOW}; there is no such date or time in the calendar.") from None
    if moment.year not in _YEARS:
        raise ToolFailed(f"{_HOW}; check the year.")
    if not form["time"]:
        moment = datetime.combine(moment.date(), MORNING)
    return (moment if moment.tzinfo else _locate(moment, find_zone(zone))).timestamp()


def _locate(wall: datetime, zone: tzinfo) -> datetime:
    """Return when clocks in the zone show `wall`. Raises `ToolFailed`: they never show it."""
    moment = wall.replace(tzinfo=zone)
    there_and_back = moment.astimezone(UTC).astimezone(zone)
    if there_and_back.replace(tzinfo=None) != wall:
        raise ToolFailed(
            f"due: clocks in {zone} skip {wall:%H:%M} on {wall:%Y-%m-%d}; "
            f"write {there_and_back:%Y-%m-%dT%H:%M} or another time."
        )
    return moment


_TOMORROW = frozenset({"tomorrow", "demain"})
_SPAN = re.compile(r"(?P<number>[0-9]{1,3}) ?(?P<unit>min|m|h|d|j)")
_SECONDS = {"min": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "j": 86_400.0}


def parse_snooze(words: str, zone: str, now: float) -> float | None:
    """Return until when to put off a task, after `now`, in Unix seconds; None: no such words.

    Minutes, hours and days count from now; without words it is one hour. Tomorrow is the next day
    in the person's `zone`, at `MORNING`.
    """
    text = words.casefold().strip() or "1h"
    if text in _TOMORROW:
        local = datetime.fromtimestamp(now, find_zone(zone))
        day = local.date() + timedelta(days=1)
        return datetime.combine(day, MORNING, tzinfo=local.tzinfo).timestamp()
    span = _SPAN.fullmatch(text)
    if span is None or not int(span["number"]):
        return None
    return now + int(span["number"]) * _SECONDS[span["unit"]]


# Reminders ---------------------------------------------------------------------------------------


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


async def list_due_of(tx: Transaction, accounts: Iterable[int], most: int) -> list[DueReminder]:
    """Return the same for each of these accounts, up to `most` tasks of each."""
    values = [{"account": account, "most": most} for account in accounts]
    return [_due(row) for row in await tx.fetch_many(_DUE_OF, values)]


async def find_due(tx: Transaction, number: int) -> DueReminder | None:
    """Return one task whose reminder is due, locked in the same way; None: it is not due (any
    more), or another transaction has locked it."""
    row = await tx.fetch_one(_DUE_ONE, id=number)
    return _due(row) if row else None


async def hold_until(tx: Transaction, number: int, at: float) -> None:
    """Postpone a task's reminder that is due to `at`, Unix seconds; one that was handed over or put
    off since it was read stays as it is."""
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

_DUE_ROWS = """
SELECT *, {now} AS now, {now} - remind_at AS late,
    (SELECT language FROM account WHERE account.id = task.account) AS language
FROM task
WHERE state = 'open' AND remind_at <= {now} {which} {skip_locked}
"""
_DUE = _DUE_ROWS.replace("{which}", "ORDER BY remind_at, id LIMIT :most")
_DUE_OF = _DUE_ROWS.replace("{which}", "AND account = :account ORDER BY remind_at, id LIMIT :most")
_DUE_ONE = _DUE_ROWS.replace("{which}", "AND id = :id")

_HOLD = """
UPDATE task SET remind_at = :at WHERE id = :id AND remind_at <= {now}
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

"""Keep people's tasks: when they are due, and what became of their reminders."""

from __future__ import annotations

import re
import time
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

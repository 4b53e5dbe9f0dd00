"""Keep the table `review`: the days and the hour at which a person is reminded to review.

A reminder is ignored if the person answered nothing before the next one. After three ignored ones
in a row reminders come once a week; after three more they stop.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final, Literal

from bot.contracts.storage import Row, Transaction
from bot.i18n import find_zone, fold
from bot.messages.channels import PUSH_CHANNELS, PushChannel

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_OFF_WORDS: Final = frozenset({"off", "stop", "non", "no", "arret", "arrete", "jamais", "never"})
USUAL_HOUR: Final = 18
"""The hour of a reminder for which the person names only days."""
WEEKLY_AFTER: Final = 3
"""Ignored reminders after which the next ones come once a week."""
STOP_AFTER: Final = 6
GRACE: Final = 3 * 3600.0
"""Seconds after the chosen moment in which a reminder is still sent."""
_WEEK: Final = timedelta(days=7)
_NAMES: Final = (
    ("mon", "monday", "lun", "lundi"),
    ("tue", "tues", "tuesday", "mar", "mardi"),
    ("wed", "wednesday", "mer", "mercredi"),
    ("thu", "thur", "thurs", "thursday", "jeu", "jeudi"),
    ("fri", "friday", "ven", "vendredi"),
    ("sat", "saturday", "sam", "samedi"),
    ("sun", "sunday", "dim", "dimanche"),
)
_DAY_OF: Final[Mapping[str, int]] = {
    name: number for number, names in enumerate(_NAMES) for name in names
}
_EVERY_DAY: Final = frozenset({"daily", "every", "everyday", "day", "tous", "chaque", "jour"})
_EVENING: Final = frozenset({"soir", "soirs", "evening", "evenings"})
_FILLERS: Final = _EVENING | frozenset(
    {"a", "at", "le", "les", "on", "and", "et", "the", "jours", "days", "du", "in"}
    | {"matin", "matins", "morning", "mornings"}
)
_HOUR: Final = re.compile(r"(\d{1,2})(?:(?:h|:)(\d{2})?|(?::00)? ?([ap])\.?m\.?)?")
_SPACED: Final = re.compile(r"(\d) +(?=[ap]\.?m\b|h\b)")
_HOURS: Final = re.compile(r"(\d) ?heures?\b")
_SOME_DAYS: Final = (
    (re.compile(r"\b(?:en semaine|weekdays)\b"), "lun mar mer jeu ven"),
    (re.compile(r"\bweek-?ends?\b"), "sam dim"),
)
_ANY_DAY: Final = "|".join(sorted(_DAY_OF, key=len, reverse=True))
_RANGE: Final = re.compile(rf"\b({_ANY_DAY})(?: ?- ?| (?:a|au|to) )({_ANY_DAY})\b")
_MINUTES: Final = re.compile(r"(\d{1,2}) ?[h:.] ?([0-5]\d)(?: ?([ap])\.?m\.?)?")
_LONGEST: Final = 120
"""Characters of the person's words that are read."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The days and the full hour that a person chose."""

    days: tuple[str, ...]
    """Names from `DAYS`, in their order."""
    hour: int


@dataclass(frozen=True, slots=True)
class Nudge:
    """A person's reminder whose moment has come."""

    account: int
    schedule: Schedule
    zone: str
    channel: PushChannel | None
    """The channel on which the person asked for reminders, if it can carry them."""
    nudged_at: float | None
    """When the last reminder was sent; Unix seconds."""
    ignored: int
    language: str
    due: int
    """Cards that are due; counted up to a hundred."""
    reviewed: int
    """Reviews answered today, since midnight in the person's time zone."""
    late: float
    """Seconds since the reminder's moment."""
    now: float

    @property
    def step(self) -> Literal["send", "wait", "stop"]:
        """Whether to remind, to wait for the next chosen day (for a weekly reminder: until a week
        after the last), or to stop."""
        is_weekly = self.ignored >= WEEKLY_AFTER
        if self.late > GRACE or (is_weekly and not self._is_week_over):
            return "wait"
        return "stop" if self.ignored >= STOP_AFTER else "send"

    @property
    def day(self) -> date:
        """Today's date in the person's time zone."""
        return _day_of(self.now, self.zone)

    @property
    def _is_week_over(self) -> bool:
        if self.nudged_at is None:
            return True
        return self.day - _day_of(self.nudged_at, self.zone) >= _WEEK


@dataclass(frozen=True, slots=True)
class DueGroup:
    """People with one schedule and zone whose reminders are due, and whose accounts are between two
    ids."""

    schedule: Schedule
    zone: str
    first: int
    last: int
    now: float
    """Unix seconds; their moments came by then."""


def parse_schedule(words: str, known: Schedule | None = None) -> Schedule | None:
    """Read a schedule, `18h lun mer ven`, `6pm mon`, `18:00`, in any order; None: it is none.

    Without a day, every day is meant; without an hour, that of `known`, else `USUAL_HOUR`.
    """
    text = _write_out(words)
    days: set[int] = set()
    hours: list[int] = []
    is_daily = is_evening = False
    for word in re.split(r"[\s,;&+/]+", text):
        name = word.strip(".")
        day = _DAY_OF.get(name, _DAY_OF.get(name.removesuffix("s")))
        is_evening = is_evening or name in _EVENING
        if day is not None:
            days.add(day)
        elif name in _EVERY_DAY:
            is_daily = True  # unless days are named, as in `chaque lundi`
        elif (hour := _read_hour(word)) is not None:
            hours.append(hour)
        elif name and name not in _FILLERS:
            return None
    if len(hours) > 1 or not (hours or days or is_daily):
        return None
    hour = hours[0] if hours else known.hour if known else USUAL_HOUR
    hour += 12 * (is_evening and 0 < hour < 12)
    return Schedule(tuple(DAYS[day] for day in sorted(days or range(len(DAYS)))), hour)


def _write_out(words: str) -> str:
    """Return words for a schedule, folded, with each day of `lun-ven` or `week-end` named."""
    text = _SPACED.sub(r"\1", _HOURS.sub(r"\1h", fold(words[:_LONGEST])))
    for pattern, days in _SOME_DAYS:
        text = pattern.sub(days, text)
    return _RANGE.sub(_name_days_between, text)


def _name_days_between(found: re.Match[str]) -> str:
    first, last = _DAY_OF[found[1]], _DAY_OF[found[2]]
    number = (last - first) % len(DAYS) + 1
    return " ".join(DAYS[(first + each) % len(DAYS)] for each in range(number))


def is_schedule(words: str) -> bool:
    """Return whether the words choose days or an hour, or end reminders."""
    return is_off(words) or parse_schedule(words) is not None


def has_minutes(words: str) -> bool:
    """Return whether the words would be a schedule at a full hour: `18h30 lun`, `6:30 pm`."""
    text = _write_out(words)
    found = _MINUTES.search(text)
    if found is None or found[2] == "00":
        return False
    hour = f"{found[1]}{found[3]}m" if found[3] else f"{found[1]}h"
    return parse_schedule(f"{text[: found.start()]} {hour} {text[found.end() :]}") is not None


def find_impossible_hour(words: str) -> str:
    """Return the word that stands for the hour of what would be a schedule, but is none: `25h` of
    `25h lun`; empty: there is none."""
    text = _write_out(words)
    for word in re.split(r"[\s,;&+/]+", text):
        found = _HOUR.fullmatch(word)
        if found and _read_hour(word) is None and parse_schedule(text.replace(word, "12h", 1)):
            return word
    return ""


def is_off(words: str) -> bool:
    return fold(words) in _OFF_WORDS


def _read_hour(word: str) -> int | None:
    found = _HOUR.fullmatch(word)
    if found is None or found[2] not in (None, "00"):
        return None
    hour = int(found[1])
    if found[3]:
        return hour % 12 + 12 * (found[3] == "p") if 1 <= hour <= 12 else None
    return hour if hour < 24 else None


def find_next_moment(
    schedule: Schedule, zone: str, now: float, *, not_before: date | None = None
) -> float:
    """Return the next moment after `now` at which clocks in the zone show the hour on one of the
    days.

    An hour that clocks skip counts as the hour after it; of an hour that comes twice, the first
    counts.

    Args:
        now: Unix seconds.
        not_before: the first day that counts.
    """
    if not set(schedule.days) & set(DAYS):
        raise ValueError("a schedule without a day has no next moment")
    place = find_zone(zone)
    day = datetime.fromtimestamp(now, place).date()
    day = max(day, not_before or day)
    while True:
        if DAYS[day.weekday()] in schedule.days:
            at = datetime.combine(day, time(schedule.hour), tzinfo=place).timestamp()
            if at > now:
                return at
        day += timedelta(days=1)


async def set_schedule(
    tx: Transaction, account: int, schedule: Schedule, *, zone: str, channel: str
) -> None:
    """Set the days and hour of reminders, but send none twice on the day of the last reminder."""
    row = await tx.fetch_one(_READ, account=account)
    now = row["now"] if row else 0.0
    last = _last_nudge(row) if row else None
    not_before = _day_of(last, zone) + timedelta(days=1) if last else None
    await tx.execute(
        _SET,
        account=account,
        days=" ".join(schedule.days),
        hour=schedule.hour,
        zone=zone,
        channel=channel,
        nudge_at=find_next_moment(schedule, zone, now, not_before=not_before),
    )


async def stop_nudges(tx: Transaction, account: int) -> None:
    """Stop the account's reminders."""
    await tx.execute(_STOP, account=account)


async def read_schedule(tx: Transaction, account: int) -> tuple[Schedule | None, float | None]:
    """Return the schedule that the account's person chose, and when the next reminder comes if they
    answer nothing before, in Unix seconds; None for each without a schedule."""
    row = await tx.fetch_one(_READ, account=account)
    if row is None or not row["days"]:
        return None, None
    schedule, zone, nudge_at, last = _schedule(row), row["zone"], row["nudge_at"], _last_nudge(row)
    if last is None or _count_ignored(row) < WEEKLY_AFTER:
        return schedule, nudge_at
    in_a_week = _day_of(last, zone) + _WEEK
    return schedule, max(
        nudge_at, find_next_moment(schedule, zone, row["now"], not_before=in_a_week)
    )


async def list_due_groups(tx: Transaction, most: int) -> list[DueGroup]:
    """Return all whose reminders are due now, in groups of at most so many people."""
    return [
        DueGroup(_schedule(row), row["zone"], row["first"], row["last"], row["now"])
        for row in await tx.fetch(_GROUPS, most=most)
    ]


async def skip_group(tx: Transaction, group: DueGroup, *, all_of_it: bool) -> None:
    """Move people of the group who have no card due to their next moment.

    Args:
        all_of_it: move also people who have a card due.
    """
    await tx.execute(
        _SKIP_ALL if all_of_it else _SKIP_IDLE,
        days=" ".join(group.schedule.days),
        hour=group.schedule.hour,
        zone=group.zone,
        now=group.now,
        first=group.first,
        last=group.last,
        next=find_next_moment(group.schedule, group.zone, group.now),
    )


async def bring_forward(tx: Transaction) -> int:
    """Move reminders that are later than any of their schedule can be, since the clock was set back
    after they were planned; return how many. The next one comes tomorrow at the soonest, as if the
    last had been sent now."""
    moved = 0
    for row in await tx.fetch(_LAST_OF_SCHEDULES):
        schedule, zone, now = _schedule(row), row["zone"], row["now"]
        today = _day_of(now, zone)
        daily, weekly = (
            find_next_moment(schedule, zone, now, not_before=today + pause)
            for pause in (timedelta(days=1), _WEEK)
        )
        if row["last"] > daily:
            values = {"days": row["days"], "hour": schedule.hour, "zone": zone}
            moved += await tx.execute(
                _BRING_FORWARD, **values, daily=daily, weekly=weekly, few=WEEKLY_AFTER - 1
            )
    return moved


async def list_due_nudges(tx: Transaction, most: int) -> list[Nudge]:
    """Return reminders whose moment has come, locked until the transaction ends, without those that
    another transaction has locked. `ignored` counts the last reminder too."""
    return [_nudge(row) for row in await tx.fetch(_DUE, most=most)]


async def find_due_nudge(tx: Transaction, account: int) -> Nudge | None:
    """Return the reminder of one account, locked in the same way; None: it is not due, or another
    transaction has locked it."""
    row = await tx.fetch_one(_DUE_OF, account=account)
    return _nudge(row) if row else None


async def list_due_accounts(tx: Transaction, most: int) -> list[int]:
    """Return the accounts whose reminders are due, the longest due first."""
    return [row["account"] for row in await tx.fetch(_DUE_ACCOUNTS, most=most)]


async def put_aside(tx: Transaction, account: int, seconds: float) -> int:
    """Postpone a due reminder by so many seconds; return 1, or 0 if it is no longer due."""
    return await tx.execute(_PUT_ASIDE, account=account, seconds=seconds)


async def note_nudged(tx: Transaction, nudges: Sequence[Nudge]) -> None:
    """Note that these reminders were sent, or that the person was informed that they stop."""
    rows = [
        {
            "account": each.account,
            "days": "" if each.step == "stop" else " ".join(each.schedule.days),
            "ignored": each.ignored,
            "next": None
            if each.step == "stop"
            else find_next_moment(
                each.schedule, each.zone, each.now, not_before=each.day + timedelta(days=1)
            ),
        }
        for each in nudges
    ]
    await tx.execute_many(_NUDGED, rows)


async def note_waiting(tx: Transaction, nudges: Sequence[Nudge]) -> None:
    """Move reminders that were not sent to the next chosen day; weekly ones, after their week."""
    rows: list[dict[str, object]] = []
    for nudge in nudges:
        not_before = None
        if nudge.nudged_at is not None:
            pause = _WEEK if nudge.ignored >= WEEKLY_AFTER else timedelta(days=1)
            not_before = _day_of(nudge.nudged_at, nudge.zone) + pause
        following = find_next_moment(nudge.schedule, nudge.zone, nudge.now, not_before=not_before)
        rows.append({"account": nudge.account, "next": following})
    await tx.execute_many(_WAIT, rows)


async def adopt_schedule(tx: Transaction, account: int, into: int) -> None:
    """Give one account's schedule to another, unless that one has its own."""
    for statement in (_DROP_STOPPED, _DROP_OLD, _ADOPT):
        await tx.execute(statement, account=account, into=into)


def _day_of(at: float, zone: str) -> date:
    return datetime.fromtimestamp(at, find_zone(zone)).date()


def _last_nudge(row: Row) -> float | None:
    """Return when the last reminder was sent; now, if a clock that went back says that it is still
    to come: else no other would be sent until then."""
    return None if row["nudged_at"] is None else min(row["nudged_at"], row["now"])


def _schedule(row: Row) -> Schedule:
    return Schedule(tuple(row["days"].split()), row["hour"])


def _count_ignored(row: Row) -> int:
    """Return how many reminders in a row were ignored, the last one included."""
    is_ignored = row["nudged_at"] is not None and not row["has_answered"]
    return row["ignored"] + 1 if is_ignored else 0


def _nudge(row: Row) -> Nudge:
    channel: PushChannel | None = row["channel"] if row["channel"] in PUSH_CHANNELS else None
    return Nudge(
        row["account"],
        _schedule(row),
        row["zone"],
        channel,
        _last_nudge(row),
        _count_ignored(row),
        row["language"] or "",
        row["due"],
        row["reviewed"],
        row["now"] - row["nudge_at"],
        row["now"],
    )


NEXT_NUDGE = "SELECT min(nudge_at) FROM review WHERE nudge_at IS NOT NULL"
"""A query of the moment at which the next reminder is due, Unix seconds."""

_READ = """
SELECT clock.now, review.days, review.hour, review.zone, review.nudge_at, review.nudged_at,
    review.ignored, EXISTS (
    SELECT 1 FROM result WHERE result.account = review.account AND result.at > review.nudged_at
) AS has_answered
FROM (SELECT {now} AS now, CAST(:account AS BIGINT) AS account) AS clock
LEFT JOIN review ON review.account = clock.account
"""

_SET = """
INSERT INTO review (account, days, hour, zone, channel, nudge_at)
VALUES (:account, :days, :hour, :zone, :channel, :nudge_at)
ON CONFLICT (account) DO UPDATE SET days = excluded.days, hour = excluded.hour,
    zone = excluded.zone, channel = excluded.channel, nudge_at = excluded.nudge_at, ignored = -1
"""

_STOP = """
UPDATE review SET days = '', nudge_at = NULL WHERE account = :account
"""

_GROUPS = """
SELECT days, hour, zone, min(account) AS first, max(account) AS last, {now} AS now FROM (
    SELECT days, hour, zone, account,
        (row_number() OVER (PARTITION BY days, hour, zone ORDER BY account) - 1) / :most AS part
    FROM review WHERE nudge_at <= {now}
) AS due
GROUP BY days, hour, zone, part ORDER BY days, hour, zone, part
"""

_SKIPPED = """
UPDATE review SET nudge_at = :next
WHERE nudge_at <= :now AND account >= :first AND account <= :last AND account IN (
    SELECT account FROM review AS waiting
    WHERE nudge_at <= :now AND account >= :first AND account <= :last
        AND days = :days AND hour = :hour AND zone = :zone{who}
    {skip_locked}
)
"""
_SKIP_ALL = _SKIPPED.replace("{who}", "")
_SKIP_IDLE = _SKIPPED.replace(
    "{who}",
    """ AND NOT EXISTS (
        SELECT 1 FROM card
        WHERE card.account = waiting.account AND card.lane = '' AND card.due_at <= :now
            AND card.account >= :first AND card.account <= :last
    )""",
)

_LAST_OF_SCHEDULES = """
SELECT days, hour, zone, max(nudge_at) AS last, {now} AS now FROM review
WHERE nudge_at IS NOT NULL GROUP BY days, hour, zone
"""

_BRING_FORWARD = """
UPDATE review SET nudge_at = CASE WHEN ignored < :few THEN :daily ELSE :weekly END,
    nudged_at = CASE WHEN nudged_at > {now} THEN {now} ELSE nudged_at END
WHERE account IN (
    SELECT account FROM review AS planned
    WHERE days = :days AND hour = :hour AND zone = :zone
        AND nudge_at > CASE WHEN ignored < CAST(:few AS BIGINT)
            THEN CAST(:daily AS DOUBLE PRECISION) ELSE CAST(:weekly AS DOUBLE PRECISION) END
    {skip_locked}
)
"""

_DUE_ROWS = """
SELECT review.*, {now} AS now, (
    SELECT language FROM account WHERE account.id = review.account
) AS language, (
    SELECT count(*) FROM (
        SELECT 1 FROM card
        WHERE card.account = review.account AND card.lane = '' AND card.due_at <= {now} LIMIT 100
    ) AS counted
) AS due, (
    SELECT count(*) FROM result WHERE result.account = review.account AND source = 'review'
        AND result.at >= review.nudge_at - 3600 * review.hour AND result.at <= {now}
) AS reviewed, EXISTS (
    SELECT 1 FROM result WHERE result.account = review.account AND result.at > review.nudged_at
) AS has_answered
FROM (SELECT * FROM review WHERE nudge_at <= {now} {which} {skip_locked}) AS review
"""
_DUE = _DUE_ROWS.replace("{which}", "ORDER BY nudge_at, account LIMIT :most")
_DUE_OF = _DUE_ROWS.replace("{which}", "AND account = :account")

_DUE_ACCOUNTS = """
SELECT account FROM review WHERE nudge_at <= {now} ORDER BY nudge_at, account LIMIT :most
"""

_PUT_ASIDE = """
UPDATE review SET nudge_at = {now} + :seconds WHERE account = :account AND nudge_at <= {now}
"""

_NUDGED = """
UPDATE review SET nudged_at = {now}, ignored = :ignored, days = :days, nudge_at = :next
WHERE account = :account
"""

_WAIT = """
UPDATE review SET nudge_at = :next WHERE account = :account
"""

_DROP_STOPPED = """
DELETE FROM review WHERE account = :into AND days = ''
    AND EXISTS (SELECT 1 FROM review AS other WHERE other.account = :account AND other.days <> '')
"""

_DROP_OLD = """
DELETE FROM review WHERE account = :account
    AND EXISTS (SELECT 1 FROM review AS other WHERE other.account = :into)
"""

_ADOPT = """
UPDATE review SET account = :into WHERE account = :account
"""

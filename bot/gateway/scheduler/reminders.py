"""Send due reminders of tasks, once each, and store how they ended.

Where each message is paid, those of one person that are due together go in as few messages as hold
them, each still with an outcome of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import structlog
from msgspec.structs import replace

from bot.contracts.services import RemindBy
from bot.contracts.storage import Database, Transaction
from bot.errors import ToolFailed
from bot.gateway.delivery.emails import EmailService
from bot.gateway.delivery.notify import (
    DailyLimitReached,
    Destination,
    Notifier,
    name_email_lane,
)
from bot.gateway.outbox_rows import refuse_waiting
from bot.gateway.scheduler.scheduler import DueWork
from bot.gateway.short_links import TASK
from bot.i18n import say
from bot.learning.quiet_hours import QuietHours
from bot.learning.tasks import (
    FIRST_HANDED,
    NEXT_REMINDER,
    DueReminder,
    HandedReminder,
    Task,
    find_due,
    hold_until,
    list_due,
    list_due_of,
    note_failed,
    note_handed,
    note_refused,
    note_taken,
)
from bot.messages.channels import EMAIL, PUSH_CHANNELS
from bot.messages.outgoing import Button, Say, SendEmail
from bot.observability import Metrics
from bot.render.renderer import escape_markdown, preview_text, render_outgoing
from bot.storage.buttons import offer_commands
from bot.typography import to_one_line


@dataclass(frozen=True, slots=True)
class ReminderOutcome:
    """How a reminder ended: a provider took a delivery of it, or none is to be sent any more."""

    handed: HandedReminder
    provider_id: str
    """Of a delivery that a provider took, perhaps only the template that asks the person to write;
    empty: it took none."""
    is_unknown: bool
    """A delivery was sent, and it is not known whether it arrived."""


async def list_reminder_outcomes(tx: Transaction, most: int) -> list[ReminderOutcome]:
    """Return the outcomes that are known by now and not stored yet.

    A reminder that only waits for the person's next message counts as refused, and so does one that
    was never stored for delivery, as the person had opted out meanwhile.
    """
    rows = await tx.fetch(_OUTCOMES, most=most)
    return [
        ReminderOutcome(
            HandedReminder(row["id"], row["reminder_lane"], row["reminder_turn"]),
            row["provider_id"] or "",
            bool(row["in_doubt"]),
        )
        for row in rows
    ]


async def withdraw_reminder(tx: Transaction, handed: HandedReminder) -> bool:
    """Give up the deliveries of a reminder that wait for the person's next message.

    Returns:
        Whether no delivery of it can be sent any more.
    """
    await refuse_waiting(tx, handed.lane, handed.turn)
    return await tx.fetch_one(_OPEN, lane=handed.lane, turn=handed.turn) is None


FOLLOW_EVERY: Final = 2.0
"""Seconds between two looks at the outcomes of reminders."""
_AT_ONCE: Final = 10
"""Reminders handed over in one transaction: they are sent while the next ones are handed over."""
_MOST_JOINED: Final = 50
"""Reminders of one person that are handed over together at most."""
_LONGEST_SUBJECT: Final = 200
_FOLLOWED: Final = 500
"""Reminders whose outcomes are looked up at a time at most."""
_REST: Final = 60.0
"""Seconds until a reminder is tried again that could not be handed over by an error of ours."""
log = structlog.get_logger()


class Reminders:
    """Hands over the reminders of tasks when they are due, and follows them."""

    def __init__(
        self,
        database: Database,
        notifier: Notifier,
        metrics: Metrics,
        quiet: QuietHours,
        emails: EmailService,
    ) -> None:
        self._database = database
        self._notifier = notifier
        self._metrics = metrics
        self._quiet = quiet
        self._emails = emails
        self.works = (
            DueWork("remind", self.remind, due=NEXT_REMINDER),
            DueWork("follow", self.follow, due=FIRST_HANDED, pause=FOLLOW_EVERY),
        )

    # Handing over -------------------------------------------------------------------------------

    async def remind(self) -> int:
        """Hand over the reminders that are due now; return of how many tasks."""
        number = 0
        while True:
            try:
                outcomes = await self._database.write(self._remind_all)
            except Exception:
                log.exception("reminders_failed")
                return number + await self._remind_apart()
            self._count(outcomes)
            number += len(outcomes)
            if len(outcomes) < _AT_ONCE:
                return number

    async def _remind_all(self, tx: Transaction) -> list[tuple[DueReminder, str]]:
        """Hand over one batch of reminders, and those due now of the same people; return each with
        its outcome.

        They are sorted, so that two processes cannot lock each other's lanes.
        """
        due = await list_due(tx, _AT_ONCE)
        if len(due) == _AT_ONCE:
            accounts = sorted({one.task.account for one in due})
            more = await list_due_of(tx, accounts, _MOST_JOINED)
            due = [*{one.task.id: one for one in [*due, *more]}.values()]
        due.sort(key=lambda one: (_name_group(one), one.task.wanted_at or 0.0, one.task.id))
        return [
            outcome
            for _, group in groupby(due, _name_group)
            for outcome in await self._remind(tx, [*group])
        ]

    async def _remind_apart(self) -> int:
        """Hand reminders over one by one, and put those off that fail, so that they do not hold up
        the others; return how many were due."""
        due = await self._database.write(lambda tx: list_due(tx, _AT_ONCE))
        for one in due:
            number = one.task.id
            try:
                outcomes = await self._database.write(lambda tx, n=number: self._remind_one(tx, n))
                self._count(outcomes)
            except Exception:
                log.exception("reminder_failed", task=number)
                later = one.now + _REST
                await self._database.write(lambda tx, n=number, at=later: hold_until(tx, n, at))
        return len(due)

    async def _remind_one(self, tx: Transaction, number: int) -> list[tuple[DueReminder, str]]:
        due = await find_due(tx, number)
        return await self._remind(tx, [due]) if due else []

    async def _remind(
        self, tx: Transaction, group: Sequence[DueReminder]
    ) -> list[tuple[DueReminder, str]]:
        """Hand over the reminders of a group, which go the same ways; return each with its outcome:
        held, handed or failed."""
        outcomes: list[tuple[DueReminder, str]] = []
        left: list[DueReminder] = []
        for due in group:
            later = self._quiet.hold(due.task.wanted_at or due.now, due.now, due.task.zone)
            if later > due.now:
                await hold_until(tx, due.task.id, later)
                outcomes.append((due, "held"))
            else:
                left.append(due)
        waits: list[float] = []
        ways = await self._order_destinations(tx, left[0].task) if left else []
        for way in ways:
            number = await self._tell_all(tx, left, way, waits)
            outcomes += [(due, "handed") for due in left[:number]]
            left = left[number:]
        for due in left if waits else ():  # a limit delays a reminder, and never drops it
            await hold_until(tx, due.task.id, due.now + min(waits))
            outcomes.append((due, "held"))
        return outcomes if waits or not left else outcomes + await self._give_up(tx, left)

    async def _tell_all(
        self, tx: Transaction, group: Sequence[DueReminder], way: RemindBy, waits: list[float]
    ) -> int:
        """Hand over reminders this way until one does not reach the person; return how many were.

        Args:
            waits: gets the seconds until a limit allows the next.
        """
        tasks, number = [due.task for due in group], 0
        while number < len(tasks):
            try:
                number += await self._tell(tx, tasks[number:], way, group[0].language)
            except DailyLimitReached as limit:
                waits.append(limit.after)
                break
            except ToolFailed:
                break
        return number

    async def _give_up(
        self, tx: Transaction, group: Sequence[DueReminder]
    ) -> list[tuple[DueReminder, str]]:
        for due in group:
            await note_failed(tx, due.task.id)
        await self._leave_waiting(tx, [due.task for due in group], group[0].language)
        return [(due, "failed") for due in group]

    async def _leave_waiting(self, tx: Transaction, tasks: Sequence[Task], language: str) -> None:
        """Have reminders that no channel takes now wait until the person writes, if they may."""
        account = tasks[0].account
        place = await self._notifier.find_first_or_wait(tx, PUSH_CHANNELS, account=account)
        while place is not None and tasks:
            joined = tasks[: _count_fitting(tasks, place, language)]
            said = await self._write_reminder(tx, joined, place, language)
            key = f"reminder:{tasks[0].id}:{tasks[0].generation}:waits"
            await self._notifier.hand_over(tx, place, [said], key=key)
            tasks = tasks[len(joined) :]

    async def _order_destinations(self, tx: Transaction, task: Task) -> list[RemindBy]:
        """Return the ways to try in order; one by which the person cannot answer comes after those
        that take free messages now."""
        ways: list[RemindBy] = [*_destinations(task)]
        for nth, way in enumerate(ways):
            if not await self._is_one_way(tx, task, way):
                continue
            later: list[RemindBy] = ways[nth + 1 :]
            better: list[RemindBy] = [each for each in later if await self._is_open(tx, task, each)]
            others: list[RemindBy] = [each for each in ways[nth:] if each not in better]
            return ways[:nth] + better + others
        return ways

    async def _is_one_way(self, tx: Transaction, task: Task, way: RemindBy) -> bool:
        if way == EMAIL or not self._notifier.may_be_one_way(way):
            return False
        place = await self._notifier.find_first(tx, [way], account=task.account)
        return place is not None and place.capabilities.one_way

    async def _is_open(self, tx: Transaction, task: Task, way: RemindBy) -> bool:
        if way == EMAIL:
            return False
        place = await self._notifier.find_first(tx, [way], account=task.account)
        return place is not None and not place.is_closed and not place.capabilities.one_way

    async def _tell(
        self, tx: Transaction, tasks: Sequence[Task], way: RemindBy, language: str
    ) -> int:
        """Hand the first of these reminders over this way, and those that fit into its message;
        return how many. Raises `ToolFailed`: it does not reach the person now."""
        key = f"reminder:{tasks[0].id}:{tasks[0].generation}:{way}"
        if way == EMAIL:
            handed = await self._write(tx, tasks[0], language, key)
            await note_handed(tx, tasks[0], way, handed)
            return 1
        place = await self._notifier.find(tx, way, account=tasks[0].account, may_wait=False)
        joined = tasks[: _count_fitting(tasks, place, language)]
        said = await self._write_reminder(tx, joined, place, language)
        turn = await self._notifier.hand_over(tx, place, [said], key=key)
        if turn is None:
            raise ToolFailed("They were told so before.")
        for task in joined:
            await note_handed(tx, task, way, HandedReminder(task.id, place.lane, turn))
        return len(joined)

    async def _write_reminder(
        self, tx: Transaction, tasks: Sequence[Task], place: Destination, language: str
    ) -> Say:
        buttons = await _offer(tx, tasks, place, language)
        return replace(_word(tasks, language), buttons=buttons)

    async def _write(self, tx: Transaction, task: Task, language: str, key: str) -> HandedReminder:
        words = say(language, "Reminder: {title}", title=task.title)
        email = SendEmail((), to_one_line(words, _LONGEST_SUBJECT), words)
        turn = await self._emails.put_to_person(tx, email, account=task.account, key=key)
        if turn is None:
            raise ToolFailed("They were told so before.")
        return HandedReminder(task.id, name_email_lane(task.account, key), turn)

    def _count(self, outcomes: list[tuple[DueReminder, str]]) -> None:
        for due, outcome in outcomes:
            self._metrics.reminders(outcome).inc()
            if outcome == "handed":
                self._metrics.reminder_seconds.observe(max(0.0, due.late))
            elif outcome == "failed":
                tried = due.task.channels_tried
                log.warning("reminder_unreachable", task=due.task.id, tried=tried)

    # Outcomes -----------------------------------------------------------------------------------

    async def follow(self) -> int:
        """Store the outcomes of reminders that were handed over; return how many are known now."""
        outcomes_found = await self._database.read(lambda tx: list_reminder_outcomes(tx, _FOLLOWED))
        if outcomes_found:
            outcomes = await self._database.write(lambda tx: _note_all(tx, outcomes_found))
            for outcome, number in outcomes.items():
                self._metrics.reminders(outcome).inc(number)
        return len(outcomes_found)


async def _note_all(tx: Transaction, outcomes_found: list[ReminderOutcome]) -> Counter[str]:
    outcomes = Counter[str]()
    for found in outcomes_found:
        outcomes[await _note(tx, found)] += 1
    return outcomes


async def _note(tx: Transaction, found: ReminderOutcome) -> str:
    """Store an outcome; return it: sent, unknown or refused; gone: it does not apply any more."""
    if found.provider_id or found.is_unknown:
        noted = await note_taken(tx, found.handed, found.provider_id)
        outcome = "sent" if found.provider_id else "unknown"
    else:
        noted = await withdraw_reminder(tx, found.handed) and await note_refused(tx, found.handed)
        outcome = "refused"
    return outcome if noted else "gone"


def _name_group(due: DueReminder) -> tuple[int, str, str, tuple[str, ...]]:
    """Return what reminders have in common that go to one person by the same ways."""
    task = due.task
    return task.account, task.remind_by or "", task.channel, task.channels_tried


def _word(tasks: Sequence[Task], language: str) -> Say:
    """Word the reminder of one task, or of several as a list."""
    titles = [escape_markdown(task.title) for task in tasks]
    words = say(language, "Reminder: {title}", title=titles[0])
    if len(titles) > 1:
        words = "\n".join([say(language, "Reminders:"), *(f"- {title}" for title in titles)])
    return Say(words, link="page", target=f"{TASK}:{','.join(str(task.id) for task in tasks)}")


def _count_fitting(tasks: Sequence[Task], place: Destination, language: str) -> int:
    """Return how many of these reminders, at least one, go in one message there."""
    number, able = 1, place.capabilities
    while able.joins and number < len(tasks):
        said = _word(tasks[: number + 1], language)
        if not _is_one_message(replace(said, buttons=(Button("", ""),)), place, language):
            break
        number += 1
    return number


def _is_one_message(said: Say, place: Destination, language: str) -> bool:
    """Return whether all of it is read in one message: also in the template, where only that is
    sent, and on the page of a link, where the person gets one."""
    able = place.capabilities
    if able.one_way:
        return True
    bodies = render_outgoing(said, able.with_max_text(able.page or able.max_text), language)
    is_cut = place.is_closed and preview_text(bodies[0], able).endswith("…")
    return len(bodies) == 1 and not is_cut


async def _offer(
    tx: Transaction, tasks: Sequence[Task], place: Destination, language: str
) -> tuple[Button, ...]:
    """Offer buttons under a reminder, or the list of tasks under that of several; none where
    options would be lines of text that cost money, as the words `tasks done 5` do the same."""
    if not place.capabilities.max_buttons:
        return ()
    number = tasks[0].id
    choices = [
        (say(language, "Done"), f"/tasks done {number}"),
        (say(language, "In 1 hour"), f"/tasks later {number} 1h"),
        (say(language, "Tomorrow"), f"/tasks later {number} tomorrow"),
    ]
    if len(tasks) > 1:
        choices = [(say(language, "My tasks"), "/tasks")]
    return await offer_commands(tx, place.lane, place.address, choices)


def _destinations(task: Task) -> Iterator[RemindBy]:
    """Return the ways that were not tried: the one that the person chose, then the channel where
    they asked for it, then the others."""
    wished = dict.fromkeys([task.remind_by, task.channel, *PUSH_CHANNELS])
    able: tuple[RemindBy, ...] = (*PUSH_CHANNELS, EMAIL)
    return (way for way in wished if way in able and way not in task.channels_tried)


_OUTCOMES = """
SELECT * FROM (
    SELECT task.id, task.reminder_lane, task.reminder_turn, inbox.state AS notice, (
        SELECT max(provider_id) FROM outbox
        WHERE lane = task.reminder_lane AND turn = task.reminder_turn AND state = 'sent'
    ) AS provider_id, (
        SELECT count(*) FROM outbox
        WHERE lane = task.reminder_lane AND turn = task.reminder_turn
            AND state IN ('sent', 'unknown')
    ) AS in_doubt, (
        SELECT count(*) FROM outbox
        WHERE lane = task.reminder_lane AND turn = task.reminder_turn
            AND state IN ('pending', 'attempting')
    ) AS on_its_way
    FROM task LEFT JOIN inbox ON inbox.seq = task.reminder_turn
    WHERE task.reminder_state = 'handed' AND task.reminder_turn IS NOT NULL
) AS handed
WHERE provider_id IS NOT NULL
    OR (on_its_way = 0 AND (notice IS NULL OR notice <> 'pending'))
ORDER BY id LIMIT :most
"""

_OPEN = """
SELECT id FROM outbox
WHERE lane = :lane AND turn = :turn AND state IN ('pending', 'attempting') LIMIT 1
"""

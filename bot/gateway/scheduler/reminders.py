"""Send due reminders of tasks, once each, and store how they ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import structlog

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
    note_failed,
    note_handed,
    note_refused,
    note_taken,
)
from bot.messages.channels import EMAIL, PUSH_CHANNELS
from bot.messages.outgoing import Button, Say, SendEmail
from bot.observability import Metrics
from bot.render.renderer import escape_markdown
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
        """Hand over one batch of reminders; return each with its outcome.

        They are sorted, so that two processes cannot lock each other's lanes.
        """
        due = await list_due(tx, _AT_ONCE)
        due.sort(key=lambda one: (one.task.account, one.task.remind_by or "", one.task.id))
        return [(one, await self._remind(tx, one)) for one in due]

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
        return [(due, await self._remind(tx, due))] if due else []

    async def _remind(self, tx: Transaction, due: DueReminder) -> str:
        """Hand a reminder over; return its outcome: held, handed or failed."""
        task = due.task
        later = self._quiet.hold(task.wanted_at or due.now, due.now, task.zone)
        if later > due.now:
            await hold_until(tx, task.id, later)
            return "held"
        waits: list[float] = []
        for way in await self._order_destinations(tx, task):
            try:
                handed = await self._tell(tx, task, way, due.language)
            except DailyLimitReached as limit:
                waits.append(limit.after)
                continue
            except ToolFailed:
                continue
            await note_handed(tx, task, way, handed)
            return "handed"
        if waits:  # a limit delays a reminder, and never drops it
            await hold_until(tx, task.id, due.now + min(waits))
            return "held"
        await note_failed(tx, task.id)
        await self._leave_waiting(tx, task, due.language)
        return "failed"

    async def _leave_waiting(self, tx: Transaction, task: Task, language: str) -> None:
        """Have a reminder that no channel takes now wait until the person writes, if one may."""
        place = await self._notifier.find_first_or_wait(tx, PUSH_CHANNELS, account=task.account)
        if place is not None:
            said = await self._write_reminder(tx, task, place, language)
            key = f"reminder:{task.id}:{task.generation}:waits"
            await self._notifier.hand_over(tx, place, [said], key=key)

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
        self, tx: Transaction, task: Task, way: RemindBy, language: str
    ) -> HandedReminder:
        """Hand a reminder over this way. Raises `ToolFailed`: it does not reach the person now."""
        key = f"reminder:{task.id}:{task.generation}:{way}"
        if way == EMAIL:
            return await self._write(tx, task, language, key)
        place = await self._notifier.find(tx, way, account=task.account, may_wait=False)
        said = await self._write_reminder(tx, task, place, language)
        turn = await self._notifier.hand_over(tx, place, [said], key=key)
        if turn is None:
            raise ToolFailed("They were told so before.")
        return HandedReminder(task.id, place.lane, turn)

    async def _write_reminder(
        self, tx: Transaction, task: Task, place: Destination, language: str
    ) -> Say:
        words = say(language, "Reminder: {title}", title=escape_markdown(task.title))
        buttons = await _offer(tx, task, place, language)
        return Say(words, buttons, link="page", target=f"{TASK}:{task.id}")

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


async def _offer(
    tx: Transaction, task: Task, place: Destination, language: str
) -> tuple[Button, ...]:
    """Offer buttons under a reminder; none where options would be lines of text that cost money, as
    the words `tasks done 5` do the same."""
    if not place.capabilities.max_buttons:
        return ()
    choices = (
        (say(language, "Done"), f"/tasks done {task.id}"),
        (say(language, "In 1 hour"), f"/tasks later {task.id} 1h"),
        (say(language, "Tomorrow"), f"/tasks later {task.id} tomorrow"),
    )
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

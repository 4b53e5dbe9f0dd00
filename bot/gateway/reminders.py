"""Reminders: what is due is said to whoever wanted to be told, once.

Every process that runs lanes looks for what is due; the one whose transaction has the task locked
hands its reminder over, to the inbox of a conversation in which the person can be reached. What
became of it is looked up afterwards: it is sent when a provider says so, and where it was refused,
the next way is tried, each once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, Protocol

import structlog

from bot.contracts import Database, RemindBy, Transaction
from bot.errors import ToolFailed
from bot.gateway.render import escape
from bot.gateway.sending.courier import PUSHED, Courier, DailyLimitReached, Place
from bot.gateway.sending.fates import Fate, list_fates, withdraw
from bot.learning.quiet import QuietHours
from bot.learning.reminding import (
    Due,
    Handed,
    find_due,
    hold_until,
    list_due,
    list_letters,
    note_failed,
    note_handed,
    note_refused,
    note_taken,
    until_next,
)
from bot.learning.tasks import Task
from bot.messages import Button, Say
from bot.observe import Metrics
from bot.rounds import Rounds
from bot.storage.buttons import offer_commands
from bot.texts import say

LOOK_EVERY: Final = 0.5
"""Seconds between two looks at what is due, unless it is known to be due sooner."""
FOLLOW_EVERY: Final = 2.0
"""Seconds between two looks at what became of it."""
_BREATH: Final = 0.02
_AT_ONCE: Final = 10
"""Reminders that are handed over in one transaction: they leave while the next ones are."""
_FOLLOWED: Final = 500
"""Of how many at most it is looked up at once what became of them."""
_REST: Final = 60.0
"""Seconds for which a reminder is left alone that could not be handed over by a mistake of ours."""
log = structlog.get_logger()


class Letters(Protocol):
    """The way by e-mail."""

    async def keep(
        self, tx: Transaction, *, account: int, subject: str, text: str, key: str
    ) -> None:
        """Have this posted to the account's proven address, once a key; plain text.

        Raises:
            ToolFailed: it has none, or no mail is set up here.
        """
        ...

    async def find_fate(self, tx: Transaction, key: str) -> tuple[str, str]:
        """What became of it: `pending`, `sent` (with its Message-ID), `refused` or `unknown`."""
        ...


class Reminders:
    """
    Args:
        letters: the way by e-mail, where there is one.
    """

    def __init__(
        self,
        database: Database,
        courier: Courier,
        metrics: Metrics,
        quiet: QuietHours,
        letters: Letters | None = None,
    ) -> None:
        self._database = database
        self._courier = courier
        self._metrics = metrics
        self._quiet = quiet
        self._letters = letters
        self.rounds = (
            Rounds("reminding", self._look, after_failure=LOOK_EVERY),
            Rounds("following", self._look_after, after_failure=LOOK_EVERY),
        )

    async def _look(self) -> float:
        seconds = await self._database.read(until_next)
        if seconds is not None and seconds <= 0:
            await self.remind()
            seconds = 0.0
        wait = LOOK_EVERY if seconds is None else min(seconds, LOOK_EVERY)
        return max(wait, _BREATH)

    async def _look_after(self) -> float:
        await self.follow()
        return FOLLOW_EVERY

    # Handing over -------------------------------------------------------------------------------

    async def remind(self) -> int:
        """Hand over what is due now; of how many tasks."""
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

    async def _remind_all(self, tx: Transaction) -> list[tuple[Due, str]]:
        """Each with what came of it, in an order in which no two processes can lock each other's
        lanes."""
        due = await list_due(tx, _AT_ONCE)
        due.sort(key=lambda one: (one.task.account, one.task.remind_by or "", one.task.id))
        return [(one, await self._remind(tx, one)) for one in due]

    async def _remind_apart(self) -> int:
        """The same one by one: what cannot be handed over must not hold up the others."""
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

    async def _remind_one(self, tx: Transaction, number: int) -> list[tuple[Due, str]]:
        due = await find_due(tx, number)
        return [(due, await self._remind(tx, due))] if due else []

    async def _remind(self, tx: Transaction, due: Due) -> str:
        """What came of it: held, handed or failed."""
        task = due.task
        later = self._quiet.hold(task.wanted_at or due.now, due.now, task.zone)
        if later > due.now:
            await hold_until(tx, task.id, later)
            return "held"
        waits: list[float] = []
        for way in _ways(task):
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
        return "failed"

    async def _tell(self, tx: Transaction, task: Task, way: RemindBy, language: str) -> Handed:
        """Hand it over this way. Raises `ToolFailed`: the person cannot be told by it now."""
        key = f"reminder:{task.id}:{task.round}:{way}"
        if way == "email":
            return await self._write(tx, task, language, key)
        place = await self._courier.find(tx, way, account=task.account, may_wait=False)
        words = say(language, "Reminder: {title}", title=escape(task.title))
        buttons = await _offer(tx, task, place, language)
        turn = await self._courier.hand_over(tx, place, [Say(words, buttons)], key=key)
        if turn is None:
            raise ToolFailed("They were told so before.")
        return Handed(task.id, place.lane, turn)

    async def _write(self, tx: Transaction, task: Task, language: str, key: str) -> Handed:
        if self._letters is None:
            raise ToolFailed("No mail is set up here.")
        words = say(language, "Reminder: {title}", title=task.title)
        await self._letters.keep(tx, account=task.account, subject=words, text=words, key=key)
        return Handed(task.id, key, 0)

    def _count(self, outcomes: list[tuple[Due, str]]) -> None:
        for due, outcome in outcomes:
            self._metrics.reminders(outcome).inc()
            if outcome == "handed":
                self._metrics.reminder_seconds.observe(max(0.0, due.late))
            elif outcome == "failed":
                log.warning("reminder_unreachable", task=due.task.id, tried=due.task.tried)

    # What became of it --------------------------------------------------------------------------

    async def follow(self) -> int:
        """Note what became of those handed over; of how many that is known by now."""
        fates = await self._database.read(self._list_fates)
        if fates:
            outcomes = await self._database.write(lambda tx: _note_all(tx, fates))
            for outcome, number in outcomes.items():
                self._metrics.reminders(outcome).inc(number)
        return len(fates)

    async def _list_fates(self, tx: Transaction) -> list[Fate]:
        fates = await list_fates(tx, _FOLLOWED)
        if self._letters is None:
            return fates
        for handed in await list_letters(tx, _FOLLOWED // 10):
            state, message_id = await self._letters.find_fate(tx, handed.lane)
            if state != "pending":
                fates.append(Fate(handed, message_id, state != "refused"))
        return fates


async def _note_all(tx: Transaction, fates: list[Fate]) -> Counter[str]:
    outcomes = Counter[str]()
    for fate in fates:
        outcomes[await _note(tx, fate)] += 1
    return outcomes


async def _note(tx: Transaction, fate: Fate) -> str:
    """What it was noted as: sent, unknown, refused, or none of these any more."""
    if fate.provider_id or fate.is_unknown:
        noted = await note_taken(tx, fate.handed, fate.provider_id)
        outcome = "sent" if fate.provider_id else "unknown"
    else:
        noted = await withdraw(tx, fate.handed) and await note_refused(tx, fate.handed)
        outcome = "refused"
    return outcome if noted else "gone"


async def _offer(tx: Transaction, task: Task, place: Place, language: str) -> tuple[Button, ...]:
    """Buttons under a reminder. Where options would be lines of text, each to be paid, there are
    none: the words `tasks done 5` do the same."""
    if not place.capabilities.max_buttons:
        return ()
    choices = (
        (say(language, "Done"), f"/tasks done {task.id}"),
        (say(language, "In 1 hour"), f"/tasks later {task.id} 1h"),
        (say(language, "Tomorrow"), f"/tasks later {task.id} tomorrow"),
    )
    return await offer_commands(tx, place.lane, place.address, choices)


def _ways(task: Task) -> Iterator[RemindBy]:
    """Those that were not tried, the one that they chose first, then where they asked for it."""
    wished = dict.fromkeys([task.remind_by, task.channel, *PUSHED])
    able: tuple[RemindBy, ...] = (*PUSHED, "email")
    return (way for way in wished if way in able and way not in task.tried)

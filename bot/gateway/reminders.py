"""Reminders: what is due is said to whoever wanted to be told, once.

Every process that runs lanes looks for what is due; the one whose transaction notes it as told is
the one that tells it, through the inbox of a conversation in which the person can be reached.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

import structlog

from bot.contracts import Database, Transaction
from bot.errors import ToolFailed
from bot.gateway.sending.courier import Courier
from bot.learning.tasks import Task, Tasks, mark_reminded
from bot.messages import Channel, Say
from bot.texts import say

LOOK_EVERY: Final = 0.5
"""Seconds between two looks at what is due."""
_PUSHED: Final[tuple[Channel, ...]] = ("telegram", "whatsapp", "sms")
"""Channels on which people are told without having asked just now; the cheapest first."""
log = structlog.get_logger()


class Reminders:
    def __init__(self, database: Database, tasks: Tasks, courier: Courier) -> None:
        self._database = database
        self._tasks = tasks
        self._courier = courier
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._looking = asyncio.create_task(self._look(), name="reminders")

    async def stop(self) -> None:
        if self._looking:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def remind(self) -> int:
        """Hand over what is due now; how many."""
        due = await self._tasks.due()
        for task in due:
            try:
                await self._database.write(lambda tx, task=task: self._remind(tx, task))
            except Exception:  # it must not hold up the others
                log.exception("reminder_failed", task=task.id)
        return len(due)

    async def _look(self) -> None:
        while True:
            try:
                await self.remind()
            except Exception:
                log.exception("reminders_failed")
            await asyncio.sleep(LOOK_EVERY)

    async def _remind(self, tx: Transaction, task: Task) -> None:
        if not await mark_reminded(tx, task.id):
            return
        row = await tx.fetch_one("SELECT language FROM account WHERE id = :id", id=task.account)
        words = Say(say(row["language"] if row else "", "Reminder: {title}", title=task.title))
        key = f"reminder:{task.id}"
        for channel in _ways(task):
            try:
                await self._courier.put(
                    tx, channel, [words], account=task.account, key=key, may_wait=False
                )
            except ToolFailed:
                continue
            return
        log.warning("reminder_unreachable", task=task.id)


def _ways(task: Task) -> Iterator[Channel]:
    """Where to tell them, the way that they chose first."""
    wished: list[Channel] = [task.channel, *_PUSHED]
    if task.remind_by and task.remind_by != "email":
        wished.insert(0, task.remind_by)
    ways: dict[Channel, None] = dict.fromkeys(wished)
    return (channel for channel in ways if channel in _PUSHED)

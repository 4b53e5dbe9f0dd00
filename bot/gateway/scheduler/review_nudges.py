"""Remind people to review on the days that they chose, once a day; less if they do not follow."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import structlog

from bot.contracts.storage import Database, Transaction
from bot.gateway.commands.review_days import write_schedule
from bot.gateway.delivery.notify import Destination, Notifier
from bot.gateway.scheduler.scheduler import DueWork
from bot.i18n import say, say_count
from bot.learning.quiet_hours import QuietHours
from bot.learning.reviews.review_reminders import (
    NEXT_NUDGE,
    DueGroup,
    Nudge,
    bring_forward,
    find_due_nudge,
    list_due_accounts,
    list_due_groups,
    list_due_nudges,
    note_nudged,
    note_waiting,
    put_aside,
    skip_group,
)
from bot.messages.channels import PUSH_CHANNELS, Channel
from bot.messages.outgoing import Outgoing, Say
from bot.observability import Metrics
from bot.storage.buttons import OfferedCommand, keep_command_buttons, make_command_button

_AT_ONCE: Final = 50
"""Reminders handed over in one transaction: they are sent while the next ones are handed over."""
_SIDE_BY_SIDE: Final = 4
"""Transactions at the same time, if the database allows several."""
_SKIPPED_AT_ONCE: Final = 2500
"""People for whom one transaction checks whether any exercise is due."""
_REST: Final = 900.0
"""Seconds until a reminder is tried again that could not be handed over by an error of ours."""
_HOUR: Final = 3600.0
log = structlog.get_logger()


class _Counted(NamedTuple):
    sent: int
    unreachable: int
    """People who want a reminder, and no channel takes one for them now."""


class Nudges:
    """Reminds people to review.

    Args:
        a_day: reviews a day at most, for the number in a reminder.
    """

    def __init__(
        self,
        database: Database,
        notifier: Notifier,
        metrics: Metrics,
        quiet: QuietHours,
        a_day: int,
    ) -> None:
        self._database = database
        self._notifier = notifier
        self._metrics = metrics
        self._quiet = quiet
        self._a_day = a_day
        self.works = (
            DueWork("nudge", self.nudge_all, due=NEXT_NUDGE),
            DueWork("forward", self._bring_forward, pause=_HOUR),
        )

    async def nudge_all(self) -> int:
        """Remind all people who are due; return how many got a reminder, or the message that it was
        the last."""
        await self._skip()
        counts = await asyncio.gather(*(self._nudge_some() for _ in range(_SIDE_BY_SIDE)))
        return sum(counts)

    async def _bring_forward(self) -> None:
        """Plan anew what is too late, as the clock was set back."""
        if moved := await self._database.write(bring_forward):
            log.warning("nudges_brought_forward", number=moved)

    async def _skip(self) -> None:
        """Have people wait for their next day if no exercise is due, or if it is a quiet hour."""
        found = await self._database.read(lambda tx: list_due_groups(tx, _SKIPPED_AT_ONCE))
        groups = iter(found)
        await asyncio.gather(*(self._skip_some(groups) for _ in range(_SIDE_BY_SIDE)))

    async def _skip_some(self, groups: Iterator[DueGroup]) -> None:
        for group in groups:
            is_quiet = self._quiet.until(group.now, group.zone) > group.now
            try:
                await self._database.write(
                    lambda tx, group=group, all_of_it=is_quiet: skip_group(
                        tx, group, all_of_it=all_of_it
                    )
                )
            except Exception:
                log.exception("nudges_failed")  # they are looked at again one by one

    async def _nudge_some(self) -> int:
        number = 0
        while True:
            try:
                found, counted = await self._database.write(self._nudge_batch)
            except Exception:
                log.exception("nudges_failed")
                return number + await self._nudge_apart()
            number += self._count(counted)
            if found < _AT_ONCE:
                return number

    def _count(self, counted: _Counted) -> int:
        """Count what a transaction did, once it is committed; return how many were written to."""
        self._metrics.reminders("nudged").inc(counted.sent)
        if counted.unreachable:
            self._metrics.reminders("unreachable").inc(counted.unreachable)
            log.warning("nudges_unreachable", accounts=counted.unreachable)
        return counted.sent

    async def _nudge_batch(self, tx: Transaction) -> tuple[int, _Counted]:
        """Remind one batch; return how many were looked at, and what was done."""
        nudges = await list_due_nudges(tx, _AT_ONCE)
        nudges.sort(key=lambda one: one.account)  # so that processes lock accounts in one order
        return len(nudges), await self._nudge(tx, nudges)

    async def _nudge_apart(self) -> int:
        """Remind people one by one, and put those aside who cannot be reminded, so that they do not
        hold up the others; return how many were written to."""
        number = 0
        for each in await self._database.read(lambda tx: list_due_accounts(tx, _AT_ONCE)):
            try:
                number += self._count(
                    await self._database.write(
                        lambda tx, account=each: self._nudge_one(tx, account)
                    )
                )
            except Exception:
                log.exception("nudge_failed", account=each)
                aside = await self._database.write(
                    lambda tx, account=each: put_aside(tx, account, _REST)
                )
                self._metrics.reminders("put_aside").inc(aside)
        return number

    async def _nudge_one(self, tx: Transaction, account: int) -> _Counted:
        nudge = await find_due_nudge(tx, account)
        return await self._nudge(tx, [nudge] if nudge else [])

    async def _nudge(self, tx: Transaction, nudges: Sequence[Nudge]) -> _Counted:
        """Write to those who want it and can be reached; the others wait for their next day."""
        wanted = [nudge for nudge in nudges if self._is_wanted(nudge)]
        places = await self._find(tx, wanted)
        sent = [nudge for nudge in nudges if nudge.account in places]
        notices: list[tuple[Destination, Sequence[Outgoing], str]] = []
        offered: list[OfferedCommand] = []
        for nudge in sent:
            place = places[nudge.account]
            words, button = self._write(nudge, place)
            buttons = (button.button,) if button else ()
            key = f"reminder:review:{nudge.account}:{nudge.day}"
            link = "" if nudge.step == "stop" else _link_under(place)
            notices.append((place, [Say(words, buttons, link=link)], key))
            offered += [button] if button else []
        await self._notifier.hand_over_many(tx, notices)
        await keep_command_buttons(tx, offered)
        await note_nudged(tx, sent)
        await note_waiting(tx, [nudge for nudge in nudges if nudge.account not in places])
        return _Counted(len(sent), len(wanted) - len(sent))

    def _is_wanted(self, nudge: Nudge) -> bool:
        is_quiet = self._quiet.until(nudge.now, nudge.zone) > nudge.now
        return not is_quiet and self._count_asked(nudge) > 0 and nudge.step != "wait"

    def _count_asked(self, nudge: Nudge) -> int:
        """Return how many exercises `/review` would ask today."""
        return min(nudge.due, self._a_day - nudge.reviewed)

    async def _find(self, tx: Transaction, nudges: Sequence[Nudge]) -> dict[int, Destination]:
        """Find where the reminder of each account is sent: first where the person asked for it;
        where they cannot answer, only if no other channel takes it now."""
        ways = {nudge.account: _list_ways(nudge) for nudge in nudges}
        chosen: dict[int, Destination] = {}
        one_way: dict[int, Destination] = {}
        for number in range(len(PUSH_CHANNELS)):
            asked: dict[int, Channel] = {
                each: way[number] for each, way in ways.items() if each not in chosen
            }
            for account, place in (await self._notifier.find_many(tx, asked)).items():
                if place.capabilities.one_way:
                    one_way.setdefault(account, place)
                elif account not in one_way or not place.is_closed:
                    chosen[account] = place
        return one_way | chosen

    def _write(self, nudge: Nudge, place: Destination) -> tuple[str, OfferedCommand | None]:
        """Return the words, and the button under them if the channel has buttons."""
        language = nudge.language
        if nudge.step == "stop":
            command = write_schedule(language, nudge.schedule)
            words = say(
                language,
                "I stop reminding you to review. To have my reminders again: {command}",
                command=command,
            )
            return words, None
        words = say_count(
            language,
            "There is {number} exercise to review, before you forget it.",
            "There are {number} exercises to review, before you forget them.",
            self._count_asked(nudge),
        )
        if place.capabilities.one_way:
            return words, None
        if not place.capabilities.max_buttons:
            how = say(language, "Reply REVIEW.")
            return f"{words} {how}", None
        label = say(language, "Review")
        return words, make_command_button(place.lane, place.address, label, "/review")


def _list_ways(nudge: Nudge) -> list[Channel]:
    """Return the channels of reminders; first the one on which the person asked for them."""
    return sorted(PUSH_CHANNELS, key=lambda channel: channel != nudge.channel)


def _link_under(place: Destination) -> Literal["", "review"]:
    """Return the kind of link under a reminder: to the review if no answer comes back, or if only a
    template, which has no buttons, goes out; else none."""
    return "review" if place.is_closed or place.capabilities.one_way else ""

"""Tell of senders that a provider has restricted, and try them again, with one delivery first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, cast

import structlog

from bot.accounts.people import People, email_of, language_of
from bot.contracts.storage import Database, Transaction
from bot.gateway.delivery.notify import Notifier
from bot.gateway.lanes import wake_lane
from bot.gateway.outbox_rows import (
    count_held,
    find_oldest_held,
    hasten_delayed,
    list_delayed_lanes,
    list_released_lanes,
    release_held,
    release_trial,
)
from bot.gateway.scheduler.scheduler import DueWork
from bot.gateway.sender_restrictions import (
    NEXT_STEP,
    end_trusted,
    find_restricted_since,
    list_due_trials,
    note_restricted,
)
from bot.i18n import DEFAULT_LANGUAGE, say
from bot.messages.channels import CHANNELS, PUSH_CHANNELS, Channel
from bot.messages.incoming import Sender
from bot.messages.outgoing import Say, SendEmail
from bot.settings import Settings

_WEB_CHAT: Final = "/chat"
_AT_ONCE: Final = 100
"""Conversations that are released in one transaction."""
_PAUSE: Final = 5.0
"""Seconds within which a trial has to begin, else another delivery is released for it."""
log = structlog.get_logger()


def make_release_work(database: Database) -> DueWork:
    """Return the scheduled work that releases the deliveries of restricted senders."""
    return DueWork("held", partial(release_deliveries, database), due=NEXT_STEP, pause=_PAUSE)


async def release_deliveries(database: Database) -> None:
    """End the restrictions whose trial was taken, release the deliveries that waited for these
    senders, begin the trials that are due, and have deliveries wait too that were to be tried again
    later."""
    for via in await database.write(end_trusted):
        log.info("sender_works_again", via=via)
    released = _AT_ONCE
    while released == _AT_ONCE:
        released = await database.write(_release_some)
    await database.write(_make_trials)
    hastened = _AT_ONCE
    while hastened == _AT_ONCE:
        hastened = await database.write(_hasten_some)


async def _release_some(tx: Transaction) -> int:
    """Release the deliveries of some conversations; return of how many."""
    return await _wake_lanes(tx, await list_released_lanes(tx, _AT_ONCE), release_held)


async def _hasten_some(tx: Transaction) -> int:
    """Have the deliveries of some conversations wait that a restricted sender would try again
    later; return of how many."""
    return await _wake_lanes(tx, await list_delayed_lanes(tx, _AT_ONCE), hasten_delayed)


async def _wake_lanes(
    tx: Transaction, lanes: Sequence[str], change: Callable[[Transaction, str], Awaitable[None]]
) -> int:
    """Change the deliveries of these lanes, and have workers look at them; return how many."""
    for lane in lanes:
        await wake_lane(tx, lane)
        await change(tx, lane)
        await tx.announce(lane)
    return len(lanes)


async def _make_trials(tx: Transaction) -> None:
    """Release one delivery of each sender that may be tried."""
    for via in await list_due_trials(tx):
        if row := await find_oldest_held(tx, via):
            await wake_lane(tx, row["lane"])
            await release_trial(tx, row["id"])
            await tx.announce(row["lane"])


class RestrictionNotices:
    """Tells operators and people of restricted senders. Its `tell` is a `WhenHeld`."""

    def __init__(self, people: People, notifier: Notifier, settings: Settings) -> None:
        self._people = people
        self._notifier = notifier
        self._settings = settings

    async def tell(self, tx: Transaction, lane: str, via: str, reason: str) -> None:
        """Tell the operators once a restriction, and the person of the lane once, in another
        channel, if it is their first delivery that waits."""
        since = await note_restricted(tx, via, reason) if reason else None
        if since is not None:
            log.error("sender_restricted", via=via, reason=reason)
            await self._tell_operators(tx, via, reason, key=f"restricted:{via}:{since}")
        if await count_held(tx, lane) == 1:
            await self._tell_person(tx, lane, via)

    async def _tell_operators(self, tx: Transaction, via: str, reason: str, *, key: str) -> None:
        subject = say(DEFAULT_LANGUAGE, "Griot: {via} may not send any more", via=via)
        words = say(
            DEFAULT_LANGUAGE,
            "The provider has restricted the number of {via}: {reason}. Answers wait, and people "
            "with another channel are told there. Griot tries one message an hour. Ask the "
            "provider for a review in its console; griot doctor shows how many answers wait.",
            via=via,
            reason=reason,
        )
        await self._notifier.email_operators(tx, subject, words, key)

    async def _tell_person(self, tx: Transaction, lane: str, via: str) -> None:
        """Tell the person in the first other channel that may be used now, else by e-mail."""
        name, _, address = lane.partition(":")
        channel = cast("Channel", name)
        account = (await self._people.find_sender(tx, channel, Sender(address))).account
        if account is None:
            return
        language = await language_of(tx, account)
        key = f"notice:restricted:{via}:{await find_restricted_since(tx, via)}"
        others: list[Channel] = [each for each in PUSH_CHANNELS if each != channel]
        place = await self._notifier.find_first(tx, others, account=account)
        if place is None:
            await self._write(tx, account, language, channel, key=key)
            return
        words = self._explain(language, channel, is_here=not place.capabilities.one_way)
        await self._notifier.hand_over(tx, place, [Say(words)], key=key)

    async def _write(
        self, tx: Transaction, account: int, language: str, channel: Channel, *, key: str
    ) -> None:
        address = await email_of(tx, account)
        if not (address and self._notifier.has_email):
            return
        subject = say(language, "Let us go on elsewhere")
        words = self._explain(language, channel, is_here=False)
        email = SendEmail((address,), subject, words, account=account)
        await self._notifier.hand_over_email(tx, email, key=f"{key}:{account}")

    def _explain(self, language: str, channel: Channel, *, is_here: bool) -> str:
        """Say why we cannot write on the channel, and where to go on.

        Args:
            is_here: the person can answer where they read this.
        """
        reason = say(
            language,
            "{channel} does not let me write to you at the moment.",
            channel=CHANNELS[channel].display_name,
        )
        if is_here:
            where = say(language, "Let us go on here: your conversation and your credits are here.")
        elif self._settings.public_url:
            where = say(
                language,
                "Log in with your number at {address}: your conversation and your credits are "
                "there.",
                address=f"{self._settings.public_url}{_WEB_CHAT}",
            )
        else:
            where = say(language, "Your answers will come as soon as it does again.")
        return f"{reason} {where}"

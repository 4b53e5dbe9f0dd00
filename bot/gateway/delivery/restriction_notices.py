"""Tell operators that a provider has restricted a sender, and people where to go on."""

from __future__ import annotations

from typing import Final, cast

import structlog

from bot.accounts.people import People, email_of, language_of
from bot.contracts.storage import Transaction
from bot.errors import ToolFailed
from bot.gateway.delivery.notify import Notifier
from bot.gateway.outbox_rows import count_held
from bot.gateway.sender_restrictions import find_restricted_since, note_restricted
from bot.i18n import DEFAULT_LANGUAGE, say
from bot.messages.channels import CHANNELS, PUSH_CHANNELS, Channel
from bot.messages.incoming import Sender
from bot.messages.outgoing import Say, SendEmail
from bot.settings import Settings

_WEB_CHAT: Final = "/chat"
log = structlog.get_logger()


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
        account = (await self._people.look_up(tx, channel, Sender(address))).account
        if account is None:
            return
        language = await language_of(tx, account)
        key = f"notice:restricted:{via}:{await find_restricted_since(tx, via)}"
        for other in PUSH_CHANNELS:
            if other == channel:
                continue
            try:
                place = await self._notifier.find(tx, other, account=account, may_wait=False)
            except ToolFailed:
                continue
            words = self._explain(language, channel, is_here=not place.capabilities.one_way)
            await self._notifier.hand_over(tx, place, [Say(words)], key=key)
            return
        await self._write(tx, account, language, channel, key=key)

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
                "Let us go on at {address}: your conversation and your credits are there.",
                address=f"{self._settings.public_url}{_WEB_CHAT}",
            )
        else:
            where = say(language, "Your answers will come as soon as it does again.")
        return f"{reason} {where}"

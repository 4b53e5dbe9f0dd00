"""Send one-time codes to phone numbers, by the next channel if one cannot deliver them."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

import structlog
from msgspec.structs import replace

from bot.accounts.aliases import read_contact_ids
from bot.accounts.one_time_codes import PLACE, Issued, NumberOptedOut, OneTimeCodes
from bot.accounts.phone_numbers import mask
from bot.contracts.storage import Transaction
from bot.errors import ToolFailed
from bot.gateway.deliveries import State
from bot.gateway.delivery.notify import NoMessagesWanted, Notifier
from bot.gateway.sender_restrictions import is_restricted
from bot.i18n import say
from bot.messages.channels import CODE_CHANNELS, PUSH_CHANNELS, Channel
from bot.messages.outgoing import Body, EmailBody, Say, SendCode, TemplateBody, TextBody

log = structlog.get_logger()


class CodeSender:
    def __init__(self, codes: OneTimeCodes, notifier: Notifier) -> None:
        self._codes = codes
        self._notifier = notifier

    async def send(
        self, tx: Transaction, number: str, issued: Issued, language: str
    ) -> Channel | None:
        """Send a code to a number (E.164); return the channel used, None if there is none.

        A person who asks again has not seen the first code, so the other channel is tried first.

        Raises:
            NumberOptedOut: the person wants no messages. The code is void; the caller must not roll
                that back, so that it counts towards the limits.
        """
        unwanted: list[Channel] = []
        words = say(
            language, "{code} is your Griot code, for 5 minutes. Give it to nobody.", code=PLACE
        )
        for channel in reversed(CODE_CHANNELS) if issued.again else CODE_CHANNELS:
            try:
                if await self._put(tx, channel, number, SendCode(issued.id, words)):
                    return channel
            except NoMessagesWanted:
                unwanted.append(channel)
        if not unwanted:
            return None
        log.info("code_unwanted", channel=unwanted[0], number=mask(number))
        await self._codes.void(tx, issued.id)
        raise NumberOptedOut(
            say(
                language,
                "The number {number} has asked me not to write to it (STOP), so no code was sent. "
                "To lift this, send START to me from that number, then ask for a code again.",
                number=mask(number),
            )
        )

    async def fall_back(
        self,
        tx: Transaction,
        lane: str,
        body: Body,
        state: State,
    ) -> None:
        """Send a code that was refused or is in doubt by the next channel too, if there is one;
        else tell the person who asked for it that it was refused.

        This is a `WhenRefused`. To get the same code twice does no harm.
        """
        if not isinstance(body, TextBody | TemplateBody) or not body.code_id:
            return
        name, _, address = lane.partition(":")
        channel = cast("Channel", name)
        number = (await read_contact_ids(tx, channel, address)).number
        place = CODE_CHANNELS.index(channel) if channel in CODE_CHANNELS else len(CODE_CHANNELS)
        for each in CODE_CHANNELS[place + 1 :]:
            code = SendCode(body.code_id, body.text)
            with suppress(NoMessagesWanted):
                if number and await self._put(tx, each, number, code):
                    return
        if state == "refused":
            await self._tell_asker(tx, body.code_id)

    async def _tell_asker(self, tx: Transaction, code_id: str) -> None:
        """Tell the person who asked for a code, where they did, that it could not be delivered."""
        found = await self._codes.find_asker(tx, code_id)
        if found is None:
            return
        asker, number = found
        log.warning("code_undeliverable", asked_on=asker.channel)
        if asker.channel not in PUSH_CHANNELS:
            return
        words = say(
            asker.language,
            "The code could not be delivered to {number}. Check the number and send /login again "
            "in a minute, or log in with another one.",
            number=mask(number),
        )
        with suppress(ToolFailed):
            place = await self._notifier.find_at(tx, asker.channel, asker.address)
            await self._notifier.hand_over(tx, place, [Say(words)], key=f"code:{code_id}:lost")

    def fill_in(self, body: Body) -> Body:
        """Return the body with its code, to be given to the provider and never stored."""
        match body:
            case EmailBody(email=email) if email.code_id:
                text = self._codes.fill_in(email.text, email.code_id)
                return replace(body, email=replace(email, text=text))
            case TextBody() | TemplateBody() if body.code_id:
                return replace(body, text=self._codes.fill_in(body.text, body.code_id))
            case _:
                return body

    async def _put(self, tx: Transaction, channel: Channel, number: str, code: SendCode) -> bool:
        """Send a code by a channel; return whether that is possible. Raises `NoMessagesWanted`
        where it would be, but for the person's wish."""
        try:
            place = await self._notifier.find_by_number(tx, channel, number)
        except NoMessagesWanted as refusal:
            if await is_restricted(tx, refusal.via):
                return False
            raise
        except ToolFailed:
            return False
        if await is_restricted(tx, place.via):
            return False
        by_template = place.is_closed and place.capabilities.template
        sent = replace(code, template=by_template)
        await self._notifier.hand_over(tx, place, [sent], key=f"code:{code.code_id}:{channel}")
        return True

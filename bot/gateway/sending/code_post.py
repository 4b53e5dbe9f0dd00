"""One-time codes on their way: by WhatsApp, by SMS if that fails; filled in when they are sent."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bot.accounts.codes import PLACE, Codes, Issued
from bot.contracts import Transaction
from bot.errors import ToolFailed
from bot.gateway.sending.courier import Courier
from bot.messages import Body, Channel, SendCode, TemplateBody, TextBody
from bot.texts import say

_WAYS: Sequence[Channel] = ("whatsapp", "sms")


class CodePost:
    def __init__(self, codes: Codes, courier: Courier) -> None:
        self._codes = codes
        self._courier = courier

    async def send(
        self, tx: Transaction, number: str, issued: Issued, language: str
    ) -> Channel | None:
        """Have a code sent to a number (E.164); by which channel, None if there is none.

        Whoever asks again has not seen the first one, so the other way is tried first.
        """
        words = say(
            language, "{code} is your Griot code, for 5 minutes. Give it to nobody.", code=PLACE
        )
        for channel in reversed(_WAYS) if issued.again else _WAYS:
            if await self._put(tx, channel, number, SendCode(issued.id, words)):
                return channel
        return None

    async def fall_back(self, tx: Transaction, lane: str, body: Body) -> None:
        """A delivery was refused for good, or is in doubt: a code that went by WhatsApp goes by SMS
        too; twice the same code does no harm."""
        channel, _, number = lane.partition(":")
        if channel != "whatsapp" or not isinstance(body, TextBody | TemplateBody):
            return
        if body.code_id:
            await self._put(tx, "sms", number, SendCode(body.code_id, body.text))

    def fill_in(self, body: Body) -> Body:
        """The body with its code, to be handed to the channel and kept nowhere."""
        if not isinstance(body, TextBody | TemplateBody) or not body.code_id:
            return body
        return msgspec.structs.replace(body, text=self._codes.fill_in(body.text, body.code_id))

    async def _put(self, tx: Transaction, channel: Channel, number: str, code: SendCode) -> bool:
        try:
            place = await self._courier.find_at(tx, channel, number)
        except ToolFailed:
            return False
        by_template = place.is_closed and place.capabilities.template
        sent = msgspec.structs.replace(code, template=by_template)
        await self._courier.hand_over(tx, place, [sent], key=f"code:{code.code_id}:{channel}")
        return True

"""SMS, by Twilio's Programmable Messaging."""

from __future__ import annotations

from collections.abc import Sequence

from adapters._numbers import address_of
from adapters._options import to_text
from adapters._twilio_account import Account
from adapters._twilio_http import ANSWER_SECONDS
from adapters._twilio_webhooks import Webhooks
from bot.contracts import Capabilities, Pace, Webhook
from bot.errors import Undeliverable
from bot.messages import (
    Attachment,
    Channel,
    Delivery,
    FileBody,
    Preview,
    Receipt,
    Sent,
    TemplateBody,
    TextBody,
    Update,
)
from bot.settings import Settings

SEGMENT = 153
"""Septets of one part of a joined message."""
MAX_SEGMENTS = 10
"""Twilio takes 1600 characters: ten parts and a bit."""
MAX_FILE_IN = 5 * 2**20


class TwilioSms:
    """The adapter. See `bot.contracts.Adapter` for what its methods promise.

    Pace: a sender's own is Twilio's queue's business (up to ten hours of it); ours keeps the
    account below its number of requests at once (twilio.com/docs/api/errors/21611, 20429).

    Args:
        settings: its `twilio_…` fields and `public_url`.
        page_segments: segments of a long answer that are sent at once.
        seconds: for an answer of Twilio's API.
    """

    name = "twilio_sms"
    channel: Channel = "sms"

    def __init__(
        self, settings: Settings, page_segments: int = 4, seconds: float = ANSWER_SECONDS
    ) -> None:
        self._webhooks = Webhooks(settings)
        self._account = Account(settings, seconds)
        self._sender = settings.twilio_sms_from
        self.capabilities = Capabilities(
            max_text=MAX_SEGMENTS * SEGMENT,
            text_unit="gsm7",
            page=min(page_segments, MAX_SEGMENTS) * SEGMENT,
            receipts=True,
            sender_pace=Pace(settings.twilio_sms_per_second, 20),
        )

    def verify(self, webhook: Webhook) -> None:
        self._webhooks.verify(webhook)

    def parse(self, webhook: Webhook) -> Sequence[Update | Receipt]:
        """Also what comes for WhatsApp: both share the routes."""
        return self._webhooks.parse(webhook)

    async def fetch(self, attachment: Attachment) -> bytes:
        """At most 5 MB, which is what an MMS holds."""
        return await self._account.fetch(attachment, MAX_FILE_IN)

    async def deliver(self, delivery: Delivery) -> Sent:
        match delivery.body:
            case TextBody() as body:
                return await self._send(delivery, to_text(body) if body.buttons else body.text)
            case FileBody() | TemplateBody():
                raise Undeliverable("SMS carries neither files nor templates")
            case _:  # nothing to retire or to acknowledge
                return Sent("")

    async def show(self, preview: Preview) -> None:
        """SMS shows nothing before it arrives."""

    async def close(self) -> None:
        await self._account.close()

    async def _send(self, delivery: Delivery, text: str) -> Sent:
        return await self._account.send(self._sender, address_of(delivery.conversation), body=text)

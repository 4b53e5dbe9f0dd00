"""SMS, by Twilio's Programmable Messaging."""

from __future__ import annotations

from adapters.base import require_phone_number, write_options_as_text
from adapters.twilio.account import Account
from adapters.twilio.client import ANSWER_SECONDS
from bot.contracts.channels import Capabilities, Pace
from bot.errors import Undeliverable
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Delivery, FileBody, Preview, Sent, TemplateBody, TextBody
from bot.settings import Settings

SEGMENT = 153
"""Septets of one part of a joined message."""
MAX_SEGMENTS = 10
"""Twilio takes 1600 characters: ten parts and a bit."""
MAX_FILE_IN = 5 * 2**20


class TwilioSms:
    """Implements `bot.contracts.channels.Adapter`.

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
        self._account = Account(settings, seconds)
        self._sender = settings.twilio_sms_from
        self.capabilities = Capabilities(
            max_text=MAX_SEGMENTS * SEGMENT,
            text_unit="gsm7",
            page=min(page_segments, MAX_SEGMENTS) * SEGMENT,
            receipts=True,
            sender_pace=Pace(settings.twilio_sms_per_second, 20),
        )

    async def fetch(self, attachment: Attachment) -> bytes:
        """Download a file of at most 5 MB, which is what an MMS holds."""
        return await self._account.fetch(attachment, MAX_FILE_IN)

    async def deliver(self, delivery: Delivery) -> Sent:
        match delivery.body:
            case TextBody() as body:
                text = write_options_as_text(body) if body.buttons else body.text
                number = require_phone_number(delivery.conversation)
                return await self._account.send(self._sender, number, body=text)
            case FileBody() | TemplateBody():
                raise Undeliverable("SMS carries neither files nor templates")
            case _:  # nothing to retire or to acknowledge
                return Sent("")

    async def show(self, preview: Preview) -> None:
        """Do nothing: SMS has no previews."""

    async def close(self) -> None:
        await self._account.close()

"""SMS, by Twilio's Programmable Messaging.

Texts and limits are those of every provider of SMS (`adapters/sms_gateway.py`), so that an answer
may go by any of them. Only Twilio delivers files (MMS), and none are sent: outside the United
States and Canada only a link arrives. Errors are in `client.py`.
"""

from __future__ import annotations

from adapters.sms_gateway import make_sms_capabilities, write_sms
from adapters.twilio.account import Account
from adapters.twilio.client import ANSWER_SECONDS
from bot.contracts.channels import Pace
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Delivery, Preview, Sent
from bot.settings import Settings

MAX_FILE_IN = 5 * 2**20
"""The most bytes of a file in an MMS."""


class TwilioSms:
    """Implements `bot.contracts.channels.Adapter`.

    Pace: Twilio queues what exceeds a sender's own pace (up to ten hours of it); ours keeps the
    account below its limit of requests at once (twilio.com/docs/api/errors/21611, 20429).

    Args:
        settings: its `twilio_…` fields and `public_url`.
        page_segments: segments of a long answer that are sent at once.
        seconds: time-out of a request to Twilio's API.
    """

    name = "twilio_sms"
    channel: Channel = "sms"

    def __init__(
        self, settings: Settings, page_segments: int = 4, seconds: float = ANSWER_SECONDS
    ) -> None:
        self._account = Account(settings, seconds)
        self._sender = settings.twilio_sms_from
        pace = Pace(settings.twilio_sms_per_second, 20)
        self.capabilities = make_sms_capabilities(page_segments, pace, self._sender)

    async def fetch(self, attachment: Attachment) -> bytes:
        """Download a file of at most 5 MB, the limit of an MMS."""
        return await self._account.fetch(attachment, MAX_FILE_IN)

    async def deliver(self, delivery: Delivery) -> Sent:
        message = write_sms(delivery)
        if message is None:  # nothing to retire or to acknowledge
            return Sent("")
        number, text = message
        return await self._account.send(self._sender, number, body=text)

    async def show(self, preview: Preview) -> None:
        """Do nothing: SMS has no previews."""

    async def close(self) -> None:
        await self._account.close()

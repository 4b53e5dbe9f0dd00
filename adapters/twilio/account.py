"""A Twilio account, used by both adapters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import structlog
from twilio.base import values
from twilio.rest import Client

from adapters.twilio.check import check_account
from adapters.twilio.client import ANSWER_SECONDS, HttpClient, Refusal, explain
from adapters.twilio.media import Media
from bot.contracts.findings import Finding
from bot.errors import OutcomeUnknown
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Sent
from bot.settings import Settings

if TYPE_CHECKING:
    from twilio.rest.api.v2010.account.message import MessageList

log = structlog.get_logger()


class Account:
    """Sends messages by a Twilio account, fetches media, and checks the account.

    Args:
        settings: its `twilio_…` fields and `public_url`.
        seconds: time-out of a request to the API.
    """

    title = "Twilio"

    def __init__(self, settings: Settings, seconds: float = ANSWER_SECONDS) -> None:
        self._settings = settings
        credentials = (settings.twilio_account_sid, settings.twilio_auth_token)
        self._http = HttpClient(settings.twilio_api_url, seconds)
        self._media = Media(settings.twilio_api_url, credentials, seconds)
        # Settings decide: the SDK would read regions and credentials of its own in the environment.
        self.client = Client(*credentials, http_client=self._http, environment={"TWILIO_EDGE": ""})
        self._callback = (
            f"{settings.public_url}/webhooks/twilio/status" if settings.public_url else values.unset
        )

    @cached_property
    def _messages(self) -> MessageList:
        """The SDK's list of messages, made when it is needed, as the SDK imports a hundred modules
        for it."""
        return self.client.messages

    async def send(
        self,
        sender: str,
        to: str,
        *,
        body: str = "",
        media_url: str = "",
        content_sid: str = "",
        content_variables: str = "",
    ) -> Sent:
        """Send one message; empty fields are left out. Raises `DeliveryError`."""
        try:
            message = await self._messages.create_async(
                to=to,
                from_=sender,
                status_callback=self._callback,
                body=body or values.unset,
                media_url=[media_url] if media_url else values.unset,
                content_sid=content_sid or values.unset,
                content_variables=content_variables or values.unset,
            )
        except Refusal as refusal:
            log_operator_error(refusal)
            raise explain(refusal) from None
        if not message.sid:
            raise OutcomeUnknown("Twilio's answer names no message")
        return Sent(message.sid)

    async def fetch(self, attachment: Attachment, limit: int) -> bytes:
        """Download an attachment. Raises `NotFound`, `TooLarge` or `RetryAt`."""
        return await self._media.fetch(self._http.session, attachment.reference, limit)

    async def check(self) -> Sequence[Finding]:
        """Check the account (`bot.contracts.findings.CheckedProvider`)."""
        return await check_account(self._http, self._settings)

    async def close(self) -> None:
        await self._http.close()


def log_operator_error(refusal: Refusal) -> None:
    """Log a refusal that only the operator can mend."""
    if refusal.is_for_operator:
        log.error("twilio_account_refused", status=refusal.status, code=refusal.code)

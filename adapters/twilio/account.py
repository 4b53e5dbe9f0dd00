"""A Twilio account: sending, media and checks, used by both adapters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import structlog

from adapters.twilio.client import ANSWER_SECONDS, Refusal, TwilioClient, explain
from adapters.twilio.media import Media
from bot.contracts.findings import Finding
from bot.errors import OutcomeUnknown
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Sent
from bot.net import get_fields
from bot.settings import Settings

_BAD_KEYS: Final = (401, 403, 404)
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
        self.client = TwilioClient(settings, seconds)
        self._media = Media(settings.twilio_api_url, credentials, seconds)
        self._callback = (
            f"{settings.public_url}/webhooks/twilio/status" if settings.public_url else ""
        )

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
        optional = {
            "StatusCallback": self._callback,
            "Body": body,
            "MediaUrl": media_url,
            "ContentSid": content_sid,
            "ContentVariables": content_variables,
        }
        given = {name: value for name, value in optional.items() if value}
        form = {"To": to, "From": sender, **given}
        try:
            message = await self.client.post(f"{self.client.account_url}/Messages.json", form)
        except Refusal as refusal:
            log_operator_error(refusal)
            raise explain(refusal) from None
        if not message.sid:
            raise OutcomeUnknown("Twilio's answer names no message")
        return Sent(message.sid)

    async def fetch(self, attachment: Attachment, limit: int) -> bytes:
        """Download an attachment. Raises `NotFound`, `TooLarge` or `RetryAt`."""
        return await self._media.fetch(self.client.session, attachment.reference, limit)

    async def check(self) -> Sequence[Finding]:
        """Check the account (`bot.contracts.findings.CheckedProvider`)."""
        url = self.client.account_url
        try:
            account = await self.client.get(f"{url}.json")
        except Refusal as refusal:
            if refusal.status not in _BAD_KEYS:
                raise ConnectionError(f"it answered {refusal.status}") from None
            problem = f"Twilio refuses it: {refusal.status}, error {refusal.code or ''}"
            advice = (
                "copy TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN again: "
                "the live ones, not the test ones"
            )
            return [Finding("error", "TWILIO_AUTH_TOKEN", problem, advice)]
        if account.status != "active":
            advice = "see the console of Twilio: billing, or a review of the account"
            return [Finding("error", "Twilio", f"the account is {account.status}", advice)]
        if not self._settings.twilio_sms_from.startswith("+"):
            return [Finding("ok", "Twilio", "knows the account")]
        query = {"PhoneNumber": self._settings.twilio_sms_from, "PageSize": "1"}
        try:
            listed = await self.client.get(f"{url}/IncomingPhoneNumbers.json", query)
        except Refusal as refusal:
            raise ConnectionError(f"it answered {refusal.status}") from None
        problems = list(
            _check_numbers(listed.incoming_phone_numbers or [], self._settings.public_url)
        )
        return problems or [Finding("ok", "Twilio", "knows the account and its number")]

    async def close(self) -> None:
        await self.client.close()


def log_operator_error(refusal: Refusal) -> None:
    """Log a refusal that only the operator can mend."""
    if refusal.is_for_operator:
        log.error("twilio_account_refused", status=refusal.status, code=refusal.code)


def _check_numbers(numbers: Sequence[Any], public_url: str | None) -> Iterator[Finding]:
    if not numbers:
        yield Finding(
            "warning",
            "TWILIO_SMS_FROM",
            "is no number of this account",
            "copy it from the console of Twilio, unless it is hosted elsewhere",
        )
        return
    number = get_fields(numbers[0])
    if get_fields(number.get("capabilities")).get("sms") is False:
        advice = "buy one with SMS in the console of Twilio"
        yield Finding("error", "TWILIO_SMS_FROM", "cannot send SMS", advice)
    # If the number has an application, the application's address counts instead.
    ours, has_application = f"{public_url}/webhooks/twilio", bool(number.get("sms_application_sid"))
    if public_url and not has_application and number.get("sms_url") != ours:
        yield Finding(
            "warning",
            "TWILIO_SMS_FROM",
            "messages to it do not come here",
            f'set "A message comes in" to {ours} (POST) in the console of Twilio, '
            "unless a messaging service does",
        )

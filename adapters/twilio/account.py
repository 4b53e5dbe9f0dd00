"""A Twilio account: sending, media and checks, used by both adapters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

import msgspec
import structlog
from twilio.base import values
from twilio.rest import Client

from adapters.twilio.client import (
    ANSWER_SECONDS,
    DEFAULT_API_URL,
    Answer,
    HttpClient,
    Refusal,
    explain,
)
from adapters.twilio.media import Media
from bot.contracts.findings import Finding
from bot.errors import OutcomeUnknown
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Sent
from bot.settings import Settings

if TYPE_CHECKING:
    from twilio.rest.api.v2010.account.message import MessageList

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
        return await _check_account(self._http, self._settings)

    async def close(self) -> None:
        await self._http.close()


def log_operator_error(refusal: Refusal) -> None:
    """Log a refusal that only the operator can mend."""
    if refusal.is_for_operator:
        log.error("twilio_account_refused", status=refusal.status, code=refusal.code)


async def _check_account(http: HttpClient, settings: Settings) -> Sequence[Finding]:
    """Check the account and its number (`bot.contracts.findings.CheckedProvider`)."""
    try:
        account = await _ask(http, settings, ".json")
    except Refusal as refusal:
        if refusal.status not in _BAD_KEYS:
            raise ConnectionError(f"it answered {refusal.status}") from None
        problem = f"Twilio refuses it: {refusal.status}, error {refusal.code or ''}"
        advice = (
            "copy TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN again: the live ones, not the test ones"
        )
        return [Finding("error", "TWILIO_AUTH_TOKEN", problem, advice)]
    if account.status != "active":
        advice = "see the console of Twilio: billing, or a review of the account"
        return [Finding("error", "Twilio", f"the account is {account.status}", advice)]
    if not settings.twilio_sms_from.startswith("+"):
        return [Finding("ok", "Twilio", "knows the account")]
    query = {"PhoneNumber": settings.twilio_sms_from, "PageSize": "1"}
    try:
        listed = await _ask(http, settings, "/IncomingPhoneNumbers.json", query)
    except Refusal as refusal:
        raise ConnectionError(f"it answered {refusal.status}") from None
    problems = list(_check_numbers(listed.incoming_phone_numbers or [], settings.public_url))
    return problems or [Finding("ok", "Twilio", "knows the account and its number")]


async def _ask(
    http: HttpClient, settings: Settings, path: str, query: Mapping[str, str] | None = None
) -> Answer:
    """Get a resource of the account. Raises `Refusal`, `RetryAt` or `OutcomeUnknown`."""
    sid = settings.twilio_account_sid
    url = f"{DEFAULT_API_URL}/2010-04-01/Accounts/{quote(sid, safe='')}{path}"
    answer = await http.request("GET", url, params=query, auth=(sid, settings.twilio_auth_token))
    return msgspec.json.decode(answer.text, type=Answer)


def _check_numbers(numbers: Sequence[Any], public_url: str | None) -> Iterator[Finding]:
    if not numbers:
        yield Finding(
            "warning",
            "TWILIO_SMS_FROM",
            "is no number of this account",
            "copy it from the console of Twilio, unless it is hosted elsewhere",
        )
        return
    number = _fields_of(numbers[0])
    if _fields_of(number.get("capabilities")).get("sms") is False:
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


def _fields_of(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}

"""Check the Twilio account, and the number that sends SMS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import quote

import msgspec

from adapters.twilio.client import DEFAULT_API_URL, Answer, HttpClient, Refusal
from bot.contracts.findings import Finding
from bot.settings import Settings

_BAD_KEYS: Final = (401, 403, 404)


async def check_account(http: HttpClient, settings: Settings) -> Sequence[Finding]:
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

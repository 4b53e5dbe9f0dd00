"""Twilio: whether the account takes our token, and where its number sends messages.

https://www.twilio.com/docs/iam/api/account,
https://www.twilio.com/docs/phone-numbers/api/incomingphonenumber-resource. WhatsApp senders are not
among the numbers of that list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote, urlencode

from aiohttp import encode_basic_auth

from bot.checks.findings import Finding
from bot.checks.providers.asking import Answer, ask, fields_of
from bot.settings import Settings


async def examine(settings: Settings) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    sid, token = settings.twilio_account_sid, settings.twilio_auth_token
    headers = {"Authorization": encode_basic_auth(sid, token)}
    account_url = f"{settings.twilio_api_url}/2010-04-01/Accounts/{quote(sid, safe='')}"
    account = await ask(f"{account_url}.json", headers=headers)
    if account.status in {401, 403, 404}:
        return [_refused(account)]
    if not account.is_good:
        raise account.unexpected()
    if (status := account.fields.get("status")) != "active":
        advice = "see the console of Twilio: billing, or a review of the account"
        return [Finding("error", "Twilio", f"the account is {status}", advice)]
    if not settings.twilio_sms_from.startswith("+"):
        return [Finding("ok", "Twilio", "knows the account")]
    query = urlencode({"PhoneNumber": settings.twilio_sms_from, "PageSize": "1"})
    listed = await ask(f"{account_url}/IncomingPhoneNumbers.json?{query}", headers=headers)
    if not listed.is_good:
        raise listed.unexpected()
    troubles = list(_check_number(settings, listed))
    return troubles or [Finding("ok", "Twilio", "knows the account and its number")]


def _refused(account: Answer) -> Finding:
    code = account.fields.get("code", "")
    return Finding(
        "error",
        "TWILIO_AUTH_TOKEN",
        f"Twilio refuses it: {account.status}, error {code}",
        "copy TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN again: the live ones, not the test ones",
    )


def _check_number(settings: Settings, listed: Answer) -> Iterator[Finding]:
    numbers = listed.fields.get("incoming_phone_numbers")
    if not isinstance(numbers, list) or not numbers:
        yield Finding(
            "warning",
            "TWILIO_SMS_FROM",
            "is no number of this account",
            "copy it from the console of Twilio, unless it is hosted elsewhere",
        )
        return
    number = fields_of(cast("list[object]", numbers)[0])
    if fields_of(number.get("capabilities")).get("sms") is False:
        advice = "buy one with SMS in the console of Twilio"
        yield Finding("error", "TWILIO_SMS_FROM", "cannot send SMS", advice)
    yield from _check_address(settings, number)


def _check_address(settings: Settings, number: Mapping[str, Any]) -> Iterator[Finding]:
    """An application, if there is one, has an address of its own that counts instead."""
    ours = f"{settings.public_url}/webhooks/twilio"
    has_application = bool(number.get("sms_application_sid"))
    if settings.public_url and not has_application and number.get("sms_url") != ours:
        yield Finding(
            "warning",
            "TWILIO_SMS_FROM",
            "messages to it do not come here",
            f'set "A message comes in" to {ours} (POST) in the console of Twilio, '
            "unless a messaging service does",
        )

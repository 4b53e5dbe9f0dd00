"""Values that only their own reader can judge: addresses of mail, prices, a service's id."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from bot.checks.findings import Finding
from bot.errors import SettingsError
from bot.settings import Settings

_VERIFY: Final = re.compile(r"VA[0-9a-fA-F]{32}")
"""https://www.twilio.com/docs/verify/api/service#properties"""
_LONG_TOKEN: Final = 24
_VARIED_TOKEN: Final = 8
"""Different characters."""
_E164: Final = re.compile(r"\+[1-9][0-9]{6,14}")


def can_be_guessed(secret: str) -> bool:
    """Whether somebody who tries, and who may try at home, would come to it."""
    return len(secret) < _LONG_TOKEN or len(set(secret)) < _VARIED_TOKEN


def check_mail(settings: Settings) -> Iterator[Finding]:
    """Whether the server and all addresses can be read, and whom reports of faults reach."""
    from bot.mail.addresses import read_operators, read_sender
    from bot.mail.smtp import read_server

    read: tuple[tuple[str, Callable[[str], object]], ...] = (
        (settings.smtp_url, read_server),
        (settings.mail_from, read_sender),
        (settings.operator_email, read_operators),
    )
    for value, reader in read:
        try:
            if value:
                reader(value)
        except SettingsError as error:
            name, _, message = str(error).partition(": ")
            yield Finding("error", name, message, "write it as shown")
    if settings.operator_email and not (settings.smtp_url and settings.mail_from):
        advice = "set SMTP_URL and MAIL_FROM, or OPERATOR_WHATSAPP instead"
        yield Finding("warning", "OPERATOR_EMAIL", "without mail nothing reaches it", advice)
    yield from _check_operator_numbers(settings)


def _check_operator_numbers(settings: Settings) -> Iterator[Finding]:
    numbers = [each.strip() for each in settings.operator_whatsapp.split(",")]
    if any(each and not _E164.fullmatch(each) for each in numbers):
        advice = "write +225…, several with commas between them"
        yield Finding("error", "OPERATOR_WHATSAPP", "not a number in E.164", advice)


def check_operator_token(settings: Settings) -> Iterator[Finding]:
    """Whoever has it sees everybody's conversations: it must not be one that can be guessed."""
    token = settings.operator_token
    if not token:
        yield Finding("ok", "OPERATOR_TOKEN", "not set: there is no operator page")
    elif can_be_guessed(token):
        advice = "make one: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        yield Finding("warning", "OPERATOR_TOKEN", "short enough to be guessed", advice)
    else:
        yield Finding(
            "ok", "OPERATOR_TOKEN", f"set: operators log in at {settings.base_url}/operator"
        )


def check_prices(settings: Settings) -> Iterator[Finding]:
    """CinetPay takes multiples of 5 only; whoever chose such a pack would hear that it is down."""
    if not settings.cinetpay_api_key:
        return
    from bot.accounts.packs import packs_of
    from bot.accounts.payments.cinetpay import STEP

    for pack in packs_of(settings):
        if pack.fcfa % STEP:
            advice = f"make it a multiple of {STEP}"
            yield Finding("warning", "PACKS", f"CinetPay takes no payment of {pack.fcfa}", advice)


def check_verify(settings: Settings) -> Iterator[Finding]:
    """Whether Twilio Verify, if it is to make the login codes, can be asked."""
    name, service = "TWILIO_VERIFY_SERVICE_SID", settings.twilio_verify_service_sid
    if not service:
        return
    if not (settings.twilio_account_sid and settings.twilio_auth_token):
        advice = "set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, or leave it out"
        yield Finding("error", name, "nobody could log in: it needs a Twilio account", advice)
    elif not _VERIFY.fullmatch(service):
        advice = "copy the service's SID, VA and 32 hexadecimal digits"
        yield Finding("warning", name, "this does not look like a Verify service", advice)
    else:
        yield Finding("ok", name, "login codes by Twilio Verify")

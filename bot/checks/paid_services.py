"""Check the settings of paid services: packs of credits, messages, codes by Twilio Verify."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Final

from bot.contracts.findings import Finding
from bot.settings import MESSAGE_CATEGORIES, Settings

_VERIFY: Final = re.compile(r"VA[0-9a-fA-F]{32}")
"""https://www.twilio.com/docs/verify/api/service#properties"""
_YEAR: Final = 366
"""Days after which a table of prices counts as old."""
_PAID_SENDERS: Final = (
    "twilio_sms_from",
    "twilio_whatsapp_from",
    "whatsapp_phone_number_id",
    "orange_client_id",
    "africastalking_api_key",
)
"""Settings of which at least one is set if messages are paid for."""


def check_packs(settings: Settings) -> Iterator[Finding]:
    """Yield each pack whose amount CinetPay refuses: its buyer would read that CinetPay is down."""
    if not settings.cinetpay_api_key:
        return
    from bot.billing.packs import packs_of
    from bot.billing.providers.cinetpay import STEP
    from bot.billing.providers.cinetpay_v1 import AMOUNTS

    is_newer, least = bool(settings.cinetpay_api_password), AMOUNTS[0]
    advice = f"make it {least} or more" if is_newer else f"make it a multiple of {STEP}"
    for pack in packs_of(settings):
        if pack.fcfa < least if is_newer else pack.fcfa % STEP:
            yield Finding("warning", "PACKS", f"CinetPay takes no payment of {pack.fcfa}", advice)


def check_message_prices(settings: Settings, today: Callable[[], date]) -> Iterator[Finding]:
    """Yield the age of the table of prices for each setting in whose place it is used, if messages
    are paid for."""
    from bot.gateway.delivery.message_costs import get_table_date

    settings_of = {"WHATSAPP_PRICES": settings.whatsapp_prices, "SMS_PRICES": settings.sms_prices}
    unset = [name for name, prices in settings_of.items() if "*" not in prices]
    if not any(getattr(settings, field) for field in _PAID_SENDERS):
        return
    named = {category for prices in settings.whatsapp_prices.values() for category in prices}
    if unknown := ", ".join(sorted(named.difference(MESSAGE_CATEGORIES))):
        problem = f"unknown to this version of Griot: {unknown}"
        advice = f"see whether WhatsApp has them; known are {', '.join(MESSAGE_CATEGORIES)}"
        yield Finding("warning", "WHATSAPP_PRICES", problem, advice)
    dated = get_table_date()
    for name in unset:
        if (today() - dated).days > _YEAR:
            problem = f"Griot's own prices, from {dated}: over a year old"
            yield Finding("warning", name, problem, "set it to what you pay, or update Griot")
        else:
            yield Finding("ok", name, f"Griot's own prices, from {dated}")


def check_verify(settings: Settings) -> Iterator[Finding]:
    """Yield whether Twilio Verify, if it is to make the login codes, can be used."""
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

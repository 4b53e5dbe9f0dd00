"""Meta: whether it takes the token, the number and the app's secret.

https://developers.facebook.com/docs/whatsapp/business-management-api/manage-phone-numbers,
https://developers.facebook.com/docs/graph-api/guides/secure-requests (`appsecret_proof`: with a
wrong one every request is refused, so that the secret can be checked before a webhook needs it),
https://developers.facebook.com/docs/graph-api/guides/error-handling (codes)
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from bot.checks.findings import Finding
from bot.checks.providers.asking import Answer, ask, fields_of
from bot.settings import Settings

_BAD_TOKEN = 190
_NO_OBJECT = 100
_NO_PERMISSION = (3, 10, *range(200, 300))


async def examine(settings: Settings) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    told = await _ask_for_number(settings)
    if told.is_good:
        return [_judge(told.fields)]
    return [_explain(told)]


async def find_address(settings: Settings) -> str:
    """Where people open the chat. Raises `Unanswered`, also where the token is refused."""
    told = await _ask_for_number(settings)
    number = str(told.fields.get("display_phone_number", ""))
    if not told.is_good or not re.search(r"\d", number):
        raise told.unexpected()
    return link_to(number)


def link_to(number: str) -> str:
    """https://faq.whatsapp.com/5913398998672934"""
    return f"https://wa.me/{re.sub(r'[^0-9]', '', number)}"


async def _ask_for_number(settings: Settings) -> Answer:
    query = {"fields": "display_phone_number,verified_name,quality_rating"}
    if settings.whatsapp_app_secret:
        query["appsecret_proof"] = _prove(settings)
    number = quote(settings.whatsapp_phone_number_id, safe="")
    url = f"{settings.whatsapp_api_url.rstrip('/')}/{number}?{urlencode(query)}"
    return await ask(url, headers={"Authorization": f"Bearer {settings.whatsapp_token}"})


def _prove(settings: Settings) -> str:
    secret, token = settings.whatsapp_app_secret, settings.whatsapp_token
    return hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()


def _judge(number: Mapping[str, Any]) -> Finding:
    if number.get("quality_rating") == "RED":
        advice = "people block or report what it sends; Meta may limit it: see WhatsApp Manager"
        return Finding("warning", "WhatsApp", "the number's quality rating is RED", advice)
    name = str(number.get("verified_name", ""))[:80]
    return Finding("ok", "WhatsApp", f"knows the number and the token: {name}")


def _explain(told: Answer) -> Finding:
    """Raises `Unanswered` for what says nothing about our settings."""
    error = fields_of(told.fields.get("error"))
    code, message = error.get("code"), str(error.get("message", ""))
    if "appsecret_proof" in message:
        advice = "copy the secret of the same app that made the token (App settings, Basic)"
        return Finding(
            "error", "WHATSAPP_APP_SECRET", "is not of the app that made WHATSAPP_TOKEN", advice
        )
    if code == _BAD_TOKEN or told.status == 401:
        advice = "make a permanent token of a system user; those of the dashboard last a day"
        return Finding("error", "WHATSAPP_TOKEN", "Meta refuses it, or it has expired", advice)
    if code in _NO_PERMISSION:
        advice = "give its system user whatsapp_business_messaging and the WhatsApp account"
        return Finding("error", "WHATSAPP_TOKEN", "may not use this number", advice)
    if code == _NO_OBJECT:
        advice = "copy the phone number's id, not the number nor the account's id"
        return Finding(
            "error", "WHATSAPP_PHONE_NUMBER_ID", "Meta knows no such number for us", advice
        )
    raise told.unexpected()

"""Probes of Telegram, Twilio, WhatsApp, Orange and Africa's Talking: whether they accept our keys
and call us."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import quote, urlencode, urlsplit

from aiohttp import encode_basic_auth

from bot.checks.findings import Finding
from bot.checks.http import Answer, ask_provider, get_fields
from bot.settings import Settings

_RECENT: Final = 3600.0
"""Seconds for which a failed call of our webhook is worth telling."""
_NAME: Final = re.compile(r"\w{1,64}", re.ASCII)
_MANY: Final = 100
"""Updates waiting at Telegram that no burst of messages explains."""


async def probe_telegram(settings: Settings) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    api = f"{settings.telegram_api_url}/bot{settings.telegram_bot_token}"
    me = await ask_provider(f"{api}/getMe")
    if me.status in {401, 404}:  # 404: it has not even the form of a token
        return [_explain_telegram_refusal(me)]
    if not me.is_good:
        raise me.unexpected()
    name = get_fields(me.fields.get("result")).get("username", "")
    answer = await ask_provider(f"{api}/getWebhookInfo")
    if not answer.is_good:
        raise answer.unexpected()
    problems = list(_check_telegram_webhook(settings, get_fields(answer.fields.get("result"))))
    return problems or [Finding("ok", "Telegram", f"knows the token: @{name}")]


async def find_telegram_webhook(settings: Settings) -> str:
    """Where Telegram sends updates; empty: they wait to be asked for. Raises `Unanswered`."""
    api = f"{settings.telegram_api_url}/bot{settings.telegram_bot_token}"
    answer = await ask_provider(f"{api}/getWebhookInfo")
    if not answer.is_good:
        raise answer.unexpected()
    return str(get_fields(answer.fields.get("result")).get("url", ""))


async def find_telegram_address(settings: Settings) -> str:
    """Where people open the bot. Raises `Unanswered`, also where the token is refused."""
    me = await ask_provider(f"{settings.telegram_api_url}/bot{settings.telegram_bot_token}/getMe")
    name = str(get_fields(me.fields.get("result")).get("username", ""))
    if not me.is_good or not _NAME.fullmatch(name):
        raise me.unexpected()
    return f"https://t.me/{name}"


def _explain_telegram_refusal(me: Answer) -> Finding:
    reason = str(me.fields.get("description", ""))[:100]
    return Finding(
        "error",
        "TELEGRAM_BOT_TOKEN",
        f"Telegram refuses it: {me.status} {reason}",
        "copy the token from @BotFather again",
    )


def _check_telegram_webhook(settings: Settings, answer: Mapping[str, Any]) -> Iterator[Finding]:
    """An empty address is fine either way: each start with PUBLIC_URL sets it."""
    url = str(answer.get("url", ""))
    if url and settings.public_url is None:
        yield Finding(
            "warning",
            "Telegram",
            f"sends updates to {_host(url)}, so that we cannot poll; another bot uses this token?",
            "stop that one, or set PUBLIC_URL, or call deleteWebhook",
        )
    elif url and url != f"{settings.public_url}/webhooks/telegram":
        yield Finding(
            "warning",
            "Telegram",
            f"sends updates to {_host(url)}, not to PUBLIC_URL/webhooks/telegram",
            "start Griot, which sets it; if it changes back, another bot uses this token",
        )
    if time.time() - float(answer.get("last_error_date") or 0) < _RECENT:
        reason = str(answer.get("last_error_message", ""))[:200]
        yield Finding(
            "warning",
            "Telegram",
            f"could not call us within the last hour: {reason}",
            "403 is a wrong TELEGRAM_WEBHOOK_SECRET; else check PUBLIC_URL and its certificate",
        )
    if (waiting := int(answer.get("pending_update_count") or 0)) > _MANY:
        advice = "check that griot serve (or griot web) runs and can be reached"
        yield Finding("warning", "Telegram", f"{waiting} updates wait for us there", advice)


def _host(url: str) -> str:
    """Without the path, which may hold somebody's secret."""
    return urlsplit(url).hostname or "elsewhere"


async def probe_twilio(settings: Settings) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    sid, token = settings.twilio_account_sid, settings.twilio_auth_token
    headers = {"Authorization": encode_basic_auth(sid, token)}
    account_url = f"{settings.twilio_api_url}/2010-04-01/Accounts/{quote(sid, safe='')}"
    account = await ask_provider(f"{account_url}.json", headers=headers)
    if account.status in {401, 403, 404}:
        return [_explain_twilio_refusal(account)]
    if not account.is_good:
        raise account.unexpected()
    if (status := account.fields.get("status")) != "active":
        advice = "see the console of Twilio: billing, or a review of the account"
        return [Finding("error", "Twilio", f"the account is {status}", advice)]
    if not settings.twilio_sms_from.startswith("+"):
        return [Finding("ok", "Twilio", "knows the account")]
    query = urlencode({"PhoneNumber": settings.twilio_sms_from, "PageSize": "1"})
    listed = await ask_provider(f"{account_url}/IncomingPhoneNumbers.json?{query}", headers=headers)
    if not listed.is_good:
        raise listed.unexpected()
    problems = list(_check_twilio_number(settings, listed))
    return problems or [Finding("ok", "Twilio", "knows the account and its number")]


def _explain_twilio_refusal(account: Answer) -> Finding:
    code = account.fields.get("code", "")
    return Finding(
        "error",
        "TWILIO_AUTH_TOKEN",
        f"Twilio refuses it: {account.status}, error {code}",
        "copy TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN again: the live ones, not the test ones",
    )


def _check_twilio_number(settings: Settings, listed: Answer) -> Iterator[Finding]:
    numbers = listed.fields.get("incoming_phone_numbers")
    if not isinstance(numbers, list) or not numbers:
        yield Finding(
            "warning",
            "TWILIO_SMS_FROM",
            "is no number of this account",
            "copy it from the console of Twilio, unless it is hosted elsewhere",
        )
        return
    number = get_fields(cast("list[object]", numbers)[0])
    if get_fields(number.get("capabilities")).get("sms") is False:
        advice = "buy one with SMS in the console of Twilio"
        yield Finding("error", "TWILIO_SMS_FROM", "cannot send SMS", advice)
    yield from _check_sms_url(settings, number)


def _check_sms_url(settings: Settings, number: Mapping[str, Any]) -> Iterator[Finding]:
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


_BAD_TOKEN = 190
_NO_OBJECT = 100
_NO_PERMISSION = (3, 10, *range(200, 300))


async def probe_whatsapp(settings: Settings) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    answer = await _ask_for_whatsapp_number(settings)
    if answer.is_good:
        return [_judge_whatsapp_number(answer.fields)]
    return [_explain_whatsapp_refusal(answer)]


async def find_whatsapp_address(settings: Settings) -> str:
    """Where people open the chat. Raises `Unanswered`, also where the token is refused."""
    answer = await _ask_for_whatsapp_number(settings)
    number = str(answer.fields.get("display_phone_number", ""))
    if not answer.is_good or not re.search(r"\d", number):
        raise answer.unexpected()
    return make_whatsapp_link(number)


def make_whatsapp_link(number: str) -> str:
    """https://faq.whatsapp.com/5913398998672934"""
    return f"https://wa.me/{re.sub(r'[^0-9]', '', number)}"


async def _ask_for_whatsapp_number(settings: Settings) -> Answer:
    query = {"fields": "display_phone_number,verified_name,quality_rating"}
    if settings.whatsapp_app_secret:
        query["appsecret_proof"] = _sign_token(settings)
    number = quote(settings.whatsapp_phone_number_id, safe="")
    url = f"{settings.whatsapp_api_url.rstrip('/')}/{number}?{urlencode(query)}"
    return await ask_provider(url, headers={"Authorization": f"Bearer {settings.whatsapp_token}"})


def _sign_token(settings: Settings) -> str:
    secret, token = settings.whatsapp_app_secret, settings.whatsapp_token
    return hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()


def _judge_whatsapp_number(number: Mapping[str, Any]) -> Finding:
    if number.get("quality_rating") == "RED":
        advice = "people block or report what it sends; Meta may limit it: see WhatsApp Manager"
        return Finding("warning", "WhatsApp", "the number's quality rating is RED", advice)
    name = str(number.get("verified_name", ""))[:80]
    return Finding("ok", "WhatsApp", f"knows the number and the token: {name}")


def _explain_whatsapp_refusal(answer: Answer) -> Finding:
    """Raises `Unanswered` for what says nothing about our settings."""
    error = get_fields(answer.fields.get("error"))
    code, message = error.get("code"), str(error.get("message", ""))
    if "appsecret_proof" in message:
        advice = "copy the secret of the same app that made the token (App settings, Basic)"
        return Finding(
            "error", "WHATSAPP_APP_SECRET", "is not of the app that made WHATSAPP_TOKEN", advice
        )
    if code == _BAD_TOKEN or answer.status == 401:
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
    raise answer.unexpected()


async def probe_orange(settings: Settings) -> Sequence[Finding]:
    """Fetch a token, which is free. Raises `Unanswered`."""
    answer = await ask_provider(
        f"{settings.orange_api_url}/oauth/v3/token",
        headers={
            "Authorization": encode_basic_auth(
                settings.orange_client_id, settings.orange_client_secret
            )
        },
        form={"grant_type": "client_credentials"},
    )
    if answer.status in {400, 401, 403}:
        advice = "copy ORANGE_CLIENT_ID and ORANGE_CLIENT_SECRET again, of the same application"
        problem = f"Orange refuses it: {answer.status}"
        return [Finding("error", "ORANGE_CLIENT_SECRET", problem, advice)]
    if not answer.is_good or not answer.fields.get("access_token"):
        raise answer.unexpected()
    return [Finding("ok", "Orange", "gives us a token")]


async def probe_africastalking(settings: Settings) -> Sequence[Finding]:
    """Ask for the balance (developers.africastalking.com/docs/application). Raises
    `Unanswered`."""
    query = urlencode({"username": settings.africastalking_username})
    answer = await ask_provider(
        f"{settings.africastalking_api_url}/version1/user?{query}",
        headers={"apiKey": settings.africastalking_api_key},
    )
    if answer.status in {401, 403}:
        advice = "copy the key again; a new one works after some minutes, and a sandbox has its own"
        problem = f"Africa's Talking refuses it: {answer.status}"
        return [Finding("error", "AFRICASTALKING_API_KEY", problem, advice)]
    balance = str(get_fields(answer.fields.get("UserData")).get("balance", ""))[:30]
    if not answer.is_good or not balance:
        raise answer.unexpected()
    return [Finding("ok", "Africa's Talking", f"knows the account, which has {balance}")]

"""Check the bot's token, and the webhook that Telegram calls."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from telegram.error import TelegramError

from adapters.telegram.client import Refusal, Transport
from bot.contracts.findings import Finding

_RECENT: Final = 3600.0
"""Seconds for which a failed call of our webhook is reported."""
_NAME: Final = re.compile(r"\w{1,64}", re.ASCII)
_MANY: Final = 100
"""The most updates waiting at Telegram that a burst of messages can explain."""
_BAD_TOKEN: Final = (401, 404)
"""HTTP statuses for a wrong token. 404: it has not even the form of a token."""


class _Me(msgspec.Struct):
    username: str = ""


class WebhookInfo(msgspec.Struct):
    """https://core.telegram.org/bots/api#webhookinfo"""

    url: str = ""
    last_error_date: int | float = 0
    last_error_message: str = ""
    pending_update_count: int = 0


Form = TypeVar("Form")


async def check_bot(transport: Transport, public_url: str | None) -> Sequence[Finding]:
    """Check the token and the webhook (`bot.contracts.findings.CheckedProvider`)."""
    try:
        me = await _ask(transport, "getMe", _Me)
    except Refusal as refusal:
        if refusal.status not in _BAD_TOKEN:
            raise _unanswered(refusal) from None
        problem = f"Telegram refuses it: {refusal.message.title()}"
        advice = "copy the token from @BotFather again"
        return [Finding("error", "TELEGRAM_BOT_TOKEN", problem, advice)]
    problems = list(_check_webhook(await find_webhook(transport), public_url))
    return problems or [Finding("ok", "Telegram", f"knows the token: @{me.username}")]


async def find_address(transport: Transport) -> str:
    """Return the link by which people open the bot. Raises `ConnectionError`."""
    try:
        name = (await _ask(transport, "getMe", _Me)).username
    except Refusal as refusal:
        raise _unanswered(refusal) from None
    if not _NAME.fullmatch(name):
        raise ConnectionError("it tells no name of the bot")
    return f"https://t.me/{name}"


async def find_webhook(transport: Transport) -> WebhookInfo:
    """Return Telegram's state of the webhook. Raises `ConnectionError`."""
    try:
        return await _ask(transport, "getWebhookInfo", WebhookInfo)
    except Refusal as refusal:
        raise _unanswered(refusal) from None


async def _ask(transport: Transport, method: str, form: type[Form]) -> Form:
    """Call a method and return its result. Raises `Refusal`, or `ConnectionError`."""
    try:
        payload = await transport.call(method, {})
        return msgspec.convert(transport.parse_json_payload(payload)["result"], form)
    except Refusal:
        raise
    except TelegramError as error:
        raise ConnectionError(error.message) from None
    except msgspec.ValidationError:
        raise ConnectionError(f"it answered something else than {method} answers") from None


def _unanswered(refusal: Refusal) -> ConnectionError:
    return ConnectionError(f"it answered {refusal.status}")


def _check_webhook(webhook: WebhookInfo, public_url: str | None) -> Iterator[Finding]:
    """Yield the problems of the webhook. An empty address is none: each start with PUBLIC_URL sets
    it."""
    # Without the path, which may hold another bot's secret.
    host = urlsplit(webhook.url).hostname or "elsewhere"
    if webhook.url and public_url is None:
        yield Finding(
            "warning",
            "Telegram",
            f"sends updates to {host}, so that we cannot poll; another bot uses this token?",
            "stop that one, or set PUBLIC_URL, or call deleteWebhook",
        )
    elif webhook.url and webhook.url != f"{public_url}/webhooks/telegram":
        yield Finding(
            "warning",
            "Telegram",
            f"sends updates to {host}, not to PUBLIC_URL/webhooks/telegram",
            "start Griot, which sets it; if it changes back, another bot uses this token",
        )
    if time.time() - webhook.last_error_date < _RECENT:
        yield Finding(
            "warning",
            "Telegram",
            f"could not call us within the last hour: {webhook.last_error_message[:200]}",
            "403 is a wrong TELEGRAM_WEBHOOK_SECRET; else check PUBLIC_URL and its certificate",
        )
    if (waiting := webhook.pending_update_count) > _MANY:
        advice = "check that griot serve (or griot web) runs and can be reached"
        yield Finding("warning", "Telegram", f"{waiting} updates wait for us there", advice)

"""Telegram: whether it knows the token, and where it sends updates.

https://core.telegram.org/bots/api#getme, https://core.telegram.org/bots/api#getwebhookinfo
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from bot.checks.findings import Finding
from bot.checks.providers.asking import Answer, ask, fields_of
from bot.settings import Settings

_RECENT: Final = 3600.0
"""Seconds for which a failed call of our webhook is worth telling."""
_NAME: Final = re.compile(r"\w{1,64}", re.ASCII)
_MANY: Final = 100
"""Updates waiting at Telegram that no burst of messages explains."""


async def examine(settings: Settings) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    api = f"{settings.telegram_api_url}/bot{settings.telegram_bot_token}"
    me = await ask(f"{api}/getMe")
    if me.status in {401, 404}:  # 404: it has not even the form of a token
        return [_refused(me)]
    if not me.is_good:
        raise me.unexpected()
    name = fields_of(me.fields.get("result")).get("username", "")
    told = await ask(f"{api}/getWebhookInfo")
    if not told.is_good:
        raise told.unexpected()
    troubles = list(_check_webhook(settings, fields_of(told.fields.get("result"))))
    return troubles or [Finding("ok", "Telegram", f"knows the token: @{name}")]


async def find_webhook(settings: Settings) -> str:
    """Where Telegram sends updates; empty: they wait to be asked for. Raises `Unanswered`."""
    api = f"{settings.telegram_api_url}/bot{settings.telegram_bot_token}"
    told = await ask(f"{api}/getWebhookInfo")
    if not told.is_good:
        raise told.unexpected()
    return str(fields_of(told.fields.get("result")).get("url", ""))


async def find_address(settings: Settings) -> str:
    """Where people open the bot. Raises `Unanswered`, also where the token is refused."""
    me = await ask(f"{settings.telegram_api_url}/bot{settings.telegram_bot_token}/getMe")
    name = str(fields_of(me.fields.get("result")).get("username", ""))
    if not me.is_good or not _NAME.fullmatch(name):
        raise me.unexpected()
    return f"https://t.me/{name}"


def _refused(me: Answer) -> Finding:
    reason = str(me.fields.get("description", ""))[:100]
    return Finding(
        "error",
        "TELEGRAM_BOT_TOKEN",
        f"Telegram refuses it: {me.status} {reason}",
        "copy the token from @BotFather again",
    )


def _check_webhook(settings: Settings, told: Mapping[str, Any]) -> Iterator[Finding]:
    """An empty address is fine either way: each start with PUBLIC_URL sets it."""
    url = str(told.get("url", ""))
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
    if time.time() - float(told.get("last_error_date") or 0) < _RECENT:
        reason = str(told.get("last_error_message", ""))[:200]
        yield Finding(
            "warning",
            "Telegram",
            f"could not call us within the last hour: {reason}",
            "403 is a wrong TELEGRAM_WEBHOOK_SECRET; else check PUBLIC_URL and its certificate",
        )
    if (waiting := int(told.get("pending_update_count") or 0)) > _MANY:
        advice = "check that griot serve (or griot web) runs and can be reached"
        yield Finding("warning", "Telegram", f"{waiting} updates wait for us there", advice)


def _host(url: str) -> str:
    """Without the path, which may hold somebody's secret."""
    return urlsplit(url).hostname or "elsewhere"

"""What can be told from the settings alone: what is missing, half done or cannot work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.checks.findings import Finding, summarize
from bot.checks.groups import GROUPS, TWILIO, WHATSAPP, check_group
from bot.checks.values import (
    can_be_guessed,
    check_mail,
    check_operator_token,
    check_prices,
    check_verify,
)
from bot.errors import SettingsError
from bot.settings import Settings

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_TELEGRAM_TOKEN: Final = re.compile(r"\d{5,15}:[\w-]{30,}")
"""The form in https://core.telegram.org/bots/api#authorizing-your-bot."""
_TELEGRAM_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")
"""`secret_token` in https://core.telegram.org/bots/api#setwebhook."""


def check(settings: Settings) -> Iterator[Finding]:
    """What the settings tell; nothing is opened or asked."""
    yield _check_secret(settings)
    yield from _check_previous_secret(settings)
    yield from _check_address(settings)
    yield from _check_processes(settings)
    yield from check_model(settings)
    yield _check_search(settings)
    yield from _check_tools(settings)
    yield from _check_telegram(settings)
    for group in GROUPS:
        yield from check_group(settings, group)
    yield from check_mail(settings)
    yield from check_operator_token(settings)
    yield from check_prices(settings)
    yield from check_verify(settings)


def refuse(settings: Settings) -> None:
    """To be called before anything is served: a channel that is set up wrongly would be deaf, mail
    that is would be lost.

    Raises:
        SettingsError: names each channel's error, one a line.
    """
    channels = (
        *_check_telegram(settings),
        *check_group(settings, TWILIO),
        *check_group(settings, WHATSAPP),
        *check_mail(settings),
        *check_verify(settings),
    )
    wrong = [item for item in channels if item.level == "error"]
    if wrong:
        lines = (f"{item.name}: {item.message}; {item.advice}" for item in wrong)
        raise SettingsError("\n".join(lines))


def _check_secret(settings: Settings) -> Finding:
    if not settings.secret_key:
        problem = "not set: it signs links and hashes codes"
        advice = "griot doctor --fix makes one and writes it to .env"
        return Finding("error", "SECRET_KEY", problem, advice, "missing")
    advice = "make one: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
    if can_be_guessed(settings.secret_key):
        return Finding("warning", "SECRET_KEY", "short enough to be guessed", advice)
    return Finding("ok", "SECRET_KEY", "set")


def _check_previous_secret(settings: Settings) -> Iterator[Finding]:
    if not settings.secret_key_previous:
        return
    if settings.secret_key_previous == settings.secret_key:
        advice = "set SECRET_KEY to a new one, the same in every process"
        yield Finding("warning", "SECRET_KEY_PREVIOUS", "is the same as SECRET_KEY", advice)
    else:
        days = settings.link_seconds / 86_400
        kept = f"links of the older key are good; leave it out {days:g} days after the change"
        yield Finding("ok", "SECRET_KEY_PREVIOUS", kept)


def _check_address(settings: Settings) -> Iterator[Finding]:
    if settings.public_url is None:
        yield Finding("ok", "PUBLIC_URL", "not set: reachable from this machine only")
    elif settings.public_url.startswith("https://"):
        yield Finding("ok", "PUBLIC_URL", settings.public_url)
        yield from _check_proxies(settings)
    else:
        advice = "use the https:// address that people reach"
        yield Finding("warning", "PUBLIC_URL", "not https: links and webhooks are readable", advice)


def _check_proxies(settings: Settings) -> Iterator[Finding]:
    """Https ends in a proxy; if that is elsewhere, it must be trusted to tell people apart."""
    default = Settings.model_fields["trusted_proxies"].default
    if settings.host not in _LOOPBACK and settings.trusted_proxies == default:
        yield Finding(
            "warning",
            "TRUSTED_PROXIES",
            "only a proxy on this machine is believed; behind another all guests look alike",
            "set it to the networks of your proxies, such as 172.16.0.0/12,fdaa::/16 on Fly.io",
        )


def _check_processes(settings: Settings) -> Iterator[Finding]:
    if settings.is_sqlite and settings.redis_url:
        yield Finding(
            "warning",
            "DATABASE_URL",
            "SQLite is for one machine and one worker; REDIS_URL suggests more",
            "use postgresql://user:password@host/name for several processes",
        )
    elif not settings.is_sqlite and not settings.redis_url:
        yield Finding("ok", "REDIS_URL", "not set: web and worker in one process (griot serve)")


def check_model(settings: Settings) -> Iterator[Finding]:
    """Whether there is a model to ask, and whether its price is known."""
    from bot.agent.prices import UNKNOWN, facts_of

    if settings.debug_mock_responses is not None:
        entries = len(settings.debug_mock_responses)
        yield Finding(
            "ok", "DEBUG_MOCK_RESPONSES", f"{entries} scripted answers; no model is asked"
        )
        return
    default_url = Settings.model_fields["openai_base_url"].default
    if not settings.openai_api_key and settings.openai_base_url == default_url:
        yield Finding(
            "error",
            "OPENAI_API_KEY",
            "not set: there is no model to ask",
            "set it, or OPENAI_BASE_URL of a server that wants no key",
            "missing",
        )
    else:
        yield Finding("ok", "MODEL", f"{settings.model}, {len(settings.model_fallbacks)} fallbacks")
    if facts_of(settings.model, settings.model_capabilities) is UNKNOWN:
        yield Finding(
            "warning",
            "MODEL",
            f"{settings.model} is in no price table: its price and window are guessed",
            f'set MODEL_CAPABILITIES: {{"{settings.model}": {{"context_window": …, "usd_in": …}}}}',
        )


def _check_search(settings: Settings) -> Finding:
    if settings.tavily_api_key or settings.searxng_url:
        return Finding("ok", "web search", "set up")
    if "web_search" in settings.disabled_tools:
        return Finding("ok", "web search", "off")
    way = "by public search engines; TAVILY_API_KEY or SEARXNG_URL is steadier"
    return Finding("ok", "web search", way)


def _check_tools(settings: Settings) -> Iterator[Finding]:
    named = [("DISABLED_TOOLS", settings.disabled_tools)]
    named += [(f"ADVISORS: {each.name}", frozenset(each.tools)) for each in settings.advisors]
    for where, names in named:
        for name in sorted(names):
            if not _may_exist(name, settings):
                advice = "see griot tools for the names"
                yield Finding("warning", where, f"there is no tool {name!r}", advice)


def _may_exist(name: str, settings: Settings) -> bool:
    """Whether there is such a tool; what MCP servers have is known only when they run."""
    from tools import TOOLS

    delegates = {f"delegate_to_{each.name}" for each in (*settings.advisors, *settings.a2a_agents)}
    return (
        name in delegates
        or any(name == tool.name for tool in TOOLS)
        or any(name.startswith(f"{server}_") for server in settings.mcp_servers)
    )


def _check_telegram(settings: Settings) -> Iterator[Finding]:
    if not settings.telegram_bot_token:
        return
    is_real = settings.telegram_api_url == Settings.model_fields["telegram_api_url"].default
    if is_real and not _TELEGRAM_TOKEN.fullmatch(settings.telegram_bot_token):
        advice = "copy it from @BotFather: digits, a colon, 35 characters"
        yield Finding("error", "TELEGRAM_BOT_TOKEN", "does not have the form of a token", advice)
    if settings.public_url is None:
        return
    if not _TELEGRAM_SECRET.fullmatch(settings.telegram_webhook_secret):
        yield Finding(
            "error",
            "TELEGRAM_WEBHOOK_SECRET",
            "with PUBLIC_URL Telegram calls a webhook, which this must protect",
            "set it to 1 to 256 letters, digits, _ or -; or leave out PUBLIC_URL to poll",
            "" if settings.telegram_webhook_secret else "missing",
        )
    if is_real and not settings.public_url.startswith("https://"):
        advice = "use an https:// address, or leave it out to poll"
        yield Finding("error", "PUBLIC_URL", "Telegram calls webhooks over https only", advice)


__all__ = ["GROUPS", "Finding", "check", "check_model", "refuse", "summarize"]

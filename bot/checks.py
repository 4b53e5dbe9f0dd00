"""What can be told from the settings alone: what is missing, half done or cannot work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bot.errors import SettingsError
from bot.settings import Settings

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_TELEGRAM_TOKEN: Final = re.compile(r"\d{5,15}:[\w-]{30,}")
"""The form in https://core.telegram.org/bots/api#authorizing-your-bot."""
_TELEGRAM_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")
"""`secret_token` in https://core.telegram.org/bots/api#setwebhook."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at, and what came of it."""

    level: Literal["ok", "warning", "error"]
    name: str
    message: str
    advice: str = ""
    """What to do; empty when all is well."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Settings that are of use only together."""

    name: str
    needed: Sequence[str]
    one_of: Sequence[str] = ()
    needs_address: bool = False
    """It works with `PUBLIC_URL` only."""
    used: bool = False
    """This version has code for it."""


_TWILIO: Final = _Group(
    "Twilio",
    ("twilio_account_sid", "twilio_auth_token"),
    one_of=("twilio_sms_from", "twilio_whatsapp_from"),
    needs_address=True,  # its signatures hold the address, and its reports come there
    used=True,
)
_WHATSAPP: Final = _Group(
    "WhatsApp",
    (
        "whatsapp_token",
        "whatsapp_phone_number_id",
        "whatsapp_app_secret",
        "whatsapp_verify_token",
    ),
    used=True,
)
_GROUPS: Final = (
    _TWILIO,
    _WHATSAPP,
    _Group("mail", ("smtp_url", "mail_from")),
    _Group("Stripe", ("stripe_secret_key", "stripe_webhook_secret")),
    _Group("Paystack", ("paystack_secret_key",)),
    _Group("CinetPay", ("cinetpay_api_key", "cinetpay_site_id", "cinetpay_secret_key")),
    _Group("Flutterwave", ("flutterwave_secret_key", "flutterwave_hash")),
    _Group("Wave", ("wave_api_key", "wave_webhook_secret")),
    _Group("MTN MoMo", ("mtn_momo_user", "mtn_momo_key", "mtn_momo_subscription_key")),
    _Group("S3 keys", ("aws_access_key_id", "aws_secret_access_key"), used=True),
)
NOT_YET: Final = (
    "operator_email",
    "operator_whatsapp",
    "job_timeout",
    "otp_countries",
)
"""Settings that can be set, but that nothing reads so far."""


def check(settings: Settings) -> Iterator[Finding]:
    """What the settings tell; nothing is opened or asked."""
    yield _check_secret(settings)
    yield from _check_address(settings)
    yield from _check_processes(settings)
    yield from _check_model(settings)
    yield _check_search(settings)
    yield from _check_tools(settings)
    yield from _check_telegram(settings)
    for group in _GROUPS:
        yield from _check_group(settings, group)
    yield from _check_unused(settings)


def refuse(settings: Settings) -> None:
    """To be called before anything is served: a channel that is set up wrongly would be deaf.

    Raises:
        SettingsError: names each channel's error, one a line.
    """
    channels = (
        *_check_telegram(settings),
        *_check_group(settings, _TWILIO),
        *_check_group(settings, _WHATSAPP),
    )
    wrong = [item for item in channels if item.level == "error"]
    if wrong:
        lines = (f"{item.name}: {item.message}; {item.advice}" for item in wrong)
        raise SettingsError("\n".join(lines))


def _check_secret(settings: Settings) -> Finding:
    if settings.secret_key:
        return Finding("ok", "SECRET_KEY", "set")
    return Finding(
        "error",
        "SECRET_KEY",
        "not set: it signs links and hashes codes",
        "make one: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
    )


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


def _check_model(settings: Settings) -> Iterator[Finding]:
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
        )
    if is_real and not settings.public_url.startswith("https://"):
        advice = "use an https:// address, or leave it out to poll"
        yield Finding("error", "PUBLIC_URL", "Telegram calls webhooks over https only", advice)


def _check_group(settings: Settings, group: _Group) -> Iterator[Finding]:
    """Nothing for a group that is not used at all."""
    values = {name: getattr(settings, name) for name in (*group.needed, *group.one_of)}
    if not any(values.values()):
        return
    missing = [name.upper() for name in group.needed if not values[name]]
    if group.one_of and not any(values[name] for name in group.one_of):
        missing.append(" or ".join(name.upper() for name in group.one_of))
    if missing:
        left = ", ".join(name.upper() for name, value in values.items() if value)
        advice = f"set it, or leave out {left}"
        yield Finding("error", group.name, f"half set up: {', '.join(missing)} missing", advice)
    elif group.needs_address and settings.public_url is None:
        advice = "set PUBLIC_URL to the address that people reach"
        yield Finding("error", group.name, "it calls us back, but PUBLIC_URL is not set", advice)
    elif not group.used:
        advice = "nothing comes of it; it may stay for a later version"
        yield Finding("warning", group.name, "set, but not used yet by this version", advice)
    else:
        yield Finding("ok", group.name, "set up")


def _check_unused(settings: Settings) -> Iterator[Finding]:
    for name in NOT_YET:
        default = Settings.model_fields[name].get_default(call_default_factory=True)
        if getattr(settings, name) != default:
            advice = "nothing comes of it; it may stay for a later version"
            yield Finding("warning", name.upper(), "set, but not used yet by this version", advice)

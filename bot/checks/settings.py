"""Check the settings by themselves: what is missing, half done or cannot work."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from adapters.base import PHONE_NUMBER
from bot.contracts.channels import Finding
from bot.errors import SettingsError
from bot.settings import MESSAGE_CATEGORIES, NEEDED_FOR_SMS, Settings

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_TELEGRAM_TOKEN: Final = re.compile(r"\d{5,15}:[\w-]{30,}")
"""The form in https://core.telegram.org/bots/api#authorizing-your-bot."""
_TELEGRAM_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")
"""`secret_token` in https://core.telegram.org/bots/api#setwebhook."""


_SMS_SENDER: Final = re.compile(r"\+[0-9]+|[0-9]{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 +_&-]{1,11}")
"""A number, a short code or a name, which has a letter:
https://www.twilio.com/docs/glossary/what-alphanumeric-sender-id"""


def check_settings(settings: Settings, today: Callable[[], date] = date.today) -> Iterator[Finding]:
    """Yield the findings about the settings; nothing is opened and no provider is asked."""
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
    yield from _check_cinetpay(settings)
    yield from _check_senders(settings)
    yield from check_sms_routes(settings)
    yield from check_one_way(settings)
    yield from check_email(settings)
    yield from check_operator_token(settings)
    yield from check_packs(settings)
    yield from check_message_prices(settings, today)
    yield from check_verify(settings)


def refuse_broken_settings(settings: Settings) -> None:
    """Raise an error if a channel or mail is set up wrongly, since messages would be lost, or if a
    tool is switched off that does not exist, since another would stay on; to be called before
    anything is served.

    Raises:
        SettingsError: names each error, one per line.
    """
    found = (
        *_check_telegram(settings),
        *(finding for group in CHANNEL_GROUPS for finding in check_group(settings, group)),
        *check_sms_routes(settings),
        *check_email(settings),
        *check_verify(settings),
        *_check_tools(settings),
    )
    wrong = [item for item in found if item.level == "error"]
    if wrong:
        lines = (f"{item.name}: {item.message}; {item.advice}" for item in wrong)
        raise SettingsError("\n".join(lines))


def list_weak_secrets(settings: Settings) -> list[str]:
    """Return the names of the secrets that are set and can be guessed."""
    findings = (_check_secret(settings), *check_operator_token(settings))
    return [item.name for item in findings if item.level == "warning"]


def _check_secret(settings: Settings) -> Finding:
    if not settings.secret_key:
        problem = "not set: it signs links and hashes codes"
        advice = "griot doctor --fix makes one and writes it to .env"
        return Finding("error", "SECRET_KEY", problem, advice, missing=("SECRET_KEY",))
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
        hours = math.ceil(settings.link_seconds / 3600)
        kept = f"links of the older key are good; leave it out {hours} h after the change"
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
    """Yield a warning if only this machine's proxies are trusted: elsewhere all guests look
    alike."""
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
    """Yield whether there is a model to ask, and whether its price is known."""
    from bot.agent.model_facts import UNKNOWN_MODEL, find_model_facts

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
            missing=("OPENAI_API_KEY",),
        )
    else:
        yield Finding("ok", "MODEL", f"{settings.model}, {len(settings.model_fallbacks)} fallbacks")
    if find_model_facts(settings.model, settings.model_capabilities) is UNKNOWN_MODEL:
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
    from tools import TOOLS

    known = [tool.name for tool in TOOLS]
    for name in sorted(settings.disabled_tools):
        if not _may_exist(name, settings):
            near = difflib.get_close_matches(name, known, n=1)
            advice = f"did you mean {near[0]!r}?" if near else "see griot tools for the names"
            yield Finding("error", "DISABLED_TOOLS", f"there is no tool {name!r}", advice)
    for advisor in settings.advisors:
        for name in sorted(frozenset(advisor.tools)):
            if not _may_exist(name, settings):
                advice = "see griot tools for the names"
                where = f"ADVISORS: {advisor.name}"
                yield Finding("warning", where, f"there is no tool {name!r}", advice)


def _may_exist(name: str, settings: Settings) -> bool:
    """Return whether there may be such a tool; those of MCP servers are known at run time only."""
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
    is_token = not is_real or bool(_TELEGRAM_TOKEN.fullmatch(settings.telegram_bot_token))
    if not is_token:
        advice = "copy it from @BotFather: digits, a colon, 35 characters"
        yield Finding("error", "TELEGRAM_BOT_TOKEN", "does not have the form of a token", advice)
    if settings.public_url is None:
        return
    is_secret = bool(_TELEGRAM_SECRET.fullmatch(settings.telegram_webhook_secret))
    if not is_secret:
        yield Finding(
            "error",
            "TELEGRAM_WEBHOOK_SECRET",
            "with PUBLIC_URL Telegram calls a webhook, which this must protect",
            "set it to 1 to 256 letters, digits, _ or -; or leave out PUBLIC_URL to poll",
            missing=() if settings.telegram_webhook_secret else ("TELEGRAM_WEBHOOK_SECRET",),
        )
    if is_real and not settings.public_url.startswith("https://"):
        advice = "use an https:// address, or leave it out to poll"
        yield Finding("error", "PUBLIC_URL", "Telegram calls webhooks over https only", advice)
    elif is_token and is_secret:
        address = f"{settings.public_url}/webhooks/telegram"
        yield Finding("ok", "Telegram", f"set up, to call {address}")


@dataclass(frozen=True, slots=True)
class Group:
    """Settings that are of use only together."""

    name: str
    needed: Sequence[str]
    one_of: Sequence[str] = ()
    needs_address: bool = False
    """Whether it works only with `PUBLIC_URL`."""
    webhook: str = ""
    """The path of the address that has to be entered at the provider."""
    webhook_key: str = ""
    """The provider whose key is at the end of the address, if the provider signs nothing."""
    other_use: str = ""
    """A setting that also uses `needed`, without any of `one_of` and without an address."""

    def find_address(self, settings: Settings) -> str:
        """Return the whole address to enter at the provider; empty if there is none, or if it
        cannot be known without `PUBLIC_URL` or `SECRET_KEY`."""
        if not (self.webhook and settings.public_url):
            return ""
        if not self.webhook_key:
            return f"{settings.public_url}{self.webhook}"
        keys = settings.list_webhook_keys(self.webhook_key)
        return f"{settings.public_url}{self.webhook}/{keys[0]}" if keys else ""


CHANNEL_GROUPS: Final = (
    Group(
        "Twilio",
        ("twilio_account_sid", "twilio_auth_token"),
        one_of=("twilio_sms_from", "twilio_whatsapp_from"),
        needs_address=True,  # its signatures contain the address, and its reports are sent there
        webhook="/webhooks/twilio",
        other_use="twilio_verify_service_sid",
    ),
    Group(
        "WhatsApp",
        (
            "whatsapp_token",
            "whatsapp_phone_number_id",
            "whatsapp_app_secret",
            "whatsapp_verify_token",
        ),
        webhook="/webhooks/whatsapp",
    ),
    Group(
        "Orange",
        NEEDED_FOR_SMS["orange"],
        webhook="/webhooks/orange",
        webhook_key="orange",
    ),
    Group(
        "Africa's Talking",
        NEEDED_FOR_SMS["africastalking"],
        webhook="/webhooks/africastalking",
        webhook_key="africastalking",
    ),
)
"""Those of channels: Griot does not start while one is half set up."""
GROUPS: Final = (
    *CHANNEL_GROUPS,
    Group("mail", ("smtp_url", "mail_from")),
    Group(
        "Stripe",
        ("stripe_secret_key", "stripe_webhook_secret"),
        needs_address=True,
        webhook="/webhooks/payments/stripe",
    ),
    Group(
        "Paystack",
        ("paystack_secret_key",),
        needs_address=True,
        webhook="/webhooks/payments/paystack",
    ),
    Group(
        "Flutterwave",
        ("flutterwave_secret_key", "flutterwave_hash"),
        needs_address=True,
        webhook="/webhooks/payments/flutterwave",
    ),
    Group(
        "Wave",
        ("wave_api_key", "wave_webhook_secret"),
        needs_address=True,
        webhook="/webhooks/payments/wave",
    ),
    Group(
        "MTN MoMo",
        ("mtn_momo_user", "mtn_momo_key", "mtn_momo_subscription_key"),
        needs_address=True,
    ),
    Group("S3 keys", ("aws_access_key_id", "aws_secret_access_key")),
)


_CINETPAY_V1: Final = Group(
    "CinetPay", ("cinetpay_api_key", "cinetpay_api_password"), needs_address=True
)
_CINETPAY_V2: Final = Group(
    "CinetPay", ("cinetpay_api_key", "cinetpay_site_id", "cinetpay_secret_key"), needs_address=True
)


def _check_cinetpay(settings: Settings) -> Iterator[Finding]:
    """Yield findings about CinetPay, whose newer API is used if a password is set."""
    if not settings.cinetpay_api_password:
        yield from check_group(settings, _CINETPAY_V2)
        return
    yield from check_group(settings, _CINETPAY_V1)
    if settings.cinetpay_site_id or settings.cinetpay_secret_key:
        yield Finding(
            "warning",
            "CINETPAY_SITE_ID",
            "is not used: CINETPAY_API_PASSWORD chooses the newer API, which has keys of its own",
            "leave out CINETPAY_SITE_ID and CINETPAY_SECRET_KEY, or the password",
        )


def check_group(settings: Settings, group: Group) -> Iterator[Finding]:
    """Yield findings about a group; none if no setting of it is set."""
    values = {name: getattr(settings, name) for name in (*group.needed, *group.one_of)}
    if not any(values.values()):
        return
    is_channel = any(values[name] for name in group.one_of)
    if group.other_use and getattr(settings, group.other_use) and not is_channel:
        return
    missing = _list_unset(settings, group.needed)
    named = ", ".join(missing)
    if group.one_of and not is_channel:
        others = _list_unset(settings, group.one_of)
        named = ", ".join([*missing, " or ".join(others)])
        missing += others
    if missing:
        left = ", ".join(name.upper() for name, value in values.items() if value)
        advice = f"set it, or leave out {left}"
        problem = f"half set up: {named} missing"
        yield Finding("error", group.name, problem, advice, missing=missing)
    elif group.needs_address and settings.public_url is None:
        advice = "set PUBLIC_URL to the address that people reach"
        problem = "it calls us back, but PUBLIC_URL is not set"
        yield Finding("error", group.name, problem, advice, missing=("PUBLIC_URL",))
    elif group.webhook_key and settings.public_url is None:
        advice = "set PUBLIC_URL to the address that people reach"
        problem = (
            "without PUBLIC_URL it cannot tell what became of messages, and SMS to people who "
            "cannot answer (SMS_ONE_WAY) hold neither options nor links"
        )
        yield Finding("warning", group.name, problem, advice)
    elif address := group.find_address(settings):
        yield Finding("ok", group.name, f"set up, to call {address}")
    else:
        yield Finding("ok", group.name, "set up")


def _list_unset(settings: Settings, fields: Sequence[str]) -> list[str]:
    """Return the names of the settings among these that are not set."""
    return [field.upper() for field in fields if not getattr(settings, field)]


def _check_senders(settings: Settings) -> Iterator[Finding]:
    """Yield the senders of messages from which a provider sends nothing."""
    from adapters.whatsapp.adapter import read_template

    number = settings.twilio_whatsapp_from.removeprefix("whatsapp:")
    if number and not re.fullmatch(r"\+[0-9]+", number):
        yield Finding("error", "TWILIO_WHATSAPP_FROM", "not a number in E.164", "write +1…")
    if settings.twilio_sms_from and not _SMS_SENDER.fullmatch(settings.twilio_sms_from):
        advice = "write a number as +1…, a short code, or a name of 11 letters and digits at most"
        yield Finding("error", "TWILIO_SMS_FROM", "Twilio sends no SMS from it", advice)
    try:
        read_template(settings.whatsapp_template)
    except SettingsError as error:
        name, _, message = str(error).partition(": ")
        yield Finding("error", name, "has no language, or no name", message)


def check_sms_routes(settings: Settings) -> Iterator[Finding]:
    """Yield whether each SMS route leads to a provider that is set up, and whether each such
    provider is used."""
    providers, routes = settings.sms_providers, settings.sms_routes
    if not providers and "sms_routes" not in settings.model_fields_set:
        return  # there are no SMS
    problems = list(_find_dead_routes(settings))
    for provider in sorted(providers - {*routes.values()} - {"twilio"}):
        advice = f'name it in SMS_ROUTES, such as {{"225": "{provider}", "*": "twilio"}}'
        problem = f"nothing is sent by {provider}, which is set up"
        problems.append(Finding("warning", "SMS_ROUTES", problem, advice))
    yield from problems
    if not problems and providers - {"twilio"}:
        ways = ", ".join(f"{code} {provider}" for code, provider in sorted(routes.items()))
        yield Finding("ok", "SMS_ROUTES", ways)


def check_one_way(settings: Settings) -> Iterator[Finding]:
    """Yield which people cannot answer our SMS, and get links in place of options."""
    countries = ", ".join(sorted(settings.sms_one_way)) or "no country"
    if settings.sms_providers and settings.public_url:
        message = f"SMS to {countries}, or from a name, cannot be answered: they hold links"
        yield Finding("ok", "SMS_ONE_WAY", message)


def _find_dead_routes(settings: Settings) -> Iterator[Finding]:
    name, providers = "SMS_ROUTES", settings.sms_providers
    for code, provider in sorted(settings.sms_routes.items()):
        if provider not in providers:
            numbers = "all other numbers" if code == "*" else f"+{code}"
            known = "".join(f", or send them by {each}" for each in sorted(providers))
            missing = _list_unset(settings, NEEDED_FOR_SMS[provider])
            advice = f"set {' and '.join(missing)}{known}"
            problem = f"sends {numbers} by {provider}, which is not set up"
            yield Finding("error", name, problem, advice, missing=missing)
        elif provider == "orange" and code != "*" and not _is_country_of(settings, code):
            advice = "Orange's sender is the country's, such as +2210000 in Senegal"
            problem = f"sends +{code} by Orange, whose ORANGE_SENDER is {settings.orange_sender}"
            yield Finding("warning", name, problem, advice)


def _is_country_of(settings: Settings, code: str) -> bool:
    """Return whether a calling code, or the beginning of numbers, belongs to the country of
    Orange's sender."""
    country = settings.orange_sender.removeprefix("+").removesuffix("0000")
    return code.startswith(country) or country.startswith(code)


_LONG_TOKEN: Final = 24
_VARIED_TOKEN: Final = 8
"""Least number of different characters."""


def can_be_guessed(secret: str) -> bool:
    """Return whether a secret is short or uniform enough to be guessed, even offline."""
    return len(secret) < _LONG_TOKEN or len(set(secret)) < _VARIED_TOKEN


def check_email(settings: Settings) -> Iterator[Finding]:
    """Yield faults of the mail server, and of the addresses of sender and operators."""
    from adapters.email import parse_smtp_url
    from bot.accounts.email_addresses import parse_operators, parse_sender

    read: tuple[tuple[str, Callable[[str], object]], ...] = (
        (settings.smtp_url, parse_smtp_url),
        (settings.mail_from, parse_sender),
        (settings.operator_email, parse_operators),
    )
    for value, reader in read:
        try:
            if value:
                reader(value)
        except SettingsError as error:
            name, _, message = str(error).partition(": ")
            yield Finding("error", name, message.removesuffix("."), "write it as shown")
    if settings.operator_email and not (settings.smtp_url and settings.mail_from):
        advice = "set SMTP_URL and MAIL_FROM, or OPERATOR_WHATSAPP instead"
        yield Finding("warning", "OPERATOR_EMAIL", "without mail nothing reaches it", advice)
    yield from _check_operator_numbers(settings)


def _check_operator_numbers(settings: Settings) -> Iterator[Finding]:
    numbers = [each.strip() for each in settings.operator_whatsapp.split(",")]
    if any(each and not PHONE_NUMBER.fullmatch(each) for each in numbers):
        advice = "write +225…, several with commas between them"
        yield Finding("error", "OPERATOR_WHATSAPP", "not a number in E.164", advice)


def check_operator_token(settings: Settings) -> Iterator[Finding]:
    """Yield whether the operator token is hard to guess: with it one sees all conversations."""
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
    from bot.billing.providers.cinetpay import AMOUNTS, STEP

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

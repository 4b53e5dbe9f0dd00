"""Whether keys work: the providers are asked, and what they refuse is explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.cli.desk import run
from bot.cli.output import one_line, phrase
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.checks import Finding


def try_out(settings: Settings) -> list[Finding]:
    """What the providers say of these settings."""
    return run(_try_out(settings))


async def _try_out(settings: Settings) -> list[Finding]:
    from bot.checks.providers import ask_providers, main_endpoint
    from bot.checks.providers.asking import Unanswered
    from bot.checks.providers.models import try_model

    findings = await ask_providers(settings)
    for place, item in enumerate(findings):
        if item.level == "warning" and item.name == settings.model:  # not in the endpoint's list
            try:
                findings[place] = await try_model(main_endpoint(settings), "MODEL")
            except Unanswered:
                continue
    return findings


def failures(findings: Sequence[Finding]) -> list[Finding]:
    """Those with which the bot would not answer, as far as one can tell."""
    return [item for item in findings if item.level == "error" or item.reason == "unanswered"]


def explain(finding: Finding) -> str:
    """A failure and what to do, in the terminal's language where it is a usual one."""
    if finding.reason == "unanswered":
        words = phrase("no answer. Check the network and the address, or try again later.")
        return f"{finding.name}: {words} ({one_line(finding.message)})"
    match finding.name:
        case "OPENAI_API_KEY" | "MODEL":
            words = phrase("The endpoint refuses it. Check the key, the base URL and the model.")
        case "TELEGRAM_BOT_TOKEN":
            words = phrase("Telegram does not know this token. Copy it from @BotFather again.")
        case "TWILIO_AUTH_TOKEN":
            words = phrase(
                "Twilio refuses it. Copy the account SID and the live auth token from the first "
                "page of the console."
            )
        case "WHATSAPP_TOKEN":
            words = phrase(
                "Meta refuses it. Make a permanent token of a system user that may send with this "
                "number."
            )
        case "WHATSAPP_APP_SECRET":
            words = phrase("It is not of the app that made the token. See App settings, Basic.")
        case "WHATSAPP_PHONE_NUMBER_ID":
            words = phrase("Meta knows no such number. Copy the phone number’s id, not the number.")
        case _:
            return one_line(f"{finding.name}: {finding.message}; {finding.advice}")
    return f"{finding.name}: {words} ({one_line(finding.message)})"

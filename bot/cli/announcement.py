"""What `griot serve` says on a terminal: where it listens, where people write, what is missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from bot.checks import check
from bot.checks.providers import find_contacts
from bot.cli.output import one_line, phrase
from bot.settings import Settings


async def announce(settings: Settings, port: int, *, web_part: bool) -> None:
    """Say it in two to four plain lines; the providers are asked for the bot's addresses."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    here = f"http://{host}:{port}"
    if not web_part:
        _say(phrase("The worker runs; {address}/readyz tells how it is.", address=here))
        return
    chat = f"{settings.public_url or here}/chat"
    _say(phrase("Griot listens on {address}. Web chat: {chat}", address=here, chat=chat))
    if line := await _say_contacts(settings):
        _say(line)
    for line in _missing(settings):
        _say(line)


async def _say_contacts(settings: Settings) -> str:
    contacts = await find_contacts(settings)
    silent = phrase("gives no answer yet")
    told = [f"{each.address or silent} ({each.name})" for each in contacts]
    return phrase("People write to it here: {places}", places=", ".join(told)) if told else ""


def _missing(settings: Settings) -> Iterator[str]:
    errors = [item for item in check(settings) if item.level == "error"]
    if errors:
        problems = "; ".join(one_line(f"{item.name}: {item.message}") for item in errors)
        yield phrase("To be mended: {problems}. Run: griot init", problems=problems)
    is_reached = (
        settings.telegram_bot_token or settings.whatsapp_token or settings.twilio_account_sid
    )
    if not is_reached:
        yield phrase("No channel is set up yet. To add Telegram, WhatsApp or SMS: griot init")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()

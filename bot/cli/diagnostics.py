"""Explain in a person's words what fails of their settings, and repair what can be repaired."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Final

from bot.checks.providers import ask_providers, main_endpoint, try_model
from bot.cli.cli_runtime import ENV_FILE, one_line, phrase, run
from bot.contracts.channels import Finding
from bot.errors import DatabaseErrors, GriotError
from bot.settings import Settings
from bot.settings.loading import read_env_file, write_env_file


def try_settings(settings: Settings) -> list[Finding]:
    """Ask the providers about these settings; return their findings."""
    return run(_ask_providers_and_model(settings))


async def _ask_providers_and_model(settings: Settings) -> list[Finding]:
    findings = await ask_providers(settings)
    for place, item in enumerate(findings):
        if item.level == "warning" and item.name == settings.model:  # not in the endpoint's list
            try:
                findings[place] = await try_model(main_endpoint(settings), "MODEL")
            except ConnectionError:
                continue
    return findings


def list_failures(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings with which the bot would probably not answer."""
    return [item for item in findings if item.level == "error" or item.reason == "unanswered"]


def explain_finding(finding: Finding) -> str:
    """Return a failure and its remedy, in the terminal's language if it is a common one."""
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


_TELEGRAM_SECONDS: Final = 10.0
"""Time limit for setting a webhook."""


def make_missing_secrets(settings: Settings) -> dict[str, str]:
    """Return new values for the secrets that we choose ourselves and these settings lack."""
    wanted = {
        "SECRET_KEY": not settings.secret_key,
        "TELEGRAM_WEBHOOK_SECRET": bool(
            settings.telegram_bot_token
            and settings.public_url
            and not settings.telegram_webhook_secret
        ),
        "WHATSAPP_VERIFY_TOKEN": bool(
            settings.whatsapp_token
            and settings.whatsapp_phone_number_id
            and not settings.whatsapp_verify_token
        ),
    }
    return {name: secrets.token_urlsafe(32) for name, is_wanted in wanted.items() if is_wanted}


async def set_telegram_webhook(settings: Settings) -> None:
    """Make Telegram call `PUBLIC_URL`, as each start does.

    Raises:
        GriotError: it was not accepted, or Telegram gave no answer.
    """
    from adapters.telegram.adapter import Telegram

    adapter = Telegram(settings, _read_no_file)
    try:
        async with asyncio.timeout(_TELEGRAM_SECONDS):
            await adapter.set_webhook()
    except TimeoutError:
        raise GriotError("Telegram gave no answer") from None
    finally:
        await adapter.close()


async def _read_no_file(file_id: str) -> bytes:
    raise FileNotFoundError(file_id)


async def repair_settings(settings: Settings, *, offline: bool) -> AsyncIterator[tuple[str, str]]:
    """Repair what can be repaired; yield each repair as a name and a description.

    Args:
        offline: contact no provider.
    """
    made = make_missing_secrets(settings)
    held = read_env_file(ENV_FILE)  # an empty variable of the environment may override the file
    new = {name: value for name, value in made.items() if name not in held}
    if new:
        write_env_file(ENV_FILE, new)
        for name in new:
            yield name, f"made, and written to {ENV_FILE}"
    mended = settings.model_copy(update={name.lower(): value for name, value in new.items()})
    if await _lacks_tables(mended):
        from bot.storage.database import open_database

        with DatabaseErrors():
            async with open_database(mended):
                yield "DATABASE_URL", "its tables were brought to the newest revision"
    if not offline and await _is_called_elsewhere(mended):
        await set_telegram_webhook(mended)
        yield "Telegram", f"sends updates to {mended.public_url} now"


async def _lacks_tables(settings: Settings) -> bool:
    from bot.storage.database import head, read_revision

    try:
        with DatabaseErrors():
            return await read_revision(settings) < head()
    except GriotError:
        return False  # it cannot be reached, which is reported by its own check


async def _is_called_elsewhere(settings: Settings) -> bool:
    """Return whether `PUBLIC_URL` is set and Telegram does not call it."""
    if not (settings.telegram_bot_token and settings.public_url):
        return False
    from adapters.telegram.adapter import Telegram

    adapter = Telegram(settings, _read_no_file)
    try:
        async with asyncio.timeout(_TELEGRAM_SECONDS):
            found = await adapter.find_webhook()
    except (ConnectionError, TimeoutError):
        return False
    finally:
        await adapter.close()
    return found != f"{settings.public_url}/webhooks/telegram"

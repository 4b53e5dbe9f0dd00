"""What can be mended without asking anybody: secrets, the Telegram webhook, tables."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Final

from bot.checks.providers import telegram
from bot.checks.providers.asking import Unanswered
from bot.cli.database import read_revision
from bot.cli.desk import ENV_FILE, DatabaseErrors
from bot.errors import GriotError
from bot.settings import Settings
from bot.settings.env_file import read_env_file, write_env_file

_SECONDS: Final = 10.0
"""For setting a webhook."""


def make_missing_secrets(settings: Settings) -> dict[str, str]:
    """Values for the secrets that are ours to choose and that these settings lack."""
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
    """Have Telegram call `PUBLIC_URL`, as each start does.

    Raises:
        GriotError: it was not accepted, or Telegram gave no answer.
    """
    from adapters.telegram import Telegram

    adapter = Telegram(settings, _read_nothing)
    try:
        async with asyncio.timeout(_SECONDS):
            await adapter.set_webhook()
    except TimeoutError:
        raise GriotError("Telegram gave no answer") from None
    finally:
        await adapter.close()


async def _read_nothing(file_id: str) -> bytes:
    raise FileNotFoundError(file_id)


async def mend(settings: Settings, *, offline: bool) -> AsyncIterator[tuple[str, str]]:
    """Mend what can be mended; yields what was done, as name and words.

    Args:
        offline: providers are left alone.
    """
    made = make_missing_secrets(settings)
    held = read_env_file(ENV_FILE)  # an empty variable of the environment may stand over it
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
    from bot.storage.database import head

    try:
        with DatabaseErrors():
            return await read_revision(settings) < head()
    except GriotError:
        return False  # it cannot be reached, which the doctor says by itself


async def _is_called_elsewhere(settings: Settings) -> bool:
    """Whether `PUBLIC_URL` is set and Telegram does not call it."""
    if not (settings.telegram_bot_token and settings.public_url):
        return False
    try:
        async with asyncio.timeout(_SECONDS):
            found = await telegram.find_webhook(settings)
    except (Unanswered, TimeoutError):
        return False
    return found != f"{settings.public_url}/webhooks/telegram"

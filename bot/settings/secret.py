"""The key without which nothing can be signed."""

from __future__ import annotations

import secrets

from bot.errors import SettingsError
from bot.settings.variables import Settings


def with_secret(settings: Settings, *, required: bool) -> Settings:
    """The settings with a `SECRET_KEY`.

    Raises:
        SettingsError: it is not set, and `required`.
    """
    if settings.secret_key:
        return settings
    if required:
        raise SettingsError(
            "SECRET_KEY: it is not set; it signs links and hashes codes. griot init asks for all "
            "that a bot needs; griot doctor --fix makes this key and writes it to .env"
        )
    return settings.model_copy(update={"secret_key": secrets.token_urlsafe(32)})

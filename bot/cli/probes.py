"""What has to be tried out: the database, Redis, the blob store, Telegram. Each within seconds."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Final

from bot.checks import Finding
from bot.cli.database import read_revision
from bot.cli.desk import DatabaseErrors
from bot.errors import DeliveryError, GriotError, NotFound, SettingsError, Undeliverable
from bot.settings import Settings

_SECONDS: Final = 5.0


async def probe(settings: Settings) -> AsyncIterator[Finding]:
    """Try what the settings name; what it writes it takes away again."""
    yield await _probe_database(settings)
    if settings.redis_url:
        yield await _probe_redis(settings)
    yield await _probe_blobs(settings)
    if settings.telegram_bot_token:
        yield await _probe_telegram(settings)
    if "bash_execute" not in settings.disabled_tools:
        yield await _probe_sandbox()


async def _probe_sandbox() -> Finding:
    from bot.sandbox import probe as try_sandbox

    if reason := await try_sandbox():
        advice = "install bubblewrap and allow user namespaces, or set DISABLED_TOOLS=bash_execute"
        return Finding("warning", "bash_execute", f"closed: {reason}", advice)
    return Finding("ok", "bash_execute", "its sandbox holds")


async def _probe_database(settings: Settings) -> Finding:
    from bot.storage.database import head

    try:
        with DatabaseErrors():
            current = await read_revision(settings)
    except SettingsError as error:
        reason = str(error).removeprefix("DATABASE_URL: ")
        return Finding("error", "DATABASE_URL", reason, "check the address and that it runs")
    if current == head():
        return Finding("ok", "DATABASE_URL", f"reachable, at revision {current}")
    if current > head():
        advice = "deploy the newer Griot again, or restore a backup"
        return Finding("error", "DATABASE_URL", f"revision {current} is newer than ours", advice)
    return Finding(
        "warning",
        "DATABASE_URL",
        f"at revision {current}, not {head()}" if current else "reachable, without tables yet",
        "run griot db upgrade, or just start: every start does it",
    )


async def _probe_redis(settings: Settings) -> Finding:
    from bot.storage.momentary import open_momentary

    momentary = open_momentary(settings)
    try:
        async with asyncio.timeout(_SECONDS):
            await momentary.ping()
    except OSError as error:
        reason = str(error) or "no answer"
        return Finding("error", "REDIS_URL", reason, "check the address and that it runs")
    finally:
        await momentary.close()
    return Finding("ok", "REDIS_URL", "reachable")


async def _probe_blobs(settings: Settings) -> Finding:
    from obstore.exceptions import BaseError

    from bot.storage.blobs import open_blobs

    key = f"doctor-{secrets.token_hex(8)}"
    try:
        async with asyncio.timeout(_SECONDS):
            blobs = open_blobs(settings)
            await blobs.put(key, b"griot", "text/plain")
            await blobs.get(key)
            await blobs.delete(key)
    except (BaseError, OSError, GriotError) as error:
        reason = (str(error) or "no answer").splitlines()[0]
        advice = "check the folder's permissions, or the bucket, keys and AWS_ENDPOINT_URL"
        return Finding("error", "BLOB_URL", f"not writable: {reason}", advice)
    return Finding("ok", "BLOB_URL", "writable")


async def _probe_telegram(settings: Settings) -> Finding:
    from adapters.telegram import Telegram

    telegram = Telegram(settings, _no_file)
    try:
        async with asyncio.timeout(_SECONDS):
            await telegram.prepare()
    except Undeliverable as error:
        advice = "copy the token from @BotFather again"
        return Finding("error", "TELEGRAM_BOT_TOKEN", f"Telegram refuses it: {error}", advice)
    except (DeliveryError, TimeoutError) as error:
        reason = str(error) or "no answer"
        advice = "check the network and TELEGRAM_API_URL"
        return Finding("warning", "Telegram", f"could not be asked: {reason}", advice)
    finally:
        await telegram.close()
    return Finding("ok", "Telegram", "knows the token")


async def _no_file(file_id: str) -> bytes:
    raise NotFound(f"No file {file_id!r}.")

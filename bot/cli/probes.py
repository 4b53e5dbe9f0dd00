"""What has to be tried out: database, Redis, blob store, mail, workshop, sandbox, the providers.

All at once, each within seconds.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Final

from bot.checks import Finding
from bot.checks.providers import ask_providers
from bot.cli.database import read_revision
from bot.cli.desk import DatabaseErrors
from bot.errors import GriotError, SettingsError, ToolFailed
from bot.kernel import seclusion
from bot.settings import Settings

_SECONDS: Final = 5.0


async def probe(settings: Settings, *, offline: bool = False) -> list[Finding]:
    """Try what the settings name; what it writes it takes away again.

    Args:
        offline: no provider is asked, mail among them; what is Griot's own still is.
    """
    tried = [_probe_database(settings), _probe_blobs(settings), _probe_workshop()]
    if settings.redis_url:
        tried.append(_probe_redis(settings))
    if "bash_execute" not in settings.disabled_tools:
        tried.append(_probe_sandbox())
    if offline:
        return await asyncio.gather(*tried)
    if settings.smtp_url and settings.mail_from:
        tried.append(_probe_mail(settings))
    own, theirs = await asyncio.gather(asyncio.gather(*tried), ask_providers(settings))
    return [*own, *theirs]


async def _probe_mail(settings: Settings) -> Finding:
    """Connect and log in; nothing is sent."""
    from aiosmtplib import SMTPException

    from bot.mail.addresses import read_sender
    from bot.mail.smtp import greet, read_server

    try:
        server, sender = read_server(settings.smtp_url), read_sender(settings.mail_from)
        async with asyncio.timeout(_SECONDS):
            await greet(server, sender.addr_spec)
    except SettingsError:
        return Finding("error", "mail", "not tried, for it is set wrongly", "see above")
    except (SMTPException, OSError) as error:
        reason = (str(error) or "no answer").splitlines()[0]
        advice = "check the host, the port, and the user and password in SMTP_URL"
        return Finding("error", "mail", f"the server takes nothing from us: {reason}", advice)
    return Finding("ok", "mail", f"{server.host} lets us in")


async def _probe_workshop() -> Finding:
    """A process shuts itself in, works on a request, and ends."""
    from bot.library.workshop import Workshop

    try:
        await Workshop().run("bot.library.workshop.echo", b"", seconds=_SECONDS)
    except (ToolFailed, OSError):
        advice = "look for what keeps Python from being started, or a kernel that allows less"
        return Finding("error", "documents", "no process can work on them", advice)
    if seclusion.is_possible():
        return Finding("ok", "documents", "worked on in processes that are shut in")
    return Finding(
        "warning",
        "documents",
        "worked on in processes that are limited, but could read what Griot can",
        "use Linux 5.13 or newer with Landlock, on x86-64 or ARM",
    )


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

"""Try what the settings name (database, Redis, blob store, mail, sandbox, the providers), explain
what fails, and repair what can be repaired.

The services are tried all at once, each within seconds.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

from bot.checks.providers import ask_providers, main_endpoint, try_model
from bot.cli.cli_runtime import ENV_FILE, DatabaseErrors, run
from bot.cli.database import read_revision
from bot.cli.output import one_line, phrase
from bot.contracts.findings import Finding
from bot.errors import GriotError, SettingsError, ToolFailed
from bot.kernel import self_sandbox
from bot.settings import Settings
from bot.settings.loading import read_env_file, write_env_file

_PROBE_SECONDS: Final = 5.0
_CHECK_BLOBS: Final = "check the folder's permissions, or the bucket, keys and AWS_ENDPOINT_URL"


async def probe_services(settings: Settings, *, offline: bool = False) -> list[Finding]:
    """Try the services that the settings name; test data is removed again.

    Args:
        offline: ask no provider, including the mail server; Griot's own services are still tried.
    """
    # By itself: on a cold start the others load modules for seconds, in which no answer is read.
    redis = [await _probe_redis(settings)] if settings.redis_url else []
    tried = [_probe_database(settings), _probe_blobs(settings), _probe_isolated_worker()]
    if settings.curriculum:
        tried.append(_probe_curriculum(settings))
    if "bash_execute" not in settings.disabled_tools:
        tried.append(_probe_sandbox())
    restricted = await _list_restricted(settings)
    if offline:
        return [*redis, *await asyncio.gather(*tried), *restricted]
    if settings.smtp_url and settings.mail_from:
        tried.append(_probe_mail(settings))
    own, theirs = await asyncio.gather(asyncio.gather(*tried), ask_providers(settings))
    return [*redis, *own, *restricted, *theirs]


async def _probe_mail(settings: Settings) -> Finding:
    """Connect to the mail server and log in; no message is sent."""
    from aiosmtplib import SMTPException

    from adapters.email import check_login, parse_smtp_url
    from bot.accounts.email_addresses import parse_sender

    try:
        server, sender = parse_smtp_url(settings.smtp_url), parse_sender(settings.mail_from)
        async with asyncio.timeout(_PROBE_SECONDS):
            await check_login(server, sender.addr_spec)
    except SettingsError:
        return Finding("error", "mail", "not tried, for it is set wrongly", "see above")
    except (SMTPException, OSError) as error:
        reason = (str(error) or "no answer").splitlines()[0]
        advice = "check the host, the port, and the user and password in SMTP_URL"
        return Finding("error", "mail", f"the server takes nothing from us: {reason}", advice)
    return Finding("ok", "mail", f"{server.host} lets us in")


async def _probe_isolated_worker() -> Finding:
    """Try whether a process can sandbox itself, work on a request, and end."""
    from bot.isolated_worker.worker import IsolatedWorker

    try:
        await IsolatedWorker().run("bot.isolated_worker.echo", b"", seconds=_PROBE_SECONDS)
    except (ToolFailed, OSError):
        advice = "look for what keeps Python from being started, or a kernel that allows less"
        return Finding("error", "documents", "no process can work on them", advice)
    if self_sandbox.is_sandbox_possible():
        return Finding("ok", "documents", "worked on in processes that are shut in")
    return Finding(
        "warning",
        "documents",
        "worked on in processes that are limited, but could read what Griot can",
        "use Linux 5.13 or newer with Landlock, on x86-64 or ARM",
    )


async def _probe_curriculum(settings: Settings) -> Finding:
    """Read a school's own skills; report errors in its files on one line."""
    from bot.learning.skills.skill_map import load_skills

    try:
        own = len(load_skills(settings.curriculum).by_id) - len(load_skills().by_id)
    except SettingsError as error:
        lines = [line.removeprefix("CURRICULUM: ") for line in str(error).splitlines()]
        advice = "correct these files, or leave CURRICULUM out"
        return Finding("error", "CURRICULUM", "; ".join(lines), advice)
    return Finding("ok", "CURRICULUM", f"{own} skills beside the built-in ones")


async def _probe_sandbox() -> Finding:
    from bot.sandbox.sandbox import probe_sandbox as try_sandbox

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


async def _list_restricted(settings: Settings) -> list[Finding]:
    """Return an error for each of our numbers that may not send, according to the database."""
    from bot.gateway.sender_restrictions import list_restrictions
    from bot.storage.database import head, open_database

    try:
        with DatabaseErrors():
            if await read_revision(settings) != head():
                return []
            async with open_database(settings) as database:
                found = await database.read(list_restrictions)
    except GriotError:
        return []  # faults of the database are reported by its own check
    advice = "ask for a review in the provider's console; one message an hour tries, and each start"
    return [
        Finding(
            "error",
            each.via,
            f"its number is restricted ({each.reason}); {each.waiting} deliveries wait",
            advice,
        )
        for each in found
    ]


async def _probe_redis(settings: Settings) -> Finding:
    from bot.storage.ephemeral import open_ephemeral_store

    momentary = open_ephemeral_store(settings)
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            await momentary.ping()
    except OSError as error:
        reason = str(error) or "no answer"
        return Finding("error", "REDIS_URL", reason, "check the address and that it runs")
    finally:
        await momentary.close()
    return Finding("ok", "REDIS_URL", "reachable")


async def _probe_blobs(settings: Settings) -> Finding:
    from obstore.exceptions import BaseError

    from bot.storage.blobs import find_local_folder, open_blobs

    folder = find_local_folder(settings.blob_url)
    if folder and not folder.exists():
        return _foresee_folder(folder)
    key = f"doctor-{secrets.token_hex(8)}"
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            blobs = open_blobs(settings)
            await blobs.put(key, b"griot", "text/plain")
            await blobs.get(key)
            await blobs.delete(key)
    except (BaseError, OSError, GriotError) as error:
        reason = (str(error) or "no answer").splitlines()[0]
        return Finding("error", "BLOB_URL", f"not writable: {reason}", _CHECK_BLOBS)
    return Finding("ok", "BLOB_URL", "writable")


def _foresee_folder(folder: Path) -> Finding:
    """Return whether a folder that is not there yet can be made; it is not made here."""
    parent = next(each for each in folder.parents if each.exists())
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        return Finding("ok", "BLOB_URL", "its folder is made at the first start")
    return Finding("error", "BLOB_URL", f"no folder can be made in {parent}", _CHECK_BLOBS)


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
    from bot.storage.ephemeral import MemoryEphemeralStore

    adapter = Telegram(settings, _read_no_file, MemoryEphemeralStore())
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
    from bot.storage.database import head

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
    from bot.storage.ephemeral import MemoryEphemeralStore

    adapter = Telegram(settings, _read_no_file, MemoryEphemeralStore())
    try:
        async with asyncio.timeout(_TELEGRAM_SECONDS):
            found = await adapter.find_webhook()
    except (ConnectionError, TimeoutError):
        return False
    finally:
        await adapter.close()
    return found != f"{settings.public_url}/webhooks/telegram"

"""Try what the settings name: database, Redis, blob store, mail, sandbox, the providers.

The services are tried all at once, each within seconds.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Final

from bot.checks.providers import ask_providers
from bot.contracts.channels import Finding
from bot.errors import DatabaseErrors, DatabaseUnavailable, GriotError, SettingsError, ToolFailed
from bot.process_restrictions import is_sandbox_possible
from bot.settings import McpServer, RemoteAgent, Settings

_PROBE_SECONDS: Final = 5.0
_AGENT_SECONDS: Final = 10.0
_CHECK_FOLDER: Final = "free space on its disk, or correct the permissions of its folder"
_CHECK_BLOBS: Final = (
    "check the folder's disk and permissions, or the bucket, keys and AWS_ENDPOINT_URL"
)


async def probe_services(settings: Settings, *, offline: bool = False) -> list[Finding]:
    """Try the services that the settings name; test data is removed again.

    Args:
        offline: ask no provider, including the mail server; Griot's own services are still tried.
    """
    # By itself: on a cold start the others load modules for seconds, in which no answer is read.
    redis = [await _probe_redis(settings)] if settings.redis_url else []
    tried = [_probe_database(settings), _probe_blobs(settings), _probe_isolated_worker()]
    tried.append(_probe_host(settings.host))
    tried += [
        _probe_mcp_server(name, server)
        for name, server in settings.mcp_servers.items()
        if server.command or not offline
    ]
    if settings.curriculum:
        tried.append(_probe_curriculum(settings))
    if "bash_execute" not in settings.disabled_tools:
        tried.append(_probe_sandbox())
    restricted = await _list_restricted(settings)
    if offline:
        return [*redis, *await asyncio.gather(*tried), *restricted]
    tried += [_probe_agent(agent) for agent in settings.a2a_agents]
    if settings.smtp_url and settings.mail_from:
        tried.append(_probe_mail(settings))
    own, theirs = await asyncio.gather(asyncio.gather(*tried), ask_providers(settings))
    return [*redis, *own, *restricted, *theirs]


async def _probe_mcp_server(name: str, server: McpServer) -> Finding:
    """Start a server, or connect to it, and list its tools."""
    from bot.agent.mcp_servers import McpServers, Timeouts

    title = f"MCP_SERVERS {name}"
    if server.command and shutil.which(server.command) is None:
        advice = "install it, or give its whole path"
        return Finding("error", title, f"there is no command {server.command!r}", advice)
    servers = McpServers({name: server})
    seconds = Timeouts().connect_seconds  # it may load a whole runtime first
    servers.start()
    try:
        failures = await servers.wait_until_tried(seconds)
        if name not in failures:
            return Finding("ok", title, f"connected, with {len(servers.tools)} tools")
    finally:
        await servers.close()
    reason = failures[name] or f"no answer in {seconds:.0f} seconds"
    if server.command:
        advice = "run its command by hand, and look at its args and env"
        return Finding("error", title, f"its command does not work as a server: {reason}", advice)
    advice = "check its url and headers, and that it runs"
    return Finding("warning", title, f"not connected: {reason}", advice, reason="unanswered")


async def _probe_agent(agent: RemoteAgent) -> Finding:
    """Read the card of a remote agent; no task is given."""
    from bot.agent.a2a_client import read_card

    title = f"A2A_AGENTS {agent.name}"
    try:
        async with asyncio.timeout(_AGENT_SECONDS):
            await read_card(agent)
    except (ToolFailed, TimeoutError) as error:
        reason = str(error) or f"no answer in {_AGENT_SECONDS:.0f} seconds"
        advice = "check its url and token, and that it runs"
        return Finding("warning", title, reason, advice, reason="unanswered")
    return Finding("ok", title, "its card can be read")


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
    if is_sandbox_possible():
        return Finding("ok", "documents", "worked on in processes that are shut in")
    return Finding(
        "warning",
        "documents",
        "worked on in processes that are limited, but could read what Griot can",
        "use Linux 5.13 or newer with Landlock, on x86-64 or ARM",
    )


async def _probe_host(host: str) -> Finding:
    """Try whether this machine can listen on the address, at any free port."""
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            server = await asyncio.start_server(lambda _, __: None, host, 0)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", "") or "no answer"
        advice = "set it to 127.0.0.1, 0.0.0.0, or another address of this machine"
        return Finding("error", "HOST", f"cannot listen on {host}: {reason}", advice)
    server.close()
    return Finding("ok", "HOST", f"can listen on {host}")


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
    from bot.storage.database import head, read_revision

    try:
        with DatabaseErrors():
            current = await read_revision(settings)
    except SettingsError as error:
        reason = str(error).removeprefix("DATABASE_URL: ")
        return Finding("error", "DATABASE_URL", *_split_advice(reason))
    if not current and (obstacle := _find_obstacle(settings)):
        message = f"nothing can be written in {obstacle}"
        return Finding("error", "DATABASE_URL", message, _CHECK_FOLDER)
    if current == head():
        return await _probe_writing(settings, current)
    if current > head():
        advice = "deploy the newer Griot again, or restore a backup"
        return Finding("error", "DATABASE_URL", f"revision {current} is newer than ours", advice)
    return Finding(
        "warning",
        "DATABASE_URL",
        f"at revision {current}, not {head()}" if current else "reachable, without tables yet",
        "run griot db upgrade, or just start: every start does it",
    )


def _split_advice(reason: str) -> tuple[str, str]:
    """Return why a database cannot be used, and what to do about it."""
    message, _, advice = reason.partition("; ")
    if "the database says" in reason:
        advice = "check user and password in it, and create the database if it is not there"
    return message, advice or (
        "check host and port, and that it runs; write special characters of the password as %XX"
    )


def _find_obstacle(settings: Settings) -> Path | None:
    """Return the folder of a SQLite file that cannot be made there; None: it can, or is no file."""
    from bot.storage.database import sqlite_path

    if not settings.is_sqlite:
        return None
    folder = sqlite_path(settings).absolute().parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError:
        return folder


async def _probe_writing(settings: Settings, current: str) -> Finding:
    if settings.is_sqlite:
        from bot.storage.database import sqlite_path
        from bot.storage.sqlite import try_writing

        try:
            await asyncio.to_thread(try_writing, sqlite_path(settings), seconds=_PROBE_SECONDS)
        except DatabaseUnavailable as error:
            reason = f"cannot be written: {error.reason}"
            return Finding("error", "DATABASE_URL", reason, _CHECK_FOLDER)
    return Finding("ok", "DATABASE_URL", f"reachable, at revision {current}")


async def _list_restricted(settings: Settings) -> list[Finding]:
    """Return an error for each of our numbers that may not send, according to the database."""
    from bot.gateway.sender_restrictions import list_restrictions
    from bot.storage.database import head, open_existing_database, read_revision

    try:
        with DatabaseErrors():
            if await read_revision(settings) != head():
                return []
            async with open_existing_database(settings) as database:
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
        reason = (str(error) or "no answer").splitlines()[0].removeprefix("BLOB_URL: ")
        return Finding("error", "BLOB_URL", f"not writable: {reason}", _CHECK_BLOBS)
    return Finding("ok", "BLOB_URL", "writable")


def _foresee_folder(folder: Path) -> Finding:
    """Return whether a folder that is not there yet can be made; it is not made here."""
    parent = next(each for each in folder.parents if each.exists())
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        return Finding("ok", "BLOB_URL", "its folder is made at the first start")
    return Finding("error", "BLOB_URL", f"no folder can be made in {parent}", _CHECK_BLOBS)

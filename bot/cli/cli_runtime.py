"""Load settings, open the database, print output and report errors, for all commands."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeVar

import typer
import uvloop
from pydantic import ValidationError

from bot import settings as environment
from bot.checks.providers import find_contacts
from bot.checks.settings import check_settings
from bot.errors import DatabaseErrors
from bot.i18n import languages, say
from bot.observability import configure_logging
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.contracts.storage import Database

T = TypeVar("T")
ENV_FILE: Final = Path(".env")
WRONG_USE: Final[Any] = typer.BadParameter.__mro__[1]
"""The base class of typer's errors about a command's use, which typer does not export."""


def load_settings() -> Settings:
    """Return the settings of this process; warn on stderr about variables that look misspelt.

    Raises:
        SettingsError: names each invalid variable.
    """
    for line in environment.unknown(env_file=ENV_FILE):
        warn(line)
    settings = environment.load(env_file=ENV_FILE)
    configure_logging(settings.log_level, json=True)
    return settings


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end; Ctrl-C ends it in order, with exit code 130."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(work)
    except KeyboardInterrupt:
        raise SystemExit(130) from None


Work = Callable[[Settings, "Database"], Awaitable[T]]


def run_with_database(work: Work[T], *, makes_database: bool = True) -> T:
    """Run `work` with the settings and the opened database; return its result.

    Args:
        makes_database: whether the database is made if there is none.

    Raises:
        SettingsError: a setting is wrong, or the database cannot be opened or used.
    """
    from bot.storage.database import open_database, require_database

    settings = load_settings()
    if not makes_database:
        require_database(settings)
    return _run_on(open_database(settings), settings, work)


def read_database(work: Work[T]) -> T:
    """Run `work`, which only reads, with the settings and the database; return its result. Nothing
    is made or upgraded.

    Raises:
        SettingsError: a setting is wrong, there is no database, or it cannot be used.
    """
    from bot.storage.database import open_existing_database

    settings = load_settings()
    return _run_on(open_existing_database(settings), settings, work)


def _run_on(opening: AbstractAsyncContextManager[Database], settings: Settings, work: Work[T]) -> T:
    async def ask() -> T:
        async with opening as database:
            return await work(settings, database)

    with DatabaseErrors():
        return run(ask())


def warn(text: str) -> None:
    """Print a text on stderr, each line after the program's name."""
    for line in text.splitlines() or [""]:
        typer.echo(f"griot: {line}", err=True)


def exit_with_error(reason: object) -> NoReturn:
    """Exit with code 1 and the reason on stderr."""
    warn(str(reason) or type(reason).__name__)
    sys.exit(1)


def exit_with_usage(error: Any) -> NoReturn:
    """Exit with code 2, after printing the error of use in one line, or the help of a group without
    a subcommand."""
    cause = error.__cause__
    if isinstance(cause, ValidationError):  # typer would repeat pydantic's words
        error.message = environment.explain_problem(cause.errors()[0])
    words: str = error.format_message()
    if "\n" in words:
        typer.echo(words, err=True)
    else:
        where = error.ctx.command_path if error.ctx else "griot"
        end = "" if words.endswith((".", "?")) else "."
        warn(f"{words}{end} See: {where} --help")
    sys.exit(2)


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="Print at most this many.")]
_CONTROLS: Final = {
    code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


def terminal_language() -> str:
    """Return the language of this terminal by POSIX's variables; English if they name none that we
    have."""
    set_to = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    tag = next(filter(None, set_to), "")
    language = re.split(r"[_.@-]", tag, maxsplit=1)[0].lower()
    return language if language in languages() else "en"


def phrase(sentence: str, **values: object) -> str:
    """Return a sentence in the language of this terminal."""
    return say(terminal_language(), sentence, **values)


def print_json(value: object) -> None:
    """Print `value` as one line of JSON, in UTF-8 regardless of the terminal's settings."""
    import msgspec

    typer.echo(msgspec.json.encode(value))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under their columns' names, aligned, one line per row; None is empty."""
    table = [columns, *rows]
    lines = [["" if cell is None else one_line(str(cell)) for cell in row] for row in table]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        typer.echo("  ".join(cells).rstrip())


def print_fields(**fields: object) -> None:
    """Print names and values, one pair per line."""
    width = max(map(len, fields))
    for name, value in fields.items():
        typer.echo(f"{name.ljust(width)}  {one_line(str(value))}".rstrip())


def printable(text: str) -> str:
    """Return the text without control characters, which could steer the terminal."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """Return the text on one line, without control characters."""
    return " ".join(printable(text).split())


def day_time(seconds: float | None) -> str:
    """Return Unix seconds as `2026-01-31 09:05:00` (UTC); empty for None."""
    return "" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"


async def announce_addresses(settings: Settings, port: int, *, web_part: bool) -> None:
    """Print the addresses of the running bot, for which providers are asked."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    here = f"http://{host}:{port}"
    if not web_part:
        _write_line(phrase("The worker runs; {address}/readyz tells how it is.", address=here))
        return
    chat = f"{settings.public_url or here}/chat"
    _write_line(phrase("Griot listens on {address}. Web chat: {chat}", address=here, chat=chat))
    if line := await _describe_contacts(settings):
        _write_line(line)
    for line in _describe_missing(settings):
        _write_line(line)


async def _describe_contacts(settings: Settings) -> str:
    contacts = await find_contacts(settings)
    silent = phrase("gives no answer yet")
    shown = [f"{each.address or silent} ({each.name})" for each in contacts]
    return phrase("People write to it here: {places}", places=", ".join(shown)) if shown else ""


def _describe_missing(settings: Settings) -> Iterator[str]:
    errors = [item for item in check_settings(settings) if item.level == "error"]
    if errors:
        problems = "; ".join(one_line(f"{item.name}: {item.message}") for item in errors)
        yield phrase("To be mended: {problems}. Run: griot init", problems=problems)
    is_reached = (
        settings.telegram_bot_token or settings.whatsapp_token or settings.twilio_account_sid
    )
    if not is_reached:
        yield phrase("No channel is set up yet. To add Telegram, WhatsApp or SMS: griot init")


def _write_line(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()

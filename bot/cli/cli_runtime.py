"""Load settings, open the database, and report errors in one line, for all commands."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import typer
import uvloop
from pydantic import ValidationError

from bot import settings as environment
from bot.errors import DatabaseErrors
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

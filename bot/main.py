"""The command `griot`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, NoReturn

import typer

from bot import settings as environment
from bot.errors import GriotError, SettingsError
from bot.observe import configure_logging
from bot.settings import Settings

ENV_FILE = Path(".env")
app = typer.Typer(
    help="Griot: a WhatsApp, Telegram and SMS gateway in front of one shared agent loop.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """The console script: exit 0 done, 1 failed, 2 wrong use."""
    try:
        app()
    except SettingsError as error:
        _fail(error)
    except GriotError as error:
        _fail(error)


def _fail(error: Exception) -> NoReturn:
    for line in str(error).splitlines():
        typer.echo(f"griot: {line}", err=True)
    sys.exit(1)


def load_settings() -> Settings:
    """The settings of this process; what looks like a misspelt one is named on stderr."""
    settings = environment.load(env_file=ENV_FILE)
    configure_logging(settings.log_level, json=True)
    for line in environment.unknown(env_file=ENV_FILE):
        typer.echo(f"griot: {line}", err=True)
    return settings


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` to its end; Ctrl-C is an orderly end."""
    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        raise SystemExit(130) from None


@app.callback(invoke_without_command=True)
def default(context: typer.Context) -> None:
    """Without a command: serve."""
    if context.invoked_subcommand is None:
        serve()


@app.command()
def serve() -> None:
    """Web and worker in one process."""
    _serve(web_part=True, worker_part=True)


@app.command()
def web() -> None:
    """Only the web: webhooks and the API."""
    _serve(web_part=True, worker_part=False)


@app.command()
def worker() -> None:
    """Only the worker: turns and deliveries."""
    _serve(web_part=False, worker_part=True)


def _serve(*, web_part: bool, worker_part: bool) -> None:
    from bot.assembly import with_secret
    from bot.serving import serve

    settings = with_secret(load_settings(), required=True)
    run(serve(settings, web_part=web_part, worker_part=worker_part))

"""The command `griot`."""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import metadata
from typing import Annotated

from bot.cli import without_rich  # first: see there

# isort: split
import typer

from bot.cli import (
    chat,
    check_maths,
    database,
    doctor,
    evaluation,
    inbox,
    init,
    inventory,
    people,
    practice,
    turns,
)
from bot.cli import credits as credits_commands
from bot.cli.cli_runtime import (
    WRONG_USE,
    announce_addresses,
    exit_with_error,
    exit_with_usage,
    load_settings,
    run,
)
from bot.errors import DatabaseErrors, GriotError
from bot.observability import configure_logging

app = typer.Typer(
    help="Run Griot, a tutor and assistant on Telegram, WhatsApp, SMS and the web.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # usage and errors are plain lines, as logs and scripts want them
)
app.add_typer(people.app, name="people")
app.add_typer(credits_commands.app, name="credits")
app.add_typer(turns.app, name="turns")
app.add_typer(inbox.app, name="inbox")
app.add_typer(inventory.skills_app, name="skills")
app.add_typer(database.app, name="db")
app.command()(turns.events)
app.command()(inventory.tools)
app.command()(inventory.models)
app.command(context_settings=init.ANY_SETTING)(init.init)
app.command()(doctor.doctor)
app.command()(chat.chat)
app.command()(practice.practice)
app.command()(check_maths.check)
app.command("eval")(evaluation.evaluate)


def main() -> None:
    """Run the console script: exit 0 done, 1 failed, 2 wrong use."""
    os.umask(os.umask(0o077) | 0o007)  # database and files are nobody else's to read
    try:
        with DatabaseErrors():
            code = app(standalone_mode=False)
    except WRONG_USE as error:
        exit_with_usage(error)
    except typer.Abort:
        sys.exit(1)
    except (GriotError, OSError) as error:
        exit_with_error(error)
    sys.exit(code if isinstance(code, int) else 0)


@app.callback(invoke_without_command=True)
def default(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Start `serve` when no command is given."""
    if version:
        typer.echo(f"griot {metadata.version('griot')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        serve()


@app.command()
def serve() -> None:
    """Run the bot: web and worker in one process (the default)."""
    _serve(web_part=True, worker_part=True)


@app.command()
def web() -> None:
    """Run only the web part: webhooks, pages and the API."""
    _serve(web_part=True, worker_part=False)


@app.command()
def worker() -> None:
    """Run only a worker: it answers messages and sends the answers."""
    _serve(web_part=False, worker_part=True)


@app.command()
def demo(
    port: Annotated[
        int,
        typer.Option(
            help="Port of the page; a free one if it is taken.", envvar="PORT", min=0, max=65535
        ),
    ] = 8080,
    *,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the page in a browser.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the conversations of the last demo.")
    ] = False,
    pause: Annotated[
        float, typer.Option(help="Seconds between two words of the scripted tutor.", min=0)
    ] = 0.025,
) -> None:
    """Try Griot on this machine, without a key or an account."""
    from bot.demo.fork_server import start_fork_server

    fork_server = start_fork_server()  # it imports the gateways' modules, and we the demo's
    from bot.demo.run import run_demo

    run(run_demo(fork_server, port, open_browser=open_browser, keep=keep, pause=pause))


def _serve(*, web_part: bool, worker_part: bool) -> None:
    """Serve; on a terminal, log plain lines in place of JSON."""
    with without_rich():
        from bot.server import serve
        from bot.settings.loading import ensure_secret_key

        settings = ensure_secret_key(load_settings(), required=True)
        announce = None
        if sys.stderr.isatty():
            is_chosen = "log_level" in settings.model_fields_set
            configure_logging(settings.log_level if is_chosen else "warning", json=False)
            announce = partial(announce_addresses, settings, web_part=web_part)
        run(serve(settings, web_part=web_part, worker_part=worker_part, announce=announce))


if __name__ == "__main__":
    main()

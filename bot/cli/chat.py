"""`griot chat`: a conversation in this terminal, on the configured database."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import structlog
import typer

from bot.cli.cli_runtime import load_settings, phrase, run, terminal_language
from bot.cli.init import set_up, suggest_local
from bot.errors import SettingsError
from bot.messages.channels import CONSOLE

if TYPE_CHECKING:
    from bot.accounts.people import People
    from bot.cli.console_conversation import Screen
    from bot.contracts.storage import Database
    from bot.messages.incoming import Sender
    from bot.settings import Settings


def chat(
    person: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="PERSON",
            help="Phone number (+225…) or account id; without it you are a guest.",
        ),
    ] = "",
) -> None:
    """Talk with Griot in this terminal.

    Ctrl-C stops an answer, Ctrl-D ends the conversation. Lines piped in are sent as messages.
    """
    from bot.cli.console_conversation import open_screen
    from bot.settings.loading import ensure_secret_key

    settings = load_settings()
    # An account's welcome is booked under a key made with the secret, so the secret must be a
    # lasting one.
    settings = ensure_secret_key(_with_model(settings), required=bool(person))
    if settings.log_level != "debug":  # a failed turn is reported in one line, without traceback
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("critical"))
    if not run(_chat(settings, person, open_screen())):
        sys.exit(1)


def _with_model(settings: Settings) -> Settings:
    """Return the settings with a model to ask. Without one, a person at a terminal may set it up or
    choose a server of this machine.

    Raises:
        SettingsError: there is none.
    """
    from bot.checks.settings import check_model

    if all(item.level != "error" for item in check_model(settings)):
        return settings
    words = phrase("There is no model to ask: OPENAI_API_KEY is not set.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        advice = phrase("Set it up with: griot init")
        raise SettingsError("\n".join([f"{words} {advice}", *suggest_local()]))
    typer.echo(words)
    return _offer_models(settings)


def _offer_models(settings: Settings) -> Settings:
    from bot.checks.providers import find_local_servers
    from bot.cli.init_questions import pick

    servers = run(find_local_servers())
    options = [
        *(
            phrase(
                "{model} of {name}, on this machine, for this conversation",
                model=each.models[0],
                name=each.name,
            )
            for each in servers
        ),
        phrase("Set up Griot now (griot init)"),
        phrase("Leave"),
    ]
    chosen = pick(options)
    if chosen < len(servers):
        server = servers[chosen]
        chosen_values = {"openai_base_url": server.base_url, "model": server.models[0]}
        return settings.model_copy(update=chosen_values)
    if chosen == len(servers):
        set_up()
        return _with_model(load_settings())
    raise typer.Exit(1)


async def _chat(settings: Settings, person: str, screen: Screen) -> bool:
    """Hold the conversation; return whether every message was answered."""
    from adapters.console import Console
    from bot.app import open_app, open_worker
    from bot.cli.console_conversation import Conversation, ConversationView
    from bot.storage.database import hold_lanes

    surface = ConversationView(screen)
    async with open_app(settings, [Console(surface.show_body)]) as app:
        surface.read_file = app.files.read
        sender = _sender()
        # The lanes after the app, which reports a missing folder in plain words, and before
        # anything is stored.
        async with hold_lanes(settings):
            await _become(app.database, app.people, sender, person)
            async with open_worker(app):
                return await Conversation(app, surface, sender).hold()


def _sender() -> Sender:
    """Return the operating system's user of this process as the sender."""
    import getpass
    import os

    from bot.messages.incoming import Sender

    try:
        user = getpass.getuser()
    except KeyError:  # a container's user needs no name
        user = f"uid{os.getuid()}"
    return Sender(user, language=terminal_language())


async def _become(database: Database, people: People, sender: Sender, person: str) -> None:
    """Link the console's identity to the account of `person`; if empty, log it out.

    Raises:
        NotFound: there is no such person.
    """
    from bot.errors import NotFound

    if person:
        try:
            account = await people.find(person)
        except NotFound as error:
            hint = f" An account is made by: griot people token {person}"
            raise NotFound(f"{error}{hint if person.startswith('+') else ''}") from None
        if account.erased:
            raise NotFound(f"{person} was erased.")
        await database.write(lambda tx: people.link(tx, CONSOLE, sender, account.id))
    else:
        await database.write(lambda tx: people.log_out(tx, CONSOLE, sender.address))

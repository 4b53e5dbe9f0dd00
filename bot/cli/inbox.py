"""`griot inbox`: show received messages that could not be read."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.cli_runtime import Json, Limit, day_time, print_json, print_table, read_database
from bot.contracts.storage import MAX_BIGINT

app = typer.Typer(help="List and show messages that could not be read.", no_args_is_help=True)
Message = Annotated[
    int, typer.Argument(metavar="ID", min=1, max=MAX_BIGINT, help="Id in the list.")
]


@app.command("list")
def list_messages(limit: Limit = 50, as_json: Json = False) -> None:
    """List the newest messages that could not be read, and why."""
    from bot.gateway.inbound.unreadable import list_unreadable

    found = read_database(lambda _, database: list_unreadable(database, limit=limit))
    if as_json:
        print_json(found)
        return
    rows = [(each.id, each.channel, day_time(each.at), each.reason) for each in found]
    print_table(("id", "channel", "at", "reason"), rows)


@app.command()
def show(message: Message) -> None:
    """Print a message as it came, as JSON."""
    from bot.gateway.inbound.unreadable import read_unreadable

    print_json(read_database(lambda _, database: read_unreadable(database, message)))

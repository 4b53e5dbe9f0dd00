"""`griot events`: a conversation read back for debugging."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.desk import consult
from bot.cli.output import Json, one_line, print_json


def events(
    conversation: Annotated[
        str, typer.Argument(help="A session's id, or a lane such as telegram:123.")
    ],
    as_json: Json = False,
) -> None:
    """What was said, called and answered in a conversation, oldest first."""
    from bot.gateway.memory_events import memory_events

    lane = conversation if ":" in conversation else f"http:{conversation}"
    found = consult(lambda _, database: memory_events(database, lane))
    if as_json:
        print_json({"events": found})
        return
    for event in found:
        name = event["metadata"].get("name", "")
        typer.echo(f"{event['timestamp']}  {event['event_type']}  {name}".rstrip())
        typer.echo(f"    {one_line(event['content'])}")

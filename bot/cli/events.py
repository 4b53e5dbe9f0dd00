"""`griot events`: a conversation read back for debugging."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.desk import consult
from bot.cli.output import Json, one_line, print_json
from bot.errors import NotFound

if TYPE_CHECKING:
    from bot.contracts import Database


def events(
    conversation: Annotated[
        str, typer.Argument(help="Session id, or a lane such as telegram:123.")
    ],
    as_json: Json = False,
) -> None:
    """Print a conversation: messages, tool calls and answers."""
    found = consult(lambda _, database: _read(database, conversation))
    if as_json:
        print_json({"events": found})
        return
    for event in found:
        name = event["metadata"].get("name", "")
        typer.echo(f"{event['timestamp']}  {event['event_type']}  {name}".rstrip())
        typer.echo(f"    {one_line(event['content'])}")


async def _read(database: Database, conversation: str) -> list[dict[str, Any]]:
    """Its memory events; none if so far it holds only what needs no turn, such as commands.

    Raises:
        NotFound: there is no such session or lane.
    """
    from bot.gateway.memory_events import memory_events
    from bot.gateway.records import list_turns

    lane = conversation if ":" in conversation else f"http:{conversation}"
    found = await memory_events(database, lane)
    if not found and not await list_turns(database, lane=lane, limit=1):
        raise NotFound(f"There is no conversation {conversation!r}: griot turns list shows lanes.")
    return found

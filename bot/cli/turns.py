"""`griot turns`: list turns that are done, queued, running or dead, and replay dead ones."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.cli_runtime import (
    Json,
    Limit,
    day_time,
    one_line,
    print_fields,
    print_json,
    print_table,
    read_database,
    run_with_database,
)
from bot.contracts.storage import MAX_BIGINT
from bot.errors import NotFound

if TYPE_CHECKING:
    from bot.contracts.storage import Database

app = typer.Typer(help="List, inspect and replay turns.", no_args_is_help=True)
Turn = Annotated[int, typer.Argument(metavar="ID", min=1, max=MAX_BIGINT, help="Id of the turn.")]


class State(StrEnum):
    queued = "queued"
    running = "running"
    done = "done"
    dead = "dead"


@app.command("list")
def list_turns(
    state: Annotated[State | None, typer.Option(help="Only turns in this state.")] = None,
    lane: Annotated[str, typer.Option(help="Only turns of this lane, such as telegram:123.")] = "",
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List the newest turns and the state of their deliveries."""
    from bot.gateway import admin

    only = state.value if state else None
    turns = read_database(
        lambda _, database: admin.list_turns(database, state=only, lane=lane, limit=limit)
    )
    if as_json:
        print_json(turns)
        return
    columns = ("id", "lane", "state", "reason", "attempts", "credits", "deliveries", "error")
    rows = [[{**turn, "deliveries": _states(turn)}[name] for name in columns] for turn in turns]
    print_table(columns, rows)


@app.command()
def show(turn: Turn, as_json: Json = False) -> None:
    """Show a turn and each of its deliveries."""
    from bot.gateway import admin

    found = read_database(lambda _, database: admin.show_turn(database, turn))
    if as_json:
        print_json(found)
        return
    deliveries = found.pop("deliveries")
    costs = {f"usd_{part}": f"{usd:.6f}" for part, usd in found.pop("usd").items()}
    times = {name: day_time(found[name]) for name in ("stored_at", "started_at", "ended_at")}
    print_fields(**found | times | costs)
    for item in deliveries:
        typer.echo()
        print_fields(**item)


@app.command()
def replay(turn: Turn) -> None:
    """Retry a dead turn where it stopped; it is not charged twice."""
    from bot.gateway import admin

    run_with_database(lambda _, database: admin.replay_turn(database, turn), makes_database=False)
    typer.echo(f"turn {turn} waits to be tried again")


def _states(turn: dict[str, Any]) -> str:
    return " ".join(f"{item['part']}:{item['state']}" for item in turn["deliveries"])


def events(
    conversation: Annotated[
        str, typer.Argument(help="Session id, or a lane such as telegram:123.")
    ],
    as_json: Json = False,
) -> None:
    """Print a conversation: messages, tool calls and answers."""
    found = read_database(lambda _, database: _read_events(database, conversation))
    if as_json:
        print_json({"events": found})
        return
    for event in found:
        name = event["metadata"].get("name", "")
        typer.echo(f"{event['timestamp']}  {event['event_type']}  {name}".rstrip())
        typer.echo(f"    {one_line(event['content'])}")


async def _read_events(database: Database, conversation: str) -> list[dict[str, Any]]:
    """Return a conversation's memory events; empty if no message had a turn, as with commands.

    Raises:
        NotFound: there is no such session or lane.
    """
    from bot.gateway.admin import list_turns
    from bot.gateway.conversation_history import read_conversation_events

    lane = conversation if ":" in conversation else f"http:{conversation}"
    found = await read_conversation_events(database, lane)
    if not found and not await list_turns(database, lane=lane, limit=1):
        raise NotFound(f"There is no conversation {conversation!r}: griot turns list shows lanes.")
    return found

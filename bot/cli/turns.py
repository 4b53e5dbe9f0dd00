"""`griot turns`: what was done, what waits, and what died."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from bot.cli.desk import consult
from bot.cli.output import Json, Limit, day_time, print_fields, print_json, print_table
from bot.whole_numbers import BIGGEST

app = typer.Typer(help="List, inspect and replay turns.", no_args_is_help=True)
Turn = Annotated[int, typer.Argument(metavar="ID", min=1, max=BIGGEST, help="Id of the turn.")]


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
    from bot.gateway import records

    only = state.value if state else None
    turns = consult(
        lambda _, database: records.list_turns(database, state=only, lane=lane, limit=limit)
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
    from bot.gateway import records

    found = consult(lambda _, database: records.show_turn(database, turn))
    if as_json:
        print_json(found)
        return
    deliveries = found.pop("deliveries")
    times = {name: day_time(found[name]) for name in ("stored_at", "started_at", "ended_at")}
    print_fields(**found | times)
    for item in deliveries:
        typer.echo()
        print_fields(**item)


@app.command()
def replay(turn: Turn) -> None:
    """Retry a dead turn where it stopped; it is not charged twice."""
    from bot.gateway import records

    consult(lambda _, database: records.replay_turn(database, turn))
    typer.echo(f"turn {turn} waits to be tried again")


def _states(turn: dict[str, Any]) -> str:
    return " ".join(f"{item['part']}:{item['state']}" for item in turn["deliveries"])

"""`griot db`: the tables and their revision."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.cli_runtime import (
    Json,
    load_settings,
    print_fields,
    print_json,
    run,
    run_with_database,
)
from bot.errors import DatabaseErrors, GriotError, SettingsError

if TYPE_CHECKING:
    import sqlite3

    from bot.contracts.storage import Database
    from bot.settings import Settings

app = typer.Typer(help="Upgrade, inspect and back up the database.", no_args_is_help=True)
_COPY_SECONDS = 60
Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", file_okay=False, help="Where the copies go.")
]
Keep = Annotated[int, typer.Option(help="Number of newest copies to keep.", min=1)]


@app.command()
def upgrade() -> None:
    """Upgrade the tables to the newest revision, as every start does."""
    from bot.storage.database import revision

    async def work(_: Settings, database: Database) -> str:
        return await revision(database)

    typer.echo(f"at revision {run_with_database(work)}")


@app.command()
def status(as_json: Json = False) -> None:
    """Show the revision of the tables, and the newest one."""
    from bot.storage.database import head, read_revision

    settings = load_settings()
    with DatabaseErrors():
        current = run(read_revision(settings))
    dialect = "sqlite" if settings.is_sqlite else "postgresql"
    found = {
        "dialect": dialect,
        "revision": current,
        "head": head(),
        "up_to_date": current == head(),
    }
    if as_json:
        print_json(found)
    else:
        print_fields(**found)


@app.command()
def backup(folder: Folder, keep: Keep = 14) -> None:
    """Back up a SQLite database to FOLDER, also while Griot runs."""
    from bot.storage.database import sqlite_path

    settings = load_settings()
    if not settings.is_sqlite:
        raise SettingsError("DATABASE_URL: this is for SQLite; for PostgreSQL use pg_dump")
    path = sqlite_path(settings)
    if not path.is_file():
        raise SettingsError(f"DATABASE_URL: there is no database at {path}")
    os.umask(0o077)
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"griot-{datetime.now(UTC):%Y-%m-%dT%H-%M-%SZ}.db"
    with DatabaseErrors():
        _copy_sqlite(path, copy)
    for old in sorted(folder.glob("griot-*.db"))[:-keep]:
        old.unlink()
    typer.echo(str(copy))


def _copy_sqlite(path: Path, copy: Path) -> None:
    """Copy one moment's state, compacted; the copy gets its name once it is checked."""
    import sqlite3

    draft = copy.with_suffix(".part")
    draft.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(path, timeout=_COPY_SECONDS)) as connection:
            _write_copy(connection, draft)
        with closing(sqlite3.connect(draft)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise SettingsError(f"DATABASE_URL: the database is damaged: {found}")
        draft.replace(copy)
    finally:
        for left in (draft, draft.with_name(f"{draft.name}-journal")):
            left.unlink(missing_ok=True)


def _write_copy(connection: sqlite3.Connection, draft: Path) -> None:
    """Write the copy. Raises `GriotError`: its folder is full, or takes nothing."""
    import sqlite3

    try:
        connection.execute("VACUUM INTO ?", (str(draft),))
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
            raise
        raise GriotError(
            f"The copy cannot be written in {draft.parent}: {error}. "
            "Free space there, or name another folder."
        ) from error

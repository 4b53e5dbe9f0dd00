"""`griot db`: the tables and their revision."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.cli_runtime import DatabaseErrors, load_settings, run, run_with_database
from bot.cli.output import Json, print_fields, print_json
from bot.errors import SettingsError

if TYPE_CHECKING:
    from bot.contracts.storage import Database
    from bot.settings import Settings

app = typer.Typer(help="Upgrade, inspect and back up the database.", no_args_is_help=True)
_SECONDS = 5
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
    from bot.storage.database import head

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
            connection.execute("VACUUM INTO ?", (str(draft),))
        with closing(sqlite3.connect(draft)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise SettingsError(f"DATABASE_URL: the database is damaged: {found}")
        draft.replace(copy)
    finally:
        draft.unlink(missing_ok=True)


async def read_revision(settings: Settings) -> str:
    """Return the revision of the tables; empty if there are none yet.

    Raises:
        SettingsError: the database cannot be reached.
    """
    return _read_sqlite(settings) if settings.is_sqlite else await _read_postgres(settings)


def _read_sqlite(settings: Settings) -> str:
    import sqlite3

    from bot.storage.database import sqlite_path

    path = sqlite_path(settings)
    if not path.parent.is_dir():
        raise SettingsError(f"DATABASE_URL: the folder {path.parent} does not exist; create it")
    if not path.exists():
        return ""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=_SECONDS)) as connection:
        tables = "SELECT name FROM sqlite_master WHERE name = 'alembic_version'"
        if not connection.execute(tables).fetchall():
            return ""
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return row[0] if row else ""


async def _read_postgres(settings: Settings) -> str:
    asyncpg: Any = import_module("asyncpg")  # it has no types
    try:
        connection = await asyncpg.connect(settings.database_url, timeout=_SECONDS)
    except ValueError:  # about its parts; the message may quote the password
        raise SettingsError(
            "DATABASE_URL: not a usable address; use postgresql://user:password@host/name, "
            "special characters of the password as %XX"
        ) from None
    except OSError as error:
        raise SettingsError(f"DATABASE_URL: cannot connect: {error or 'no answer'}") from error
    try:
        if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
            return ""
        return await connection.fetchval("SELECT version_num FROM alembic_version") or ""
    finally:
        await connection.close()

"""`griot db`: the tables and their revision."""

from __future__ import annotations

from contextlib import closing
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from bot.cli.desk import DatabaseErrors, consult, load_settings, run
from bot.cli.output import Json, print_fields, print_json
from bot.errors import SettingsError

if TYPE_CHECKING:
    from bot.contracts import Database
    from bot.settings import Settings

app = typer.Typer(help="The database's tables.", no_args_is_help=True)
_SECONDS = 5


@app.command()
def upgrade() -> None:
    """Bring the tables to the newest revision, as every start does."""
    from bot.storage.database import revision

    async def work(_: Settings, database: Database) -> str:
        return await revision(database)

    typer.echo(f"at revision {consult(work)}")


@app.command()
def status(as_json: Json = False) -> None:
    """The revision of the tables, and the newest; nothing is changed."""
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


async def read_revision(settings: Settings) -> str:
    """The revision that the tables are at, empty when there are none yet.

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
    except ValueError:  # of its parts; the message may quote the password
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

"""Read, add and change rows of the product's tables.

Tests write SQL only here and in `tests/storage`. Names of tables and columns are checked against
the product's tables, so a test that uses the old name of a renamed column fails with a `KeyError`.
Each function takes the database, or a transaction that is open already.

Keywords are conditions on columns, all of which a row has to meet: `state="sent"`, `owner=None`
(it has no value), `state=("sent", "failed")` (one of these), `owner=Not(None)`,
`id=Like("sms:%")`, `due_at=AtMost(NOW)`. Rows come in the order of the table's primary key.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, TypeVar, cast

from sqlalchemy import Double, Table, Text
from sqlmodel import SQLModel

import bot.storage.tables  # noqa: F401 (fills the metadata)
from bot.contracts.storage import Database, Transaction

T = TypeVar("T")
Row = dict[str, Any]
Source = Database | Transaction
TABLES: Final = SQLModel.metadata.sorted_tables
"""The product's tables; a table follows those that it refers to."""


@dataclass(frozen=True, slots=True)
class FromNow:
    """The time so many seconds after now, by the database's clock."""

    seconds: float


NOW: Final = FromNow(0)


@dataclass(frozen=True, slots=True)
class Plus:
    """A new value: what the column has already, plus `number`."""

    number: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A condition on a column other than that it equals the value."""

    value: object
    operator: ClassVar[str]


class Not(Comparison):
    operator = "<>"


class Like(Comparison):
    operator = "LIKE"


class AtMost(Comparison):
    operator = "<="


class Above(Comparison):
    operator = ">"


async def read_rows(
    source: Source, table: str, /, *, order_by: str = "", **where: object
) -> list[Row]:
    """Read whole rows, in the order of the primary key or of the column `order_by`."""
    statement = Statement(table)
    order = statement.check_column(order_by) if order_by else statement.key
    sql = f"SELECT * FROM {table}{statement.format_where(where)} ORDER BY {order}"
    return [dict(row) for row in await fetch(source, sql, **statement.values)]


async def read_row(source: Source, table: str, /, **where: object) -> Row:
    """Read the only row that meets them. Raises `ValueError` unless there is exactly one."""
    [row] = await read_rows(source, table, order_by="", **where)
    return row


async def read_values(
    source: Source, table: str, column: str, /, *, order_by: str = "", **where: object
) -> list[Any]:
    """Read one column of the rows, in the order of the primary key or of the column `order_by`."""
    Statement(table).check_column(column)
    return [row[column] for row in await read_rows(source, table, order_by=order_by, **where)]


async def read_seconds_until(
    source: Source, table: str, column: str, /, **where: object
) -> list[Any]:
    """Read a column of times as seconds from now, by the database's clock."""
    statement = Statement(table)
    wait = f"{statement.check_column(column)} - {{now}} AS wait"
    sql = f"SELECT {wait} FROM {table}{statement.format_where(where)} ORDER BY {statement.key}"
    return [row["wait"] for row in await fetch(source, sql, **statement.values)]


async def count_rows(source: Source, table: str, /, **where: object) -> int:
    """Count the rows that meet the conditions."""
    statement = Statement(table)
    sql = f"SELECT count(*) AS number FROM {table}{statement.format_where(where)}"
    [row] = await fetch(source, sql, **statement.values)
    return row["number"]


async def add_row(source: Source, table: str, /, **values: object) -> Row:
    """Add a row, and return it whole.

    A column that is left out and has neither a default nor a null gets "", 0, or now for a time.
    """
    statement = Statement(table)
    sql = f"{statement.format_insert(values)} RETURNING *"
    return dict((await write(source, sql, **statement.values))[0])


async def add_rows(source: Source, table: str, rows: Sequence[Mapping[str, object]], /) -> None:
    """Add many rows at once; all name the same columns. See `add_row` for those left out."""
    statements = [(Statement(table), row) for row in rows]
    [sql] = {statement.format_insert(row) for statement, row in statements}
    values = [statement.values for statement, _ in statements]

    async def work(tx: Transaction) -> None:
        await tx.execute_many(sql, values)

    await choose_transaction(source, "write")(work)


async def change_rows(
    source: Source, table: str, values: Mapping[str, object], /, **where: object
) -> int:
    """Set columns in the rows that meet the conditions; return how many rows there were."""
    statement = Statement(table)
    texts = [f"{name} = {statement.format_value(name, value)}" for name, value in values.items()]
    sql = f"UPDATE {table} SET {', '.join(texts)}{statement.format_where(where)} RETURNING 1"
    return len(await write(source, sql, **statement.values))


async def delete_rows(source: Source, table: str, /, **where: object) -> int:
    """Delete the rows that meet the conditions; return how many there were."""
    statement = Statement(table)
    sql = f"DELETE FROM {table}{statement.format_where(where)} RETURNING 1"
    return len(await write(source, sql, **statement.values))


async def read_clock(source: Source) -> float:
    """Read the database's clock, in Unix seconds."""
    [row] = await fetch(source, "SELECT {now} AS now")
    return row["now"]


async def read_every_table(source: Source) -> list[tuple[str, Row]]:
    """Read all rows of all tables, each with the name of its table."""
    return [(table.name, row) for table in TABLES for row in await read_rows(source, table.name)]


def contains_text(row: Row, text: str) -> bool:
    """Return whether a value of the row contains the text."""
    return any(
        text in (value.decode(errors="replace") if isinstance(value, bytes) else str(value))
        for value in row.values()
    )


async def count_unfinished(source: Source) -> int:
    """Count updates and deliveries that are still to be handled, and lanes that a worker has."""
    sql = """
        SELECT (SELECT count(*) FROM inbox WHERE state = 'pending')
            + (SELECT count(*) FROM outbox WHERE state IN ('pending', 'attempting'))
            + (SELECT count(*) FROM lane WHERE owner IS NOT NULL) AS number
    """
    [row] = await fetch(source, sql)
    return row["number"]


async def set_revision(source: Source, revision: str) -> None:
    """Write down another revision of the tables than they have."""
    await write(source, "UPDATE alembic_version SET version_num = :r RETURNING 1", r=revision)


async def check_fulltext_index(source: Source) -> None:
    """Let SQLite compare its full-text index with the indexed texts; it raises if they differ."""
    await write(source, "INSERT INTO fulltext (fulltext, rank) VALUES ('integrity-check', 1)")


async def until_one_waits(database: Database) -> None:
    """Wait until one transaction of PostgreSQL waits for a lock of another one."""
    sql = """
        SELECT count(*) AS number FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()
    """
    async with asyncio.timeout(10):
        while (await write(database, sql))[0]["number"] == 0:
            await asyncio.sleep(0.01)


def dump_sqlite_file(path: Path) -> dict[str, str]:
    """Read all tables of a SQLite file, its own ones too; the rows of each as one text."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {
            name: str(connection.execute(f"SELECT * FROM {name}").fetchall())
            for (name,) in tables.fetchall()
        }


# How a statement is made and run ----------------------------------------------------------------


class Statement:
    """Parts of a statement about one table. It checks names, and collects the parameters."""

    def __init__(self, table: str) -> None:
        self.table: Table = SQLModel.metadata.tables[table]
        self.key = ", ".join(column.name for column in self.table.primary_key.columns)
        self.values: dict[str, object] = {}

    def check_column(self, column: str) -> str:
        """Return the column's name. Raises `KeyError` if the table has no such column."""
        return self.table.columns[column].name

    def format_insert(self, row: Mapping[str, object]) -> str:
        texts = {name: self.format_value(name, value) for name, value in row.items()}
        for column in self.table.columns:
            needed = not (column.nullable or column.server_default or column.primary_key)
            if needed and column.name not in texts:
                empty = "''" if isinstance(column.type, Text) else "0"
                texts[column.name] = "{now}" if isinstance(column.type, Double) else empty
        names = ", ".join(texts)
        return f"INSERT INTO {self.table.name} ({names}) VALUES ({', '.join(texts.values())})"

    def format_where(self, conditions: Mapping[str, object]) -> str:
        texts = [
            self._format_condition(self.check_column(name), value)
            for name, value in conditions.items()
        ]
        return " WHERE " + " AND ".join(texts) if texts else ""

    def format_value(self, column: str, value: object) -> str:
        """Return the text of a new value for the column."""
        if isinstance(value, Plus):
            return f"{self.check_column(column)} + {self._add_parameter(value.number)}"
        self.check_column(column)
        return self._format_operand(value)

    def _format_condition(self, column: str, value: object) -> str:
        match value:
            case None:
                return f"{column} IS NULL"
            case Not(None):
                return f"{column} IS NOT NULL"
            case Comparison():
                return f"{column} {value.operator} {self._format_operand(value.value)}"
            case tuple():
                options = ", ".join(self._format_operand(option) for option in value)
                return f"{column} IN ({options})"
            case _:
                return f"{column} = {self._format_operand(value)}"

    def _format_operand(self, value: object) -> str:
        if isinstance(value, FromNow):
            return f"{{now}} + {self._add_parameter(value.seconds)}"
        return self._add_parameter(value)

    def _add_parameter(self, value: object) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f":{name}"


Run = Callable[[Callable[[Transaction], Awaitable[T]]], Awaitable[T]]


async def fetch(source: Source, sql: str, **values: object) -> Sequence[Any]:
    """Run a statement that only reads."""
    return await choose_transaction(source, "read")(lambda tx: tx.fetch(sql, **values))


async def write(source: Source, sql: str, **values: object) -> Sequence[Any]:
    """Run a statement that changes rows; return its rows."""
    return await choose_transaction(source, "write")(lambda tx: tx.fetch(sql, **values))


def choose_transaction(source: Source, way: Literal["read", "write"]) -> Run[Any]:
    """Return a function that runs work in a new transaction, or in the one that is open already."""
    if hasattr(source, way):
        return getattr(source, way)
    return lambda work: work(cast("Transaction", source))


# Which keys belong together ---------------------------------------------------------------------


async def find_owner(tx: Transaction, kind: str, key: str | int) -> str:
    """Name whose a lane or an account is: `account:7`, or the lane itself of a guest."""
    owner = f"account:{key}" if kind == "account" else str(key)
    passed = {owner}  # lanes of one thread may lead to each other
    while (leads_to := await _follow(tx, owner)) not in passed:
        passed.add(leads_to)
        owner = leads_to
    circle = [leads_to]
    while (after := await _follow(tx, circle[-1])) != leads_to:
        circle.append(after)
    return min(circle)


def is_anyones(owner: str) -> bool:
    """Whether the owner's name stands for a chat of many people, or for a lane that is not there,
    as in tests of a part that only names it."""
    return owner.startswith("anyone:")


async def _follow(tx: Transaction, owner: str) -> str:
    kind, _, rest = owner.partition(":")
    if kind == "account":
        sql = "SELECT 'account:' || part_of AS owner FROM account WHERE id = :id"
        found = await tx.fetch_one(sql, id=int(rest))
    elif kind == "anyone":
        return owner
    elif kind in {"email", "session"}:  # email:7/hash, email:sms:+225…/hash, session:http:…
        about = rest.rpartition("/")[0] or rest
        return f"account:{about}" if about.isdigit() else about
    else:
        found = await tx.fetch_one(_OWNER_OF_LANE, lane=owner, channel=kind, address=rest)
    return (found["owner"] if found else None) or owner


_OWNER_OF_LANE: Final = """
SELECT coalesce(
    (SELECT thread FROM lane WHERE id = :lane),
    (SELECT 'account:' || account FROM session WHERE id = :address AND :channel = 'http'),
    (SELECT 'account:' || account FROM identity WHERE channel = :channel AND address = :address),
    (SELECT 'account:' || id FROM account WHERE phone = :address OR user_id = :address),
    (SELECT 'anyone:' || :lane WHERE NOT EXISTS (SELECT 1 FROM lane WHERE id = :lane) OR EXISTS (
        SELECT 1 FROM inbox WHERE lane = :lane AND body LIKE '%"group":true%'
    ))
) AS owner
"""


def note_written_rows(
    connection: sqlite3.Connection,
    columns: Mapping[str, Mapping[str, str]],
    note: Callable[[str, Any], None],
) -> None:
    """Have `note(kind, key)` called for each row that this connection of SQLite writes from now on.

    Args:
        columns: by kind of key the tables, each with its column that holds the key.
    """
    connection.create_function("note_key", 2, note)
    for kind, tables in columns.items():
        for table, column in tables.items():
            for event, rows in _ROWS_OF.items():
                notes = " ".join(f"SELECT note_key('{kind}', {row}.{column});" for row in rows)
                connection.execute(
                    f"CREATE TEMP TRIGGER note_{table}_{event} AFTER {event} ON main.{table} "
                    f"BEGIN {notes} END"
                )


_ROWS_OF: Final = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}


async def limit_pages(database: Database, *, is_full: bool) -> None:
    """Let a SQLite file grow no further, as on a full disk; or let it grow again."""
    pages = 1 if is_full else 10**6  # the limit is never below the present size
    await database.write(lambda tx: tx.fetch(f"PRAGMA max_page_count={pages}"))

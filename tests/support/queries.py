"""Rows of the database that tests read, add and change.

Tests hold no SQL but here and in `tests/storage`. Names of tables and columns are checked against
the product's tables, so that a renamed column fails in the first test that says its old name.
Each function takes the database, or a transaction that is open already.

What rows are asked for is said by column: `state="sent"`, `owner=None` (no value),
`state=("sent", "failed")` (one of these), `owner=Not(None)`, `id=Like("sms:%")`,
`due_at=AtMost(NOW)`. Rows come in the order of the table's primary key.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, cast

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
    """A time so many seconds after now, by the database's clock."""

    seconds: float


NOW: Final = FromNow(0)


@dataclass(frozen=True, slots=True)
class Plus:
    """What the column has already, and `number` more; only as a new value."""

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
    """Read whole rows, in the order of the primary key or by this column."""
    statement = Statement(table)
    order = statement.name(order_by) if order_by else statement.key
    sql = f"SELECT * FROM {table}{statement.where(where)} ORDER BY {order}"
    return [dict(row) for row in await fetch(source, sql, **statement.values)]


async def read_row(source: Source, table: str, /, **where: object) -> Row:
    """Read the one row that there is; fail if there is none or another one."""
    [row] = await read_rows(source, table, **where)
    return row


async def read_values(
    source: Source, table: str, column: str, /, *, order_by: str = "", **where: object
) -> list[Any]:
    """Read one column of the rows, in the order of the primary key or by another column."""
    Statement(table).name(column)
    return [row[column] for row in await read_rows(source, table, order_by=order_by, **where)]


async def read_seconds_until(
    source: Source, table: str, column: str, /, **where: object
) -> list[Any]:
    """Read how many seconds from now the times in the column are, by the database's clock."""
    statement = Statement(table)
    wait = f"{statement.name(column)} - {{now}} AS wait"
    sql = f"SELECT {wait} FROM {table}{statement.where(where)} ORDER BY {statement.key}"
    return [row["wait"] for row in await fetch(source, sql, **statement.values)]


async def count_rows(source: Source, table: str, /, **where: object) -> int:
    """Count the rows that are so."""
    statement = Statement(table)
    sql = f"SELECT count(*) AS number FROM {table}{statement.where(where)}"
    [row] = await fetch(source, sql, **statement.values)
    return row["number"]


async def add_row(source: Source, table: str, /, **values: object) -> Row:
    """Add a row and return it whole.

    Columns that need a value and are not named get an empty text, zero, or now.
    """
    statement = Statement(table)
    sql = f"{statement.insert(values)} RETURNING *"
    return dict((await write(source, sql, **statement.values))[0])


async def add_rows(source: Source, table: str, rows: Sequence[Mapping[str, object]], /) -> None:
    """Add many rows at once, which name the same columns; see `add_row` for the others."""
    statements = [(Statement(table), row) for row in rows]
    [sql] = {statement.insert(row) for statement, row in statements}
    values = [statement.values for statement, _ in statements]

    async def work(tx: Transaction) -> None:
        await tx.execute_many(sql, values)

    await _in_transaction(source, work, lambda database: database.write)


async def change_rows(
    source: Source, table: str, values: Mapping[str, object], /, **where: object
) -> int:
    """Give columns new values, in all rows or those that are so; how many there were."""
    statement = Statement(table)
    texts = [f"{name} = {statement.value(name, value)}" for name, value in values.items()]
    sql = f"UPDATE {table} SET {', '.join(texts)}{statement.where(where)} RETURNING 1"
    return len(await write(source, sql, **statement.values))


async def delete_rows(source: Source, table: str, /, **where: object) -> int:
    """Delete all rows, or those that are so; how many there were."""
    statement = Statement(table)
    sql = f"DELETE FROM {table}{statement.where(where)} RETURNING 1"
    return len(await write(source, sql, **statement.values))


async def read_clock(source: Source) -> float:
    """Read the database's clock, in Unix seconds."""
    [row] = await fetch(source, "SELECT {now} AS now")
    return row["now"]


async def read_every_table(source: Source) -> list[tuple[str, Row]]:
    """Read all rows of all tables, each with the name of its table."""
    return [(table.name, row) for table in TABLES for row in await read_rows(source, table.name)]


def contains_text(row: Row, text: str) -> bool:
    """Whether a value of the row contains the text."""
    return any(
        text in (value.decode(errors="replace") if isinstance(value, bytes) else str(value))
        for value in row.values()
    )


async def count_unfinished(source: Source) -> int:
    """Count the updates and deliveries that are to be handled, and lanes that a worker has."""
    sql = """
        SELECT (SELECT count(*) FROM inbox WHERE state = 'pending')
            + (SELECT count(*) FROM outbox WHERE state IN ('pending', 'attempting'))
            + (SELECT count(*) FROM lane WHERE owner IS NOT NULL) AS number
    """
    [row] = await fetch(source, sql)
    return row["number"]


async def set_revision(source: Source, revision: str) -> None:
    """Pretend that the tables are of this revision."""
    await write(source, "UPDATE alembic_version SET version_num = :r RETURNING 1", r=revision)


async def check_fulltext_index(source: Source) -> None:
    """Fail if SQLite's full-text index does not agree with the texts that it is made from."""
    await write(source, "INSERT INTO fulltext (fulltext, rank) VALUES ('integrity-check', 1)")


async def until_one_waits(database: Database) -> None:
    """Wait until a transaction of PostgreSQL waits for the lock of another one."""
    sql = """
        SELECT count(*) AS number FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()
    """
    async with asyncio.timeout(10):
        while (await write(database, sql))[0]["number"] == 0:
            await asyncio.sleep(0.01)


def dump_sqlite_file(path: Path) -> dict[str, str]:
    """Read everything in a SQLite file, its own tables too: the rows of each table as one text."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {
            name: str(connection.execute(f"SELECT * FROM {name}").fetchall())
            for (name,) in tables.fetchall()
        }


# How a statement is made and run ----------------------------------------------------------------


class Statement:
    """A statement about one table: it checks names, and gathers the values that it is run with."""

    def __init__(self, table: str) -> None:
        self.table: Table = SQLModel.metadata.tables[table]
        self.key = ", ".join(column.name for column in self.table.primary_key.columns)
        self.values: dict[str, object] = {}

    def name(self, column: str) -> str:
        """The column's name. Raises `KeyError` if the table has none such."""
        return self.table.columns[column].name

    def insert(self, row: Mapping[str, object]) -> str:
        texts = {name: self.value(name, value) for name, value in row.items()}
        for column in self.table.columns:
            needed = not (column.nullable or column.server_default or column.primary_key)
            if needed and column.name not in texts:
                empty = "''" if isinstance(column.type, Text) else "0"
                texts[column.name] = "{now}" if isinstance(column.type, Double) else empty
        names = ", ".join(texts)
        return f"INSERT INTO {self.table.name} ({names}) VALUES ({', '.join(texts.values())})"

    def where(self, conditions: Mapping[str, object]) -> str:
        texts = [self._condition(self.name(name), value) for name, value in conditions.items()]
        return " WHERE " + " AND ".join(texts) if texts else ""

    def value(self, column: str, value: object) -> str:
        """What stands in the statement for a new value of the column."""
        if isinstance(value, Plus):
            return f"{self.name(column)} + {self._parameter(value.number)}"
        self.name(column)
        return self._operand(value)

    def _condition(self, column: str, value: object) -> str:
        match value:
            case None:
                return f"{column} IS NULL"
            case Not(None):
                return f"{column} IS NOT NULL"
            case Comparison():
                return f"{column} {value.operator} {self._operand(value.value)}"
            case tuple():
                options = ", ".join(self._operand(option) for option in value)
                return f"{column} IN ({options})"
            case _:
                return f"{column} = {self._operand(value)}"

    def _operand(self, value: object) -> str:
        if isinstance(value, FromNow):
            return f"{{now}} + {self._parameter(value.seconds)}"
        return self._parameter(value)

    def _parameter(self, value: object) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f":{name}"


Run = Callable[[Callable[[Transaction], Awaitable[Any]]], Awaitable[Any]]
"""`Database.read` or `Database.write`."""


async def fetch(source: Source, sql: str, **values: object) -> Sequence[Any]:
    """Run a statement that only reads."""
    return await _in_transaction(
        source, lambda tx: tx.fetch(sql, **values), lambda database: database.read
    )


async def write(source: Source, sql: str, **values: object) -> Sequence[Any]:
    """Run a statement that changes rows; what it returns."""
    return await _in_transaction(
        source, lambda tx: tx.fetch(sql, **values), lambda database: database.write
    )


async def _in_transaction(
    source: Source,
    work: Callable[[Transaction], Awaitable[T]],
    choose: Callable[[Database], Run],
) -> T:
    """Run it in the transaction that is open, or in one of its own."""
    if hasattr(source, "write"):
        return await choose(cast("Database", source))(work)
    return await work(cast("Transaction", source))

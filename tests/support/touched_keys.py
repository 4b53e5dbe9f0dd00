"""Find transactions that touch rows of two owners, which could lie in two databases.

On SQLite, the keys of a transaction are noted from three places: the rows that it writes (by
temporary triggers, so exactly), the values that its statements bind to key columns, and, where a
statement binds none, the key columns of the rows that it returns; but one row that is found by its
id may be another's, who is then refused. PostgreSQL runs the same statements. Statements are not
parsed: which tables one names, and which parameters it compares with a key, is read by two regular
expressions, and only for what is read.

Watched are transactions of turns, deliveries, commands, reminders, payments and web pages: those
that the packages of `_WATCHED` begin, or have begun. What a test begins itself is not, as the
people in tests of a part are not whole; nor are other processes.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from inspect import currentframe
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeVar

from bot.contracts.storage import Row, Transaction
from bot.storage import sqlite
from bot.storage.sqlite import SqliteDatabase, connect
from bot.storage.tables import ACCOUNT_COLUMNS, LANE_COLUMNS
from tests.support.queries import find_owner, is_anyones, note_written_rows

T = TypeVar("T")
Key = tuple[str, Any]
Work = Callable[[Transaction], Awaitable[T]]

_DUE: Final = "takes what is due in the database at hand, of many people at once"
_JOINS: Final = "moves what one owner has to another"
_LOOKS: Final = "lists what operators look at, of many people at once"
_LEAVES: Final = "collects all that one person has anywhere"
_NUMBER: Final = "sends a code to a number, whoever has asked for it"
_OPERATORS: Final = "tells the operators"
_BATCH: Final = "takes what one webhook brings, of many people at once"
ACROSS_OWNERS: Final[Mapping[str, str]] = {
    "bot.billing.purchases: list_sales": _LOOKS,
    "bot.billing.purchases: take_due_checks": _DUE,
    "bot.gateway.admin: list_accounts": _LOOKS,
    "bot.gateway.admin: list_failed_deliveries": _LOOKS,
    "bot.gateway.admin: list_turns": _LOOKS,
    "bot.gateway.commands.account_data: DeleteCommand.__call__": _LEAVES,
    "bot.gateway.delivery.fault_reports: FaultReports.file": _OPERATORS,
    "bot.gateway.delivery.code_sender: CodeSender.fall_back": _NUMBER,
    "bot.gateway.delivery.code_sender: CodeSender.send": _NUMBER,
    "bot.gateway.delivery.receipts: Receipts._store": _BATCH,
    "bot.gateway.inbound.inbox: Inbox.store": _BATCH,
    "bot.gateway.lanes: Lanes.claim": _DUE,
    "bot.gateway.lanes: Lanes.renew": _DUE,
    "bot.gateway.people.erasure: Erasure.erase": _LEAVES,
    "bot.gateway.people.erasure: Erasure.erase_account": _LEAVES,
    "bot.gateway.people.export: DataExport.write": _LEAVES,
    "bot.gateway.people.identity_resolution: IdentityResolver.change": _JOINS,
    "bot.gateway.people.identity_resolution: IdentityResolver.prove_number": _JOINS,
    "bot.gateway.people.identity_resolution: IdentityResolver.resolve": _JOINS,
    "bot.gateway.people.linking: AccountLinking.join": _JOINS,
    "bot.gateway.scheduler.message_retention: list_oldest": _DUE,
    "bot.gateway.scheduler.restriction_trials: release_deliveries": _DUE,
    "bot.gateway.scheduler.review_nudges: Nudges._nudge_some": _DUE,
    "bot.gateway.scheduler.review_nudges: Nudges._skip_some": _DUE,
    "bot.gateway.scheduler.reminders: list_reminder_outcomes": _DUE,
    "bot.learning.tasks: list_due": _DUE,
}
"""Functions that may touch keys of several owners, each with the reason. What they touch, and what
is called by them touches, is not counted."""

FOUND: Final[list[str]] = []
"""Transactions that touched keys of two owners, each with its keys; whoever looks clears it."""

_KINDS: Final[Mapping[str, str]] = {"lane": "lane", "thread": "lane", "account": "account"}
_HOT: Final[Mapping[str, str]] = {
    **dict.fromkeys(LANE_COLUMNS, "lane"),
    **dict.fromkeys(ACCOUNT_COLUMNS, "account"),
}
_COLUMNS: Final = {"lane": LANE_COLUMNS, "account": ACCOUNT_COLUMNS}
_TABLE: Final = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)")
_PARAMETER: Final = re.compile(r"(?<![:\w]):([a-z_]\w*)")
_COMPARED: Final = re.compile(r"\b(lane|thread|account)\s*=\s*(?:CAST\()?:(\w+)")
_ROOT: Final = f"{Path(__file__).parents[2]}/"
_WATCHED: Final = ("bot.gateway.", "bot.billing.", "bot.web.")
_STORAGE: Final = "bot/storage/sqlite.py"


class _Current(threading.local):
    """Where the thread that runs a transaction notes what it writes."""

    keys: TouchedKeys | None = None


_current = _Current()


@dataclass(frozen=True, slots=True)
class _Statement:
    kinds: frozenset[str]
    """Of the hot tables that it names."""
    parameters: Mapping[str, str]
    """Those that hold a key."""


@cache
def _read_statement(sql: str) -> _Statement:
    kinds = frozenset(_HOT[table] for table in _TABLE.findall(sql) if table in _HOT)
    named = {name: _KINDS[name] for name in _PARAMETER.findall(sql) if name in _KINDS}
    compared = {name: _KINDS[column] for column, name in _COMPARED.findall(sql)}
    found = {**named, **compared}
    return _Statement(kinds, {name: kind for name, kind in found.items() if kind in kinds})


_MOST: Final = 20
"""Keys of a transaction that are noted: they suffice to find two owners."""


@dataclass(slots=True)
class TouchedKeys:
    """The keys that one transaction has touched, and whose they are.

    Args:
        callers: the functions of the product that began it, the innermost first.
    """

    callers: Sequence[str] = ()
    owners: dict[Key, set[str]] = field(default_factory=dict[Key, set[str]])
    """Of each key, when it was touched and when the transaction ends: one may be linked, or
    unlinked, in between."""
    places: dict[Key, str] = field(default_factory=dict[Key, str])

    def note(self, kind: str, key: Any) -> None:
        """Note a key, unless it is none, or that of all guests, or an exception has it touched."""
        if not key or (kind, key) in self.owners or len(self.owners) >= _MOST:
            return
        names = list(_name_product_frames(currentframe()))
        if not any(name in ACROSS_OWNERS for name in names):
            self.owners[kind, key] = set()
            self.places[kind, key] = names[0] if names else ""

    def note_values(self, parameters: Mapping[str, str], values: Mapping[str, Any]) -> None:
        """Note the keys among the values of a statement; a guest's rows lie with their lane."""
        for name, kind in parameters.items():
            if kind == "account" and values.get(name) == 0:
                self.note("lane", values.get("lane"))
            else:
                self.note(kind, values.get(name))

    async def find_owners(self, tx: Transaction, *, anew: bool = False) -> None:
        """Find whose the keys are, as soon as there are two."""
        if len(self.owners) > 1:
            for (kind, key), owners in self.owners.items():
                if anew or not owners:
                    owners.add(await find_owner(tx, kind, key))

    def group(self) -> list[set[Key]]:
        """The keys in groups, each of one owner. A chat of many people may go with one of them: it
        is nobody's, and whoever writes there pays."""
        groups: list[tuple[set[Key], set[str]]] = []
        for key, owners in self.owners.items():
            joined = [group for group in groups if group[1] & owners]
            groups = [group for group in groups if not group[1] & owners]
            keys = {key}.union(*(group[0] for group in joined))
            groups.append((keys, owners.union(*(group[1] for group in joined))))
        chats = [keys for keys, owners in groups if all(is_anyones(one) for one in owners)]
        return [keys for keys, _ in groups if keys not in chats] or chats

    def describe(self) -> str:
        groups = "; ".join(
            ", ".join(f"{kind} {key} ({self.places[kind, key]})" for kind, key in keys)
            for keys in self.group()
        )
        return f"{next(iter(self.callers), 'a test')} touches: {groups}"


class WatchedTransaction:
    """Implements `bot.contracts.storage.Transaction`; it notes the keys of each statement."""

    def __init__(self, tx: Transaction, keys: TouchedKeys) -> None:
        self._tx = tx
        self._keys = keys

    async def fetch(self, sql: str, **values: Any) -> list[Row]:
        await self._note(sql, [values])
        rows = await self._tx.fetch(sql, **values)
        self._note_rows(sql, rows)
        return rows

    async def fetch_one(self, sql: str, **values: Any) -> Row | None:
        await self._note(sql, [values])
        return await self._tx.fetch_one(sql, **values)

    async def execute(self, sql: str, **values: Any) -> int:
        await self._note(sql, [values])
        return await self._tx.execute(sql, **values)

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        await self._note(sql, rows)
        await self._tx.execute_many(sql, rows)

    async def fetch_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[Row]:
        await self._note(sql, rows)
        found = await self._tx.fetch_many(sql, rows)
        self._note_rows(sql, found)
        return found

    async def announce(self, lane: str, *, urgent: bool = False, after: float = 0.0) -> None:
        await self._tx.announce(lane, urgent=urgent, after=after)

    async def _note(self, sql: str, rows: Iterable[Mapping[str, Any]]) -> None:
        statement = _read_statement(sql)
        if statement.parameters:
            for values in rows:
                self._keys.note_values(statement.parameters, values)
            await self._keys.find_owners(self._tx)

    def _note_rows(self, sql: str, rows: Sequence[Row]) -> None:
        statement = _read_statement(sql)
        if rows and statement.kinds and not statement.parameters:
            columns = set(rows[0].keys())
            parameters = {
                name: kind
                for name, kind in _KINDS.items()
                if name in columns and kind in statement.kinds
            }
            if parameters:
                for row in rows:
                    self._keys.note_values(parameters, dict(row))


async def watch(tx: Transaction, work: Work[T], keys: TouchedKeys) -> T:
    """Run the work in the transaction, and note the keys that it touches."""
    _current.keys = keys
    try:
        result = await work(WatchedTransaction(tx, keys))
    finally:
        _current.keys = None
    await keys.find_owners(tx, anew=True)
    return result


@contextmanager
def watch_transactions() -> Iterator[None]:
    """Note in `FOUND` each transaction of this process on SQLite that touches keys of two owners,
    of databases that are opened meanwhile."""
    write, read = SqliteDatabase.write, SqliteDatabase.read
    sqlite.connect = _connect
    SqliteDatabase.write, SqliteDatabase.read = _watched(write), _watched(read)
    try:
        yield
    finally:
        sqlite.connect = connect
        SqliteDatabase.write, SqliteDatabase.read = write, read


def _connect(path: Path) -> sqlite3.Connection:
    connection = connect(path)
    tables = connection.execute("PRAGMA table_list('lane')").fetchall()
    if tables and threading.current_thread().name == "griot-writer":
        note_written_rows(connection, _COLUMNS, _note_written)
    return connection


def _note_written(kind: str, key: Any) -> None:
    if _current.keys is not None:
        _current.keys.note(kind, key)


def _watched(run: Callable[..., Awaitable[Any]]) -> Callable[..., Any]:
    async def watched(database: SqliteDatabase, work: Work[Any]) -> Any:
        callers = list(_name_product_frames(currentframe()))
        if not any(name.startswith(_WATCHED) for name in callers) or any(
            name in ACROSS_OWNERS for name in callers
        ):
            return await run(database, work)
        keys = TouchedKeys(callers)
        result = await run(database, partial(watch, work=work, keys=keys))
        if len(keys.group()) > 1:
            FOUND.append(keys.describe())
        return result

    return watched


def _name_product_frames(frame: FrameType | None) -> Iterator[str]:
    """Name the functions of the product on the stack, the innermost first, up to the first test."""
    while frame is not None:
        name = _name(frame.f_code.co_filename, frame.f_code.co_qualname)
        if name.startswith("tests."):
            return
        if name:
            yield name
        frame = frame.f_back


@cache
def _name(path: str, function: str) -> str:
    """`bot.gateway.lanes: Lanes.claim`; empty: neither the product's nor a test's."""
    module = path.removeprefix(_ROOT)
    if module == path or module.startswith((".", _STORAGE, "tests/support/touched_keys")):
        return ""
    return f"{module.removesuffix('.py').replace('/', '.')}: {function.partition('.<locals>')[0]}"

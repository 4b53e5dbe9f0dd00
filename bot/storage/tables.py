"""The tables, as SQLModel defines them: the source of the migrations, and of nothing at run time.

A table is named as its class, in lower case.

Every hot table carries its lane, and its keys are unique within the lane, so the same tables can be
distributed by lane. Times are Unix seconds; bodies are JSON text of `bot/messages.py` values.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, Double, Index, Integer, Text
from sqlalchemy import Identity as Serial
from sqlalchemy import UniqueConstraint as Unique
from sqlalchemy import text as where
from sqlmodel import Field, SQLModel

_CLUSTERED = {"sqlite_with_rowid": False}
"""SQLite keeps the rows in the order of their key: those of one lane lie side by side."""
_Big = BigInteger().with_variant(Integer(), "sqlite")


def _number(*, default: int | None = None, null: bool = False, key: bool = False) -> Column[int]:
    server_default = None if default is None else str(default)
    return Column(BigInteger, nullable=null, server_default=server_default, primary_key=key)


def _serial() -> Column[int]:
    return Column(_Big, Serial(), primary_key=True)


def _time(*, null: bool = False) -> Column[float]:
    return Column(Double, nullable=null)


def _text(*, default: str | None = None, null: bool = False, key: bool = False) -> Column[str]:
    return Column(Text, nullable=null, server_default=default, primary_key=key)


class Lane(SQLModel, table=True):
    """What must happen in order: one a conversation, a job, a reminder."""

    __table_args__ = (
        Index(
            "lane_due",
            "due_at",
            postgresql_where=where("due_at IS NOT NULL"),
            sqlite_where=where("due_at IS NOT NULL"),
        ),
        Index(
            "lane_owner",
            "owner",
            postgresql_where=where("owner IS NOT NULL"),
            sqlite_where=where("owner IS NOT NULL"),
        ),
        _CLUSTERED,
    )
    id: str = Field(sa_column=_text(key=True))
    via: str = Field(sa_column=_text(default=""))
    """The adapter that received the last update; replies go out by it."""
    owner: str | None = Field(sa_column=_text(null=True))
    """The process that has the lease, if any."""
    fence: int = Field(sa_column=_number(default=0))
    """Grows with every claim; a write made under an older number is refused."""
    due_at: float | None = Field(sa_column=_time(null=True))
    """When someone must look next: work is ready, or a lease ends. NULL: nothing to do."""
    history_from: int = Field(sa_column=_number(default=0))
    """Turns before this one are forgotten (/new)."""
    reachable: int = Field(sa_column=_number(default=1))


class Inbox(SQLModel, table=True):
    """Every update that was accepted, once."""

    __table_args__ = (
        Unique("lane", "delivery_key"),
        Unique("lane", "message_key"),
        Index(
            "inbox_pending",
            "lane",
            "seq",
            postgresql_where=where("state = 'pending'"),
            sqlite_where=where("state = 'pending'"),
        ),
        {"sqlite_autoincrement": True},
    )
    seq: int = Field(sa_column=_serial())
    lane: str = Field(sa_column=_text())
    delivery_key: str = Field(sa_column=_text())
    message_key: str = Field(sa_column=_text())
    body: str = Field(sa_column=_text())
    express: int = Field(sa_column=_number(default=0))
    """1: never waits for a running turn (a tap, a command that only reads, /stop)."""
    ready_at: float = Field(sa_column=_time())
    turn: int | None = Field(sa_column=_number(null=True))
    """The turn that took it."""
    state: str = Field(sa_column=_text(default="pending"))
    """pending, done, dead."""
    stored_at: float = Field(sa_column=_time())


class Turn(SQLModel, table=True):
    """One or more joined updates and all we do about them; named by its first update's seq."""

    __table_args__ = (
        Index("turn_account", "account", "started_at"),
        Index(
            "turn_open",
            "state",
            postgresql_where=where("state IN ('running', 'dead')"),
            sqlite_where=where("state IN ('running', 'dead')"),
        ),
        _CLUSTERED,
    )
    lane: str = Field(sa_column=_text(key=True))
    id: int = Field(sa_column=_number(key=True))
    account: int | None = Field(sa_column=_number(null=True))
    state: str = Field(sa_column=_text(default="running"))
    """running, done, dead."""
    attempts: int = Field(sa_column=_number(default=0))
    reserved: int = Field(sa_column=_number(default=0))
    """Credits held back until the turn ends."""
    reason: str = Field(sa_column=_text(default=""))
    error: str = Field(sa_column=_text(default=""))
    """For operators: what failed last."""
    input_tokens: int = Field(sa_column=_number(default=0))
    output_tokens: int = Field(sa_column=_number(default=0))
    usd: float = Field(sa_column=Column(Double, nullable=False, server_default="0"))
    credits: int = Field(sa_column=_number(default=0))
    started_at: float = Field(sa_column=_time())
    ended_at: float | None = Field(sa_column=_time(null=True))


class Journal(SQLModel, table=True):
    """What a turn has done so far; over all turns, the transcript."""

    __table_args__ = _CLUSTERED
    lane: str = Field(sa_column=_text(key=True))
    turn: int = Field(sa_column=_number(key=True))
    step: int = Field(sa_column=_number(key=True))
    kind: str = Field(sa_column=_text())
    """user, reply, intent, result."""
    body: str = Field(sa_column=_text())
    at: float = Field(sa_column=_time())


class Spending(SQLModel, table=True):
    """What a turn spent, by model and by tool."""

    __table_args__ = _CLUSTERED
    lane: str = Field(sa_column=_text(key=True))
    turn: int = Field(sa_column=_number(key=True))
    kind: str = Field(sa_column=_text(key=True))
    """model or tool."""
    name: str = Field(sa_column=_text(key=True))
    calls: int = Field(sa_column=_number(default=0))
    input_tokens: int = Field(sa_column=_number(default=0))
    output_tokens: int = Field(sa_column=_number(default=0))
    usd: float = Field(sa_column=Column(Double, nullable=False, server_default="0"))


class Outbox(SQLModel, table=True):
    """What is to be said, in order within its lane."""

    __table_args__ = (
        Unique("lane", "turn", "part"),
        Index(
            "outbox_open",
            "lane",
            "id",
            postgresql_where=where("state IN ('pending', 'attempting')"),
            sqlite_where=where("state IN ('pending', 'attempting')"),
        ),
        Index("outbox_provider", "provider_id"),
    )
    id: int = Field(sa_column=_serial())
    lane: str = Field(sa_column=_text())
    turn: int = Field(sa_column=_number())
    part: int = Field(sa_column=_number())
    body: str = Field(sa_column=_text())
    state: str = Field(sa_column=_text(default="pending"))
    """pending, attempting, sent, refused, unknown."""
    attempts: int = Field(sa_column=_number(default=0))
    due_at: float = Field(sa_column=_time())
    provider_id: str | None = Field(sa_column=_text(null=True))
    error: str = Field(sa_column=_text(default=""))
    created_at: float = Field(sa_column=_time())
    ended_at: float | None = Field(sa_column=_time(null=True))


class Account(SQLModel, table=True):
    """A person who is known by a phone number."""

    __table_args__ = (CheckConstraint("balance >= 0", name="account_balance_never_negative"),)
    id: int = Field(sa_column=_serial())
    phone: str | None = Field(sa_column=Column(Text, nullable=True, unique=True))
    """E.164."""
    name: str = Field(sa_column=_text(default=""))
    mode: str = Field(sa_column=_text(default="child"))
    language: str = Field(sa_column=_text(default="fr"))
    grade: str = Field(sa_column=_text(default=""))
    country: str = Field(sa_column=_text(default=""))
    timezone: str = Field(sa_column=_text(default="Africa/Abidjan"))
    balance: int = Field(sa_column=_number(default=0))
    created_at: float = Field(sa_column=_time())


class Identity(SQLModel, table=True):
    """An address on a channel; a guest's has no account."""

    __table_args__ = (Index("identity_account", "account"), _CLUSTERED)
    channel: str = Field(sa_column=_text(key=True))
    address: str = Field(sa_column=_text(key=True))
    account: int | None = Field(sa_column=_number(null=True))
    name: str = Field(sa_column=_text(default=""))
    language: str = Field(sa_column=_text(default=""))
    created_at: float = Field(sa_column=_time())


class Allowance(SQLModel, table=True):
    """How many messages a guest has used on a day (UTC, `2026-01-31`)."""

    __table_args__ = _CLUSTERED
    channel: str = Field(sa_column=_text(key=True))
    address: str = Field(sa_column=_text(key=True))
    day: str = Field(sa_column=_text(key=True))
    used: int = Field(sa_column=_number(default=0))


class Ledger(SQLModel, table=True):
    """Append-only; an account's balance is the sum of its entries."""

    __table_args__ = (Index("ledger_account", "account"), _CLUSTERED)
    key: str = Field(sa_column=_text(key=True))
    account: int = Field(sa_column=_number())
    amount: int = Field(sa_column=_number())
    """Whole credits; negative when spent."""
    kind: str = Field(sa_column=_text())
    at: float = Field(sa_column=_time())


class Memory(SQLModel, table=True):
    """A fact that a person wants remembered."""

    __table_args__ = (Unique("account", "fact"),)
    id: int = Field(sa_column=_serial())
    account: int = Field(sa_column=_number())
    fact: str = Field(sa_column=_text())
    created_at: float = Field(sa_column=_time())


class File(SQLModel, table=True):
    """A file in a person's library; its bytes are in the blob store."""

    __table_args__ = (Index("file_account", "account", "created_at"),)
    id: str = Field(sa_column=_text(key=True))
    account: int = Field(sa_column=_number())
    name: str = Field(sa_column=_text())
    mime_type: str = Field(sa_column=_text())
    size: int = Field(sa_column=_number())
    sha256: str = Field(sa_column=_text())
    source: str = Field(sa_column=_text())
    key: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    created_at: float = Field(sa_column=_time())


class Quiz(SQLModel, table=True):
    """A quiz with its answer, which never leaves this table before the person has answered."""

    id: str = Field(sa_column=_text(key=True))
    lane: str = Field(sa_column=_text())
    account: int = Field(sa_column=_number())
    kind: str = Field(sa_column=_text())
    question: str = Field(sa_column=_text())
    options: str = Field(sa_column=_text())
    correct_index: int = Field(sa_column=_number())
    explanation: str = Field(sa_column=_text())
    expires_at: float = Field(sa_column=_time())
    answered_index: int | None = Field(sa_column=_number(null=True))
    answered_at: float | None = Field(sa_column=_time(null=True))


class Button(SQLModel, table=True):
    """What a button does: opaque token, bound to the person and the conversation, single-use."""

    token: str = Field(sa_column=_text(key=True))
    lane: str = Field(sa_column=_text())
    address: str = Field(sa_column=_text())
    action: str = Field(sa_column=_text())
    expires_at: float = Field(sa_column=_time())
    used_at: float | None = Field(sa_column=_time(null=True))


class Session(SQLModel, table=True):
    """A conversation over HTTP, and whose it is."""

    id: str = Field(sa_column=_text(key=True))
    account: int | None = Field(sa_column=_number(null=True))
    address: str = Field(sa_column=_text())
    """The guest's identity, where there is no account."""
    created_at: float = Field(sa_column=_time())

"""Define the tables of people: accounts, credits, purchases, and what they keep."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
)
from sqlalchemy import UniqueConstraint as Unique
from sqlalchemy import text as sql
from sqlalchemy import text as where
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import CLUSTERED, number, serial, text, time


class Account(SQLModel, table=True):
    """A person with a phone number, a user id of a channel, or both."""

    __table_args__ = (CheckConstraint("balance >= 0", name="account_balance_never_negative"),)
    id: int = Field(sa_column=serial())
    phone: str | None = Field(sa_column=Column(Text, nullable=True, unique=True))
    """E.164."""
    user_id: str | None = Field(sa_column=Column(Text, nullable=True, unique=True))
    """The provider's own id of a person who may hide their number (WhatsApp)."""
    name: str = Field(sa_column=text(default=""))
    mode: str = Field(sa_column=text(default="child"))
    language: str = Field(sa_column=text(default="fr"))
    grade: str = Field(sa_column=text(default=""))
    country: str = Field(sa_column=text(default=""))
    timezone: str = Field(sa_column=text(default="Africa/Abidjan"))
    balance: int = Field(sa_column=number(default=0))
    email: str = Field(sa_column=text(default=""))
    """Proven by a code."""
    part_of: int | None = Field(sa_column=number(null=True))
    """The account into which this one was merged; it then has no data of its own."""
    greeted: int = Field(sa_column=number(default=0))
    """How far the person was asked for their preferences; 0: not at all."""
    erased: int = Field(sa_column=number(default=0))
    """1: the person had everything erased; only the ledger is kept."""
    created_at: float = Field(sa_column=time())


class Identity(SQLModel, table=True):
    """An address on a channel; a guest's has no account."""

    __table_args__ = (Index("identity_account", "account"), CLUSTERED)
    channel: str = Field(sa_column=text(key=True))
    address: str = Field(sa_column=text(key=True))
    account: int | None = Field(sa_column=number(null=True))
    name: str = Field(sa_column=text(default=""))
    language: str = Field(sa_column=text(default=""))
    created_at: float = Field(sa_column=time())


class Alias(SQLModel, table=True):
    """A number or user id by which a channel may name the person of an identity.

    An identity keeps its first address for ever, as its conversation does; numbers and user ids
    change.
    """

    __table_args__ = (Index("alias_address", "channel", "address"), CLUSTERED)
    channel: str = Field(sa_column=text(key=True))
    value: str = Field(sa_column=text(key=True))
    """Number (E.164) or user id."""
    address: str = Field(sa_column=text())
    """The identity's. Empty: the number was taken from the identity whose address it is."""
    former: int = Field(sa_column=number(default=0))
    """1: a user id that has been replaced; late messages under it are still theirs."""
    reported_at: float = Field(sa_column=time())
    """When the provider reported it, by its clock."""


class Code(SQLModel, table=True):
    """A one-time code that was sent. Its digits are not stored: they follow from the id and
    `SECRET_KEY`."""

    __table_args__ = (
        Index("code_target", "target", "created_at"),
        Index("code_asker", "channel", "address", "created_at"),
        Index("code_prefix", "prefix", "created_at"),
        CLUSTERED,
    )
    id: str = Field(sa_column=text(key=True))
    target: str = Field(sa_column=text())
    """The number (E.164) or e-mail address that it proves."""
    prefix: str = Field(sa_column=text())
    """The number's country calling code."""
    channel: str = Field(sa_column=text())
    address: str = Field(sa_column=text())
    """The asker's address; over HTTP a keyed hash of the network."""
    state: str = Field(sa_column=text(default="open"))
    """open, used, replaced, void."""
    tries: int = Field(sa_column=number(default=0))
    expires_at: float = Field(sa_column=time())
    created_at: float = Field(sa_column=time())


class Allowance(SQLModel, table=True):
    """How many messages a guest has used on a day (UTC, `2026-01-31`)."""

    __table_args__ = CLUSTERED
    channel: str = Field(sa_column=text(key=True))
    address: str = Field(sa_column=text(key=True))
    day: str = Field(sa_column=text(key=True))
    used: int = Field(sa_column=number(default=0))


class Ledger(SQLModel, table=True):
    """An entry of credits, never changed; an account's balance is the sum of its entries."""

    __table_args__ = (Index("ledger_account", "account"), CLUSTERED)
    key: str = Field(sa_column=text(key=True))
    account: int = Field(sa_column=number())
    amount: int = Field(sa_column=number())
    """Whole credits; negative when spent."""
    kind: str = Field(sa_column=text())
    at: float = Field(sa_column=time())


class Memory(SQLModel, table=True):
    """A fact to remember for a person."""

    __table_args__ = (Unique("account", "fact"),)
    id: int = Field(sa_column=serial())
    account: int = Field(sa_column=number())
    fact: str = Field(sa_column=text())
    created_at: float = Field(sa_column=time())


class Purchase(SQLModel, table=True):
    """A pack that a person wants to pay for, and the state of the payment."""

    __table_args__ = (
        Index("purchase_account", "account", "created_at"),
        Index("purchase_made", "created_at", "id"),
        Index(
            "purchase_ask",
            "ask_at",
            postgresql_where=sql("ask_at IS NOT NULL"),
            sqlite_where=sql("ask_at IS NOT NULL"),
        ),
        CLUSTERED,
    )
    id: str = Field(sa_column=text(key=True))
    """24 hexadecimal digits, which providers know."""
    key: str = Field(sa_column=text(unique=True))
    """Idempotency key of the message that asked for it."""
    account: int = Field(sa_column=number())
    lane: str = Field(sa_column=text())
    address: str = Field(sa_column=text())
    """The payer's address in that lane."""
    pack: str = Field(sa_column=text())
    credits: int = Field(sa_column=number())
    provider: str = Field(sa_column=text())
    currency: str = Field(sa_column=text())
    amount: int = Field(sa_column=number())
    language: str = Field(sa_column=text(default="fr"))
    """The language in which its provider is asked."""
    state: str = Field(sa_column=text(default="open"))
    """open, paid, failed, expired, refunded."""
    reason: str = Field(sa_column=text(default=""))
    """Why it failed, for operators."""
    reference: str = Field(sa_column=text(default=""))
    """The provider's own id of the payment; empty: ours."""
    url: str = Field(sa_column=text(default=""))
    """The page on which it is paid."""
    charge: str = Field(sa_column=text(default=""))
    """The provider's id by which the payment is refunded."""
    created_at: float = Field(sa_column=time())
    paid_at: float | None = Field(sa_column=time(null=True))
    asked: int = Field(sa_column=number(default=0))
    """How often we looked the payment up at the provider."""
    asked_at: float | None = Field(sa_column=time(null=True))
    ask_at: float | None = Field(sa_column=time(null=True))
    """When to look it up again; NULL: never."""
    refund_until: float | None = Field(sa_column=time(null=True))
    """A refund is under way until then; after that it may be asked for again."""


class Task(SQLModel, table=True):
    """A task of a person, and when to remind them."""

    __table_args__ = (
        Index("task_account", "account", "state"),
        Index(
            "task_due",
            "remind_at",
            postgresql_where=where("state = 'open' AND remind_at IS NOT NULL"),
            sqlite_where=where("state = 'open' AND remind_at IS NOT NULL"),
        ),
        Index(
            "task_handed",
            "id",
            postgresql_where=where("reminder_state = 'handed'"),
            sqlite_where=where("reminder_state = 'handed'"),
        ),
        Index(
            "task_told",
            "reminder_turn",
            postgresql_where=where("reminder_turn IS NOT NULL"),
            sqlite_where=where("reminder_turn IS NOT NULL"),
        ),
    )
    id: int = Field(sa_column=serial())
    key: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    account: int = Field(sa_column=number())
    channel: str = Field(sa_column=text())
    """The channel on which it was asked for."""
    title: str = Field(sa_column=text())
    priority: str = Field(sa_column=text())
    """low, normal, high."""
    due_at: float | None = Field(sa_column=time(null=True))
    zone: str = Field(sa_column=text())
    """The person's time zone when the task was made."""
    tags: str = Field(sa_column=text())
    remind_by: str | None = Field(sa_column=text(null=True))
    """sms, whatsapp, telegram, email; NULL: the channel on which it was asked for."""
    state: str = Field(sa_column=text(default="open"))
    """open, done."""
    reminded_at: float | None = Field(sa_column=time(null=True))
    """When a reminder was handed over last."""
    created_at: float = Field(sa_column=time())
    done_at: float | None = Field(sa_column=time(null=True))
    wanted_at: float | None = Field(sa_column=time(null=True))
    """The time that the person chose: when it is due, or until when they put it off."""
    remind_at: float | None = Field(sa_column=time(null=True))
    """When a reminder is to be handed over next. NULL: not before the person, or the outcome of the
    reminder on its way, sets a time."""
    generation: int = Field(sa_column=number(default=0))
    """How often it was put off."""
    channels_tried: str = Field(sa_column=text(default=""))
    """The channels by which this round's reminder was handed over, in order, split by spaces."""
    reminder_state: str = Field(sa_column=text(default=""))
    """State of the reminder: empty (not yet handed over), handed, sent, unknown, failed."""
    reminder_lane: str = Field(sa_column=text(default=""))
    """The lane that the reminder was handed to."""
    reminder_turn: int | None = Field(sa_column=number(null=True))
    """The turn of the reminder in that lane."""
    sent_id: str | None = Field(sa_column=text(null=True))
    """The provider's id of the reminder that was sent."""


class File(SQLModel, table=True):
    """A file in a person's library; its bytes are in the blob store."""

    __table_args__ = (Index("file_account", "account", "created_at"),)
    id: str = Field(sa_column=text(key=True))
    account: int = Field(sa_column=number())
    name: str = Field(sa_column=text())
    mime_type: str = Field(sa_column=text())
    size: int = Field(sa_column=number())
    sha256: str = Field(sa_column=text())
    source: str = Field(sa_column=text())
    key: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    folder: int | None = Field(sa_column=number(null=True))
    """The account under which its bytes are stored, if it belonged to another before."""
    created_at: float = Field(sa_column=time())


class Reading(SQLModel, table=True):
    """The outcome of reading a file's text; a file that has no row has not been read yet."""

    __table_args__ = (Index("reading_account", "account"), CLUSTERED)
    file: str = Field(
        sa_column=Column(Text, ForeignKey("file.id", ondelete="CASCADE"), primary_key=True)
    )
    account: int = Field(sa_column=number())
    state: str = Field(sa_column=text())
    """`kept`, `refused` (for good), `failed` (may be tried again), `full` (too much text)."""
    reason: str = Field(sa_column=text(default=""))
    """Why it was not read, for the model."""
    chunks: int = Field(sa_column=number(default=0))
    cut: int = Field(sa_column=number(default=0))
    """1: the file is longer than the text read from it."""
    at: float = Field(sa_column=time())


class Chunk(SQLModel, table=True):
    """A piece of a file's text, and the words by which it is found.

    The full-text index over `words` is a virtual table on SQLite and a column on PostgreSQL. Its
    name begins with `fulltext` on both; the database keeps it up to date.
    """

    __table_args__ = (UniqueConstraint("file", "nth"), Index("chunk_account", "account"))
    id: int = Field(sa_column=serial())
    file: str = Field(
        sa_column=Column(Text, ForeignKey("file.id", ondelete="CASCADE"), nullable=False)
    )
    nth: int = Field(sa_column=number())
    """Position in the file, from 0."""
    account: int = Field(sa_column=number())
    place: str = Field(sa_column=text(default=""))
    """Where it begins: `page 3`."""
    overlap: int = Field(sa_column=number(default=0))
    """How many characters at its beginning repeat the end of the chunk before."""
    body: str = Field(sa_column=text())
    words: str = Field(sa_column=text())
    """The stems of its words, separated by spaces."""


class Embedding(SQLModel, table=True):
    """The embedding of a chunk by a model, as a vector."""

    __table_args__ = (UniqueConstraint("chunk"), CLUSTERED)
    account: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    chunk: int = Field(
        sa_column=Column(
            BigInteger,
            ForeignKey("chunk.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        )
    )
    model: str = Field(sa_column=text())
    vector: bytes = Field(sa_column=Column(LargeBinary, nullable=False))

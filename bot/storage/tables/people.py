"""Who people are, what they have, what they want remembered."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Index, Text
from sqlalchemy import UniqueConstraint as Unique
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import CLUSTERED, number, serial, text, time


class Account(SQLModel, table=True):
    """A person who is known by a phone number."""

    __table_args__ = (CheckConstraint("balance >= 0", name="account_balance_never_negative"),)
    id: int = Field(sa_column=serial())
    phone: str | None = Field(sa_column=Column(Text, nullable=True, unique=True))
    """E.164."""
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
    """The account that this number's owner has made it part of; it has nothing of its own then."""
    greeted: int = Field(sa_column=number(default=0))
    """1: the person was asked how Griot is to speak with them."""
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


class Code(SQLModel, table=True):
    """A one-time code that was sent. The code itself is nowhere: it follows from the id and
    `SECRET_KEY`."""

    __table_args__ = (
        Index("code_target", "target", "created_at"),
        Index("code_asker", "channel", "address", "created_at"),
        Index("code_prefix", "prefix", "created_at"),
        CLUSTERED,
    )
    id: str = Field(sa_column=text(key=True))
    target: str = Field(sa_column=text())
    """What it proves: a number (E.164), or an e-mail address."""
    prefix: str = Field(sa_column=text())
    """The number's country calling code."""
    channel: str = Field(sa_column=text())
    address: str = Field(sa_column=text())
    """Who asked; over HTTP a keyed hash of the network."""
    state: str = Field(sa_column=text(default="open"))
    """open, used, replaced."""
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
    """Append-only; an account's balance is the sum of its entries."""

    __table_args__ = (Index("ledger_account", "account"), CLUSTERED)
    key: str = Field(sa_column=text(key=True))
    account: int = Field(sa_column=number())
    amount: int = Field(sa_column=number())
    """Whole credits; negative when spent."""
    kind: str = Field(sa_column=text())
    at: float = Field(sa_column=time())


class Memory(SQLModel, table=True):
    """A fact that a person wants remembered."""

    __table_args__ = (Unique("account", "fact"),)
    id: int = Field(sa_column=serial())
    account: int = Field(sa_column=number())
    fact: str = Field(sa_column=text())
    created_at: float = Field(sa_column=time())

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

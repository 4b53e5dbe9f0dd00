"""Letters on their way, and what was reported to the operators."""

from __future__ import annotations

from sqlalchemy import Column, Index, Text
from sqlalchemy import text as where
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import CLUSTERED, number, serial, text, time


class Letter(SQLModel, table=True):
    """An e-mail: what it says, whom it has to reach yet, and what became of it."""

    __table_args__ = (
        Index("letter_account", "account", "created_at"),
        Index(
            "letter_due",
            "due_at",
            postgresql_where=where("state IN ('pending', 'attempting')"),
            sqlite_where=where("state IN ('pending', 'attempting')"),
        ),
    )
    id: int = Field(sa_column=serial())
    key: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    account: int | None = Field(sa_column=number(null=True))
    """Whose it is; NULL: our own."""
    lane: str = Field(sa_column=text())
    """The conversation in which it was asked for; empty: none."""
    recipients: str = Field(sa_column=text())
    """Those whom it has not reached yet, a JSON list."""
    refused: str = Field(sa_column=text(default="[]"))
    """Those whom it will never reach."""
    subject: str = Field(sa_column=text())
    body: str = Field(sa_column=text())
    state: str = Field(sa_column=text(default="pending"))
    """draft, pending, attempting, sent, refused, unknown."""
    attempts: int = Field(sa_column=number(default=0))
    due_at: float = Field(sa_column=time())
    """When to try; while it is attempted, from when on the attempt counts as lost."""
    error: str = Field(sa_column=text(default=""))
    created_at: float = Field(sa_column=time())
    """A draft's: when it was approved."""
    ended_at: float | None = Field(sa_column=time(null=True))


class Report(SQLModel, table=True):
    """A fault that somebody reported."""

    __table_args__ = (Index("report_account", "account", "created_at"), CLUSTERED)
    key: str = Field(sa_column=text(key=True))
    account: int = Field(sa_column=number())
    lane: str = Field(sa_column=text())
    turn: int = Field(sa_column=number())
    severity: str = Field(sa_column=text())
    """low, normal, high."""
    description: str = Field(sa_column=text())
    created_at: float = Field(sa_column=time())

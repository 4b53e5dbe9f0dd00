"""What people practise and plan: results of exercises, tasks."""

from __future__ import annotations

from sqlalchemy import Column, Index, Text
from sqlalchemy import text as where
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import CLUSTERED, number, serial, text, time


class Exercise(SQLModel, table=True):
    """The result of one exercise or quiz."""

    __table_args__ = (
        Index("exercise_account", "account", "at", "correct"),
        Index("exercise_subject", "account", "subject", "correct"),
        CLUSTERED,
    )
    key: str = Field(sa_column=text(key=True))
    account: int = Field(sa_column=number())
    subject: str = Field(sa_column=text())
    """One of the known subjects, or a few words; empty: of a quiz, which names none."""
    topic: str = Field(sa_column=text())
    correct: int = Field(sa_column=number())
    source: str = Field(sa_column=text())
    """exercise, quiz."""
    at: float = Field(sa_column=time())


class Task(SQLModel, table=True):
    """What someone has to do, and when to remind them."""

    __table_args__ = (
        Index("task_account", "account", "state"),
        Index(
            "task_due",
            "due_at",
            postgresql_where=where("state = 'open' AND reminded_at IS NULL"),
            sqlite_where=where("state = 'open' AND reminded_at IS NULL"),
        ),
    )
    id: int = Field(sa_column=serial())
    key: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    account: int = Field(sa_column=number())
    lane: str = Field(sa_column=text())
    channel: str = Field(sa_column=text())
    address: str = Field(sa_column=text())
    title: str = Field(sa_column=text())
    priority: str = Field(sa_column=text())
    """low, normal, high."""
    due_at: float | None = Field(sa_column=time(null=True))
    zone: str = Field(sa_column=text())
    """The person's time zone when the task was made."""
    tags: str = Field(sa_column=text())
    remind_by: str | None = Field(sa_column=text(null=True))
    """sms, whatsapp, telegram, email; NULL: where it was asked for."""
    state: str = Field(sa_column=text(default="open"))
    """open, done."""
    reminded_at: float | None = Field(sa_column=time(null=True))
    created_at: float = Field(sa_column=time())
    done_at: float | None = Field(sa_column=time(null=True))

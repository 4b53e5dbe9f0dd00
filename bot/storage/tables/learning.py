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
            "remind_at",
            postgresql_where=where("state = 'open' AND remind_at IS NOT NULL"),
            sqlite_where=where("state = 'open' AND remind_at IS NOT NULL"),
        ),
        Index(
            "task_handed",
            "id",
            postgresql_where=where("told = 'handed'"),
            sqlite_where=where("told = 'handed'"),
        ),
        Index(
            "task_told",
            "told_turn",
            postgresql_where=where("told_turn IS NOT NULL"),
            sqlite_where=where("told_turn IS NOT NULL"),
        ),
    )
    id: int = Field(sa_column=serial())
    key: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    account: int = Field(sa_column=number())
    channel: str = Field(sa_column=text())
    """On which it was asked for."""
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
    """When a reminder was handed over last."""
    created_at: float = Field(sa_column=time())
    done_at: float | None = Field(sa_column=time(null=True))
    wanted_at: float | None = Field(sa_column=time(null=True))
    """The moment that the person chose: when it is due, or until when they put it off."""
    remind_at: float | None = Field(sa_column=time(null=True))
    """When a reminder is to be handed over next. NULL: not before the person, or what becomes of
    the one on its way, says so."""
    round: int = Field(sa_column=number(default=0))
    """How often it was put off."""
    tried: str = Field(sa_column=text(default=""))
    """The ways by which this round's reminder was handed over, in order, with spaces between."""
    told: str = Field(sa_column=text(default=""))
    """What became of it: empty (not yet handed over), handed, sent, unknown, failed."""
    told_lane: str = Field(sa_column=text(default=""))
    """The conversation that it was handed to; of a letter, its key."""
    told_turn: int | None = Field(sa_column=number(null=True))
    """The turn that it became there; NULL: it was a letter."""
    sent_id: str | None = Field(sa_column=text(null=True))
    """The provider's id of what was sent."""

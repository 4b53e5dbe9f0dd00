"""What people keep and are asked: files, quizzes."""

from __future__ import annotations

from sqlalchemy import Column, Index, Text
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import number, text, time


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
    created_at: float = Field(sa_column=time())


class Quiz(SQLModel, table=True):
    """A quiz with its answer, which never leaves this table before the person has answered."""

    id: str = Field(sa_column=text(key=True))
    lane: str = Field(sa_column=text())
    account: int = Field(sa_column=number())
    kind: str = Field(sa_column=text())
    question: str = Field(sa_column=text())
    options: str = Field(sa_column=text())
    correct_index: int = Field(sa_column=number())
    explanation: str = Field(sa_column=text())
    expires_at: float = Field(sa_column=time())
    answered_index: int | None = Field(sa_column=number(null=True))
    answered_at: float | None = Field(sa_column=time(null=True))

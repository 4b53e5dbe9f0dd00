"""What people keep and are asked: files, what is written in them, quizzes."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
)
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import CLUSTERED, number, serial, text, time


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
    """The account under which its bytes lie, if it was another's before."""
    created_at: float = Field(sa_column=time())


class Reading(SQLModel, table=True):
    """How the reading of a file went: a file that has no row has not been read yet."""

    __table_args__ = (Index("reading_account", "account"), CLUSTERED)
    file: str = Field(
        sa_column=Column(Text, ForeignKey("file.id", ondelete="CASCADE"), primary_key=True)
    )
    account: int = Field(sa_column=number())
    state: str = Field(sa_column=text())
    """`kept`, `refused` (for good), `failed` (may be tried again), `full` (no room for it)."""
    reason: str = Field(sa_column=text(default=""))
    """Why not, for the model."""
    chunks: int = Field(sa_column=number(default=0))
    cut: int = Field(sa_column=number(default=0))
    """1: the file is longer than what was read of it."""
    at: float = Field(sa_column=time())


class Chunk(SQLModel, table=True):
    """A piece of a file's text, and what it is found by.

    The full-text index over `words` is each database's own: a virtual table on SQLite, a column on
    PostgreSQL. Its name begins with `fulltext` on both; it follows this table by itself.
    """

    __table_args__ = (UniqueConstraint("file", "nth"), Index("chunk_account", "account"))
    id: int = Field(sa_column=serial())
    file: str = Field(
        sa_column=Column(Text, ForeignKey("file.id", ondelete="CASCADE"), nullable=False)
    )
    nth: int = Field(sa_column=number())
    """From 0."""
    account: int = Field(sa_column=number())
    place: str = Field(sa_column=text(default=""))
    """Where it begins: `page 3`."""
    overlap: int = Field(sa_column=number(default=0))
    """So many characters at its beginning are the end of the one before."""
    body: str = Field(sa_column=text())
    words: str = Field(sa_column=text())
    """Their stems, separated by spaces."""


class Embedding(SQLModel, table=True):
    """What a chunk means to a model, as a vector."""

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

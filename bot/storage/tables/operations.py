"""What operators look at: workers that are alive, what they run, and hours that were counted."""

from __future__ import annotations

from sqlalchemy import Column, Double
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import CLUSTERED, number, text, time


class Worker(SQLModel, table=True):
    """A process that runs lanes, and when it last said so."""

    __table_args__ = CLUSTERED
    owner: str = Field(sa_column=text(key=True))
    started_at: float = Field(sa_column=time())
    seen_at: float = Field(sa_column=time())


class Background(SQLModel, table=True):
    """A command that runs in the background of a process."""

    __table_args__ = CLUSTERED
    key: str = Field(sa_column=text(key=True))
    """The call that has started it: lane, turn and number."""
    lane: str = Field(sa_column=text())
    id: str = Field(sa_column=text())
    """As the model knows it."""
    owner: str = Field(sa_column=text())
    lost_at: float = Field(sa_column=time())
    """When it is lost, unless its process renews it by then."""


class Tally(SQLModel, table=True):
    """What happened in an hour that is over, of one kind; it names nobody."""

    __table_args__ = CLUSTERED
    hour: int = Field(sa_column=number(key=True))
    """Since 1970 (UTC)."""
    kind: str = Field(sa_column=text(key=True))
    """counted: this hour is; messages, turns: by channel; else as in `spending`."""
    name: str = Field(sa_column=text(key=True))
    calls: int = Field(sa_column=number(default=0))
    failed: int = Field(sa_column=number(default=0))
    input_tokens: int = Field(sa_column=number(default=0))
    output_tokens: int = Field(sa_column=number(default=0))
    usd: float = Field(sa_column=Column(Double, nullable=False, server_default="0"))

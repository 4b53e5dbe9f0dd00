"""What people buy."""

from __future__ import annotations

from sqlalchemy import Index
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import CLUSTERED, number, text, time


class Purchase(SQLModel, table=True):
    """A pack that somebody wants to pay for, and what became of it."""

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
    """24 hexadecimal digits, which providers know it by."""
    key: str = Field(sa_column=text(unique=True))
    """Of the message that asked for it."""
    account: int = Field(sa_column=number())
    lane: str = Field(sa_column=text())
    address: str = Field(sa_column=text())
    """Whose, in that lane: where to say thanks."""
    pack: str = Field(sa_column=text())
    credits: int = Field(sa_column=number())
    provider: str = Field(sa_column=text())
    currency: str = Field(sa_column=text())
    amount: int = Field(sa_column=number())
    language: str = Field(sa_column=text(default="fr"))
    """In which its provider is asked."""
    state: str = Field(sa_column=text(default="open"))
    """open, paid, failed, expired, refunded."""
    reason: str = Field(sa_column=text(default=""))
    """Why it failed, for operators."""
    reference: str = Field(sa_column=text(default=""))
    """The provider's own id of the payment; empty: ours."""
    url: str = Field(sa_column=text(default=""))
    """Where it is paid."""
    charge: str = Field(sa_column=text(default=""))
    """What is named to give the money back."""
    created_at: float = Field(sa_column=time())
    paid_at: float | None = Field(sa_column=time(null=True))
    asked: int = Field(sa_column=number(default=0))
    """How often the provider was asked by ourselves."""
    asked_at: float | None = Field(sa_column=time(null=True))
    ask_at: float | None = Field(sa_column=time(null=True))
    """When to ask again; unset: never."""
    refund_until: float | None = Field(sa_column=time(null=True))
    """It is just being given back; by then it is, or may be asked for again."""

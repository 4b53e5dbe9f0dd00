"""Make the columns of the tables: numbers, serial ids, times and texts."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, Integer, Text
from sqlalchemy import Identity as Serial

CLUSTERED = {"sqlite_with_rowid": False}
"""Makes SQLite store rows in the order of their key, so that rows of one lane are adjacent."""
_Big = BigInteger().with_variant(Integer(), "sqlite")


def number(*, default: int | None = None, null: bool = False, key: bool = False) -> Column[int]:
    server_default = None if default is None else str(default)
    return Column(BigInteger, nullable=null, server_default=server_default, primary_key=key)


def serial() -> Column[int]:
    return Column(_Big, Serial(), primary_key=True)


def time(*, null: bool = False) -> Column[float]:
    return Column(Double, nullable=null)


def text(
    *, default: str | None = None, null: bool = False, key: bool = False, unique: bool | None = None
) -> Column[str]:
    return Column(Text, nullable=null, server_default=default, primary_key=key, unique=unique)

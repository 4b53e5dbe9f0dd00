"""Names of conversations and numbers in what accounts keep: given up where the row itself stays,
with somebody else or in the books, when a person is erased."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Final

from bot.contracts import Transaction

_KEYED: Final = ("ledger", "task", "file", "exercise", "letter", "report", "purchase")
"""Tables whose keys tell in which conversation, or for whom, something was done."""
_KEYS: Final = "SELECT key FROM {table} WHERE account = :account"
_RENAME: Final = "UPDATE {table} SET key = :blank WHERE key = :key"
_PLACED: Final = (
    "UPDATE letter SET lane = '' WHERE account = :account AND lane = :lane",
    "UPDATE report SET lane = '' WHERE account = :account AND lane = :lane",
    "UPDATE purchase SET lane = '', address = '' WHERE account = :account AND lane = :lane",
)


async def hide_names(tx: Transaction, account: int, names: Collection[str]) -> None:
    """Give each row of the account whose key holds one of these names a key that says nothing.

    To be called when nothing can be kept under such a key any more: a key tells what was done.
    """
    for table in _KEYED:
        rows = await tx.fetch(_KEYS.format(table=table), account=account)
        renamed = [
            {"key": row["key"], "blank": f"erased:{secrets.token_hex(12)}"}
            for row in rows
            if any(name in row["key"] for name in names)
        ]
        if renamed:
            await tx.execute_many(_RENAME.format(table=table), renamed)


async def hide_place(tx: Transaction, account: int, lane: str) -> None:
    """What the account has done in this conversation names it no more."""
    await hide_names(tx, account, [f"{lane}/"])
    for statement in _PLACED:
        await tx.execute(statement, account=account, lane=lane)

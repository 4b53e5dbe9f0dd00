"""Chunks found by their words, by the full-text index that each database has."""

from __future__ import annotations

from collections.abc import Sequence

from bot.contracts import Database, Row, Transaction
from bot.library.search.words import Term


class Fulltext:
    """
    Args:
        is_sqlite: which of the two databases it is: no subset of SQL is shared here.
    """

    def __init__(self, database: Database, *, is_sqlite: bool) -> None:
        self._database = database
        self._ask = _ask_sqlite if is_sqlite else _ask_postgres

    async def find(self, account: int, terms: Sequence[Term], limit: int) -> list[int]:
        """The ids of the account's chunks in which a term stands, the best first."""
        if not terms:
            return []
        rows = await self._database.read(lambda tx: self._ask(tx, account, terms, limit))
        return [row["id"] for row in rows]


async def _ask_sqlite(
    tx: Transaction, account: int, terms: Sequence[Term], limit: int
) -> list[Row]:
    words = " OR ".join(f'"{term.stem}"{"*" if term.is_prefix else ""}' for term in terms)
    return await tx.fetch(
        _FIND_SQLITE,
        question=f'account : "{account}" AND words : ({words})',
        account=account,
        most=limit,
    )


async def _ask_postgres(
    tx: Transaction, account: int, terms: Sequence[Term], limit: int
) -> list[Row]:
    words = [f"'{term.stem}'{':*' if term.is_prefix else ''}" for term in terms]
    return await tx.fetch(
        _FIND_POSTGRES,
        some=" | ".join(words),
        all=" & ".join(words),
        account=account,
        most=limit,
    )


_FIND_SQLITE = """
SELECT chunk.id FROM fulltext JOIN chunk ON chunk.id = fulltext.rowid
WHERE fulltext MATCH :question AND chunk.account = :account
ORDER BY bm25(fulltext, 0.0, 1.0), chunk.id LIMIT :most
"""
"""https://www.sqlite.org/fts5.html#the_bm25_function"""

_FIND_POSTGRES = """
WITH asked AS (
    SELECT to_tsquery('simple', :some) AS some, to_tsquery('simple', :all) AS every
), likely AS (
    SELECT chunk.id, chunk.fulltext, ts_rank(chunk.fulltext, asked.some) AS rank
    FROM chunk, asked
    WHERE chunk.account = :account AND chunk.fulltext @@ asked.some
    ORDER BY rank DESC, chunk.id LIMIT 2 * :most
)
SELECT likely.id FROM likely, asked
ORDER BY likely.rank + ts_rank_cd(likely.fulltext, asked.every) DESC, likely.id
LIMIT :most
"""
"""`ts_rank` grows with how many of the words there are, `ts_rank_cd`, which is dear, with how near
to each other all of them stand:
https://www.postgresql.org/docs/current/textsearch-controls.html#TEXTSEARCH-RANKING"""

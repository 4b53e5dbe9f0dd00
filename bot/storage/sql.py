"""Translate one SQL for two databases.

Statements are written once, in the subset that SQLite (3.35 or newer) and PostgreSQL share:
`ON CONFLICT`, `RETURNING`, common table expressions. Parameters are `:name`. Differences are
written as words in braces:

    {now}           the database's clock when the statement began, in Unix seconds
    {for_update}    lock the selected rows until the transaction ends
    {lock_lane}     the same, but of a join only the row of the table `lane`
    {skip_locked}   the same, leaving out rows that other transactions have locked

SQLite has one writer at a time, so there the locks are empty. It refuses them in a
transaction that only reads, as PostgreSQL does, so that tests on SQLite find such a statement.
"""

from __future__ import annotations

import re
from functools import cache

_SQLITE = {"{now}": "epoch()", "{for_update}": "", "{lock_lane}": "", "{skip_locked}": ""}
_POSTGRES = {
    "{now}": "CAST(extract(epoch FROM statement_timestamp()) AS DOUBLE PRECISION)",
    "{for_update}": "FOR UPDATE",
    "{lock_lane}": "FOR UPDATE OF lane",
    "{skip_locked}": "FOR UPDATE SKIP LOCKED",
}
_WORD = re.compile(r"\{\w+\}")
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")


@cache
def for_sqlite(sql: str) -> str:
    """Return the statement for SQLite, which understands `:name` itself."""
    return _WORD.sub(lambda word: _SQLITE[word[0]], sql)


@cache
def for_sqlite_to_read(sql: str) -> str:
    """Return the statement for a transaction that only reads.

    Raises:
        ValueError: the statement locks rows, which PostgreSQL refuses in such a transaction.
    """
    if any(word != "{now}" for word in _WORD.findall(sql)):
        raise ValueError(f"a statement that locks rows, in a transaction that only reads: {sql}")
    return for_sqlite(sql)


@cache
def for_postgres(sql: str) -> tuple[str, tuple[str, ...]]:
    """Return the statement for PostgreSQL with `$1, $2, …`, and the parameters' names in order."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    text = _PARAMETER.sub(number, _WORD.sub(lambda word: _POSTGRES[word[0]], sql))
    return text, tuple(names)

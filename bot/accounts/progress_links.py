"""Make the tokens of links to progress pages, which no later account can have, and read them."""

from __future__ import annotations

from dataclasses import dataclass

from bot.contracts.storage import Row, Transaction
from bot.errors import NotFound


@dataclass(frozen=True, slots=True)
class Learner:
    """The person of a progress page; the page also shows the results of `account`."""

    account: int
    name: str
    grade: str
    language: str
    timezone: str


async def public_token(tx: Transaction, account: int) -> str:
    """Return the token by which `find_learner` finds the account; its id alone may be given out
    again once the account is erased. Raises `NotFound`."""
    row = await _find_learner(tx, account)
    return _make_token(account, row["created_at"])


async def find_learner(tx: Transaction, mark: str) -> Learner:
    """Return the person of a token; for an account merged into another, the other's person.

    Raises:
        NotFound: the account is gone.
    """
    account = int(mark.partition("-")[0])
    row = await _find_learner(tx, account)
    if row["erased"] or _make_token(account, row["created_at"]) != mark:
        raise NotFound("There is no such account any more.")
    return Learner(row["id"], row["name"], row["grade"], row["language"], row["timezone"])


async def _find_learner(tx: Transaction, account: int) -> Row:
    row = await tx.fetch_one(_LEARNER, account=account)
    if row is None:
        raise NotFound("There is no such account any more.")
    return row


def _make_token(account: int, created_at: float) -> str:
    return f"{account}-{int(created_at * 1000):x}"


_LEARNER = """
SELECT shown.id, shown.name, shown.grade, shown.language, shown.timezone, known.erased,
    known.created_at
FROM account AS known JOIN account AS shown ON shown.id = coalesce(known.part_of, known.id)
WHERE known.id = :account
"""

"""Keep the table `card`: the items that a person will be asked again, with the memory of each.

A graded item becomes a card in the transaction that grades it. The card of a generator's item
belongs to its skill, and asks another instance each time; any other item is asked again unchanged.
A guest's cards belong to the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from bot.contracts.storage import Row, Transaction
from bot.learning.reviews.memory_model import DAY, LEECH_LAPSES, Card, choose_reviews, review
from bot.messages.value import ExerciseKind
from bot.storage.accounts import lock_current_account

_GUEST: Final = 0
"""The account id that stands for a guest."""
_CANDIDATES: Final = 1000
"""The longest due cards from which the next ones are chosen."""


@dataclass(frozen=True, slots=True)
class CardItem:
    """The exercise that a card asks; the fields are columns of the table `exercise`."""

    key: str
    skill: str
    kind: ExerciseKind
    statement: str
    level: int
    body: str
    reviews: int | None = None
    """For an answer in a review: how often the card had been answered when it was asked."""


@dataclass(frozen=True, slots=True)
class DueCards:
    """How many of a person's cards are due now, and when the next one is."""

    due: int
    next_at: float | None
    """When the next card that is not due yet is due; Unix seconds."""
    now: float


def name_card(kind: str, statement: str, solutions: Sequence[str]) -> str:
    """Return the key of a card that asks exactly this exercise."""
    text = "\x1f".join((kind, statement, *solutions))
    return f"={sha256(text.encode('utf-8', 'replace')).hexdigest()[:24]}"


async def keep_card(
    tx: Transaction, item: CardItem, *, account: int, lane: str, correct: bool, first_try: bool
) -> bool:
    """Enter a graded answer into its card, within the caller's transaction.

    Returns:
        False if the answer is to a review whose card was answered elsewhere after it was asked;
            such an answer does not count.

    Raises:
        ToolFailed: the account's person was erased.
    """
    holder = await lock_current_account(tx, account)
    owner = {"account": holder, "lane": _lane_of(holder, lane), "key": item.key}
    row = await tx.fetch_one(_READ, **owner)
    if row is not None and item.reviews is not None and row["reviews"] > item.reviews:
        return False
    known = _memory(row) if row is not None else None
    at = row["now"] if row is not None else await read_clock(tx)
    after = review(known, correct=correct, first_try=first_try, at=at)
    await tx.execute(
        _KEEP,
        **owner,
        skill=item.skill,
        kind=item.kind,
        statement=item.statement,
        level=item.level,
        body=item.body,
        stability=after.stability,
        difficulty=after.difficulty,
        reviewed_at=after.reviewed_at,
        due_at=after.due_at,
        reviews=after.reviews,
        lapses=after.lapses,
    )
    return True


async def choose_cards(tx: Transaction, account: int, lane: str, limit: int) -> list[CardItem]:
    """Return at most `limit` cards that are due, the weakest first.

    The database sorts candidates as `choose_reviews` does, so at most `limit` cards are read
    however many are due.
    """
    if limit <= 0:
        return []
    rows = await tx.fetch(
        _DUE,
        account=account,
        lane=_lane_of(account, lane),
        limit=limit,
        candidates=_CANDIDATES,
        leech=LEECH_LAPSES,
        day=DAY,
    )
    items = {row["key"]: row for row in rows}
    now = rows[0]["now"] if rows else 0.0
    keys = choose_reviews({key: _memory(row) for key, row in items.items()}, now, limit)
    return [_item(items[key]) for key in keys]


async def count_due(tx: Transaction, account: int, lane: str) -> DueCards:
    """Return how many cards are due now, and when the next one is."""
    row = await tx.fetch_one(_COUNT, account=account, lane=_lane_of(account, lane), day=DAY)
    if row is None:
        raise RuntimeError("a count gave no row")
    return DueCards(row["due"], row["next_at"], row["now"])


async def read_due_by_skill(tx: Transaction, account: int) -> dict[str, float]:
    """Return, for each skill, when its first card is due, in Unix seconds."""
    rows = await tx.fetch(_DUE_BY_SKILL, account=account)
    return {row["skill"]: row["due_at"] for row in rows}


async def adopt_cards(tx: Transaction, account: int, into: int) -> None:
    """Give the cards of one account to another.

    Of a card that both have, the one answered last decides what is remembered and when it is due:
    what was missed since comes back soon, however often it was known before. Its answers and
    misses are those of both, as one person gave them all.
    """
    await _adopt(tx, account, "", into)


async def adopt_cards_from_guest(tx: Transaction, lane: str, into: int) -> None:
    """Give the cards of a conversation's guest to an account, in the same way."""
    await _adopt(tx, _GUEST, lane, into)


async def _adopt(tx: Transaction, account: int, lane: str, into: int) -> None:
    for template in (_ADD_COUNTS, _SHARE_COUNTS, _DROP_EARLIER, _DROP_KNOWN, _ADOPT):
        statement = template.replace("{others}", _OTHERS).replace("{kept}", _KEPT)
        await tx.execute(statement, account=account, lane=lane, into=into)


async def read_clock(tx: Transaction) -> float:
    """Return the database's clock, Unix seconds."""
    row = await tx.fetch_one("SELECT {now} AS now")
    return float(row["now"]) if row else 0.0


def _lane_of(account: int, lane: str) -> str:
    return lane if account == _GUEST else ""


def _memory(row: Row) -> Card:
    return Card(
        row["stability"],
        row["difficulty"],
        row["reviewed_at"],
        row["due_at"],
        row["reviews"],
        row["lapses"],
    )


def _item(row: Row) -> CardItem:
    return CardItem(
        row["key"],
        row["skill"],
        row["kind"],
        row["statement"],
        row["level"],
        row["body"],
        row["reviews"],
    )


_READ = """
SELECT stability, difficulty, reviewed_at, due_at, reviews, lapses, {now} AS now FROM card
WHERE account = :account AND lane = :lane AND key = :key {for_update}
"""

_KEEP = """
INSERT INTO card (account, lane, key, skill, kind, statement, level, body, stability, difficulty,
    reviewed_at, due_at, reviews, lapses)
VALUES (:account, :lane, :key, :skill, :kind, :statement, :level, :body, :stability, :difficulty,
    :reviewed_at, :due_at, :reviews, :lapses)
ON CONFLICT (account, lane, key) DO UPDATE SET skill = excluded.skill, kind = excluded.kind,
    statement = excluded.statement, level = excluded.level, body = excluded.body,
    stability = excluded.stability, difficulty = excluded.difficulty,
    reviewed_at = excluded.reviewed_at, due_at = excluded.due_at, reviews = excluded.reviews,
    lapses = excluded.lapses
"""

# A card that was answered more than a day from now, before the clock was set back, is due too.
_DUE = """
SELECT card.*, {now} AS now FROM card JOIN (
    SELECT key FROM (
        SELECT * FROM (
            SELECT key, lapses, reviewed_at, stability FROM card
            WHERE account = :account AND lane = :lane AND due_at <= {now}
            ORDER BY due_at LIMIT :candidates
        ) AS past
        UNION
        SELECT * FROM (
            SELECT key, lapses, reviewed_at, stability FROM card
            WHERE account = :account AND lane = :lane AND reviewed_at > {now} + :day
            ORDER BY reviewed_at LIMIT :candidates
        ) AS ahead
    ) AS candidate
    ORDER BY CASE WHEN lapses >= :leech THEN lapses ELSE 0 END,
        (reviewed_at - {now}) / stability
    LIMIT :limit
) AS chosen ON chosen.key = card.key
WHERE card.account = :account AND card.lane = :lane
"""

_DUE_BY_SKILL = """
SELECT skill, min(due_at) AS due_at FROM card
WHERE account = :account AND lane = '' AND skill <> '' GROUP BY skill
"""

# `due_at + 0` keeps SQLite from reading all cards that are due later.
_COUNT = """
SELECT {now} AS now, (
    SELECT count(*) FROM card WHERE account = :account AND lane = :lane AND due_at <= {now}
) + (
    SELECT count(*) FROM card WHERE account = :account AND lane = :lane
        AND reviewed_at > {now} + :day AND due_at + 0 > {now}
) AS due, (
    SELECT due_at FROM card WHERE account = :account AND lane = :lane AND due_at > {now}
        AND reviewed_at <= {now} + :day
    ORDER BY due_at LIMIT 1
) AS next_at
"""

_OTHERS = """FROM card AS other
    WHERE other.account = :account AND other.lane = :lane AND other.key = card.key"""

_KEPT = """FROM card AS kept
    WHERE kept.account = :into AND kept.lane = '' AND kept.key = card.key"""

_ADD_COUNTS = """
UPDATE card SET reviews = reviews + (SELECT other.reviews {others}),
    lapses = lapses + (SELECT other.lapses {others})
WHERE account = :into AND lane = '' AND EXISTS (SELECT 1 {others})
"""

_SHARE_COUNTS = """
UPDATE card SET reviews = (SELECT kept.reviews {kept}), lapses = (SELECT kept.lapses {kept})
WHERE account = :account AND lane = :lane AND EXISTS (SELECT 1 {kept})
"""

_DROP_EARLIER = """
DELETE FROM card WHERE account = :into AND lane = ''
    AND EXISTS (SELECT 1 {others} AND other.reviewed_at > card.reviewed_at)
"""

_DROP_KNOWN = """
DELETE FROM card WHERE account = :account AND lane = :lane AND EXISTS (SELECT 1 {kept})
"""

_ADOPT = """
UPDATE card SET account = :into, lane = '' WHERE account = :account AND lane = :lane
"""

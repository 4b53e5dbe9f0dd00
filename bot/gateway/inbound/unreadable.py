"""Store messages that an adapter could not read, so that operators see them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from bot.contracts.storage import Database, Transaction
from bot.errors import NotFound
from bot.messages.channels import Channel
from bot.messages.incoming import Unreadable
from bot.observability import Metrics

_KEPT_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class UnreadableMessage:
    """A message that could not be read, without its content."""

    id: int
    channel: Channel
    at: float
    """When it came, in Unix seconds."""
    reason: Literal["sender", "kind", "shape", "recipient"]


async def keep_unreadable(
    database: Database, metrics: Metrics, messages: Sequence[Unreadable]
) -> None:
    """Store messages for operators, each once however often it comes, and count them."""

    async def work(tx: Transaction) -> list[Unreadable]:
        return [each for each in messages if await _insert(tx, each)]

    for each in await database.write(work):
        metrics.unreadable(each.channel, each.reason).inc()


async def list_unreadable(database: Database, *, limit: int = 50) -> list[UnreadableMessage]:
    """Return the newest messages, newest first."""
    rows = await database.read(lambda tx: tx.fetch(_LIST, most=limit))
    return [UnreadableMessage(row["id"], row["channel"], row["at"], row["reason"]) for row in rows]


async def read_unreadable(database: Database, number: int) -> dict[str, Any]:
    """Return a message with its payload as it came. Raises `NotFound`."""
    row = await database.read(lambda tx: tx.fetch_one(_READ, id=number))
    if row is None:
        raise NotFound(f"There is no unreadable message {number}.")
    fields = {name: row[name] for name in ("id", "channel", "via", "at", "reason")}
    return {**fields, "payload": msgspec.Raw(row["payload"].encode())}


async def forget_old_unreadable(tx: Transaction) -> None:
    """Delete messages that came more than `_KEPT_DAYS` days ago."""
    await tx.execute(_FORGET, seconds=_KEPT_DAYS * 86_400.0)


async def _insert(tx: Transaction, message: Unreadable) -> bool:
    digest = hashlib.sha256(f"{message.via}\n{message.payload}".encode()).hexdigest()
    values = msgspec.structs.asdict(message)
    return bool(await tx.execute(_INSERT, digest=digest, **values))


_INSERT = """
INSERT INTO unreadable (digest, channel, via, reason, payload, at)
VALUES (:digest, :channel, :via, :reason, :payload, {now})
ON CONFLICT (digest) DO NOTHING
"""

_LIST = """
SELECT id, channel, reason, at FROM unreadable ORDER BY id DESC LIMIT :most
"""

_READ = """
SELECT id, channel, via, reason, payload, at FROM unreadable WHERE id = :id
"""

_FORGET = """
DELETE FROM unreadable WHERE at < {now} - :seconds
"""

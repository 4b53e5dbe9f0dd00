"""Purchases that are not settled yet: when their providers are asked how they stand.

`ask_at` says when, with growing pauses; so a callback that never comes, or comes while we are down,
loses no money.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.accounts.purchases import Purchase, read_purchase
from bot.contracts import Transaction

SOON: Final = 10.0
"""Seconds after a callback in which whoever took it asks; then whoever looks for what is due."""
LIFE: Final = 24 * 3600.0
"""Seconds after which what is not paid is not waited for any more."""


async def fail(tx: Transaction, order: str, reason: str) -> bool:
    """The provider says that nothing will come; whether that is news."""
    return await tx.execute(_FAIL_OPEN, id=order, reason=reason) > 0


async def rest(tx: Transaction, order: str, *, after: float) -> bool:
    """Ask no more for one that is older than `after` seconds; whether it has expired by that."""
    was_open = await tx.execute(_EXPIRE, id=order, after=after) > 0
    await tx.execute(_REST, id=order, after=after)
    return was_open


async def hint(tx: Transaction, order: str, provider: str) -> bool:
    """Somebody says that something has changed: it will be asked for soon, whatever happens.

    False: there is no such purchase with this provider, or nothing more can come of it.
    """
    return await tx.execute(_HINT, id=order, provider=provider, soon=SOON) > 0


async def take_due(tx: Transaction, limit: int) -> Sequence[Purchase]:
    """Those to be asked for now; from here on they are nobody else's until the next time."""
    return [read_purchase(row) for row in await tx.fetch(_TAKE_DUE, limit=limit)]


_FAIL_OPEN = """
UPDATE purchase SET state = 'failed', reason = :reason, ask_at = NULL
WHERE id = :id AND state IN ('open', 'expired')
"""

_EXPIRE = """
UPDATE purchase SET state = 'expired', ask_at = NULL
WHERE id = :id AND state = 'open' AND created_at <= {now} - :after
"""

_REST = """
UPDATE purchase SET ask_at = NULL
WHERE id = :id AND state IN ('failed', 'expired') AND created_at <= {now} - :after
"""

_HINT = """
UPDATE purchase SET ask_at = {now} + :soon
WHERE id = :id AND provider = :provider AND state IN ('open', 'failed', 'expired')
"""

_TAKE_DUE = """
UPDATE purchase SET asked = asked + 1, asked_at = {now}, ask_at = {now} + CASE
    WHEN asked = 0 THEN 120 WHEN asked = 1 THEN 300 WHEN asked = 2 THEN 900
    WHEN asked = 3 THEN 1800 ELSE 3600 END
WHERE id IN (
    SELECT id FROM purchase WHERE ask_at <= {now} ORDER BY ask_at LIMIT :limit {skip_locked}
)
RETURNING *
"""

"""What was bought, as operators see it: by state, and what a person should look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from bot.contracts import Database, Transaction

Show = Literal["", "look", "open", "paid", "failed", "expired", "refunded"]
"""A state, all of them, or those that need a look: paid otherwise than asked, or asked for at the
provider again and again without an answer that settles it."""
ASKED_OFTEN: Final = 4
"""How often a provider was asked in vain before a person should look."""
LATELY: Final = 30 * 86_400.0


@dataclass(frozen=True, slots=True)
class Sale:
    id: str
    account: int
    pack: str
    credits: int
    provider: str
    currency: str
    amount: int
    state: str
    reason: str
    """For operators."""
    charge: str
    asked: int
    created_at: float

    @property
    def needs_look(self) -> bool:
        return _is_odd(self.state, self.charge, self.asked)


def _is_odd(state: str, charge: str, asked: int) -> bool:
    return (state == "failed" and charge != "") or (state == "open" and asked >= ASKED_OFTEN)


async def list_sales(
    database: Database,
    *,
    show: Show = "",
    before: tuple[float, str] | None = None,
    limit: int = 50,
) -> list[Sale]:
    """The newest purchases before one (when it was made, and its id), newest first."""
    condition = _NEED_LOOK if show == "look" else _OF_STATE if show else ""
    values: dict[str, Any] = {"state": show} if condition == _OF_STATE else {}
    at, order = before or (1e18, "")

    async def work(tx: Transaction) -> list[Sale]:
        sql = _LISTING.replace("{condition}", condition)
        rows = await tx.fetch(sql, at=at, id=order, most=limit, **values)
        return [Sale(**{name: row[name] for name in Sale.__slots__}) for row in rows]

    return await database.read(work)


async def count_sales(database: Database) -> Mapping[str, int]:
    """How many of the last 30 days are in each state; `look` are those that need one."""

    async def work(tx: Transaction) -> Mapping[str, int]:
        rows = await tx.fetch(_COUNT, lately=LATELY)
        counts: dict[str, int] = {row["state"]: row["n"] for row in rows}
        return counts | {"look": sum(int(row["odd"]) for row in rows)}

    return await database.read(work)


_OF_STATE = "AND state = :state"

_ODD = f"((state = 'failed' AND charge <> '') OR (state = 'open' AND asked >= {ASKED_OFTEN}))"

_NEED_LOOK = f"AND {_ODD}"

_LISTING = """
SELECT id, account, pack, credits, provider, currency, amount, state, reason, charge, asked,
    created_at
FROM purchase
WHERE (created_at < :at OR (created_at = :at AND id < :id)) {condition}
ORDER BY created_at DESC, id DESC LIMIT :most
"""

_COUNT = f"""
SELECT state, count(*) AS n, sum(CASE WHEN {_ODD} THEN 1 ELSE 0 END) AS odd FROM purchase
WHERE created_at > {{now}} - :lately GROUP BY state
"""  # noqa: S608 (made of constants)

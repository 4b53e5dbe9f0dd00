"""How things stand now: what runs, what waits, what is open, what died."""

from __future__ import annotations

from dataclasses import dataclass

from bot.contracts import Transaction
from bot.gateway.register import count_alive


@dataclass(frozen=True, slots=True)
class Standing:
    workers: int
    """Those that are alive."""
    running: int
    """Lanes that some worker holds."""
    waiting: int
    """Lanes that are due and that nobody has taken."""
    oldest_wait: float
    """Seconds for which the first of them has waited."""
    dead: int
    """Turns."""
    pending: int
    """Deliveries, as the next ones."""
    attempting: int


async def read_standing(tx: Transaction) -> Standing:
    """Partial indexes hold all of it: it costs as much as there is open."""
    waiting = await tx.fetch_one(_WAITING)
    running = await tx.fetch_one(_RUNNING)
    dead = await tx.fetch_one(_DEAD)
    open_ = {row["state"]: row["n"] for row in await tx.fetch(_OPEN)}
    return Standing(
        workers=await count_alive(tx),
        running=running["n"] if running else 0,
        waiting=waiting["n"] if waiting else 0,
        oldest_wait=max(0.0, waiting["oldest"]) if waiting else 0.0,
        dead=dead["n"] if dead else 0,
        pending=open_.get("pending", 0),
        attempting=open_.get("attempting", 0),
    )


_WAITING = """
SELECT count(*) AS n, coalesce({now} - min(due_at), 0) AS oldest FROM lane WHERE due_at <= {now}
"""

_RUNNING = """
SELECT count(*) AS n FROM lane WHERE owner IS NOT NULL
"""

_OPEN = """
SELECT state, count(*) AS n FROM outbox WHERE state IN ('pending', 'attempting') GROUP BY state
"""

_DEAD = """
SELECT count(*) AS n FROM turn WHERE state IN ('running', 'dead') AND state = 'dead'
"""

"""The rest of a long answer, where each message is paid: sent page by page when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bot.contracts import Transaction
from bot.gateway.render import annex
from bot.messages import Body, TextBody
from bot.texts import say

_PAGES: msgspec.json.Decoder[list[TextBody]] = msgspec.json.Decoder(list[TextBody])


def invite(language: str) -> str:
    """The line under a page that others follow."""
    return say(language, "Reply MORE for the rest.")


async def keep_rest(tx: Transaction, lane: str, turn: int, pages: Sequence[TextBody]) -> None:
    """Keep the pages that were not sent, in place of those of an earlier answer."""
    if pages:
        bodies = msgspec.json.encode(list(pages)).decode()
        await tx.execute(_KEEP, lane=lane, turn=turn, bodies=bodies)
    else:
        await tx.execute(_FORGET, lane=lane)


async def next_page(tx: Transaction, lane: str, language: str) -> tuple[Body, ...]:
    """The next page, which is then no longer kept; empty when there is none."""
    row = await tx.fetch_one("SELECT turn, bodies FROM rest WHERE lane = :lane", lane=lane)
    if row is None:
        return ()
    page, *pages = _PAGES.decode(row["bodies"])
    await keep_rest(tx, lane, row["turn"], pages)
    return (annex(page, invite(language)) if pages else page,)


_KEEP = """
INSERT INTO rest (lane, turn, bodies, at) VALUES (:lane, :turn, :bodies, {now})
ON CONFLICT (lane) DO UPDATE SET
    turn = excluded.turn, bodies = excluded.bodies, at = excluded.at
"""

_FORGET = """
DELETE FROM rest WHERE lane = :lane
"""

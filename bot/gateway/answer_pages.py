"""Keep the pages of a long answer that the person asks for one by one (MORE)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bot.contracts.storage import Transaction
from bot.gateway.render.renderer import append_footer
from bot.i18n import say
from bot.messages.outgoing import Body, TextBody

_PAGES: msgspec.json.Decoder[list[TextBody]] = msgspec.json.Decoder(list[TextBody])


def more_hint(language: str) -> str:
    """Return the line under a page that is not the last."""
    return say(language, "Reply MORE for the rest.")


async def keep_pages(tx: Transaction, lane: str, turn: int, pages: Sequence[TextBody]) -> None:
    """Keep the pages that were not sent, in place of those of an earlier answer."""
    if pages:
        bodies = msgspec.json.encode(list(pages)).decode()
        await tx.execute(_KEEP_PAGES, lane=lane, turn=turn, bodies=bodies)
    else:
        await tx.execute(_FORGET_PAGES, lane=lane)


async def take_next_page(tx: Transaction, lane: str, language: str) -> tuple[Body, ...]:
    """Return the next page and stop keeping it; empty when there is none."""
    row = await tx.fetch_one("SELECT turn, bodies FROM rest WHERE lane = :lane", lane=lane)
    if row is None:
        return ()
    page, *pages = _PAGES.decode(row["bodies"])
    await keep_pages(tx, lane, row["turn"], pages)
    return (append_footer(page, more_hint(language)) if pages else page,)


_KEEP_PAGES = """
INSERT INTO rest (lane, turn, bodies, at) VALUES (:lane, :turn, :bodies, {now})
ON CONFLICT (lane) DO UPDATE SET
    turn = excluded.turn, bodies = excluded.bodies, at = excluded.at
"""

_FORGET_PAGES = """
DELETE FROM rest WHERE lane = :lane
"""

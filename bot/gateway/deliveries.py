"""What a turn says as deliveries, what of it waits, and how an attempt to send one ended.

Of a long answer where messages are paid, the pages after the first wait until the person asks for
them (MORE).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from bot.contracts.storage import Transaction
from bot.gateway.short_links import NewShortLink, OptOutOffer
from bot.i18n import say
from bot.messages.outgoing import Body, Delivery, TextBody
from bot.render.renderer import append_footer

State = Literal["pending", "sent", "refused", "unknown"]
_PAGES: msgspec.json.Decoder[list[TextBody]] = msgspec.json.Decoder(list[TextBody])


@dataclass(frozen=True, slots=True)
class Composed:
    """What a turn says, in its channel's form."""

    bodies: Sequence[Body] = ()
    rest: Sequence[TextBody] | None = None
    """Pages that follow when the person asks for them; None where answers have no pages."""
    links: Sequence[NewShortLink] = ()
    """The short links in the bodies."""
    opt_out: OptOutOffer | None = None
    """Set where the person can opt out by a link only."""

    def followed_by(self, other: Composed) -> Composed:
        """Append the bodies and links of another, but not its pages."""
        offer = self.opt_out or other.opt_out
        if offer:
            before = self.opt_out.bodies if self.opt_out else self.bodies
            after = other.bodies if self.opt_out or not other.opt_out else other.opt_out.bodies
            offer = replace(offer, bodies=[*before, *after])
        links = [*self.links, *other.links]
        return Composed([*self.bodies, *other.bodies], self.rest, links, offer)


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A lane's next delivery."""

    delivery: Delivery
    via: str
    """Name of the adapter that it goes by."""
    wait: float
    """Seconds until it is due."""
    in_doubt: bool
    """It was being attempted when its process died."""
    age: float
    """Seconds since it could first be sent."""
    reachable: bool
    slot_taken: bool
    """It already has its place in the channel's queue."""
    marked: bool = False
    """It is stored as `attempting`: send it."""
    is_trial: bool = False
    """Its sender is restricted, and this delivery may show whether it still is."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended; `pending`: it is repeated `after` seconds from now."""

    state: State
    provider_id: str = ""
    error: str = ""
    after: float = 0.0
    dead_target: bool = False
    opted_out: bool = False
    window_closed: bool = False
    restricted: bool = False
    """The provider says that our number may not send."""
    rich_refused: bool = False
    """The provider refused the rich form."""
    options_listed: bool = False
    """The options went as lines with numbers or letters, as their buttons were refused."""
    moved_to: str = ""
    body: Body | None = None
    """The new body, if it changed: it remains to be sent to some of several recipients."""


WhenHeld = Callable[[Transaction, str, str, str], Awaitable[None]]
"""Called with a lane, an adapter and a reason when a delivery has to wait because the adapter's
sender is restricted, in the transaction that stores this. The reason is empty if it was known."""


WhenRefused = Callable[[Transaction, str, Body, State], Awaitable[None]]
"""Called with a lane, a body and its state when the body was refused for good, when it is unknown
whether it has arrived, or when it was sent to some of several recipients only; in the transaction
that stores this."""


# Pages of a long answer -----------------------------------------------------------------------


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

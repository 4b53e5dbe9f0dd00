"""Make short links to pages for people who cannot answer our SMS: `/q`, `/m`, `/stop`.

A token is 14 characters of GSM-7: an id that cannot be guessed, then a signature over route and id,
so that a token of one route is refused by the others. The table `shortlink` holds its target and
the conversation that it was sent to: whoever has the token acts as that person there, and nowhere
else. Each `/q` and `/m` has a `/stop` of the same id.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bot.contracts.storage import Transaction
from bot.errors import NotFound
from bot.files.links import LinkInvalid
from bot.messages.outgoing import Body, sum_segments
from bot.settings import Settings

PageRoute = Literal["q", "m", "stop"]
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Characters of five bits each, without those that are confused when a link is copied by hand."""
_ID_LENGTH: Final = 9
_SIGNATURE_LENGTH: Final = 5
TOKEN_LENGTH: Final = _ID_LENGTH + _SIGNATURE_LENGTH
REVIEW: Final = "review"
"""The target of a link of route `q` that leads to the reviews that are due."""
CHOICE: Final = "choice"
"""The kind of target of a link of route `q` that leads to the choice of a preference."""
TASK: Final = "task"
"""The kind of what a reminder's link of route `m` is about."""
_KEPT_SECONDS: Final = 30 * 24 * 3600.0
"""Seconds for which a link is kept after it has expired."""


@dataclass(frozen=True, slots=True)
class NewShortLink:
    """A link in a delivery, to be stored with it."""

    id: str
    route: PageRoute
    url: str
    seconds: float
    """How long it is valid."""
    target: str = ""
    """What a question's link leads to (`quiz:…`, `exercise:…`, `choice:…`, `REVIEW`, `BUY_PAGE`);
    of a text, its language, and after a space the task that it reminds of (`task:…`)."""
    body: str = ""


@dataclass(frozen=True, slots=True)
class KeptShortLink:
    """A stored link, with its target."""

    id: str
    lane: str
    turn: int
    target: str
    body: str
    is_expired: bool


@dataclass(frozen=True, slots=True)
class OptOutOffer:
    """Bodies with a link to opt out, sent in place of the same without it (`needs_opt_out`)."""

    bodies: Sequence[Body]
    link: NewShortLink


class ShortLinks:
    """Makes links and reads their tokens."""

    def __init__(self, settings: Settings) -> None:
        keys = settings.secret_keys or ("",)
        self._keys = [hashlib.sha256(b"short links:" + key.encode()).digest() for key in keys]
        self._start = settings.public_url
        self._seconds = float(settings.link_seconds)

    @property
    def are_reachable(self) -> bool:
        """Whether others can open a link: `PUBLIC_URL` is set."""
        return self._start is not None

    def make(self, route: PageRoute, *, target: str = "", body: str = "") -> NewShortLink:
        """Make a link that is valid for `LINK_SECONDS` once it is stored (`keep_links`)."""
        link_id = "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))
        return NewShortLink(link_id, route, self.url(route, link_id), self._seconds, target, body)

    def url(self, route: PageRoute, link_id: str) -> str:
        """Write the address of a link."""
        return f"{self._start or ''}{self.path(route, link_id)}"

    def path(self, route: PageRoute, link_id: str) -> str:
        """Write the path of a link, such as `/stop/…`."""
        return f"/{route}/{link_id}{self._sign(self._keys[0], route, link_id)}"

    def read(self, route: PageRoute, token: str) -> str:
        """Return the id in a token. Raises `LinkInvalid`: it was not made for this route."""
        link_id, given = token[:_ID_LENGTH], token[_ID_LENGTH:].encode(errors="replace")
        good = (self._sign(key, route, link_id).encode() for key in self._keys)
        if len(token) != TOKEN_LENGTH or not any(hmac.compare_digest(each, given) for each in good):
            raise LinkInvalid("This link is not valid.")
        return link_id

    @staticmethod
    def _sign(key: bytes, route: PageRoute, link_id: str) -> str:
        text = f"{route}:{link_id}".encode(errors="replace")
        digest = hmac.new(key, text, hashlib.sha256).digest()
        return "".join(_ALPHABET[byte % 32] for byte in digest[:_SIGNATURE_LENGTH])


async def keep_links(tx: Transaction, lane: str, turn: int, links: Sequence[NewShortLink]) -> None:
    """Store the links that a turn sends to a conversation; delete those that expired long ago."""
    if not links:
        return
    await tx.execute(_CLEAR, lane=lane, kept=_KEPT_SECONDS)
    rows = [
        {
            "id": link.id,
            "route": link.route,
            "lane": lane,
            "turn": turn,
            "target": link.target,
            "body": link.body,
            "seconds": link.seconds,
        }
        for link in links
    ]
    await tx.execute_many(_INSERT, rows)


async def find_link(tx: Transaction, route: PageRoute, link_id: str) -> KeptShortLink:
    """Return a stored link, expired or not. Raises `NotFound`: there is none of this route."""
    row = await tx.fetch_one(_FIND, id=link_id)
    if row is None or route not in (row["route"], "stop"):
        raise NotFound("There is no such page.")
    return KeptShortLink(
        row["id"], row["lane"], row["turn"], row["target"], row["body"], bool(row["is_expired"])
    )


async def find_last_page(tx: Transaction, lane: str) -> str:
    """Return the id of the last link of route `m` in a conversation that is valid; empty: none."""
    row = await tx.fetch_one(_LAST_PAGE, lane=lane)
    return row["id"] if row else ""


async def needs_opt_out(
    tx: Transaction, lane: str, offer: OptOutOffer, bodies: Sequence[Body]
) -> bool:
    """Return whether to send the offer in place of `bodies`: in the first message of a
    conversation, and once that link has expired, in a message that takes no more segments with it.
    """
    row = await tx.fetch_one(_OPT_OUT, lane=lane)
    if row is None:
        return True
    return not row["is_good"] and sum_segments(offer.bodies) <= sum_segments(bodies)


_CLEAR = """
DELETE FROM shortlink WHERE lane = :lane AND expires_at < {now} - :kept
"""

_INSERT = """
INSERT INTO shortlink (id, route, lane, turn, target, body, expires_at)
VALUES (:id, :route, :lane, :turn, :target, :body, {now} + :seconds)
"""

_FIND = """
SELECT *, expires_at <= {now} AS is_expired FROM shortlink WHERE id = :id
"""

_LAST_PAGE = """
SELECT id FROM shortlink WHERE lane = :lane AND route = 'm' AND expires_at > {now}
ORDER BY turn DESC, expires_at DESC LIMIT 1
"""

_OPT_OUT = """
SELECT expires_at > {now} AS is_good FROM shortlink WHERE lane = :lane AND route = 'stop'
ORDER BY expires_at DESC LIMIT 1
"""

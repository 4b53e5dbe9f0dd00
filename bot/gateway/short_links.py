"""Short links to pages that people open who cannot answer our SMS: `/q`, `/m`, `/stop`.

A token is 14 characters of GSM-7: an id that nobody can guess, then a signature over route and id,
so that a token of one route is refused by the others. What it leads to is in the table `shortlink`,
with the conversation whose person it was sent to: who has the token acts as that person, there and
nowhere else. Each `/q` and `/m` has a `/stop` of the same id.
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
from bot.messages.outgoing import Body, TextBody
from bot.settings import Settings

PageRoute = Literal["q", "m", "stop"]
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Five bits each, without letters that are taken for others when a link is copied by hand."""
_ID_LENGTH: Final = 9
_SIGNATURE_LENGTH: Final = 5
TOKEN_LENGTH: Final = _ID_LENGTH + _SIGNATURE_LENGTH
REVIEW: Final = "review"
"""The target of a link of route `q` that leads to what is due to be reviewed."""
_KEPT_SECONDS: Final = 30 * 24 * 3600.0
"""For how long after its end a link is known to have been one."""


@dataclass(frozen=True, slots=True)
class NewShortLink:
    """A link that a delivery holds, to be kept with it."""

    id: str
    route: PageRoute
    url: str
    seconds: float
    """For which it is good."""
    target: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True)
class KeptShortLink:
    """What a link leads to."""

    id: str
    lane: str
    turn: int
    target: str
    body: str
    is_expired: bool


@dataclass(frozen=True, slots=True)
class OptOutOffer:
    """What is said in place of other bodies where nothing yet says how to opt out."""

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
        """Whether anybody else could open a link: there is a `PUBLIC_URL`."""
        return self._start is not None

    def make(self, route: PageRoute, *, target: str = "", body: str = "") -> NewShortLink:
        """Make a link that is good for `LINK_SECONDS`, once it is kept (`keep_links`)."""
        link_id = "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))
        url = f"{self._start or ''}{self.path(route, link_id)}"
        return NewShortLink(link_id, route, url, self._seconds, target, body)

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
    """Keep the links that a turn sends to a conversation; those that ended long ago go."""
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
    """Return what a link leads to, expired or not. Raises `NotFound`."""
    row = await tx.fetch_one(_FIND, id=link_id)
    if row is None or route not in (row["route"], "stop"):
        raise NotFound("There is no such page.")
    return KeptShortLink(
        row["id"], row["lane"], row["turn"], row["target"], row["body"], bool(row["is_expired"])
    )


async def needs_opt_out(
    tx: Transaction, lane: str, offer: OptOutOffer, bodies: Sequence[Body]
) -> bool:
    """Return whether to send what the offer says in place of `bodies`: in the first message of a
    conversation, and once that link has expired, in one that gets no dearer by it."""
    row = await tx.fetch_one(_OPT_OUT, lane=lane)
    if row is None:
        return True
    return not row["is_good"] and _count_segments(offer.bodies) <= _count_segments(bodies)


def _count_segments(bodies: Sequence[Body]) -> int:
    return sum(body.segments for body in bodies if isinstance(body, TextBody))


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

_OPT_OUT = """
SELECT expires_at > {now} AS is_good FROM shortlink WHERE lane = :lane AND route = 'stop'
ORDER BY expires_at DESC LIMIT 1
"""

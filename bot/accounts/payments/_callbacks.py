"""A provider's requests to us: whether they are authentic, and what they say."""

from __future__ import annotations

import hmac
from typing import TypeVar

import msgspec

from bot.errors import BadRequest

Event = TypeVar("Event")


def matches(given: str, expected: str) -> bool:
    """Compared in constant time; nothing matches where nothing is expected."""
    # Headers may hold bytes that are no text.
    return bool(expected) and hmac.compare_digest(
        given.encode(errors="surrogatepass"), expected.encode()
    )


def sign(secret: str, content: bytes, by: str = "sha256") -> bytes:
    """The HMAC of `content`."""
    return hmac.new(secret.encode(), content, by).digest()


def read_event(body: bytes, form: type[Event]) -> Event:
    """The body of an authentic request.

    Raises:
        BadRequest: it has not the published form; the message says where.
    """
    try:
        return msgspec.json.decode(body, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"not an event as published: {error}") from None

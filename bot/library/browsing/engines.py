"""Asks public search engines, through the library that reads their pages. A program of the
workshop: that library waits, takes threads, and parses what strangers wrote."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from ddgs.ddgs import DDGS
from ddgs.exceptions import DDGSException

from bot.errors import ToolFailed
from bot.library.browsing import Found, Query
from bot.library.browsing.tunnel import Tunnel

_TURNS: Final = ("duckduckgo,brave", "mojeek,startpage")
"""Those of a turn are asked side by side; the next turn comes when they know nothing."""
_TURNS_STRICT: Final = ("brave,mojeek", "startpage,duckduckgo")
"""Those first that can be told to leave out what is not for children."""
_REGIONS: Final = {"fr": "fr-fr", "en": "us-en"}
_MAX_RESULTS: Final = 10
"""More than are shown: some have no address."""
_SECONDS: Final = 4
_NOTHING: Final = "No results found."
"""What the library says when the engines answered."""


def serve(request: bytes) -> bytes:
    query = msgspec.msgpack.decode(request, type=Query)
    with Tunnel() as tunnel:
        return msgspec.msgpack.encode(search(query, tunnel))


def search(
    query: Query, tunnel: Tunnel, authorities: str | None = None, seconds: int = _SECONDS
) -> list[Found]:
    """What the engines found, reached through `tunnel` only.

    Args:
        authorities: a file of certificates to trust instead of the public ones.
        seconds: for each engine; two are asked at a time.

    Raises:
        ToolFailed: none could be reached.
    """
    reached = False
    for engines in _TURNS_STRICT if query.strict else _TURNS:
        try:
            return _ask(engines, query, DDGS(tunnel.url, seconds, verify=authorities or True))
        except DDGSException as error:
            reached = reached or str(error) == _NOTHING
    if reached:
        return []
    raise ToolFailed("The search engines could not be reached.")


def _ask(engines: str, query: Query, library: DDGS) -> list[Found]:
    results = library.text(
        query.words,
        region=_REGIONS.get(query.language, "us-en"),
        safesearch="on" if query.strict else "moderate",
        max_results=_MAX_RESULTS,
        backend=engines,
    )
    return [_read(result) for result in results]


def _read(result: dict[str, Any]) -> Found:
    title, url, content = (str(result.get(key) or "") for key in ("title", "href", "body"))
    return Found(title[:1_000], url[:1_000], content[:4_000])

"""The program that asks search engines, sent to their stand-in."""

from __future__ import annotations

import msgspec

from bot.library.browsing import Query
from bot.library.browsing.engines import search
from tests.library.browsing.engines import Engines


def serve(request: bytes) -> bytes:
    query, port, authorities = msgspec.msgpack.decode(request, type=tuple[Query, int, str])
    with Engines(port, authorities).tunnel() as tunnel:
        return msgspec.msgpack.encode(search(query, tunnel, authorities, seconds=30))

"""The program that asks search engines, sent to their stand-in."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bot.files.web_search_worker import search
from bot.files.web_worker_messages import WebQuery
from tests.files.search_engines import Engines


def serve(request: bytes) -> bytes:
    query, port, certificates = msgspec.msgpack.decode(request, type=tuple[WebQuery, int, str])
    authorities = Path("authorities.pem")
    authorities.write_text(certificates)
    with Engines(port, str(authorities)).tunnel() as tunnel:
        return msgspec.msgpack.encode(search(query, tunnel, str(authorities), seconds=30))

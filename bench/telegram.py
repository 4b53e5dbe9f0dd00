"""A Telegram that answers at once and checks nothing: `python -m bench.telegram`.

`GET /counts` tells how often each method was called, `GET /said` when each text was first sent, by
the system's clock.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter

import msgspec

from bench.server import Request, response, serve

_BOT = b'{"ok":true,"result":{"id":7000000001,"is_bot":true,"first_name":"G","username":"g_bot"}}'
_DONE = b'{"ok":true,"result":true}'
_MESSAGE = (
    b'{"ok":true,"result":{"message_id":%d,"date":1790000000,'
    b'"chat":{"id":%d,"type":"private"},"text":"said"}}'
)


class _Sent(msgspec.Struct):
    chat_id: int | str = 0
    text: str = ""


_read = msgspec.json.Decoder(_Sent, strict=False).decode


class Telegram:
    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._said: dict[str, float] = {}

    async def respond(self, request: Request, transport: asyncio.Transport) -> None:
        if request.path == "/counts":
            transport.write(response(msgspec.json.encode(dict(self._counts))))
            return
        if request.path == "/said":
            transport.write(response(msgspec.json.encode(self._said)))
            return
        method = request.path.rpartition("/")[2]
        self._counts[method] += 1
        transport.write(response(self._answer(method, request.body)))

    def _answer(self, method: str, body: bytes) -> bytes:
        match method:
            case "getMe":
                return _BOT
            case "sendMessage" | "sendRichMessage":
                sent = _read(body)
                self._said.setdefault(sent.text, time.time())
                return _MESSAGE % (self._counts.total(), int(sent.chat_id))
            case _:
                return _DONE


if __name__ == "__main__":
    asyncio.run(serve(Telegram().respond))

"""A Telegram to test against: the stand-in over a real socket, with what only tests need.

Every call is checked by the Bot API's own specification too. Calls are kept, and fail on demand.

    async with TelegramStandIn() as telegram:
        ... TELEGRAM_API_URL=telegram.url, TELEGRAM_BOT_TOKEN=telegram.token ...

In another process: `python -m tests.standins.telegram --port N --log FILE`, where each accepted
call is appended to FILE as a line of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from aiohttp import web

from bot.standins.telegram import Telegram
from bot.standins.telegram_rules import LENIENT, Call, Limits, Parameters, TelegramRefused
from bot.standins.telegram_updates import BOT
from tests.standins.telegram_schema import methods, validate

TOKEN = f"{BOT['id']}:AAE-a_token_of_the_stand-in_for_tests"


@dataclass
class Fault:
    method: str
    chat_id: int | None
    times: int
    act: Literal["answer", "hang", "reset"]
    accept: bool
    status: int = 0
    answer: dict[str, Any] = field(default_factory=dict)

    def meets(self, method: str, parameters: Parameters) -> bool:
        same_chat = self.chat_id is None or self.chat_id == parameters.get("chat_id")
        return self.times > 0 and self.method in {method, "*"} and same_chat


class TelegramStandIn(Telegram):
    """See the module.

    Args:
        pace: what is faster than this is answered 429; `Limits()` allows no second message to a
            chat within a second.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        token: str = TOKEN,
        log: Path | None = None,
        pace: Limits | None = None,
    ) -> None:
        super().__init__(token, pace=pace, validate=validate)
        self.url = ""
        self.attempts: list[Call] = []
        """Every call that came."""
        self.calls: list[Call] = []
        """The accepted ones."""
        self._port = port
        self._log = log
        self._faults: list[Fault] = []
        self._closing = asyncio.Event()

    async def __aenter__(self) -> TelegramStandIn:
        app = web.Application(client_max_size=64 * 2**20)
        app.add_routes(self.routes())
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        self.enqueue()
        await self._runner.cleanup()

    # What a test asks and arranges

    def calls_of(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method == method]

    @property
    def drafts(self) -> dict[int, list[str]]:
        """What was shown as drafts, by chat."""
        found: dict[int, list[str]] = defaultdict(list)
        for call in self.calls_of("sendMessageDraft"):
            found[call.parameters["chat_id"]].append(call.parameters.get("text", ""))
        return found

    def fail_next(
        self,
        method: str,
        status: int,
        description: str = "",
        parameters: Mapping[str, Any] | None = None,
        chat_id: int | None = None,
        times: int = 1,
    ) -> None:
        """Refuse the next calls. `method` may be `*`, or `file` for downloads."""
        answer = TelegramRefused(status, description, **(parameters or {})).answer
        self._faults.append(Fault(method, chat_id, times, "answer", False, status, answer))

    def answer_next(self, method: str, answer: dict[str, Any], status: int = 200) -> None:
        """Carry out the next call, and answer this."""
        self._faults.append(Fault(method, None, 1, "answer", True, status, answer))

    def hang_next(self, method: str, *, accept: bool, chat_id: int | None = None) -> None:
        """Do not answer the next call; with `accept`, carry it out all the same."""
        self._faults.append(Fault(method, chat_id, 1, "hang", accept))

    def reset_next(self, method: str, *, accept: bool, chat_id: int | None = None) -> None:
        """Cut the connection of the next call; with `accept`, carry it out first."""
        self._faults.append(Fault(method, chat_id, 1, "reset", accept))

    # The server

    async def serve(self, request: web.Request) -> web.StreamResponse:
        call = await self.read_call(request)
        if call.method not in methods():
            raise TelegramRefused(404, "Not Found")
        self.attempts.append(call)
        if fault := self._take_fault(call.method, call.parameters):
            return await self._misbehave(fault, call, request)
        return await self.respond(call)

    def record(self, call: Call) -> None:
        self.calls.append(call)
        if self._log is not None:
            line = {"method": call.method, "parameters": call.parameters, "at": call.at}
            line["files"] = {name: [told, len(held)] for name, (told, held) in call.files.items()}
            with self._log.open("a") as file:
                file.write(json.dumps(line) + "\n")

    def _take_fault(self, method: str, parameters: Parameters) -> Fault | None:
        fault = next((each for each in self._faults if each.meets(method, parameters)), None)
        if fault is not None:
            fault.times -= 1
        return fault

    async def _misbehave(
        self, fault: Fault, call: Call, request: web.Request
    ) -> web.StreamResponse:
        if fault.accept:
            await self.carry_out(call)
        if fault.act == "answer":
            return web.json_response(fault.answer, status=fault.status)
        if fault.act == "hang":
            await self._closing.wait()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def serve_file(self, request: web.Request) -> web.StreamResponse:
        if fault := self._take_fault("file", {}):
            return web.json_response(fault.answer, status=fault.status)
        return await super().serve_file(request)


async def _serve_alone(port: int, log: Path, pace: Limits | None) -> None:
    async with TelegramStandIn(port=port, log=log, pace=pace) as telegram:
        sys.stdout.write(f"{telegram.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Telegram to test against.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--pace", action="store_true", help="answer 429 to what is too fast")
    arguments = parser.parse_args()
    asyncio.run(_serve_alone(arguments.port, arguments.log, LENIENT if arguments.pace else None))

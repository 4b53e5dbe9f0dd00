"""A Telegram to test against: the Bot API's methods that Griot uses, over a real socket.

Every call is checked by the Bot API's own specification; what breaks it is refused as Telegram
would refuse it, and kept in `violations`. In a test:

    async with TelegramStandIn() as telegram:
        ... TELEGRAM_API_URL=telegram.url, TELEGRAM_BOT_TOKEN=telegram.token ...

In another process: `python -m tests.standins.telegram --port N --log FILE`, where each accepted
call is appended to FILE as a line of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from aiohttp import web

from tests.standins.telegram_calls import Call, Parameters, Refused
from tests.standins.telegram_chats import Chats
from tests.standins.telegram_limits import LENIENT, Limits
from tests.standins.telegram_schema import Mistake, check, decode_fields, methods
from tests.standins.telegram_updates import BOT

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


class TelegramStandIn(Chats):
    """See the module.

    Args:
        pace: what is faster than this is answered 429; True is `Limits()`, which allows no second
            message to a chat within a second.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        token: str = TOKEN,
        log: Path | None = None,
        pace: bool | Limits = False,
    ) -> None:
        super().__init__(pace=pace)
        self.token = token
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
        app.router.add_route("*", "/bot{token}/{method}", self._serve)
        app.router.add_get("/file/bot{token}/{path:.+}", self._serve_file)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        self._queued.set()
        await self._runner.cleanup()

    # What a test asks and arranges

    def calls_of(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method == method]

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
        answer = Refused(status, description, **(parameters or {})).answer
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

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        try:
            self._check_address(request.match_info["token"], method)
            call = await _read_call(method, request)
            self.attempts.append(call)
            if fault := self._take_fault(method, call.parameters):
                return await self._misbehave(fault, call, request)
            return web.json_response({"ok": True, "result": await self._carry_out(call)})
        except Refused as refused:
            return web.json_response(refused.answer, status=refused.status)

    def _check_address(self, token: str, method: str) -> None:
        if token != self.token:
            raise Refused(401, "Unauthorized")
        if method not in methods():
            raise Refused(404, "Not Found")

    async def _carry_out(self, call: Call) -> Any:
        try:
            contents = {name: content for name, (_, content) in call.files.items()}
            check(call.method, call.parameters, contents)
        except Mistake as mistake:
            self.violations.append(f"{call.method}: {mistake}")
            raise Refused(400, f"Bad Request: {mistake}") from None
        answer = getattr(self, f"_answer_{_snake_case(call.method)}", None)
        if answer is None:
            self.violations.append(f"{call.method}: not modelled")
            raise Refused(404, "Not Found")
        self._find_chat(call)
        result = answer(call)
        self._record(call)
        return await result if asyncio.iscoroutine(result) else result

    def _record(self, call: Call) -> None:
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
            await self._carry_out(call)
        if fault.act == "answer":
            return web.json_response(fault.answer, status=fault.status)
        if fault.act == "hang":
            await self._closing.wait()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def _serve_file(self, request: web.Request) -> web.StreamResponse:
        if fault := self._take_fault("file", {}):
            return web.json_response(fault.answer, status=fault.status)
        content = self.files.get(request.match_info["path"].rpartition("/")[2])
        if request.match_info["token"] != self.token or content is None:
            return web.json_response(Refused(404, "Not Found").answer, status=404)
        return web.Response(body=content)


async def _read_call(method: str, request: web.Request) -> Call:
    """A call in any of the forms that the Bot API takes."""
    if request.content_type == "application/json":
        return Call(method, await request.json(), {})
    fields: dict[str, str] = {}
    files: dict[str, tuple[str, bytes]] = {}
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            files[name] = (value.filename, value.file.read())
        else:
            fields[name] = str(value)
    return Call(method, decode_fields(method, fields), files)


def _snake_case(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name)


async def _serve_alone(port: int, log: Path, pace: bool | Limits) -> None:
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
    asyncio.run(_serve_alone(arguments.port, arguments.log, arguments.pace and LENIENT))

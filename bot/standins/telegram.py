"""Act as Telegram's Bot API for one bot: the methods that Griot uses, as published.

https://core.telegram.org/bots/api
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, Final

from aiohttp import web

from bot.standins.refusals import answer_refusals
from bot.standins.telegram_chats import Chats
from bot.standins.telegram_rules import Call, Limits, Mistake, TelegramRefused, Validate, check_call

_TEXT_FIELDS: Final = frozenset({"caption", "text", "url", "secret_token"})
"""Fields of a form that are taken as they are; others are JSON where they can be."""


class Telegram(Chats):
    """The API and its chats. Subclasses act on `record`.

    Args:
        token: the bot's token.
        pace: refuses with 429 what comes faster; None: any pace is good.
        validate: checks each call before the rules that are checked here.
    """

    def __init__(
        self, token: str, *, pace: Limits | None = None, validate: Validate | None = None
    ) -> None:
        super().__init__(pace)
        self.token = token
        self._validate = validate

    def routes(self) -> list[web.RouteDef]:
        return [
            web.route("*", "/bot{token}/{method}", answer_refusals(self.serve)),
            web.get("/file/bot{token}/{path:.+}", answer_refusals(self.serve_file)),
        ]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Serve a call. Raises `Refused`."""
        return await self.respond(await self.read_call(request))

    async def read_call(self, request: web.Request) -> Call:
        """Read a call, in any of the forms that the Bot API accepts. Raises `Refused`."""
        if request.match_info["token"] != self.token:
            raise TelegramRefused(401, "Unauthorized")
        method = request.match_info["method"]
        if request.content_type == "application/json":
            try:
                return Call(method, await request.json(), {})
            except ValueError:
                raise TelegramRefused(400, "Bad Request: the body is not JSON") from None
        fields: dict[str, Any] = {}
        files: dict[str, tuple[str, bytes]] = {}
        for name, value in (await request.post()).items():
            if isinstance(value, web.FileField):
                files[name] = (value.filename, value.file.read())
            else:
                fields[name] = str(value) if name in _TEXT_FIELDS else _decode_field(str(value))
        return Call(method, fields, files)

    async def respond(self, call: Call) -> web.StreamResponse:
        """Carry a call out, and answer it. Raises `Refused`."""
        return web.json_response({"ok": True, "result": await self.carry_out(call)})

    async def carry_out(self, call: Call) -> Any:
        """Check a call and carry it out; return the result. Raises `Refused`."""
        answer = getattr(self, f"answer_{_snake_case(call.method)}", None)
        try:
            if self._validate is not None:
                self._validate(call)
            check_call(call)
            if answer is None:
                self.violations.append(f"{call.method}: not modelled")
                raise TelegramRefused(404, "Not Found")
            self.check_chat(call)
            result = answer(call)
        except KeyError as missing:
            raise self._refuse(call, f"{missing} is missing") from None
        except Mistake as mistake:
            raise self._refuse(call, str(mistake)) from None
        self.record(call)
        return await result if asyncio.iscoroutine(result) else result

    def record(self, call: Call) -> None:
        """Take note of a call that was accepted and carried out."""

    def _refuse(self, call: Call, mistake: str) -> TelegramRefused:
        self.violations.append(f"{call.method}: {mistake}")
        return TelegramRefused(400, f"Bad Request: {mistake}")

    async def serve_file(self, request: web.Request) -> web.StreamResponse:
        content = self.files.get(request.match_info["path"].rpartition("/")[2])
        if request.match_info["token"] != self.token or content is None:
            raise TelegramRefused(404, "Not Found")
        return web.Response(body=content)


def _decode_field(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _snake_case(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name)

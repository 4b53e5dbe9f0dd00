"""All that is at `/operator`, put together; nothing of it is there without `OPERATOR_TOKEN`."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web

from bot.accounts.people import People
from bot.contracts import Database, Momentary
from bot.errors import BadRequest, PersonError
from bot.settings import Settings
from bot.web.errors import Unauthorized
from bot.web.layout import read_text
from bot.web.operator.delivery_pages import DeliveryPages
from bot.web.operator.desk import Desk, explain, go, login_page
from bot.web.operator.door import PATH, Door
from bot.web.operator.money_pages import MoneyPages
from bot.web.operator.overview import Overview
from bot.web.operator.people_pages import PeoplePages
from bot.web.operator.turn_pages import TurnPages
from bot.web.operator.view import View, anonymous
from bot.web.requests import language_of

_SCRIPT = read_text("operator.js")


class OperatorPages:
    def __init__(
        self, settings: Settings, database: Database, momentary: Momentary, people: People
    ) -> None:
        self._is_on = bool(settings.operator_token)
        self._door = Door(settings, momentary)
        self._desk = desk = Desk(self._door)
        self._parts = (
            Overview(desk, database),
            TurnPages(desk, database),
            DeliveryPages(desk, database),
            MoneyPages(desk, database),
            PeoplePages(desk, database, people),
        )

    def routes(self) -> list[web.RouteDef]:
        if not self._is_on:
            return []
        return [
            web.get(f"{PATH}/page.js", self.script),
            web.post(f"{PATH}/login", self.log_in),
            web.post(f"{PATH}/logout", self._desk.form(self.log_out)),
            *(route for part in self._parts for route in part.routes()),
        ]

    async def script(self, _: web.Request) -> web.Response:
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        return web.Response(text=_SCRIPT, content_type="text/javascript", headers=headers)

    async def log_in(self, request: web.Request) -> web.Response:
        view = anonymous(language_of(request))
        response = go("")
        try:
            fields = await self._door.read_form(request, None)
            await self._door.log_in(request, response, fields.get("token", "").strip())
        except Unauthorized:
            return login_page(view, 401, view.phrase("This is not the token."))
        except (PersonError, BadRequest) as error:
            return explain(view, error)
        return response

    async def log_out(self, _: web.Request, view: View, __: Mapping[str, str]) -> web.Response:
        response = go("")
        await self._door.log_out(view.session, response)
        return response

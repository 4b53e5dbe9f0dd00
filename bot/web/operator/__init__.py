"""Put the pages at `/operator` together; without `OPERATOR_TOKEN` there are none."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web

from bot.accounts.people import People
from bot.contracts.storage import Database, EphemeralStore
from bot.errors import BadRequest, PersonError
from bot.i18n import say
from bot.settings import Settings
from bot.web.errors import Unauthorized
from bot.web.html_pages import read_text
from bot.web.operator.money_pages import MoneyPages
from bot.web.operator.operator_auth import PATH, OperatorAuth
from bot.web.operator.overview import Overview
from bot.web.operator.page_frame import (
    PageFrame,
    View,
    answer_login_page,
    explain_error,
    make_anonymous_view,
    redirect_to,
)
from bot.web.operator.people_pages import PeoplePages, SkillPages
from bot.web.operator.turn_pages import DeliveryPages, TurnPages
from bot.web.requests import language_of

_SCRIPT = read_text("operator.js")


class OperatorPages:
    def __init__(
        self, settings: Settings, database: Database, momentary: EphemeralStore, people: People
    ) -> None:
        self._is_on = bool(settings.operator_token)
        self._auth = OperatorAuth(settings, momentary)
        self._frame = frame = PageFrame(self._auth)
        self._parts = (
            Overview(frame, database),
            TurnPages(frame, database),
            DeliveryPages(frame, database),
            MoneyPages(frame, database),
            PeoplePages(frame, database, people),
            SkillPages(frame, database),
        )

    def routes(self) -> list[web.RouteDef]:
        if not self._is_on:
            return []
        return [
            web.get(f"{PATH}/page.js", self.script),
            web.post(f"{PATH}/login", self.log_in),
            web.post(f"{PATH}/logout", self._frame.handle_form(self.log_out)),
            *(route for part in self._parts for route in part.routes()),
        ]

    async def script(self, _: web.Request) -> web.Response:
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        return web.Response(text=_SCRIPT, content_type="text/javascript", headers=headers)

    async def log_in(self, request: web.Request) -> web.Response:
        view = make_anonymous_view(language_of(request))
        response = redirect_to("")
        try:
            fields = await self._auth.read_form(request, None)
            await self._auth.log_in(request, response, fields.get("token", "").strip())
        except Unauthorized:
            return await answer_login_page(view, 401, say(view.language, "This is not the token."))
        except (PersonError, BadRequest) as error:
            return await explain_error(view, error)
        return response

    async def log_out(self, _: web.Request, view: View, __: Mapping[str, str]) -> web.Response:
        response = redirect_to("")
        await self._auth.log_out(view.session, response)
        return response

"""Put the pages at `/operator` together; without `OPERATOR_TOKEN` there are none.

The first page is the overview: the current state, and the statistics of the last day or month.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aiohttp import web

from bot.accounts.people import People
from bot.contracts.storage import Clock, Database, EphemeralStore
from bot.errors import BadRequest, PersonError
from bot.gateway.admin import (
    DAY,
    ModelUse,
    Period,
    Statistics,
    count_failed_deliveries,
    read_queue_status,
    sum_up,
)
from bot.i18n import say
from bot.settings import Settings
from bot.web.errors import Unauthorized
from bot.web.html_pages import ChartColumn, read_text
from bot.web.operator.money_pages import MoneyPages
from bot.web.operator.operator_auth import PATH, OperatorAuth
from bot.web.operator.page_frame import (
    PageFrame,
    View,
    answer_login_page,
    answer_page,
    explain_error,
    format_iso,
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
        headers = {"Cache-Control": "no-store"}
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


# Overview ----------------------------------------------------------------------------------------

LONG_WAIT: Final = 30.0
"""Seconds of waiting that operators should look at."""
_MODELS: Final = 12


class Overview:
    def __init__(self, frame: PageFrame, database: Database, clock: Clock = time.time) -> None:
        self._frame = frame
        self._database = database
        self._clock = clock
        self._statistics = Statistics(database, clock)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get(PATH, self._frame.show_page(self.overview)),
            web.get(f"{PATH}/now", self._frame.show_page(self.now)),
        ]

    async def overview(self, request: web.Request, view: View) -> web.Response:
        is_month = request.query.get("span") == "month"
        if is_month:
            periods = await self._statistics.last_days()
            columns = [ChartColumn(view.day(each.start)) for each in periods]
        else:
            periods = await self._statistics.last_hours()
            columns = [
                ChartColumn(view.moment(each.start), format_iso(each.start)) for each in periods
            ]
        drawn = list(zip(columns, periods, strict=True))
        total = sum_up(periods)
        return await answer_page(
            view,
            "overview.html",
            **await self._read_now(),
            span="month" if is_month else "",
            turns=[column.fill(each.turns - each.failed, each.failed) for column, each in drawn],
            costs=[column.fill(each.usd) for column, each in drawn],
            segments=[column.fill(each.segments) for column, each in drawn],
            channels=total.messages.most_common(),
            models=_list_models(total),
        )

    async def now(self, _: web.Request, view: View) -> web.Response:
        """Answer with the first part of the page alone, which replaces the one shown."""
        return await answer_page(view, "now.html", **await self._read_now())

    async def _read_now(self) -> dict[str, Any]:
        """Return the current state, as `now.html` shows it."""
        now = self._clock()
        queues = await self._database.read(read_queue_status)
        return {
            "now": now,
            "queues": queues,
            "failed": await count_failed_deliveries(self._database, now - DAY),
            "is_late": queues.oldest_wait > LONG_WAIT,
        }


def _list_models(total: Period) -> Sequence[tuple[str | None, ModelUse]]:
    """List the models that cost most; the others come last, added up, without a name."""
    uses = sorted(total.models.items(), key=lambda item: (-item[1].usd, -item[1].input_tokens))
    if len(uses) <= _MODELS:
        return [*uses]
    rest = ModelUse()
    for _, use in uses[_MODELS:]:
        rest.add(use)
    return [*uses[:_MODELS], (None, rest)]

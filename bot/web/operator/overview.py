"""The overview page: the current state, and the statistics of the last day or month."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from aiohttp import web

from bot.contracts.storage import Clock, Database
from bot.gateway.admin import (
    DAY,
    ModelUse,
    Period,
    Statistics,
    count_failed_deliveries,
    read_queue_status,
    sum_up,
)
from bot.web.html_pages import ChartColumn
from bot.web.operator.operator_auth import PATH
from bot.web.operator.page_frame import PageFrame, View, answer_page, format_iso

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

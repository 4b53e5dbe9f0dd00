"""The overview: how things stand now, and what happened in the last day or month."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from aiohttp import web

from bot.contracts import Clock, Database
from bot.gateway.sending.troubles import Trouble, count_troubles
from bot.gateway.standing import Standing, read_standing
from bot.gateway.statistics import DAY, ModelUse, Period, Statistics, sum_up
from bot.web.operator.desk import Desk, answer_html, answer_page
from bot.web.operator.door import PATH
from bot.web.operator.pictures import Column, Picture, draw, draw_shares
from bot.web.operator.view import View, badge, choices, link, nothing, section, show, write_iso

LONG_WAIT: Final = 30.0
"""Seconds after which what waits deserves a look."""
_MODELS: Final = 12


class Overview:
    def __init__(self, desk: Desk, database: Database, clock: Clock = time.time) -> None:
        self._desk = desk
        self._database = database
        self._clock = clock
        self._statistics = Statistics(database, clock)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get(PATH, self._desk.page(self.overview)),
            web.get(f"{PATH}/now", self._desk.page(self.now)),
        ]

    async def overview(self, request: web.Request, view: View) -> web.Response:
        is_month = request.query.get("span") == "month"
        if is_month:
            periods = await self._statistics.last_days()
        else:
            periods = await self._statistics.last_hours()
        main = await self._write_now(view) + _write_span(view, periods, is_month=is_month)
        return answer_page(view, view.phrase("Overview"), main, here="")

    async def now(self, _: web.Request, view: View) -> web.Response:
        """Its first part alone, to take the place of what is shown."""
        return answer_html(view, await self._write_now(view))

    async def _write_now(self, view: View) -> str:
        now = self._clock()
        standing = await self._database.read(read_standing)
        troubles = await count_troubles(self._database, now - DAY)
        told = (*_tell_work(view, standing), *_tell_mail(view, standing, troubles))
        tiles = "".join(_write_tile(view, tile) for tile in told)
        head, read_at = view.phrase("Now"), view.phrase("read at")
        return (
            f'<div id="now"><h1>{head} <small>{read_at} {view.moment(now)}</small></h1>'
            f'<dl class="tiles">{tiles}</dl></div>'
        )


@dataclass(frozen=True, slots=True)
class Tile:
    """One number; `state` is that of the list that tells more, empty: there is none."""

    name: str
    number: str
    state: str = ""
    is_alarming: bool = False


def _tell_work(view: View, standing: Standing) -> Sequence[Tile]:
    is_late = standing.oldest_wait > LONG_WAIT
    wait = view.phrase("{seconds} s", seconds=round(standing.oldest_wait))
    return (
        Tile(view.phrase("Workers alive"), view.number(standing.workers), "", not standing.workers),
        Tile(view.phrase("Conversations at work"), view.number(standing.running), "running"),
        Tile(
            view.phrase("Conversations waiting"), view.number(standing.waiting), "queued", is_late
        ),
        Tile(view.phrase("Longest wait"), wait, "", is_late),
        Tile(view.phrase("Dead turns"), view.number(standing.dead), "dead", standing.dead > 0),
    )


def _tell_mail(view: View, standing: Standing, troubles: Mapping[Trouble, int]) -> Sequence[Tile]:
    refused, unknown = troubles["refused"], troubles["unknown"]
    return (
        Tile(view.phrase("Deliveries waiting"), view.number(standing.pending)),
        Tile(view.phrase("Deliveries on their way"), view.number(standing.attempting)),
        Tile(view.phrase("Refused in 24 h"), view.number(refused), "refused", refused > 0),
        Tile(view.phrase("In doubt in 24 h"), view.number(unknown), "unknown", unknown > 0),
    )


def _write_tile(view: View, tile: Tile) -> str:
    path = "/deliveries" if tile.state in {"refused", "unknown"} else "/turns"
    word = link(path, tile.name, {"state": tile.state}) if tile.state else tile.name
    look = " " + badge("look", view.phrase("to look at")) if tile.is_alarming else ""
    kind = ' class="alarm"' if tile.is_alarming else ""
    return f"<div{kind}><dt>{word}{look}</dt><dd>{tile.number}</dd></div>"


def _write_span(view: View, periods: Sequence[Period], *, is_month: bool) -> str:
    columns = [_begin_column(view, period.start, is_month=is_month) for period in periods]
    total = sum_up(periods)
    offered = (("", view.phrase("24 hours")), ("month", view.phrase("30 days")))
    query = {"span": "month" if is_month else ""}
    head = choices(view.phrase("Period"), "", "span", offered, query)
    pictures = _make_pictures(view, columns, periods)
    drawn = "".join(draw(view, picture) for picture in pictures)
    return f'{head}<div class="grid">{drawn}{_channels(view, total)}{_models(view, total)}</div>'


def _make_pictures(
    view: View, columns: Sequence[Column], periods: Sequence[Period]
) -> Sequence[Picture]:
    return (
        Picture(
            "turns",
            view.phrase("Turns"),
            [
                replace(column, good=each.turns - each.failed, bad=each.failed)
                for column, each in zip(columns, periods, strict=True)
            ],
            view.number,
            view.phrase("done"),
            view.phrase("failed"),
        ),
        Picture(
            "cost",
            view.phrase("Cost"),
            [replace(column, good=each.usd) for column, each in zip(columns, periods, strict=True)],
            view.usd,
        ),
        Picture(
            "segments",
            view.phrase("SMS segments"),
            [
                replace(column, good=each.segments)
                for column, each in zip(columns, periods, strict=True)
            ],
            view.number,
        ),
    )


def _begin_column(view: View, start: int, *, is_month: bool) -> Column:
    """A column without numbers: a day of UTC, or an hour, which has an instant."""
    if is_month:
        return Column(view.day(start))
    return Column(view.plain_moment(start), at=write_iso(start))


def _channels(view: View, total: Period) -> str:
    lines = [
        (show(channel), number, view.number(number))
        for channel, number in total.messages.most_common()
    ]
    inner = draw_shares(lines) if lines else nothing(view)
    return section("channels", view.phrase("Messages by channel"), inner)


def _models(view: View, total: Period) -> str:
    uses = sorted(total.models.items(), key=lambda item: (-item[1].usd, -item[1].input_tokens))
    lines = [(show(name), use.usd, _use(view, use)) for name, use in uses[:_MODELS]]
    if rest := uses[_MODELS:]:
        use = ModelUse()
        for _, each in rest:
            use.add(each)
        lines.append((view.phrase("Others"), use.usd, _use(view, use)))
    inner = draw_shares(lines) if lines else nothing(view)
    return section("models", view.phrase("Cost by model"), inner)


def _use(view: View, use: ModelUse) -> str:
    tokens = view.phrase(
        "{into} tokens in, {out} out",
        into=view.plain_number(use.input_tokens),
        out=view.plain_number(use.output_tokens),
    )
    return f"{tokens} · <b>{view.usd(use.usd)}</b>"

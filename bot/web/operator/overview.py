"""The overview: the current state, and what happened in the last day or month.

Charts are drawn here as SVG: their colours follow the reader's light or dark, and a table under
each says the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final

from aiohttp import web

from bot.contracts.storage import Clock, Database
from bot.gateway.admin import (
    DAY,
    FailedState,
    ModelUse,
    Period,
    QueueStatus,
    Statistics,
    count_failed_deliveries,
    read_queue_status,
    sum_up,
)
from bot.web.operator.operator_auth import PATH
from bot.web.operator.page_frame import (
    PageFrame,
    View,
    answer_html,
    answer_page,
    escape_text,
    format_iso,
    write_badge,
    write_choices,
    write_link,
    write_nothing,
    write_section,
)

LONG_WAIT: Final = 30.0
"""Seconds of waiting that deserve a look."""
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
        else:
            periods = await self._statistics.last_hours()
        main = await self._write_now(view) + _write_span(view, periods, is_month=is_month)
        return answer_page(view, view.phrase("Overview"), main, here="")

    async def now(self, _: web.Request, view: View) -> web.Response:
        """Answer with the first part alone, which replaces the one shown."""
        return answer_html(view, await self._write_now(view))

    async def _write_now(self, view: View) -> str:
        now = self._clock()
        standing = await self._database.read(read_queue_status)
        troubles = await count_failed_deliveries(self._database, now - DAY)
        listed = (
            *_list_work_tiles(view, standing),
            *_list_delivery_tiles(view, standing, troubles),
        )
        tiles = "".join(_write_tile(view, tile) for tile in listed)
        head, read_at = view.phrase("Now"), view.phrase("read at")
        return (
            f'<div id="now"><h1>{head} <small>{read_at} {view.moment(now)}</small></h1>'
            f'<dl class="tiles">{tiles}</dl></div>'
        )


@dataclass(frozen=True, slots=True)
class Tile:
    """One number; `state` filters the list that it links to; empty: no link."""

    name: str
    number: str
    state: str = ""
    is_alarming: bool = False


def _list_work_tiles(view: View, standing: QueueStatus) -> Sequence[Tile]:
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


def _list_delivery_tiles(
    view: View, standing: QueueStatus, troubles: Mapping[FailedState, int]
) -> Sequence[Tile]:
    refused, unknown = troubles["refused"], troubles["unknown"]
    return (
        Tile(view.phrase("Deliveries waiting"), view.number(standing.pending)),
        Tile(view.phrase("Deliveries on their way"), view.number(standing.attempting)),
        Tile(view.phrase("Refused in 24 h"), view.number(refused), "refused", refused > 0),
        Tile(view.phrase("In doubt in 24 h"), view.number(unknown), "unknown", unknown > 0),
    )


def _write_tile(view: View, tile: Tile) -> str:
    path = "/deliveries" if tile.state in {"refused", "unknown"} else "/turns"
    word = write_link(path, tile.name, {"state": tile.state}) if tile.state else tile.name
    look = " " + write_badge("look", view.phrase("to look at")) if tile.is_alarming else ""
    kind = ' class="alarm"' if tile.is_alarming else ""
    return f"<div{kind}><dt>{word}{look}</dt><dd>{tile.number}</dd></div>"


def _write_span(view: View, periods: Sequence[Period], *, is_month: bool) -> str:
    columns = [_begin_column(view, period.start, is_month=is_month) for period in periods]
    total = sum_up(periods)
    offered = (("", view.phrase("24 hours")), ("month", view.phrase("30 days")))
    query = {"span": "month" if is_month else ""}
    head = write_choices(view.phrase("Period"), "", "span", offered, query)
    pictures = _make_charts(view, columns, periods)
    drawn = "".join(draw_chart(view, picture) for picture in pictures)
    shares = _write_channels(view, total) + _write_models(view, total)
    return f'{head}<div class="grid">{drawn}{shares}</div>'


def _make_charts(
    view: View, columns: Sequence[ChartColumn], periods: Sequence[Period]
) -> Sequence[Chart]:
    return (
        Chart(
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
        Chart(
            "cost",
            view.phrase("Cost"),
            [replace(column, good=each.usd) for column, each in zip(columns, periods, strict=True)],
            view.usd,
        ),
        Chart(
            "segments",
            view.phrase("SMS segments"),
            [
                replace(column, good=each.segments)
                for column, each in zip(columns, periods, strict=True)
            ],
            view.number,
        ),
    )


def _begin_column(view: View, start: int, *, is_month: bool) -> ChartColumn:
    """Make a column without numbers: a day in UTC, or an hour, which has an instant."""
    if is_month:
        return ChartColumn(view.day(start))
    return ChartColumn(view.plain_moment(start), at=format_iso(start))


def _write_channels(view: View, total: Period) -> str:
    lines = [
        (escape_text(channel), number, view.number(number))
        for channel, number in total.messages.most_common()
    ]
    inner = draw_shares(lines) if lines else write_nothing(view)
    return write_section("channels", view.phrase("Messages by channel"), inner)


def _write_models(view: View, total: Period) -> str:
    uses = sorted(total.models.items(), key=lambda item: (-item[1].usd, -item[1].input_tokens))
    lines = [(escape_text(name), use.usd, _write_use(view, use)) for name, use in uses[:_MODELS]]
    if rest := uses[_MODELS:]:
        use = ModelUse()
        for _, each in rest:
            use.add(each)
        lines.append((view.phrase("Others"), use.usd, _write_use(view, use)))
    inner = draw_shares(lines) if lines else write_nothing(view)
    return write_section("models", view.phrase("Cost by model"), inner)


def _write_use(view: View, use: ModelUse) -> str:
    tokens = view.phrase(
        "{into} tokens in, {out} out",
        into=view.plain_number(use.input_tokens),
        out=view.plain_number(use.output_tokens),
    )
    return f"{tokens} · <b>{view.usd(use.usd)}</b>"


_STEP: Final = 20
_BAR: Final = 14
_HEIGHT: Final = 120


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """One bar: the good part, and the bad one on top.

    Args:
        at: the instant that `name` says, in ISO 8601; empty: a whole day.
    """

    name: str
    good: float = 0.0
    bad: float = 0.0
    at: str = ""

    @property
    def total(self) -> float:
        return self.good + self.bad

    @property
    def when(self) -> str:
        """Its name as HTML, which the page's script shows in the reader's time zone."""
        name = escape(self.name)
        return f'<time datetime="{self.at}">{name}</time>' if self.at else name


@dataclass(frozen=True, slots=True)
class Chart:
    name: str
    """Id of the element."""
    head: str
    columns: Sequence[ChartColumn]
    write: Callable[[float], str]
    """Writes a number with its unit."""
    good: str = ""
    bad: str = ""
    """Names of both colours; empty: there is one."""


def draw_chart(view: View, picture: Chart) -> str:
    """Draw the chart in a section of its own. `head`, `good` and `bad` are HTML already."""
    columns, write = picture.columns, picture.write
    total = write(sum(column.total for column in columns))
    named = (columns[0], columns[len(columns) // 2], columns[-1])
    dates = "".join(f"<span>{column.when}</span>" for column in named)
    most = max((column.total for column in columns), default=0)
    words = view.phrase("Most:")
    inner = (
        f'<p class="most">{words} {write(most)}</p>'
        f'<svg viewBox="0 0 {_STEP * len(columns)} {_HEIGHT + 2}" role="img" '
        f'aria-labelledby="{picture.name}" preserveAspectRatio="none">'
        f'<path class="l" d="M0 {_HEIGHT + 1}H{_STEP * len(columns)}"/>'
        f"{''.join(_draw_bar(picture, place, most) for place in range(len(columns)))}</svg>"
        f'<div class="dates" aria-hidden="true">{dates}</div>{_write_table(view, picture)}'
    )
    return write_section(
        picture.name, picture.head, inner, f"<strong>{total}</strong>{_draw_legend(picture)}"
    )


def _draw_bar(picture: Chart, place: int, most: float) -> str:
    column = picture.columns[place]
    if not column.total:
        return ""
    x, scale = _STEP * place + (_STEP - _BAR) // 2, _HEIGHT / (most or 1)
    heights = [max(part * scale, 1.5) if part else 0 for part in (column.bad, column.good)]
    top = max(0.0, _HEIGHT - sum(heights))
    tops = (top, top + heights[0])
    rects = "".join(
        f'<rect class="{kind}" x="{x}" y="{y:.1f}" width="{_BAR}" height="{height:.1f}"/>'
        for kind, y, height in zip("wr", tops, heights, strict=True)
        if height
    )
    number = f": {picture.write(column.total)}"
    instant = f' data-at="{column.at}" data-rest="{number}"' if column.at else ""
    return f"<g><title{instant}>{escape(column.name)}{number}</title>{rects}</g>"


def _draw_legend(picture: Chart) -> str:
    if not picture.bad:
        return ""
    return (
        f'<p class="legend"><span class="key right"></span> {picture.good} '
        f'<span class="key wrong"></span> {picture.bad}</p>'
    )


def _write_table(view: View, picture: Chart) -> str:
    kinds = [picture.good, picture.bad] if picture.bad else [picture.head]
    heads = "".join(f'<th scope="col">{kind}</th>' for kind in kinds)
    lines: list[str] = []
    for column in picture.columns:
        cells = [column.good, column.bad] if picture.bad else [column.total]
        numbers = "".join(f"<td>{picture.write(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{column.when}</th>{numbers}</tr>')
    name, when = view.phrase("The same as a table"), view.phrase("When")
    return (
        f"<details><summary>{name}</summary><table><thead><tr>"
        f'<th scope="col">{when}</th>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></details>"
    )


def draw_shares(lines: Sequence[tuple[str, float, str]]) -> str:
    """Draw a bar for each: name (HTML), size, and the size in words (HTML)."""
    most = max((size for _, size, _ in lines), default=0) or 1
    bars = "".join(_draw_share(*line, most) for line in lines)
    return f'<ul class="shares">{bars}</ul>'


def _draw_share(name: str, size: float, words: str, most: float) -> str:
    return (
        f'<li><p>{name}<span class="count">{words}</span></p>'
        '<svg class="bar" aria-hidden="true"><rect class="b" width="100%" height="100%"/>'
        f'<rect class="r" width="{100 * size / most:.1f}%" height="100%"/></svg></li>'
    )

"""Pictures of numbers, drawn here as SVG: their colours follow the reader's light or dark, and a
table under each says the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from bot.web.operator.view import View, section

_STEP: Final = 20
_BAR: Final = 14
_HEIGHT: Final = 120


@dataclass(frozen=True, slots=True)
class Column:
    """One bar: what is good of it, and what is not, on top.

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
class Picture:
    name: str
    """An id."""
    head: str
    columns: Sequence[Column]
    write: Callable[[float], str]
    """A number with its unit."""
    good: str = ""
    bad: str = ""
    """What both colours say; empty: there is one."""


def draw(view: View, picture: Picture) -> str:
    """The picture in a section of its own. What is HTML in it already: `head`, `good`, `bad`."""
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
        f'<div class="dates" aria-hidden="true">{dates}</div>{_as_table(view, picture)}'
    )
    return section(picture.name, picture.head, inner, f"<strong>{total}</strong>{_key(picture)}")


def _draw_bar(picture: Picture, place: int, most: float) -> str:
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


def _key(picture: Picture) -> str:
    if not picture.bad:
        return ""
    return (
        f'<p class="legend"><span class="key right"></span> {picture.good} '
        f'<span class="key wrong"></span> {picture.bad}</p>'
    )


def _as_table(view: View, picture: Picture) -> str:
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
    """A bar each: its name (HTML), its size, and that in words (HTML)."""
    most = max((size for _, size, _ in lines), default=0) or 1
    bars = "".join(_draw_share(*line, most) for line in lines)
    return f'<ul class="shares">{bars}</ul>'


def _draw_share(name: str, size: float, words: str, most: float) -> str:
    return (
        f'<li><p>{name}<span class="count">{words}</span></p>'
        '<svg class="bar" aria-hidden="true"><rect class="b" width="100%" height="100%"/>'
        f'<rect class="r" width="{100 * size / most:.1f}%" height="100%"/></svg></li>'
    )

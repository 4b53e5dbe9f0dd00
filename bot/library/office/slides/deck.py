"""The program that makes slides: request in, document out."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
import pptx
from pptx.util import Pt

from bot.errors import ToolFailed
from bot.library.office import look
from bot.library.office.document import Document
from bot.library.office.slides import fitting
from bot.library.office.slides.cells import read_rows
from bot.library.office.slides.drawing import (
    Box,
    Pen,
    colour,
    draw_box,
    draw_table,
    move_to,
    number_slide,
    take_away,
    write_bullets,
    write_title,
)
from bot.library.office.slides.fitting import Bullet, Room, count_lines, read_bullet
from bot.library.office.slides.request import Deck, Slide
from bot.library.office.spelling import spell_maths
from bot.library.office.text import clean_line, clean_text

_WIDTH, _HEIGHT = 960.0, 540.0
"""16:9, in points."""
_BODY: Final = Box(48, 112, 864, 380)
_HEAD: Final = Box(48, 9, 864, 82)
_BAND: Final = Box(0, 0, _WIDTH, 100)
_LINE: Final = Box(0, 100, _WIDTH, 4)
_PLACES: Final = {0: _HEAD, 1: _BODY}
"""Of placeholders, by their indices."""
_NUMBER: Final = Box(820, 504, 100, 24)
_SIZES: Final = (26.0, 24.0, 22.0, 20.0, 18.0)
_TABLE_SIZES: Final = (18.0, 16.0, 14.0)
_MOST_MADE: Final = 150
"""Slides in all, with those that go on."""
_LOCALES: Final = {"fr": "fr-FR", "en": "en-GB"}
_TITLE_LAYOUT, _CONTENT_LAYOUT, _BARE_LAYOUT = 0, 1, 5
"""Of python-pptx's own template."""


def serve(request: bytes) -> bytes:
    """The slides of a `request.Deck` in JSON. Raises `ToolFailed`: it would be too many."""
    return make_deck(msgspec.json.decode(request, type=Deck)).encode()


def make_deck(deck: Deck) -> Document:
    maker = _Maker(deck)
    maker.open()
    for slide in deck.slides:
        maker.add(slide)
    return maker.finish()


class _Maker:
    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self._show: Any = pptx.Presentation()
        self._show.slide_width, self._show.slide_height = Pt(_WIDTH), Pt(_HEIGHT)
        self._pen = Pen(24, locale=_LOCALES.get(deck.language, "fr-FR"))
        self._slides = 0
        self._parted = 0
        """Slides of the request that did not fit on one."""

    def open(self) -> None:
        """The title, white on green."""
        title = clean_line(self._deck.title)
        properties = self._show.core_properties
        properties.title, properties.author = title[:250], "Griot"
        slide = self._new(_TITLE_LAYOUT)
        for layout in (_CONTENT_LAYOUT, _BARE_LAYOUT):
            self._design(self._show.slide_layouts[layout], slide)
        self._banner(slide, title, look.GREEN, "FFFFFF")

    def _design(self, layout: Any, slide: Any) -> None:
        """Give `layout` our bands and places; `slide` is only where shapes can be made."""
        for box, ground in ((_LINE, look.SERIES[1]), (_BAND, look.GREEN)):
            move_to(draw_box(slide.shapes, box, ground), layout)
        for shape in layout.placeholders:
            if place := _PLACES.get(shape.placeholder_format.idx):
                shape.left, shape.top, shape.width, shape.height = place.places

    def add(self, slide: Slide) -> None:
        """The slides that hold `slide`."""
        title = spell_maths(clean_line(slide.title))
        bullets = [read_bullet(spell_maths(clean_text(text))) for text in slide.bullets]
        bullets = [bullet for bullet in bullets if bullet.text]
        rows = read_rows(slide.table, comma=self._deck.language != "en")
        before = self._slides
        if not (title or bullets or rows):
            return
        if not bullets and not rows:
            self._add_section(title)
        elif bullets and rows and self._fit_together(title, bullets, rows):
            pass
        else:
            self._add_bullets(title, bullets)
            self._add_table(title, rows, goes_on=bool(bullets))
        self._parted += self._slides - before > 1
        self._note(slide.notes, before)

    def finish(self) -> Document:
        out = io.BytesIO()
        self._show.save(out)
        notes: tuple[str, ...] = ()
        if self._parted:
            notes = (
                f"{self._parted} slides held too much and go on on further ones: "
                f"{len(self._show.slides)} slides in all.",
            )
        return Document(out.getvalue(), notes)

    def _new(self, layout: int) -> Any:
        self._check(1)
        self._slides += 1
        return self._show.slides.add_slide(self._show.slide_layouts[layout])

    def _check(self, more: int) -> None:
        if self._slides + more > _MOST_MADE:
            raise ToolFailed(
                f"This text would fill more than {_MOST_MADE} slides. Give each slide a few short "
                "points, and put long text into a document."
            )

    def _banner(self, slide: Any, title: str, ground: str, ink: str) -> None:
        slide.background.fill.solid()
        slide.background.fill.fore_color.rgb = colour(ground)
        for shape in list(slide.placeholders):
            if shape.placeholder_format.idx:
                take_away(shape)
        box = Box(84, 130, 790, 260)
        size = _fit_title(title, box, (48.0, 40.0, 32.0, 26.0, 20.0))
        write_title(slide, title, box, replace(self._pen, size=size, colour=ink, bold=True))
        draw_box(slide.shapes, Box(60, 150, 8, 220), look.SERIES[1])

    def _add_section(self, title: str) -> None:
        if self._slides == 1 and title.casefold() == clean_line(self._deck.title).casefold():
            return  # the title slide says it already
        slide = self._new(_TITLE_LAYOUT)
        self._banner(slide, title, look.PALE, look.GREEN)

    def _add_bullets(self, title: str, bullets: Sequence[Bullet]) -> None:
        if not bullets:
            return
        room = Room(_BODY.width - 14.4, _BODY.height - 7.2)
        size = fitting.fit(bullets, room, _SIZES)
        parts = fitting.split(bullets, room, size)
        self._check(len(parts))
        for number, part in enumerate(parts):
            slide = self._open(title, goes_on=number > 0)
            self._put_bullets(slide, part, _BODY, size)

    def _put_bullets(self, slide: Any, bullets: Sequence[Bullet], box: Box, size: float) -> None:
        write_bullets(slide.placeholders[1], bullets, box, replace(self._pen, size=size))

    def _add_table(self, title: str, rows: Sequence[Sequence[str]], *, goes_on: bool) -> None:
        if not rows:
            return
        widths = fitting.column_widths(rows, _BODY.width)
        size = _table_size(rows, widths, _BODY.height)
        for number, part in enumerate(fitting.split_rows(rows, widths, _BODY.height, size)):
            slide = self._open(title, goes_on=goes_on or number > 0, layout=_BARE_LAYOUT)
            draw_table(slide, part, widths, _BODY, replace(self._pen, size=size))

    def _fit_together(
        self, title: str, bullets: Sequence[Bullet], rows: Sequence[Sequence[str]]
    ) -> bool:
        """Points and table on one slide, if there is room."""
        size, small = 20.0, _TABLE_SIZES[1]
        widths = fitting.column_widths(rows, _BODY.width)
        above = fitting.height(bullets, _BODY.width - 14.4, size) + 16
        below = sum(fitting.row_height(row, widths, small) for row in rows)
        if above + below > _BODY.height:
            return False
        slide = self._open(title)
        self._put_bullets(slide, bullets, replace(_BODY, height=above), size)
        box = replace(_BODY, top=_BODY.top + above, height=below)
        draw_table(slide, rows, widths, box, replace(self._pen, size=small))
        return True

    def _open(self, title: str, *, goes_on: bool = False, layout: int = _CONTENT_LAYOUT) -> Any:
        slide = self._new(layout)
        if goes_on:
            title = f"{title} {self._deck.continued}"
        size = _fit_title(title, _HEAD, (32.0, 28.0, 24.0, 20.0, 16.0))
        pen = replace(self._pen, size=size, colour="FFFFFF", bold=True)
        write_title(slide, title, _HEAD, pen)
        number_slide(slide, _NUMBER, replace(self._pen, size=12, colour=look.GREY))
        return slide

    def _note(self, notes: str, before: int) -> None:
        """Notes stand under the first slide that was made of a slide, or the title if none was."""
        if text := clean_text(notes).strip():
            slide = self._show.slides[min(before, self._slides - 1)]
            slide.notes_slide.notes_text_frame.text = text


def _fit_title(title: str, box: Box, sizes: Sequence[float]) -> float:
    for size in sizes:
        # bold letters are wider
        if count_lines(title, (box.width - 14.4) * 0.93, size) * size * 1.22 <= box.height:
            return size
    return sizes[-1]


def _table_size(rows: Sequence[Sequence[str]], widths: Sequence[float], tall: float) -> float:
    """The largest size in which no word is broken and, if it can be, all stands on one slide."""
    for size in _TABLE_SIZES:
        is_low = sum(fitting.row_height(row, widths, size) for row in rows) <= tall
        if is_low and fitting.has_room(rows, widths, size):
            return size
    return _TABLE_SIZES[-1]

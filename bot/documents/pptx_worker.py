"""Make slides. Runs as an isolated worker."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import msgspec
import pptx
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Pt

from bot.documents import theme
from bot.documents.characters import clean_line, clean_text, print_scripts
from bot.documents.document_request import (
    Document,
    Slide,
    SlidesRequest,
    get_locale,
    write_count,
)
from bot.documents.formula_notes import FormulaReport
from bot.documents.pptx import fitting
from bot.documents.pptx.drawing import (
    Box,
    TextStyle,
    draw_card,
    draw_chart,
    draw_picture,
    draw_shape,
    draw_table,
    move_to,
    number_slide,
    read_table,
    remove_shape,
    to_colour,
    write_bullets,
    write_line,
    write_title,
)
from bot.documents.pptx.fitting import (
    Bullet,
    Item,
    SlideFormula,
    Space,
    count_lines,
    put_formula,
    read_bullet,
    split_code,
    split_formulas,
    strip_marks,
)
from bot.errors import ToolFailed
from bot.formulas.line_text import replace_formulas, to_printed_line
from bot.typography import polish, shorten

_WIDTH, _HEIGHT = 960.0, 540.0
"""Size of a slide, 16:9, in points."""
_LEFT: Final = 64.0
_BODY: Final = Box(_LEFT, 128, 832, 358)
_HEAD: Final = Box(_LEFT, 46, 832, 66)
_ACCENT: Final = Box(_LEFT, 34, 52, 5)
_PLACES: Final = {0: _HEAD, 1: _BODY}
"""Boxes of placeholders, by their indices."""
_NUMBER: Final = Box(836, 504, 60, 24)
_GUTTER: Final = 36.0
_PADDING: Final = 26.0
"""Space within a card, in points."""
_SIZES: Final = (34.0, 32.0, 30.0, 28.0, 26.0, 24.0, 22.0, 20.0, 18.0)
_NARROW_SIZES: Final = (26.0, 24.0, 22.0, 20.0, 18.0, 16.0)
"""Sizes of text next to something else."""
_TABLE_SIZES: Final = (22.0, 20.0, 18.0, 16.0, 14.0)
_MOST_AIR: Final = 16.0
_WIDEST_GAP: Final = 0.6
_MOST_MADE: Final = 150
"""Most slides in all, including those that continue others."""
_TITLE, _CONTENT, _SECTION, _TWO, _BARE = 0, 1, 2, 3, 5
"""Layouts of python-pptx's own template."""
_KEPT: Final = (_TITLE, _CONTENT, _SECTION, _TWO, _BARE)


def serve(request: bytes) -> bytes:
    """Return the slides of a `SlidesRequest` in JSON. Raises `ToolFailed`: there are too many."""
    return make_slides(msgspec.json.decode(request, type=SlidesRequest)).encode()


def make_slides(deck: SlidesRequest) -> Document:
    maker = _SlidesMaker(deck)
    maker.open()
    for slide in deck.slides:
        maker.add(slide)
    return maker.finish()


class _SlidesMaker:
    def __init__(self, deck: SlidesRequest) -> None:
        self._deck = deck
        self._show: Any = pptx.Presentation()
        self._style = TextStyle(24, locale=get_locale(deck.language))
        self._slides = 0
        self._parted = 0
        """Number of slides of the request that took more than one slide."""
        self._report = FormulaReport()

    def open(self) -> None:
        """Set up the template, and add the title slide, white on the deep colour."""
        # Make the template 16:9, and leave out the layouts that we do not use
        for number in reversed(range(len(self._show.slide_layouts))):
            if number not in _KEPT:
                self._show.slide_layouts.remove(self._show.slide_layouts[number])
        ratio = Pt(_WIDTH) / self._show.slide_width
        for page in (self._show.slide_master, *self._show.slide_layouts):
            for shape in page.placeholders:
                shape.left, shape.width = int(shape.left * ratio), int(shape.width * ratio)
        self._show.slide_width, self._show.slide_height = Pt(_WIDTH), Pt(_HEIGHT)
        title = self._typeset(clean_line(self._deck.title))
        properties = self._show.core_properties
        properties.title, properties.author = title[:250], "Griot"
        slide = self._new(_TITLE)
        _design_layouts(self._show, slide)
        self._banner(slide, title, Box(84, 120, 560, 300), "FFFFFF")

    def add(self, slide: Slide) -> None:
        """Add the slides that are needed for the content of `slide`."""
        texts = chain([slide.title], slide.bullets, *slide.columns, *slide.table)
        self._report.check(map(str, texts))
        title = self._typeset(replace_formulas(clean_line(slide.title), to_printed_line))
        items = self._read_items(slide.bullets)
        columns = [column for column in map(self._read_column, slide.columns) if column]
        rows = read_table(slide.table, comma=self._deck.language != "en")
        rows = [[self._typeset(cell) for cell in row] for row in rows]
        before = self._slides
        if not (title or items or rows or columns or slide.chart or slide.picture):
            return
        if not (items or rows or columns or slide.chart or slide.picture):
            self._add_section(title)
        else:
            self._add_content(title, items, rows, columns, slide)
        self._parted += self._slides - before > 1
        self._note(slide.notes, before)

    def _add_content(
        self,
        title: str,
        items: Sequence[Item],
        rows: Sequence[Sequence[str]],
        columns: Sequence[Sequence[Item]],
        slide: Slide,
    ) -> None:
        before = self._slides
        is_shown = bool(slide.chart or slide.picture)
        if items and is_shown and self._add_points_left(title, items, slide):
            is_shown = bool(slide.chart and slide.picture)
            slide = msgspec.structs.replace(slide, chart=None)
        elif items and rows and self._fit_together(title, items, rows):
            rows = ()
        else:
            self._add_bullets(title, items)
        if slide.chart:
            page = self._open(title, goes_on=self._slides > before, layout=_BARE)
            draw_chart(page, slide.chart, _BODY.places)
        if is_shown and slide.picture:
            self._add_picture(title, slide, goes_on=self._slides > before)
        self._add_columns(title, columns, goes_on=self._slides > before)
        self._add_table(title, rows, goes_on=self._slides > before)

    def _read_items(self, texts: Sequence[str]) -> list[Item]:
        """Read points; formulas that need a line of their own become items between them."""
        items: list[Item] = []
        for text in split_code(map(clean_text, texts)):
            if isinstance(text, Bullet):
                items.append(text)
                continue
            bullet = read_bullet(text)
            for number, part in enumerate(split_formulas(bullet.text)):
                if isinstance(part, SlideFormula):
                    items.append(part)
                elif words := self._typeset(replace_formulas(part, to_printed_line)).strip():
                    goes_on = bullet.goes_on or number > 0
                    items.append(replace(bullet, text=words, goes_on=goes_on))
        return items

    def _read_column(self, texts: Sequence[str]) -> list[Item]:
        """Read a column's points; a first one in bold or before a colon becomes its heading."""
        items = self._read_items(texts)
        first = items[0] if len(items) > 1 else None
        if isinstance(first, Bullet) and not (first.level or first.number or first.is_code):
            words = first.text.strip("* ").rstrip(":").rstrip(" \u00a0\u202f")
            is_bold = first.text.startswith("**") and first.text.endswith("**")
            if words and len(words) < 60 and (is_bold or first.text.endswith(":")):
                items[0] = Bullet(words, is_heading=True)
        return items

    def _typeset(self, text: str) -> str:
        """Return the text with the quotes and spaces of its language, and scripts as characters."""
        return print_scripts(polish(text, self._deck.language))

    def finish(self) -> Document:
        out = io.BytesIO()
        self._show.save(out)
        parted, made = (write_count(n, "slide") for n in (self._parted, len(self._show.slides)))
        note = f"{parted} held too much and went on on further ones: {made} in all."
        notes = (*self._report.write_notes(), *([note] if self._parted else []))
        return Document(out.getvalue(), notes)

    def _new(self, layout: int) -> Any:
        self._check(1)
        self._slides += 1
        return self._show.slides.add_slide(self._show.slide_layouts[_KEPT.index(layout)])

    def _check(self, more: int) -> None:
        if self._slides + more > _MOST_MADE:
            raise ToolFailed(
                f"This text would fill more than {_MOST_MADE} slides. Give each slide a few short "
                "points, and put long text into a document."
            )

    def _banner(self, slide: Any, title: str, box: Box, ink: str) -> None:
        for shape in list(slide.placeholders):
            if shape.placeholder_format.idx:
                remove_shape(shape)
        size = _fit_title(title, box, (54.0, 48.0, 42.0, 36.0, 30.0, 26.0, 20.0))
        write_title(slide, title, box, replace(self._style, size=size, colour=ink, bold=True))

    def _add_section(self, title: str) -> None:
        if (
            self._slides == 1
            and title.casefold() == self._typeset(clean_line(self._deck.title)).casefold()
        ):
            return  # the title slide says it already
        self._banner(self._new(_SECTION), title, Box(84, 120, 770, 300), theme.DEEP)

    def _add_bullets(self, title: str, items: Sequence[Item]) -> None:
        if not items:
            return
        space = Space(_BODY.width, _BODY.height)
        size = fitting.choose_text_size(items, space, _SIZES)
        parts = fitting.split_items(items, space, size)
        size = min(fitting.choose_text_size(part, space, _SIZES) for part in parts)
        self._check(len(parts))
        for number, part in enumerate(parts):
            slide = self._open(title, goes_on=number > 0)
            self._flow(slide, part, _BODY, size, slide.placeholders[1])

    def _flow(
        self,
        slide: Any,
        items: Sequence[Item],
        box: Box,
        size: float,
        holder: Any = None,
        *,
        gap: float | None = None,
    ) -> None:
        """Place points and formulas one below another, in the middle of their box.

        Args:
            holder: the placeholder for the first points.
            gap: space between them, in ems; if it is given they begin at the top.
        """
        style = replace(self._style, size=size)
        left = box.height - fitting.measure_height(items, box.width, size)
        at_top = gap is not None
        if gap is None:
            gap = fitting.GAP + max(0.0, min(left / 2 / len(items) / size, _WIDEST_GAP))
        groups = _group(items)
        if len(groups) == 1 and not isinstance(items[0], SlideFormula):
            bullets = [item for item in items if isinstance(item, Bullet)]
            write_bullets(
                holder or slide.shapes.add_textbox(*box.places),
                bullets,
                box,
                style,
                gap=gap,
                top=at_top,
            )
            return
        more = (gap - fitting.GAP) * size
        top = box.top + (0.0 if at_top else max(0.0, (left - more * len(items)) / 2))
        for group in groups:
            high = fitting.measure_height(group, box.width, size) + more * len(group)
            place = Box(box.left, top, box.width, high)
            if isinstance(group[0], SlideFormula):
                letters = fitting.choose_formula_size(group[0], box.width, size)
                put_formula(slide, group[0], (box.left + 27, top), letters, self._style.locale)
            else:
                bullets = [item for item in group if isinstance(item, Bullet)]
                shape = holder or slide.shapes.add_textbox(*place.places)
                write_bullets(shape, bullets, place, style, gap=gap, top=True)
                holder = None
            top += high
        if holder is not None:
            remove_shape(holder)

    def _add_points_left(self, title: str, items: Sequence[Item], slide: Slide) -> bool:
        """Place points at the left of a chart or a picture; return False if there is no space."""
        if slide.chart:
            wide, high = 0.58 * _BODY.width, _BODY.height
        elif slide.picture:
            wide, high = _scale(slide.picture, 0.55 * _BODY.width, _BODY.height)
        else:
            return False
        text = replace(_BODY, width=_BODY.width - wide - _GUTTER)
        size = fitting.choose_text_size(items, Space(text.width, text.height), _NARROW_SIZES)
        if fitting.measure_height(items, text.width, size) > text.height:
            return False
        page = self._open(title)
        self._flow(page, items, text, size, page.placeholders[1])
        place = Box(
            _BODY.left + _BODY.width - wide, _BODY.top + (_BODY.height - high) / 2, wide, high
        )
        if slide.chart:
            draw_chart(page, slide.chart, place.places)
        elif slide.picture:
            draw_picture(page, slide.picture.content, place, clean_line(slide.alt))
        return True

    def _add_picture(self, title: str, slide: Slide, *, goes_on: bool) -> None:
        """Add a picture, as large as the slide allows, with its caption."""
        if slide.picture is None:
            return
        page = self._open(title, goes_on=goes_on, layout=_BARE)
        caption = self._typeset(replace_formulas(clean_line(slide.alt), to_printed_line))
        space = _BODY.height - (30 if caption else 0)
        wide, high = _scale(slide.picture, _BODY.width, space)
        place = Box(_BODY.left + (_BODY.width - wide) / 2, _BODY.top, wide, high)
        draw_picture(page, slide.picture.content, place, caption)
        if caption:
            below = Box(_BODY.left, _BODY.top + high + 8, _BODY.width, 24)
            shape = page.shapes.add_textbox(*below.places)
            shape.text_frame.paragraphs[0].alignment = 2  # centred
            write_line(
                shape.text_frame.paragraphs[0],
                shorten(caption, 110),
                replace(self._style, size=15, colour=theme.GREY),
            )

    def _add_columns(self, title: str, columns: Sequence[Sequence[Item]], *, goes_on: bool) -> None:
        """Add points side by side, each column on a card, all in letters of one size."""
        if not columns:
            return
        wide = (_BODY.width - (len(columns) - 1) * 24) / len(columns)
        space = Space(wide - 2 * _PADDING, _BODY.height - 2 * _PADDING)
        size = min(fitting.choose_text_size(column, space, _NARROW_SIZES) for column in columns)
        parts = [fitting.split_items(column, space, size) for column in columns]
        for number in range(max(map(len, parts))):
            page = self._open(title, goes_on=goes_on or number > 0, layout=_TWO)
            shown = [column[number] if number < len(column) else [] for column in parts]
            tallest = max(
                fitting.measure_height(items, space.width, size) for items in shown if items
            )
            tallest = min(tallest + 0.35 * size * max(map(len, shown)), space.height)
            high = min(_BODY.height, max(tallest + 2 * _PADDING, 0.62 * _BODY.height))
            indent = max(0.0, (high - 2 * _PADDING - tallest) / 2)
            inner = Space(space.width, high - 2 * _PADDING - indent)
            fits = all(
                fitting.measure_height(items, inner.width, size) + 0.35 * size * len(items)
                <= inner.height
                for items in shown
            )
            gap = fitting.GAP + 0.35 * fits
            for index, items in enumerate(shown):
                left = _BODY.left + index * (wide + 24)
                card = Box(left, _BODY.top + (_BODY.height - high) / 2, wide, high)
                self._fill_card(page, items, card, size, index, indent, gap)
            for shape in list(page.placeholders)[len(shown) + 1 :]:
                remove_shape(shape)

    def _fill_card(
        self,
        page: Any,
        items: Sequence[Item],
        card: Box,
        size: float,
        index: int,
        above: float,
        gap: float,
    ) -> None:
        """Place a column's items on a card.

        Args:
            above: free points above the first line, the same on all cards.
            gap: space between items in ems, the same on all cards.
        """
        places = {shape.placeholder_format.idx: shape for shape in page.placeholders}
        holder = places.get(index + 1)
        if items:
            draw_card(page, card)
            inner = Box(
                card.left + _PADDING,
                card.top + _PADDING + above,
                card.width - 2 * _PADDING,
                card.height - 2 * _PADDING - above,
            )
            self._flow(page, items, inner, size, holder, gap=gap)
        elif holder is not None:
            remove_shape(holder)

    def _add_table(self, title: str, rows: Sequence[Sequence[str]], *, goes_on: bool) -> None:
        if not rows:
            return
        widths = fitting.choose_column_widths(rows, _BODY.width)
        size = _table_size(rows, widths, _BODY.height)
        for number, part in enumerate(fitting.split_rows(rows, widths, _BODY.height, size)):
            slide = self._open(title, goes_on=goes_on or number > 0, layout=_BARE)
            self._put_table(slide, part, widths, _BODY, size)

    def _put_table(
        self,
        slide: Any,
        rows: Sequence[Sequence[str]],
        widths: Sequence[float],
        box: Box,
        size: float,
    ) -> None:
        """Place a table in the middle of its box, and distribute free space over its rows."""
        tall = sum(fitting.measure_row(row, widths, size) for row in rows)
        air = max(0.0, min((box.height - tall) / len(rows), _MOST_AIR))
        tall += air * len(rows)
        top = box.top + max(0.0, (box.height - tall) * 0.4)
        place = replace(box, top=top, height=tall)
        draw_table(slide, rows, widths, place, replace(self._style, size=size), air=air)

    def _fit_together(
        self, title: str, items: Sequence[Item], rows: Sequence[Sequence[str]]
    ) -> bool:
        """Place points and table on one slide; return False if there is no space."""
        widths = fitting.choose_column_widths(rows, _BODY.width)
        for size, small in ((24.0, 20.0), (22.0, 18.0), (20.0, 16.0)):
            above = fitting.measure_height(items, _BODY.width, size) + 16
            below = sum(fitting.measure_row(row, widths, small) for row in rows)
            if above + below <= _BODY.height and fitting.fits_columns(rows, widths, small):
                break
        else:
            return False
        slide = self._open(title)
        left = _BODY.height - above - below
        text = replace(_BODY, height=above + left * 0.3)
        self._flow(slide, items, text, size, slide.placeholders[1])
        box = Box(_BODY.left, text.top + text.height, _BODY.width, below + left * 0.7)
        self._put_table(slide, rows, widths, box, small)
        return True

    def _open(self, title: str, *, goes_on: bool = False, layout: int = _CONTENT) -> Any:
        slide = self._new(layout)
        if goes_on:
            title = f"{title} {self._deck.continued}"
        size = _fit_title(title, _HEAD, (36.0, 32.0, 28.0, 24.0, 20.0, 16.0))
        write_title(
            slide, title, _HEAD, replace(self._style, size=size, colour=theme.DEEP, bold=True)
        )
        number_slide(slide, _NUMBER, replace(self._style, size=12, colour=theme.GREY))
        return slide

    def _note(self, notes: str, before: int) -> None:
        """Put the notes under the first slide that was made for a slide, else under the title."""
        text = strip_marks(replace_formulas(clean_text(notes), to_printed_line))
        if text := self._typeset(text).strip():
            slide = self._show.slides[min(before, self._slides - 1)]
            slide.notes_slide.notes_text_frame.text = text


def _design_layouts(show: Any, slide: Any) -> None:
    """Set grounds and places of the layouts; shapes are made on `slide`, then moved to them."""
    layouts = {index: show.slide_layouts[number] for number, index in enumerate(_KEPT)}
    for index in (_CONTENT, _TWO, _BARE):
        move_to(
            draw_shape(slide.shapes, MSO_SHAPE.RECTANGLE, _ACCENT, theme.SERIES[1]), layouts[index]
        )
        for shape in layouts[index].placeholders:
            if place := _PLACES.get(shape.placeholder_format.idx):
                shape.left, shape.top, shape.width, shape.height = place.places
    grounds = {_TITLE: theme.DEEP, _SECTION: theme.PALE}
    for index, ground in grounds.items():
        fill = layouts[index].background.fill
        fill.solid()
        fill.fore_color.rgb = to_colour(ground)
        move_to(
            draw_shape(slide.shapes, MSO_SHAPE.RECTANGLE, Box(_LEFT, 180, 6, 180), theme.SERIES[1]),
            layouts[index],
        )
    for box, ink in ((Box(800, 336, 96, 96), theme.SERIES[1]), (Box(664, 116, 232, 232), "8A3D1F")):
        move_to(draw_shape(slide.shapes, MSO_SHAPE.OVAL, box, ink), layouts[_TITLE])


def _group(items: Sequence[Item]) -> list[list[Item]]:
    """Group consecutive points; each formula is a group of its own."""
    groups: list[list[Item]] = []
    for item in items:
        if groups and isinstance(item, Bullet) and isinstance(groups[-1][-1], Bullet):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _scale(picture: Any, widest: float, highest: float) -> tuple[float, float]:
    """Return the largest size that fits, in the picture's proportions."""
    ratio = min(widest / picture.width, highest / picture.height)
    return picture.width * ratio, picture.height * ratio


def _fit_title(title: str, box: Box, sizes: Sequence[float]) -> float:
    for size in sizes:
        # bold letters are wider
        lines = count_lines(title, box.width * 0.96, size)
        if lines * size * 1.22 <= box.height and fitting.keeps_words_whole(title, box.width, size):
            return size
    return sizes[-1]


def _table_size(rows: Sequence[Sequence[str]], widths: Sequence[float], tall: float) -> float:
    """Return the largest size in which no word is broken and, if possible, all rows fit on a slide.
    The smallest sizes are for tables whose words would not fit in any font."""
    for any_font, sizes in ((True, _TABLE_SIZES[:-1]), (False, _TABLE_SIZES[-2:])):
        for size in sizes:
            is_low = sum(fitting.measure_row(row, widths, size) for row in rows) <= tall
            if is_low and fitting.fits_columns(rows, widths, size, any_font=any_font):
                return size
    return _TABLE_SIZES[-1]

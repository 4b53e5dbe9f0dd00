"""Write the table of contents of a Word document, and estimate its pages.

The contents are Word's own field with its entries filled in, so that they show before Word updates
them. Only a program that lays out pages knows their numbers: those in the file are estimates, and
the document asks Word to update them when it is opened. A click on an entry leads to its heading,
in Word, LibreOffice and PDFs made by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.documents import theme
from bot.documents.docx.markup import (
    border,
    field_end,
    field_start,
    fonts,
    paragraph,
    tag,
    text_run,
)
from bot.documents.docx.tables import MARGIN, WIDTH, fit_columns
from bot.documents.markdown_blocks import Block, read_rows
from bot.documents.theme import count_lines
from bot.formulas.line_text import to_printed_line
from bot.formulas.omml import Element

LEAST_HEADINGS: Final = 4
LEAST_PAGES: Final = 6
"""Pages from which on a document is long."""
_LEVELS: Final = 3
_MOST_ENTRIES: Final = 60
"""Most entries; if there are more, only the higher levels are listed."""
_ENTRIES_OF_PAGE: Final = 38
"""Entries that fit on a page under the title."""


@dataclass(frozen=True, slots=True)
class _Entry:
    level: int
    words: str
    anchor: str
    block: Block


@dataclass
class TableOfContents:
    """The headings of a document, with their bookmarks."""

    entries: list[_Entry] = field(default_factory=list[_Entry])

    def mark(self, heading: Block, line: Sequence[Element]) -> list[Element]:
        """Return the line of a heading between bookmarks, to which its entry links."""
        number = str(len(self.entries) + 1)
        anchor = f"_Toc{100_000_000 + len(self.entries)}"
        words = "".join(
            to_printed_line(token.content) if token.type == "maths" else token.content or " "
            for token in heading.line
            if token.nesting == 0 and token.type != "footnote"
        )
        self.entries.append(_Entry(heading.level, " ".join(words.split()), anchor, heading))
        start = tag("bookmarkStart", id=number, name=anchor)
        return [start, *line, tag("bookmarkEnd", id=number)]

    def write(self, title: str, pages: Mapping[int, int]) -> list[Element]:
        """Return the table under its title.

        Args:
            pages: the page of each heading in the text, by the id of its block.
        """
        top, deepest = self._levels()
        shown = [entry for entry in self.entries if entry.level <= deepest]
        head = paragraph([text_run(title)], style="TOCHeading", words=title)
        before = 1 + len(shown) // _ENTRIES_OF_PAGE
        lines = [_write_entry(entry, before + pages.get(id(entry.block), 1)) for entry in shown]
        start = field_start(f'TOC \\o "{top}-{deepest}" \\h \\z \\u')
        first = lines[0]
        at = first.index(first.find(tag("pPr").tag)) + 1
        first[at:at] = start
        lines[-1].append(field_end())
        return [head, *lines]

    def styles(self) -> list[Element]:
        """Return the styles of the entries: Word chooses them by the level of the heading."""
        top, _ = self._levels()
        return [
            _entry_style(level, level - top) for level in range(top, top + _LEVELS) if level <= 9
        ]

    def _levels(self) -> tuple[int, int]:
        """Return the highest level, and the deepest that is listed."""
        levels = sorted({entry.level for entry in self.entries})[:_LEVELS]
        while len(levels) > 1 and sum(e.level <= levels[-1] for e in self.entries) > _MOST_ENTRIES:
            levels.pop()
        return levels[0], levels[-1]


def _write_entry(entry: _Entry, page: int) -> Element:
    number = [*field_start(f"PAGEREF {entry.anchor} \\h"), text_run(str(page)), field_end()]
    content = [text_run(entry.words), tag("r", tag("tab")), *number]
    link = tag("hyperlink", *content, anchor=entry.anchor, history="1")
    return paragraph([link], style=f"TOC{entry.level}", words=entry.words)


def _entry_style(level: int, depth: int) -> Element:
    is_top = depth == 0
    spacing = tag("spacing", before="80" if is_top else "0", after="20")
    bold = [tag("b")] if is_top else []
    return tag(
        "style",
        tag("name", val=f"toc {level}"),
        tag("basedOn", val="Normal"),
        tag("next", val="Normal"),
        tag("uiPriority", val="39"),
        tag(
            "pPr",
            tag("tabs", tag("tab", val="right", leader="dot", pos=str(WIDTH + MARGIN))),
            spacing,
            tag("ind", left=str(280 * depth), right="567"),
        ),
        tag("rPr", *bold),
        type="paragraph",
        styleId=f"TOC{level}",
    )


def contents_heading_style() -> Element:
    """Return the style of the title over the contents, a heading that is not listed."""
    line = tag("pBdr", border("bottom", theme.LINE, 6, 4))
    return tag(
        "style",
        tag("name", val="TOC Heading"),
        tag("basedOn", val="Normal"),
        tag("next", val="Normal"),
        tag("uiPriority", val="39"),
        tag("pPr", tag("keepNext"), line, tag("spacing", before="120", after="120")),
        tag("rPr", fonts(theme.FONT), tag("b"), tag("color", val=theme.DEEP), tag("sz", val="28")),
        type="paragraph",
        styleId="TOCHeading",
    )


_HEIGHT: Final = 710.0
"""Points of height of the text on a page, less what keeping lines together takes on average."""
_LINE: Final = 11 * theme.LINE_HEIGHT * 1.15
_CELL_LINE: Final = theme.LINE_HEIGHT
"""Height of a line in a cell, in ems."""
_INDENT: Final = 21.3
"""Points of the indent of a list."""
_FORMULA: Final = 34.0
_PICTURE: Final = 240.0
"""Points of height of a formula and of a picture with its caption, on average."""
HEADINGS: Final = ((17, 18, 6), (14, 14, 4), (12, 10, 4))
"""Size, space before and space after of the headings of the upper levels, in points."""


def find_pages(blocks: Sequence[Block]) -> tuple[dict[int, int], int]:
    """Estimate the pages of the headings, from 1, by the ids of their blocks, and the number of
    pages that the blocks fill."""
    pages: dict[int, int] = {}
    page, used = 1, 0.0
    for at, block in enumerate(blocks):
        pieces = list(_measure(block, WIDTH / 20))
        if block.level:  # it stays with the first lines after it
            following = list(_measure(blocks[at + 1], WIDTH / 20)) if at + 1 < len(blocks) else []
            whole = sum(pieces) + sum(following[:2])
            if used + whole > _HEIGHT:
                page, used = page + 1, 0.0
            pages[id(block)] = page
        for piece in pieces:
            if used + piece > _HEIGHT:
                page, used = page + 1, 0.0
            used += piece
    return pages, page


def _measure(block: Block, width: float) -> Iterator[float]:
    """Yield the heights of the unbreakable pieces of a block, in points.

    Args:
        width: points of its width.
    """
    if block.level:
        size, before, after = HEADINGS[min(block.level, len(HEADINGS)) - 1]
        yield before + count_lines(block.words, width / size) * size * theme.LINE_HEIGHT * 1.15
        yield after
    elif block.kind == "figure":
        yield _PICTURE
    elif block.kind == "maths_block":
        yield _FORMULA
    elif block.kind == "table":
        yield from _measure_table(block, width)
    elif block.kind in ("fence", "code_block"):
        yield from [9.5 * theme.LINE_HEIGHT] * (block.token.content.count("\n") + 1)
    elif block.children:
        inner = width - _INDENT if block.kind.endswith("_list") else width
        for child in block.children:
            yield from _measure(child, inner)
        yield 4.0 if block.kind.endswith("_list") else 0.0
    else:
        yield from [_LINE] * count_lines(block.words, width / 11)
        yield 3.0 if width < WIDTH / 20 else 7.0


def _measure_table(table: Block, width: float) -> Iterator[float]:
    rows = list(read_rows(table))
    widths, size = fit_columns(rows, int(width * 20))
    for row in rows:
        lines = max(
            count_lines(cell.words, (wide - 2 * MARGIN) / 20 / size)
            for cell, wide in zip(row, widths, strict=True)
        )
        yield lines * size * _CELL_LINE + 4.5
    yield 11.0

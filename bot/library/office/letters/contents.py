"""A table of contents: Word's own field with its entries filled in, so that it is there before
anybody updates it.

It has no page numbers, which only a program that sets pages knows: worked out here, one of ten was
wrong. A click on an entry leads to its heading, in Word, LibreOffice and PDFs made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.library.office import look
from bot.library.office.letters.markup import (
    border,
    field_end,
    field_start,
    fonts,
    paragraph,
    tag,
    text_run,
)
from bot.library.office.metrics import count_lines
from bot.library.office.spelling import spell
from bot.library.office.xml import Element
from bot.library.pages.blocks import Block

LEAST_HEADINGS: Final = 4
LEAST_PAGES: Final = 6
_LEVELS: Final = 3
_MOST: Final = 60
"""Entries: with more only the higher levels are listed."""
_LINE: Final = 43.0
"""Ems of a line."""
_PAGE: Final = 45
"""Lines of a page."""
_PICTURE: Final = 20
"""Lines that a picture takes."""


@dataclass(frozen=True, slots=True)
class _Entry:
    level: int
    words: str
    anchor: str


@dataclass
class Contents:
    """The headings of a document, with their bookmarks."""

    entries: list[_Entry] = field(default_factory=list[_Entry])

    def mark(self, heading: Block, line: Sequence[Element]) -> list[Element]:
        """The line of a heading between the marks that entries lead to."""
        number = str(len(self.entries) + 1)
        anchor = f"_Toc{100_000_000 + len(self.entries)}"
        words = "".join(
            spell(token.content) if token.type == "maths" else token.content or " "
            for token in heading.line
            if token.nesting == 0 and token.type != "footnote"
        )
        self.entries.append(_Entry(heading.level, " ".join(words.split()), anchor))
        start = tag("bookmarkStart", id=number, name=anchor)
        return [start, *line, tag("bookmarkEnd", id=number)]

    def write(self, title: str) -> list[Element]:
        """The table under its title."""
        top, deepest = self._levels()
        head = paragraph([text_run(title)], style="TOCHeading", words=title)
        lines = [_write_entry(entry) for entry in self.entries if entry.level <= deepest]
        start = field_start(f'TOC \\o "{top}-{deepest}" \\n \\h \\z \\u')
        first = lines[0]
        at = first.index(first.find(tag("pPr").tag)) + 1
        first[at:at] = start
        lines[-1].append(field_end())
        return [head, *lines, paragraph([], tag("spacing", before="0", after="0", line="300"))]

    def styles(self) -> list[Element]:
        """The styles of the entries: Word gives them by the level of the heading."""
        top, _ = self._levels()
        return [_style(level, level - top) for level in range(top, top + _LEVELS) if level <= 9]

    def _levels(self) -> tuple[int, int]:
        """The highest level, and the deepest that is listed."""
        levels = sorted({entry.level for entry in self.entries})[:_LEVELS]
        while len(levels) > 1 and sum(e.level <= levels[-1] for e in self.entries) > _MOST:
            levels.pop()
        return levels[0], levels[-1]


def _write_entry(entry: _Entry) -> Element:
    link = tag("hyperlink", text_run(entry.words), anchor=entry.anchor, history="1")
    return paragraph([link], style=f"TOC{entry.level}", words=entry.words)


def _style(level: int, depth: int) -> Element:
    is_top = depth == 0
    spacing = tag("spacing", before="80" if is_top else "0", after="20")
    bold = [tag("b")] if is_top else []
    return tag(
        "style",
        tag("name", val=f"toc {level}"),
        tag("basedOn", val="Normal"),
        tag("next", val="Normal"),
        tag("uiPriority", val="39"),
        tag("pPr", spacing, tag("ind", left=str(280 * depth), right="567")),
        tag("rPr", *bold),
        type="paragraph",
        styleId=f"TOC{level}",
    )


def heading_style() -> Element:
    """The style of the title over the contents, which is no heading that they list."""
    line = tag("pBdr", border("bottom", look.LINE, 6, 4))
    return tag(
        "style",
        tag("name", val="TOC Heading"),
        tag("basedOn", val="Normal"),
        tag("next", val="Normal"),
        tag("uiPriority", val="39"),
        tag("pPr", tag("keepNext"), line, tag("spacing", before="120", after="120")),
        tag("rPr", fonts(look.FONT), tag("b"), tag("color", val=look.DEEP), tag("sz", val="28")),
        type="paragraph",
        styleId="TOCHeading",
    )


def count_pages(blocks: Sequence[Block]) -> int:
    """About how many pages the blocks fill."""
    return 1 + int(sum(map(_count_lines, blocks)) / _PAGE)


def _count_lines(block: Block) -> float:
    if block.kind == "figure":
        return _PICTURE
    if block.kind == "tr":
        return 1.3 * max((count_lines(cell.words, 14.0) for cell in block.children), default=1)
    if block.children:
        return sum(map(_count_lines, block.children))
    if block.kind in ("fence", "code_block"):
        return block.token.content.count("\n") + 1.5
    return count_lines(block.words, _LINE) + (1.5 if block.level else 0.5)

"""Write blocks of Markdown as paragraphs, tables and boxes of Word, and the table of contents.

The contents are Word's own field with its entries filled in, so that they show before Word updates
them. They have no page numbers, which only a program that lays out pages knows: an estimate made
here was wrong for one in ten. A click on an entry leads to its heading, in Word, LibreOffice and
PDFs made by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bot.documents import theme
from bot.documents.docx.markup import (
    LEVELS,
    InlineWriter,
    Numbering,
    border,
    centred_formula,
    checkbox,
    field_end,
    field_start,
    fonts,
    get_text,
    list_indent,
    numbered,
    paragraph,
    shade,
    tag,
    text_run,
)
from bot.documents.docx.tables import MARGIN, WIDTH, table_gap, write_table
from bot.documents.markdown_blocks import Block, Callout, find_callout, read_checkbox
from bot.documents.theme import count_lines
from bot.formulas.line_text import to_printed_line
from bot.formulas.omml import Element

LEAST_HEADINGS: Final = 4
LEAST_PAGES: Final = 6
_LEVELS: Final = 3
_MOST_ENTRIES: Final = 60
"""Most entries; if there are more, only the higher levels are listed."""
_LINE_WIDTH: Final = 43.0
"""Ems of a line, to estimate the number of pages."""
_PAGE_LINES: Final = 45
"""Lines of a page."""
_PICTURE_LINES: Final = 20
"""Lines that a picture counts for."""


@dataclass(frozen=True, slots=True)
class _Entry:
    level: int
    words: str
    anchor: str


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
        self.entries.append(_Entry(heading.level, " ".join(words.split()), anchor))
        start = tag("bookmarkStart", id=number, name=anchor)
        return [start, *line, tag("bookmarkEnd", id=number)]

    def write(self, title: str) -> list[Element]:
        """Return the table under its title."""
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


def _write_entry(entry: _Entry) -> Element:
    link = tag("hyperlink", text_run(entry.words), anchor=entry.anchor, history="1")
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
        tag("pPr", spacing, tag("ind", left=str(280 * depth), right="567")),
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


def count_pages(blocks: Sequence[Block]) -> int:
    """Estimate how many pages the blocks fill."""
    return 1 + int(sum(map(_count_lines, blocks)) / _PAGE_LINES)


def _count_lines(block: Block) -> float:
    if block.kind == "figure":
        return _PICTURE_LINES
    if block.kind == "tr":
        return 1.3 * max((count_lines(cell.words, 14.0) for cell in block.children), default=1)
    if block.children:
        return sum(map(_count_lines, block.children))
    if block.kind in ("fence", "code_block"):
        return block.token.content.count("\n") + 1.5
    return count_lines(block.words, _LINE_WIDTH) + (1.5 if block.level else 0.5)


_TALLEST: Final = 300.0
"""Most points of height of a picture that is its own paragraph."""
_COLOURS: Final = {
    "definition": (theme.RIGHT, theme.RIGHT_PALE),
    "key": ("9A6700", "FDF5E0"),
    "example": ("1F4E79", "EAF1F8"),
    "tip": (theme.RIGHT, theme.RIGHT_PALE),
    "warning": ("A3261B", "FCECE9"),
}
_PLAIN: Final = ("1F4E79", "EAF1F8")
"""The colours of edge and background of a box of any other kind."""
_SHORT: Final = 3
"""Number of blocks up to which a box is kept on one page."""
_DEEPEST: Final = 4
"""Most levels of nested boxes."""


@dataclass(frozen=True, slots=True)
class _BlockPlace:
    """The place of a block in lists, quotes and boxes."""

    level: int = -1
    """The level of its list; -1: it is in no list."""
    number: str = ""
    """The id of the list whose mark is put before it; empty: no mark."""
    quoted: bool = False
    width: int = WIDTH
    """In twentieths of a point."""
    depth: int = 0
    """Number of boxes around it."""


@dataclass
class BlockWriter:
    """Writes the blocks of a document.

    Args:
        words: the translated labels of boxes, by the English ones.
    """

    line: InlineWriter
    numbering: Numbering
    contents: TableOfContents = field(default_factory=TableOfContents)
    words: Mapping[str, str] = field(default_factory=dict[str, str])

    def write(self, blocks: Iterable[Block]) -> list[Element]:
        return self._write(blocks, _BlockPlace())

    def _write(self, blocks: Iterable[Block], place: _BlockPlace) -> list[Element]:
        return [element for block in blocks for element in _WRITERS[block.kind](self, block, place)]

    def heading(self, block: Block, place: _BlockPlace) -> list[Element]:
        line = self.line.write(block.line)
        if place == _BlockPlace():
            line = self.contents.mark(block, line)
        return [paragraph(line, style=f"Heading{block.level}", words=block.words)]

    def paragraph(self, block: Block, place: _BlockPlace) -> list[Element]:
        task = read_checkbox(block) if place.number else None
        done, block = task or (None, block)
        words = get_text(block.line)
        content = self.line.write(block.line)
        formulas = [token for token in block.line if token.type == "maths"]
        if len(block.line) == 1 and formulas and formulas[0].markup == "$$":
            content = [centred_formula(content[0])]
        if done is not None:
            content = [checkbox(done), tag("r", tag("tab")), *content]
        return [self._place(content, place, words, has_box=done is not None)]

    def _place(
        self,
        content: Sequence[Element],
        place: _BlockPlace,
        words: str = "",
        *,
        has_box: bool = False,
    ) -> Element:
        properties: list[Element] = []
        if place.number and not has_box:
            properties.append(numbered(place.number, place.level))
        if place.quoted:
            properties += [
                tag("pBdr", border("left", theme.DEEP, 18, 8)),
                shade(theme.PALE),
            ]
        if place.level >= 0:
            properties += [
                tag("spacing", after="60"),
                list_indent(place.level, hanging=bool(place.number)),
            ]
        elif place.quoted:
            properties.append(tag("ind", left="284", right="284"))
        return paragraph(content, *properties, words=words)

    def list(self, block: Block, place: _BlockPlace) -> list[Element]:
        level = min(place.level + 1, LEVELS - 1)
        ordered = block.kind == "ordered_list"
        start = int(block.token.attrs.get("start", 1)) if ordered else 1
        number = self.numbering.begin(ordered=ordered, level=level, start=min(start, 32_767))
        inner = replace(place, level=level, number=number)
        elements = [element for item in block.children for element in self._item(item, inner)]
        if level == 0 and elements:
            # The last paragraph of a list has the space after it that other paragraphs have.
            for spacing in elements[-1].iter(tag("spacing").tag):
                spacing.set(tag("x", after="").keys()[0], "140")
        return elements

    def _item(self, item: Block, place: _BlockPlace) -> list[Element]:
        first, rest = item.children[:1], item.children[1:]
        bare = replace(place, number="")
        if first and first[0].kind == "paragraph":
            return [*self._write(first, place), *self._write(rest, bare)]
        return [self._place([], place), *self._write(item.children, bare)]

    def quote(self, block: Block, place: _BlockPlace) -> list[Element]:
        callout = find_callout(block, self.words) if place.depth < _DEEPEST else None
        if callout:
            return self._box(callout, place)
        return self._write(block.children, replace(place, quoted=True, number=""))

    def _box(self, callout: Callout, place: _BlockPlace) -> list[Element]:
        """Return a table of one cell, which can hold any blocks."""
        edge, ground = _COLOURS.get(callout.kind, _PLAIN)
        width = place.width - max(place.level + 1, 0) * 425
        inner = _BlockPlace(width=width - 4 * MARGIN, depth=place.depth + 1)
        label = self.line.write(callout.label.line, bold=True, colour=edge)
        spacing = tag("spacing", after="60")
        content = [
            paragraph(label, tag("keepNext"), spacing, words=callout.label.words),
            *self._write(callout.content, inner),
        ]
        if content[-1].tag != tag("p").tag:
            content.append(table_gap())
        sides = [border(side, edge, 4) for side in ("top", "bottom", "right")]
        margins = [
            tag(side, w=str(width), type="dxa")
            for side, width in (("top", MARGIN), ("left", 2 * MARGIN), ("right", 2 * MARGIN))
        ]
        cell = tag("tcPr", tag("tcW", w=str(width), type="dxa"), shade(ground))
        whole = [tag("cantSplit")] if len(callout.content) <= _SHORT else []
        made = tag(
            "tbl",
            tag(
                "tblPr",
                tag("tblW", w=str(width), type="dxa"),
                tag("tblInd", w=str(2 * MARGIN + place.width - width), type="dxa"),
                tag("tblBorders", sides[0], border("left", edge, 36), *sides[1:]),
                tag("tblLayout", type="fixed"),
                tag("tblCellMar", *margins),
            ),
            tag("tblGrid", tag("gridCol", w=str(width))),
            tag("tr", *([tag("trPr", *whole)] if whole else []), tag("tc", cell, *content)),
        )
        return [made, table_gap()]

    def figure(self, block: Block, place: _BlockPlace) -> list[Element]:
        """Return a centred picture with its caption below."""
        writer = self.line.within(place.width - max(place.level + 1, 0) * 425)
        picture = writer.picture(block.token, tallest=_TALLEST)
        if picture is None:
            line = [text_run(f"[{block.token.content}]", [tag("i")])]
            return [self._place(line, replace(place, number=""), block.token.content)]
        middle = tag("jc", val="center")
        spacing = tag("spacing", before="120", after="60", line="240", lineRule="auto")
        follows = [tag("keepNext")] if block.line else []
        made = [paragraph([picture], *follows, spacing, middle)]
        if block.line:
            made.append(paragraph(writer.write(block.line), style="Caption", words=block.words))
        return made

    def code(self, block: Block, place: _BlockPlace) -> list[Element]:
        text = block.token.content.rstrip("\n").expandtabs(4)
        run = text_run(text, [fonts(theme.MONOSPACE), tag("sz", val="19")])
        sides = [border(side, theme.LINE, 4, 4) for side in ("top", "left", "bottom", "right")]
        left = tag("ind", left=str(425 * (place.level + 1) + 100), right="100")
        style = [tag("pBdr", *sides), shade(theme.PALE), tag("spacing", line="240"), left]
        return [paragraph([run], *style, tag("jc", val="left"))]

    def maths(self, block: Block, place: _BlockPlace) -> list[Element]:
        formula = centred_formula(self.line.formula(block.token.content))
        return [self._place([formula], replace(place, number=""))]

    def rule(self, _: Block, __: _BlockPlace) -> list[Element]:
        line = tag("pBdr", border("bottom", theme.GREY, 6, 1))
        return [paragraph([], line, tag("spacing", before="120", after="240", line="120"))]

    def table(self, block: Block, place: _BlockPlace) -> list[Element]:
        return write_table(block, self.line, place.width)


_WRITERS: Final[Mapping[str, Callable[[BlockWriter, Block, _BlockPlace], list[Element]]]] = {
    "heading": BlockWriter.heading,
    "paragraph": BlockWriter.paragraph,
    "bullet_list": BlockWriter.list,
    "ordered_list": BlockWriter.list,
    "blockquote": BlockWriter.quote,
    "figure": BlockWriter.figure,
    "fence": BlockWriter.code,
    "code_block": BlockWriter.code,
    "maths_block": BlockWriter.maths,
    "hr": BlockWriter.rule,
    "table": BlockWriter.table,
}

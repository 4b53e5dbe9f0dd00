"""Write blocks of Markdown as paragraphs, tables and boxes of Word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markdown_it.token import Token

from bot.documents import theme
from bot.documents.docx.markup import (
    LEVELS,
    InlineWriter,
    Numbering,
    add_tab_stops,
    begin_page,
    border,
    centred_formula,
    checkbox,
    end_section,
    fonts,
    get_text,
    keep_with_next,
    list_indent,
    numbered,
    paragraph,
    shade,
    tag,
    text_run,
)
from bot.documents.docx.table_of_contents import TableOfContents
from bot.documents.docx.tables import (
    LANDSCAPE_WIDTH,
    MARGIN,
    WIDTH,
    needs_landscape,
    read_ruled_array,
    table_gap,
    write_ruled_array,
    write_table,
)
from bot.documents.markdown_blocks import (
    Block,
    Callout,
    find_callout,
    read_checkbox,
    split_sides,
)
from bot.formulas.omml import Element, W
from bot.formulas.syntax import Untypesettable

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
_CLOSING = re.compile(
    r"(?:ainsi )?fait (?:à|en|le)\b|(?:done|signed) (?:at|in|on)\b", re.IGNORECASE
)
"""The beginning of the line over signatures, which stays on their page."""
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
    is_aside: bool = False
    """Whether it is on the right half of the page."""


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
    aside: Sequence[Block] = ()
    """Blocks on the right half of the page."""

    def write(self, blocks: Iterable[Block]) -> list[Element]:
        """Write the blocks; a table that is too wide has a landscape page, with the headings and
        the line before a colon that stand over it."""
        written: list[Element] = []
        over: list[Element] = []
        is_landscape = False
        blocks = list(blocks)
        answers = _find_answers(blocks)
        for number, block in enumerate(blocks):
            if block.kind == "hr" and number + 1 == answers:
                continue
            if block.kind == "table" and needs_landscape(block):
                written += [*([] if is_landscape else [end_section()]), *over]
                written += write_table(block, self.line, LANDSCAPE_WIDTH)
                written[-1] = end_section(is_landscape=True)
                over, is_landscape = [], True
                continue
            is_aside = any(block is each for each in self.aside)
            before = [*written[-1:], *over][-1:]
            if split_sides(block.line) and before and before[0].tag == tag("p").tag:
                keep_with_next(before[0])
            over += self._write([block], _BlockPlace(is_aside=is_aside))
            if number == answers:
                over[-1:] = begin_page(over[-1:])
            if block.kind == "paragraph" and _CLOSING.match(block.words):
                keep_with_next(over[-1])
            if not (block.level or (block.kind == "paragraph" and block.words.endswith(":"))):
                written += over
                over, is_landscape = [], False
        return written + over

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
        is_formula = len(block.line) == 1 and block.line[0].type == "maths" and not place.number
        if is_formula and (ruled := self._write_ruled(block.line[0].content)):
            return ruled
        words = get_text(block.line)
        if (rows := split_sides(block.line)) and not place.number:
            return [self._write_sides(rows, place, words)]
        content = self.line.write(block.line)
        formulas = [token for token in block.line if token.type == "maths"]
        if len(block.line) == 1 and formulas and formulas[0].markup == "$$":
            content = [centred_formula(content[0])]
        if done is not None:
            content = [checkbox(done), tag("r", tag("tab")), *content]
        return [self._place(content, place, words, has_box=done is not None)]

    def _write_sides(
        self, rows: Sequence[Sequence[Sequence[Token]]], place: _BlockPlace, words: str
    ) -> Element:
        """Return a paragraph whose rows have their texts under each other, at tab stops."""
        content: list[Element] = []
        for number, row in enumerate(rows):
            content += [tag("r", tag("br"))] if number else []
            for at, side in enumerate(row):
                content += [*([tag("r", tag("tab"))] if at else []), *self.line.write(side)]
        sides = max(map(len, rows))
        stops = [str(place.width * at // sides) for at in range(1, sides)]
        line = self._place(content, place, words)
        add_tab_stops(line, stops)
        return line

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
        elif place.is_aside:
            properties.append(tag("ind", left=str(WIDTH // 2)))
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
                spacing.set(f"{{{W}}}after", "140")
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

    def _write_ruled(self, latex: str) -> list[Element]:
        """Return an array with lines as a table; nothing for another formula."""
        table = read_ruled_array(latex)
        try:
            return write_ruled_array(table, latex) if table else []
        except Untypesettable:
            return []

    def maths(self, block: Block, place: _BlockPlace) -> list[Element]:
        if ruled := self._write_ruled(block.token.content):
            return ruled
        formula = centred_formula(self.line.formula(block.token.content))
        return [self._place([formula], replace(place, number=""))]

    def rule(self, block: Block, place: _BlockPlace) -> list[Element]:
        """Return a rule, or a line to write on, which is as high as handwriting: paragraphs with
        the same borders are one box, with a line between each two of them."""
        sides = ("bottom", "between") if block.is_writing_line else ("bottom",)
        line = tag("pBdr", *[border(side, theme.GREY, 6, 1) for side in sides])
        if not block.is_writing_line:
            return [paragraph([], line, tag("spacing", before="120", after="240", line="120"))]
        high = tag("spacing", before="0", after="60", line="480", lineRule="exact")
        indent = [list_indent(place.level)] if place.level >= 0 else []
        return [paragraph([], line, high, *indent)]

    def table(self, block: Block, place: _BlockPlace) -> list[Element]:
        return write_table(block, self.line, place.width)


_EXERCISE = re.compile(
    r"\W*(?:\w{1,4}[.)]\s*)?(?:exercices?|exercises?|questions?|qcm|quiz)\b", re.IGNORECASE
)
_ANSWERS = re.compile(
    r"\W*(?:corrigée?s?|corrections?|solutions?|réponses|answers?(?: key)?)\b", re.IGNORECASE
)


def _find_answers(blocks: Sequence[Block]) -> int | None:
    """Return the number of the heading over the answers to all exercises, which begin a page of
    their own; None if there is none."""
    headings = [(number, block) for number, block in enumerate(blocks) if block.level]
    for at, (number, block) in enumerate(headings):
        asked = [each for _, each in headings[:at] if _EXERCISE.match(each.words)]
        if _ANSWERS.match(block.words) and asked and block.level <= min(a.level for a in asked):
            return number
    return None


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
    "page_break": lambda _, __, ___: [paragraph([tag("r", tag("br", type="page"))])],
    "table": BlockWriter.table,
}

"""Blocks of Markdown as paragraphs and tables of Word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.library.office import look
from bot.library.office.letters.lines import LineWriter, centred_formula, words_of
from bot.library.office.letters.markup import (
    border,
    fonts,
    paragraph,
    shade,
    tag,
    text_run,
)
from bot.library.office.letters.numbering import LEVELS, Numbering, indent, numbered
from bot.library.office.letters.tables import write_table
from bot.library.office.xml import Element
from bot.library.pages.blocks import Block

_TASKS: Final = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a block stands."""

    level: int = -1
    """Of the list that it is in; -1: in none."""
    number: str = ""
    """The list whose mark stands before it; empty: no mark."""
    quoted: bool = False


class BlockWriter:
    """Writes the blocks of a document."""

    def __init__(self, writer: LineWriter, numbering: Numbering) -> None:
        self._line = writer
        self._numbering = numbering

    def write(self, blocks: Iterable[Block]) -> list[Element]:
        return self._write(blocks, _Place())

    def _write(self, blocks: Iterable[Block], place: _Place) -> list[Element]:
        return [element for block in blocks for element in _WRITERS[block.kind](self, block, place)]

    def heading(self, block: Block, _: _Place) -> list[Element]:
        line = self._line.write(block.line)
        return [paragraph(line, style=f"Heading{block.level}", words=block.words)]

    def paragraph(self, block: Block, place: _Place) -> list[Element]:
        _tick(block)
        words = words_of(block.line)
        content = self._line.write(block.line)
        formulas = [token for token in block.line if token.type == "maths"]
        if len(block.line) == 1 and formulas and formulas[0].markup == "$$":
            content = [centred_formula(content[0])]
        return [self._place(content, place, words)]

    def _place(self, content: Sequence[Element], place: _Place, words: str = "") -> Element:
        properties: list[Element] = []
        if place.number:
            properties.append(numbered(place.number, place.level))
        if place.quoted:
            properties += [
                tag("pBdr", border("left", look.GREEN, 18, 8)),
                shade(look.PALE),
            ]
        if place.level >= 0:
            properties += [
                tag("spacing", after="60"),
                indent(place.level, hanging=bool(place.number)),
            ]
        elif place.quoted:
            properties.append(tag("ind", left="284", right="284"))
        return paragraph(content, *properties, words=words)

    def list(self, block: Block, place: _Place) -> list[Element]:
        level = min(place.level + 1, LEVELS - 1)
        ordered = block.kind == "ordered_list"
        start = int(block.token.attrs.get("start", 1)) if ordered else 1
        number = self._numbering.begin(ordered=ordered, level=level, start=min(start, 32_767))
        inner = replace(place, level=level, number=number)
        elements = [element for item in block.children for element in self._item(item, inner)]
        if level == 0 and elements:
            _part_from_next(elements[-1])
        return elements

    def _item(self, item: Block, place: _Place) -> list[Element]:
        first, rest = item.children[:1], item.children[1:]
        bare = replace(place, number="")
        if first and first[0].kind == "paragraph":
            return [*self._write(first, place), *self._write(rest, bare)]
        return [self._place([], place), *self._write(item.children, bare)]

    def quote(self, block: Block, place: _Place) -> list[Element]:
        return self._write(block.children, replace(place, quoted=True, number=""))

    def code(self, block: Block, place: _Place) -> list[Element]:
        text = block.token.content.rstrip("\n").expandtabs(4)
        run = text_run(text, [fonts(look.MONOSPACE), tag("sz", val="19")])
        sides = [border(side, look.LINE, 4, 4) for side in ("top", "left", "bottom", "right")]
        left = tag("ind", left=str(425 * (place.level + 1) + 100), right="100")
        style = [tag("pBdr", *sides), shade("F8F9FA"), tag("spacing", line="240"), left]
        return [paragraph([run], *style, tag("jc", val="left"))]

    def maths(self, block: Block, place: _Place) -> list[Element]:
        formula = centred_formula(self._line.formula(block.token.content))
        return [self._place([formula], replace(place, number=""))]

    def rule(self, _: Block, __: _Place) -> list[Element]:
        line = tag("pBdr", border("bottom", look.GREY, 6, 1))
        return [paragraph([], line, tag("spacing", before="120", after="240", line="120"))]

    def table(self, block: Block, _: _Place) -> list[Element]:
        return write_table(block, self._line)


def _part_from_next(last: Element) -> None:
    """Give the last paragraph of a list the space that other paragraphs have."""
    for spacing in last.iter(tag("spacing").tag):
        spacing.set(tag("x", after="").keys()[0], "140")


def _tick(block: Block) -> None:
    """A box for `[ ]` at the beginning."""
    if block.line and block.line[0].type == "text":
        first = block.line[0]
        box = _TASKS.get(first.content[:4])
        first.content = box + first.content[4:] if box else first.content


_WRITERS: Final[Mapping[str, Callable[[BlockWriter, Block, _Place], list[Element]]]] = {
    "heading": BlockWriter.heading,
    "paragraph": BlockWriter.paragraph,
    "bullet_list": BlockWriter.list,
    "ordered_list": BlockWriter.list,
    "blockquote": BlockWriter.quote,
    "fence": BlockWriter.code,
    "code_block": BlockWriter.code,
    "maths_block": BlockWriter.maths,
    "hr": BlockWriter.rule,
    "table": BlockWriter.table,
}

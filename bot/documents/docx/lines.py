"""Lines and tables of a Word document, from markdown-it tokens and blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markdown_it.token import Token

from bot.documents import omml, theme
from bot.documents.document_request import DocumentImage
from bot.documents.docx.markup import (
    R,
    border,
    fonts,
    paragraph,
    picture_run,
    shade,
    tag,
    text_run,
)
from bot.documents.equations import to_omml
from bot.documents.latex_syntax import Untypesettable
from bot.documents.markdown_blocks import Block, side_of
from bot.documents.omml import Element
from bot.documents.theme import longest_word, measure_text

_LINKABLE: Final = ("http://", "https://", "mailto:")
_MAX_URL: Final = 2_000
_STYLES: Final = {"strong": "b", "em": "i", "s": "strike"}
_ORDER: Final = ("b", "i", "strike")


@dataclass
class LineWriter:
    """Writes lines, and collects the formulas that could not be set."""

    link: Callable[[str], str]
    """Makes a relationship to an address, and gives its id."""
    embed: Callable[[bytes], str]
    """Makes a relationship to a picture, and gives its id."""
    images: Mapping[str, DocumentImage] = field(default_factory=dict[str, DocumentImage])
    """The pictures that can be shown, by their sources."""
    unset: list[str] = field(default_factory=list[str])
    notes: list[Sequence[Token]] = field(default_factory=list[Sequence[Token]])
    """What the footnotes say, in the order of their numbers."""
    width: int = 9_638
    """Of a line, in twentieths of a point."""
    drawn: list[str] = field(default_factory=list[str])
    """The sources of the pictures so far."""

    def within(self, width: int) -> LineWriter:
        """The same in a narrower place."""
        return replace(self, width=width)

    def write(
        self, tokens: Iterable[Token], *, bold: bool = False, colour: str = ""
    ) -> list[Element]:
        """The elements of a paragraph.

        Args:
            bold: also where it is not marked.
            colour: of all its text.
        """
        return _OpenLine(self, bold, colour).write(tokens)

    def formula(self, latex: str) -> Element:
        """An equation; as it was typed if it cannot be set."""
        try:
            return to_omml(latex)
        except Untypesettable:
            self.unset.append(latex)
            return _write_typed(latex)

    def picture(self, token: Token, *, tallest: float) -> Element | None:
        """A picture in a run; None if it cannot be shown.

        Args:
            tallest: in points.
        """
        source = str(token.attrs.get("src", ""))
        image = self.images.get(source)
        if image is None:
            return None
        self.drawn.append(source)
        size = image.fit(self.width / 20, tallest, dots_per_inch=120)
        return picture_run(self.embed(image.content), size, len(self.drawn), token.content)

    def call_note(self, token: Token) -> Element:
        """The number of a footnote in the text."""
        number = int(token.meta["number"])
        while len(self.notes) < number:
            self.notes.append(())
        self.notes[number - 1] = token.children or ()
        mark = tag("rPr", tag("rStyle", val="FootnoteReference"))
        return tag("r", mark, tag("footnoteReference", id=str(number)))


class _OpenLine:
    def __init__(self, writer: LineWriter, bold: bool, colour: str) -> None:
        self._writer = writer
        self._colour = colour
        self._open: list[str] = ["b"] if bold else []
        self._rows: list[list[Element]] = [[]]
        """What is written; within a link, what is written of its label."""
        self._url = ""

    def write(self, tokens: Iterable[Token]) -> list[Element]:
        for token in tokens:
            name = token.type.rsplit("_", 1)[0]
            if name in _STYLES:
                (self._open.append if token.nesting > 0 else self._open.remove)(_STYLES[name])
            elif name == "link":
                if token.nesting > 0:
                    url = str(token.attrs.get("href", ""))
                    self._url = url if url.startswith(_LINKABLE) and len(url) <= _MAX_URL else ""
                    if self._url:
                        self._rows.append([])
                elif self._url:
                    self._close_link()
            elif leaf := _INLINE_WRITERS.get(token.type):
                self._rows[-1].append(leaf(self._writer, token))
            else:
                breaks = {"softbreak": " ", "hardbreak": "\n"}
                self._add(breaks.get(token.type, token.content))
        return self._rows[0]

    def _add(self, text: str) -> None:
        if text:
            linked = [tag("rStyle", val="Hyperlink")] if len(self._rows) > 1 else []
            shown = [tag(name) for name in _ORDER if name in self._open]
            coloured = [tag("color", val=self._colour)] if self._colour else []
            self._rows[-1].append(text_run(text, [*linked, *shown, *coloured]))

    def _close_link(self) -> None:
        if not self._rows[-1]:
            self._add(self._url)
        label = self._rows.pop()
        link = tag("hyperlink", *label)
        link.set(f"{{{R}}}id", self._writer.link(self._url))
        self._rows[-1].append(link)
        self._url = ""


def _write_typed(text: str) -> Element:
    """What is shown to the letter."""
    return text_run(text, [fonts(theme.MONOSPACE), tag("sz", val="20"), shade(theme.PALE)])


def _write_picture(writer: LineWriter, token: Token) -> Element:
    picture = writer.picture(token, tallest=_TALLEST)
    return text_run(f"[{token.content}]", [tag("i")]) if picture is None else picture


_TALLEST: Final = 160
"""Points of a picture within text."""
_INLINE_WRITERS: Final[Mapping[str, Callable[[LineWriter, Token], Element]]] = {
    "maths": lambda writer, token: writer.formula(token.content),
    "code_inline": lambda _, token: _write_typed(token.content),
    "image": _write_picture,
    "footnote": LineWriter.call_note,
}


def centred_formula(element: Element) -> Element:
    """A formula on a line of its own."""
    if element.tag == f"{{{omml.M}}}oMath":
        return omml.tag("oMathPara", element)
    return element


def words_of(tokens: Sequence[Token]) -> str:
    """The text of a line."""
    return "".join(token.content for token in tokens)


MARGIN: Final = 100
"""Of a cell at the left and at the right, in twentieths of a point."""
WIDTH: Final = 9_638 - MARGIN
"""Of the text on the page: 17 cm, in twentieths of a point."""
_SIZES: Final = (11, 10, 9, 8)
"""Points: the first in which no word is broken is taken."""
_WIDEST: Final = 26.0
"""Ems of a cell from which on it is broken into lines."""
_LONGEST: Final = 16.0
"""Ems of a word that is kept whole: an address may be broken."""
_SLACK: Final = 30
"""Twentieths of a point: other programs measure a little otherwise."""
_LOOKED_AT: Final = 200
_MANY: Final = 6
"""Columns from which on the letters are smaller."""


def write_table(table: Block, writer: LineWriter, width: int = WIDTH) -> list[Element]:
    """The table, and the paragraph that parts it from what follows.

    Args:
        width: of its place, in twentieths of a point.
    """
    rows = [row for part in table.children for row in part.children]
    columns = max((len(row.children) for row in rows), default=0)
    if not columns:
        return []
    widths, size = _fit_columns(rows, columns, width)
    sides = [_choose_side(rows, index) for index in range(columns)]
    lines = [border(side) for side in ("top", "left", "bottom", "right", "insideH", "insideV")]
    margins = [tag(side, w=str(MARGIN), type="dxa") for side in ("left", "right")]
    made = tag(
        "tbl",
        tag(
            "tblPr",
            tag("tblW", w=str(width), type="dxa"),
            tag("tblInd", w=str(MARGIN), type="dxa"),
            tag("tblBorders", *lines),
            tag("tblLayout", type="fixed"),
            tag("tblCellMar", *margins),
        ),
        tag("tblGrid", *(tag("gridCol", w=str(w)) for w in widths)),
    )
    for number, row in enumerate(rows):
        made.append(_write_row(row, widths, sides, writer, number, size))
    return [made, table_gap()]


def table_gap() -> Element:
    """What stands between a table and the next, which Word would join otherwise."""
    return paragraph([], tag("spacing", before="0", after="60", line="160"))


def _write_row(
    row: Block,
    widths: Sequence[int],
    sides: Sequence[str],
    writer: LineWriter,
    number: int,
    size: int,
) -> Element:
    header = number == 0
    given = [tag("cantSplit")] + ([tag("tblHeader")] if header else [])
    made = tag("tr", tag("trPr", *given))
    cells = [*row.children, *[None] * (len(widths) - len(row.children))]
    for width, side, cell in zip(widths, sides, cells, strict=True):
        ground = theme.DEEP if header else theme.PALE if number % 2 == 0 else ""
        shown = [tag("tcW", w=str(width), type="dxa")] + ([shade(ground)] if ground else [])
        content = _write_cell(cell, writer.within(width - 2 * MARGIN), side, header=header)
        if size != _SIZES[0]:
            _shrink(content, size)
        made.append(tag("tc", tag("tcPr", *shown, tag("vAlign", val="center")), content))
    return made


def _write_cell(cell: Block | None, writer: LineWriter, side: str, *, header: bool) -> Element:
    spacing = tag("spacing", before="40", after="40", line="240", lineRule="auto")
    if cell is None:
        return paragraph([], spacing)
    content = writer.write(cell.line, bold=header, colour="FFFFFF" if header else "")
    kept = [tag("keepNext")] if header else []
    return paragraph(content, *kept, spacing, tag("jc", val=side), words=words_of(cell.line))


def _choose_side(rows: Sequence[Block], index: int) -> str:
    """Where a column is flush: figures at the right."""
    cells = [row.children[index] for row in rows if index < len(row.children)]
    return side_of(index, cells) if len(cells) > 1 else "left"


def _shrink(content: Element, size: int) -> None:
    """Set the runs in smaller letters."""
    for run in content.iter(tag("r").tag):
        given = run.find(tag("rPr").tag)
        if given is None:
            given = tag("rPr")
            run.insert(0, given)
        if given.find(tag("sz").tag) is None:
            last = given.find(tag("rtl").tag)  # which the format wants after it
            place = len(given) if last is None else given.index(last)
            given.insert(place, tag("sz", val=str(2 * size)))


def _fit_columns(rows: Sequence[Block], columns: int, width: int) -> tuple[list[int], int]:
    """How wide each column is, and the size of the letters."""
    least = [0.0] * columns
    wanted = [0.0] * columns
    for number, row in enumerate(rows[:_LOOKED_AT]):
        bold = number == 0
        for index, cell in enumerate(row.children):
            words = "".join(
                "x" * (len(token.content) // 2 + 2)
                if token.type == "maths"
                else " "
                if token.type in ("softbreak", "hardbreak")
                else token.content
                for token in cell.line
            )
            least[index] = max(least[index], min(longest_word(words, bold=bold), _LONGEST))
            wanted[index] = max(wanted[index], min(measure_text(words, bold=bold), _WIDEST))
    sizes = _SIZES if columns <= _MANY else _SIZES[2:]
    for size in sizes:
        narrow = [_to_twentieths(ems, size) for ems in least]
        if sum(narrow) <= width:
            wide = [_to_twentieths(max(pair), size) for pair in zip(least, wanted, strict=True)]
            return _share(narrow, wide, width), size
    return _scale([_to_twentieths(ems, sizes[-1]) for ems in least], width), sizes[-1]


def _to_twentieths(ems: float, size: int) -> int:
    return int(ems * size * 20) + 2 * MARGIN + _SLACK


def _share(narrow: Sequence[int], wide: Sequence[int], width: int) -> list[int]:
    """At least as wide as `narrow`; what is left goes to where text is broken into lines, and
    what is left then to all."""
    if sum(wide) <= width:
        return _scale(wide, width)
    left = width - sum(narrow)
    missing = [more - less for less, more in zip(narrow, wide, strict=True)]
    shares = [left * part // sum(missing) for part in missing]
    return _complete([less + part for less, part in zip(narrow, shares, strict=True)], width)


def _scale(widths: Sequence[int], width: int) -> list[int]:
    return _complete([width * each // sum(widths) for each in widths], width)


def _complete(widths: list[int], width: int) -> list[int]:
    """`widths`, the last of which takes what rounding left over."""
    return [*widths[:-1], widths[-1] + width - sum(widths)]

"""Write blocks, lines and tables of a document as Typst markup, with the functions of `base.typ`.

All text from outside is put in strings; the rest is our own code. In a string only `\\` and `"`
need a backslash: https://typst.app/docs/reference/foundations/str/.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from markdown_it.token import Token

from bot.documents.characters import is_right_to_left
from bot.documents.document_request import LINKABLE, NOT_DRAWN, NOT_SHOWN
from bot.documents.footnotes import IS_FIRST, NUMBER
from bot.documents.formula_notes import FormulaReport
from bot.documents.markdown_blocks import (
    DIAGRAMS,
    Block,
    choose_alignment,
    draw_checkboxes,
    get_code_language,
    get_image_source,
    read_rows,
    split_sides,
    to_text,
)
from bot.errors import ToolFailed
from bot.formulas.syntax import Untypesettable
from bot.formulas.typst import join_math, to_parts, write_tuple

_LANGUAGE = re.compile(r"[A-Za-z0-9+#-]{1,20}")
_DEEPEST_HEADING = 4


def write_body(blocks: Iterable[Block], writer: MarkupWriter) -> str:
    """Write the blocks one after another, separated as paragraphs are."""
    return "\n\n".join(
        filter(None, (_BLOCK_WRITERS[block.kind](block, writer) for block in blocks))
    )


def _write_heading(block: Block, writer: MarkupWriter) -> str:
    if not block.words:
        return ""
    level = min(block.level, _DEEPEST_HEADING)
    heading = markup_call("heading", writer.write(block.line), named=f"level: {level}")
    return _direct(heading, block.words)


def _direct(markup: str, words: str) -> str:
    """Return the markup, set from right to left if `words` are written so."""
    return markup_call("leftward", markup) if is_right_to_left(words) else markup


def _write_paragraph(block: Block, writer: MarkupWriter) -> str:
    if rows := split_sides(block.line):
        sides = max(map(len, rows))
        cells = [side for row in rows for side in (*row, *[[]] * (sides - len(row)))]
        named = f"columns: (1fr,) * {sides}, row-gutter: 0.66em"
        return markup_call("grid", *map(writer.write, cells), named=named)
    line = writer.write(block.line)
    lead = markup_call("lead", line) if block.words.endswith(":") else line
    return _direct(lead, block.words)


def _write_list(block: Block, writer: MarkupWriter) -> str:
    ordered = block.kind == "ordered_list"
    items, tasks = draw_checkboxes(block.children, "\u2002")
    named = ""
    if ordered:
        named = f"start: {block.token.attrs.get('start', 1)}"
    elif tasks and tasks == len(items):
        named = "marker: []"
    bodies = [write_body(item, writer) for item in items]
    tight = all(len(item) < 2 or item[1].kind.endswith("_list") for item in items)
    arguments = ", ".join(
        [f"tight: {'true' if tight else 'false'}", *filter(None, [named])]
        + [f"[{body}]" for body in bodies]
    )
    first = next((block.words for item in items for block in item), "")
    return _direct(f"#{'enum' if ordered else 'list'}({arguments})", first)


def _write_code_block(block: Block, writer: MarkupWriter) -> str:
    code = break_long_words(block.token.content.rstrip("\n"))
    language = get_code_language(block)
    if language in DIAGRAMS:
        return markup_call(
            "diagram", named=f"{quote_string(writer.say(NOT_DRAWN))}, {quote_string(code)}"
        )
    coloured = writer.colours_code and _LANGUAGE.fullmatch(language)
    named = f", lang: {quote_string(language)}" if coloured else ""
    return f"#raw({quote_string(code)}, block: true{named})" if code.strip() else ""


_DEEPEST = 12
"""Most levels of nested emphasis; more make no visible difference, and Typst fails at 256."""
_MAX_URL = 2_000
_SMALL: Final = 2.4
"""Height in ems of a picture within a line."""
_SMALL_WIDTH: Final = 8
_WIDE = 90
"""Characters of Typst code above which a formula may be wider than the page."""


@dataclass(frozen=True, slots=True)
class PlacedPicture:
    """A picture in a file that Typst can read."""

    path: str
    """Relative to the compiler's root."""
    width: float
    """Width in points, like the height: the size of the picture on its own."""
    height: float


@dataclass(frozen=True, slots=True)
class MarkupWriter:
    """Writes lines and pictures as markup, with the settings of one document."""

    rejected: frozenset[str] = frozenset()
    """Formulas that Typst has refused: they are shown as they were typed."""
    keeps_lines: bool = False
    """Whether line ends are kept, as in an address; else they become spaces."""
    colours_code: bool = True
    """Whether code is coloured, which takes 100 MB that long documents need for themselves."""
    pictures: Mapping[str, PlacedPicture] = field(default_factory=dict[str, PlacedPicture])
    """The pictures by source."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Translations of the words that the page adds, by the English ones."""

    report: FormulaReport = field(default_factory=FormulaReport)
    """The formulas that are shown as they were typed."""

    def say(self, word: str) -> str:
        return self.words.get(word, word)

    def picture(self, token: Token, caption: str = "") -> str:
        """Write a picture on its own, with a caption in markup; a note instead if the picture is
        missing."""
        found = self.pictures.get(get_image_source(token))
        if found is None:
            return markup_call("absent-picture", caption, named=quote_string(self.say(NOT_SHOWN)))
        sizes = f"{found.width}pt, {found.height}pt"
        return markup_call(
            "picture",
            caption,
            named=f"{quote_string(found.path)}, {quote_string(token.content)}, {sizes}",
        )

    def formula(self, latex: str, *, displayed: bool) -> str:
        """Write a formula in markup, or as it was typed if it cannot be set."""
        try:
            parts = to_parts(latex, self.report.unknown)
        except Untypesettable:
            parts = []
        source = join_math(parts).strip()
        if not source or latex in self.rejected:
            self.report.unset.append(latex)
            return markup_call("typed", named=quote_string(break_long_words(latex)))
        if not displayed:
            return f"${source}$"
        if len(source) <= _WIDE:
            return markup_call("formula", f"$ {source} $")
        pieces = write_tuple(f"$display({part.strip()})$" for part in parts if "(" in part)
        return markup_call("wide-formula", named=f"$ {source} $, {pieces}")

    def write(self, tokens: Iterable[Token]) -> str:
        """Write inline tokens as a line of markup."""
        written: list[str] = []
        ends: list[str] = []  # closings of the open styles
        label, url = 0, ""  # position of the current link's label, and its address
        for token in tokens:
            if token.nesting > 0:
                opening = _open_style(token) if len(ends) < _DEEPEST else ""
                written.append(opening)
                ends.append("]" if opening else "")
                if token.type == "link_open":
                    label, url = len(written), str(token.attrs.get("href", ""))
            elif token.nesting < 0:
                if token.type == "link_close" and not any(written[label:]):
                    written.append(markup_text(break_long_words(url)))
                written.append(ends.pop())
            else:
                written.append(_INLINE_WRITERS[token.type](self, token))
        return "".join(written)


def _open_style(token: Token) -> str:
    """Return the start of emphasis or of a link; "" for a link that is not allowed."""
    if token.type in _STYLES:
        return f"#{_STYLES[token.type]}["
    url = str(token.attrs.get("href", ""))
    is_linked = url.startswith(LINKABLE) and len(url) <= _MAX_URL
    return f"#link({quote_string(url)})[" if is_linked else ""


def _write_break(writer: MarkupWriter, token: Token) -> str:
    return "#linebreak()" if token.type == "hardbreak" or writer.keeps_lines else '#" "'


def _write_image(writer: MarkupWriter, token: Token) -> str:
    """Write a picture within a line, a heading or a cell."""
    found = writer.pictures.get(get_image_source(token))
    if found is None:
        return markup_call("emph", markup_text(token.content)) if token.content else ""
    width = min(_SMALL * found.width / found.height, _SMALL_WIDTH)
    named = f"{quote_string(found.path)}, {quote_string(token.content)}, {width:.2f}em"
    return markup_call("small-picture", named=named)


def _write_footnote(writer: MarkupWriter, token: Token) -> str:
    name = quote_string(f"note-{token.meta[NUMBER]}")
    if not token.meta[IS_FIRST]:
        return markup_call("note-again", named=name)
    return markup_call("note", writer.write(token.children or ()), named=name)


_LINE: Final = 84
"""Characters in a table's font size that fit between the margins."""
_WIDEST: Final = 42
"""Characters of a cell above which it is broken into lines."""
_NARROW: Final = 16
"""Characters up to which a column is as wide as its longest cell."""
_LONGEST: Final = 24
"""Characters of a word that are kept together."""
_MEASURED: Final = 300
"""Rows up to which Typst may measure the cells itself."""
_MOST_IN_ONE: Final = 6_000
"""Most cells of a table that Typst sets as one: it takes 20 KB for each."""
_MOST_CELLS: Final = 45_000
"""Most cells of a table that fit into the memory of the process at all."""
_LARGEST: Final = 9.5
"""Largest font size of a table, in points."""
_SMALLEST: Final = 6.0
"""Smallest font size of a table of a few rows; one that would need a smaller one is parted."""
_MANY: Final = 8
"""Columns from which on a table may be put on a landscape page."""
_LEAST_ROWS: Final = 6
"""Rows of such a table, which is worth a page of its own."""
LANDSCAPE: Final = 1.54
"""Width of the text on a landscape page, in that of an upright one."""
_SHORT: Final = 12
"""Most rows, without the header, of a table that is kept on one page."""
_TALLEST: Final = 62.0
"""Most ems of height of such a table; a page has more."""
_SPACE: Final = re.compile(r"[ \t\n]+")
"""Where a line may be broken: not at the spaces within numbers."""
_FULL: Final = 92
"""Unbreakable characters, with the space between columns, that fit into a row at that size."""


@dataclass(frozen=True, slots=True)
class _Column:
    width: int
    """Characters of its longest cell, at most `_WIDEST`."""
    word: int
    """Characters of its longest word, at most `_LONGEST`."""
    side: str

    @property
    def slack(self) -> int:
        """Characters that it could use beside its longest word."""
        return max(self.width - self.word, 0) + 1


def needs_landscape(table: Block) -> bool:
    """Return whether a table of many columns would be broken into many lines, or into small
    letters, on an upright page."""
    rows = list(read_rows(table))
    if len(rows[0]) < _MANY or len(rows) * len(rows[0]) > _MOST_IN_ONE:
        return False
    columns = _measure_columns(rows)
    if len(rows) < _LEAST_ROWS:
        return len(_part_columns(columns, _FULL)) > 1
    unparted = sum(column.word + 3 for column in columns)
    return unparted > _FULL or sum(column.width + 3 for column in columns) > 1.5 * _LINE


def write_table(table: Block, writer: MarkupWriter, *, stretch: float = 1.0) -> str:
    """Write a table of markdown-it as markup; its header is repeated on each page. One of too many
    columns becomes several, which all begin with its first column.

    Args:
        stretch: width of its page, in upright pages.

    Raises:
        ToolFailed: it has too many cells for pages.
    """
    rows = list(read_rows(table))
    count = len(rows) * len(rows[0])
    if count > _MOST_CELLS:
        raise ToolFailed(
            f"A table of {count:,} cells is too large for pages ({_MOST_CELLS:,} at most). Make a "
            "spreadsheet of it (generate_xlsx), and show only what matters here."
        )
    columns = _measure_columns(rows)
    if count > _MOST_IN_ONE:
        return _write_sheet("long-sheet", rows, columns, _write_shares(columns), writer, stretch)
    written: list[str] = []
    for part in _part_columns(columns, int(stretch * _FULL)):
        shown = [[row[index] for index in part] for row in rows]
        if written:  # a footnote has one mark
            for row in shown:
                row[0] = row[0].with_line([t for t in row[0].line if t.type != "footnote"])
        kept = [columns[index] for index in part]
        widths = _write_widths(kept, len(rows), int(stretch * _LINE), int(stretch * _FULL))
        written.append(_write_sheet("sheet", shown, kept, widths, writer, stretch))
    return "\n\n".join(written)


def _write_sheet(
    name: str,
    rows: Sequence[Sequence[Block]],
    columns: Sequence[_Column],
    widths: Iterable[str],
    writer: MarkupWriter,
    stretch: float,
) -> str:
    cells = "".join(f"[{writer.write(cell.line)}]," for row in rows for cell in row)
    heights = [_measure_row(row, columns, int(stretch * _LINE)) for row in rows[: _SHORT + 1]]
    is_short = len(rows) <= _SHORT + 1 and sum(heights) <= _TALLEST / stretch
    return (
        f"#{name}({write_tuple(widths)}, {write_tuple(column.side for column in columns)},"
        f" {_choose_size(columns, int(stretch * _FULL))}, {'true' if is_short else 'false'},"
        f" {min(sum(heights[:3]), _TALLEST / 2):.1f}em, {cells})"
    )


def _part_columns(columns: Sequence[_Column], full: int) -> list[list[int]]:
    """Return the indices of the columns of each table, as few tables as their least size allows."""
    first, *others = (column.word + 3 for column in columns)
    count = math.ceil(sum(others) / (full * _LARGEST / _SMALLEST - first)) or 1
    size = math.ceil(len(others) / count) or 1
    starts = range(1, len(columns), size) if others else [1]
    return [[0, *range(start, min(start + size, len(columns)))] for start in starts]


def _measure_row(row: Sequence[Block], columns: Sequence[_Column], line: int) -> float:
    """Estimate the height of a row in ems, rather too much."""
    whole = sum(column.width + 3 for column in columns)
    share = min(1.0, line / whole)
    lines = [
        math.ceil(1.2 * _count_letters(to_text(cell.line)) / max(column.width * share, 4))
        + 2 * sum(token.type in ("maths", "image") for token in cell.line)
        + sum(token.type == "hardbreak" for token in cell.line)
        for cell, column in zip(row, columns, strict=True)
    ]
    return max(max(lines), 1) * 1.25 + 1.2


def _measure_columns(rows: Sequence[Sequence[Block]]) -> list[_Column]:
    return [_measure(index, [row[index] for row in rows]) for index in range(len(rows[0]))]


def _measure(index: int, cells: Sequence[Block]) -> _Column:
    texts = [to_text(cell.line) for cell in cells]
    word = max(_count_letters(word) for text in texts for word in _SPACE.split(text))
    width = max(map(_count_letters, texts))
    return _Column(
        width=min(max(width, 3), _WIDEST),
        word=min(max(word, 3), _LONGEST),
        side=choose_alignment(index, cells),
    )


def _count_letters(text: str) -> int:
    """Count the characters of `text`, capitals and other wide ones as one and a third."""
    wide = sum(char.isupper() or char in "mw%@—…" for char in text)
    return len(text) + wide // 3


def _write_widths(columns: Sequence[_Column], rows: int, line: int, full: int) -> Iterator[str]:
    """Yield the widths of the columns: `auto` if each row fits on one line and there are few rows;
    else narrow columns in full, and the others as fractions of the rest. `auto` also if such a
    column has nothing to break."""
    fits = sum(column.width + 3 for column in columns) <= line
    narrow = [column for column in columns if column.width <= _NARROW]
    if sum(column.width + 3 for column in narrow) > line // 2:
        narrow = []
    shared = [column for column in columns if column not in narrow]
    capacity = max(full, sum(column.word + 3 for column in columns))
    capacity -= sum(column.width + 3 for column in narrow)
    spare = max(capacity - sum(column.word + 3 for column in shared), 0)
    slack = sum(column.slack for column in shared)
    for column in columns:
        if rows <= _MEASURED and (fits or (not narrow and column.width == column.word)):
            yield "auto"
        elif column in narrow:
            yield f"{column.width * 0.56 + 1.7:.2f}em"
        else:
            yield f"{column.word + 3 + spare * column.slack / slack:.0f}fr"


def _write_shares(columns: Sequence[_Column]) -> Iterator[str]:
    """Yield the widths of the columns as percentages of the line."""
    whole = sum(column.width + 2 for column in columns)
    for column in columns:
        yield f"{(column.width + 2) / whole * 100:.2f}%"


def _choose_size(columns: Sequence[_Column], full: int) -> str:
    """Return the font size, which is smaller if there are many columns."""
    unparted = sum(column.word + 3 for column in columns)
    return f"{min(_LARGEST, _LARGEST * full / unparted):.2f}pt"


_LONG_WORD = re.compile(r"[^\s\u200b]{25,}")
_SEAM = re.compile(r"(?<=[/\\?&=_.,;:@-])(?=[^\s/])")
_PIECE: Final = 24
_GAP: Final = "\u200b"
"""A place where a word may be broken without a hyphen."""


def quote_string(text: str) -> str:
    """Return `text` as a string of Typst's code."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def markup_text(text: str) -> str:
    """Return markup that shows `text` literally."""
    return f"#{quote_string(text)}" if text else ""


def markup_call(name: str, *contents: str, named: str = "") -> str:
    """Return `#name(named)[…][…]` in markup."""
    return f"#{name}({named})" + "".join(f"[{content}]" for content in contents)


def break_long_words(text: str) -> str:
    """Return `text` with places where a word that is too long for a line may be broken."""
    return _LONG_WORD.sub(_open_seams, text)


def _open_seams(found: re.Match[str]) -> str:
    pieces = _SEAM.split(found[0])
    return _GAP.join(
        piece[at : at + _PIECE] for piece in pieces for at in range(0, len(piece), _PIECE)
    )


_BLOCK_WRITERS: Final[Mapping[str, Callable[[Block, MarkupWriter], str]]] = {
    "heading": _write_heading,
    "paragraph": _write_paragraph,
    "bullet_list": _write_list,
    "ordered_list": _write_list,
    "blockquote": lambda block, writer: markup_call("quoted", write_body(block.children, writer)),
    "fence": _write_code_block,
    "code_block": _write_code_block,
    "maths_block": lambda block, writer: writer.formula(block.token.content, displayed=True),
    "table": write_table,
    "hr": lambda block, _: "#writing-line()" if block.is_writing_line else "#divider()",
    "page_break": lambda _, __: "#pagebreak(weak: true)",
    "figure": lambda block, writer: writer.picture(block.token, writer.write(block.line)),
}

_STYLES: Final = {
    "strong_open": "strong",
    "em_open": "emph",
    "s_open": "strike",
    "sub_open": "sub",
    "sup_open": "super",
}

_INLINE_WRITERS: Final[Mapping[str, Callable[[MarkupWriter, Token], str]]] = {
    "text": lambda _, token: markup_text(break_long_words(token.content)),
    "code_inline": lambda _, token: markup_call(
        "raw", named=quote_string(break_long_words(token.content))
    ),
    "maths": lambda writer, token: writer.formula(token.content, displayed=token.markup == "$$"),
    "softbreak": _write_break,
    "hardbreak": _write_break,
    "image": _write_image,
    "footnote": _write_footnote,
}

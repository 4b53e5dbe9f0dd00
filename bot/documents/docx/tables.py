"""Write tables of a Word document: widths of columns, sizes of letters, rows and cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.documents import theme
from bot.documents.docx.markup import (
    InlineWriter,
    border,
    get_text,
    keep_with_next,
    paragraph,
    shade,
    tag,
)
from bot.documents.markdown_blocks import LINE_BREAKS, Block, choose_alignment, read_rows
from bot.documents.theme import measure_longest_word, measure_text
from bot.formulas import tree
from bot.formulas.line_text import to_line
from bot.formulas.omml import Element
from bot.formulas.syntax import Untypesettable, read_formula
from bot.formulas.typst import find_upright_rules
from bot.formulas.word import row_to_omml

MARGIN: Final = 100
"""Left and right margin of a cell, in twentieths of a point."""
_SMALL_MARGIN: Final = 70
"""The same for letters smaller than ten points."""
WIDTH: Final = 9_638 - MARGIN
"""Width of the text on the page: 17 cm, in twentieths of a point."""
LANDSCAPE_WIDTH: Final = 14_570 - MARGIN
"""The same on a landscape page."""
_SIZES: Final = (11.0, 10.0, 9.5, 9.0, 8.0)
"""Font sizes in points; the first in which no word is broken is used. The smallest is used where
words fit in Calibri alone."""
_WIDEST: Final = 26.0
"""Ems above which a cell is broken into lines."""
_LONGEST: Final = 16.0
"""Ems of a word that is kept whole; a longer one, such as an address, may be broken."""
_SHORT: Final = 12
"""Most rows, without the header, of a table that is kept on one page."""
_SLACK: Final = 30
"""Twentieths of a point to spare, since programs measure text a little differently."""
_LOOKED_AT: Final = 200
_MANY: Final = 6
"""Number of columns above which the letters are smaller."""


def write_table(table: Block, writer: InlineWriter, width: int = WIDTH) -> list[Element]:
    """Return the table, and the paragraph that separates it from the next block.

    Args:
        width: width of its place, in twentieths of a point.
    """
    rows = list(read_rows(table))
    widths, size = fit_columns(rows, width)
    columns = zip(*rows, strict=True)
    sides = [_choose_side(index, cells) for index, cells in enumerate(columns)]
    lines = [border(side) for side in ("top", "left", "bottom", "right", "insideH", "insideV")]
    margin = str(_choose_margin(size))
    margins = [tag(side, w=margin, type="dxa") for side in ("left", "right")]
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
    # A short table stays on one page; of a long one, the header stays with two rows.
    together = len(rows) - 1 if len(rows) <= _SHORT + 1 else 2
    for number, row in enumerate(rows):
        made.append(_write_row(row, widths, sides, writer, number, size))
        if number < together:
            for line in made[-1].iter(tag("p").tag):
                keep_with_next(line)
    return [made, table_gap()]


def needs_landscape(table: Block) -> bool:
    """Return whether words and numbers of a table would be broken on an upright page."""
    least, _, _ = _measure_columns(list(read_rows(table)))
    return sum(_to_twentieths(ems, _SIZES[-1]) for ems in least) > WIDTH


def table_gap() -> Element:
    """Return an empty paragraph; without it Word would join a table with the next one."""
    return paragraph([], tag("spacing", before="0", after="60", line="160"))


def _write_row(
    row: Sequence[Block],
    widths: Sequence[int],
    sides: Sequence[str],
    writer: InlineWriter,
    number: int,
    size: float,
) -> Element:
    header = number == 0
    # Only Word shows formulas in another colour than that of the text.
    has_formulas = any(token.type == "maths" for cell in row for token in cell.line)
    is_dark = header and not has_formulas
    colour = ("FFFFFF" if is_dark else theme.DEEP) if header else ""
    given = [tag("cantSplit")] + ([tag("tblHeader")] if header else [])
    made = tag("tr", tag("trPr", *given))
    for width, side, cell in zip(widths, sides, row, strict=True):
        ground = theme.PALE if number % 2 == 0 else ""
        if header:
            ground = theme.DEEP if is_dark else theme.TAN
        shown = [tag("tcW", w=str(width), type="dxa")] + ([shade(ground)] if ground else [])
        content = _write_cell(cell, writer.within(width - 2 * MARGIN), side, colour)
        if size != _SIZES[0]:
            _shrink(content, size)
        made.append(tag("tc", tag("tcPr", *shown, tag("vAlign", val="center")), content))
    return made


def _write_cell(cell: Block, writer: InlineWriter, side: str, colour: str) -> Element:
    """Return the paragraph of a cell; one with a colour is of the header."""
    spacing = tag("spacing", before="40", after="40", line="240", lineRule="auto")
    content = writer.write(cell.line, bold=bool(colour), colour=colour)
    return paragraph(content, spacing, tag("jc", val=side), words=get_text(cell.line))


def _choose_side(index: int, cells: Sequence[Block]) -> str:
    """Choose the alignment of a column; numbers are aligned to the right."""
    return choose_alignment(index, cells) if len(cells) > 1 else "left"


_RULE: Final = 6
"""Width of a line between the cells of a formula, in eighths of a point."""
_FORMULA_MARGIN: Final = 140
_ALIGNMENTS: Final = {"l": "left", "c": "center", "r": "right"}


def read_ruled_array(latex: str) -> tree.Table | None:
    """Return the array with lines between its cells that a formula consists of; None for another
    formula."""
    try:
        row = read_formula(latex, unknown=[])
    except Untypesettable:
        return None
    parts = [node for node in row if not isinstance(node, tree.Blank | tree.Gap)]
    if len(parts) > 1 and isinstance(parts[-1], tree.Char) and parts[-1].char in ".,;":
        del parts[-1]
    table = parts[0] if len(parts) == 1 else None
    if not isinstance(table, tree.Table) or table.name != "array":
        return None
    return table if table.rules or find_upright_rules(table.columns) else None


def write_ruled_array(table: tree.Table, latex: str) -> list[Element]:
    """Return a table of formulas, since no formula of Word has lines between its cells.

    Raises:
        Untypesettable: a cell cannot be set.
    """
    columns = max(map(len, table.rows))
    ruled = [[*row, *[()] * (columns - len(row))] for row in table.rows]
    sides = [_ALIGNMENTS[char] for char in table.columns if char in _ALIGNMENTS]
    sides += ["center"] * (columns - len(sides))
    # The source of the cells is lost in the tree: it is about as long as what it shows.
    width = max(900, min(2_000, 300 * len(to_line(latex)) // (len(ruled) * columns)))
    width = min(width, WIDTH // columns)
    made = tag(
        "tbl",
        tag(
            "tblPr",
            tag("tblW", w=str(width * columns), type="dxa"),
            tag("jc", val="center"),
            tag("tblLayout", type="autofit"),
            tag(
                "tblCellMar",
                *(tag(side, w=str(_FORMULA_MARGIN), type="dxa") for side in ("left", "right")),
            ),
        ),
        tag("tblGrid", *(tag("gridCol", w=str(width)) for _ in range(columns))),
    )
    upright = find_upright_rules(table.columns)
    for number, row in enumerate(ruled):
        cells: list[Element] = []
        for at, (cell, side) in enumerate(zip(row, sides, strict=False)):
            lines = {
                "top": number in table.rules,
                "left": at in upright,
                "bottom": number == len(ruled) - 1 and number + 1 in table.rules,
                "right": at == columns - 1 and at + 1 in upright,
            }
            borders = [border(name, theme.INK, _RULE) for name, drawn in lines.items() if drawn]
            shown = [tag("tcW", w=str(width), type="dxa"), tag("tcBorders", *borders)]
            follows = [tag("keepNext")] if number < len(ruled) - 1 else []
            spacing = tag("spacing", before="60", after="60", line="240", lineRule="auto")
            content = paragraph([row_to_omml(cell)], *follows, spacing, tag("jc", val=side))
            cells.append(tag("tc", tag("tcPr", *shown, tag("vAlign", val="center")), content))
        made.append(tag("tr", tag("trPr", tag("cantSplit")), *cells))
    return [made, table_gap()]


def _shrink(content: Element, size: float) -> None:
    """Set the runs in smaller letters."""
    for run in content.iter(tag("r").tag):
        given = run.find(tag("rPr").tag)
        if given is None:
            given = tag("rPr")
            run.insert(0, given)
        if given.find(tag("sz").tag) is None:
            # The format requires `w:sz` before these.
            after = [part for part in given if part.tag in (tag("vertAlign").tag, tag("rtl").tag)]
            place = given.index(after[0]) if after else len(given)
            given.insert(place, tag("sz", val=str(round(2 * size))))


def fit_columns(rows: Sequence[Sequence[Block]], width: int) -> tuple[list[int], float]:
    """Choose the width of each column, and the size of the letters.

    Every word fits in any font if there is space for that, else in Calibri.
    """
    least, in_any_font, wanted = _measure_columns(rows)
    sizes = _SIZES if len(rows[0]) <= _MANY else _SIZES[2:]
    wanted = [max(pair) for pair in zip(in_any_font, wanted, strict=True)]
    chosen = [(size, in_any_font, wanted) for size in sizes[:-1]]
    chosen += [(size, least, in_any_font) for size in sizes[-2:]]
    for size, *limits in chosen:
        narrow, wide = ([_to_twentieths(ems, size) for ems in limit] for limit in limits)
        if sum(narrow) <= width:
            return _share(narrow, wide, width), size
    return _scale([_to_twentieths(ems, sizes[-1]) for ems in least], width), sizes[-1]


def _measure_columns(
    rows: Sequence[Sequence[Block]],
) -> tuple[list[float], list[float], list[float]]:
    """Return the ems of the longest word of each column, in Calibri and in any font, and those of
    its longest cell."""
    least, in_any_font, wanted = ([0.0] * len(rows[0]) for _ in range(3))
    for number, row in enumerate(rows[:_LOOKED_AT]):
        bold = number == 0
        for index, cell in enumerate(row):
            words = "".join(
                "x" * (len(token.content) // 2 + 2)
                if token.type == "maths"
                else " "
                if token.type in LINE_BREAKS
                else token.content
                for token in cell.line
            )
            for widths, any_font in ((least, False), (in_any_font, True)):
                word = measure_longest_word(words, bold=bold, any_font=any_font)
                widths[index] = max(widths[index], min(word, _LONGEST))
            wanted[index] = max(wanted[index], min(measure_text(words, bold=bold), _WIDEST))
    return least, in_any_font, wanted


def _to_twentieths(ems: float, size: float) -> int:
    return int(ems * size * 20) + 2 * _choose_margin(size) + _SLACK


def _choose_margin(size: float) -> int:
    return MARGIN if size >= 10 else _SMALL_MARGIN


def _share(narrow: Sequence[int], wide: Sequence[int], width: int) -> list[int]:
    """Distribute the width. Each column gets at least its `narrow` width, and the rest goes to
    columns whose text would be broken into lines, or to all if none would."""
    if sum(wide) <= width:
        return _scale(wide, width)
    left = width - sum(narrow)
    missing = [more - less for less, more in zip(narrow, wide, strict=True)]
    shares = [left * part // sum(missing) for part in missing]
    return _complete([less + part for less, part in zip(narrow, shares, strict=True)], width)


def _scale(widths: Sequence[int], width: int) -> list[int]:
    return _complete([width * each // sum(widths) for each in widths], width)


def _complete(widths: list[int], width: int) -> list[int]:
    """Return `widths` with the remainder of rounding added to the last."""
    return [*widths[:-1], widths[-1] + width - sum(widths)]

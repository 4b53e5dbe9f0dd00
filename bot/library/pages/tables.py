"""Tables: how wide their columns are, and which of them hold numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.errors import ToolFailed
from bot.library.pages.blocks import Block
from bot.library.pages.lines import Hand
from bot.library.pages.source import tuple_of

_LINE: Final = 84
"""Characters of a table's size that fit between the margins."""
_WIDEST: Final = 42
"""Characters of a cell from which on it is broken into lines."""
_NARROW: Final = 16
"""Characters up to which a column is as wide as its longest cell."""
_LONGEST: Final = 24
"""Characters of a word that are kept together."""
_MEASURED: Final = 300
"""Rows up to which Typst may measure the cells itself."""
_NUMBER = re.compile(r"[−+-]?\d[\d\s.,]*(?:%|€|\$|F|FCFA|F CFA|XOF)?|[–—-]?")
_MOST_IN_ONE: Final = 6_000
"""Cells of a table that Typst sets as one: it takes 20 KB for each."""
_MOST_CELLS: Final = 45_000
"""Cells of a table that fit into the memory of the process in any way."""
_SIDES: Final = {"text-align:right": "right", "text-align:center": "center"}
_LARGEST: Final = 9.5
"""Points."""
_FULL: Final = 92
"""Characters that cannot be parted, and room beside them, that fit into a row of that size."""


@dataclass(frozen=True, slots=True)
class _Column:
    width: int
    """Characters of its longest cell, at most `_WIDEST`."""
    word: int
    """Characters of its longest word, at most `_LONGEST`."""
    side: str


def write_table(table: Block, hand: Hand) -> str:
    """A table of markdown-it as markup; its header is repeated on each page.

    Raises:
        ToolFailed: no page would hold it.
    """
    rows = list(read_rows(table))
    count = len(rows) * len(rows[0])
    if count > _MOST_CELLS:
        raise ToolFailed(
            f"A table of {count:,} cells is too large for pages ({_MOST_CELLS:,} at most). Make a "
            "spreadsheet of it (generate_xlsx), and show only what matters here."
        )
    columns = [_measure(index, [row[index] for row in rows]) for index in range(len(rows[0]))]
    cells = "".join(f"[{hand.write(cell.line)}]," for row in rows for cell in row)
    long = count > _MOST_IN_ONE
    widths = _shares(columns) if long else _widths(columns, len(rows))
    return (
        f"#{'long-sheet' if long else 'sheet'}({tuple_of(widths)},"
        f" {tuple_of(column.side for column in columns)}, {_size(columns)}, {cells})"
    )


def read_rows(table: Block) -> Iterator[list[Block]]:
    """The cells of each row, the header first."""
    for part in table.children:
        for row in part.children:
            yield row.children


def side_of(index: int, cells: Sequence[Block]) -> str:
    """Where a column is flush: as it says, or right if it holds numbers that do not name rows.

    Args:
        index: which column of the table it is.
        cells: its own, the first of which is its header.
    """
    side = _SIDES.get(str(cells[0].token.attrs.get("style", "")), "left")
    numbers = index > 0 and all(_NUMBER.fullmatch(cell.words) for cell in cells[1:])
    return "right" if numbers and side == "left" else side


def _measure(index: int, cells: Sequence[Block]) -> _Column:
    texts = [cell.words for cell in cells]
    word = max((len(word) for text in texts for word in text.split()), default=1)
    width = max(map(len, texts))
    return _Column(
        width=min(max(width, 3), _WIDEST),
        word=min(max(word, 3), _LONGEST),
        side=side_of(index, cells),
    )


def _widths(columns: Sequence[_Column], rows: int) -> Iterator[str]:
    """`auto` where all stands in one line and is quickly measured; else narrow columns as they
    are, and the others as parts of what is left."""
    fits = sum(column.width + 3 for column in columns) <= _LINE
    narrow = sum(column.width + 3 for column in columns if column.width <= _NARROW)
    for column in columns:
        if fits and rows <= _MEASURED:
            yield "auto"
        elif column.width <= _NARROW and narrow <= _LINE // 2:
            yield f"{column.width * 0.56 + 1.7:.2f}em"
        else:
            yield f"{max(column.width, column.word) + 2}fr"


def _shares(columns: Sequence[_Column]) -> Iterator[str]:
    """Parts of the line, all of it."""
    whole = sum(column.width + 2 for column in columns)
    for column in columns:
        yield f"{(column.width + 2) / whole * 100:.2f}%"


def _size(columns: Sequence[_Column]) -> str:
    """Smaller letters where many columns stand side by side."""
    unparted = sum(column.word + 3 for column in columns)
    return f"{min(_LARGEST, _LARGEST * _FULL / unparted):.2f}pt"

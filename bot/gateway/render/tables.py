"""Lay a table out for a phone: aligned columns if these fit a narrow screen, else a block for each
row."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from bot.gateway.render.styled import Styled, Writer

_WIDEST_TABLE = 32
"""Monospace columns that a cheap phone shows without wrapping."""
_FIRST_COMBINING = "\u0300"


def lay_out_table(
    writer: Writer,
    rows: Sequence[Sequence[Styled]],
    right: Sequence[bool],
    *,
    monospace: bool,
    colon: str,
) -> None:
    """Write a table whose first row is its head.

    A narrow table becomes a block of code. Where columns cannot be lined up, if it is wide, or if a
    cell has a link, each row becomes a block of lines, each with the name of its column.

    Args:
        right: which columns are aligned right.
        monospace: whether columns can be lined up.
        colon: stands after the name of a column, with the space before it.
    """
    has_link = any(span.kind == "link" for row in rows for c in row for span in c.spans)
    if monospace and not has_link:
        texts = [[cell.text for cell in row] for row in rows]
        widths = [max(map(_width, column)) for column in zip(*texts, strict=True)]
        if sum(widths) + 3 * (len(widths) - 1) <= _WIDEST_TABLE:
            writer.write_block(_line_up(texts, widths, right))
            return
    _write_rows(writer, rows, colon)


def _line_up(rows: list[list[str]], widths: list[int], right: Sequence[bool]) -> str:
    lines = [
        " | ".join(
            _pad(cell, width, leans_right)
            for cell, width, leans_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _pad(cell: str, width: int, leans_right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if leans_right else cell + space


def _width(text: str) -> int:
    """Return the columns that `text` takes in a monospace font."""
    if not text or max(text) < _FIRST_COMBINING:
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
        if not unicodedata.combining(char)
    )


def _write_rows(writer: Writer, rows: Sequence[Sequence[Styled]], colon: str) -> None:
    head, *body = rows
    if not body:
        _write_line(writer, None, head, colon)
    for row in body:
        for name, cell in zip(head, row, strict=True):
            if cell.text:
                _write_line(writer, name, [cell], colon)
        writer.part_blocks(2)


def _write_line(writer: Writer, name: Styled | None, cells: Sequence[Styled], colon: str) -> None:
    if name and name.text:
        writer.open("bold")
        writer.write(name.text)
        writer.close("bold")
        writer.write(" " if name.text.endswith(":") else f"{colon} ")
    for index, cell in enumerate(cells):
        if index:
            writer.write(" | ")
        writer.append(cell)
    writer.part_blocks(1)

"""Pieces of Typst mathematics that cannot be anything but what they show; matrices and lines.

Facts: https://typst.app/docs/reference/math/ and /reference/syntax/#escapes: a backslash makes the
next character stand for itself, in strings only `\\` and `"` need one, and letters that touch each
other are a name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.documents.latex_syntax import CASES, CENTRED, LINES, MATRICES, Untypesettable

EMPTY: Final = '""'
_CHARACTERS = {"-": "−", "*": "∗", "`": "‘", "/": "∕", "~": " "}
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def math_symbol(char: str) -> str:
    """One visible character of mathematics."""
    char = _CHARACTERS.get(char, char)
    if (char.isascii() and char.isdigit()) or char.isalpha():
        return char
    if unicodedata.category(char) in _INVISIBLE:
        raise Untypesettable("It holds characters that cannot be seen.")
    return "\\" + char


def math_text(text: str) -> str:
    """Upright text; white space is one space."""
    kept = "".join(" " if char.isspace() else char for char in text)
    if any(unicodedata.category(char) in _INVISIBLE for char in kept):
        raise Untypesettable("It holds characters that cannot be seen.")
    while "  " in kept:
        kept = kept.replace("  ", " ")
    return '"' + kept.replace("\\", "\\\\").replace('"', '\\"') + '"'


def math_call(name: str, *arguments: str, **named: str) -> str:
    """`name(…)`; an argument without content is an empty text."""
    given = [argument.strip() or EMPTY for argument in arguments]
    given += [f"{key}: {value.strip() or EMPTY}" for key, value in named.items()]
    return f"{name}({', '.join(given)})"


def join_math(pieces: Iterable[str]) -> str:
    """The pieces in a row; a space parts what would otherwise be one name."""
    row: list[str] = []
    before = ""
    for piece in pieces:
        if not piece:
            continue
        touching = before[-1:].isalnum() and piece[0].isalnum()
        row.append(f" {piece}" if touching else piece)
        before = piece
    return "".join(row)


_SIDES = {"l": "#left", "r": "#right"}


@dataclass(frozen=True, slots=True)
class Grid:
    """An environment: the text between `\\begin` and `\\end`."""

    rows: Sequence[Sequence[str]]
    """Typst sources of the cells."""
    rules: Sequence[int] = ()
    """Before which rows a line is drawn."""

    def tidy(self) -> Grid:
        """The grid without the blank rows that a last `\\\\` leaves; no cell is quite empty."""
        rows = [row for row in self.rows if any(cell.strip() for cell in row)]
        if not rows:
            raise Untypesettable("It has no cells.")
        return Grid([[cell.strip() or EMPTY for cell in row] for row in rows], self.rules)


def lay_out_environment(name: str, columns: str, grid: Grid) -> str:
    """The environment `name` (without its star) in Typst.

    Args:
        columns: the columns of an array, `c|cc`; else empty.
    """
    grid = grid.tidy()
    if name == "array" and columns.strip() in ("rl", "rcl"):
        return _lines([[row[0], "".join(row[1:])] for row in grid.rows], parted=False)
    if name in MATRICES:
        return _matrix(MATRICES[name], columns, grid)
    if name in CASES:
        rows = [" & quad ".join(row) for row in grid.rows]
        if name == "dcases":
            rows = [math_call("display", row) for row in rows]
        return math_call("cases", *(["reverse: #true"] if name == "rcases" else []), *rows)
    if name in LINES:
        return _lines(grid.rows, parted=name != "eqnarray")
    if name in CENTRED:
        return _lines([["".join(row)] for row in grid.rows], parted=False)
    raise Untypesettable(f"There is no environment {name!r} here.")


def lay_out_lines(grid: Grid) -> str:
    """Lines that stand outside any environment."""
    return _lines(grid.tidy().rows, parted=True)


def stack_lines(grid: Grid) -> str:
    """Short lines, as under a sum."""
    rows = (" ".join(row) for row in grid.tidy().rows)
    return math_call("mat", "delim: #none", "row-gap: #0.15em", "; ".join(rows))


def _matrix(delimiter: str, columns: str, grid: Grid) -> str:
    upright = _upright_rules(columns)
    if upright or grid.rules:
        return _ruled(upright, grid)
    sides = set(columns) & set("lcr")
    side = _SIDES.get(sides.pop(), "") if len(sides) == 1 else ""
    body = "; ".join(", ".join(row) for row in grid.rows)
    return math_call("mat", f"delim: {delimiter}", *([f"align: {side}"] if side else []), body)


def _upright_rules(columns: str) -> set[int]:
    """Before which columns a line is drawn."""
    rules, count = set[int](), 0
    for char in columns:
        if char == "|":
            rules.add(count)
        count += char in "lcr"
    return rules


def _ruled(upright: set[int], grid: Grid) -> str:
    """A table, as of signs and variations."""
    width, height = max(map(len, grid.rows)), len(grid.rows)
    cells = [cell for row in grid.rows for cell in [*row, *[EMPTY] * (width - len(row))]]
    level = {rule for rule in grid.rules if rule <= height}
    upright = {rule for rule in upright if rule <= width}
    return math_call(
        "ruled",
        f"#{width}",
        f"#{write_tuple(sorted(level))}",
        f"#{write_tuple(sorted(upright))}",
        *cells,
    )


def write_tuple(pieces: Iterable[object]) -> str:
    """An array of Typst's code."""
    return "(" + "".join(f"{piece}," for piece in pieces) + ")"


def _lines(rows: Sequence[Sequence[str]], *, parted: bool) -> str:
    """Rows whose cells are flush right and flush left in turn.

    Args:
        parted: whether each pair of cells is an equation apart from the next.
    """
    if len(rows) == 1 and len(rows[0]) == 1:
        return rows[0][0]
    written: list[str] = []
    for row in rows:
        cells = [
            f"wide {cell}" if parted and i and i % 2 == 0 else cell for i, cell in enumerate(row)
        ]
        written.append(math_call("display", " & ".join(cells)))
    return math_call("mat", "delim: #none", "row-gap: #0.75em", "; ".join(written))

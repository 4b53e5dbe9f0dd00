"""Matrices, cases and aligned lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.library.typesetting.notation import CASES, CENTRED, LINES, MATRICES
from bot.library.typesetting.source import EMPTY, Untypesettable, call

_SIDES = {"l": "#left", "r": "#right"}
_MOST_CELLS = 1_000


@dataclass(frozen=True, slots=True)
class Grid:
    """What stands between `\\begin` and `\\end`."""

    rows: Sequence[Sequence[str]]
    """Typst sources of the cells."""
    rules: Sequence[int] = ()
    """Before which rows a line is drawn."""

    def tidy(self) -> Grid:
        """Without the blank rows that a last `\\\\` leaves, and no cell quite empty."""
        rows = [row for row in self.rows if any(cell.strip() for cell in row)]
        if not rows or sum(map(len, rows)) > _MOST_CELLS:
            raise Untypesettable("It has no cells, or too many.")
        return Grid([[cell.strip() or EMPTY for cell in row] for row in rows], self.rules)


def lay_out(name: str, columns: str, grid: Grid) -> str:
    """The environment `name` (without its star) in Typst.

    Args:
        columns: the columns of an array, `c|cc`; else empty.
    """
    grid = grid.tidy()
    if name == "array" and columns.strip() in ("rl", "rcl"):
        return _lines([_glued(row) for row in grid.rows], parted=False)
    if name in MATRICES:
        return _matrix(MATRICES[name], columns, grid)
    if name in CASES:
        return _cases(name, grid)
    if name in LINES:
        return _lines(grid.rows, parted=name != "eqnarray")
    if name in CENTRED:
        return _lines([["".join(row)] for row in grid.rows], parted=False)
    raise Untypesettable(f"There is no environment {name!r} here.")


def lay_out_lines(grid: Grid) -> str:
    """Lines that stand outside any environment."""
    return _lines(grid.tidy().rows, parted=True)


def stack(grid: Grid) -> str:
    """Short lines, as under a sum."""
    rows = (" ".join(row) for row in grid.tidy().rows)
    return call("mat", "delim: #none", "row-gap: #0.15em", "; ".join(rows))


def _glued(row: Sequence[str]) -> list[str]:
    """The left side, and all the rest: a column for the sign alone would stand too far off."""
    return [row[0], "".join(row[1:])]


def _matrix(delimiter: str, columns: str, grid: Grid) -> str:
    upright = _upright_rules(columns)
    if upright or grid.rules:
        return _ruled(upright, grid)
    sides = set(columns) & set("lcr")
    side = _SIDES.get(sides.pop(), "") if len(sides) == 1 else ""
    body = "; ".join(", ".join(row) for row in grid.rows)
    return call("mat", f"delim: {delimiter}", *([f"align: {side}"] if side else []), body)


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
    return call("ruled", f"#{width}", f"#{_tuple(level)}", f"#{_tuple(upright)}", *cells)


def _tuple(numbers: set[int]) -> str:
    return "(" + "".join(f"{number}," for number in sorted(numbers)) + ")"


def _cases(name: str, grid: Grid) -> str:
    rows = [" & quad ".join(row) for row in grid.rows]
    if name == "dcases":
        rows = [call("display", row) for row in rows]
    return call("cases", *(["reverse: #true"] if name == "rcases" else []), *rows)


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
        written.append(call("display", " & ".join(cells)))
    return call("mat", "delim: #none", "row-gap: #0.75em", "; ".join(written))

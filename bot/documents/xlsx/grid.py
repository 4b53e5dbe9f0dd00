"""Hold all cells of a workbook, and compute its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bot.documents.xlsx.formulas import Formula
from bot.documents.xlsx.functions import (
    Area,
    Circular,
    FormulaError,
    FormulaPlace,
    Uncomputed,
    Value,
)

_MOST_READ: Final = 1_500_000
"""Most cells that all formulas may read; a formula that would read more is left uncomputed."""
_DEEPEST: Final = 60
"""Most formulas that may wait for each other's results."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a formula: a value, or `error`, or neither if it is not known here."""

    value: Value = None
    error: str = ""
    is_circular: bool = False


@dataclass
class Grid:
    """The cells of a workbook, a `functions.Cells`. Rows and columns count from 1."""

    sheets: list[list[list[Value | Formula]]] = field(
        default_factory=list[list[list["Value | Formula"]]]
    )
    """Sheets of columns of cells; the first cell is the header, the last may be a total."""
    aggregates: dict[tuple[str, Area], float] = field(default_factory=dict[tuple[str, Area], float])
    _outcomes: dict[tuple[int, int, int], Outcome] = field(
        default_factory=dict[tuple[int, int, int], Outcome]
    )
    _open: set[tuple[int, int, int]] = field(default_factory=set[tuple[int, int, int]])
    _looked_at: int = 0

    def value(self, sheet: int, row: int, column: int) -> Value:
        self._look(1)
        found = self._cell(sheet, row, column)
        if not isinstance(found, Formula):
            return found
        outcome = self.outcome(sheet, row, column)
        if outcome.error:
            raise FormulaError(outcome.error)
        if outcome.is_circular:
            raise Circular
        if outcome.value is None:
            raise Uncomputed
        return outcome.value

    def values(self, area: Area) -> Iterator[Value]:
        area = self.clip(area)
        for row in range(area.top, area.bottom + 1):
            for column in range(area.left, area.right + 1):
                yield self.value(area.sheet, row, column)

    def clip(self, area: Area) -> Area:
        columns = self.sheets[area.sheet]
        bottom, right = min(area.bottom, len(columns[0])), min(area.right, len(columns))
        return Area(area.sheet, area.top, area.left, bottom, right)

    def outcome(self, sheet: int, row: int, column: int) -> Outcome:
        """Return the result of the formula in that cell; it is computed once."""
        key = (sheet, row, column)
        if key in self._outcomes:
            return self._outcomes[key]
        formula = self._cell(sheet, row, column)
        if key in self._open:
            return Outcome(is_circular=True)
        if not isinstance(formula, Formula) or len(self._open) >= _DEEPEST:
            return Outcome()
        self._open.add(key)
        self._outcomes[key] = self._compute(formula, FormulaPlace(self, sheet, row))
        self._open.discard(key)
        return self._outcomes[key]

    def _cell(self, sheet: int, row: int, column: int) -> Value | Formula:
        columns = self.sheets[sheet]
        if not (1 <= column <= len(columns) and 1 <= row <= len(columns[0])):
            return None
        return columns[column - 1][row - 1]

    def _compute(self, formula: Formula, place: FormulaPlace) -> Outcome:
        try:
            return Outcome(formula.compute(place))
        except FormulaError as fault:
            return Outcome(error=fault.code)
        except Circular:
            return Outcome(is_circular=True)
        except (Uncomputed, RecursionError):  # formulas that are nested too deep
            return Outcome()

    def _look(self, cells: int) -> None:
        self._looked_at += cells
        if self._looked_at > _MOST_READ:
            raise Uncomputed

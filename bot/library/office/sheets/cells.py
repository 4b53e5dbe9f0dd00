"""What stands in a cell, read by what its column says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from bot.library.office.sheets.dates import in_range, read_day
from bot.library.office.sheets.numerals import fits, read_number
from bot.library.office.sheets.values import Value
from bot.library.office.text import clean_text

LONGEST: Final = 32_767
"""UTF-16 units that a cell can hold
(https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3)."""
_MOST_LINES: Final = 253
"""Line feeds of a cell, by the same page."""
_PERCENT = re.compile(r"(.*?)\s*%")


@dataclass
class Reading:
    """Reads the cells of one column, and counts what stayed text against the column's kind."""

    kind: str
    comma: bool = True
    """Whether a lone comma parts decimals."""
    kept: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Of cells that are not what their column says: index of the row, and what it holds."""
    cut: int = 0
    """Cells that were too long."""

    def read(self, cells: list[Any]) -> list[Value]:
        """The values of `cells`, the column from top to bottom."""
        reader = _remember(self._reader(cells))
        values: list[Value] = []
        for index, cell in enumerate(cells):
            value = None if cell is None or cell == "" else reader(cell)
            values.append(self._fit(value, index) if isinstance(value, str) else value)
        return values

    def _reader(self, cells: list[Any]) -> Callable[[Any], Value]:
        if self.kind in ("number", "money"):
            return partial(_read_number, money=self.kind == "money", comma=self.comma)
        if self.kind == "percent":
            whole = any(abs(_bare_number(cell, comma=self.comma)) > 2 for cell in cells)
            return partial(_read_percent, comma=self.comma, whole=whole)
        return _READERS.get(self.kind, _read_any)

    def _fit(self, text: str, index: int) -> str | None:
        text = clean_text(text)
        if self.kind in ("number", "money", "percent", "date") and text.strip():
            self.kept.append((index, text))
        if len(text) > LONGEST // 2 and _units(text) > LONGEST:
            self.cut += 1
            text = text.encode("utf-16-le")[: 2 * (LONGEST - 2)].decode("utf-16-le", "ignore") + "…"
        if text.count("\n") > _MOST_LINES:
            text = " ".join(text.split("\n"))
        return text or None


def _remember(reader: Callable[[Any], Value]) -> Callable[[Any], Value]:
    """`reader`, which reads a string that comes again only once."""
    known: dict[str, Value] = {}

    def read(cell: Any) -> Value:
        if not isinstance(cell, str):
            return reader(cell)
        if cell not in known:
            known[cell] = reader(cell)
        return known[cell]

    return read


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _read_any(cell: Any) -> Value:
    """A cell as it comes: numbers and truth values of JSON, everything else is text."""
    if isinstance(cell, bool | str):
        return cell
    if isinstance(cell, int | float):
        return float(cell) if fits(cell) else _spell(cell)
    return json.dumps(cell, ensure_ascii=False)


def _read_text(cell: Any) -> Value:
    return cell if isinstance(cell, bool | str) else _spell(cell)


def _spell(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return json.dumps(cell, ensure_ascii=False)


def _read_number(cell: Any, *, money: bool, comma: bool) -> Value:
    if isinstance(cell, str):
        number = read_number(cell, money=money, comma=comma)
        return cell if number is None else number
    return _read_any(cell)


def _read_percent(cell: Any, *, comma: bool, whole: bool) -> Value:
    """`18 %` and 0.18 are the same; a column of bare numbers beyond 2 holds percents."""
    if not isinstance(cell, str):
        value = _read_any(cell)
        return value / 100 if whole and isinstance(value, float) else value
    marked = _PERCENT.fullmatch(cell.strip())
    number = read_number(marked[1] if marked else cell, comma=comma)
    if number is None:
        return cell
    return number / 100 if marked or whole else number


def _bare_number(cell: Any, *, comma: bool) -> float:
    """A number without a percent sign; 0 if it is something else."""
    if isinstance(cell, str):
        return read_number(cell, comma=comma) or 0.0
    return cell if isinstance(cell, int | float) else 0.0


def _read_date(cell: Any) -> Value:
    if isinstance(cell, str):
        day = read_day(cell)
        return cell if day is None else day
    if isinstance(cell, int | float) and not isinstance(cell, bool) and in_range(cell):
        return _spell(cell) if 1_000 <= cell <= 9_999 and float(cell).is_integer() else float(cell)
    return _read_text(cell)


_READERS: Final[Mapping[str, Callable[[Any], Value]]] = {"text": _read_text, "date": _read_date}

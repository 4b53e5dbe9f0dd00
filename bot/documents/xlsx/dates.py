"""Tell which formulas yield a day, a moment or a time of day, from their functions and from the
columns that they refer to.

A spreadsheet program formats such a cell itself when it is typed, but not when it is in a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from bot.documents.xlsx.contents import SheetContents
from bot.documents.xlsx.formulas import Formula, Reference

DAY: Final = "dd/mm/yyyy"
MOMENT: Final = "dd/mm/yyyy hh:mm"
_TIME: Final = "hh:mm"
_LONGEST: Final = 80
"""Most characters of a format."""
_DATED = re.compile(r"(?i)(?:[dmhs]|yy|AM/PM|[ /:.,-]|\"[^\"]*\")+")
_FUNCTIONS: Final = {
    **dict.fromkeys(("TODAY", "DATE", "DATEVALUE", "EDATE", "EOMONTH", "WORKDAY"), DAY),
    "NOW": MOMENT,
    "TIME": _TIME,
}
"""The formats of what these functions return."""
_Pieces: TypeAlias = Sequence[str | Reference]


def read_date_format(given: str, *, is_unit: bool = False) -> str:
    """Return a format of days or times as files store it, `jj/mm/aaaa` as `dd/mm/yyyy`; "" if
    `given` is none.

    Args:
        is_unit: whether `given` may be a unit, as `m`, `mm`, `h`, `s`, `m/s` and `dm` then are.
    """
    bare = " ".join(given.split())
    if not re.search("(?i)am/pm", bare):
        bare = bare.lower().replace("j", "d").replace("a", "y")
    letters = set(re.sub('"[^"]*"|(?i:am/pm)', "", bare).lower())
    dated = (
        "yy" in bare
        or re.search("ddd|mmm", bare)
        or ({"d", "m"} <= letters and letters & set(" /.-") and "s" not in letters)
        or (":" in letters and letters & set("hs"))
    )
    is_date = dated if is_unit else letters & set("dmyh")
    fits = len(bare) <= _LONGEST and is_date and _DATED.fullmatch(bare)
    return bare if fits else ""


@dataclass
class DateFinder:
    """Finds the formulas of a workbook that yield days."""

    pages: Sequence[SheetContents]
    _formats: dict[int, str] = field(default_factory=dict[int, str])
    """The formats of formulas, by their ids: rows share one formula."""
    _columns: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])

    def find_format(self, sheet: int, formula: Formula) -> str:
        """Return the format for the result of a formula in a sheet; "" if it is no day."""
        if id(formula) not in self._formats:
            self._formats[id(formula)] = ""  # what refers to itself is no day
            self._formats[id(formula)] = self._read(sheet, formula.pieces)
        return self._formats[id(formula)]

    def find_column_format(self, sheet: int, column: int) -> str:
        """Return the format of a column that holds days alone; "" for another.

        Args:
            column: counted from 1.
        """
        key = (sheet, column)
        if key not in self._columns:
            self._columns[key] = ""
            self._columns[key] = self._read_column(sheet, column)
        return self._columns[key]

    def _read_column(self, sheet: int, column: int) -> str:
        page = self.pages[sheet]
        if not 1 <= column <= len(page.columns):
            return ""
        asked = page.asked.columns[column - 1]
        if asked.kind == "date":
            return DAY
        if asked.kind != "formula":
            return ""
        if asked.format.strip():
            given = asked.format.strip().lower()
            return DAY if given == "date" else read_date_format(given, is_unit=True)
        cells = [cell for cell in page.columns[column - 1][1 : page.rows + 1] if cell is not None]
        formats = {
            self.find_format(sheet, cell) if isinstance(cell, Formula) else "" for cell in cells
        }
        return formats.pop() if len(formats) == 1 else ""

    def _read(self, sheet: int, pieces: _Pieces) -> str:
        """Read a sum of terms: a day more or less a number is a day, and the difference of two days
        is a number."""
        found = ""
        for sign, term in _split_terms(pieces):
            shown = self._read_term(sheet, term) if term else None
            if shown is None or (shown and (found or sign < 0)):
                return ""
            if sign < 0 and not self._is_number(sheet, term):
                return ""
            found = found or shown
        return found

    def _read_term(self, sheet: int, term: _Pieces) -> str | None:
        """Return the format of a term without signs; None if it holds other operators."""
        if term[0] == "(" and term[-1] == ")" and _find_end(term, 0) == len(term) - 1:
            return self._read(sheet, term[1:-1])
        if isinstance(term[0], str) and len(term) > 2 and term[1] == "(":
            if _find_end(term, 1) != len(term) - 1:
                return None
            return self._read_call(sheet, term[0], list(_split_arguments(term[2:-1])))
        if column := self._read_cells(sheet, term):
            return self.find_column_format(*column)
        return "" if len(term) == 1 else None

    def _read_call(self, sheet: int, name: str, arguments: Sequence[_Pieces]) -> str:
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        name = name.removeprefix("_xlfn.")
        if name == "VLOOKUP":
            return self._read_lookup(sheet, arguments)
        if name not in _RESULTS:
            return ""
        results = [part for part in _RESULTS[name](arguments) if part and not _is_blank(part)]
        formats = {self._read(sheet, part) for part in results}
        return formats.pop() if len(formats) == 1 else ""

    def _read_lookup(self, sheet: int, arguments: Sequence[_Pieces]) -> str:
        at = "".join(map(str, arguments[2])) if len(arguments) > 2 else ""
        table = self._read_cells(sheet, arguments[1]) if at.isdigit() else None
        return self.find_column_format(table[0], table[1] + int(at) - 1) if table else ""

    def _read_cells(self, sheet: int, term: _Pieces) -> tuple[int, int] | None:
        """Return the sheet and the first column of a reference; None if it is something else."""
        if isinstance(term[0], str) and term[0].endswith("!"):
            written = term[0][1:-2].replace("''", "'")
            sheet = next(i for i, page in enumerate(self.pages) if page.name == written)
            term = term[1:]
        if not isinstance(term[0], Reference) or (len(term) > 1 and term[1] != ":"):
            return None
        return sheet, term[0].column

    def _is_number(self, sheet: int, term: _Pieces) -> bool:
        """Return whether a term is surely no day, even where a text is read as one."""
        if column := self._read_cells(sheet, term):
            columns = self.pages[column[0]].asked.columns
            return column[1] <= len(columns) and columns[column[1] - 1].kind == "number"
        return len(term) == 1 and str(term[0])[0].isdigit()


def _is_blank(part: _Pieces) -> bool:
    return len(part) == 1 and isinstance(part[0], str) and part[0][:1] in ('"', "0")


def _find_end(pieces: _Pieces, start: int) -> int:
    """Return the index of the bracket that closes the one at `start`."""
    depth = 0
    for at in range(start, len(pieces)):
        depth += {"(": 1, ")": -1}.get(str(pieces[at]), 0)
        if not depth:
            return at
    return len(pieces)


def _split_terms(pieces: _Pieces) -> Iterator[tuple[int, _Pieces]]:
    """Yield the terms of a sum with their signs."""
    start, sign, depth = 0, 1, 0
    for at, piece in enumerate(pieces):
        depth += {"(": 1, ")": -1}.get(str(piece), 0)
        if not depth and piece in ("+", "-"):
            if at > start or sign < 0:
                yield sign, pieces[start:at]
            start, sign = at + 1, 1 if piece == "+" else -1
    yield sign, pieces[start:]


def _split_arguments(pieces: _Pieces) -> Iterator[_Pieces]:
    start = depth = 0
    for at, piece in enumerate(pieces):
        depth += {"(": 1, ")": -1}.get(str(piece), 0)
        if not depth and piece == ",":
            yield pieces[start:at]
            start = at + 1
    yield pieces[start:]


def _take(first: int, last: int | None, arguments: Sequence[_Pieces]) -> Sequence[_Pieces]:
    return arguments[first:last]


_RESULTS: Final[Mapping[str, Callable[[Sequence[_Pieces]], Sequence[_Pieces]]]] = {
    **dict.fromkeys(("MIN", "MAX", "IFERROR", "IFNA"), partial(_take, 0, None)),
    **dict.fromkeys(("SMALL", "LARGE", "INDEX", "MAXIFS", "MINIFS"), partial(_take, 0, 1)),
    **dict.fromkeys(("IF", "CHOOSE"), partial(_take, 1, None)),
}
"""The arguments of functions from which their result is taken."""

"""Add up the columns of long tables while they are read, since a model sees a few rows at a time.

What is said of a table names the rows that are counted and those that are not. A column whose cells
are not plainly numbers is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, InvalidOperation
from itertools import pairwise

from bot.files.amounts import LONGEST_AMOUNT, Amount, read_amount
from bot.typography import shorten, strip_accents

_LONGEST = 1_500
"""Most characters of all totals of a file."""
_TITLE = "[totals, computed exactly from all rows of the file, also those of later parts]"
_STOPPED = "(what follows in the file is not added up either)"
_CUT = "(there are more columns or sheets than are added up here)"
_MOST_COLUMNS = 100
_MOST_TABLES = 50
_LONGEST_NAME = 40
_HEADER_ROWS = 20
"""Rows at the top of a table among which the header is looked for."""
_TOLERATED = 100
"""A column may have one cell in so many that is no number, and a table one odd row."""
_EXACT = Context(prec=60)
_LARGEST, _SMALLEST = Decimal("1e18"), Decimal("1e-25")


def _read_stored(text: str) -> Amount | None:
    """Read a number as programs store it, perhaps with `%`; None if it is beyond all accounts."""
    try:
        value = Decimal(text.removesuffix("%"))
    except InvalidOperation:
        return None
    if not value.is_finite() or abs(value) >= _LARGEST:
        return None
    if abs(value) < _SMALLEST:
        value = Decimal(0)
    return Amount({",": value, ".": value}, "%" if text.endswith("%") else "")


def _write(value: Decimal) -> str:
    """Write a number without needless zeros, with ten decimals at most."""
    if int(value.as_tuple().exponent) < -10:
        value = value.quantize(Decimal("1e-10"), context=_EXACT)
    return f"{_EXACT.add(value, Decimal(0)).normalize(_EXACT):f}"  # added, since 0 has no sign


# Columns -----------------------------------------------------------------------------------------

_IDENTIFIER = re.compile(
    r"""(?:no|nr|num|numero|id|ids|code|ref|reference|tel|telephone|portable|mobile|contact|whatsapp
    |gsm|fax|phone|compte|account|matricule|date|siret|siren|ninea|nif|ncc|rccm|iban|rib|cp|bp|zip
    |cni|rang|ordre|ligne)\b.* | .*\b(?:id|no|number|num|code|phone)""",
    re.VERBOSE,
)
"""Names of columns, in small letters without accents, whose whole numbers are not added up."""
_PERIOD = re.compile(r"(?:annee|year|exercice|mois|month|jour|day)\b.*|.*\b(?:year|month|day)")
"""Names of columns with years, months and days, unless these are amounts of a year or a month."""
_LATEST_YEAR = 2_100
_LEAST_DIGITS = 8
"""Digits from which whole numbers of one length are taken for identifiers, unless all end with 0 or
5, as large amounts do."""


@dataclass(slots=True)
class _Sum:
    total: Decimal = Decimal(0)
    least: Decimal = Decimal("Infinity")
    greatest: Decimal = Decimal("-Infinity")

    def add(self, value: Decimal) -> None:
        self.total = _EXACT.add(self.total, value)
        if value < self.least:
            self.least = value
        if value > self.greatest:
            self.greatest = value


@dataclass(slots=True)
class _Column:
    """A column, added up in both ways in which its numbers may be meant."""

    sums: dict[str, _Sum] = field(default_factory=lambda: {",": _Sum(), ".": _Sum()})
    """The sums of its numbers by the decimal sign, for each sign that all of them can have."""
    count: int = 0
    before: tuple[int, dict[str, Decimal]] = field(default_factory=lambda: (0, {}))
    """The count and the totals at the last total row."""
    units: set[str] = field(default_factory=set[str])
    unsure: str = ""
    """The first number that has two values."""
    is_round: bool = True
    """Whether all its numbers end with 0 or 5."""
    others: int = 0
    other: str = ""
    """The first cell that is no number, with its row."""
    formulas: int = 0
    """Those of the others that are formulas without results."""

    def add(self, amount: Amount, text: str) -> None:
        values = amount.values
        self.count += 1
        self.units.add(amount.unit)
        self.is_round = self.is_round and text[-1] in "05"
        if not self.unsure and values.get(",") != values.get("."):
            self.unsure = text
        for sign in list(self.sums):
            if sign in values:
                self.sums[sign].add(values[sign])
            else:
                del self.sums[sign]

    def note_other(self, row: int, text: str) -> None:
        self.others += 1
        if not self.other:
            self.other = f"row {row} “{shorten(' '.join(text.split()), 20)}”"
        self.formulas += text.startswith("=")

    @property
    def has_words(self) -> bool:
        """Whether most of its cells are no numbers, nor formulas."""
        numbers = self.count + self.formulas
        return not numbers or numbers < self.others - self.formulas

    def is_total(self, amount: Amount, least: int) -> bool:
        """Return whether a number is the sum of at least so many above it: of all, or of those
        since the last total."""
        count, before = self.before
        for sign, sum_above in self.sums.items():
            value, total = amount.values.get(sign), sum_above.total
            since = _EXACT.subtract(total, before.get(sign, Decimal(0)))
            if value and (
                (value == total and self.count >= least)
                or (value == since and self.count - count >= least)
            ):
                return True
        return False

    def end_part(self) -> None:
        """Begin a new part after a total row."""
        self.before = self.count, {sign: each.total for sign, each in self.sums.items()}

    @property
    def sign(self) -> str:
        """The decimal sign without which its numbers cannot be read; empty if there is none."""
        return next(iter(self.sums)) if len(self.sums) == 1 else ""

    def choose_sum(self, signs: set[str]) -> _Sum | None:
        """Return its sum; None if its numbers may mean two, which `signs`, those of the other
        columns, may settle."""
        if not self.unsure or self.sign:
            return next(iter(self.sums.values()), None)
        return self.sums[min(signs)] if len(signs) == 1 else None

    def find_fault(self, name: str, chosen: _Sum | None) -> str:
        """Return why the column is not added up; empty if it is."""
        if self.formulas:
            return "it has formulas without results"
        if self.others * _TOLERATED > self.count + self.others:
            return f"{self.others} of its cells are no numbers"
        if chosen is None:
            unsure = f"“{self.unsure}” may mean two numbers"
            return unsure if self.sums else "its numbers are written in two ways"
        if len(self.units - {""}) > 1 or self.units == {"", "%"}:
            return "its numbers have several units"
        is_identifier = self.units == {""} and self._is_identifier(name, chosen)
        return "it looks like identifiers" if is_identifier else ""

    def _is_identifier(self, name: str, chosen: _Sum) -> bool:
        if int(chosen.total.as_tuple().exponent) < 0 or chosen.least < 0:
            return False
        lengths = [len(f"{value:f}") for value in (chosen.least, chosen.greatest)]
        is_long = lengths[0] == lengths[1] >= _LEAST_DIGITS and not self.is_round
        middle = (chosen.least + chosen.greatest) * self.count
        is_row_number = (
            self.count > 2
            and chosen.greatest - chosen.least == self.count - 1
            and middle == 2 * chosen.total
        )
        plain = strip_accents(name.lower().replace("°", "o"))
        name = " ".join(re.findall(r"[^\W_]+", plain))
        is_period = chosen.greatest <= _LATEST_YEAR and _PERIOD.fullmatch(name) is not None
        return is_long or is_row_number or is_period or _IDENTIFIER.fullmatch(name) is not None

    def describe(self, chosen: _Sum) -> str:
        unit = "".join(f", {each}" for each in self.units if each)
        others = (
            f"; cells without a number: {self.others} (first: {self.other})" if self.others else ""
        )
        sums = (chosen.total, chosen.least, chosen.greatest)
        total, least, greatest = map(_write, sums)
        return f"{unit}: {self.count} numbers, sum {total}, min {least}, max {greatest}{others}"


# Tables ------------------------------------------------------------------------------------------

_TOTAL = re.compile(r"\W*(?:(?:sous|grand|sub)[ -]*)?tota(?:l|ls|ux)\b|\W*somme\b", re.IGNORECASE)
_BLANK = frozenset({"", "-", "–", "—"})
"""Cells without anything, as accountants write it."""


class _Row:
    """A row of a table, its cells told apart."""

    __slots__ = ("amounts", "cells", "number", "others")

    def __init__(self, number: int, cells: Sequence[str], stored: Collection[int]) -> None:
        self.number = number
        self.cells = cells
        self.amounts: list[tuple[int, Amount]] = []
        """Its numbers with their places."""
        self.others: list[tuple[int, str]] = []
        """Its words, dates and codes."""
        for at, text in enumerate(cells[:_MOST_COLUMNS]):
            if text in _BLANK:
                continue
            amount = None
            if len(text) <= LONGEST_AMOUNT:
                amount = _read_stored(text) if at in stored else read_amount(text)
            if amount:
                self.amounts.append((at, amount))
            else:
                self.others.append((at, text))

    @property
    def is_bare(self) -> bool:
        """Whether it has at most a label beside its numbers."""
        return len(self.others) <= 1

    @property
    def is_named_total(self) -> bool:
        return any(_TOTAL.match(text) for _, text in self.others)


class _Table:
    def __init__(self, name: str, *, is_delimited: bool) -> None:
        self.name = name
        self.is_delimited = is_delimited
        """Whether each row should have as many cells as the header."""
        self._first: list[_Row] | None = []
        """The rows among which the header is looked for; None once it was."""
        self._header: _Row | None = None
        self._width = 0
        self._last: _Row | None = None
        """The last row with numbers, which is counted when another has come: it may be a total."""
        self._reached = 0
        self._is_apart = False
        """Whether empty rows came since the last row with numbers."""
        self._columns: dict[int, _Column] = {}
        self._counted: list[int] = []
        """The first and the last row that are counted."""
        self._count = 0
        self._labels = 0
        """The number of other cells of the last row that was counted."""
        self._is_after_total = False
        self._totals: list[int] = []
        self._ragged: list[int] = []
        self._is_given_up = False
        self._limit = 0

    def add(self, row: _Row) -> list[_Row]:
        """Add a row; return those that belong to a next table below this one, if there is one."""
        if self._first is None:
            return self._advance([row])
        self._first.append(row)
        return self._begin() if len(self._first) == _HEADER_ROWS else []

    def give_up(self) -> None:
        self._is_given_up = True

    def end(self, limit: int) -> list[_Row]:
        """End the table; return the rows of a next one, as `add` does."""
        rest = self._begin()
        if self._last:
            self._add(self._last, is_last=True)
        self._last, self._limit = None, limit
        return rest

    def _begin(self) -> list[_Row]:
        """Find the header if it was not yet looked for, and add the rows below it."""
        rows, self._first = self._first or [], None
        if not rows:
            return []
        at = _find_header(rows)
        self._header = None if at is None else rows[at]
        self._width = len((self._header or rows[0]).cells)
        return self._advance(rows[0 if at is None else at + 1 :])

    def _advance(self, rows: list[_Row]) -> list[_Row]:
        for at, row in enumerate(rows):
            if self._is_next_header(row):
                return rows[at:]
            if row.amounts:
                if self._last:
                    self._add(self._last)
                self._last = row
            else:
                self._add(row)
        return []

    def _is_next_header(self, row: _Row) -> bool:
        """Return whether a row is the header of another table: it comes after an empty row, and has
        different words only, some of them in columns of numbers."""
        self._is_apart = not row.amounts and (
            self._is_apart or (row.number > self._reached + 1 and self._reached > 0)
        )
        self._reached = row.number
        words = {text for _, text in row.others}
        is_again = self._header is not None and row.cells == self._header.cells
        if not self._is_apart or row.is_bare or len(words) < len(row.others) or is_again:
            return False
        columns = [self._columns[at] for at, _ in row.others if at in self._columns]
        return any(column.count and not column.has_words for column in columns)

    def _add(self, row: _Row, *, is_last: bool = False) -> None:
        cells, width = row.cells, self._width
        if self.is_delimited and (len(cells) < width or any(cells[width:])):
            self._ragged.append(row.number)
        elif self._header and row.cells == self._header.cells:
            return
        elif row.amounts and self._is_total(row, is_last=is_last):
            self._totals.append(row.number)
            self._is_after_total = True
            for column in self._columns.values():
                column.end_part()
        else:
            self._count_row(row)

    def _count_row(self, row: _Row) -> None:
        for at, amount in row.amounts:
            self._find_column(at).add(amount, row.cells[at])
        for at, text in row.others:
            self._find_column(at).note_other(row.number, text)
        if row.amounts:
            self._count += 1
            self._counted = [*self._counted[:1], row.number]
            self._labels, self._is_after_total = len(row.others), False

    def _find_column(self, at: int) -> _Column:
        if at not in self._columns:
            self._columns[at] = _Column()
        return self._columns[at]

    def _is_total(self, row: _Row, *, is_last: bool) -> bool:
        """Return whether a row with numbers only sums up others. It does if it says so and has no
        other words; or if it follows such a row, with fewer words than other rows; or if it says so
        or is the last one, and one of its numbers is the sum of those above."""
        is_named = row.is_named_total
        if row.is_bare and (is_named or (self._is_after_total and self._labels > 1)):
            return True
        if not is_named and not (is_last and row.is_bare):
            return False
        least = 3 if not is_named else 1 if len(row.others) < self._labels else 2
        return any(
            self._columns[at].is_total(amount, least)
            for at, amount in row.amounts
            if at in self._columns
        )

    def describe(self) -> Iterator[str]:
        """Yield a line for the rows, one for each column that is added up, and one for those that
        are not; none if no column has numbers."""
        place = (
            f"sheet {shorten(' '.join(self.name.split()), _LONGEST_NAME)}: " if self.name else ""
        )
        if self._is_given_up:
            yield f"{place}not added up: it is damaged or too long"
            return
        rows = self._count + len(self._ragged)
        if len(self._ragged) * _TOLERATED > rows:
            odd = f"{len(self._ragged)} of {rows} rows have another number of cells than the header"
            yield f"{place}not added up: {odd}"
            return
        lines = list(self._describe_columns())
        if lines:
            yield f"{place}{self._describe_rows()}"
            yield from lines

    def _describe_rows(self) -> str:
        header = (
            f"row {self._header.number} is the header" if self._header else "there is no header"
        )
        odd = [
            f"totals in {_list_rows(self._totals)}" if self._totals else "",
            f"{_list_rows(self._ragged)} with another number of cells" if self._ragged else "",
        ]
        left_out = " and ".join(filter(None, odd))
        uncounted = f"; not counted: {left_out}" if left_out else ""
        unread = f"; no row after {self._limit} is read" if self._limit else ""
        rows = "no row has numbers"
        if self._counted:
            span = f"rows {self._counted[0]}–{self._counted[-1]}"
            rows = f"{span}: {self._count} rows with numbers are counted"
        return f"{rows}; {header}{uncounted}{unread}"

    def _describe_columns(self) -> Iterator[str]:
        signs = {each.sign for each in self._columns.values()} - {""}
        faults: list[str] = []
        for at, column in sorted(self._columns.items()):
            if column.has_words:
                continue
            name = self._name_column(at)
            chosen = column.choose_sum(signs)
            fault = column.find_fault(name, chosen)
            letter = _find_letter(at)
            label = f"{name} ({letter})" if name else f"column {letter}"
            if chosen and not fault:
                yield f"{label}{column.describe(chosen)}"
            else:
                faults.append(f"{label}: {fault}")
        if faults:
            yield f"not added up: {'; '.join(faults)}"

    def _name_column(self, at: int) -> str:
        cells = self._header.cells if self._header else ()
        return shorten(cells[at], _LONGEST_NAME) if at < len(cells) else ""


def _find_header(rows: Sequence[_Row]) -> int | None:
    """Return the place of the header: the first row without numbers, other than years or days, that
    is nearly as wide as the widest."""
    widths = [sum(cell not in _BLANK for cell in row.cells) for row in rows]
    for at, (row, width) in enumerate(zip(rows, widths, strict=True)):
        if width * 5 >= max(widths) * 3 and width:
            below = rows[at + 1 : at + 2]
            if not row.amounts or (
                _has_years_or_days(row) and not any(map(_has_years_or_days, below))
            ):
                return at
    return None


def _has_years_or_days(row: _Row) -> bool:
    """Return whether all numbers of a row are years, or go up by one."""
    values = [amount.values["."] for _, amount in row.amounts if "." in amount.values]
    if len(values) < len(row.amounts) or not values:
        return False
    is_row = len(values) > 2 and all(right - left == 1 for left, right in pairwise(values))
    return is_row or all(1_900 <= value <= _LATEST_YEAR and value % 1 == 0 for value in values)


def _list_rows(rows: Sequence[int]) -> str:
    named = ", ".join(map(str, sorted(rows)[:3]))
    more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
    return f"{'row' if len(rows) == 1 else 'rows'} {named}{more}"


def _find_letter(at: int) -> str:
    """Return the letters of a column, as spreadsheets have them."""
    return (_find_letter(at // 26 - 1) if at >= 26 else "") + chr(ord("A") + at % 26)


class ColumnTotals:
    """The totals of the tables of a file. The reader of the file gives it the rows in order."""

    def __init__(self) -> None:
        self._tables: list[_Table] = []
        self._is_open = False
        self._is_cut = False
        self._is_stopped = False

    @property
    def has_tables(self) -> bool:
        return bool(self._tables)

    def begin_table(self, name: str, *, is_delimited: bool = False) -> None:
        """Begin a table.

        Args:
            name: of its sheet; empty if it is the only one.
            is_delimited: whether rows with another number of cells than the header are damaged.
        """
        self.end_table()
        self._open(_Table(name, is_delimited=is_delimited))

    def add_row(self, number: int, cells: Sequence[str], stored: Collection[int] = ()) -> None:
        """Add a row to the open table.

        Args:
            number: that of the row in the file, from 1.
            cells: their texts, each on one line.
            stored: the places of those that the file stores as numbers: `1234.5`, `18%`.
        """
        if self._is_open and any(cells):
            self._begin_next(self._tables[-1].add(_Row(number, cells, stored)))

    def _begin_next(self, rows: list[_Row]) -> None:
        """Begin a table with these rows, which stand below the open one, if there are any."""
        while rows and self._is_open:
            above = self._tables[-1]
            above.end(0)
            self._open(_Table(above.name, is_delimited=above.is_delimited))
            rows = [rest for row in rows for rest in self._tables[-1].add(row)]

    def _open(self, table: _Table) -> None:
        self._is_open = len(self._tables) < _MOST_TABLES
        self._is_cut = not self._is_open
        self._tables += [table] if self._is_open else []

    def end_table(self, limit: int = 0) -> None:
        """End the open table, of which no row after `limit` was read, unless that is 0."""
        while self._is_open and (rows := self._tables[-1].end(limit)):
            self._begin_next(rows)
        self._is_open = False

    def give_up(self) -> None:
        """End the open table, of which some rows cannot be counted."""
        if self._is_open:
            self._tables[-1].give_up()
        self.end_table()

    def stop(self) -> None:
        """End the open table and all others, since the rest of the file cannot be read."""
        self.give_up()
        self._is_stopped = True

    def drop_table(self) -> None:
        """Forget the open table, which is none."""
        self._tables[-1:] = []
        self._is_open = False

    def describe(self) -> str:
        """Return the totals in lines; empty if no column has any."""
        self.end_table()
        lines = [_TITLE]
        left = _LONGEST - len(_TITLE) - len(_CUT) - len(_STOPPED) - 2
        for table in self._tables:
            for line in table.describe():
                left -= len(line) + 1
                if left < 0:
                    return "\n".join([*lines, _CUT])
                lines.append(line)
        if lines[1:] and self._is_cut:
            lines.append(_CUT)
        if self._is_stopped:
            lines.append(_STOPPED)
        return "\n".join(lines) if lines[1:] else ""

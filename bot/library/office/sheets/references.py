"""Cells as formulas name them, with rows counted from the formula's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bot.library.office.sheets.values import Area, Place, Uncomputed, Value

LAST_ROW: Final = 1_048_576
LAST_COLUMN: Final = 16_384
_PIECES = re.compile(
    r"""
      "(?:[^"]|"")*" | '(?:[^']|'')*'! | \[[^\[\]]*\]
    | (?<![\w.$])(?P<column>\$?[A-Za-z]{1,3})
      (?: (?P<row>\d{1,7}) | \{\s*(?:row|ligne)\s*(?P<offset>[+-]\s*\d{1,7})?\s*\} )
      (?![\w(.!{])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FORM = re.compile(
    r"(\$?)([A-Z]{1,3})(?:\$(\d{1,7})|\{([+-]\d+)\}|(?=:)|$)(?::(\$?)([A-Z]{1,3})$)?"
)


def make_relative(text: str, row: int) -> str:
    """`text` as every row would say it: in row 5, `B5` and `B{row}` are `B{+0}`, `B2` is `B{-3}`.

    `B$2`, and what is in quotes or square brackets, stay.
    """

    def relative(found: re.Match[str]) -> str:
        if found["column"] is None:
            return found[0]
        if found["row"]:
            offset = int(found["row"]) - row
        else:
            offset = int((found["offset"] or "0").replace(" ", ""))
        return f"{found['column'].upper()}{{{offset:+d}}}"

    return _PIECES.sub(relative, text)


@dataclass(frozen=True, slots=True)
class Reference:
    """A cell, or whole columns, as it is named."""

    left: str
    """The column before the row, with its dollar sign."""
    column: int
    row: int = 0
    """Counted from 1, or from the formula's own row if `is_relative`; 0: whole columns."""
    is_relative: bool = False
    right: str = ""
    """The last of whole columns."""
    last_column: int = 0

    @classmethod
    def here(cls, column: int) -> Reference:
        """The cell of `column` in the formula's own row."""
        return cls(f"${column_letters(column)}", column, 0, is_relative=True)

    def written(self, row: int) -> str:
        """As a formula in `row` has it."""
        if self.right:
            return f"{self.left}:{self.right}"
        if not self.is_relative:
            return f"{self.left}${self.row}"
        return f"{self.left}{row + self.row}"

    def area(self, sheet: int, row: int) -> Area:
        if self.right:
            left, right = sorted((self.column, self.last_column))
            return Area(sheet, 1, left, LAST_ROW, right)
        at = row + self.row if self.is_relative else self.row
        return Area(sheet, at, self.column, at, self.column)


@dataclass(frozen=True, slots=True)
class Look:
    """The node of a single reference; without a sheet it is the formula's own."""

    reference: Reference
    sheet: int | None = None

    def __call__(self, place: Place) -> Area:
        return self.reference.area(place.sheet if self.sheet is None else self.sheet, place.row)

    def scalar(self, place: Place) -> Value:
        """The value there: the commonest step of all, without an `Area` on the way."""
        if self.reference.right:
            raise Uncomputed
        sheet = place.sheet if self.sheet is None else self.sheet
        row = self.reference.row + (place.row if self.reference.is_relative else 0)
        return place.cells.value(sheet, row, self.reference.column)


@dataclass(frozen=True, slots=True)
class Range:
    """The node of `first:last`."""

    first: Reference
    last: Reference
    sheet: int | None = None

    def __call__(self, place: Place) -> Area:
        sheet = place.sheet if self.sheet is None else self.sheet
        one, two = self.first.area(sheet, place.row), self.last.area(sheet, place.row)
        return Area(
            sheet,
            min(one.top, two.top),
            min(one.left, two.left),
            max(one.bottom, two.bottom),
            max(one.right, two.right),
        )


def read_reference(text: str) -> Reference | None:
    """`B{-3}`, `$B$2` or `B:D`; None if it is beyond the edge of a sheet."""
    found = _FORM.fullmatch(text.upper())
    if found is None:
        return None
    left, column = found[1] + found[2], column_number(found[2])
    if column > LAST_COLUMN:
        return None
    if found[6]:
        last = column_number(found[6])
        right = found[5] + found[6]
        return (
            Reference(left, column, right=right, last_column=last) if last <= LAST_COLUMN else None
        )
    if found[4]:
        return Reference(left, column, int(found[4]), is_relative=True)
    row = int(found[3] or 0)
    return Reference(left, column, row) if 1 <= row <= LAST_ROW else None


def column_letters(number: int) -> str:
    """1 is A, 27 is AA."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number

"""What formulas compute with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bot.library.office.sheets.numerals import read_number


class Fault(Exception):
    """A formula's result is an error, such as `#DIV/0!`; it spreads to what depends on it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Uncomputed(Exception):
    """The result is not known here; the spreadsheet program will compute it."""


class Circular(Uncomputed):
    """The formula depends on itself."""


@dataclass(frozen=True, slots=True)
class Area:
    """Cells of one sheet; rows and columns from 1, both ends belong to it."""

    sheet: int
    top: int
    left: int
    bottom: int
    right: int

    @property
    def is_single(self) -> bool:
        return self.top == self.bottom and self.left == self.right


Value: TypeAlias = "float | str | bool | None"


class Cells(Protocol):
    """Where formulas find the values of other cells; what raises for one, raises for all."""

    def value(self, sheet: int, row: int, column: int) -> Value: ...

    def values(self, area: Area) -> Iterator[Value]:
        """Row by row; those after the last cell that holds anything are left out."""
        ...

    def clip(self, area: Area) -> Area:
        """`area` without the rows and columns after the last that hold anything."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a formula stands, and what it may look at."""

    cells: Cells
    sheet: int
    row: int


Node: TypeAlias = "Callable[[Place], Value | Area]"


def scalar(node: Node, place: Place) -> Value:
    """The one value of `node`. Raises `Uncomputed`: it has several."""
    look = getattr(node, "scalar", None)
    if look is not None:
        return look(place)
    result = node(place)
    if not isinstance(result, Area):
        return result
    if not result.is_single:
        raise Uncomputed
    return place.cells.value(result.sheet, result.top, result.left)


def number(node: Node, place: Place) -> float:
    """The argument as a number: empty is 0, text that says a number is that number."""
    return to_number(scalar(node, place))


def to_number(value: Value) -> float:
    if isinstance(value, str):
        read = read_number(value, comma=False)
        if read is None:
            raise Fault("#VALUE!")
        return read
    return float(value or 0)


def to_text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return value if isinstance(value, str) else f"{value:.15g}"


def to_truth(value: Value) -> bool:
    if isinstance(value, str):
        if value.upper() in ("TRUE", "FALSE"):
            return value.upper() == "TRUE"
        raise Fault("#VALUE!")
    return bool(value)


def order_key(value: Value, like: Value = None) -> tuple[int, float | str]:
    """How a spreadsheet sorts: numbers, then text without regard to case, then truth values.

    An empty cell counts as what it is compared with: 0, or no text.
    """
    if value is None:
        return (1, "") if isinstance(like, str) else (0, 0.0)
    if isinstance(value, bool):
        return 2, float(value)
    if isinstance(value, str):
        return 1, value.casefold()
    return 0, value

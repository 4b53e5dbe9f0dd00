"""Read formulas strictly, write them as the file format requires, and compute them.

A formula is read completely before any of it gets into a workbook, for two reasons: nothing may
reach out of the workbook, and programs reject a whole file for one malformed formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from bot.documents.xlsx import functions
from bot.documents.xlsx.functions import (
    ARITY,
    COMPUTED,
    Area,
    FormulaPlace,
    Node,
    Uncomputed,
    Value,
    scalar,
    spell_function,
    takes_column,
    to_english,
)
from bot.documents.xlsx.loans import LOANS
from bot.documents.xlsx.lookups import LOOKUPS

_COMPUTED: Final = {**COMPUTED, **LOOKUPS, **LOANS}
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
_REFERENCE = re.compile(
    r"(\$?)([A-Z]{1,3})(?:\$(\d{1,7})|\{([+-]\d+)\}|(?=:)|$)(?::(\$?)([A-Z]{1,3})$)?"
)


def make_relative(text: str, row: int) -> str:
    """Return `text` with rows relative to `row`: in row 5, `B5` and `B{row}` become `B{+0}`, and
    `B2` becomes `B{-3}`.

    `B$2`, and text in quotes or square brackets, stay.
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
    """A cell, or whole columns, as written in a formula."""

    left: str
    """The column before the row, with its dollar sign."""
    column: int
    row: int = 0
    """Counted from 1, or from the formula's own row if `is_relative`; 0: whole columns."""
    is_relative: bool = False
    right: str = ""
    """The last of several whole columns, with its dollar sign."""
    last_column: int = 0

    @classmethod
    def here(cls, column: int) -> Reference:
        """Return the cell of `column` in the formula's own row."""
        return cls(f"${to_column_letters(column)}", column, 0, is_relative=True)

    def written(self, row: int) -> str:
        """Write the reference for a formula in `row`."""
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
class CellNode:
    """The node of a single reference; without a sheet it refers to the formula's own."""

    reference: Reference
    sheet: int | None = None

    def __call__(self, place: FormulaPlace) -> Area:
        return self.reference.area(place.sheet if self.sheet is None else self.sheet, place.row)

    def scalar(self, place: FormulaPlace) -> Value:
        """Return the cell's value: the most frequent step, so no `Area` is made for it."""
        if self.reference.right:
            raise Uncomputed
        sheet = place.sheet if self.sheet is None else self.sheet
        row = self.reference.row + (place.row if self.reference.is_relative else 0)
        return place.cells.value(sheet, row, self.reference.column)


@dataclass(frozen=True, slots=True)
class RangeNode:
    """The node of `first:last`."""

    first: Reference
    last: Reference
    sheet: int | None = None

    def __call__(self, place: FormulaPlace) -> Area:
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
    """Read `B{-3}`, `$B$2` or `B:D`; None if it is beyond the edge of a sheet."""
    found = _REFERENCE.fullmatch(text.upper())
    if found is None:
        return None
    left, column = found[1] + found[2], to_column_number(found[2])
    if column > LAST_COLUMN:
        return None
    if found[6]:
        last = to_column_number(found[6])
        right = found[5] + found[6]
        return (
            Reference(left, column, right=right, last_column=last) if last <= LAST_COLUMN else None
        )
    if found[4]:
        return Reference(left, column, int(found[4]), is_relative=True)
    row = int(found[3] or 0)
    return Reference(left, column, row) if 1 <= row <= LAST_ROW else None


def to_column_letters(number: int) -> str:
    """Return the letters of a column: A for 1, AA for 27."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def to_column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


_WORDS = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<string>"(?:[^"]|"")*")
    | (?P<sheet>'(?:[^'\[\]]|'')+'! | [^\W\d][\w.]*!)
    | (?P<header>\[@?[^\[\]]+\] | \[@\[[^\[\]]+\]\])
    | (?P<columns>\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}(?![\w(.]))
    | (?P<cell>\$?[A-Za-z]{1,3}(?:\$\d{1,7}|\{[+-]\d+\})(?![\w(.!]))
    | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?(?![\w.]) | \.\d+(?![\w.]))
    | (?P<name>[^\W\d][\w.]*)
    | (?P<operator><=|>=|<>|[-+*/^&=<>%:])
    | (?P<opening>\()
    | (?P<closing>\))
    | (?P<separator>[,;])
    """,
    re.VERBOSE,
)
_QUOTED = re.compile(r'("(?:[^"]|"")*")')
_FRENCH_COMMA = re.compile(r"(?<=\d),(?=\d)")
_OUTER_COMMA = re.compile(r"[()]|(?<=\d),(?=\d)")


class Lexeme(NamedTuple):
    kind: str
    text: str


def read_lexemes(text: str) -> list[Lexeme] | None:
    """Split a formula without its equals sign into lexemes; None if a part of it is no lexeme."""
    text = _point_decimals(text)
    words: list[Lexeme] = []
    at = 0
    while at < len(text):
        found = _WORDS.match(text, at)
        if found is None or found.lastgroup is None:
            return None
        if found.lastgroup != "space":
            words.append(Lexeme(found.lastgroup, found[0]))
        at = found.end()
    return words


def _point_decimals(text: str) -> str:
    """Write `B2*1,18` as `B2*1.18`; a French formula has semicolons between arguments."""
    parts = _QUOTED.split(text)
    outside = parts[::2]
    if any(";" in part for part in outside):
        parts[::2] = [_FRENCH_COMMA.sub(".", part) for part in outside]
        return "".join(parts)
    depth = 0

    def point(found: re.Match[str]) -> str:
        nonlocal depth
        if found[0] != ",":
            depth += 1 if found[0] == "(" else -1
            return found[0]
        return "," if depth else "."

    parts[::2] = [_OUTER_COMMA.sub(point, part) for part in outside]
    return "".join(parts)


MAX_LENGTH: Final = 2_000
"""Most characters of a formula; the format would allow 8,192."""
_DEEPEST = 40


class Malformed(ValueError):
    """The text is no formula, or one that is not allowed; the message says why."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that may be used in any row."""

    pieces: tuple[str | Reference, ...]
    node: Node
    offsets: frozenset[int]
    """Distances from its own row to the rows that it refers to."""

    def check_row(self, row: int) -> None:
        """Raise `Malformed` if in `row` it would refer to a row above or below the sheet."""
        if not all(1 <= row + offset <= LAST_ROW for offset in self.offsets):
            raise Malformed("it refers to a row that does not exist")

    def written(self, row: int) -> str:
        """Write it for a cell in `row`, with its equals sign."""
        return "=" + "".join([p if isinstance(p, str) else p.written(row) for p in self.pieces])

    def compute(self, place: FormulaPlace) -> Value:
        """Return its result. Raises `FormulaError` and `Uncomputed`."""
        value = scalar(self.node, place)
        return 0.0 if value is None else value


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a formula may use."""

    columns: Mapping[str, int]
    """The columns of its own sheet, from 1, by their folded headers."""
    sheets: Mapping[str, tuple[int, str]]
    """Index and written name of each sheet, by folded name."""
    last_row: int = 0
    """The last row of values of its own sheet, without totals; 0: none."""


def parse_formula(text: str, names: Names) -> Formula:
    """Parse `text`, whose rows are relative (`make_relative`).

    Raises:
        Malformed: the message gives the reason.
    """
    if len(text) > MAX_LENGTH:
        raise Malformed(f"it is longer than {MAX_LENGTH} characters")
    lexemes = read_lexemes(text.lstrip("= "))
    if lexemes is None:
        raise Malformed("it holds characters that mean nothing in a formula")
    return _Parser(lexemes, names).read()


@dataclass
class _Parser:
    lexemes: list[Lexeme]
    names: Names
    at: int = 0
    depth: int = 0
    in_products: int = 0
    """Number of calls of SUMPRODUCT around the lexeme."""
    pieces: list[str | Reference] = field(default_factory=list[str | Reference])

    def read(self) -> Formula:
        node = self._comparison()
        if self._kind:
            raise Malformed(f"{self._text!r} stands where it means nothing")
        references = [piece for piece in self.pieces if isinstance(piece, Reference)]
        offsets = frozenset(each.row for each in references if each.is_relative)
        return Formula(tuple(self.pieces), node, offsets)

    @property
    def _kind(self) -> str:
        return self.lexemes[self.at].kind if self.at < len(self.lexemes) else ""

    @property
    def _text(self) -> str:
        return self.lexemes[self.at].text if self.at < len(self.lexemes) else ""

    def _take(self, written: str | Reference | None = None) -> str:
        """Take the next lexeme; write it as it is, or as `written`."""
        text = self._text
        self.pieces.append(text if written is None else written)
        self.at += 1
        return text

    def _comparison(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Malformed("it is nested too deeply")
        node = self._binary(0)
        self.depth -= 1
        return node

    def _binary(self, level: int) -> Node:
        """Read a chain of operators of one rank, from left to right."""
        if level == len(functions.OPERATORS):
            return self._signed()
        node = self._binary(level + 1)
        steps: list[tuple[Callable[[Value, Value], Value], Node]] = []
        while self._kind == "operator" and self._text in functions.OPERATORS[level]:
            compute = functions.OPERATORS[level][self._take()]
            steps.append((compute, self._binary(level + 1)))
        return partial(_run_chain, node, steps) if steps else node

    def _signed(self) -> Node:
        signs: list[str] = []
        while self._text in ("+", "-"):
            signs.append(self._take())
            if len(signs) > _DEEPEST:
                raise Malformed("it has too many signs")
        node = self._operand()
        while self._text == "%":
            self._take()
            node = partial(functions.percent, node)
        return partial(functions.negate, node) if signs.count("-") % 2 else node

    def _operand(self) -> Node:
        readers: Mapping[str, Callable[[], Node]] = {
            "number": self._number,
            "string": self._string,
            "name": self._call,
            "cell": self._area,
            "columns": self._area,
            "sheet": self._other_sheet,
            "header": self._header,
            "opening": self._bracketed,
        }
        if self._kind not in readers:
            shown = repr(self._text) if self._text else "its end"
            raise Malformed(f"something is missing before {shown}")
        return readers[self._kind]()

    def _number(self) -> Node:
        value = float(self._take())
        return lambda _: value

    def _string(self) -> Node:
        value = self._take()[1:-1].replace('""', '"')
        return lambda _: value

    def _bracketed(self) -> Node:
        self._take()
        node = self._comparison()
        self._close()
        return node

    def _close(self) -> None:
        if self._kind != "closing":
            raise Malformed("a bracket is not closed")
        self._take()

    def _call(self) -> Node:
        name = to_english(self._text)
        if name in ("TRUE", "FALSE") and self.lexemes[self.at + 1 :][:1] != [
            Lexeme("opening", "(")
        ]:
            self._take(name)
            return lambda _: name == "TRUE"
        if name not in ARITY:
            raise Malformed(f"the function {name} is not allowed here")
        self._take(spell_function(name))
        if self._kind != "opening":
            raise Malformed(f"brackets are missing after {name}")
        self.in_products += name == "SUMPRODUCT"
        nodes = self._arguments(name)
        self.in_products -= name == "SUMPRODUCT"
        least, most = ARITY[name]
        if not least <= len(nodes) <= most:
            raise Malformed(f"{name} has {len(nodes)} arguments, which is not a number it takes")
        compute = _COMPUTED.get(name)
        return partial(compute, nodes) if compute else _refuse_to_compute

    def _arguments(self, name: str) -> list[Node]:
        self._take()
        nodes: list[Node] = []
        while self._kind != "closing":
            if nodes:
                if self._kind != "separator":
                    raise Malformed("a bracket is not closed")
                self._take(",")
            following = self.lexemes[self.at + 1 : self.at + 2]
            ends = following[0].kind if following else ""
            is_whole = (
                self._kind == "header"
                and ends in ("closing", "separator")
                and takes_column(name, len(nodes), is_only=not nodes and ends == "closing")
            )
            nodes.append(self._header(is_whole=True) if is_whole else self._comparison())
        self._close()
        return nodes

    def _other_sheet(self) -> Node:
        name = self._text[:-1].strip("'").replace("''", "'").strip().casefold()
        if name not in self.names.sheets:
            raise Malformed(f"there is no sheet {name!r} in this workbook")
        index, written = self.names.sheets[name]
        self._take("'" + written.replace("'", "''") + "'!")
        if self._kind not in ("cell", "columns"):
            raise Malformed("a cell is missing after the name of a sheet")
        return self._area(index)

    def _header(self, *, is_whole: bool = False) -> Node:
        """Read `[Price]`: the cell of that column in the formula's own row, or the whole column
        where a function takes a list. `[@Price]` is always the cell; `[May]:[June]` are cells."""
        is_cell = self._text.startswith("[@")
        column = self._find_column()
        if (is_whole or self.in_products) and not is_cell and self.names.last_row:
            left = f"${to_column_letters(column)}"
            first, last = Reference(left, column, 2), Reference(left, column, self.names.last_row)
            self.pieces += [first, ":"]
            self._take(last)
            return RangeNode(first, last)
        first = Reference.here(column)
        self._take(first)
        if self._text != ":":
            return CellNode(first)
        self._take()
        if self._kind != "header":
            raise Malformed("a column is missing after ':'")
        last = Reference.here(self._find_column())
        self._take(last)
        return RangeNode(first, last)

    def _find_column(self) -> int:
        header = self._text.strip("[@] ")
        column = self.names.columns.get(" ".join(header.split()).casefold())
        if column is None:
            raise Malformed(f"there is no column {header!r} in this sheet")
        return column

    def _area(self, sheet: int | None = None) -> Node:
        first = self._reference()
        if self._text != ":":
            return CellNode(first, sheet)
        self._take()
        if self._kind != "cell":
            raise Malformed("a cell is missing after ':'")
        return RangeNode(first, self._reference(), sheet)

    def _reference(self) -> Reference:
        reference = read_reference(self._text)
        if reference is None:
            raise Malformed(f"{self._text} is beyond the edge of a sheet")
        self._take(reference)
        return reference


def _run_chain(
    first: Node, steps: Sequence[tuple[Callable[[Value, Value], Value], Node]], place: FormulaPlace
) -> Value:
    value = scalar(first, place)
    for compute, node in steps:
        value = compute(value, scalar(node, place))
    return value


def _refuse_to_compute(_: FormulaPlace) -> Value:
    raise Uncomputed

"""Formulas: read strictly, written as the file format wants them, and ready to be computed.

A formula is read whole before any of it enters a workbook, for two reasons: nothing may reach out
of the workbook, and programs call a whole file broken for one formula that is malformed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from bot.library.office.sheets import arithmetic
from bot.library.office.sheets.functions import ARITY, COMPUTED, english, spelled
from bot.library.office.sheets.lexicon import Lexeme, read_lexemes
from bot.library.office.sheets.references import LAST_ROW, Look, Range, Reference, read_reference
from bot.library.office.sheets.values import Node, Place, Uncomputed, Value, scalar

MAX_LENGTH: Final = 2_000
"""Characters; the format would take 8,192."""
_DEEPEST = 40


class Malformed(ValueError):
    """It is no formula, or one that may not be written; the message says why."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that may stand in any row."""

    pieces: tuple[str | Reference, ...]
    node: Node
    offsets: frozenset[int]
    """Of the rows that it refers to, from its own."""

    def check_row(self, row: int) -> None:
        """Raises `Malformed`: in `row` it would refer to what is above or below the sheet."""
        if not all(1 <= row + offset <= LAST_ROW for offset in self.offsets):
            raise Malformed("it refers to a row that does not exist")

    def written(self, row: int) -> str:
        """As it stands in the file, in `row`, with its sign."""
        return "=" + "".join([p if isinstance(p, str) else p.written(row) for p in self.pieces])

    def compute(self, place: Place) -> Value:
        """Its result. Raises `Fault` and `Uncomputed`."""
        value = scalar(self.node, place)
        return 0.0 if value is None else value


@dataclass(frozen=True, slots=True)
class Names:
    """What a formula may speak of."""

    columns: Mapping[str, int]
    """The columns of its own sheet, from 1, by their headers, folded."""
    sheets: Mapping[str, tuple[int, str]]
    """By their names, folded: index, and name as the file has it."""


def parse(text: str, names: Names) -> Formula:
    """`text`, whose rows are relative (`references.make_relative`), as a formula.

    Raises:
        Malformed: with the reason.
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
        """The next lexeme; it is written as it is, or as `written`."""
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
        """A chain of operators of one rank, from left to right."""
        if level == len(arithmetic.RANKS):
            return self._signed()
        node = self._binary(level + 1)
        steps: list[tuple[Callable[[Value, Value], Value], Node]] = []
        while self._kind == "operator" and self._text in arithmetic.RANKS[level]:
            compute = arithmetic.RANKS[level][self._take()]
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
            node = partial(arithmetic.percent, node)
        return partial(arithmetic.negate, node) if signs.count("-") % 2 else node

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
        name = english(self._text)
        if name in ("TRUE", "FALSE") and self.lexemes[self.at + 1 :][:1] != [
            Lexeme("opening", "(")
        ]:
            self._take(name)
            return lambda _: name == "TRUE"
        if name not in ARITY:
            raise Malformed(f"the function {name} is not allowed here")
        self._take(spelled(name))
        if self._kind != "opening":
            raise Malformed(f"brackets are missing after {name}")
        nodes = self._arguments()
        least, most = ARITY[name]
        if not least <= len(nodes) <= most:
            raise Malformed(f"{name} has {len(nodes)} arguments, which is not a number it takes")
        compute = COMPUTED.get(name)
        return partial(compute, nodes) if compute else _unknown

    def _arguments(self) -> list[Node]:
        self._take()
        nodes: list[Node] = []
        while self._kind != "closing":
            if nodes:
                if self._kind != "separator":
                    raise Malformed("a bracket is not closed")
                self._take(",")
            nodes.append(self._comparison())
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

    def _header(self) -> Node:
        header = self._text.strip("[]").removeprefix("@").strip()
        column = self.names.columns.get(" ".join(header.split()).casefold())
        if column is None:
            raise Malformed(f"there is no column {header!r} in this sheet")
        reference = Reference.here(column)
        self._take(reference)
        return Look(reference)

    def _area(self, sheet: int | None = None) -> Node:
        first = self._reference()
        if self._text != ":":
            return Look(first, sheet)
        self._take()
        if self._kind != "cell":
            raise Malformed("a cell is missing after ':'")
        return Range(first, self._reference(), sheet)

    def _reference(self) -> Reference:
        reference = read_reference(self._text)
        if reference is None:
            raise Malformed(f"{self._text} is beyond the edge of a sheet")
        self._take(reference)
        return reference


def _run_chain(
    first: Node, steps: Sequence[tuple[Callable[[Value, Value], Value], Node]], place: Place
) -> Value:
    value = scalar(first, place)
    for compute, node in steps:
        value = compute(value, scalar(node, place))
    return value


def _unknown(_: Place) -> Value:
    raise Uncomputed

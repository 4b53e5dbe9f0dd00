"""Write a LaTeX formula as tokens: its tree, from `bot/formulas/syntax.py`, in one line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import Final

import msgspec

from bot.formulas import tree
from bot.formulas.syntax import Untypesettable, read_formula
from bot.formulas.tree import Node, Row
from bot.maths.reading.tokens import FUNCTIONS, Kind, Token, fold, read_digits, tokenize

MAX_FORMULA: Final = 4_000
"""Most characters of a formula that is read."""
_GROUPED: Final = re.compile(
    r"(?<=\d)(?:\\[,;: ]|~|\\thinspace|\\ |[ \u00a0\u202f]){1,2}(?=\d{3}(?!\d))"
)
_REPEATED: Final = re.compile(
    r"(?<!\d)(\d{1,9})(?:\{\s?,\s?\}|[.,])(\d{0,9})\\(?:overline|bar|underline)\{(\d{1,6})\}"
)
"""A decimal whose period has a line over it."""
_COMMA: Final = re.compile(r"\{\s*([,.])\s*\}")
_SIGNS: Final = {
    "×": "*", "⋅": "*", "·": "*", "∙": "*", "∗": "*", "÷": "/", "−": "-", "′": "'",
    "⩽": "≤", "⩾": "≥", "≃": "≈",
}  # fmt: skip
"""How signs are written in tokens."""
_CHARS: Final[Mapping[Kind, str]] = {
    "operator": "×⋅·∙∗*÷/:+-−±!%∪′",
    "relation": "=<>≤⩽≥⩾≈≃≠∈",
    "open": "([{",
    "close": ")]}",
    "separator": ",;.?",
    "unit": "€$£°",
}
_KINDS: Final[Mapping[str, Kind]] = {char: kind for kind, chars in _CHARS.items() for char in chars}
_BIG: Final = {"lim": "lim", "∑": "∑", "∏": "∏", "∫": "∫"}
"""Signs that may have bounds."""
_WIDE: Final = (tree.Gap("quad"), tree.Gap("wide"))
_ENDS: Final = ("number", "name", "power", "unit", "close")
_BEGINNINGS: Final = ("number", "name", "function", "open")
"""Tokens that do not belong together over a wide space: `a = b \\qquad c = d`."""
_TOO_MANY: Final = 2_000
"""Most tokens of one formula."""


def tokenize_formula(latex: str, start: int, end: int) -> list[Token]:
    """Return the tokens of a formula, each with the place of the whole formula; a single break if
    it cannot be read."""
    repeated = _REPEATED.sub(r"\1.\2\3\3\3\3\\ldots ", latex)
    source = _GROUPED.sub("", _COMMA.sub(r"\1", repeated))
    try:
        row = read_formula(source, longest=MAX_FORMULA)
        tokens = _Writer(start, end).write(row)
    except (Untypesettable, RecursionError):
        return [Token("break", latex[:20], start, end, is_formula=True)]
    return tokens


class _Writer:
    """A writer of one formula's nodes as tokens."""

    def __init__(self, start: int, end: int) -> None:
        self._start = start
        self._end = end
        self._tokens: list[Token] = []
        self._is_spaced = True
        self._is_apart = False
        """Whether a wide space comes before the next token, as between two formulas."""
        self._is_in_bars = False

    def write(self, row: Row) -> list[Token]:
        self._write_row(row)
        return self._tokens

    def _add(self, kind: Kind, text: str) -> None:
        if len(self._tokens) > _TOO_MANY:
            raise Untypesettable("It has too many signs.")
        is_apart, self._is_apart = self._is_apart, False
        if is_apart and kind in _BEGINNINGS and self._tokens and self._tokens[-1].kind in _ENDS:
            self._add("separator", ";")
        token = Token(
            kind, text, self._start, self._end, is_spaced=self._is_spaced, is_formula=True
        )
        self._tokens.append(token)
        self._is_spaced = False

    def _write_row(self, row: Row) -> None:
        for node in row:
            self._write_node(node)

    def _write_bracketed(self, row: Row) -> None:
        self._add("open", "(")
        self._write_row(row)
        self._add("close", ")")

    def _write_node(self, node: Node) -> None:
        match node:
            case tree.Char(char):
                self._write_char(char)
            case tree.Number(digits):
                self._write_number(digits)
            case tree.Text(text):
                self._write_text(text)
            case tree.Blank() | tree.Gap():
                self._is_spaced = True
                self._is_apart |= node in _WIDE
            case tree.Group(body) | tree.Styled(_, body):
                self._write_row(body)
            case tree.Wrapped(function, body):
                self._write_wrapped(function, body)
            case _:
                self._write_construct(node)

    def _write_construct(self, node: Node) -> None:
        match node:
            case tree.Fraction(_, above, below):
                self._write_fraction(above, below)
            case tree.Scripts():
                self._write_scripts(node)
            case tree.Root(degree, body):
                self._write_root(degree, body)
            case tree.Binomial(above, below):
                self._write_binomial(above, below)
            case tree.Name(body):
                self._write_function(body)
            case tree.Table():
                self._write_table(node)
            case tree.Remark(body):
                self._write_row(body)
            case _:
                self._write_bracket(node)

    def _write_bracket(self, node: Node) -> None:
        match node:
            case tree.Fence(opening, body, closing):
                self._write_fence(opening, body, closing)
            case tree.Delimiter(_, char):
                self._write_char(char)
            case tree.Brace(_, body, _):
                self._write_row(body)
            case _:
                self._add("break", "\\")

    def _write_binomial(self, above: Row, below: Row) -> None:
        self._add("function", "binom")
        self._add("open", "(")
        self._write_row(above)
        self._add("separator", ";")
        self._write_row(below)
        self._add("close", ")")

    def _write_char(self, char: str) -> None:
        if char in _KINDS:
            self._add(_KINDS[char], _SIGNS.get(char, char))
        elif char in _BIG:
            self._add("operator", char)
            self._is_spaced = True  # what follows is no bound
        elif char.isalpha():
            self._write_letter(char)
        elif char == "~":
            self._is_spaced = True
        elif char in ("|", "∣"):
            self._write_bar()
        elif char:
            self._add("break", "…" if char == "⋯" else char)

    def _write_bar(self) -> None:
        """Write a bar: the first opens an absolute value, the next one closes it."""
        self._is_in_bars = not self._is_in_bars
        if self._is_in_bars:
            self._add("function", "abs")
            self._add("open", "(")
        else:
            self._add("close", ")")

    def _write_letter(self, char: str) -> None:
        """Write a letter; adjacent capitals are joined to the name of a segment."""
        last = self._tokens[-1] if self._tokens else None
        if char == "Ω" and last and last.kind == "number":
            self._add("unit", char)
            return
        is_name = last and last.kind == "name" and last.is_formula and not self._is_spaced
        if is_name and last and last.text.isupper() and char.isupper() and char.isascii():
            self._tokens[-1] = msgspec.structs.replace(last, text=last.text + char)
        else:
            self._add("name", char)

    def _write_number(self, digits: str) -> None:
        token = read_digits(digits, self._start, self._end)
        self._tokens.append(
            msgspec.structs.replace(token, is_spaced=self._is_spaced, is_formula=True)
        )
        self._is_spaced = False

    def _write_text(self, text: str) -> None:
        """Write words within a formula as words of text."""
        for token in tokenize(text):
            self._tokens.append(
                msgspec.structs.replace(token, start=self._start, end=self._end, is_spaced=True)
            )
        self._is_spaced = True

    def _write_wrapped(self, function: str, body: Row) -> None:
        if function in ("arrow", "bb", "unseen", "cancel"):
            self._add("break", function)
        elif function in ("upright",):
            self._write_text(_join_chars(body))
        elif function in ("overline", "macron") and not _is_name(body):
            self._write_conjugate(body)
        else:
            self._write_row(body)
        last = self._tokens[-1] if self._tokens else None
        if function in ("overline", "macron") and len(body) == 1 and last and last.kind == "name":
            name = unicodedata.normalize("NFC", f"{last.text}\u0304")
            self._tokens[-1] = msgspec.structs.replace(last, text=name)

    def _write_conjugate(self, body: Row) -> None:
        """Write a line over an expression with i as a conjugate, over digits or others as a
        break."""
        begin = len(self._tokens)
        self._add("function", "conj")
        self._write_bracketed(body)
        written = self._tokens[begin:]
        if not any(token.text == "i" for token in written):
            del self._tokens[begin:]
            self._add("break", "overline")

    def _write_fraction(self, above: Row, below: Row) -> None:
        self._add("open", "frac")
        self._write_bracketed(above)
        self._add("operator", "/")
        self._write_bracketed(below)
        self._add("close", "end")

    def _write_root(self, degree: Row, body: Row) -> None:
        if not degree:
            self._add("operator", "√")
            self._write_bracketed(body)
            return
        self._add("function", "root")
        self._add("open", "(")
        self._write_row(body)
        self._add("separator", ";")
        self._write_row(degree)
        self._add("close", ")")

    def _write_fence(self, opening: str, body: Row, closing: str) -> None:
        if opening == closing == "|":
            self._add("function", "abs")
            self._write_bracketed(body)
        elif opening == "{" and not closing:
            self._write_row(body)
        else:
            self._write_char(opening)
            self._write_row(body)
            self._write_char(closing)

    def _write_function(self, body: Row) -> None:
        name = fold(_join_chars(body))
        if name in FUNCTIONS:
            self._add("function", FUNCTIONS[name])
        elif name in ("lim", "mod"):
            self._add("word", name)
        else:
            self._add("break", name)

    def _write_scripts(self, node: tree.Scripts) -> None:
        if node.are_before:
            self._add("break", "script")
            return
        base = node.base.base if isinstance(node.base, tree.Limits) else node.base
        if (sign := _BIG.get(_join_chars([base]) if base else "")) and "_" in node.places:
            self._write_bounds(sign, node)
            return
        if self._write_selection(base, node):
            return
        if base is not None:
            self._write_node(base)
        for place, row in node.places.items():
            self._write_script(place, row)

    def _write_selection(self, base: Node | None, node: tree.Scripts) -> bool:
        """Write `C_5^2`, the French form of a binomial coefficient, and `A_5^2`, arrangements of 2
        of 5; return False for anything else."""
        name = _join_chars([base]) if base else ""
        whole, chosen = (_join_chars(node.places.get(place, ())) for place in ("_", "^"))
        if name not in ("A", "C") or not (whole.isdecimal() and chosen.isdecimal()):
            return False
        if int(whole) < int(chosen):
            return False
        self._add("open", "(")
        self._write_binomial(node.places["_"], node.places["^"])
        if name == "A":
            self._add("operator", "*")
            self._write_row(node.places["^"])
            self._add("operator", "!")
        self._add("close", ")")
        return True

    def _write_bounds(self, sign: str, node: tree.Scripts) -> None:
        """Write a large sign with its bounds, in which a relation is no statement."""
        self._add("operator", sign)
        begin = len(self._tokens)
        for place in ("_", "^"):
            if place in node.places:
                self._write_bracketed(node.places[place])
        for at, token in enumerate(self._tokens[begin:], begin):
            if token.kind == "relation":
                self._tokens[at] = msgspec.structs.replace(token, kind="operator")

    def _write_script(self, place: str, row: Row) -> None:
        if place == "_":
            self._write_subscript(row)
        elif place == "'":
            self._write_primes(len(row))
        elif _join_chars(row) in ("∘", "°"):
            self._add("unit", "°")
        elif _join_chars(row) in ("′", "'"):
            self._write_primes(1)
        else:
            self._add("operator", "^")
            self._write_bracketed(row)

    def _write_subscript(self, row: Row) -> None:
        last = self._tokens[-1] if self._tokens else None
        if last and last.kind == "name" and last.is_formula:
            name = f"{last.text}_{_join_chars(row)}"
            self._tokens[-1] = msgspec.structs.replace(last, text=name)
        else:
            self._add("operator", "_")
            self._write_bracketed(row)

    def _write_primes(self, count: int) -> None:
        last = self._tokens[-1] if self._tokens else None
        if last and last.kind == "name":
            self._tokens[-1] = msgspec.structs.replace(last, text=last.text + "'" * count)
        else:
            for _ in range(count):
                self._add("operator", "'")

    def _write_table(self, table: tree.Table) -> None:
        """Write the lines of a table one under another, those of a bound after commas; a matrix
        becomes a break."""
        if table.name == "substack":
            self._write_conditions(table)
            return
        if table.name not in ("align", "aligned", "split", "cases", "dcases", "gather", "gathered",
                              "equation", "array", "alignedat", "eqnarray"):  # fmt: skip
            if table.name == "vmatrix" and [len(row) for row in table.rows] in ([2, 2], [3, 3, 3]):
                self._write_determinant(table.rows)
            else:
                self._add("break", table.name)
            return
        if table.name in ("cases", "dcases", "array"):
            self._add("separator", "cases")
        for row in table.rows:
            self._add("separator", "\n")
            for cell in row:
                self._write_row(cell)
        if table.name in ("cases", "dcases", "array"):
            self._add("separator", "end")

    def _write_determinant(self, rows: Sequence[Sequence[Row]]) -> None:
        """Write a determinant as its sum of products."""
        self._add("open", "(")
        for at, order in enumerate(permutations(range(len(rows)))):
            is_odd = sum(one > other for one, other in combinations(order, 2)) % 2
            if at:
                self._add("operator", "-" if is_odd else "+")
            for row, column in enumerate(order):
                if row:
                    self._add("operator", "*")
                self._write_bracketed(rows[row][column])
        self._add("close", ")")

    def _write_conditions(self, table: tree.Table) -> None:
        for at, row in enumerate(table.rows):
            if at:
                self._add("separator", ",")
            for cell in row:
                self._write_row(cell)


def _is_name(body: Row) -> bool:
    """Return whether what has a line over it is a name, of a letter or of two points."""
    name = _join_chars(body).strip()
    return (len(name) == 1 and not name.isdigit()) or (name.isascii() and name.isupper())


def _join_chars(row: Sequence[Node]) -> str:
    """Return the plain characters of a row, such as a subscript or a name."""
    parts: list[str] = []
    for node in row:
        match node:
            case tree.Char(char):
                parts.append(char)
            case tree.Number(digits):
                parts.append(digits)
            case tree.Text(text):
                parts.append(text)
            case tree.Group(body) | tree.Wrapped(_, body) | tree.Styled(_, body) | tree.Name(body):
                parts.append(_join_chars(body))
            case _:
                parts.append(" ")
    return "".join(parts)

"""Write formulas as Typst mathematics, for pictures and documents.

    source = PREAMBLE + f"$ {to_typst(formula)} $"

Own code, though a converter exists: `\\operatorname{\\\\" #read(x)}` leaves tex2typst 0.1.7 as code
that Typst runs, and `2{,}5` as a pair of numbers. Here every character of the formula comes out
escaped or in a string, and every name that comes out is one of ours.

Facts: https://typst.app/docs/reference/math/ and /reference/syntax/#escapes: a backslash makes the
next character stand for itself, in strings only `\\` and `"` need one, and letters that touch each
other are a name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from bot.formulas import symbols, tree
from bot.formulas.syntax import Untypesettable, read_formula
from bot.formulas.tree import Node, Row

PREAMBLE: Final = r"""
#let negthin = h(-0.17em)
#let tight(body) = { set text(top-edge: "bounds", bottom-edge: "bounds"); body }
#let boxed(body) = box(stroke: 0.6pt, inset: 0.4em, tight($display(body)$))
#let ruled(width, level, upright, ..cells) = box(tight(grid(
  columns: width, inset: (x: 0.6em, y: 0.5em), align: center + horizon,
  ..level.map(y => grid.hline(y: y, stroke: 0.6pt)),
  ..upright.map(x => grid.vline(x: x, stroke: 0.6pt)),
  ..cells.pos().map(cell => $display(cell)$),
)))
#let unseen(body) = hide($body$)
#let boldface(body) = math.bold(math.upright(body))
#let over(body, note) = math.attach(math.limits(body), t: note)
#let under(body, note) = math.attach(math.limits(body), b: note)
#let tie = sym.space.nobreak
#set math.mat(row-gap: 0.35em, column-gap: 0.9em)
#set math.cases(gap: 0.45em)
#set math.equation(numbering: none)
"""
"""Typst source to put once before the formulas; it only sets how mathematics looks."""
_EMPTY: Final = '""'
_CHARACTERS = {"-": "−", "*": "∗", "`": "‘", "/": "∕", "~": " "}

_INVISIBLE: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_BLANK: Final = frozenset((_EMPTY, *symbols.SPACES.values()))
_SCRIPTS: Final = {"^": "t", "_": "b"}
_SIDES: Final = {"l": "#left", "r": "#right"}


def to_typst(latex: str, unknown: list[str] | None = None) -> str:
    """Return `latex`, without dollar signs around it, as Typst mathematics.

    The only code in it is calls of functions of Typst and of `PREAMBLE`.

    Args:
        unknown: collects unknown commands, which are shown as they were typed; without it they are
            not allowed.

    Raises:
        Untypesettable: the formula is malformed, too long or too deep, or has unknown notation.
    """
    return join_math(to_parts(latex, unknown))


def to_parts(latex: str, unknown: list[str] | None = None) -> list[str]:
    """Write `latex` in parts, between which a line may be broken. Raises `Untypesettable`."""
    parts = _write_parts(read_formula(latex, unknown=unknown))
    if _BLANK.issuperset(parts):
        raise Untypesettable("It is empty.")
    return parts


def math_symbol(char: str) -> str:
    """Write one visible character of mathematics. Raises `Untypesettable`: it is invisible."""
    char = _CHARACTERS.get(char, char)
    if (char.isascii() and char.isdigit()) or char.isalpha():
        return char
    if unicodedata.category(char) in _INVISIBLE:
        raise Untypesettable("It holds characters that cannot be seen.")
    return "\\" + char


def math_text(text: str) -> str:
    """Write upright text with single spaces. Raises `Untypesettable`: it has invisible signs."""
    kept = "".join(" " if char.isspace() else char for char in text)
    if any(unicodedata.category(char) in _INVISIBLE for char in kept):
        raise Untypesettable("It holds characters that cannot be seen.")
    while "  " in kept:
        kept = kept.replace("  ", " ")
    return '"' + kept.replace("\\", "\\\\").replace('"', '\\"') + '"'


def math_call(name: str, *arguments: str, **named: str) -> str:
    """Write `name(…)`; an argument without content becomes an empty text."""
    given = [argument.strip() or _EMPTY for argument in arguments]
    given += [f"{key}: {value.strip() or _EMPTY}" for key, value in named.items()]
    return f"{name}({', '.join(given)})"


def join_math(pieces: Iterable[str]) -> str:
    """Join the pieces in a row, with a space between two that would merge into one name."""
    row: list[str] = []
    before = ""
    for piece in pieces:
        if not piece:
            continue
        touching = before[-1:].isalnum() and piece[0].isalnum()
        row.append(f" {piece}" if touching else piece)
        before = piece
    return "".join(row)


def write_tuple(pieces: Iterable[object]) -> str:
    """Write an array in Typst's code."""
    return "(" + "".join(f"{piece}," for piece in pieces) + ")"


def _write_parts(row: Row) -> list[str]:
    """Write the nodes of a row, one by one."""
    parts = [_WRITERS[type(node)](node) for node in row]
    return [part for part in parts if part]


def _write_row(row: Row) -> str:
    return join_math(_write_parts(row))


def _write_bracket(char: str) -> str:
    return math_symbol(char) if char else ""


def _write_group(node: tree.Group) -> str:
    """Write a group; a sign alone in it loses the space around it."""
    parts = _write_parts(node.body)
    if len(parts) == 1 and parts[0][0] == "\\":
        return math_call("class", '"normal"', parts[0])
    return join_math(parts) or _EMPTY


def _write_name(node: tree.Name) -> str:
    limits = {"limits": "#true"} if node.has_limits else {}
    return math_call("op", _write_row(node.body), **limits)


def _write_wrapped(node: tree.Wrapped) -> str:
    is_unseen = node.function in ("hphantom", "vphantom")
    return math_call("unseen" if is_unseen else node.function, _write_row(node.body))


def _write_scripts(node: tree.Scripts) -> str:
    """Write a base with all its scripts."""
    side = "l" if node.are_before else ""
    places = {
        f"{_SCRIPTS[mark]}{side}": _write_row(row)
        for mark, row in node.places.items()
        if mark != "'"
    }
    if primes := len(node.places.get("'", ())):
        places[f"t{side}"] = join_math([f"primes(#{primes})", places.get(f"t{side}", "")])
    return math_call("attach", _write_node(node.base), **places)


def _write_node(node: Node | None) -> str:
    return (_write_row([node]) if node else "") or _EMPTY


def _write_fraction(node: tree.Fraction) -> str:
    made = math_call("frac", _write_row(node.above), _write_row(node.below))
    return math_call(node.size, made) if node.size else made


def _write_root(node: tree.Root) -> str:
    degree, body = _write_row(node.degree), _write_row(node.body)
    return math_call("root", degree, body) if degree else math_call("sqrt", body)


def _write_delimiter(node: tree.Delimiter) -> str:
    if node.size in ("left", "right"):
        raise Untypesettable("A bracket stands alone.")
    if node.size == "middle":
        return math_call("mid", _write_bracket(node.char))
    return math_call("lr", _write_bracket(node.char), size=f"#{node.size}")


def _write_fence(node: tree.Fence) -> str:
    brackets = _write_bracket(node.opening), _write_bracket(node.closing)
    return math_call("lr", join_math([brackets[0], _write_row(node.body), brackets[1]]))


def _write_stack(node: tree.Stack) -> str:
    made = _write_row(node.base)
    if node.above is not None:
        made = math_call("over", made, _write_row(node.above))
    return math_call("under", made, _write_row(node.below)) if node.below is not None else made


def _write_arrow(node: tree.Arrow) -> str:
    arrow = math_call("stretch", math_symbol(node.char), size="#(100% + 1em)")
    made = math_call("over", arrow, _write_row(node.above))
    return math_call("under", made, _write_row(node.below)) if node.below else made


def _write_brace(node: tree.Brace) -> str:
    notes = [] if node.note is None else [_write_row(node.note)]
    return math_call(node.name, _write_row(node.body), *notes)


def _write_negated(node: tree.Negated) -> str:
    if node.char not in symbols.NEGATED:
        raise Untypesettable("This is not negated so.")
    return math_symbol(symbols.NEGATED[node.char])


def _refuse_unknown(node: tree.Unknown) -> str:
    raise Untypesettable(f"{node.source!r} is not known here.")


def _write_table(node: tree.Table) -> str:
    rows = [[_write_row(cell).strip() or _EMPTY for cell in row] for row in node.rows]
    name, columns = node.name, node.columns
    if name == "array" and columns.strip() in ("rl", "rcl"):
        return _write_lines([[row[0], "".join(row[1:])] for row in rows], parted=False)
    if name in symbols.MATRICES:
        return _write_matrix(node, rows)
    if name in symbols.CASES:
        cases = [" & quad ".join(row) for row in rows]
        if name == "dcases":
            cases = [math_call("display", row) for row in cases]
        return math_call("cases", *(["reverse: #true"] if name == "rcases" else []), *cases)
    if name == "substack":
        lines = "; ".join(" ".join(row) for row in rows)
        return math_call("mat", "delim: #none", "row-gap: #0.15em", lines)
    if name in symbols.CENTRED:
        return _write_lines([["".join(row)] for row in rows], parted=False)
    return _write_lines(rows, parted=name != "eqnarray")


def _write_matrix(node: tree.Table, rows: Sequence[Sequence[str]]) -> str:
    upright = find_upright_rules(node.columns)
    if upright or node.rules:
        return _write_ruled(upright, node.rules, rows)
    sides = set(node.columns) & set("lcr")
    side = _SIDES.get(sides.pop(), "") if len(sides) == 1 else ""
    bracket = symbols.MATRICES[node.name][:1]
    delimiter = f"delim: {math_text(bracket)}" if bracket else "delim: #none"
    body = "; ".join(", ".join(row) for row in rows)
    return math_call("mat", delimiter, *([f"align: {side}"] if side else []), body)


def find_upright_rules(columns: str) -> set[int]:
    """Return the indices of columns before which a line is drawn."""
    rules, count = set[int](), 0
    for char in columns:
        if char == "|":
            rules.add(count)
        count += char in "lcr"
    return rules


def _write_ruled(upright: set[int], rules: Sequence[int], rows: Sequence[Sequence[str]]) -> str:
    """Write a table with lines, such as one of signs and variations."""
    width, height = max(map(len, rows)), len(rows)
    cells = [cell for row in rows for cell in [*row, *[_EMPTY] * (width - len(row))]]
    level = {rule for rule in rules if rule <= height}
    upright = {rule for rule in upright if rule <= width}
    return math_call(
        "ruled",
        f"#{width}",
        f"#{write_tuple(sorted(level))}",
        f"#{write_tuple(sorted(upright))}",
        *cells,
    )


def _write_lines(rows: Sequence[Sequence[str]], *, parted: bool) -> str:
    """Write rows whose cells are flush right and flush left in turn.

    Args:
        parted: whether each pair of cells is an equation, set apart from the next.
    """
    if len(rows) == 1 and len(rows[0]) == 1:
        return rows[0][0]
    written: list[str] = []
    for row in rows:
        cells = [
            f"wide {cell}" if parted and i and i % 2 == 0 else cell for i, cell in enumerate(row)
        ]
        written.append(math_call("display", " & ".join(cells)))
    return math_call("mat", "delim: #none", "row-gap: #0.75em", "; ".join(written))


_WRITERS: Final[Mapping[type, Callable[[Any], str]]] = {
    tree.Char: lambda node: "tie" if node.char == "~" else math_symbol(node.char),
    tree.Number: lambda node: node.digits.replace(
        ",",
        math_call("class", '"normal"', math_symbol(",")),  # stays closed up as it was written
    ),
    tree.Text: lambda node: math_text(node.text),
    tree.Blank: lambda _: "",
    tree.Gap: lambda node: node.width,
    tree.Remark: lambda node: join_math(["quad", _write_row(node.body)]),
    tree.Name: _write_name,
    tree.Negated: _write_negated,
    tree.Group: _write_group,
    tree.Wrapped: _write_wrapped,
    tree.Styled: lambda node: math_call(node.function, _write_row(node.body)),
    tree.Scripts: _write_scripts,
    tree.Limits: lambda node: math_call(
        "limits" if node.has_limits else "scripts", _write_row([node.base])
    ),
    tree.Fraction: _write_fraction,
    tree.Binomial: lambda node: math_call("binom", _write_row(node.above), _write_row(node.below)),
    tree.Root: _write_root,
    tree.Delimiter: _write_delimiter,
    tree.Fence: _write_fence,
    tree.Stack: _write_stack,
    tree.Arrow: _write_arrow,
    tree.Brace: _write_brace,
    tree.Table: _write_table,
    tree.Unknown: _refuse_unknown,
}

"""Write formulas as the native equations of Word and PowerPoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from bot.formulas import omml, symbols, tree
from bot.formulas.omml import THIN, Atom, Element, join_atoms
from bot.formulas.syntax import Untypesettable, read_formula
from bot.formulas.tree import Node, Row

_SIGNS: Final = frozenset("+−±∓∗×=<>")
_CHARACTERS: Final = {"-": "−", "*": "∗", "~": "\u00a0"}
_STYLES: Final = {
    "bb": "double-struck",
    **dict.fromkeys(("cal", "scr"), "script"),
    "frak": "fraktur",
    "sans": "sans-serif",
    "mono": "monospace",
    "upright": "p",
    "boldface": "b",
    "bold": "bi",
    "italic": "",
}
"""Styles of `omml.run`."""
_DOUBLED: Final = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
"""Sets of numbers as characters, which also programs without script fonts can show."""
_SPACES: Final = {
    "thin": THIN,
    "med": "\u2005",
    "thick": "\u2004",
    "tie": "\u00a0",
    "negthin": "",
    "quad": "\u2003",
    "wide": "\u2003\u2003",
}
_BRACES: Final = {"underbrace": ("⏟", "bot"), "overbrace": ("⏞", "top")}
"""The character of each brace, and its position."""
_LONG: Final = dict(zip("→←↔⇒⇐⇔↦", "⟶⟵⟷⟹⟸⟺⟼", strict=True))
"""Longer arrows, to carry words over and under them."""


def to_omml(latex: str, unknown: list[str] | None = None) -> Element:
    """Return `latex`, without dollar signs around it, as an `m:oMath` element.

    Args:
        unknown: collects unknown commands, which are shown as they were typed; without it they are
            not allowed.

    Raises:
        Untypesettable: the formula is malformed, too long or too deep, or has unknown notation.
    """
    try:
        elements = _Writer().write(read_formula(latex, unknown=unknown))
    except ValueError as error:
        raise Untypesettable("It holds characters that XML cannot hold.") from error
    if not elements:
        raise Untypesettable("It is empty.")
    return omml.tag("oMath", *elements)


def row_to_omml(row: Row) -> Element:
    """Return a part of a formula as an `m:oMath` element. Raises `Untypesettable`."""
    return omml.tag("oMath", *(_Writer().write(row) or [omml.run("\u200b")]))


class _Writer:
    """A writer of rows in one style.

    Args:
        style: the style of letters, as in `omml.run`.
    """

    def __init__(self, style: str = "") -> None:
        self._style = style

    def write(self, row: Row) -> list[Element]:
        nodes = (node for node in row if not isinstance(node, tree.Blank))
        return join_atoms(list(map(self._write_atom, nodes)))

    def _write_atom(self, node: Node) -> Atom:
        made = _WRITERS[type(node)](self, node)
        return made if isinstance(made, Atom) else Atom(made)

    def character(self, node: tree.Char) -> Atom:
        char = _CHARACTERS.get(node.char, node.char)
        if char in symbols.LARGE:
            return Atom([], char, is_large=True)
        if self._style == "double-struck" and char in _DOUBLED:
            return Atom([omml.run(_DOUBLED[char], "p")], _DOUBLED[char])
        style = "text" if self._style == "p" and char.isalpha() else self._style
        return Atom([omml.run(char, style)], char)

    def number(self, node: tree.Number) -> Atom:
        return Atom([omml.run(node.digits, self._style)])

    def gap(self, node: tree.Gap) -> Atom:
        space = _SPACES[node.width]
        return Atom([omml.run(space, "text")], " ") if space else Atom([])

    def name(self, node: tree.Name) -> Atom:
        elements = self.write(node.body)
        if node.has_limits and all(isinstance(part, tree.Text) for part in node.body):
            elements = [omml.run("".join(element.itertext()), "p") for element in elements]
        return Atom(elements, is_function=True, has_limits=node.has_limits)

    def negated(self, node: tree.Negated) -> list[Element]:
        if node.char not in symbols.NEGATED:
            raise Untypesettable("This is not negated so.")
        return [omml.run(symbols.NEGATED[node.char], self._style)]

    def wrapped(self, node: tree.Wrapped) -> list[Element]:
        if node.function in _STYLES:
            return _Writer(_STYLES[node.function]).write(node.body)
        return [_WRAPPERS[node.function](self.write(node.body))]

    def styled(self, node: tree.Styled) -> Atom | list[Element]:
        return _Writer(_STYLES.get(node.function, self._style)).write(node.body)

    def scripts(self, node: tree.Scripts) -> Atom | list[Element]:
        below = _write_signs(self.write(node.places.get("_", ())))
        above: list[Element] = []
        for mark, row in node.places.items():
            if mark == "'":
                above += [omml.run(char.char) for char in row if isinstance(char, tree.Char)]
            elif mark == "^":
                above += _write_signs(self.write(row))
        if node.are_before and node.base:
            return [omml.prescripts(self.write([node.base]), below, above)]
        atom = self._write_atom(node.base) if node.base else Atom([])
        atom.below, atom.above = below, above
        return atom

    def limits(self, node: tree.Limits) -> Atom:
        atom = self._write_atom(node.base)
        atom.has_limits = node.has_limits
        return atom

    def fraction(self, node: tree.Fraction) -> list[Element]:
        return [omml.fraction(self.write(node.above), self.write(node.below))]

    def binomial(self, node: tree.Binomial) -> list[Element]:
        made = omml.fraction(self.write(node.above), self.write(node.below), "noBar")
        return [omml.bracketed("(", ")", [made])]

    def root(self, node: tree.Root) -> list[Element]:
        return [omml.root(self.write(node.degree), self.write(node.body))]

    def delimiter(self, node: tree.Delimiter) -> list[Element]:
        if node.size in ("left", "right", "middle"):
            raise Untypesettable("A bracket stands alone.")
        return [omml.run(node.char)]

    def fence(self, node: tree.Fence) -> list[Element]:
        bodies: list[list[Node]] = [[]]
        separator = "|"
        for part in node.body:
            if isinstance(part, tree.Delimiter) and part.size == "middle":
                separator = part.char
                bodies.append([])
            else:
                bodies[-1].append(part)
        written = map(self.write, bodies)
        return [omml.bracketed(node.opening, node.closing, *written, separator=separator)]

    def stack(self, node: tree.Stack) -> list[Element]:
        below, above = self.write(node.below or ()), self.write(node.above or ())
        return [omml.limits(self.write(node.base), below, above)]

    def arrow(self, node: tree.Arrow) -> list[Element]:
        arrow = omml.run(_LONG.get(node.char, node.char))
        return [omml.limits([arrow], self.write(node.below), self.write(node.above))]

    def brace(self, node: tree.Brace) -> list[Element]:
        made = omml.braced(*_BRACES[node.name], self.write(node.body))
        if node.note is None:
            return [made]
        note = self.write(node.note)
        below, above = (note, []) if node.name == "underbrace" else ([], note)
        return [omml.limits([made], below, above)]

    def table(self, node: tree.Table) -> list[Element]:
        """Write a matrix, cases or aligned lines."""
        rows = [[self.write(cell) for cell in row] for row in node.rows]
        if node.name in symbols.MATRICES:
            # Programs other than Word show a mark in an empty cell.
            rows = [[cell or [omml.run("\u200b")] for cell in row] for row in rows]
            made = omml.matrix(rows, [char for char in node.columns if char in "lcr"])
            brackets = symbols.MATRICES[node.name]
            return [omml.bracketed(brackets[0], brackets[1], [made]) if brackets else made]
        if node.name in symbols.CASES:
            opening, closing = ("", "}") if node.name == "rcases" else ("{", "")
            return [omml.bracketed(opening, closing, [omml.matrix(rows, "ll")])]
        return [_stack_lines(rows)]

    def refuse(self, node: tree.Unknown) -> list[Element]:
        raise Untypesettable(f"{node.source!r} is not known here.")


def _write_signs(script: list[Element]) -> list[Element]:
    """Return a script, with a sign at its end (as of ions) as text: it has no right side."""
    if script and "".join(script[-1].itertext()) in _SIGNS:
        return [*script[:-1], omml.run("".join(script[-1].itertext()), "text")]
    return script


def _stack_lines(rows: Sequence[Sequence[Sequence[Element]]]) -> Element:
    """Write lines, aligned where their cells are separated."""
    joined: list[list[Element]] = []
    for row in rows:
        line: list[Element] = []
        for index, cell in enumerate(row):
            line += [*([omml.run("&")] if index else []), *cell]
        joined.append(line)
    return omml.stacked(joined)


def _accent(char: str) -> Callable[[list[Element]], Element]:
    return lambda body: omml.accented(char, body)


_WRAPPERS: Final[Mapping[str, Callable[[list[Element]], Element]]] = {
    **{name: _accent(char) for name, char in symbols.COMBINING.items()},
    **dict.fromkeys(("overline", "macron"), lambda body: omml.lined("top", body)),
    "underline": lambda body: omml.lined("bot", body),
    "overparen": lambda body: omml.braced("⏜", "top", body),
    "boxed": omml.boxed,
    "cancel": omml.struck,
    "unseen": omml.phantom,
    "hphantom": lambda body: omml.phantom(body, "zeroAsc", "zeroDesc"),
    "vphantom": lambda body: omml.phantom(body, "zeroWid"),
}

_WRITERS: Final[Mapping[type, Callable[[_Writer, Any], Atom | list[Element]]]] = {
    tree.Char: _Writer.character,
    tree.Number: _Writer.number,
    tree.Text: lambda _, node: [omml.run(node.text, "text")],
    tree.Gap: _Writer.gap,
    tree.Remark: lambda writer, node: [omml.run("\u2003", "text"), *writer.write(node.body)],
    tree.Name: _Writer.name,
    tree.Negated: _Writer.negated,
    tree.Group: lambda writer, node: writer.write(node.body),
    tree.Wrapped: _Writer.wrapped,
    tree.Styled: _Writer.styled,
    tree.Scripts: _Writer.scripts,
    tree.Limits: _Writer.limits,
    tree.Fraction: _Writer.fraction,
    tree.Binomial: _Writer.binomial,
    tree.Root: _Writer.root,
    tree.Delimiter: _Writer.delimiter,
    tree.Fence: _Writer.fence,
    tree.Stack: _Writer.stack,
    tree.Arrow: _Writer.arrow,
    tree.Brace: _Writer.brace,
    tree.Table: _Writer.table,
    tree.Unknown: _Writer.refuse,
}

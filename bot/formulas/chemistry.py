"""Read the chemistry of `\\ce{…}` into the tree of formulas.

Facts: https://mhchem.github.io/MathJax-mhchem/. It reads formulas, amounts, charges, isotopes,
states, hydrates, bonds, and arrows with words over and under them, and no other notation of mhchem.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from bot.formulas.tree import (
    Arrow,
    Blank,
    Char,
    Fraction,
    Gap,
    Group,
    Node,
    Number,
    Row,
    Scripts,
    Text,
)

_ARROWS: Final = {
    "->": "→",
    "<-": "←",
    "<->": "↔",
    "<=>": "⇌",
    "<=>>": "⇌",
    "<<=>": "⇌",
    "<-->": "⇄",
}
_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
    |(?P<arrow><=>>|<<=>|<=>|<-->|<->|->|<-)
    |(?P<math>\$[^$]*\$|\\[A-Za-z]+(?:\{[^{}]*\})*|\\.)
    |(?P<precipitate>(?<=\s)v(?=\s|$))
    |(?P<gas>\^(?=\s|$))
    |(?P<script>[_^](?:\{[^{}]*\}|\$[^$]*\$|\d*[+-]|\d+|[A-Za-z]))
    |(?P<words>\{[^{}]*\})
    |(?P<element>[A-Z][a-z]*|[^\W\d_A-Z]+)
    |(?P<amount>\d+)
    |(?P<charge>\+(?=[\s()\[\]<,-]|$)|-(?=[\s)\]<,+]|\((?:aq|s|l|g)\)|$|->))
    |(?P<hydrate>[.*·])
    |(?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COEFFICIENT = re.compile(r"(\d+)/(\d+)|\d+(?:[.,]\d+)?")
_NOTE = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]{0,200}\]){0,200})\]")
_SCRIPT_PART = re.compile(r"\d+|[^\W\d_]+|\S")
_BONDS: Final = {"=": "=", "#": "≡", "-": "–"}


def read_chemistry(source: str, read_math: Callable[[str], Row]) -> Row:
    """Read the source between the braces of `\\ce`.

    Args:
        read_math: reads LaTeX within the source.
    """
    return _ChemistryReader(source, read_math).read()


class _ChemistryReader:
    def __init__(self, source: str, read_math: Callable[[str], Row], *, is_note: bool = False):
        self._source = source
        self._read_math = read_math
        self._is_note = is_note
        """Whether it is a note at an arrow, in which no other arrow has one."""
        self._at = 0
        self._parts: list[Node] = []
        self._is_new = True
        """Whether a new substance begins here, with its amount or the numbers of an isotope."""
        self._before: dict[str, Row] = {}
        """Scripts before an element that is still to come."""

    def read(self) -> Row:
        while self._at < len(self._source):
            found = _TOKEN.match(self._source, self._at)
            if found is None or found.lastgroup is None:
                break
            self._at = found.end()
            was_new, self._is_new = self._is_new, False
            _READERS[found.lastgroup](self, found[0], was_new)
        if self._before:
            self._parts.append(Scripts(None, self._before))
        return self._parts

    def space(self, *_: object) -> None:
        self._parts.append(Blank())
        self._is_new = True

    def arrow(self, text: str, *_: object) -> None:
        notes: list[Row] = []
        while len(notes) < 2 and not self._is_note:
            found = _NOTE.match(self._source, self._at)
            if not found:
                break
            self._at = found.end()
            notes.append(_ChemistryReader(found[1], self._read_math, is_note=True).read())
        char = _ARROWS[text]
        below: Row = notes[1] if len(notes) > 1 else []
        self._parts.append(Arrow(char, notes[0], below) if notes else Char(char))
        self._is_new = True

    def math(self, text: str, *_: object) -> None:
        self._parts.append(Group(self._read_math(text.strip("$"))))

    def script(self, text: str, was_new: bool) -> None:
        mark, inner = text[0], text[1:].strip("{}")
        row = self._read_script(inner)
        if was_new:
            self._before[mark] = [*self._before.get(mark, ()), *row]
            self._is_new = True
        else:
            self._add_script(mark, row)

    def _read_script(self, text: str) -> Row:
        if text.startswith("$") or "\\" in text:
            return [Group(self._read_math(text.strip("$")))]
        return [_read_script_part(part) for part in _SCRIPT_PART.findall(text)]

    def _add_script(self, mark: str, row: Row) -> None:
        base = self._parts.pop() if self._parts else None
        if isinstance(base, Scripts) and not base.are_before:
            places = {**base.places, mark: [*base.places.get(mark, ()), *row]}
            self._parts.append(Scripts(base.base, places))
        else:
            self._parts.append(Scripts(base, {mark: row}))

    def element(self, text: str, *_: object) -> None:
        node: Node = Text(text)
        if self._before:
            node = Scripts(node, self._before, are_before=True)
            self._before = {}
        self._parts.append(node)

    def words(self, text: str, *_: object) -> None:
        self._parts.append(Text(text[1:-1]))

    def amount(self, text: str, was_new: bool) -> None:
        """Read a coefficient before a substance, or an index in it."""
        if not was_new:
            self._add_script("_", [Number(text)])
            return
        found = _COEFFICIENT.match(self._source, self._at - len(text))
        if found is None:
            return
        self._at = found.end()
        is_fraction = found[1] is not None
        above, below = [Number(found[1] or "")], [Number(found[2] or "")]
        self._parts.append(Fraction("", above, below) if is_fraction else Number(found[0]))
        self._parts.append(Gap("thin"))
        self._is_new = True

    def charge(self, text: str, was_new: bool) -> None:
        if was_new:
            self._parts.append(Char(text))
            self._is_new = True
        else:
            self._add_script("^", [Char(text)])

    def escape(self, arrow: str) -> None:
        """Read an arrow for a substance that precipitates from a solution or rises from it."""
        self._parts += [Gap("thin"), Group([Char(arrow)])]

    def hydrate(self, *_: object) -> None:
        self._parts.append(Group([Char("⋅")]))
        self._is_new = True

    def sign(self, text: str, was_new: bool) -> None:
        """Read a bracket, a bond or a plus."""
        if text in _BONDS and not was_new:
            self._parts.append(Group([Char(_BONDS[text])]))  # no space around it
            return
        self._parts.append(Char(text))
        self._is_new = text in ("(", "[", "+")


def _read_script_part(part: str) -> Node:
    """Read one part of a script: a number, a letter that stands for one, or words."""
    if part.isdigit():
        return Number(part)
    return Text(part) if len(part) > 1 or part.isupper() else Char(part)


_READERS: Final[dict[str, Callable[[_ChemistryReader, str, bool], None]]] = {
    "space": _ChemistryReader.space,
    "arrow": _ChemistryReader.arrow,
    "math": _ChemistryReader.math,
    "precipitate": lambda reader, _, __: reader.escape("↓"),
    "gas": lambda reader, _, __: reader.escape("↑"),
    "script": _ChemistryReader.script,
    "words": _ChemistryReader.words,
    "element": _ChemistryReader.element,
    "amount": _ChemistryReader.amount,
    "charge": _ChemistryReader.charge,
    "hydrate": _ChemistryReader.hydrate,
    "sign": _ChemistryReader.sign,
}

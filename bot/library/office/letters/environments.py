"""Matrices, cases and aligned lines as Office Math."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.library.office.letters import omml
from bot.library.office.xml import Element
from bot.library.typesetting import notation
from bot.library.typesetting.source import Untypesettable

_FENCES: Final = {
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": ("{", "}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"),
}


def lay_out(name: str, columns: str, rows: list[list[list[Element]]]) -> Element:
    if name in notation.MATRICES:
        side = {"l": "left", "r": "right"}.get(columns.strip("| ")[:1], "center")
        opening, closing = _FENCES.get(name, ("", ""))
        made = omml.matrix(rows, side)
        return omml.bracketed(opening, closing, [made]) if opening else made
    if name in notation.CASES:
        opening, closing = ("", "}") if name == "rcases" else ("{", "")
        return omml.bracketed(opening, closing, [omml.matrix(rows, "left")])
    if name in notation.LINES or name in notation.CENTRED:
        return stack_lines(rows)
    raise Untypesettable("It cannot be read.")


def stack_lines(rows: Sequence[Sequence[Sequence[Element]]]) -> Element:
    """Lines, aligned where their cells are parted."""
    joined: list[list[Element]] = []
    for row in rows:
        line: list[Element] = []
        for index, cell in enumerate(row):
            line += [*([omml.run("&")] if index else []), *cell]
        joined.append(line)
    return omml.stacked(joined)

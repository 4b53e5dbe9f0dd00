"""Pieces of Typst source in which a text can be nothing but text.

All that comes from outside stands in strings; the rest is names of ours. In a string only `\\` and
`"` need a backslash: https://typst.app/docs/reference/foundations/str/.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_LONG_WORD = re.compile(r"[^\s\u200b]{25,}")
_SEAM = re.compile(r"(?<=[/\\?&=_.,;:@-])(?=[^\s/])")
_PIECE: Final = 24
_GAP: Final = "\u200b"
"""Where a word may be broken without a hyphen."""


def quote(text: str) -> str:
    """`text` as a string of Typst's code."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def literal(text: str) -> str:
    """`text` in markup, as it is."""
    return f"#{quote(text)}" if text else ""


def call(name: str, *contents: str, named: str = "") -> str:
    """`#name(named)[…][…]` in markup."""
    return f"#{name}({named})" + "".join(f"[{content}]" for content in contents)


def tuple_of(pieces: Iterable[str]) -> str:
    """An array of Typst's code."""
    return "(" + "".join(f"{piece}," for piece in pieces) + ")"


def soften(text: str) -> str:
    """`text` with places where a word too long for a line may be broken."""
    return _LONG_WORD.sub(_open_seams, text)


def _open_seams(found: re.Match[str]) -> str:
    pieces = _SEAM.split(found[0])
    return _GAP.join(
        piece[at : at + _PIECE] for piece in pieces for at in range(0, len(piece), _PIECE)
    )

"""A formula of LaTeX as Typst mathematics."""

from __future__ import annotations

from typing import Final

from bot.library.typesetting import notation
from bot.library.typesetting.reader import Reader
from bot.library.typesetting.source import EMPTY, Untypesettable, join
from bot.library.typesetting.structures import STRUCTURES

MAX_LENGTH: Final = 2_000
"""Characters of one formula."""
_BLANK = frozenset((EMPTY, *notation.SPACES.values()))


def to_typst(latex: str) -> str:
    """`latex`, without dollar signs around it, as Typst mathematics.

    It holds no code but calls of Typst's functions and of `PREAMBLE`'s.

    Raises:
        Untypesettable: it is malformed, too long or too deep, or holds what is not known here.
    """
    return join(to_parts(latex))


def to_parts(latex: str) -> list[str]:
    """The same in parts, between which a line may be broken."""
    if len(latex) > MAX_LENGTH:
        raise Untypesettable(f"It is longer than {MAX_LENGTH} characters.")
    parts = Reader(latex, STRUCTURES).read()
    if _BLANK.issuperset(parts):
        raise Untypesettable("It is empty.")
    return parts

"""LaTeX mathematics as Typst mathematics, for pictures and documents.

    source = PREAMBLE + f"$ {to_typst(formula)} $"

Own code, though a converter exists: `\\operatorname{\\\\" #read(x)}` leaves tex2typst 0.1.7 as code
that Typst runs, and `2{,}5` as a pair of numbers. Here every character of the formula comes out
escaped or in a string, and every name that comes out is one of ours.
"""

from __future__ import annotations

from bot.library.typesetting.formula import MAX_LENGTH, to_typst
from bot.library.typesetting.notation import PREAMBLE
from bot.library.typesetting.source import Untypesettable

__all__ = ["MAX_LENGTH", "PREAMBLE", "Untypesettable", "to_typst"]

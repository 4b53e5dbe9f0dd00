"""What a deck of slides is asked to hold, as it passes to the process that makes it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

MOST_SLIDES: Final = 60
MOST_BULLETS: Final = 40
MOST_ROWS: Final = 120
"""Of a table: a longer one is a spreadsheet."""
MOST_COLUMNS: Final = 12


class Slide(msgspec.Struct, frozen=True):
    title: str
    bullets: tuple[str, ...] = ()
    table: tuple[tuple[Any, ...], ...] = ()
    """The first row is the header."""
    notes: str = ""


class Deck(msgspec.Struct, frozen=True):
    title: str
    slides: tuple[Slide, ...]
    language: str = "fr"
    continued: str = "(suite)"
    """What stands after the title of a slide that goes on with the one before."""

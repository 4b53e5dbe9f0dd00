"""What a deck of slides is asked to hold, as it passes to the process that makes it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from bot.library.image_worker import DocumentImage

MOST_SLIDES: Final = 60
MOST_BULLETS: Final = 40
MOST_ROWS: Final = 120
"""Of a table: a longer one is a spreadsheet."""
MOST_COLUMNS: Final = 12
MOST_SIDES: Final = 3
"""Columns of points side by side."""
MOST_SERIES: Final = 6
MOST_CATEGORIES: Final = 40


class Series(msgspec.Struct, frozen=True):
    name: str
    values: tuple[float | None, ...]


class Chart(msgspec.Struct, frozen=True):
    kind: str
    """bar, line or pie."""
    categories: tuple[str, ...]
    series: tuple[Series, ...]


class Slide(msgspec.Struct, frozen=True):
    title: str
    bullets: tuple[str, ...] = ()
    table: tuple[tuple[Any, ...], ...] = ()
    """The first row is the header."""
    notes: str = ""
    columns: tuple[tuple[str, ...], ...] = ()
    """Points side by side."""
    chart: Chart | None = None
    picture: DocumentImage | None = None
    alt: str = ""
    """What the picture shows."""


class Deck(msgspec.Struct, frozen=True):
    title: str
    slides: tuple[Slide, ...]
    language: str = "fr"
    continued: str = "(suite)"
    """What stands after the title of a slide that goes on with the one before."""

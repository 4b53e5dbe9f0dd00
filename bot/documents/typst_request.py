"""What the process that draws formulas and charts is asked for, and how it answers.

Frames of four bytes, the length in network order, and as many bytes: a JSON list of formulas, or
the JSON object of a chart one way, a PNG the other; no bytes if nothing could be shown. The words
of a chart come as JSON through `sys.inputs`, which Typst reads as text: nothing in them is code
(https://typst.app/docs/reference/foundations/sys/).
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec

LENGTH: Final = struct.Struct("!I")
READY: Final = b"ready\n"
"""What the process says when its fonts are loaded and its limits are set."""


class Figure(msgspec.Struct, frozen=True):
    """A number in large letters, and what it counts."""

    number: str
    words: str


class ChartRow(msgspec.Struct, frozen=True):
    """One subject."""

    name: str
    count: str
    percent: str
    share: int
    """Of right answers, in percent."""


class Chart(msgspec.Struct, frozen=True):
    """Everything that stands on the picture, in the person's language."""

    language: str
    title: str
    figures: tuple[Figure, ...]
    """Two at most."""
    month: str
    most: str
    """How high the highest bar is."""
    empty: str
    """In place of bars, if there is none; else empty."""
    right: str
    wrong: str
    days: tuple[tuple[int, int], ...]
    """Right and wrong answers of each day, the oldest first."""
    dates: tuple[str, ...]
    """Under the bars, from left to right."""
    by_subject: str
    subjects: tuple[ChartRow, ...]

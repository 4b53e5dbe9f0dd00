"""A learner's progress as one picture: what is on it, and how it is asked for.

The words come as JSON through `sys.inputs`, which Typst reads as text: nothing in them is code
(https://typst.app/docs/reference/foundations/sys/).
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Final

import msgspec

PIXELS_PER_POINT: Final = 2
_SOURCE = Path(__file__).with_name("chart.typ")
_COLOURS = 32
"""A few, and the shades between them where letters and bars end: a quarter of the bytes."""


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


def read_source() -> bytes:
    """The page, as Typst reads it."""
    return _SOURCE.read_bytes()


def to_inputs(chart: Chart) -> dict[str, str]:
    """What `chart.typ` is given."""
    return {"chart": msgspec.json.encode(chart).decode()}


def to_small_png(bitmap: Any) -> bytes:
    """A PNG of few colours from a bitmap of pdfium."""
    from PIL import Image  # imported on first use: most children draw formulas only

    picture: Image.Image = bitmap.to_pil()
    small = picture.convert("RGB").quantize(
        _COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
    )
    file = io.BytesIO()
    small.save(file, "PNG", compress_level=6)
    return file.getvalue()

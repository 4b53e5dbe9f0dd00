"""Draw the pages of a PDF. Runs as an isolated worker."""

from __future__ import annotations

import io
from typing import Any, Final

import msgspec

from bot.errors import ToolFailed

PROGRAM: Final = "bot.files.pdf_pages"
MOST_PAGES: Final = 6
_WIDTH: Final = 1_200
"""Width of a page in pixels: small print of an A4 page can be read."""
_TALLEST: Final = 2_400
_QUALITY: Final = 70


class DrawnPages(msgspec.Struct):
    """The first pages of a PDF."""

    pages: list[bytes]
    """JPEGs."""
    count: int
    """Number of pages of the whole PDF."""


def serve(request: bytes) -> bytes:
    """Return the first `MOST_PAGES` pages of a PDF as `DrawnPages` in MessagePack."""
    import pypdfium2  # here, so that only the worker loads it

    library: Any = pypdfium2  # its renderer has no types
    try:
        document = library.PdfDocument(request)
        count = len(document)
        pages = [_draw(document[number]) for number in range(min(count, MOST_PAGES))]
    except library.PdfiumError:
        raise ToolFailed("The PDF is damaged.") from None
    return msgspec.msgpack.encode(DrawnPages(pages, count))


def decode_pages(given: bytes) -> DrawnPages:
    """Decode the answer of `serve`."""
    return msgspec.msgpack.decode(given, type=DrawnPages)


def _draw(page: Any) -> bytes:
    scale = min(_WIDTH / page.get_width(), _TALLEST / page.get_height())
    out = io.BytesIO()
    page.render(scale=scale).to_pil().convert("RGB").save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()

"""Draw the pages of a PDF. Runs as an isolated worker."""

from __future__ import annotations

import io
from typing import Any, Final

import msgspec
import pypdfium2

from bot.errors import ToolFailed

PROGRAM: Final = "bot.demo.pdf_pages"
MOST_PAGES: Final = 6
_WIDTH: Final = 900
"""Width of a page in pixels."""


def serve(request: bytes) -> bytes:
    """Return the first pages of the PDF as PNGs, a list in MessagePack."""
    library: Any = pypdfium2
    try:
        document = library.PdfDocument(request)
        pages = [_draw(document[number]) for number in range(min(len(document), MOST_PAGES))]
    except library.PdfiumError:
        raise ToolFailed("The PDF is damaged.") from None
    return msgspec.msgpack.encode(pages)


def _draw(page: Any) -> bytes:
    picture = page.render(scale=_WIDTH / page.get_width()).to_pil()
    out = io.BytesIO()
    picture.convert("P", palette=1, colors=64).save(out, "PNG", optimize=True)
    return out.getvalue()

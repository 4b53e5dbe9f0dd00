"""What a Word document is asked to hold, as it passes to the process that makes it."""

from __future__ import annotations

import msgspec

from bot.library.image_worker import DocumentImage


class Letter(msgspec.Struct, frozen=True):
    title: str
    """Above the text; empty: none."""
    content: str
    """Markdown."""
    name: str
    """What the file is called, without its ending."""
    language: str = "fr"
    words: dict[str, str] = {}
    """What the document itself says, by what it says in English."""
    images: dict[str, DocumentImage] = {}
    """By source; see `bot.library.document_images`."""

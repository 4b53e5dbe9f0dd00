"""The words of OpenDocument texts, sheets and slides: OASIS OpenDocument 1.3, part 3."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from bot.library.reading.archive import Archive, Attributes

_MOST_REPEATED = 50
"""Spaces or cells for which one element stands; it may say a billion."""
_SKIPPED = frozenset(
    {"tracked-changes", "annotation", "annotation-end", "forms", "font-face-decls"}
)
_PARAGRAPHS = frozenset({"p", "h"})


class _Words:
    """Paragraphs as lines, cells side by side."""

    def __init__(self) -> None:
        self._taken: list[str] = []
        self._paragraphs = 0
        self._cells: list[int] = []
        """How often each cell that is open stands there."""
        self._skipped = 0
        self._pages = 0
        self._has_sheets = False

    def start(self, name: str, attributes: Attributes) -> None:
        if self._skipped or name in _SKIPPED:
            self._skipped += 1
        elif name in _PARAGRAPHS:
            self._paragraphs += 1
        elif name == "table-cell":
            self._cells.append(_count(attributes.get(":number-columns-repeated")))
        elif self._paragraphs:
            self._within(name, attributes)
        else:
            self._begin(name, attributes)

    def _within(self, name: str, attributes: Attributes) -> None:
        if name == "s":
            self._taken.append(" " * _count(attributes.get(":c")))
        elif name == "tab":
            self._taken.append("\t")
        elif name == "line-break":
            self._taken.append("\n")

    def _begin(self, name: str, attributes: Attributes) -> None:
        if name == "page":
            self._pages += 1
            self._taken.append(f"\n[slide {self._pages}]\n")
        elif name == "spreadsheet":
            self._has_sheets = True
        elif name == "table" and self._has_sheets and not self._cells:
            self._taken.append(f"\n[sheet {attributes.get(':name', '')[:60]}]\n")

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif name in _PARAGRAPHS:
            self._paragraphs -= 1
            self._taken.append(" " if self._cells else "\n")
        elif name == "table-cell" and self._cells:
            self._taken.append("\t" * self._cells.pop())
        elif name == "table-row":
            self._taken.append("\n")

    def text(self, text: str) -> None:
        if self._paragraphs and not self._skipped:
            self._taken.append(text)

    def take(self) -> str:
        taken = "".join(self._taken).replace(" \t", "\t")
        self._taken.clear()
        return taken


def read_opendocument(archive: Archive) -> Iterator[str]:
    """All text of the document, in its order."""
    words = _Words()
    yield from archive.walk("content.xml", words, words.take)


def _count(written: str | None) -> int:
    with suppress(ValueError):
        return max(1, min(int(written or 1), _MOST_REPEATED))
    return 1

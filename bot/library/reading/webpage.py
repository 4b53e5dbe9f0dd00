"""The words of HTML files, by lxml, without a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

_MOST = 20_000_000
"""Characters of a page that are looked at."""
_BLOCK = 65_536
_SPACE = re.compile(r"\s+")
_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "iframe", "object"})
"""Whose text nobody sees."""
_CELLS = frozenset({"td", "th"})
_BLOCKS = """
    address article aside blockquote body br caption dd details dialog div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr li main nav ol option p pre
    section summary table title tr ul
"""
_LINES = frozenset(_BLOCKS.split())


def read_webpage(page: str) -> Iterator[str]:
    """The text of a page, its blocks in lines; links and pictures are left out."""
    library: Any = import_module("lxml.etree")  # only where there is a page
    words = _Words()
    parser = library.HTMLParser(target=words)
    for at in range(0, min(len(page), _MOST), _BLOCK):
        parser.feed(page[at : at + _BLOCK])
        yield words.take()
    parser.close()
    yield words.take()


class _Words:
    """A target of lxml's parser: https://lxml.de/parsing.html#the-target-parser-interface."""

    def __init__(self) -> None:
        self._taken: list[str] = []
        self._silent = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        if tag in _SILENT:
            self._silent += 1
        elif tag in _LINES:
            self._taken.append("\n")
        elif tag in _CELLS:
            self._taken.append("\t")

    def end(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in _LINES:
            self._taken.append("\n")

    def data(self, text: str) -> None:
        if not self._silent:
            self._taken.append(_SPACE.sub(" ", text))

    def comment(self, text: str) -> None: ...

    def close(self) -> None: ...

    def take(self) -> str:
        taken = "".join(self._taken)
        self._taken.clear()
        return taken

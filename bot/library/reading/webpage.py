"""The words of HTML files, by lxml, without a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from bot.library.reading.formula import Formula
from bot.library.reading.webmath import RULES

_MOST = 20_000_000
"""Characters of a page that are looked at."""
_BLOCK = 65_536
_SPACE = re.compile(r"\s+")
_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "iframe", "object"})
"""Whose text nobody sees."""
_DRAWN = "katex-html"
"""A formula once more, piece by piece: https://katex.org/docs/options (`output`)."""
_CELLS = frozenset({"td", "th"})
_BLOCKS = """
    address article aside blockquote body br caption dd details dialog div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr li main nav ol option p pre
    section summary table title tr ul
"""
_LINES = frozenset(_BLOCKS.split())
_ENDING = _LINES | _CELLS
"""What no formula holds: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign"""


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
        """How deep in what nobody sees."""
        self._formula: Formula | None = None
        self._after_formula = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._silent or tag in _SILENT or self._is_drawn_again(attributes):
            self._silent += 1
            return
        if self._formula and (tag in _ENDING or self._formula.is_beyond_bounds):
            self._leave(self._formula)
        if self._formula:
            self._formula.start(_local(tag), attributes)
        elif _local(tag) == "math":
            self._formula = Formula(RULES)
        elif tag in _LINES:
            self._taken.append("\n")
        elif tag in _CELLS:
            self._taken.append("\t")

    def _is_drawn_again(self, attributes: Mapping[str, str]) -> bool:
        return self._after_formula and _DRAWN in attributes.get("class", "")

    def end(self, tag: str) -> None:
        if self._silent:
            self._silent -= 1
        elif self._formula and self._formula.depth:
            self._formula.end()
        elif self._formula:
            self._leave(self._formula)
        elif tag in _LINES:
            self._taken.append("\n")

    def _leave(self, formula: Formula) -> None:
        self._taken.append(formula.spell())
        self._formula, self._after_formula = None, True

    def data(self, text: str) -> None:
        if self._silent:
            return
        if self._formula and self._formula.is_beyond_bounds:
            self._leave(self._formula)
        if self._formula:
            self._formula.text(text)
        else:
            self._taken.append(_SPACE.sub(" ", text))
            self._after_formula = False

    def comment(self, text: str) -> None: ...

    def close(self) -> None: ...

    def take(self) -> str:
        taken = "".join(self._taken)
        self._taken.clear()
        return taken


def _local(tag: str) -> str:
    """The tag without the prefix that pages from other programs give it."""
    return tag.rpartition(":")[2]

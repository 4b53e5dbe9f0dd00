"""What stands in a line, from markdown-it's tokens to Typst's markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from markdown_it.token import Token

from bot.library.pages.figures import source_of
from bot.library.pages.footnotes import IS_FIRST, NUMBER
from bot.library.pages.manuscript import NOT_SHOWN
from bot.library.pages.source import call, literal, quote, soften, tuple_of
from bot.library.typesetting import Untypesettable
from bot.library.typesetting.formula import to_parts
from bot.library.typesetting.source import join

_DEEPEST = 12
"""Emphasis within emphasis; beyond it nobody sees a difference, and Typst gives up at 256."""
_LINKABLE: Final = ("http://", "https://", "mailto:")
_MAX_URL = 2_000
_SMALL: Final = 2.4
"""Letters that a picture within a line is high."""
_SMALL_WIDTH: Final = 8
_WIDE = 90
"""Characters of Typst from which on a formula may be wider than the page."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a file that Typst can read."""

    path: str
    """From the compiler's root."""
    width: float
    """Points, as is its height: its size where it stands alone."""
    height: float


@dataclass(frozen=True, slots=True)
class Hand:
    """How lines are written."""

    unsound: frozenset[str] = frozenset()
    """Formulas that Typst has refused: they are shown as they were typed."""
    keeps_lines: bool = False
    """A line's end is one, as in an address; else it is a space."""
    colours_code: bool = True
    """It takes 100 MB, which long documents need for themselves."""
    pictures: Mapping[str, Picture] = field(default_factory=dict[str, Picture])
    """By source."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the page itself says, by what it says in English."""

    def say(self, word: str) -> str:
        return self.words.get(word, word)

    def picture(self, token: Token, caption: str = "") -> str:
        """A picture on its own, with a caption in markup; a note in its place if there is none."""
        found = self.pictures.get(source_of(token))
        if found is None:
            return call("absent-picture", caption, named=quote(self.say(NOT_SHOWN)))
        sizes = f"{found.width}pt, {found.height}pt"
        return call(
            "picture", caption, named=f"{quote(found.path)}, {quote(token.content)}, {sizes}"
        )

    def formula(self, latex: str, *, displayed: bool) -> str:
        """A formula in markup; as it was typed if it cannot be set."""
        try:
            parts = to_parts(latex)
        except Untypesettable:
            parts = []
        source = join(parts).strip()
        if not source or latex in self.unsound:
            return call("typed", named=quote(soften(latex)))
        if not displayed:
            return f"${source}$"
        if len(source) <= _WIDE:
            return call("formula", f"$ {source} $")
        pieces = tuple_of(f"$display({part.strip()})$" for part in parts if "(" in part)
        return call("wide-formula", named=f"$ {source} $, {pieces}")

    def write(self, tokens: Iterable[Token]) -> str:
        """A line of markup."""
        return _Line(self).write(tokens)


class _Line:
    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._written: list[str] = []
        self._ends: list[str] = []
        """What closes each of the styles that are open."""
        self._label = (0, "")
        """Where the label of the link began, and its address."""

    def write(self, tokens: Iterable[Token]) -> str:
        for token in tokens:
            if token.type in _STYLES:
                self._open(f"#{_STYLES[token.type]}[")
            elif token.type == "link_open":
                self._open_link(str(token.attrs.get("href", "")))
            elif token.nesting < 0:
                self._close(token)
            else:
                self._written.append(_LEAVES[token.type](self._hand, token))
        return "".join(self._written)

    def _open(self, source: str) -> None:
        shown = len(self._ends) < _DEEPEST
        self._written.append(source if shown else "")
        self._ends.append("]" if shown else "")

    def _open_link(self, url: str) -> None:
        if url.startswith(_LINKABLE) and len(url) <= _MAX_URL:
            self._open(f"#link({quote(url)})[")
        else:
            self._written.append("")
            self._ends.append("")
        self._label = (len(self._written), url)

    def _close(self, token: Token) -> None:
        start, url = self._label
        if token.type == "link_close" and not any(self._written[start:]):
            self._written.append(literal(soften(url)))
        self._written.append(self._ends.pop())


def _write_text(_: Hand, token: Token) -> str:
    return literal(soften(token.content))


def _write_code(_: Hand, token: Token) -> str:
    return call("raw", named=quote(soften(token.content)))


def _write_maths(hand: Hand, token: Token) -> str:
    return hand.formula(token.content, displayed=token.markup == "$$")


def _write_break(hand: Hand, token: Token) -> str:
    return "#linebreak()" if token.type == "hardbreak" or hand.keeps_lines else '#" "'


def _write_image(hand: Hand, token: Token) -> str:
    """A picture within a line, a heading or a cell."""
    found = hand.pictures.get(source_of(token))
    if found is None:
        return call("emph", literal(token.content)) if token.content else ""
    width = min(_SMALL * found.width / found.height, _SMALL_WIDTH)
    named = f"{quote(found.path)}, {quote(token.content)}, {width:.2f}em"
    return call("small-picture", named=named)


def _write_footnote(hand: Hand, token: Token) -> str:
    name = quote(f"note-{token.meta[NUMBER]}")
    if not token.meta[IS_FIRST]:
        return call("note-again", named=name)
    return call("note", hand.write(token.children or ()), named=name)


_STYLES: Final = {"strong_open": "strong", "em_open": "emph", "s_open": "strike"}
_LEAVES: Final[Mapping[str, Callable[[Hand, Token], str]]] = {
    "text": _write_text,
    "code_inline": _write_code,
    "maths": _write_maths,
    "softbreak": _write_break,
    "hardbreak": _write_break,
    "image": _write_image,
    "footnote": _write_footnote,
}

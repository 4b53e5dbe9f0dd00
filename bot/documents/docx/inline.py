"""Write the text of a paragraph of Word: runs, links, formulas, pictures and calls of footnotes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markdown_it.token import Token

from bot.documents import theme
from bot.documents.document_request import DocumentImage
from bot.documents.docx.markup import (
    R,
    fonts,
    picture_run,
    shade,
    tag,
    text_run,
)
from bot.formulas import omml
from bot.formulas.omml import Element
from bot.formulas.syntax import Untypesettable
from bot.formulas.word import to_omml

_LINKABLE: Final = ("http://", "https://", "mailto:")
_MAX_URL: Final = 2_000
_STYLES: Final = {"strong": "b", "em": "i", "s": "strike"}
_ORDER: Final = ("b", "i", "strike")


@dataclass
class InlineWriter:
    """Writes lines, and collects the formulas that could not be set."""

    link: Callable[[str], str]
    """Makes a relationship to an address, and returns its id."""
    embed: Callable[[bytes], str]
    """Makes a relationship to a picture, and returns its id."""
    images: Mapping[str, DocumentImage] = field(default_factory=dict[str, DocumentImage])
    """The pictures that can be shown, by their sources."""
    unset: list[str] = field(default_factory=list[str])
    notes: list[Sequence[Token]] = field(default_factory=list[Sequence[Token]])
    """The texts of the footnotes, in the order of their numbers."""
    width: int = 9_638
    """The width of a line, in twentieths of a point."""
    drawn: list[str] = field(default_factory=list[str])
    """The sources of the pictures so far."""

    def within(self, width: int) -> InlineWriter:
        """Return the same writer for a place of this width."""
        return replace(self, width=width)

    def write(
        self, tokens: Iterable[Token], *, bold: bool = False, colour: str = ""
    ) -> list[Element]:
        """Return the elements of a paragraph.

        Args:
            bold: whether all text is bold.
            colour: colour of all text.
        """
        return _OpenParagraph(self, bold, colour).write(tokens)

    def formula(self, latex: str) -> Element:
        """Return an equation, or the formula as it was typed if it cannot be set."""
        try:
            return to_omml(latex)
        except Untypesettable:
            self.unset.append(latex)
            return _write_typed(latex)

    def picture(self, token: Token, *, tallest: float) -> Element | None:
        """Return a picture in a run; None if it cannot be shown.

        Args:
            tallest: most points of height.
        """
        source = str(token.attrs.get("src", ""))
        image = self.images.get(source)
        if image is None:
            return None
        self.drawn.append(source)
        size = image.fit(self.width / 20, tallest, dots_per_inch=120)
        return picture_run(self.embed(image.content), size, len(self.drawn), token.content)

    def call_note(self, token: Token) -> Element:
        """Return the number of a footnote in the text."""
        number = int(token.meta["number"])
        while len(self.notes) < number:
            self.notes.append(())
        self.notes[number - 1] = token.children or ()
        mark = tag("rPr", tag("rStyle", val="FootnoteReference"))
        return tag("r", mark, tag("footnoteReference", id=str(number)))


class _OpenParagraph:
    def __init__(self, writer: InlineWriter, bold: bool, colour: str) -> None:
        self._writer = writer
        self._colour = colour
        self._open: list[str] = ["b"] if bold else []
        self._rows: list[list[Element]] = [[]]
        """The elements so far; while a link is open, the last row is its label."""
        self._url = ""

    def write(self, tokens: Iterable[Token]) -> list[Element]:
        for token in tokens:
            name = token.type.rsplit("_", 1)[0]
            if name in _STYLES:
                (self._open.append if token.nesting > 0 else self._open.remove)(_STYLES[name])
            elif name == "link":
                if token.nesting > 0:
                    url = str(token.attrs.get("href", ""))
                    self._url = url if url.startswith(_LINKABLE) and len(url) <= _MAX_URL else ""
                    if self._url:
                        self._rows.append([])
                elif self._url:
                    self._close_link()
            elif leaf := _INLINE_WRITERS.get(token.type):
                self._rows[-1].append(leaf(self._writer, token))
            else:
                breaks = {"softbreak": " ", "hardbreak": "\n"}
                self._add(breaks.get(token.type, token.content))
        return self._rows[0]

    def _add(self, text: str) -> None:
        if text:
            linked = [tag("rStyle", val="Hyperlink")] if len(self._rows) > 1 else []
            shown = [tag(name) for name in _ORDER if name in self._open]
            coloured = [tag("color", val=self._colour)] if self._colour else []
            self._rows[-1].append(text_run(text, [*linked, *shown, *coloured]))

    def _close_link(self) -> None:
        if not self._rows[-1]:
            self._add(self._url)
        label = self._rows.pop()
        link = tag("hyperlink", *label)
        link.set(f"{{{R}}}id", self._writer.link(self._url))
        self._rows[-1].append(link)
        self._url = ""


def _write_typed(text: str) -> Element:
    """Return a run of code, or of a formula that could not be set."""
    return text_run(text, [fonts(theme.MONOSPACE), tag("sz", val="20"), shade(theme.PALE)])


def _write_picture(writer: InlineWriter, token: Token) -> Element:
    picture = writer.picture(token, tallest=_TALLEST)
    return text_run(f"[{token.content}]", [tag("i")]) if picture is None else picture


_TALLEST: Final = 160
"""Most points of height of a picture within text."""
_INLINE_WRITERS: Final[Mapping[str, Callable[[InlineWriter, Token], Element]]] = {
    "maths": lambda writer, token: writer.formula(token.content),
    "code_inline": lambda _, token: _write_typed(token.content),
    "image": _write_picture,
    "footnote": InlineWriter.call_note,
}


def centred_formula(element: Element) -> Element:
    """Return a formula on a line of its own."""
    if element.tag == f"{{{omml.M}}}oMath":
        return omml.tag("oMathPara", element)
    return element


def get_text(tokens: Sequence[Token]) -> str:
    """Return the text of a line."""
    return "".join(token.content for token in tokens)

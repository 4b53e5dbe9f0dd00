"""Make runs, lists and pictures in WordprocessingML and DrawingML (ECMA-376-1, 17 and 20.4), and
write the text of a paragraph: runs, links, formulas, pictures and calls of footnotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markdown_it.token import Token

from bot.documents import theme
from bot.documents.characters import clean_line, is_right_to_left
from bot.documents.document_request import LINKABLE, DocumentImage
from bot.documents.formula_notes import FormulaReport
from bot.formulas import omml
from bot.formulas.omml import Element, W, add_element, make_element
from bot.formulas.syntax import Untypesettable
from bot.formulas.word import to_omml

R: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W14: Final = "http://schemas.microsoft.com/office/word/2010/wordml"
_SYMBOLS: Final = "Segoe UI Symbol"
_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_PREFIXES: Final = {"w": W, "r": R}


def tag(name: str, /, *children: Element, **attributes: str) -> Element:
    """Return `w:name` with attributes of the same namespace."""
    made = make_element(f"{{{W}}}{name}", _PREFIXES)
    for key, value in attributes.items():
        made.set(f"{{{W}}}{key}", value)
    made.extend(children)
    return made


def text_run(text: str, styles: Sequence[Element] = ()) -> Element:
    """Return a run; line feeds in `text` become line breaks, and tabs stay tabs."""
    made = tag("r")
    properties = [*styles, *([tag("rtl")] if is_right_to_left(text) else [])]
    if properties:
        made.append(tag("rPr", *properties))
    for number, line in enumerate(text.split("\n")):
        if number:
            made.append(tag("br"))
        for at, part in enumerate(line.split("\t")):
            if at:
                made.append(tag("tab"))
            if part:
                body = tag("t")
                body.text = part
                body.set(_SPACE, "preserve")
                made.append(body)
    return made


def paragraph(
    content: Sequence[Element], *properties: Element, style: str = "", words: str = ""
) -> Element:
    """Return a paragraph.

    Args:
        properties: in the order that the format requires.
        words: the text of the paragraph; right-to-left text is set from the right.
    """
    given = [tag("pStyle", val=style)] if style else []
    given += properties
    if is_right_to_left(words):
        # The format requires `w:bidi` before these.
        at = next((i for i, each in enumerate(given) if each.tag in _AFTER_BIDI), len(given))
        given = [*given[:at], tag("bidi"), *given[at:]]
    head = [tag("pPr", *given)] if given else []
    return tag("p", *head, *content)


def end_section(*, is_landscape: bool = False) -> Element:
    """Return the last paragraph of a section, whose page is turned or not; it is not seen."""
    turned = {"orient": "landscape"} if is_landscape else {}
    spacing = tag("spacing", before="0", after="0", line="20", lineRule="exact")
    return paragraph([], spacing, tag("sectPr", tag("pgSz", **turned)))


def keep_with_next(line: Element) -> None:
    """Keep a paragraph on the page of the next one."""
    _add_property(line, tag("keepNext"), ("pStyle",))


def begin_page(written: Sequence[Element]) -> list[Element]:
    """Return elements, so that they begin on a new page."""
    first = written[0]
    if first.find(f".//{tag('sectPr').tag}") is not None:
        return list(written)
    if first.tag != tag("p").tag:
        return [paragraph([tag("r", tag("br", type="page"))]), *written]
    _add_property(first, tag("pageBreakBefore"), ("pStyle", "keepNext", "keepLines"))
    return list(written)


def add_tab_stops(line: Element, stops: Sequence[str]) -> None:
    """Add tab stops, in twentieths of a point, to a paragraph."""
    made = tag("tabs", *(tag("tab", val="left", pos=stop) for stop in stops))
    _add_property(line, made, ("pStyle", "keepNext", "numPr", "pBdr", "shd"))


def _add_property(line: Element, made: Element, after: Collection[str]) -> None:
    """Add a property to a paragraph, behind those that the format requires before it."""
    properties = line.find(tag("pPr").tag)
    if properties is None:
        properties = tag("pPr")
        line.insert(0, properties)
    before = {tag(name).tag for name in after}
    properties.insert(sum(child.tag in before for child in properties), made)


def field_run(instruction: str) -> list[Element]:
    """Return a field that the program fills in, such as `PAGE`."""
    return [*field_start(instruction), text_run("1"), field_end()]


def field_start(instruction: str) -> list[Element]:
    """Return the start of a field, which goes before its result; `field_end` goes after it."""
    code = tag("instrText")
    code.text = f" {instruction} "
    code.set(_SPACE, "preserve")
    return [
        tag("r", tag("fldChar", fldCharType="begin")),
        tag("r", code),
        tag("r", tag("fldChar", fldCharType="separate")),
    ]


def field_end() -> Element:
    return tag("r", tag("fldChar", fldCharType="end"))


def checkbox(ticked: bool) -> Element:
    """Return a checkbox that can be ticked by a click in Word ([MS-DOCX] 2.6.1.1)."""
    box = make_element(f"{{{_W14}}}checkbox", {"w14": _W14})
    states = {"checked": str(int(ticked)), "checkedState": "2611", "uncheckedState": "2610"}
    for name, value in states.items():
        state = add_element(box, f"{{{_W14}}}{name}")
        state.set(f"{{{_W14}}}val", value)
        if name != "checked":
            state.set(f"{{{_W14}}}font", _SYMBOLS)
    font = tag("rFonts", ascii=_SYMBOLS, hAnsi=_SYMBOLS, eastAsia=_SYMBOLS, cs=_SYMBOLS)
    shown = text_run("☑" if ticked else "☐", [font])
    return tag("sdt", tag("sdtPr", box), tag("sdtContent", shown))


def fonts(name: str) -> Element:
    return tag("rFonts", ascii=name, hAnsi=name, cs=name)


def shade(colour: str) -> Element:
    return tag("shd", val="clear", color="auto", fill=colour)


def border(side: str, colour: str = theme.LINE, size: int = 4, space: int = 0) -> Element:
    """Return a border.

    Args:
        size: in eighths of a point.
        space: distance from the text in points.
    """
    return tag(side, val="single", sz=str(size), space=str(space), color=colour)


_AFTER_BIDI = frozenset(
    f"{{{W}}}{name}" for name in ("spacing", "ind", "contextualSpacing", "jc", "outlineLvl", "rPr")
)


# Lists -------------------------------------------------------------------------------------------

LEVELS: Final = 9
"""Levels of a list, as many as the format has."""
_INDENT: Final = 425
"""Indent of a level, in twentieths of a point: 0.75 cm."""
_BULLETS: Final = ("•", "–", "▪")
_NUMBERS: Final = (("decimal", "%{}."), ("lowerLetter", "%{}."), ("lowerRoman", "%{}."))
_BULLETED, _NUMBERED = 90, 91
_FIRST = 100


class Numbering:
    """The numbers of a document's lists.

    Args:
        part: the document's `w:numbering` element, to which the lists are added.
    """

    def __init__(self, part: Element) -> None:
        self._part = part
        self._next = _FIRST
        for child in list(part):  # those of the template, which are not used
            part.remove(child)
        part.append(_describe_list(_BULLETED, ordered=False))
        part.append(_describe_list(_NUMBERED, ordered=True))

    def begin(self, *, ordered: bool, level: int, start: int = 1) -> str:
        """Begin a new list; return its id."""
        number = str(self._next)
        self._next += 1
        described = tag("abstractNumId", val=str(_NUMBERED if ordered else _BULLETED))
        made = tag("num", described, numId=number)
        if ordered:
            anew = tag("startOverride", val=str(start))
            made.append(tag("lvlOverride", anew, ilvl=str(level)))
        self._part.append(made)
        return number


def list_indent(level: int, *, hanging: bool = False) -> Element:
    """Return the indent of an item of that level."""
    left = str(_INDENT * (level + 1))
    return tag("ind", left=left, hanging=str(_INDENT)) if hanging else tag("ind", left=left)


def numbered(number: str, level: int) -> Element:
    return tag("numPr", tag("ilvl", val=str(level)), tag("numId", val=number))


def _describe_list(number: int, *, ordered: bool) -> Element:
    made = tag(
        "abstractNum", tag("multiLevelType", val="hybridMultilevel"), abstractNumId=str(number)
    )
    for level in range(LEVELS):
        kind, form = _NUMBERS[level % len(_NUMBERS)] if ordered else ("bullet", "")
        mark = form.format(level + 1) if ordered else _BULLETS[level % len(_BULLETS)]
        mark_style = [fonts(theme.FONT), tag("color", val=theme.DEEP)]
        made.append(
            tag(
                "lvl",
                tag("start", val="1"),
                tag("numFmt", val=kind),
                tag("lvlText", val=mark),
                tag("lvlJc", val="left"),
                tag("pPr", list_indent(level, hanging=True)),
                tag("rPr", *mark_style),
                ilvl=str(level),
            )
        )
    return made


# Pictures ----------------------------------------------------------------------------------------

_WP: Final = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
_A: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
_PIC: Final = "http://schemas.openxmlformats.org/drawingml/2006/picture"
_EMU: Final = 12_700
"""English Metric Units in a point."""
_LONGEST: Final = 1_000
"""Most characters of a description."""


def picture_run(relation: str, size: tuple[float, float], number: int, description: str) -> Element:
    """Return a run that shows the picture of that relationship.

    Args:
        number: the picture's number in the document, from 1.
    """
    extent = {"cx": str(int(size[0] * _EMU)), "cy": str(int(size[1] * _EMU))}
    alt = clean_line(description)[:_LONGEST]
    prefixes = {"wp": _WP, "a": _A, "pic": _PIC, "r": R}
    inline = make_element(
        f"{{{_WP}}}inline", prefixes, **dict.fromkeys(("distT", "distB", "distL", "distR"), "0")
    )
    add_element(inline, f"{{{_WP}}}extent", **extent)
    name = {"id": str(number), "name": f"Image {number}", "descr": alt}
    add_element(inline, f"{{{_WP}}}docPr", **name)
    frame = add_element(inline, f"{{{_WP}}}cNvGraphicFramePr")
    add_element(frame, f"{{{_A}}}graphicFrameLocks", noChangeAspect="1")
    data = add_element(add_element(inline, f"{{{_A}}}graphic"), f"{{{_A}}}graphicData", uri=_PIC)
    picture = add_element(data, f"{{{_PIC}}}pic")
    about = add_element(picture, f"{{{_PIC}}}nvPicPr")
    add_element(about, f"{{{_PIC}}}cNvPr", **name)
    add_element(about, f"{{{_PIC}}}cNvPicPr")
    fill = add_element(picture, f"{{{_PIC}}}blipFill")
    add_element(fill, f"{{{_A}}}blip").set(f"{{{R}}}embed", relation)
    add_element(add_element(fill, f"{{{_A}}}stretch"), f"{{{_A}}}fillRect")
    shape = add_element(picture, f"{{{_PIC}}}spPr")
    place = add_element(shape, f"{{{_A}}}xfrm")
    add_element(place, f"{{{_A}}}off", x="0", y="0")
    add_element(place, f"{{{_A}}}ext", **extent)
    form = add_element(shape, f"{{{_A}}}prstGeom", prst="rect")
    add_element(form, f"{{{_A}}}avLst")
    return tag("r", tag("drawing", inline))


# Text of paragraphs ------------------------------------------------------------------------------

_RULED = re.compile(r"\\hline|\\begin\{array\}\s*(?:\[\w*\])?\s*\{[^{}]*\|")
"""An array with lines between its cells, which Word's formulas have not."""
_MAX_URL: Final = 2_000
_STYLES: Final = {
    "strong": "b",
    "em": "i",
    "s": "strike",
    "sub": "subscript",
    "sup": "superscript",
}
_ORDER: Final = ("b", "i", "strike")
_SCRIPTS: Final = ("subscript", "superscript")


@dataclass
class InlineWriter:
    """Writes lines, and collects the formulas that could not be set."""

    link: Callable[[str], str]
    """Makes a relationship to an address, and returns its id."""
    embed: Callable[[bytes], str]
    """Makes a relationship to a picture, and returns its id."""
    images: Mapping[str, DocumentImage] = field(default_factory=dict[str, DocumentImage])
    """The pictures that can be shown, by their sources."""
    report: FormulaReport = field(default_factory=FormulaReport)
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
            made = to_omml(latex, self.report.unknown)
            if _RULED.search(latex):
                self.report.unruled.append(latex)
            return made
        except Untypesettable:
            self.report.unset.append(latex)
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

    def call_note(self, token: Token) -> list[Element]:
        """Return the number of a footnote in the text; a further call of the same note refers to
        the first, because Word numbers each reference anew."""
        number = int(token.meta["number"])
        mark = tag("rPr", tag("rStyle", val="FootnoteReference"))
        if number <= len(self.notes) and self.notes[number - 1]:
            shown = text_run(str(number), list(mark))
            return [tag("fldSimple", shown, instr=f" NOTEREF {_NOTE}{number} \\f \\h ")]
        while len(self.notes) < number:
            self.notes.append(())
        self.notes[number - 1] = token.children or ()
        name = {"id": str(_FIRST_NOTE + number)}
        call = tag("r", mark, tag("footnoteReference", id=str(number)))
        start = tag("bookmarkStart", **name, name=f"{_NOTE}{number}")
        return [start, call, tag("bookmarkEnd", **name)]


_NOTE: Final = "_Note"
"""Beginning of the names of the bookmarks at footnotes."""
_FIRST_NOTE: Final = 100_000
"""A number for their ids that is larger than those of the bookmarks at headings."""


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
                    self._url = url if url.startswith(LINKABLE) and len(url) <= _MAX_URL else ""
                    if self._url:
                        self._rows.append([])
                elif self._url:
                    self._close_link()
            elif leaf := _INLINE_WRITERS.get(token.type):
                self._rows[-1] += map(self._paint, leaf(self._writer, token))
            else:
                breaks = {"softbreak": " ", "hardbreak": "\n"}
                self._add(breaks.get(token.type, token.content))
        return self._rows[0]

    def _paint(self, made: Element) -> Element:
        """Return a formula in the colour of all text; anything else unchanged."""
        if self._colour and made.tag == f"{{{omml.M}}}oMath":
            omml.paint(made, tag("color", val=self._colour))
        return made

    def _add(self, text: str) -> None:
        if text:
            linked = [tag("rStyle", val="Hyperlink")] if len(self._rows) > 1 else []
            shown = [tag(name) for name in _ORDER if name in self._open]
            coloured = [tag("color", val=self._colour)] if self._colour else []
            placed = [tag("vertAlign", val=name) for name in self._open if name in _SCRIPTS]
            self._rows[-1].append(text_run(text, [*linked, *shown, *coloured, *placed]))

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


def _write_picture(writer: InlineWriter, token: Token) -> list[Element]:
    picture = writer.picture(token, tallest=_TALLEST)
    return [text_run(f"[{token.content}]", [tag("i")]) if picture is None else picture]


_TALLEST: Final = 160
"""Most points of height of a picture within text."""
_INLINE_WRITERS: Final[Mapping[str, Callable[[InlineWriter, Token], list[Element]]]] = {
    "maths": lambda writer, token: [writer.formula(token.content)],
    "code_inline": lambda _, token: [_write_typed(token.content)],
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

"""Pieces of WordprocessingML (ECMA-376 part 1, 17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.library.office import look
from bot.library.office.text import is_leftward
from bot.library.office.xml import Element, add_element, make_element

W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W14: Final = "http://schemas.microsoft.com/office/word/2010/wordml"
_SYMBOLS: Final = "Segoe UI Symbol"
_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_PREFIXES: Final = {"w": W, "r": R}


def tag(name: str, /, *children: Element, **attributes: str) -> Element:
    """`w:name` with attributes of the same namespace."""
    made = make_element(f"{{{W}}}{name}", _PREFIXES)
    for key, value in attributes.items():
        made.set(f"{{{W}}}{key}", value)
    made.extend(children)
    return made


def text_run(text: str, styles: Sequence[Element] = ()) -> Element:
    """A run; line feeds in `text` break the line, tabs are tabs."""
    made = tag("r")
    properties = [*styles, *([tag("rtl")] if is_leftward(text) else [])]
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
    """
    Args:
        properties: in the order that the format asks for.
        words: its text; what is written from right to left begins at the right.
    """
    given = [tag("pStyle", val=style)] if style else []
    given += properties
    if is_leftward(words):
        given = _insert_bidi(given)
    head = [tag("pPr", *given)] if given else []
    return tag("p", *head, *content)


def field_run(instruction: str, shown: str = "1") -> list[Element]:
    """A field that the program fills in, such as `PAGE`."""
    return [*field_start(instruction), text_run(shown), field_end()]


def field_start(instruction: str) -> list[Element]:
    """What stands before a field's result; `field_end` stands after it."""
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
    """A box that a click ticks in Word ([MS-DOCX] 2.6.1.1)."""
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


def border(side: str, colour: str = look.LINE, size: int = 4, space: int = 0) -> Element:
    """
    Args:
        size: in eighths of a point.
        space: from the text, in points.
    """
    return tag(side, val="single", sz=str(size), space=str(space), color=colour)


_AFTER_BIDI = frozenset(
    f"{{{W}}}{name}" for name in ("spacing", "ind", "contextualSpacing", "jc", "outlineLvl", "rPr")
)


def _insert_bidi(properties: list[Element]) -> list[Element]:
    """`w:bidi` at its place in the order of the format."""
    at = next((i for i, each in enumerate(properties) if each.tag in _AFTER_BIDI), len(properties))
    return [*properties[:at], tag("bidi"), *properties[at:]]

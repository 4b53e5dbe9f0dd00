"""Pieces of Word's native equations (Office Math, ECMA-376 part 1, 22.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.library.office.xml import Element, add_element, make_element

M: Final = "http://schemas.openxmlformats.org/officeDocument/2006/math"
W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FONT: Final = "Cambria Math"
_PREFIXES: Final = {"m": M, "w": W}


def tag(name: str, *children: Element, val: str | None = None) -> Element:
    """`m:name`, with the attribute `m:val` if one is given."""
    made = make_element(f"{{{M}}}{name}", _PREFIXES)
    if val is not None:
        made.set(f"{{{M}}}val", val)
    made.extend(children)
    return made


def run(text: str, style: str = "") -> Element:
    """Characters.

    Args:
        style: a letter of `m:sty` (p upright, b bold, bi bold italic), the name of a script
            (double-struck, script, fraktur, …), `text` for words, or empty for italic letters.
    """
    made = tag("r")
    if style == "text":
        made.append(tag("rPr", tag("nor")))
    elif style in ("p", "b", "bi"):
        made.append(tag("rPr", tag("sty", val=style)))
    elif style:
        made.append(tag("rPr", tag("scr", val=style), tag("sty", val="p")))
    fonts = add_element(add_element(made, f"{{{W}}}rPr"), f"{{{W}}}rFonts")
    for kind in ("ascii", "hAnsi"):
        fonts.set(f"{{{W}}}{kind}", FONT)
    body = add_element(made, f"{{{M}}}t")
    body.text = text
    body.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return made


def fraction(above: Sequence[Element], below: Sequence[Element], kind: str = "bar") -> Element:
    return tag("f", tag("fPr", tag("type", val=kind)), tag("num", *above), tag("den", *below))


def root(degree: Sequence[Element], body: Sequence[Element]) -> Element:
    properties = [] if degree else [tag("radPr", tag("degHide", val="1"))]
    return tag("rad", *properties, tag("deg", *degree), tag("e", *body))


def scripts(base: Sequence[Element], below: Sequence[Element], above: Sequence[Element]) -> Element:
    """Index and power at the side."""
    if below and above:
        return tag("sSubSup", tag("e", *base), tag("sub", *below), tag("sup", *above))
    if below:
        return tag("sSub", tag("e", *base), tag("sub", *below))
    return tag("sSup", tag("e", *base), tag("sup", *above))


def limits(base: Sequence[Element], below: Sequence[Element], above: Sequence[Element]) -> Element:
    """Index and power under and over."""
    made = list(base)
    if below:
        made = [tag("limLow", tag("e", *made), tag("lim", *below))]
    if above:
        made = [tag("limUpp", tag("e", *made), tag("lim", *above))]
    return made[0]


def large(
    char: str, below: Sequence[Element], above: Sequence[Element], body: Sequence[Element]
) -> Element:
    """A sum, product or integral over `body`."""
    side = "subSup" if char in "∫∬∭∮" else "undOvr"
    properties = [tag("chr", val=char), tag("limLoc", val=side)]
    properties += [] if below else [tag("subHide", val="1")]
    properties += [] if above else [tag("supHide", val="1")]
    return tag(
        "nary",
        tag("naryPr", *properties),
        tag("sub", *below),
        tag("sup", *above),
        tag("e", *(body or [run("\u200b")])),  # without anything Word shows an empty box
    )


def bracketed(opening: str, closing: str, body: Sequence[Element]) -> Element:
    properties = tag("dPr", tag("begChr", val=opening), tag("endChr", val=closing))
    return tag("d", properties, tag("e", *body))


def accented(char: str, body: Sequence[Element]) -> Element:
    return tag("acc", tag("accPr", tag("chr", val=char)), tag("e", *body))


def lined(position: str, body: Sequence[Element]) -> Element:
    """With a line over (`top`) or under (`bot`) it."""
    return tag("bar", tag("barPr", tag("pos", val=position)), tag("e", *body))


def braced(char: str, position: str, body: Sequence[Element]) -> Element:
    upright = "bot" if position == "top" else "top"
    properties = tag(
        "groupChrPr", tag("chr", val=char), tag("pos", val=position), tag("vertJc", val=upright)
    )
    return tag("groupChr", properties, tag("e", *body))


def boxed(body: Sequence[Element]) -> Element:
    return tag("borderBox", tag("e", *body))


def matrix(rows: Sequence[Sequence[Sequence[Element]]], side: str = "center") -> Element:
    width = max(map(len, rows))
    column = tag("mcPr", tag("count", val=str(width)), tag("mcJc", val=side))
    made = tag("m", tag("mPr", tag("mcs", tag("mc", column))))
    for row in rows:
        cells = [*row, *[()] * (width - len(row))]
        made.append(tag("mr", *(tag("e", *cell) for cell in cells)))
    return made


def stacked(rows: Sequence[Sequence[Element]]) -> Element:
    """Lines; an `&` in their runs is where they are aligned."""
    return tag("eqArr", *(tag("e", *row) for row in rows))

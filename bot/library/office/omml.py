"""Pieces of the native equations of Word and PowerPoint (Office Math, ECMA-376 part 1, 22.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.library.office.xml import Element, add_element, make_element

M: Final = "http://schemas.openxmlformats.org/officeDocument/2006/math"
W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FONT: Final = "Cambria Math"
_SIDES: Final = {"l": "left", "c": "center", "r": "right"}
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
    char: str,
    below: Sequence[Element],
    above: Sequence[Element],
    body: Sequence[Element],
    *,
    limits: bool | None = None,
) -> Element:
    """A sum, product or integral over `body`.

    Args:
        limits: whether its bounds stand under and over it; None: as is usual for it.
    """
    is_high = char not in "∫∬∭∮" if limits is None else limits
    side = "undOvr" if is_high else "subSup"
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


def prescripts(
    base: Sequence[Element], below: Sequence[Element], above: Sequence[Element]
) -> Element:
    """Index and power before the base, as in isotopes."""
    empty = [run("\u200b")]
    return tag(
        "sPre", tag("sub", *(below or empty)), tag("sup", *(above or empty)), tag("e", *base)
    )


def bracketed(
    opening: str, closing: str, *bodies: Sequence[Element], separator: str = "|"
) -> Element:
    """`bodies` in brackets, parted by bars as tall as the brackets."""
    bar = [tag("sepChr", val=separator)] if len(bodies) > 1 else []
    properties = tag("dPr", tag("begChr", val=opening), *bar, tag("endChr", val=closing))
    return tag("d", properties, *(tag("e", *body) for body in bodies))


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


def function(name: Sequence[Element], body: Sequence[Element]) -> Element:
    """A limit or the like over `body`."""
    return tag("func", tag("fName", *name), tag("e", *(body or [run("\u200b")])))


def boxed(body: Sequence[Element]) -> Element:
    return tag("borderBox", tag("e", *body))


def struck(body: Sequence[Element]) -> Element:
    """Crossed out from the lower left to the upper right."""
    sides = [tag(f"hide{side}", val="1") for side in ("Top", "Bot", "Left", "Right")]
    return tag("borderBox", tag("borderBoxPr", *sides, tag("strikeBLTR", val="1")), tag("e", *body))


def phantom(body: Sequence[Element], *zeroes: str) -> Element:
    """Room for `body`, which is not shown.

    Args:
        zeroes: the extents that count as nothing: zeroWid, zeroAsc, zeroDesc.
    """
    flat = [tag(name, val="1") for name in zeroes]
    return tag("phant", tag("phantPr", tag("show", val="0"), *flat), tag("e", *body))


def matrix(rows: Sequence[Sequence[Sequence[Element]]], sides: Sequence[str] = ()) -> Element:
    """Rows of cells.

    Args:
        sides: of each column: l, c or r; those beyond them are centred.
    """
    width = max(map(len, rows))
    columns = [_SIDES[side] for side in sides[:width]]
    columns += ["center"] * (width - len(columns))
    made = tag("m", tag("mPr", tag("mcs", *map(_column, columns))))
    for row in rows:
        cells = [*row, *[()] * (width - len(row))]
        made.append(tag("mr", *(tag("e", *cell) for cell in cells)))
    return made


def _column(side: str) -> Element:
    return tag("mc", tag("mcPr", tag("count", val="1"), tag("mcJc", val=side)))


def stacked(rows: Sequence[Sequence[Element]]) -> Element:
    """Lines; an `&` in their runs is where they are aligned."""
    return tag("eqArr", *(tag("e", *row) for row in rows))

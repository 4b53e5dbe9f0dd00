"""Build parts of native equations of Word and PowerPoint (Office Math, ECMA-376 part 1, 22.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, TypeAlias

_etree: Any = import_module("lxml.etree")
Element: TypeAlias = Any
"""An element of lxml."""


def make_element(
    name: str, prefixes: Mapping[str, str] | None = None, /, **attributes: str
) -> Element:
    """Make an element without a parent; `name` and the attributes are written `{namespace}name`."""
    return _etree.Element(name, attributes, prefixes)


def add_element(parent: Element, name: str, /, **attributes: str) -> Element:
    """Add a new last child to `parent`, and return it."""
    return _etree.SubElement(parent, name, attributes)


M: Final = "http://schemas.openxmlformats.org/officeDocument/2006/math"
W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FONT: Final = "Cambria Math"
_SIDES: Final = {"l": "left", "c": "center", "r": "right"}
_PREFIXES: Final = {"m": M, "w": W}


def tag(name: str, *children: Element, val: str | None = None) -> Element:
    """Return `m:name`, with the attribute `m:val` if one is given."""
    made = make_element(f"{{{M}}}{name}", _PREFIXES)
    if val is not None:
        made.set(f"{{{M}}}val", val)
    made.extend(children)
    return made


def run(text: str, style: str = "") -> Element:
    """Make a run of characters.

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
    """Make a base with an index and a power at its side."""
    if below and above:
        return tag("sSubSup", tag("e", *base), tag("sub", *below), tag("sup", *above))
    if below:
        return tag("sSub", tag("e", *base), tag("sub", *below))
    return tag("sSup", tag("e", *base), tag("sup", *above))


def limits(base: Sequence[Element], below: Sequence[Element], above: Sequence[Element]) -> Element:
    """Make a base with an index and a power under and over it."""
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
    """Make a sum, product or integral over `body`.

    Args:
        limits: whether the bounds stand under and over the sign; None: as usual for the sign.
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
        tag("e", *(body or [run("\u200b")])),  # an empty body would be shown as a box by Word
    )


def prescripts(
    base: Sequence[Element], below: Sequence[Element], above: Sequence[Element]
) -> Element:
    """Make a base with an index and a power before it, as in isotopes."""
    empty = [run("\u200b")]
    return tag(
        "sPre", tag("sub", *(below or empty)), tag("sup", *(above or empty)), tag("e", *base)
    )


def bracketed(
    opening: str, closing: str, *bodies: Sequence[Element], separator: str = "|"
) -> Element:
    """Make `bodies` in brackets, separated by bars as tall as the brackets."""
    bar = [tag("sepChr", val=separator)] if len(bodies) > 1 else []
    properties = tag("dPr", tag("begChr", val=opening), *bar, tag("endChr", val=closing))
    return tag("d", properties, *(tag("e", *body) for body in bodies))


def accented(char: str, body: Sequence[Element]) -> Element:
    return tag("acc", tag("accPr", tag("chr", val=char)), tag("e", *body))


def lined(position: str, body: Sequence[Element]) -> Element:
    """Make `body` with a line over (`top`) or under (`bot`) it."""
    return tag("bar", tag("barPr", tag("pos", val=position)), tag("e", *body))


def braced(char: str, position: str, body: Sequence[Element]) -> Element:
    upright = "bot" if position == "top" else "top"
    properties = tag(
        "groupChrPr", tag("chr", val=char), tag("pos", val=position), tag("vertJc", val=upright)
    )
    return tag("groupChr", properties, tag("e", *body))


def function(name: Sequence[Element], body: Sequence[Element]) -> Element:
    """Make a limit or the like over `body`."""
    return tag("func", tag("fName", *name), tag("e", *(body or [run("\u200b")])))


def boxed(body: Sequence[Element]) -> Element:
    return tag("borderBox", tag("e", *body))


def struck(body: Sequence[Element]) -> Element:
    """Make a body crossed out from the lower left to the upper right."""
    sides = [tag(f"hide{side}", val="1") for side in ("Top", "Bot", "Left", "Right")]
    return tag("borderBox", tag("borderBoxPr", *sides, tag("strikeBLTR", val="1")), tag("e", *body))


def phantom(body: Sequence[Element], *zeroes: str) -> Element:
    """Make a space of the size of `body`, which is not shown.

    Args:
        zeroes: the extents that count as zero: zeroWid, zeroAsc, zeroDesc.
    """
    flat = [tag(name, val="1") for name in zeroes]
    return tag("phant", tag("phantPr", tag("show", val="0"), *flat), tag("e", *body))


def matrix(rows: Sequence[Sequence[Sequence[Element]]], sides: Sequence[str] = ()) -> Element:
    """Make a matrix from rows of cells.

    Args:
        sides: the alignment of each column: l, c or r; further columns are centred.
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
    """Make lines one under another, aligned at the `&` in their runs."""
    return tag("eqArr", *(tag("e", *row) for row in rows))


_WITH_SIGNS: Final = {
    f"{{{M}}}{name}": f"{{{M}}}{name}Pr"
    for name in (
        *("acc", "bar", "borderBox", "d", "eqArr", "f", "func", "groupChr", "limLow", "limUpp"),
        *("m", "nary", "phant", "rad", "sPre", "sSub", "sSubSup", "sSup"),
    )
}
"""The properties of each construct: the look of its own signs, such as bars, is set there."""


def paint(formula: Element, *looks: Element) -> None:
    """Give all characters and signs of `formula` properties of Word's runs, such as a colour."""
    for part in list(formula.iter()):
        if part.tag == f"{{{M}}}r":
            part.find(f"{{{W}}}rPr").extend(map(deepcopy, looks))
        elif part.tag in _WITH_SIGNS:
            properties = part.find(_WITH_SIGNS[part.tag])
            if properties is None:
                properties = make_element(_WITH_SIGNS[part.tag])
                part.insert(0, properties)
            signs = add_element(add_element(properties, f"{{{M}}}ctrlPr"), f"{{{W}}}rPr")
            fonts = add_element(signs, f"{{{W}}}rFonts")
            for kind in ("ascii", "hAnsi"):
                fonts.set(f"{{{W}}}{kind}", FONT)
            signs.extend(map(deepcopy, looks))


_EMPTY: Final = "\u200b"
"""A character for places that Word would show as an empty box."""
THIN: Final = "\u2009"
_SEPARATING: Final = frozenset("=<>≤≥≠≈≡+−±,;→⇒⇔↦∈")
"""Signs that end the body of a sum."""
_OPENING: Final = frozenset("([{⟨⌊⌈")
_CLOSING: Final = frozenset(")]}⟩⌋⌉")
_BARS: Final = frozenset("|‖")


@dataclass
class Atom:
    """A piece of an equation to which scripts can be attached."""

    elements: list[Element]
    char: str = ""
    """The character, if the piece is a single one."""
    is_large: bool = False
    is_function: bool = False
    has_limits: bool | None = None
    """Whether scripts stand under and over it; None: as usual for it."""
    below: list[Element] = field(default_factory=list[Element])
    above: list[Element] = field(default_factory=list[Element])

    @property
    def is_word(self) -> bool:
        """Whether a function's name needs a space before this piece."""
        if self.char:
            return self.char.isalnum()
        return bool(self.elements) and self.elements[0].tag != f"{{{M}}}d"

    def finish(self, body: Sequence[Element] = ()) -> list[Element]:
        if self.is_large:
            return [large(self.char, self.below, self.above, body, limits=self.has_limits)]
        if not (self.below or self.above):
            return self.elements
        base = self.elements or [run(_EMPTY)]
        shape = limits if self.has_limits else scripts
        made = shape(base, self.below, self.above)
        return [function([made], body)] if self.has_body else [made]

    @property
    def has_body(self) -> bool:
        """Whether the pieces after it, up to the next relation, are its body."""
        is_limit = self.is_function and bool(self.has_limits) and bool(self.below)
        return self.is_large or is_limit


def join_atoms(atoms: Sequence[Atom]) -> list[Element]:
    """Return all elements in a row; sums and limits take the elements after them as body."""
    elements: list[Element] = []
    following: Atom | None = None
    for atom in reversed(_bracket_atoms(atoms)):
        if atom.has_body:
            end = _find_end(elements)
            body, elements = elements[:end], elements[end:]
            elements.insert(0, atom.finish(body)[0])
        else:
            if following and (
                (atom.is_function or following.is_function) and atom.is_word and following.is_word
            ):
                elements.insert(0, run(THIN))
            elements[:0] = atom.finish()
        following = atom
    merged: list[Element] = []
    for element in elements:
        if merged and _is_word(merged[-1]) and _is_word(element):
            text = "".join(merged[-1].itertext()) + "".join(element.itertext())
            merged[-1] = run(text, "text")
        else:
            merged.append(element)
    return merged


def _is_word(element: Element) -> bool:
    is_text = element.find(f"{{{M}}}rPr/{{{M}}}nor") is not None
    return is_text and "".join(element.itertext()).isalpha()


def _find_end(elements: Sequence[Element]) -> int:
    """Return where a body ends: at a relation, or at a bracket that was opened before it."""
    depth = 0
    for index, element in enumerate(elements):
        text = "".join(element.itertext()) if element.tag == f"{{{M}}}r" else ""
        depth += (text in _OPENING) - (text in _CLOSING)
        if depth < 0 or (not depth and text in _SEPARATING):
            return index
    return len(elements)


def _bracket_atoms(atoms: Sequence[Atom]) -> list[Atom]:
    """Return the atoms, with those between bars, or between brackets that have a script, joined
    into one.

    Programs other than Word attach no script to a lone bracket, and do not recognise a bar as a
    bracket.
    """
    made: list[Atom] = []
    opened: list[int] = []
    for atom in atoms:
        char = atom.char
        if char in _BARS and (
            False
            if not opened or made[opened[-1]].char != char or opened[-1] == len(made) - 1
            else not (made[-1].char and made[-1].char in _SEPARATING)
        ):
            made = _enclose(made, opened.pop(), atom)
        elif char in _OPENING or char in _BARS:
            opened.append(len(made))
            made.append(atom)
        elif char in _CLOSING:
            while opened and made[opened[-1]].char in _BARS:
                opened.pop()
            start = opened.pop() if opened else -1
            if start >= 0 and (atom.below or atom.above):
                made = _enclose(made, start, atom)
            else:
                made.append(atom)
        else:
            made.append(atom)
    return made


def _enclose(made: list[Atom], start: int, closing: Atom) -> list[Atom]:
    inner = join_atoms(made[start + 1 :])
    whole = bracketed(made[start].char, closing.char, inner)
    atom = Atom([whole], below=closing.below, above=closing.above)
    return [*made[:start], atom]

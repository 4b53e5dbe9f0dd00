"""Formulas on slides: PowerPoint's own equations, and a picture for programs that know none.

PowerPoint stores an equation as `a14:m` in the preferred branch of an `mc:AlternateContent`
([MS-ODRAWXML] 2.5.1; ECMA-376 part 3, 10), with what other programs show in the other branch.
"""

from __future__ import annotations

import io
import re
import struct
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import typst

from bot.library.office import look, omml
from bot.library.office.equations import to_omml
from bot.library.office.spelling import spell
from bot.library.office.xml import Element, add_element, make_element
from bot.library.typesetting.formula import to_parts
from bot.library.typesetting.notation import PREAMBLE
from bot.library.typesetting.source import Untypesettable, call, join

_A: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
_A14: Final = "http://schemas.microsoft.com/office/drawing/2010/main"
_MC: Final = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_P: Final = "http://schemas.openxmlformats.org/presentationml/2006/main"
_W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_EMU: Final = 12_700
"""Of a point."""
_PIXELS: Final = 200
"""To an inch of a picture in its natural size."""
_NATURAL: Final = 24.0
"""Points of the letters in a picture in its natural size."""
_SLIM: Final = 0.86
"""How wide an equation is beside its picture, which is of a wider font."""
_PAGE: Final = f"""
#set page(width: auto, height: auto, margin: 1pt, fill: none)
#set text(font: "New Computer Modern", size: {_NATURAL}pt, fill: rgb("{look.INK}"),
  top-edge: "bounds", bottom-edge: "bounds")
"""
_MATHS = re.compile(r"\$\$?(?=\S)([^$\n]{1,500}?)(?<=\S)\$\$?(?!\d)")
_TALL = re.compile(
    r"\\(?:[dtc]?frac(?!\s*\{?\d{1,3}\}?\s*\{?\d{1,3}\}?)|sqrt|sum|prod|int|iint|oint|lim|binom|begin"
    r"|x[A-Za-z]*arrow|over|under|vec|wide|left|bar|hat|boxed|cancel)"
)
_SCRIPTED = re.compile(r"[_^]")
_REST: Final = " .,;:"
"""Signs that are left out after a formula on a line of its own."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula on a line of its own."""

    latex: str
    picture: bytes
    """A PNG on no ground."""
    width: float
    """In points, of letters of one point."""
    height: float


def part_formulas(text: str) -> list[str | Formula]:
    """A point as text, and the formulas in it that a line of text cannot show."""
    parts: list[str | Formula] = []
    end = 0
    for found in _MATHS.finditer(text):
        if not _needs_room(found[1]):
            continue
        formula = draw_formula(found[1])
        if formula is None:
            continue
        parts += [_trim(text[end : found.start()], end), formula]
        end = found.end()
    parts.append(_trim(text[end:], end))
    return [part for part in parts if part] if len(parts) > 1 else [text]


def _trim(text: str, start: int) -> str:
    """Text beside a formula, without the sign that followed it."""
    return text.lstrip(_REST).rstrip() if start else text.rstrip()


def _needs_room(latex: str) -> bool:
    return bool(_TALL.search(latex) or _SCRIPTED.search(spell(latex)))


def draw_formula(latex: str) -> Formula | None:
    """A formula with its picture; None if it cannot be set."""
    try:
        to_omml(latex)
        body = call("display", join(to_parts(latex)))
        page = _compiler().compile(
            f"{PREAMBLE}{_PAGE}${body}$".encode(), format="png", ppi=float(_PIXELS)
        )
    except (Untypesettable, typst.TypstError):
        return None
    if not isinstance(page, bytes):
        return None
    wide, high = struct.unpack(">II", page[16:24])  # of the PNG's header
    ems = 72 / _PIXELS / _NATURAL
    return Formula(latex, page, wide * ems, high * ems)


@cache
def _compiler() -> typst.Compiler:
    fonts = typst.Fonts(include_system_fonts=False)
    return typst.Compiler(root=".", font_paths=fonts, package_path=".", package_cache_path=".")


def put_formula(
    slide: Any, formula: Formula, place: tuple[float, float], size: float, locale: str
) -> None:
    """Put a formula on a slide.

    Args:
        place: its left and its top, in points.
        size: of its letters, in points.
    """
    tree: Element = slide.shapes._spTree  # noqa: SLF001 (python-pptx knows no equations)
    number = str(max(int(each) for each in tree.xpath("//@id") if each.isdigit()) + 1)
    _, relation = slide.part.get_or_add_image_part(io.BytesIO(formula.picture))
    prefixes = {"mc": _MC, "a14": _A14, "p": _P, "a": _A, "r": _R, "m": omml.M}
    made = make_element(f"{{{_MC}}}AlternateContent", prefixes)
    about = {"id": number, "name": f"Formule {number}", "descr": spell(formula.latex)}
    box = (*place, formula.width * size, formula.height * size)
    choice = add_element(made, f"{{{_MC}}}Choice", Requires="a14")
    slim = (*place, formula.width * size * _SLIM, formula.height * size)
    choice.append(_equation(formula, about, slim, size, locale))
    add_element(made, f"{{{_MC}}}Fallback").append(_picture(relation, about, box))
    tree.append(made)


def _equation(
    formula: Formula,
    about: dict[str, str],
    box: tuple[float, float, float, float],
    size: float,
    locale: str,
) -> Element:
    shape = make_element(f"{{{_P}}}sp")
    named = add_element(shape, f"{{{_P}}}nvSpPr")
    add_element(named, f"{{{_P}}}cNvPr", **about)
    add_element(named, f"{{{_P}}}cNvSpPr", txBox="1")
    add_element(named, f"{{{_P}}}nvPr")
    _place(add_element(shape, f"{{{_P}}}spPr"), box)
    body = add_element(shape, f"{{{_P}}}txBody")
    edges = dict.fromkeys(("lIns", "tIns", "rIns", "bIns"), "0")
    add_element(body, f"{{{_A}}}bodyPr", wrap="none", anchor="ctr", **edges)
    add_element(body, f"{{{_A}}}lstStyle")
    line = add_element(body, f"{{{_A}}}p")
    holder = add_element(line, f"{{{_A14}}}m")
    side = omml.tag("oMathParaPr", omml.tag("jc", val="left"))
    holder.append(omml.tag("oMathPara", side, _suit(to_omml(formula.latex), size, locale)))
    return shape


def _suit(equation: Element, size: float, locale: str) -> Element:
    """An equation with PowerPoint's properties of runs in place of Word's."""
    for old in list(equation.iter(f"{{{_W}}}rPr")):
        given = make_element(f"{{{_A}}}rPr", lang=locale, sz=str(round(size * 100)))
        ink = add_element(given, f"{{{_A}}}solidFill")
        add_element(ink, f"{{{_A}}}srgbClr", val=look.INK)
        add_element(given, f"{{{_A}}}latin", typeface=omml.FONT)
        old.getparent().replace(old, given)
    return equation


def _picture(
    relation: str, about: dict[str, str], box: tuple[float, float, float, float]
) -> Element:
    shape = make_element(f"{{{_P}}}pic")
    named = add_element(shape, f"{{{_P}}}nvPicPr")
    add_element(named, f"{{{_P}}}cNvPr", **about)
    add_element(named, f"{{{_P}}}cNvPicPr")
    add_element(named, f"{{{_P}}}nvPr")
    fill = add_element(shape, f"{{{_P}}}blipFill")
    add_element(fill, f"{{{_A}}}blip").set(f"{{{_R}}}embed", relation)
    add_element(add_element(fill, f"{{{_A}}}stretch"), f"{{{_A}}}fillRect")
    _place(add_element(shape, f"{{{_P}}}spPr"), box)
    return shape


def _place(properties: Element, box: tuple[float, float, float, float]) -> None:
    left, top, width, height = (str(int(each * _EMU)) for each in box)
    frame = add_element(properties, f"{{{_A}}}xfrm")
    add_element(frame, f"{{{_A}}}off", x=left, y=top)
    add_element(frame, f"{{{_A}}}ext", cx=width, cy=height)
    form = add_element(properties, f"{{{_A}}}prstGeom", prst="rect")
    add_element(form, f"{{{_A}}}avLst")
    add_element(properties, f"{{{_A}}}noFill")

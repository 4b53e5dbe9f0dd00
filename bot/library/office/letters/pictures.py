"""Pictures in Word (DrawingML, ECMA-376 part 1, 20.4): in a line, with words for who cannot see."""

from __future__ import annotations

from typing import Final

from bot.library.image_worker import DocumentImage
from bot.library.office.letters.markup import R, tag
from bot.library.office.text import clean_line
from bot.library.office.xml import Element, add_element, make_element

_WP: Final = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
_A: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
_PIC: Final = "http://schemas.openxmlformats.org/drawingml/2006/picture"
_EMU: Final = 12_700
"""Of a point."""
_POINTS_PER_PIXEL: Final = 72 / 120
_LEAST: Final = 90.0
"""Points that a picture is wide at least: small ones are enlarged."""
_LONGEST: Final = 1_000
"""Characters of a description."""


def measure_picture(image: DocumentImage, widest: float, tallest: float) -> tuple[float, float]:
    """Width and height on paper, in points, in the picture's proportions."""
    width = min(max(image.width * _POINTS_PER_PIXEL, _LEAST), widest)
    width = min(width, tallest * image.width / image.height)
    return width, width * image.height / image.width


def picture_run(relation: str, size: tuple[float, float], number: int, description: str) -> Element:
    """A run that shows the picture of that relationship.

    Args:
        number: which of the document's pictures it is, from 1.
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

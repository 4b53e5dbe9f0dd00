"""The page, its styles and its footer."""

from __future__ import annotations

from typing import Any, Final

from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Cm, Pt, RGBColor

from bot.library.office import look
from bot.library.office.letters.markup import border, field_run, fonts, paragraph, tag, text_run
from bot.library.office.xml import Element

_HEADINGS: Final = ((17, 18, 6), (14, 14, 4), (12, 10, 4), (11, 8, 2), (11, 8, 2), (11, 8, 2))
"""Of each level: size, space before, space after, in points."""
LOCALES: Final = {"fr": "fr-FR", "en": "en-GB"}
"""What spelling is checked by."""


def set_up(document: Any, language: str) -> None:
    """Make the template ours: A4, our fonts and colours, the language, page numbers."""
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2)
    section.top_margin, section.bottom_margin = Cm(2), Cm(2)
    section.footer_distance = Cm(1)
    _set_language(document, LOCALES.get(language, LOCALES["fr"]))
    _set_body(document)
    for level, form in enumerate(_HEADINGS, start=1):
        _set_heading(document.styles[f"Heading {level}"], form)
    _set_title(document.styles["Title"])
    document.styles.element.append(_hyperlink())
    _set_caption(document.styles["Caption"])
    _lighten(document)
    _number_pages(section.footer)


def _lighten(document: Any) -> None:
    """Leave out what the template has and nothing uses, two thirds of a short document: its
    picture, styles for tables, the numbers of its lists, all styles a second time."""
    styles = document.styles.element
    for style in styles.findall(tag("style").tag):
        if "table" in style.values() and "TableNormal" not in style.values():
            styles.remove(style)
    for mark in list(styles.iter(tag("numPr").tag)):
        mark.getparent().remove(mark)
    for holder in (document.part, document.part.package):
        for key, relation in list(holder.rels.items()):
            if relation.reltype.endswith(("/stylesWithEffects", "/thumbnail")):
                holder.rels.pop(key)


def _set_language(document: Any, locale: str) -> None:
    name = tag("lang").tag
    for element in document.styles.element.iter(name):
        element.set(tag("x", val="").keys()[0], locale)
    for element in document.settings.element.iter(tag("themeFontLang").tag):
        element.set(tag("x", val="").keys()[0], locale)


def _set_body(document: Any) -> None:
    normal: Any = document.styles["Normal"]
    _set_font(normal, 11, look.INK)
    normal.paragraph_format.space_after = Pt(7)
    normal.paragraph_format.line_spacing = 1.15


def _set_heading(style: Any, form: tuple[int, int, int]) -> None:
    size, before, after = form
    _set_font(style, size, look.DEEP)
    style.font.bold, style.font.italic = True, size == 11
    style.paragraph_format.space_before = Pt(before)
    style.paragraph_format.space_after = Pt(after)
    style.paragraph_format.keep_with_next = True


def _set_title(style: Any) -> None:
    _set_font(style, 24, look.DEEP)
    style.font.bold = True
    style.paragraph_format.space_after = Pt(16)
    properties = style.element.get_or_add_pPr()
    for line in properties.findall(tag("pBdr").tag):
        line.getparent().replace(line, tag("pBdr", border("bottom", look.DEEP, 12, 6)))


def _set_caption(style: Any) -> None:
    _set_font(style, 10, look.GREY)
    style.font.bold, style.font.italic = False, True
    style.paragraph_format.alignment = WD_ALIGN_PARAGRAPH.CENTER
    style.paragraph_format.space_after = Pt(12)


def _set_font(style: Any, size: int, colour: str) -> None:
    style.font.size = Pt(size)
    style.font.color.rgb = RGBColor.from_string(colour)
    properties = style.element.get_or_add_rPr()
    for old in properties.findall(tag("rFonts").tag):
        properties.remove(old)
    properties.insert(0, fonts(look.FONT))


def _hyperlink() -> Element:
    return tag(
        "style",
        tag("name", val="Hyperlink"),
        tag("basedOn", val="DefaultParagraphFont"),
        tag("rPr", tag("color", val="0B5ED7"), tag("u", val="single")),
        type="character",
        styleId="Hyperlink",
    )


def _number_pages(footer: Any) -> None:
    """`1 / 3` in the middle of the foot."""
    element = footer._element  # noqa: SLF001 (the library gives no other way to add a field)
    for child in list(element):
        element.remove(child)
    content = [*field_run("PAGE"), text_run(" / "), *field_run("NUMPAGES")]
    for run in content:
        run.insert(0, tag("rPr", tag("color", val=look.GREY), tag("sz", val="18")))
    element.append(paragraph(content, tag("jc", val="center")))

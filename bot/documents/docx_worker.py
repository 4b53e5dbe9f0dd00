"""Make a Word document: its page, styles, footer and footnotes. Runs as an isolated worker."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

import docx
import msgspec
from docx.enum.section import WD_ORIENT
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import XmlPart
from docx.shared import Cm, Pt, RGBColor

from bot.documents import theme
from bot.documents.characters import clean_line, print_scripts
from bot.documents.document_request import Document, PageRequest, get_locale
from bot.documents.docx.blocks import BlockWriter
from bot.documents.docx.markup import (
    InlineWriter,
    Numbering,
    begin_page,
    border,
    field_run,
    fonts,
    paragraph,
    tag,
    text_run,
)
from bot.documents.docx.table_of_contents import (
    HEADINGS,
    LEAST_HEADINGS,
    LEAST_PAGES,
    TableOfContents,
    contents_heading_style,
    find_pages,
)
from bot.documents.footnotes import note_unshown, read_footnotes
from bot.documents.letters import split_letter
from bot.documents.markdown_blocks import (
    Block,
    drop_title,
    extract_title,
    read_page,
    split_figures,
)
from bot.formulas.omml import Element, W
from bot.typography import polish


def serve(request: bytes) -> bytes:
    """Return the Word document of a `PageRequest` in JSON."""
    return make_docx(msgspec.json.decode(request, type=PageRequest)).encode()


def make_docx(page_request: PageRequest) -> Document:
    word: Any = docx.Document()
    set_up_page(word, page_request.language)
    blocks = read_page(page_request.content, page_request.language)
    title = polish(print_scripts(clean_line(page_request.title)), page_request.language)
    if page_request.date:  # which stands under a title
        title, blocks = extract_title(blocks, title)
    properties = word.core_properties
    properties.title, properties.author = (title or clean_line(page_request.name))[:250], "Griot"
    properties.comments, properties.language = "", get_locale(page_request.language)
    writer = InlineWriter(
        _make_linker(word.part),
        lambda content: word.part.get_or_add_image(io.BytesIO(content))[0],
        page_request.images,
    )
    contents = TableOfContents()
    numbering = Numbering(word.part.numbering_part.element)
    blocks, _ = read_footnotes(split_figures(drop_title(blocks, title)))
    body = word.element.body.sectPr
    aside = [] if title else split_letter(blocks).find_aside(blocks)
    written = BlockWriter(writer, numbering, contents, page_request.words, aside).write(blocks)
    listed = _list_contents(word, page_request, contents, blocks)
    written = begin_page(written) if listed else written
    for element in [*_head(title, page_request.date), *listed, *written]:
        body.addprevious(element)
    _complete_sections(word.element.body)
    if writer.notes:
        part = add_footnotes(word)
        writer = replace(writer, link=_make_linker(part))
        fill_footnotes(part, [writer.write(note) for note in writer.notes])
    out = io.BytesIO()
    word.save(out)
    unshown = note_unshown(page_request.content, page_request.language)
    return Document(out.getvalue(), (*writer.report.write_notes(), *unshown))


def _complete_sections(body: Any) -> None:
    """Give each section the footer, the margins and the size of page of the last one."""
    for section in list(body.iter(body.sectPr.tag))[:-1]:
        line = section.getparent().getparent()
        complete = deepcopy(body.sectPr)
        if section.orientation == WD_ORIENT.LANDSCAPE:
            complete.orientation = WD_ORIENT.LANDSCAPE
            complete.page_width, complete.page_height = complete.page_height, complete.page_width
        section.getparent().replace(section, complete)
        if line is body[-2]:  # nothing stands after it
            body.replace(body.sectPr, complete)
        if line is body[0] or complete is body.sectPr:
            body.remove(line)


def _head(title: str, date: str) -> list[Element]:
    """Return the title, with the date below it; nothing without a title."""
    if not title:
        return []
    close = [tag("spacing", after="100")] if date else []
    head = [paragraph([text_run(title)], *close, style="Title", words=title)]
    return [*head, paragraph([text_run(date)], style="Subtitle")] if date else head


def _list_contents(
    word: Any, page_request: PageRequest, contents: TableOfContents, blocks: Sequence[Block]
) -> list[Element]:
    """Return the table of contents, if the document is long enough for one."""
    pages, number = find_pages(blocks)
    if len(contents.entries) < LEAST_HEADINGS or number < LEAST_PAGES:
        return []
    word.styles.element.extend([contents_heading_style(), *contents.styles()])
    # The format requires it before these.
    settings = word.settings.element
    after = {tag(name).tag for name in ("footnotePr", "endnotePr", "compat", "rsids")}
    next(child for child in settings if child.tag in after).addprevious(
        tag("updateFields", val="true")
    )
    return contents.write(page_request.words.get("Contents", "Contents"), pages)


def _make_linker(part: Any) -> Callable[[str], str]:
    """Make a function that returns the id of the relationship to an address. The library's own
    function searches all relationships each time."""
    known: dict[str, str] = {}

    def link(url: str) -> str:
        if url not in known:
            known[url] = f"rLink{len(known) + 1}"
            rels = part.rels
            rels.add_relationship(RELATIONSHIP_TYPE.HYPERLINK, url, known[url], is_external=True)
        return known[url]

    return link


def set_up_page(document: Any, language: str) -> None:
    """Adapt the template: A4, our fonts and colours, the language, page numbers."""
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2)
    section.top_margin, section.bottom_margin = Cm(2), Cm(2)
    section.footer_distance = Cm(1)
    named = document.styles.element.iter(tag("lang").tag)
    theme_fonts = document.settings.element.iter(tag("themeFontLang").tag)
    for element in (*named, *theme_fonts):
        element.set(f"{{{W}}}val", get_locale(language))
    normal: Any = document.styles["Normal"]
    _set_font(normal, 11, theme.INK)
    normal.paragraph_format.space_after = Pt(7)
    normal.paragraph_format.line_spacing = 1.15
    for level, form in enumerate((*HEADINGS, *[(11, 8, 2)] * 3), start=1):
        _set_heading(document.styles[f"Heading {level}"], form)
    _set_title(document.styles["Title"], document.styles["Subtitle"])
    document.styles.element.append(
        tag(
            "style",
            tag("name", val="Hyperlink"),
            tag("basedOn", val="DefaultParagraphFont"),
            tag("rPr", tag("color", val="0B5ED7"), tag("u", val="single")),
            type="character",
            styleId="Hyperlink",
        )
    )
    _set_caption(document.styles["Caption"])
    _drop_unused(document)
    _number_pages(section.footer)


def _drop_unused(document: Any) -> None:
    """Remove the unused parts of the template, two thirds of a short document: its picture, styles
    for tables, the numbers of its lists, and a second copy of all styles."""
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


def _set_heading(style: Any, form: tuple[int, int, int]) -> None:
    size, before, after = form
    _set_font(style, size, theme.DEEP)
    style.font.bold, style.font.italic = True, size == 11
    style.paragraph_format.space_before = Pt(before)
    style.paragraph_format.space_after = Pt(after)
    style.paragraph_format.keep_with_next = True


def _set_title(title: Any, date: Any) -> None:
    _set_font(title, 24, theme.DEEP)
    title.font.bold = True
    title.paragraph_format.space_after = Pt(16)
    properties = title.element.get_or_add_pPr()
    for line in properties.findall(tag("pBdr").tag):
        line.getparent().replace(line, tag("pBdr", border("bottom", theme.DEEP, 12, 6)))
    _set_font(date, 10, theme.GREY)
    date.font.italic = False
    date.paragraph_format.space_after = Pt(16)
    properties = date.element.get_or_add_rPr()
    for letter_spacing in properties.findall(tag("spacing").tag):
        properties.remove(letter_spacing)


def _set_caption(style: Any) -> None:
    _set_font(style, 10, theme.GREY)
    style.font.bold, style.font.italic = False, True
    style.paragraph_format.alignment = WD_ALIGN_PARAGRAPH.CENTER
    style.paragraph_format.space_after = Pt(12)


def _set_font(style: Any, size: int, colour: str) -> None:
    style.font.size = Pt(size)
    style.font.color.rgb = RGBColor.from_string(colour)
    properties = style.element.get_or_add_rPr()
    for old in properties.findall(tag("rFonts").tag):
        properties.remove(old)
    properties.insert(0, fonts(theme.FONT))


def _number_pages(footer: Any) -> None:
    """Write `1 / 3` in the middle of the footer."""
    element = footer._element  # noqa: SLF001 (the library gives no other way to add a field)
    for child in list(element):
        element.remove(child)
    content = [*field_run("PAGE"), text_run(" / "), *field_run("NUMPAGES")]
    for run in content:
        run.insert(0, tag("rPr", tag("color", val=theme.GREY), tag("sz", val="18")))
    element.append(paragraph(content, tag("jc", val="center")))


_SEPARATORS: Final = (("-1", "separator"), ("0", "continuationSeparator"))


def add_footnotes(word: Any) -> XmlPart:
    """Add a part for footnotes and return it; their links are relationships of this part."""
    root = tag("footnotes")
    for number, kind in _SEPARATORS:
        rule = paragraph([tag("r", tag(kind))], tag("spacing", after="0", line="240"))
        root.append(tag("footnote", rule, type=kind, id=number))
    name = PackURI("/word/footnotes.xml")
    part = XmlPart(name, CONTENT_TYPE.WML_FOOTNOTES, root, word.part.package)
    word.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    declared = tag("footnotePr", *(tag("footnote", id=number) for number, _ in _SEPARATORS))
    # The format requires them before `w:compat`.
    compat = word.settings.element.find(tag("compat").tag)
    if compat is None:
        word.settings.element.append(declared)
    else:
        compat.addprevious(declared)
    word.styles.element.extend(_note_styles())
    return part


def fill_footnotes(part: XmlPart, notes: Sequence[Sequence[Element]]) -> None:
    """Write `notes` in the order of their numbers, from 1."""
    root: Element = part.element
    for number, line in enumerate(notes, start=1):
        mark = tag("r", tag("rPr", tag("rStyle", val="FootnoteReference")), tag("footnoteRef"))
        content = [mark, tag("r", tag("tab")), *line]
        root.append(tag("footnote", paragraph(content, style="FootnoteText"), id=str(number)))


def _note_styles() -> list[Element]:
    """Return the styles of a note and of its number."""
    small = tag("rPr", tag("sz", val="18"))
    text = tag(
        "style",
        tag("name", val="footnote text"),
        tag("basedOn", val="Normal"),
        tag(
            "pPr",
            tag("tabs", tag("tab", val="left", pos="284")),
            tag("spacing", after="40", line="240", lineRule="auto"),
            tag("ind", left="284", hanging="284"),
        ),
        small,
        type="paragraph",
        styleId="FootnoteText",
    )
    number = tag(
        "style",
        tag("name", val="footnote reference"),
        tag("basedOn", val="DefaultParagraphFont"),
        tag("rPr", tag("vertAlign", val="superscript")),
        type="character",
        styleId="FootnoteReference",
    )
    return [text, number]

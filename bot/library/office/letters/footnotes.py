"""Footnotes of Word: a part of their own, which python-docx does not make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import XmlPart

from bot.library.office.letters.markup import paragraph, tag
from bot.library.office.xml import Element

_SEPARATORS: Final = (("-1", "separator"), ("0", "continuationSeparator"))


def add_footnotes(word: Any) -> XmlPart:
    """Add a part for footnotes; links in them need relationships of it."""
    root = tag("footnotes")
    for number, kind in _SEPARATORS:
        rule = paragraph([tag("r", tag(kind))], tag("spacing", after="0", line="240"))
        root.append(tag("footnote", rule, type=kind, id=number))
    name = PackURI("/word/footnotes.xml")
    part = XmlPart(name, CONTENT_TYPE.WML_FOOTNOTES, root, word.part.package)
    word.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    declared = tag("footnotePr", *(tag("footnote", id=number) for number, _ in _SEPARATORS))
    _declare(word.settings.element, declared)
    word.styles.element.extend(_note_styles())
    return part


def fill_footnotes(part: XmlPart, notes: Sequence[Sequence[Element]]) -> None:
    """Write `notes` in the order of their numbers, from 1."""
    root: Element = part.element
    for number, line in enumerate(notes, start=1):
        mark = tag("r", tag("rPr", tag("rStyle", val="FootnoteReference")), tag("footnoteRef"))
        content = [mark, tag("r", tag("tab")), *line]
        root.append(tag("footnote", paragraph(content, style="FootnoteText"), id=str(number)))


def _declare(settings: Element, declared: Element) -> None:
    """Put the separators where the order of the format wants them: before `w:compat`."""
    compat = settings.find(tag("compat").tag)
    if compat is None:
        settings.append(declared)
    else:
        compat.addprevious(declared)


def _note_styles() -> list[Element]:
    """The styles of a note and of its number."""
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

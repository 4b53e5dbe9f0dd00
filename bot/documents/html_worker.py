"""Make a web page of a text. Runs as an isolated worker.

The page is one file that loads nothing from the network and runs nothing; its
Content-Security-Policy forbids both. All text is escaped. In addition the page is cleaned of
everything that our pages do not have (scripts, styles, pictures from elsewhere), in case escaping
fails.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

import msgspec
import nh3
from markdown_it.token import Token

from bot.documents.characters import clean_markdown, print_scripts
from bot.documents.document_request import Document, PageRequest
from bot.documents.footnotes import list_notes, note_unshown, read_footnotes
from bot.documents.formula_notes import FormulaReport
from bot.documents.html_elements import (
    HtmlPage,
    MathmlFormulas,
    name_headings,
    write_blocks,
    write_line,
    write_notes,
)
from bot.documents.markdown_blocks import (
    Block,
    extract_title,
    normalize_headings,
    read_page,
    split_figures,
)
from bot.typography import polish

_LONG = 6_000
"""Characters from which on a page with `_MANY_HEADINGS` has contents."""
_MANY_HEADINGS = 4


def serve(request: bytes) -> bytes:
    page_request = msgspec.json.decode(request, type=PageRequest)
    report = FormulaReport()
    content = make_html(page_request, report).encode()
    notes = note_unshown(page_request.content, page_request.language)
    return Document(content, (*report.write_notes(), *notes)).encode()


def make_html(page_request: PageRequest, report: FormulaReport | None = None) -> str:
    """Return a page that reads well on a phone and needs no other file.

    Args:
        report: collects the formulas that are shown as they were typed.
    """
    blocks = read_page(page_request.content, page_request.language)
    title = print_scripts(" ".join(clean_markdown(page_request.title).split()))
    title, blocks = extract_title(blocks, title)
    blocks, _ = read_footnotes(normalize_headings(blocks))
    blocks = split_figures(blocks)
    colon = "\u00a0: " if page_request.language == "fr" else ": "
    formulas = MathmlFormulas(report or FormulaReport())
    page = HtmlPage(page_request.words, page_request.images, colon, formulas=formulas)
    contents = _write_contents(page_request, blocks, page)
    notes = write_notes(list_notes(blocks), page)
    body = page.fill_in_pictures(clean_html(contents + write_blocks(blocks, page) + notes))
    style_hash = base64.b64encode(hashlib.sha256(_read_style().encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    heading = f"<h1>{escape(polish(title, page_request.language))}</h1>" if title else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(page_request.language)}">\n<head>\n'
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title or page_request.name)}</title>\n<style>{_read_style()}</style>\n"
        "</head>\n<body>\n<main>\n"
        f"<header>{heading}<p>{escape(page_request.date)}</p></header>\n"
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _write_contents(page_request: PageRequest, blocks: Sequence[Block], page: HtmlPage) -> str:
    """Write links to the headings, folded up, if the page is long."""
    named = [(anchor, block) for anchor, block in name_headings(blocks) if block.level < 3]
    if len(named) < _MANY_HEADINGS or len(page_request.content) < _LONG:
        return ""
    entries = "".join(
        f'<li{" class=sub" if block.level > 1 else ""}><a href="#{anchor}">'
        f"{write_line(_without_links(block), page)}</a></li>"
        for anchor, block in named
    )
    label = escape(page_request.words.get("Contents", ""))
    return f"<details><summary>{label}</summary><ul>{entries}</ul></details>"


def _without_links(heading: Block) -> list[Token]:
    return [
        token
        for token in heading.line
        if not token.type.startswith("link_") and token.type != "footnote"
    ]


@cache
def _read_style() -> str:
    return (Path(__file__).parent / "templates" / "page.css").read_text()


_MATHS: Final = frozenset({
    "math", "mi", "mn", "mo", "mtext", "mspace", "mrow", "mfrac", "msqrt", "mroot", "msub", "msup",
    "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "mtable", "mtr",
    "mtd",
})  # fmt: skip
_MATHS_ATTRIBUTES: Final = frozenset({
    "display", "alttext", "mathvariant", "stretchy", "form", "fence", "separator", "symmetric",
    "lspace", "rspace", "minsize", "maxsize", "linethickness", "accent", "accentunder",
    "displaystyle", "scriptlevel", "width",
})  # fmt: skip
_HEADINGS: Final = frozenset({"h2", "h3", "h4", "h5", "h6"})
_TEXT: Final = frozenset({
    "p", "br", "hr", "ul", "ol", "li", "blockquote", "aside", "pre", "code", "em", "strong", "s",
    "a", "div", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "sub", "sup",
    "span", "figure", "figcaption", "section",
})  # fmt: skip
_SIDES: Final = frozenset({"right", "center", "wide"})
_CLASSES: Final = {
    "aside": {"definition", "example", "key", "remark", "note", "tip", "warning"},
    "p": {"label", "absent"},
    "figure": {"diagram"},
    "section": {"notes"},
    "ul": {"tasks"},
    "li": {"sub"},
    "code": {"tex"},
    "div": {"scroll", "block"},
    "hr": {"write"},
    "td": _SIDES,
    "th": _SIDES,
    "mtable": {"cases", "aligned"},
    "mrow": {"boxed", "unseen", "cancelled", "overlined", "underlined", "ruled"},
}
_ANCHOR: Final = frozenset({"id"})
_CLEANER = nh3.Cleaner(
    tags=_MATHS | _HEADINGS | _TEXT,
    attributes={
        **dict.fromkeys(_MATHS, _MATHS_ATTRIBUTES),
        **dict.fromkeys(_HEADINGS, _ANCHOR),
        **dict.fromkeys(("sup", "span", "li"), _ANCHOR),
        "a": {"href", "aria-label"},
        "section": {"aria-label"},
        "ol": {"start"},
    },
    tag_attribute_values={
        **{tag: {"dir": {"rtl"}} for tag in {"p"} | _HEADINGS},
        **{tag: {"tabindex": {"0"}} for tag in ("pre", "div")},
    },
    allowed_classes=_CLASSES,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
)


def clean_html(html: str) -> str:
    """Return a fragment with only the elements, attributes and classes that our pages have."""
    return _CLEANER.clean(html)

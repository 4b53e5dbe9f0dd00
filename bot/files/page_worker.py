"""The readable text of a page. An isolated worker: pages may be made to cost their reader
time or memory without end (200,000 attributes of one tag: seven minutes)."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from lxml import html

from bot.files.web_requests import PDF, WebPage

_lxml: Any = html
"""lxml without types: it has none of its own."""
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_MAX_ELEMENTS: Final = 20_000
"""Elements of a page whose layout is analysed (about a second); others lose their tags only."""
_MAX_DEPTH: Final = 200
"""Depth of the same: some functions of lxml recurse for each level."""
_MOST_OF_PDF: Final = 200_000
"""Characters: far more than is shown."""
_BYTE_ORDER_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_DECLARED: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})""", re.I)
_NO_CHARSETS: Final = re.compile(r"idna|punycode|undefined|.*escape.*", re.IGNORECASE)
"""Python's names for what is no charset of a page: they fail, or take hours."""
_LATIN: Final = re.compile(r"(iso-?8859-1|latin-?1|us-?ascii)", re.IGNORECASE)
"""Charsets read as Windows-1252: https://encoding.spec.whatwg.org/#names-and-labels."""
_WITHOUT_TEXT: Final = "//script | //style | //noscript | //template | //title"


def serve(request: bytes) -> bytes:
    page = msgspec.msgpack.decode(request, type=WebPage)
    return extract_text(page).encode(errors="replace")


def extract_text(page: WebPage) -> str:
    """The title and the text; empty when there is none, or when it is no text at all."""
    if page.mime_type == PDF:
        return _read_pdf(page.body)
    text = _decode(page)
    if "\0" in text[:1024]:
        return ""
    if page.mime_type not in _HTML:
        return text.strip()
    return _read_html(text).strip()


def _read_pdf(body: bytes) -> str:
    from bot.files.text_formats import read_pdf  # here: other pages need none of it

    text = ""
    for part in read_pdf(body):
        text += part
        if len(text) > _MOST_OF_PDF:
            break
    return text.strip()


def _read_html(text: str) -> str:
    tree = _parse(text)
    if tree is None:
        return ""
    title = " ".join((tree.findtext(".//title") or "").split())
    return f"{title}\n\n{_read_layout(tree) or _strip_tags(tree)}"


def _parse(text: str) -> Any:
    parser = _lxml.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        return _lxml.document_fromstring(text.encode(errors="replace"), parser=parser)
    except _lxml.etree.ParserError:  # there is no element in it
        return None


def _read_layout(tree: Any) -> str | None:
    if not _is_moderate(tree):
        return None
    import trafilatura  # here: slow to load, and plain text needs none of it

    return trafilatura.extract(tree, fast=True, include_comments=False, output_format="markdown")


def _strip_tags(tree: Any) -> str:
    for element in tree.xpath(_WITHOUT_TEXT):
        element.clear(keep_tail=True)
    return " ".join(" ".join(tree.itertext()).split())


def _is_moderate(tree: Any) -> bool:
    elements = depth = 0
    for event, _ in _lxml.etree.iterwalk(tree, events=("start", "end")):
        depth += 1 if event == "start" else -1
        elements += event == "start"
        if elements > _MAX_ELEMENTS or depth > _MAX_DEPTH:
            return False
    return True


def _decode(page: WebPage) -> str:
    """The page in the charset that it begins with, that the server names, that UTF-8 is if it can
    be, or that the page names; in this order."""
    for mark, charset in _BYTE_ORDER_MARKS:
        if page.body.startswith(mark):
            return page.body[len(mark) :].decode(charset, errors="replace")
    if page.charset:
        return _decode_as(page.charset, page.body)
    try:
        return page.body.decode()
    except UnicodeDecodeError as error:
        if _is_cut(page.body, error):
            return page.body.decode(errors="replace")
    declared = _DECLARED.search(page.body[:4_096])
    return _decode_as(declared[1].decode() if declared else "cp1252", page.body)


def _is_cut(body: bytes, error: UnicodeDecodeError) -> bool:
    """Whether what is no UTF-8 is only its last letter, of which a part is missing."""
    is_last = error.reason == "unexpected end of data"
    return is_last and not body[: error.start].isascii()


def _decode_as(charset: str, body: bytes) -> str:
    if _LATIN.fullmatch(charset):
        charset = "cp1252"
    if _NO_CHARSETS.fullmatch(charset):
        charset = "utf-8"
    try:
        return body.decode(charset, errors="replace")
    except (LookupError, ValueError):  # an unknown charset
        return body.decode(errors="replace")

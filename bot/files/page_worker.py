"""Extract the readable text of a page. Runs as an isolated worker, because a page can be made to
take endless time or memory (200,000 attributes of one tag: seven minutes)."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from lxml import html

from bot.files.text_formats import decode_page
from bot.files.web_worker_messages import PDF, WebPage

_lxml: Any = html
"""lxml as `Any`: it has no types of its own."""
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_MAX_ELEMENTS: Final = 20_000
"""Elements of a page whose layout is analysed (about a second); larger ones lose their tags."""
_MAX_DEPTH: Final = 200
"""Most levels of such a page: some functions of lxml recurse for each level."""
_MOST_OF_PDF: Final = 200_000
"""Most characters that are read of a PDF: far more than is shown."""
_WITHOUT_TEXT: Final = "//script | //style | //noscript | //template | //title"


def serve(request: bytes) -> bytes:
    page = msgspec.msgpack.decode(request, type=WebPage)
    return extract_text(page).encode(errors="replace")


def extract_text(page: WebPage) -> str:
    """Return the title and the text; empty if there is none, or if the bytes are no text."""
    if page.mime_type == PDF:
        return _read_pdf(page.body)
    text = decode_page(page.body, page.charset)
    if "\0" in text[:1024]:
        return ""
    if page.mime_type not in _HTML:
        return text.strip()
    return _read_html(text).strip()


def _read_pdf(body: bytes) -> str:
    from bot.files.text_formats import read_pdf  # imported here: other pages do not need it
    from bot.files.text_worker import take_characters

    return take_characters(read_pdf(body), _MOST_OF_PDF)[0].strip()


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
    except _lxml.etree.ParserError:  # the page has no element
        return None


def _read_layout(tree: Any) -> str | None:
    if not _is_moderate(tree):
        return None
    import trafilatura  # imported here: slow to load, and plain text does not need it

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

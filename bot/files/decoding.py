"""Decode text files and web pages whose charset is only guessed or claimed."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import Final

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins alike
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})""", re.I)
"""https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding"""
_NO_CHARSETS: Final = re.compile(r"idna|punycode|undefined|.*escape.*", re.IGNORECASE)
"""Python codecs that are no charset of a page: they fail, or take hours."""
_LATIN: Final = re.compile(r"(iso-?8859-1|latin-?1|us-?ascii)", re.IGNORECASE)
"""Charsets read as Windows-1252: https://encoding.spec.whatwg.org/#names-and-labels."""
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_SAMPLE: Final = 65_536


def is_text(content: bytes) -> bool:
    """Return whether the bytes may be text: their beginning has no control characters but the usual
    ones.

    Source: https://mimesniff.spec.whatwg.org/#binary-data-byte
    """
    has_mark = any(content.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS)
    return has_mark or not _BINARY.search(content[:_SAMPLE])


def decode_text(content: bytes) -> str:
    """Decode by the byte order mark, else as UTF-8, else as Windows-1252."""
    text = _decode_marked(content)
    if text is not None:
        return text
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def decode_page(content: bytes, charset: str = "") -> str:
    """Decode a web page by the first of these that works: its byte order mark, the charset that the
    server named, UTF-8, the charset that the page declares, Windows-1252."""
    text = _decode_marked(content)
    if text is None and charset:
        text = _decode_as(content, charset)
    if text is not None:
        return text
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        # The text is UTF-8 if only its last character is cut off.
        is_last = error.reason == "unexpected end of data"
        if is_last and not content[: error.start].isascii():
            return content.decode(errors="replace")
    declared = _DECLARED.search(content[:4_096])
    text = _decode_as(content, declared[1].decode()) if declared else None
    return content.decode("cp1252", errors="replace") if text is None else text


def _decode_marked(content: bytes) -> str | None:
    for mark, charset in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(charset, errors="replace")
    return None


def _decode_as(content: bytes, charset: str) -> str | None:
    """Decode with the named charset; return None if there is no such charset."""
    if _NO_CHARSETS.fullmatch(charset):
        return None
    with suppress(LookupError, ValueError):
        return content.decode("cp1252" if _LATIN.fullmatch(charset) else charset, errors="replace")
    return None

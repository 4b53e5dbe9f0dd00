"""Text files: which alphabet their bytes are. Pure."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins alike
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})""", re.I)
"""https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding"""
_SAMPLE = 4_096


def decode(content: bytes) -> str:
    """The text: by its byte order mark, else UTF-8, else the alphabet of Windows in the West."""
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return content[len(bom) :].decode(encoding, errors="replace")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def decode_page(content: bytes) -> str:
    """The same for a web page, whose word about itself is believed if it is no UTF."""
    declared = _DECLARED.search(content[:_SAMPLE])
    if declared and not any(content.startswith(bom) for bom, _ in _BOMS):
        try:
            return content.decode()
        except UnicodeDecodeError:
            return _decode_as(content, declared[1].decode())
    return decode(content)


def _decode_as(content: bytes, encoding: str) -> str:
    try:
        codec = codecs.lookup(encoding)
        if codec.name not in _TRANSFORMS:
            return codec.decode(content, "replace")[0]
    except LookupError:
        pass
    return decode(content)


_TRANSFORMS = frozenset({"base64", "bz2", "hex", "quopri", "rot13", "uu", "zlib", "idna"})
"""Codecs of Python that are no alphabets; two of them unpack bombs."""


def is_text(content: bytes) -> bool:
    """Whether the bytes may be text: no control characters at their beginning but the usual ones.

    Source: https://mimesniff.spec.whatwg.org/#binary-data-byte
    """
    sample = content[:65_536]
    if any(sample.startswith(bom) for bom, _ in _BOMS):
        return True
    return not _BINARY.search(sample)


_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")

"""Text from outside, made fit for the XML of office documents."""

from __future__ import annotations

import re
import unicodedata

_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_BREAKS = re.compile(r"\r\n?|[\x85\u2028\u2029]")


def clean_text(text: str) -> str:
    """`text` without what XML 1.0 forbids or discourages; every line break is a line feed.

    https://www.w3.org/TR/xml/#charsets. Emoji, accents and the marks of right-to-left text stay.
    """
    if text.isprintable():  # most text is, and need not be copied
        return text
    return _UNFIT.sub("", _BREAKS.sub("\n", text))


def clean_line(text: str) -> str:
    """The same on one line, without spaces around it."""
    return " ".join(clean_text(text).split())


def is_leftward(text: str) -> bool:
    """Whether the first letter of `text` is of a script written from right to left."""
    if text.isascii():
        return False
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False

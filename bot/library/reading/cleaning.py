"""Text of strangers, made fit for a database and a model. Pure, in linear time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_TORN = re.compile(r"[\x02\ufffe\xad]\r?\n")
"""A hyphen at the end of a line, as PDFium marks it, or a soft one."""
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffc\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Controls, halves of characters, and what hides or turns text: none of it is ever seen."""
_BREAK = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_GAP = re.compile(r"\n{3,}")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xa0": " "}
)


def clean(text: str) -> str:
    """The same text with plain line breaks and without what cannot be seen, in NFC."""
    text = _BREAK.sub("\n", _TORN.sub("", text))
    text = unicodedata.normalize("NFC", _UNSEEN.sub("", text).translate(_LIGATURES))
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return _GAP.sub("\n\n", lines).strip("\n")


def gather(pieces: Iterable[str], most: int) -> tuple[str, bool]:
    """The first `most` characters of the pieces, and whether there is more. No more pieces are
    taken than needed."""
    taken: list[str] = []
    room = most
    for piece in pieces:
        taken.append(piece[:room])
        if len(piece) > room:
            return "".join(taken), True
        room -= len(piece)
    return "".join(taken), False

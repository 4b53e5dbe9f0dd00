"""What a command has said, of which the beginning and the end are kept."""

from __future__ import annotations

import re
from typing import Final

MAX_TEXT: Final = 3_800
"""Characters of the text, so that with a line about its end it fits into 4,000."""
_KEPT = 4 * MAX_TEXT
"""Bytes of the beginning, and of the end: a character takes at most four."""
_MAX_TAIL = 400
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
"""Colours, titles and movements: ECMA-48, section 5."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Record:
    """Takes output piece by piece; it never grows beyond what is kept."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes that were said."""
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, part: bytes) -> None:
        self.size += len(part)
        room = _KEPT - len(self._head)
        self._head += part[:room]
        self._tail += part[room:]
        del self._tail[:-_KEPT]

    @property
    def text(self) -> str:
        """At most `MAX_TEXT` characters; what was cut is said."""
        if self.size <= len(self._head) + len(self._tail):
            whole = _read(self._head + self._tail)
            if len(whole) <= MAX_TEXT:
                return whole
            return self._cut(whole, whole)
        return self._cut(_read(self._head).rstrip("\ufffd"), _read(self._tail).lstrip("\ufffd"))

    @property
    def last_lines(self) -> str:
        """The end of what was said so far, for whoever watches."""
        end = _read((self._head + self._tail)[-4 * _MAX_TAIL :]).lstrip("\ufffd")
        return end.strip()[-_MAX_TAIL:]

    def _cut(self, head: str, tail: str) -> str:
        note = f"\n[truncated: {self.size:,} bytes in all, the middle is left out]\n"
        room = MAX_TEXT - len(note)
        return head[: room // 2] + note + tail[-(room - room // 2) :]


def _read(said: bytes | bytearray) -> str:
    """As text that may be stored and shown: no escapes and no control characters."""
    text = _ESCAPES.sub("", said.decode(errors="replace")).replace("\r\n", "\n")
    return _CONTROLS.sub("", text.replace("\r", "\n"))

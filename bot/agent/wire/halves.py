"""Characters that an endpoint cut in two: JSON writes those beyond U+FFFF as two escaped halves
(surrogates, RFC 8259, section 7), and some servers send each half in a chunk of its own."""

from __future__ import annotations

import re
from typing import Any, cast

REPLACEMENT = "\ufffd"
"""Stands for a half whose other half never came."""
MOST_HELD = 64
"""Texts of one chunk that may end in a half: an honest chunk has one."""
Path = tuple[str | int, ...]
"""Where a text stands in a chunk."""

_SAID = frozenset({"content", "refusal"})
_GROWING = frozenset(
    {"content", "refusal", "reasoning_content", "reasoning", "text", "thinking", "arguments"}
)
"""The fields whose texts go on in the next chunk."""
_FIRST_HALF = re.compile("[\ud800-\udbff]\\Z")
_ESCAPES = re.compile(
    r"""(\\\\                                            # a backslash, whatever follows it
        |\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})  # both halves
        |\\u[dD][89a-fA-F][0-9a-fA-F]{2}                 # one half alone""",
    re.VERBOSE,
)


class Halves:
    """Joins halves within a chunk and from one chunk to the next, and replaces what stays alone."""

    def __init__(self) -> None:
        self.held: dict[Path, str] = {}
        """Halves at the end of texts: while there are any, the next chunk must be joined too."""

    def close(self) -> str:
        """What stands for a half at the end of what was said, if there is one."""
        said = any(_SAID.intersection(path) and "thinking" not in path for path in self.held)
        self.held.clear()
        return REPLACEMENT if said else ""

    def join(self, node: Any, path: Path = ()) -> Any:
        """The decoded JSON `node` with whole characters only.

        Raises:
            RecursionError: it is nested absurdly deep.
        """
        if isinstance(node, str):
            return self._join_text(node, path)
        if isinstance(node, list):
            items = cast("list[Any]", node)
            return [self.join(item, (*path, at)) for at, item in enumerate(items)]
        if isinstance(node, dict):
            fields = cast("dict[str, Any]", node)
            return {_whole(key): self.join(value, (*path, key)) for key, value in fields.items()}
        return node

    def _join_text(self, text: str, path: Path) -> str:
        if self.held:
            text = self.held.pop(path, "") + text
        if text.isascii():
            return text
        if _FIRST_HALF.search(text) and self._may_hold(path):
            self.held[path] = text[-1]
            text = text[:-1]
        return _whole(text)

    def _may_hold(self, path: Path) -> bool:
        grows = bool(path) and path[-1] in _GROWING and "arguments" not in path[:-1]
        return grows and len(self.held) < MOST_HELD


def without_lone_escapes(json: str) -> str:
    """JSON text in which no escape stands for half a character, as no strict decoder takes it."""
    if "\\ud" not in json and "\\uD" not in json:
        return json
    return _ESCAPES.sub(lambda match: match[1] or "\\ufffd", json)


def _whole(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

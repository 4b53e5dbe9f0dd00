"""Markdown that is still being written: what is open at its end is closed, for a preview."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_OPEN_LINK = re.compile(r"(?<!\\)!?\[([^\[\]\n]*)\](?:\([^()\s]*(?:\([^()\s]*\)?[^()\s]*)?)$")
_MARKS = ("**", "~~")


def complete(markdown: str) -> str:
    """`markdown` with its last paragraph's unclosed code, bold and strike-through closed.

    A link whose target is still growing is its label; a marker that has just begun is left out.
    """
    if len(_FENCE.findall(markdown)) % 2:
        return markdown
    start = markdown.rfind("\n\n") + 1
    last = _OPEN_LINK.sub(r"\1", markdown[start:].rstrip())
    if last.count("`") % 2:
        last = last[:-1] if last.endswith("`") else last + "`"
    for mark in _MARKS:
        last = _close(last, mark)
    return markdown[:start] + last


def _close(text: str, mark: str) -> str:
    opened: int | None = None
    for found in re.finditer(re.escape(mark), text):
        before, after = (
            text[max(found.start() - 1, 0) : found.start()],
            text[found.end() : found.end() + 1],
        )
        if opened is None and not before.isalnum() and not after.isspace():
            opened = found.start()
        elif opened is not None and not before.isspace():
            opened = None
    if opened is None:
        return text
    content = text[opened + len(mark) :].rstrip(mark[0])
    return text[:opened] + (mark + content + mark if content.strip() else "")

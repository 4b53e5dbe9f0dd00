"""What is said of a delivery elsewhere: a line under a page, a glimpse of what waits."""

from __future__ import annotations

import msgspec

from bot.contracts import Capabilities
from bot.gateway.render.gsm import segments, to_gsm7
from bot.messages import Body, FileBody, TextBody

_GLIMPSE = 60


def annex(page: TextBody, line: str) -> TextBody:
    """The page with a line under it, spelled so that it does not make the page dearer."""
    text = f"{page.text}\n{to_gsm7(line) if page.segments else line}"
    paid = segments(text).paid if page.segments else 0
    return msgspec.structs.replace(page, text=text, segments=paid)


def leaving_room(capabilities: Capabilities, line: str) -> Capabilities:
    """The capabilities of a channel on which each page ends in `line`, whatever its letters."""
    return capabilities.with_max_text(capabilities.page - (len(line) + 1) * 16 // 7 - 1)


def teaser(body: Body) -> str:
    """One short line that says what waits: the beginning of a text, or a file's name."""
    match body:
        case TextBody(text=text):
            line = " ".join(text.translate(_MARKS).split())
        case FileBody():
            line = body.file.filename
        case _:
            line = ""
    return line if len(line) <= _GLIMPSE else line[: _GLIMPSE - 1].rstrip() + "…"


_MARKS = {ord(mark): None for mark in "*_~`>\u200b"}

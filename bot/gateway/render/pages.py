"""What is said of a delivery elsewhere: a line under a page, a glimpse of what waits."""

from __future__ import annotations

import msgspec

from bot.contracts import Capabilities
from bot.gateway.render.gsm import segments, to_gsm7
from bot.gateway.render.markers import to_markers, unmark
from bot.gateway.render.styled import Styled
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


def teaser(body: Body, capabilities: Capabilities) -> str:
    """One short line that says what waits: the beginning of a text, or a file's name.

    It has no styles, and shows on the channel as it was written.
    """
    is_marked = capabilities.markup == "markers"
    match body:
        case TextBody(text=text):
            line = " ".join((unmark(text) if is_marked else text).split())
        case FileBody():
            line = body.file.filename
        case _:
            line = ""
    glimpse = line if len(line) <= _GLIMPSE else line[: _GLIMPSE - 1].rstrip() + "…"
    return to_markers(Styled(glimpse))[0] if is_marked else glimpse

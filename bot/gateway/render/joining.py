"""Join bodies that fit one message, on channels where each message is paid. Pure.

A text and the question after it, a text and its picture or document, a picture over buttons: the
content stays the same, and parts that are too long for one message stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from bot.contracts.channels import Capabilities
from bot.gateway.render.renderer import MAX_ABOVE_BUTTONS
from bot.gateway.render.sms import count_cost, count_segments
from bot.gateway.render.styled import count_utf16
from bot.messages.outgoing import Body, Button, FileBody, ShareFile, TextBody

_WITH_CAPTION = ("image/", "video/", "application/", "text/")
"""Beginnings of the types of files under which a channel shows a caption."""
_SHORT = 100
"""Characters of a short question."""
_WITH_BUTTONS = ("image/", "application/pdf")
"""The same of files that can be shown above buttons."""


def join_bodies(bodies: Sequence[Body], capabilities: Capabilities) -> list[Body]:
    """Return the same bodies in as few messages as the channel can carry, in the same order."""
    if not capabilities.joins:
        return list(bodies)
    joined: list[Body] = []
    for body in bodies:
        joined.append(body)
        while len(joined) > 1 and (one := _join(joined[-2], joined[-1], capabilities)) is not None:
            joined[-2:] = [one]
    return joined


def can_add_buttons(bodies: Sequence[Body], capabilities: Capabilities) -> bool:
    """Return whether a short question with buttons after these bodies costs no message more, where
    messages are paid."""
    if not capabilities.joins:
        return True
    button = Button("", "token")
    question = TextBody("?" * _SHORT, buttons=((button,),), choices=(button,))
    return len(join_bodies([*bodies, question], capabilities)) <= max(len(bodies), 1)


def _join(first: Body, second: Body, capabilities: Capabilities) -> Body | None:
    if isinstance(first, TextBody) and first.asks_number:
        return None
    match first, second:
        case TextBody(choices=(), code_id="", exercise=None), TextBody(code_id=""):
            text = _join_texts(first, second, capabilities)
            segments = count_segments(text).paid if second.segments else 0
            return replace(second, text=text, segments=segments) if text else None
        case TextBody(choices=(), code_id="", exercise=None), FileBody(file=ShareFile(caption="")):
            file = second.file
            fits = count_utf16(first.text) <= capabilities.max_caption
            if not fits or not file.mime_type.startswith(_WITH_CAPTION):
                return None
            return FileBody(replace(file, caption=first.text))
        case FileBody(), TextBody(code_id="", header=None):
            return _put_above(first.file, second, capabilities)
        case _:
            return None


def _join_texts(first: TextBody, second: TextBody, capabilities: Capabilities) -> str:
    """Join two texts; empty if they are too long for one message, or would cost more segments."""
    if capabilities.text_unit == "gsm7":
        text = f"{first.text}\n\n{second.text}"
        apart = count_segments(first.text).paid + count_segments(second.text).paid
        fits = count_cost(text) <= capabilities.page and count_segments(text).paid <= apart
        return text if fits else ""
    has_buttons = second.choices or second.asks_number
    limit = MAX_ABOVE_BUTTONS if has_buttons else capabilities.max_text
    return _put_together(first.text, second.text, limit)


def _put_above(file: ShareFile, body: TextBody, capabilities: Capabilities) -> TextBody | None:
    """Return the text with its buttons under a file, whose caption goes before the text."""
    labels = {button.label for row in body.buttons for button in row}
    buttons = sum(map(len, body.buttons))
    if not 0 < buttons <= capabilities.header_buttons or len(labels) < buttons:
        return None
    text = _put_together(file.caption, body.text, MAX_ABOVE_BUTTONS)
    if not text or not file.mime_type.startswith(_WITH_BUTTONS):
        return None
    return replace(body, text=text, header=replace(file, caption=""))


def _put_together(first: str, second: str, limit: int) -> str:
    """Join two texts; empty if they are too long for one message."""
    text = f"{first}\n\n{second}".strip()
    return text if count_utf16(text) <= limit else ""

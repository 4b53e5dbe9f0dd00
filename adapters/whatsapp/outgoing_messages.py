"""Build the messages of the Cloud API, without I/O.

Media types and sizes: Cloud API reference, media. A WebP picture is a sticker there, so it goes as
a link, like everything else that is not in `CARRIED`.
"""

from __future__ import annotations

import re
from typing import Any

from adapters.base import (
    MAX_BODY,
    MAX_REPLIES,
    MAX_ROWS,
    describe_row,
    get_list_label,
    list_buttons,
)
from bot.errors import SettingsError
from bot.messages.outgoing import Button, ShareFile, TextBody

MAX_IMAGE = 5 * 2**20
MAX_RECORDING = 16 * 2**20
MAX_DOCUMENT = 100 * 2**20
_OFFICE = "application/vnd.openxmlformats-officedocument"
_AUDIO = ("audio/aac", "audio/amr", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/opus")
_DOCUMENTS = (
    "application/pdf",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    f"{_OFFICE}.wordprocessingml.document",
    f"{_OFFICE}.spreadsheetml.sheet",
    f"{_OFFICE}.presentationml.presentation",
    "text/plain",
)
CARRIED = (
    ("image/jpeg", MAX_IMAGE),
    ("image/png", MAX_IMAGE),
    *((mime_type, MAX_RECORDING) for mime_type in _AUDIO),
    ("video/mp4", MAX_RECORDING),
    ("video/3gpp", MAX_RECORDING),
    *((mime_type, MAX_DOCUMENT) for mime_type in _DOCUMENTS),
)
"""MIME types and the most bytes of each."""
_TEMPLATE = re.compile(r"([a-z0-9_]{1,512}):([A-Za-z]{2,3}(?:_[A-Za-z]{2,4})?)")


_CONTACT = "request_contact_info"
"""The button by which a person shares their number; WhatsApp chooses its words."""


def read_template(setting: str) -> tuple[str, str] | None:
    """Return name and language of the template; None where none is set. Raises `SettingsError`."""
    if not setting:
        return None
    found = _TEMPLATE.fullmatch(setting)
    if found is None:
        raise SettingsError("WHATSAPP_TEMPLATE: write name:language, such as news:fr")
    return found[1], found[2]


def text_message(text: str) -> dict[str, Any]:
    return {"type": "text", "text": {"body": text, "preview_url": False}}


def file_message(file: ShareFile, media_id: str) -> dict[str, Any]:
    """Return a file's message. Recordings cannot have a caption on WhatsApp: with one, they go as
    documents."""
    kind = file.mime_type.partition("/")[0]
    if kind not in {"image", "audio", "video"} or (kind == "audio" and file.caption):
        kind = "document"
    content = {"id": media_id}
    if file.caption:
        content["caption"] = file.caption
    if kind == "document":
        content["filename"] = file.filename
    return {"type": kind, kind: content}


def template_message(name: str, language: str, text: str) -> dict[str, Any]:
    """Return a message by the template `name`; `text` is the one variable of its body."""
    variables = [{"type": "text", "text": text}]
    return {
        "type": "template",
        "template": {
            "name": name,
            "language": {"code": language},
            "components": [{"type": "body", "parameters": variables}],
        },
    }


def typing_mark(wamid: str) -> dict[str, Any]:
    """Return the call that marks a message as read, and shows that its answer is being written."""
    return {
        "messaging_product": "whatsapp",
        "status": "read",
        "message_id": wamid,
        "typing_indicator": {"type": "text"},
    }


def to_interactive(body: TextBody, media_id: str = "") -> dict[str, Any] | None:
    """Return the `interactive` of a message that shows `body`; None where WhatsApp cannot show it
    so.

    Args:
        media_id: id of the picture or document above it, if there is one; a list can have none.

    Limits: three replies whose titles differ, or ten rows in a list, and 1024 characters above
    them (Cloud API reference, messages). A title of 20 fits both.
    """
    buttons = list_buttons(body)
    if not body.text.strip() or len(body.text) > MAX_BODY:
        return None
    if not buttons:
        return _interactive(_CONTACT, body, {"name": _CONTACT}) if body.asks_number else None
    if len(buttons) <= MAX_REPLIES and len({each.label for each in buttons}) == len(buttons):
        replies = [
            {"type": "reply", "reply": {"id": each.token, "title": each.label}} for each in buttons
        ]
        shown = _interactive("button", body, {"buttons": replies})
        return shown | {"header": _header(body.header, media_id)} if body.header else shown
    if len(buttons) <= MAX_ROWS and not body.header:
        rows = [_row(each, describe_row(each, body)) for each in buttons]
        return _interactive(
            "list", body, {"button": get_list_label(body), "sections": [{"rows": rows}]}
        )
    return None


def _interactive(kind: str, body: TextBody, action: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "body": {"text": body.text}, "action": action}


def _header(file: ShareFile, media_id: str) -> dict[str, Any]:
    if file.mime_type.startswith("image/"):
        return {"type": "image", "image": {"id": media_id}}
    return {"type": "document", "document": {"id": media_id, "filename": file.filename}}


def _row(button: Button, description: str) -> dict[str, str]:
    row = {"id": button.token, "title": button.label}
    return row | {"description": description} if description else row

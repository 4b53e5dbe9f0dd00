"""Buttons on WhatsApp, as Twilio's Content API wants them: pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters._options import (
    MAX_BODY,
    MAX_REPLIES,
    MAX_ROWS,
    buttons_of,
    description_of,
    list_label_of,
)
from bot.messages import Button, TextBody

LANGUAGE = "fr"
"""Of the content, which must have one; nobody sees it."""

Content = Mapping[str, Any]


def to_content(body: TextBody) -> Content | None:
    """The request that makes `body` a content resource; None where Twilio cannot show it so.

    Limits: three replies in a session, a list of ten, 1024 characters above them
    (twilio.com/docs/content: twilio/quick-reply, twilio/list-picker). Braces would be read as a
    variable, and there is no way to quote them.
    """
    buttons = buttons_of(body)
    said = [body.text, *(button.label for button in (*buttons, *body.choices))]
    if any("{{" in text for text in said) or len(body.text) > MAX_BODY or not body.text:
        return None
    if len(buttons) <= MAX_REPLIES:
        return _request("twilio/quick-reply", body, actions=[_reply(each) for each in buttons])
    if len(buttons) <= MAX_ROWS:
        items = [_item(each, description_of(each, body)) for each in buttons]
        return _request("twilio/list-picker", body, button=list_label_of(body), items=items)
    return None


def _request(kind: str, body: TextBody, **parts: object) -> Content:
    return {"language": LANGUAGE, "types": {kind: {"body": body.text, **parts}}}


def _reply(button: Button) -> dict[str, str]:
    return {"type": "QUICK_REPLY", "title": button.label, "id": button.token}


def _item(button: Button, description: str) -> dict[str, str]:
    item = {"item": button.label, "id": button.token}
    return item | {"description": description} if description else item

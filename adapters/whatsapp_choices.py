"""Buttons on WhatsApp, as the Cloud API wants them: reply buttons, or a list. Pure."""

from __future__ import annotations

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


def to_interactive(body: TextBody) -> dict[str, Any] | None:
    """The `interactive` of a message that shows `body`; None where WhatsApp cannot show it so.

    Limits: three replies whose titles differ, or ten rows in a list, and 1024 characters above
    them (Cloud API reference, messages). A title of 20 fits both.
    """
    buttons = buttons_of(body)
    if not buttons or not body.text.strip() or len(body.text) > MAX_BODY:
        return None
    if len(buttons) <= MAX_REPLIES and len({each.label for each in buttons}) == len(buttons):
        return _interactive("button", body, {"buttons": [_reply(each) for each in buttons]})
    if len(buttons) <= MAX_ROWS:
        rows = [_row(each, description_of(each, body)) for each in buttons]
        return _interactive(
            "list", body, {"button": list_label_of(body), "sections": [{"rows": rows}]}
        )
    return None


def _interactive(kind: str, body: TextBody, action: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "body": {"text": body.text}, "action": action}


def _reply(button: Button) -> dict[str, Any]:
    return {"type": "reply", "reply": {"id": button.token, "title": button.label}}


def _row(button: Button, description: str) -> dict[str, str]:
    row = {"id": button.token, "title": button.label}
    return row | {"description": description} if description else row

"""What the tests of the WhatsApp Cloud adapter share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from multidict import CIMultiDict

from adapters.whatsapp.adapter import WhatsAppCloud
from bot.contracts.channels import Webhook
from bot.errors import NotFound
from bot.messages.outgoing import Body, Button, Delivery, TextBody
from bot.settings import Settings
from tests.standins.whatsapp import WhatsAppStandIn
from tests.standins.whatsapp_webhooks import JPEG

PHONE = "2250701020304"
AWA = f"+{PHONE}"
PNG = b"\x89PNG"
FILES = {"picture": PNG, "photo": JPEG, "report": b"%PDF-1.7", "sound": b"OggS", "film": b"ftyp"}
TOKENS = [f"{number:032x}" for number in range(12)]


async def read_file(file_id: str) -> bytes:
    if file_id == "unreachable":
        raise OSError(file_id)
    if file_id not in FILES:
        raise NotFound(file_id)
    return FILES[file_id]


def open_adapter(
    whatsapp: WhatsAppStandIn, seconds: float = 10.0, **values: object
) -> WhatsAppCloud:
    return WhatsAppCloud(
        Settings.model_validate(whatsapp_settings(whatsapp) | values), read_file, seconds
    )


def whatsapp_settings(whatsapp: WhatsAppStandIn) -> dict[str, object]:
    return {name.lower(): value for name, value in whatsapp.settings.items()}


def delivery(body: Body, conversation: str = AWA, attempt: int = 1) -> Delivery:
    return Delivery(1, f"whatsapp:{conversation}", conversation, body, attempt)


def asking(*labels: str, text: str = "Capitale de la France ?") -> TextBody:
    """A question with a button for each label, as rendering lays it out."""
    choices = tuple(Button(*pair) for pair in zip(labels, TOKENS, strict=False))
    return TextBody(text, buttons=tuple((each,) for each in choices), choices=choices)


def webhook(body: bytes, headers: Mapping[str, str] | None = None) -> Webhook:
    return Webhook("POST", "/webhooks/whatsapp", CIMultiDict(headers or {}), body)


def bytes_of(payload: Any) -> bytes:
    return json.dumps(payload).encode()

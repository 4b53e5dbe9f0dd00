"""What the tests of the Telegram adapter share."""

from __future__ import annotations

import json
from typing import Any

from adapters.telegram.adapter import Telegram
from adapters.telegram.parse import parse_update
from adapters.telegram.schema import User
from bot.errors import NotFound
from bot.messages.incoming import Update
from bot.messages.outgoing import Body, Delivery
from bot.settings import Settings
from bot.standins.telegram_updates import BOT
from tests.standins.telegram import TelegramStandIn
from tests.standins.telegram_schema import update_validator

AWA = 42
GROUP = -1001234
ME = User(BOT["id"], is_bot=True, username=BOT["username"])
PNG = b"\x89PNG"
POSTER = PNG + bytes(10 * 2**20)
FILES = {"picture": PNG, "poster": POSTER, "report": b"%PDF-1.7"}


async def read_file(file_id: str) -> bytes:
    if file_id not in FILES:
        raise NotFound(file_id)
    return FILES[file_id]


def open_adapter(telegram: TelegramStandIn, **values: object) -> Telegram:
    fields = {
        "telegram_bot_token": telegram.token,
        "telegram_webhook_secret": "s3cret",
        "telegram_api_url": telegram.url,
        "public_url": "https://griot.example",
    }
    return Telegram(Settings.model_validate(fields | values), read_file)


def delivery(body: Body, conversation: str = str(AWA)) -> Delivery:
    return Delivery(1, f"telegram:{conversation}", conversation, body)


def parse(update: dict[str, Any], me: User | None = ME) -> list[Update]:
    """What the adapter makes of an update, which has the form of the Bot API's specification."""
    update_validator().validate(update)
    return parse_update(json.dumps(update).encode(), me)


def parse_one(update: dict[str, Any], me: User | None = ME) -> Update:
    [parsed] = parse(update, me)
    return parsed

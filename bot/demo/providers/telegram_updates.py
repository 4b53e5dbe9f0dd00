"""Updates as Telegram sends them: https://core.telegram.org/bots/api#update."""

from __future__ import annotations

import itertools
import time
from typing import Any, Final

BOT: Final[dict[str, Any]] = {
    "id": 700_001, "is_bot": True, "first_name": "Griot", "username": "griot_demo_bot"
}  # fmt: skip
PERSON: Final[dict[str, Any]] = {
    "id": 4_200_001, "is_bot": False, "first_name": "Awa", "language_code": "fr"
}  # fmt: skip
CHAT: Final[dict[str, Any]] = {"id": PERSON["id"], "type": "private", "first_name": "Awa"}


class TelegramUpdates:
    """Makes them; ids go up."""

    def __init__(self) -> None:
        self.language = "fr"
        """Of the person's Telegram."""
        self._ids = itertools.count(int(time.time()) % 10**8 * 10)

    def message(self, number: int, **fields: Any) -> dict[str, Any]:
        """A Message of the person."""
        sender = PERSON | {"language_code": self.language}
        told = {"message_id": number, "from": sender, "chat": CHAT, "date": int(time.time())}
        return told | fields

    def text(self, message: dict[str, Any]) -> dict[str, Any]:
        word = message["text"].partition(" ")[0]
        if word.startswith("/"):
            command = {"type": "bot_command", "offset": 0, "length": len(word)}
            message = message | {"entities": [command]}
        return self._update(message=message)

    def contact(self, message: dict[str, Any], phone: str) -> dict[str, Any]:
        card = {"phone_number": phone, "first_name": "Awa", "user_id": PERSON["id"]}
        return self._update(message=message | {"contact": card})

    def photo(
        self, message: dict[str, Any], file_id: str, size: int, caption: str
    ) -> dict[str, Any]:
        told = {"file_id": file_id, "file_unique_id": file_id, "file_size": size}
        photo = [told | {"width": 1280, "height": 960}]
        said = {"caption": caption} if caption else {}
        return self._update(message=message | {"photo": photo} | said)

    def voice(
        self, message: dict[str, Any], file_id: str, size: int, seconds: int
    ) -> dict[str, Any]:
        told = {"file_id": file_id, "file_unique_id": file_id, "file_size": size}
        voice = told | {"duration": seconds, "mime_type": "audio/ogg"}
        return self._update(message=message | {"voice": voice})

    def tap(self, message_id: int, text: str, payload: str) -> dict[str, Any]:
        message = {
            "message_id": message_id, "from": BOT, "chat": CHAT, "date": int(time.time()),
            "text": text,
        }  # fmt: skip
        sender = PERSON | {"language_code": self.language}
        query = {"from": sender, "chat_instance": "-1", "message": message, "data": payload}
        update = self._update(callback_query=query)
        query["id"] = str(4_000_000_000 + update["update_id"])
        return update

    def _update(self, **content: Any) -> dict[str, Any]:
        return {"update_id": next(self._ids), **content}

"""Make updates as Telegram sends them, with ids that rise as Telegram's do."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Iterator
from typing import Any, Final

BOT: Final[dict[str, Any]] = {
    "id": 123456, "is_bot": True, "first_name": "Griot", "username": "griot_bot"
}  # fmt: skip


def chat_of(chat_id: int) -> dict[str, Any]:
    if chat_id > 0:
        return {"id": chat_id, "type": "private", "first_name": "Awa", "last_name": "Diop"}
    kind = "supergroup" if str(chat_id).startswith("-100") else "group"
    return {"id": chat_id, "type": kind, "title": "Classe de CM2"}


def person(user_id: int, language: str = "fr") -> dict[str, Any]:
    return {
        "id": user_id,
        "is_bot": False,
        "first_name": "Awa",
        "last_name": "Diop",
        "language_code": language,
    }


class Updates:
    """Makes updates. In a group, `sender` says who writes; in a private chat it is the chat."""

    def __init__(self) -> None:
        self.language = "fr"
        """Language of people's Telegram."""
        self.spinning: set[str] = set()
        """Taps without an answer yet: the person sees their button spin."""
        self.files: dict[str, bytes] = {}
        """Contents that `getFile` and the download behind it give, by file_id."""
        self.file_sizes: dict[str, int] = {}
        """The size that `getFile` gives, where it is not the true one."""
        self.update_ids = itertools.count(700_000_001)
        self.message_ids = itertools.count(1)

    def update(self, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        return {"update_id": next(self.update_ids), kind: content}

    def message(self, chat_id: int, *, sender: int | None = None, **fields: Any) -> dict[str, Any]:
        """Make a Message of a person."""
        return {
            "message_id": next(self.message_ids),
            "from": person(sender or abs(chat_id), self.language),
            "chat": chat_of(chat_id),
            "date": int(time.time()),
            **fields,
        }

    def message_update(self, chat_id: int, **fields: Any) -> dict[str, Any]:
        return self.update("message", self.message(chat_id, **fields))

    def text_update(self, chat_id: int, text: str, **fields: Any) -> dict[str, Any]:
        """Send a text, with the entities that Telegram finds in it: its command and mentions."""
        if entities := list(_find_entities(text)):
            fields = {"entities": entities, **fields}
        return self.message_update(chat_id, text=text, **fields)

    def callback_update(
        self,
        chat_id: int,
        data: str,
        *,
        message_id: int = 1,
        sender: int | None = None,
        accessible: bool = True,
        **fields: Any,
    ) -> dict[str, Any]:
        """Tap a button of the bot's message `message_id`."""
        message: dict[str, Any] = {"message_id": message_id, "chat": chat_of(chat_id), "date": 0}
        if accessible:
            message.update({"date": int(time.time()), "from": BOT, "text": "?", **fields})
        return self.tap_update(sender or abs(chat_id), message=message, data=data)

    def tap_update(self, user_id: int, **fields: Any) -> dict[str, Any]:
        """Tap a button of anything; `fields` are those of a CallbackQuery."""
        number = next(self.update_ids)
        query_id = str(4_000_000_000_000_000 + number)
        self.spinning.add(query_id)
        query = {
            "id": query_id,
            "from": person(user_id, self.language),
            "chat_instance": "-1",
            **fields,
        }
        return {"update_id": number, "callback_query": query}

    def contact_update(
        self, chat_id: int, phone: str, *, owner: int | None, **fields: Any
    ) -> dict[str, Any]:
        """Send a contact card; `owner` is the Telegram user whose card it is, if any."""
        contact: dict[str, Any] = {"phone_number": phone, "first_name": "Awa"}
        if owner is not None:
            contact["user_id"] = owner
        return self.message_update(chat_id, contact=contact, **fields)

    def photo_update(
        self, chat_id: int, content: bytes = b"\xff\xd8jpeg", **fields: Any
    ) -> dict[str, Any]:
        """Send a photo in two sizes; `content` is the larger one."""
        small, large = self.add_file(b"\xff\xd8"), self.add_file(content)
        sizes = [
            {"file_id": small, "file_unique_id": f"u{small}", "width": 90, "height": 67}
            | {"file_size": 2},
            {"file_id": large, "file_unique_id": f"u{large}", "width": 1280, "height": 960}
            | {"file_size": len(content)},
        ]
        return self.message_update(chat_id, photo=sizes, **fields)

    def voice_update(
        self, chat_id: int, content: bytes = b"OggS", *, seconds: int = 3, **fields: Any
    ) -> dict[str, Any]:
        voice = {**self.keep(content), "duration": seconds, "mime_type": "audio/ogg"}
        return self.message_update(chat_id, voice=voice, **fields)

    def add_file(self, content: bytes) -> str:
        """Keep a file to be fetched; return its file_id."""
        file_id = f"AgACAgQAAxkBAAI{secrets.token_hex(6)}"
        self.files[file_id] = content
        return file_id

    def keep(self, content: bytes) -> dict[str, Any]:
        file_id = self.add_file(content)
        return {"file_id": file_id, "file_unique_id": f"u{file_id}", "file_size": len(content)}


def _find_entities(text: str) -> Iterator[dict[str, Any]]:
    for word in text.split():
        at = len(text[: text.index(word)].encode("utf-16-le")) // 2
        if word.startswith("/") and at == 0:
            yield {"type": "bot_command", "offset": 0, "length": len(word)}
        elif word.startswith("@"):
            name = word.rstrip(",.!?:")
            yield {"type": "mention", "offset": at, "length": len(name)}

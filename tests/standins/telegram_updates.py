"""Updates as Telegram sends them, with ids that go up as Telegram's do."""

from __future__ import annotations

import itertools
import time
from typing import Any

NOBODY = {
    "id": 1087968824,
    "is_bot": True,
    "first_name": "Group",
    "username": "GroupAnonymousBot",
}
"""In whose name Telegram gives what a group itself says."""
BOT = {"id": 123456, "is_bot": True, "first_name": "Griot", "username": "griot_bot"}
_SENDABLE = ("audios", "documents", "photos", "videos", "video_notes", "voice_notes", "polls")
_RIGHTS = (
    "can_send_messages",
    *(f"can_send_{kind}" for kind in _SENDABLE),
    "can_send_other_messages",
    "can_add_web_page_previews",
    "can_react_to_messages",
    "can_edit_tag",
    "can_change_info",
    "can_invite_users",
    "can_pin_messages",
    "can_manage_topics",
)
"""Of a restricted member."""


def chat_of(chat_id: int) -> dict[str, Any]:
    if chat_id > 0:
        return {"id": chat_id, "type": "private", "first_name": "Awa", "last_name": "Diop"}
    kind = "supergroup" if str(chat_id).startswith("-100") else "group"
    return {"id": chat_id, "type": kind, "title": "Classe de CM2"}


def person(user_id: int) -> dict[str, Any]:
    return {
        "id": user_id,
        "is_bot": False,
        "first_name": "Awa",
        "last_name": "Diop",
        "language_code": "fr",
    }


class Updates:
    """Makes updates. In a group, `sender` says who writes; in a private chat it is the chat."""

    def __init__(self) -> None:
        self._update_ids = itertools.count(700_000_001)
        self._message_ids = itertools.count(1)
        self._file_ids = itertools.count(1)
        self.spinning: set[str] = set()
        """Taps that were not answered: the person sees their button spin."""
        self.files: dict[str, bytes] = {}
        """What `getFile` and the download behind it give, by file_id."""
        self.file_sizes: dict[str, int] = {}
        """The size that `getFile` tells, where it is not the true one."""

    def update(self, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        return {"update_id": next(self._update_ids), kind: content}

    def message(self, chat_id: int, *, sender: int | None = None, **fields: Any) -> dict[str, Any]:
        """A Message of a person."""
        return {
            "message_id": next(self._message_ids),
            "from": person(sender or abs(chat_id)),
            "chat": chat_of(chat_id),
            "date": int(time.time()),
            **fields,
        }

    def message_update(self, chat_id: int, **fields: Any) -> dict[str, Any]:
        return self.update("message", self.message(chat_id, **fields))

    def text_update(self, chat_id: int, text: str, **fields: Any) -> dict[str, Any]:
        """A text, with the entities that Telegram finds in it: its command and mentions."""
        if entities := list(_find_entities(text)):
            fields = {"entities": entities, **fields}
        return self.message_update(chat_id, text=text, **fields)

    def edit_update(self, chat_id: int, text: str, **fields: Any) -> dict[str, Any]:
        message = self.message(chat_id, text=text, edit_date=int(time.time()), **fields)
        return self.update("edited_message", message)

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
        """A tap on a button of the bot's message `message_id`."""
        message: dict[str, Any] = {"message_id": message_id, "chat": chat_of(chat_id), "date": 0}
        if accessible:
            message.update({"date": int(time.time()), "from": BOT, "text": "?", **fields})
        return self.tap_update(sender or abs(chat_id), message=message, data=data)

    def tap_update(self, user_id: int, **fields: Any) -> dict[str, Any]:
        """A tap on a button of anything, with the fields of a CallbackQuery."""
        number = next(self._update_ids)
        query_id = str(4_000_000_000_000_000 + number)
        self.spinning.add(query_id)
        query = {"id": query_id, "from": person(user_id), "chat_instance": "-1", **fields}
        return {"update_id": number, "callback_query": query}

    def contact_update(
        self, chat_id: int, phone: str, *, owner: int | None, **fields: Any
    ) -> dict[str, Any]:
        """A contact card; `owner` is the Telegram user whose card it is, if any."""
        contact: dict[str, Any] = {"phone_number": phone, "first_name": "Awa"}
        if owner is not None:
            contact["user_id"] = owner
        return self.message_update(chat_id, contact=contact, **fields)

    def location_update(
        self, chat_id: int, latitude: float, longitude: float, **fields: Any
    ) -> dict[str, Any]:
        place = {"latitude": latitude, "longitude": longitude}
        return self.message_update(chat_id, location=place, **fields)

    def photo_update(
        self, chat_id: int, content: bytes = b"\xff\xd8jpeg", **fields: Any
    ) -> dict[str, Any]:
        """A photo in two sizes; `content` is the larger one."""
        small, large = self.add_file(b"\xff\xd8"), self.add_file(content)
        sizes = [
            {"file_id": small, "file_unique_id": f"u{small}", "width": 90, "height": 67}
            | {"file_size": 2},
            {"file_id": large, "file_unique_id": f"u{large}", "width": 1280, "height": 960}
            | {"file_size": len(content)},
        ]
        return self.message_update(chat_id, photo=sizes, **fields)

    def album_updates(self, chat_id: int, count: int, *, caption: str = "") -> list[dict[str, Any]]:
        """`count` photos sent at once: an update each, the caption on the first."""
        group = str(13_000_000_000_000_000 + next(self._file_ids))
        return [
            self.photo_update(
                chat_id,
                media_group_id=group,
                **({"caption": caption} if caption and number == 0 else {}),
            )
            for number in range(count)
        ]

    def document_update(
        self, chat_id: int, content: bytes, filename: str, mime_type: str, **fields: Any
    ) -> dict[str, Any]:
        document = {**self._file(content), "file_name": filename, "mime_type": mime_type}
        return self.message_update(chat_id, document=document, **fields)

    def voice_update(self, chat_id: int, content: bytes = b"OggS", **fields: Any) -> dict[str, Any]:
        voice = {**self._file(content), "duration": 3, "mime_type": "audio/ogg"}
        return self.message_update(chat_id, voice=voice, **fields)

    def sticker_update(self, chat_id: int, emoji: str = "😀", **fields: Any) -> dict[str, Any]:
        sticker = {
            **self._file(b"RIFF"),
            "type": "regular",
            "width": 512,
            "height": 512,
            "is_animated": False,
            "is_video": False,
            "emoji": emoji,
        }
        return self.message_update(chat_id, sticker=sticker, **fields)

    def reaction_update(self, chat_id: int, message_id: int, emoji: str) -> dict[str, Any]:
        reaction = {
            "chat": chat_of(chat_id),
            "message_id": message_id,
            "user": person(abs(chat_id)),
            "date": int(time.time()),
            "old_reaction": [],
            "new_reaction": [{"type": "emoji", "emoji": emoji}],
        }
        return self.update("message_reaction", reaction)

    def membership_update(self, chat_id: int, status: str, **fields: Any) -> dict[str, Any]:
        """The bot was blocked (`kicked`), or may write again (`member`)."""
        before = "member" if status != "member" else "kicked"
        change = {
            "chat": chat_of(chat_id),
            "from": person(abs(chat_id)),
            "date": int(time.time()),
            "old_chat_member": _membership(before),
            "new_chat_member": _membership(status, **fields),
        }
        return self.update("my_chat_member", change)

    def migration_update(self, chat_id: int, to: int) -> dict[str, Any]:
        """The group became the supergroup `to`, as the group is told."""
        return self.message_update(chat_id, migrate_to_chat_id=to)

    def migration_updates(self, chat_id: int, to: int, *, sender: int) -> list[dict[str, Any]]:
        """The same as the group is told, and as the supergroup is."""
        told = self.message(to, migrate_from_chat_id=chat_id, sender_chat=chat_of(to))
        return [
            self.message_update(chat_id, sender=sender, migrate_to_chat_id=to),
            self.update("message", {**told, "from": NOBODY}),
        ]

    def add_file(self, content: bytes, *, told_size: int | None = None) -> str:
        """Keep a file to be fetched; its file_id."""
        file_id = f"AgACAgQAAxkBAAI{next(self._file_ids):06d}"
        self.files[file_id] = content
        if told_size is not None:
            self.file_sizes[file_id] = told_size
        return file_id

    def _file(self, content: bytes) -> dict[str, Any]:
        file_id = self.add_file(content)
        return {"file_id": file_id, "file_unique_id": f"u{file_id}", "file_size": len(content)}


def _membership(status: str, **fields: Any) -> dict[str, Any]:
    member: dict[str, Any] = {"user": BOT, "status": status, **fields}
    if status == "restricted":
        rights = dict.fromkeys((*_RIGHTS, "is_member"), True)
        return {"until_date": 0, **rights, **member}
    return {**member, "until_date": 0} if status == "kicked" else member


def _find_entities(text: str) -> Any:
    for word in text.split():
        at = len(text[: text.index(word)].encode("utf-16-le")) // 2
        if word.startswith("/") and at == 0:
            yield {"type": "bot_command", "offset": 0, "length": len(word)}
        elif word.startswith("@"):
            name = word.rstrip(",.!?:")
            yield {"type": "mention", "offset": at, "length": len(name)}

"""Make more kinds of updates than the demo's person sends."""

from __future__ import annotations

import time
from typing import Any, Final

from bot.standins.telegram_updates import BOT, Updates, chat_of, person

NOBODY: Final[dict[str, Any]] = {
    "id": 1087968824,
    "is_bot": True,
    "first_name": "Group",
    "username": "GroupAnonymousBot",
}
"""The sender, for Telegram, of what a group itself says."""
_SENDABLE: Final = (
    "audios",
    "documents",
    "photos",
    "videos",
    "video_notes",
    "voice_notes",
    "polls",
)
_RIGHTS: Final = (
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
"""Rights of a restricted member."""


class AllUpdates(Updates):
    """Makes updates of all kinds that the bot reads."""

    def edit_update(self, chat_id: int, text: str, **fields: Any) -> dict[str, Any]:
        message = self.message(chat_id, text=text, edit_date=int(time.time()), **fields)
        return self.update("edited_message", message)

    def location_update(
        self, chat_id: int, latitude: float, longitude: float, **fields: Any
    ) -> dict[str, Any]:
        place = {"latitude": latitude, "longitude": longitude}
        return self.message_update(chat_id, location=place, **fields)

    def album_updates(self, chat_id: int, count: int, *, caption: str = "") -> list[dict[str, Any]]:
        """Send `count` photos at once: an update each, the caption on the first."""
        group = str(13_000_000_000_000_000 + next(self.message_ids))
        updates = [self.photo_update(chat_id, media_group_id=group) for _ in range(count)]
        if caption:
            updates[0]["message"]["caption"] = caption
        return updates

    def document_update(
        self, chat_id: int, content: bytes, filename: str, mime_type: str, **fields: Any
    ) -> dict[str, Any]:
        document = {**self.keep(content), "file_name": filename, "mime_type": mime_type}
        return self.message_update(chat_id, document=document, **fields)

    def sticker_update(self, chat_id: int, emoji: str = "😀", **fields: Any) -> dict[str, Any]:
        sticker = {
            **self.keep(b"RIFF"),
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
        """Block the bot (`kicked`), or let it write again (`member`)."""
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
        """Make the group the supergroup `to`, as the group learns it."""
        return self.message_update(chat_id, migrate_to_chat_id=to)

    def migration_updates(self, chat_id: int, to: int, *, sender: int = 42) -> list[dict[str, Any]]:
        """Make the group the supergroup `to`, as the group and the supergroup learn it."""
        notice = self.message(to, migrate_from_chat_id=chat_id, sender_chat=chat_of(to))
        return [
            self.message_update(chat_id, sender=sender, migrate_to_chat_id=to),
            self.update("message", {**notice, "from": NOBODY}),
        ]


def _membership(status: str, **fields: Any) -> dict[str, Any]:
    member: dict[str, Any] = {"user": BOT, "status": status, **fields}
    if status == "restricted":
        rights = dict.fromkeys((*_RIGHTS, "is_member"), True)
        return {"until_date": 0, **rights, **member}
    return {**member, "until_date": 0} if status == "kicked" else member

"""The parts of the Bot API's JSON (10.1) that Griot reads, by the API's own names.

Only fields that are read are declared; msgspec skips the rest.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Wire(msgspec.Struct, frozen=True):
    """Base of what is read from the wire."""


class User(Wire, frozen=True):
    id: int
    is_bot: bool = False
    first_name: str = ""
    last_name: str = ""
    username: str = ""
    language_code: str = ""


class Chat(Wire, frozen=True):
    id: int
    type: Literal["private", "group", "supergroup", "channel"]


class Span(Wire, frozen=True):
    """A MessageEntity: a range in UTF-16 code units."""

    type: str
    offset: int
    length: int
    user: User | None = None


class File(Wire, frozen=True):
    """A Document, Audio, Voice, Video, VideoNote, Animation or PhotoSize."""

    file_id: str
    file_name: str = ""
    mime_type: str = ""
    file_size: int | None = None


class Sticker(Wire, frozen=True):
    emoji: str = ""


class Contact(Wire, frozen=True):
    phone_number: str
    first_name: str = ""
    last_name: str = ""
    user_id: int | None = None


class Location(Wire, frozen=True):
    latitude: float
    longitude: float


class Venue(Wire, frozen=True):
    title: str = ""


class Quote(Wire, frozen=True):
    text: str = ""


class Message(Wire, frozen=True):
    """A Message, or an InaccessibleMessage, whose date is 0."""

    message_id: int
    chat: Chat
    date: int = 0
    edit_date: int = 0
    sender: User | None = msgspec.field(default=None, name="from")
    message_thread_id: int | None = None
    is_topic_message: bool = False
    text: str = ""
    caption: str = ""
    entities: tuple[Span, ...] = ()
    caption_entities: tuple[Span, ...] = ()
    reply_to_message: Message | None = None
    quote: Quote | None = None
    media_group_id: str = ""
    photo: tuple[File, ...] = ()
    voice: File | None = None
    audio: File | None = None
    video: File | None = None
    video_note: File | None = None
    animation: File | None = None
    document: File | None = None
    sticker: Sticker | None = None
    contact: Contact | None = None
    location: Location | None = None
    venue: Venue | None = None
    migrate_to_chat_id: int | None = None

    @property
    def conversation(self) -> str:
        topic = self.message_thread_id if self.is_topic_message else None
        return f"{self.chat.id}/{topic}" if topic is not None else str(self.chat.id)


class CallbackQuery(Wire, frozen=True):
    id: str
    sender: User = msgspec.field(name="from")
    message: Message | None = None
    data: str = ""


class Reaction(Wire, frozen=True):
    emoji: str = ""


class MessageReaction(Wire, frozen=True):
    chat: Chat
    message_id: int
    date: int
    new_reaction: tuple[Reaction, ...]
    user: User | None = None


class Membership(Wire, frozen=True):
    status: str


class MembershipChange(Wire, frozen=True):
    """A ChatMemberUpdated: what became of the bot in a chat."""

    chat: Chat
    sender: User = msgspec.field(name="from")
    date: int
    new_chat_member: Membership


class Event(Wire, frozen=True):
    """One Update of the Bot API: an id and at most one of the others."""

    update_id: int
    message: Message | None = None
    edited_message: Message | None = None
    callback_query: CallbackQuery | None = None
    message_reaction: MessageReaction | None = None
    my_chat_member: MembershipChange | None = None

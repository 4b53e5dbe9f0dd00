"""What Telegram tells us, as `Update`s: pure, from JSON to the vocabulary."""

from __future__ import annotations

import msgspec
import structlog

from adapters.telegram_groups import is_for_us, strip_name
from adapters.telegram_schema import (
    CallbackQuery,
    Chat,
    Contact,
    Event,
    File,
    Location,
    MembershipChange,
    Message,
    MessageReaction,
    Sticker,
    User,
)
from bot.errors import BadRequest
from bot.messages import (
    Attachment,
    Edited,
    MediaKind,
    Migrated,
    Reachable,
    Reacted,
    Said,
    Sender,
    SharedContact,
    SharedLocation,
    Tapped,
    Update,
    UpdateContent,
)

KINDS = ("message", "edited_message", "callback_query", "message_reaction", "my_chat_member")
"""The kinds of update that are understood, and so the ones asked for."""

log = structlog.get_logger()
_decode_event = msgspec.json.Decoder(Event).decode
_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def parse_update(body: bytes | msgspec.Raw, me: User | None) -> list[Update]:
    """What one Update of the Bot API holds for us: one `Update`, or none if it is not for us.

    `me` is the bot itself: in groups it hears commands, and, once it knows itself, mentions and
    replies.

    Raises:
        BadRequest: not JSON, or not of the form that the Bot API gives.
    """
    try:
        event = _decode_event(body)
        update = _read_event(event, me)
        if update is None:
            kinds = sorted(_decode_fields(body).keys() - {"update_id"})
            log.debug("telegram_update_ignored", update_id=event.update_id, kinds=kinds)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRequest("not an Update of the Telegram Bot API") from None
    return [update] if update is not None else []


def _read_event(event: Event, me: User | None) -> Update | None:
    match event:
        case Event(message=Message() as message):
            return _read_message(event, message, me)
        case Event(edited_message=Message() as message):
            return _read_message(event, message, me, edited=True)
        case Event(callback_query=CallbackQuery() as query):
            return _read_tap(event, query)
        case Event(message_reaction=MessageReaction() as reaction):
            return _read_reaction(event, reaction)
        case Event(my_chat_member=MembershipChange() as change):
            return _read_membership(event, change)
        case _:
            return None


def _read_message(
    event: Event, message: Message, me: User | None, *, edited: bool = False
) -> Update | None:
    if message.sender is None or message.sender.is_bot or message.chat.type == "channel":
        return None
    content = _edit(message, me) if edited else _content(message, me)
    if content is None or not (isinstance(content, Migrated) or is_for_us(message, me)):
        return None
    key = f"{message.chat.id}:{message.message_id}"
    return _update(
        event,
        message.chat,
        message.sender,
        content,
        conversation=message.conversation,
        message_key=f"edit:{key}:{message.edit_date}" if edited else key,
        at=message.edit_date if edited else message.date,
    )


def _read_tap(event: Event, query: CallbackQuery) -> Update | None:
    message = query.message
    if message is None or not query.data:  # inline mode and games, which we do not offer
        return None
    accessible = message.date != 0
    return _update(
        event,
        message.chat,
        query.sender,
        Tapped(query.data, query.id, str(message.message_id) if accessible else ""),
        conversation=message.conversation,
        message_key=f"callback:{query.id}",
    )


def _read_reaction(event: Event, reaction: MessageReaction) -> Update | None:
    if reaction.user is None:  # an anonymous administrator
        return None
    emoji = next((each.emoji for each in reaction.new_reaction), "")
    return _update(event, reaction.chat, reaction.user, Reacted(emoji), at=reaction.date)


def _read_membership(event: Event, change: MembershipChange) -> Update | None:
    if change.chat.type == "channel":
        return None
    reachable = change.new_chat_member.status not in {"kicked", "left"}
    return _update(event, change.chat, change.sender, Reachable(reachable), at=change.date)


def _update(
    event: Event,
    chat: Chat,
    user: User,
    content: UpdateContent,
    *,
    conversation: str = "",
    message_key: str = "",
    at: float = 0.0,
) -> Update:
    return Update(
        channel="telegram",
        via="telegram",
        conversation=conversation or str(chat.id),
        sender=Sender(
            address=str(user.id),
            name=f"{user.first_name} {user.last_name}".strip(),
            language=user.language_code,
        ),
        delivery_key=str(event.update_id),
        message_key=message_key or f"update:{event.update_id}",
        content=content,
        at=at,
        group=chat.type != "private",
    )


# What a message says ----------------------------------------------------------------------------


def _content(message: Message, me: User | None) -> UpdateContent | None:
    match message:
        case Message(migrate_to_chat_id=int() as to):
            return Migrated(str(to))
        case Message(contact=Contact() as contact):
            return _shared_contact(contact)
        case Message(location=Location() as place):
            title = message.venue.title if message.venue else ""
            return SharedLocation(place.latitude, place.longitude, title)
        case Message(sticker=Sticker() as sticker):
            return Said(f"[sticker {sticker.emoji}]" if sticker.emoji else "[sticker]")
        case _:
            return _said(message, me)


def _shared_contact(contact: Contact) -> SharedContact:
    phone = contact.phone_number
    # Telegram gives its users' numbers in full, but often without the plus sign.
    if contact.user_id is not None and not phone.startswith("+"):
        phone = f"+{phone}"
    owner = str(contact.user_id) if contact.user_id is not None else ""
    return SharedContact(phone, f"{contact.first_name} {contact.last_name}".strip(), owner)


def _said(message: Message, me: User | None) -> Said | None:
    text, attachment = strip_name(message, me), _attachment(message)
    if not text and attachment is None:
        return None
    return Said(
        text=text,
        attachments=(attachment,) if attachment else (),
        album=message.media_group_id,
        quoted=_quoted(message),
    )


def _edit(message: Message, me: User | None) -> Edited | None:
    text = strip_name(message, me)
    return Edited(text) if text else None


def _quoted(message: Message) -> str:
    if message.quote is not None:
        return message.quote.text
    original = message.reply_to_message
    return (original.text or original.caption) if original else ""


def _attachment(message: Message) -> Attachment | None:
    """The file of a message. An animation comes as a document too: the same file, once."""
    if message.photo:
        largest = max(message.photo, key=lambda size: size.file_size or 0)
        return Attachment("image", largest.file_id, mime_type="image/jpeg", size=largest.file_size)
    if message.voice:
        return _attached("audio", message.voice, voice=True)
    if message.audio:
        return _attached("audio", message.audio)
    file = message.animation or message.video or message.video_note or message.document
    return _attached("document", file) if file else None


def _attached(kind: MediaKind, file: File, *, voice: bool = False) -> Attachment:
    return Attachment(
        kind, file.file_id, file.file_name, file.mime_type, size=file.file_size, voice=voice
    )

"""What a message of Telegram says: its text, its files, and words for what has none."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.telegram_groups import strip_name
from adapters.telegram_schema import (
    Checklist,
    Contact,
    Dice,
    File,
    Game,
    Holding,
    Line,
    Location,
    Message,
    Poll,
    Present,
    Sticker,
    User,
)
from bot.messages import (
    Attachment,
    Edited,
    MediaKind,
    Said,
    SharedContact,
    SharedLocation,
    UpdateContent,
)


def read_content(message: Message, me: User | None) -> UpdateContent | None:
    """None for what says nothing: someone joined, a message was pinned."""
    match message:
        case Message(contact=Contact() as contact):
            return _shared_contact(message, contact)
        case Message(location=Location() as place):
            title = message.venue.title if message.venue else ""
            return SharedLocation(place.latitude, place.longitude, title)
        case _:
            return _said(message, me)


def read_edit(message: Message, me: User | None) -> Edited | None:
    """None if no words are left: a live location that moves is an edit too."""
    text = strip_name(message, me)
    return Edited(text) if text else None


def _shared_contact(message: Message, contact: Contact) -> SharedContact:
    """A card that came by way of others names no owner: it may hold a number of long ago."""
    phone, owner = contact.phone_number, ""
    if contact.user_id is not None:
        # Telegram gives its users' numbers in full, but often without the plus sign.
        phone = phone if phone.startswith("+") else f"+{phone}"
        owner = "" if message.forward_origin or message.via_bot else str(contact.user_id)
    return SharedContact(phone, f"{contact.first_name} {contact.last_name}".strip(), owner)


def _said(message: Message, me: User | None) -> Said | None:
    attachment = _attachment(message)
    text = strip_name(message, me) or _describe(message)
    if not text and attachment is None:
        return None
    return Said(
        text=text,
        attachments=(attachment,) if attachment else (),
        quoted=_quoted(message),
        forwarded=message.forward_origin is not None,
    )


# Files ------------------------------------------------------------------------------------------


def _attachment(message: Message) -> Attachment | None:
    """The file of a message. An animation comes as a document too: the same file, once."""
    if message.picture:
        largest = max(message.picture, key=lambda size: size.width * size.height)
        return Attachment("image", largest.file_id, mime_type="image/jpeg", size=largest.file_size)
    if message.voice:
        return _attached("audio", message.voice, "audio/ogg", voice=True)
    if message.audio:
        return _attached("audio", message.audio)
    if message.video_note:
        return _attached("document", message.video_note, "video/mp4")
    file = message.animation or message.video or message.document
    return _attached("document", file) if file else None


def _attached(kind: MediaKind, file: File, mime: str = "", *, voice: bool = False) -> Attachment:
    """`mime` is what Telegram makes of such files, where it does not say."""
    return Attachment(
        kind, file.file_id, file.file_name, file.mime_type or mime, size=file.file_size, voice=voice
    )


# Words ------------------------------------------------------------------------------------------


def _quoted(message: Message) -> str:
    """What the message replies to, also where that stands in another chat."""
    if message.quote is not None:
        return message.quote.text
    original = message.reply_to_message
    if original is not None:
        words = original.text or original.caption
        return f"{_name_file(original) or _describe(original)} {words}".strip()
    if message.external_reply is not None:
        return _name_file(message.external_reply) or _describe(message.external_reply)
    return "[story]" if message.reply_to_story else ""


def _describe(held: Holding) -> str:
    """Words for what is neither text nor a file; empty for what says nothing."""
    match held:
        case Holding(sticker=Sticker(emoji=emoji)):
            words = _bracket("sticker", emoji)
        case Holding(poll=Poll(question=title, options=lines)):
            words = _list(f"[poll] {title}", lines)
        case Holding(checklist=Checklist(title=title, tasks=lines)):
            words = _list(f"[checklist] {title}", lines)
        case Holding(dice=Dice(emoji=emoji, value=value)):
            words = _bracket(emoji, str(value))
        case Holding(game=Game(title=title)):
            words = _bracket("game", title)
        case _:
            words = _mention(held)
    return words


def _mention(held: Holding) -> str:
    match held:
        case Holding(story=Present()):
            return "[story]"
        case Holding(paid_media=Present()):
            return "[paid media]"
        case Holding(contact=Contact()):
            return "[contact]"
        case Holding(location=Location()):
            return "[location]"
        case Message(rich_message=Present()):
            return "[a message that cannot be read here]"
        case _:
            return ""


def _list(title: str, lines: Sequence[Line]) -> str:
    return "\n".join([title, *(f"- {line.text}" for line in lines)])


def _name_file(held: Holding) -> str:
    """A file in words: `[document fiche.pdf]`."""
    if held.picture:
        return "[photo]"
    files = (
        (held.voice, "voice note"),
        (held.audio, "audio"),
        (held.animation, "animation"),
        (held.video, "video"),
        (held.video_note, "video note"),
        (held.document, "document"),
    )
    return next((_bracket(kind, file.file_name) for file, kind in files if file), "")


def _bracket(kind: str, name: str) -> str:
    return f"[{kind} {name}]" if name else f"[{kind}]"

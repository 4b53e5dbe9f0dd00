"""Read the updates of the Bot API: from JSON to `Update`s, without side effects."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import msgspec
import structlog

from adapters.base import replace_lone_surrogates
from adapters.telegram.schema import (
    CallbackQuery,
    Chat,
    Checklist,
    Contact,
    Dice,
    Event,
    File,
    Game,
    Holding,
    Line,
    Location,
    MembershipChange,
    Message,
    MessageReaction,
    Poll,
    PreCheckoutQuery,
    Present,
    Span,
    Sticker,
    User,
)
from bot.errors import BadRequest
from bot.messages.incoming import (
    Attachment,
    Checkout,
    Edited,
    Migrated,
    Paid,
    Reachable,
    Reacted,
    Said,
    Sender,
    SharedContact,
    SharedLocation,
    Tapped,
    Unreadable,
    Update,
    UpdateContent,
)
from bot.messages.value import MediaKind
from bot.net import NOT_JSON

KINDS = (
    "message",
    "edited_message",
    "callback_query",
    "pre_checkout_query",
    "message_reaction",
    "my_chat_member",
)
"""The kinds of update that Griot reads, and asks Telegram for."""
log = structlog.get_logger()
_decode_event = msgspec.json.Decoder(Event).decode
_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def parse_update(body: bytes | msgspec.Raw, me: User | None) -> list[Update | Unreadable]:
    """Read one Update of the Bot API: return one `Update`, or none if it is not for us.

    One that has an id and another form than we know is kept as `Unreadable`: Telegram would repeat
    it before all that follow.

    `me` is the bot itself; in groups it gets commands, and, once `me` is known, mentions and
    replies.

    Raises:
        BadRequest: not JSON, or nothing that the Bot API gives.
    """
    try:
        return _parse(body, me)
    except NOT_JSON:
        whole = replace_lone_surrogates(bytes(body))  # a name cut in the middle of an emoji
    try:
        return _parse(whole, me)
    except NOT_JSON:
        return [_keep_unreadable(whole)]


def _keep_unreadable(body: bytes) -> Unreadable:
    try:
        msgspec.json.decode(_decode_fields(body)["update_id"], type=int)
    except (*NOT_JSON, KeyError):
        raise BadRequest("not an Update of the Telegram Bot API") from None
    log.warning("telegram_update_unreadable")
    return Unreadable("telegram", "telegram", "shape", body.decode(errors="replace"))


def _parse(body: bytes | msgspec.Raw, me: User | None) -> list[Update | Unreadable]:
    event = _decode_event(body)
    update = _read_event(event, me)
    if update is not None:
        return [update]
    kinds = sorted(_decode_fields(body).keys() - {"update_id"})
    log.debug("telegram_update_ignored", update_id=event.update_id, kinds=kinds)
    return []


def _read_event(event: Event, me: User | None) -> Update | None:
    update: Update | None = None
    match event:
        case Event(message=Message() as message):
            update = _read_migration(event, message) or _read_message(event, message, me)
        case Event(edited_message=Message() as message):
            update = _read_edit(event, message, me)
        case Event(callback_query=CallbackQuery() as query):
            update = _read_tap(event, query)
        case Event(pre_checkout_query=PreCheckoutQuery() as query):
            update = _read_checkout(event, query)
        case Event(message_reaction=MessageReaction() as reaction):
            update = _read_reaction(event, reaction)
        case Event(my_chat_member=MembershipChange() as change):
            update = _read_membership(event, change)
        case _:
            pass
    return update


def _read_migration(event: Event, message: Message) -> Update | None:
    """Read that a group became a supergroup, which Telegram reports in both groups."""
    match message:
        case Message(migrate_to_chat_id=int() as new, chat=Chat(id=old)):
            pass
        case Message(migrate_from_chat_id=int() as old, chat=Chat(id=new)):
            pass
        case _:
            return None
    return _update(
        event,
        message.chat,
        User(old),  # the two messages have different senders, one of which is no person
        Migrated(str(new)),
        conversation=str(old),
        message_key=f"migrated:{old}:{new}",
        at=message.date,
    )


def _read_message(event: Event, message: Message, me: User | None) -> Update | None:
    sender = _person(message)
    if sender is None:
        return None
    key = f"{message.chat.id}:{message.message_id}"
    if paid := message.successful_payment:
        charge = paid.telegram_payment_charge_id
        content = Paid(charge, paid.invoice_payload, paid.total_amount, paid.currency)
        key = f"paid:{charge}"
    else:
        content = read_content(message, me) if is_for_us(message, me) else None
    if content is None:
        return None
    return _update(
        event,
        message.chat,
        sender,
        content,
        conversation=message.conversation,
        message_key=key,
        at=message.date,
    )


def _read_edit(event: Event, message: Message, me: User | None) -> Update | None:
    sender = _person(message)
    key = f"{message.chat.id}:{message.message_id}"
    content = read_edit(message, key, me) if sender and is_for_us(message, me) else None
    if sender is None or content is None:
        return None
    # `edit_date` is in whole seconds, within which a person can correct a word twice.
    digest = hashlib.sha256(content.text.encode()).hexdigest()[:16]
    return _update(
        event,
        message.chat,
        sender,
        content,
        conversation=message.conversation,
        message_key=f"edit:{key}:{message.edit_date}:{digest}",
        at=message.edit_date,
    )


def _person(message: Message) -> User | None:
    """Return the author of a message; None if that is a bot, or a chat: a channel, even one whose
    posts are forwarded automatically into its discussion group, or a group, in whose name its
    anonymous administrators write. Telegram gives the same user as author for all such chats."""
    if message.chat.is_channel or message.is_automatic_forward or message.sender_chat:
        return None
    return message.sender if message.sender and not message.sender.is_bot else None


def _read_tap(event: Event, query: CallbackQuery) -> Update:
    """Read a tap. Without a message or a token (a game, inline mode) the button is not ours, but
    Telegram shows the person a spinner until the tap is answered."""
    message = query.message
    accessible = message is not None and message.date != 0
    return _update(
        event,
        message.chat if message else Chat(query.sender.id, "private"),
        query.sender,
        Tapped(query.data, query.id, str(message.message_id) if message and accessible else ""),
        conversation=message.conversation if message else "",
        message_key=f"callback:{query.id}",
    )


def _read_checkout(event: Event, query: PreCheckoutQuery) -> Update:
    """Read a checkout. It names no chat, so the person's private chat is meant."""
    return _update(
        event,
        Chat(query.sender.id, "private"),
        query.sender,
        Checkout(query.id, query.invoice_payload, query.total_amount, query.currency),
        message_key=f"checkout:{query.id}",
    )


def _read_reaction(event: Event, reaction: MessageReaction) -> Update | None:
    if reaction.user is None:  # an anonymous administrator
        return None
    emoji = next((each.emoji for each in reaction.new_reaction), "")
    return _update(event, reaction.chat, reaction.user, Reacted(emoji), at=reaction.date)


def _read_membership(event: Event, change: MembershipChange) -> Update | None:
    if change.chat.is_channel:
        return None
    now = change.new_chat_member
    reachable = now.status not in {"kicked", "left"} and now.is_member and now.can_send_messages
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


def read_content(message: Message, me: User | None) -> UpdateContent | None:
    """Read a message's content; return None for service messages, as when a person joins."""
    match message:
        case Message(contact=Contact() as contact):
            return _shared_contact(message, contact)
        case Message(location=Location() as place):
            title = message.venue.title if message.venue else ""
            return SharedLocation(place.latitude, place.longitude, title)
        case _:
            return _said(message, me)


def read_edit(message: Message, key: str, me: User | None) -> Edited | None:
    """Read an edit of the message with this key; return None if it has no text, as when a live
    location moves."""
    text = strip_name(message, me)
    return Edited(text, key) if text else None


def _shared_contact(message: Message, contact: Contact) -> SharedContact:
    """Read a contact card. One forwarded or sent via a bot gets no owner: its number may be old."""
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


def _attachment(message: Message) -> Attachment | None:
    """Return the file of a message. An animation comes as a document too: the same file, once."""
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
    """Return the attachment of a file; `mime` is its type where Telegram gives none."""
    return Attachment(
        kind, file.file_id, file.file_name, file.mime_type or mime, size=file.file_size, voice=voice
    )


def _quoted(message: Message) -> str:
    """Return the text of the message that this one replies to, even from another chat."""
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
    """Describe content that is neither text nor a file; return an empty text for other content."""
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
    """Return a mention of the file: `[document fiche.pdf]`; empty where there is none."""
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


_COMMAND = re.compile(r"(/\w{1,32})@(\w+)(?!\S)", re.ASCII)


def is_for_us(message: Message, me: User | None) -> bool:
    """Return whether a message is for us: in a group, a command unless it names another bot, a
    mention of us, or a reply to us."""
    if message.chat.type == "private":
        return True
    text = message.text or message.caption
    if addressed := _COMMAND.match(text):
        return me is not None and addressed[2].lower() == me.username.lower()
    if text.startswith("/") or _find_mentions(message, me):
        return True
    original = message.reply_to_message
    # In a topic, a message that is no reply "replies" to the message that opened the topic.
    if original is None or original.message_id == message.message_thread_id:
        return False
    return me is not None and original.sender is not None and original.sender.id == me.id


def strip_name(message: Message, me: User | None) -> str:
    """Return text or caption without our name, as in `@griot_bot hello` and `/start@griot_bot`."""
    text = message.text or message.caption
    addressed = _COMMAND.match(text)
    if addressed and me is not None and addressed[2].lower() == me.username.lower():
        return addressed[1] + text[addressed.end() :]
    mentions = _find_mentions(message, me)
    if not mentions:
        return text
    units = text.encode("utf-16-le")
    for span in reversed(mentions):
        rest = units[2 * (span.offset + span.length) :].removeprefix(b" \0")
        units = units[: 2 * span.offset] + rest
    return units.decode("utf-16-le", "ignore").strip()


def _find_mentions(message: Message, me: User | None) -> list[Span]:
    """Return the spans in which the text names the bot, by its username or by a link to it."""
    if me is None:
        return []
    units = (message.text or message.caption).encode("utf-16-le")
    spans = message.entities if message.text else message.caption_entities
    name = f"@{me.username}".lower().encode("utf-16-le")

    def is_ours(span: Span) -> bool:
        if span.user is not None:
            return span.user.id == me.id
        named = units[2 * span.offset : 2 * (span.offset + span.length)]
        return span.type == "mention" and named.lower() == name

    return [span for span in spans if is_ours(span)]

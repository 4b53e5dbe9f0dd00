"""Read Meta's webhooks: from JSON to `Update`s and `Receipt`s, without side effects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Literal, TypeVar

import msgspec
import structlog

from adapters.base import BUTTON_TOKEN, replace_lone_surrogates
from adapters.whatsapp.client import classify_code
from bot.errors import BadRequest
from bot.messages.channels import USER_ID
from bot.messages.incoming import (
    Attachment,
    Edited,
    IdentityChanged,
    Pricing,
    Reacted,
    Receipt,
    Received,
    Said,
    Sender,
    SharedContact,
    SharedLocation,
    Tapped,
    Unreadable,
    Unsupported,
    Update,
    UpdateContent,
)
from bot.messages.value import MediaKind
from bot.net import NOT_JSON

Latitude = Annotated[float, msgspec.Meta(ge=-90, le=90)]
Longitude = Annotated[float, msgspec.Meta(ge=-180, le=180)]
Key = Annotated[str, msgspec.Meta(min_length=1, max_length=512, pattern=r"^[^\x00]+$")]
"""A text without NUL, which Postgres cannot store."""
Items = tuple[msgspec.Raw, ...]
_NONE = msgspec.Raw(b"null")


class Change(msgspec.Struct):
    value: msgspec.Raw
    field: str = ""


class Entry(msgspec.Struct):
    changes: Items | None = None


class Payload(msgspec.Struct):
    object: str
    entry: Items


class Metadata(msgspec.Struct):
    phone_number_id: str = ""


class Problem(msgspec.Struct):
    code: int | None = None


class Value(msgspec.Struct):
    """The value of a change of the field `messages`: lists, each `Items` or null."""

    metadata: Metadata = msgspec.field(default_factory=Metadata)
    contacts: msgspec.Raw = _NONE
    messages: msgspec.Raw = _NONE
    statuses: msgspec.Raw = _NONE
    errors: msgspec.Raw = _NONE


class Profile(msgspec.Struct):
    name: str = ""


class Writer(msgspec.Struct):
    """The author of a message of the same change."""

    wa_id: str | None = None
    """Digits of the number, or null where it is hidden."""
    user_id: str | None = None
    profile: Profile = msgspec.field(default_factory=Profile)


class Context(msgspec.Struct):
    id: str = ""
    forwarded: bool = False
    frequently_forwarded: bool = False


class Words(msgspec.Struct):
    body: str


class File(msgspec.Struct):
    id: Key
    mime_type: str = ""
    filename: str | None = None
    caption: str | None = None
    voice: bool = False


class Place(msgspec.Struct):
    latitude: Latitude
    longitude: Longitude
    name: str | None = None
    address: str | None = None


class Phone(msgspec.Struct):
    phone: str = ""
    wa_id: str = ""


class CardName(msgspec.Struct):
    formatted_name: str = ""


class Card(msgspec.Struct):
    origin: str = "contact_request"
    """`contact_request`: it answers our request; `other`: the person chose it among their contacts.
    Older versions do not give it."""
    name: CardName = msgspec.field(default_factory=CardName)
    phones: tuple[Phone, ...] = ()


class Choice(msgspec.Struct):
    id: Key


class Interactive(msgspec.Struct):
    button_reply: Choice | None = None
    list_reply: Choice | None = None


class TemplateButton(msgspec.Struct):
    payload: str = ""
    text: str = ""


class Reaction(msgspec.Struct):
    emoji: str = ""


class EditedMessage(msgspec.Struct):
    text: Words | None = None


class Edit(msgspec.Struct):
    message: EditedMessage
    original_message_id: str = ""


class Kind(msgspec.Struct):
    """What a person sent where Meta passes on no content: `poll_creation`, `group_invite`, `pin`.

    Values: https://docs.ycloud.com/en/documentation/inbox/unsupported-messages-in-inbox.md
    """

    type: str = ""


class System(msgspec.Struct):
    """A change of a person's number or user id, reported by WhatsApp itself."""

    type: str = ""
    wa_id: str | None = None
    """Digits of the new number, where it is not hidden."""
    user_id: str | None = None
    previous_user_id: str | None = None


class Message(msgspec.Struct):
    """A person's message; `type` names the field that holds its content."""

    id: Key
    type: str
    sender: str | None = msgspec.field(name="from", default=None)
    """Digits of the number, or null where it is hidden behind a user name."""
    from_user_id: str | None = None
    timestamp: str | None = None
    group_id: str | None = None
    context: Context | None = None
    text: Words | None = None
    image: File | None = None
    document: File | None = None
    audio: File | None = None
    video: File | None = None
    location: Place | None = None
    contacts: tuple[Card, ...] | None = None
    interactive: Interactive | None = None
    button: TemplateButton | None = None
    reaction: Reaction | None = None
    edit: Edit | None = None
    system: System | None = None
    unsupported: Kind | None = None


class Price(msgspec.Struct):
    billable: bool
    category: Annotated[str, msgspec.Meta(pattern=r"^[a-z_]{1,40}$")]


class Status(msgspec.Struct):
    """The status of a message of ours."""

    id: Key
    status: str
    errors: tuple[Problem, ...] | None = None
    timestamp: object = None
    recipient_id: object = None
    """Digits of the number, where it is not hidden."""
    recipient_user_id: object = None
    pricing: msgspec.Raw = _NONE
    """A `Price`, or null. This and the three fields above are left out where they cannot be read;
    the status still counts."""


VIA = "whatsapp_cloud"
_DIGITS = re.compile(r"[1-9][0-9]{6,14}")
"""E.164 without its plus."""
_ANSWERS_REQUEST = "contact_request"
_TIMESTAMP = re.compile(r"[0-9]{1,11}")
"""Unix seconds, up to a year of four digits."""
_STATES: Mapping[str, Literal["sent", "delivered", "read", "failed"]] = {
    "sent": "sent",
    "delivered": "delivered",
    "read": "read",
    "failed": "failed",
}
T = TypeVar("T")
log = structlog.get_logger()
_decode_payload = msgspec.json.Decoder(Payload).decode
_decode_entry = msgspec.json.Decoder(Entry).decode
_decode_change = msgspec.json.Decoder(Change).decode
_decode_items: Callable[[msgspec.Raw], Items | None] = msgspec.json.Decoder(Items | None).decode
_decode_problem = msgspec.json.Decoder(Problem).decode
_decode_value = msgspec.json.Decoder(Value).decode
_decode_writer = msgspec.json.Decoder(Writer).decode
_decode_message = msgspec.json.Decoder(Message).decode
_decode_status = msgspec.json.Decoder(Status, strict=False).decode
_decode_price = msgspec.json.Decoder(Price | None).decode


def parse_payload(body: bytes, number_id: str) -> list[Received]:
    """Return everything in a POST for the number `number_id`.

    Raises:
        BadRequest: not JSON, or none of it has Meta's form. A single part that cannot be read
            becomes `Unreadable`: Meta would send the whole batch again for days.
    """
    changes, unreadable = _unfold(_read_payload(body))
    return [*unreadable, *(item for each in changes for item in _read_change(each, number_id))]


def _read_payload(body: bytes) -> Payload:
    """Decode the payload; half a character (a name or a text cut between two units) becomes
    U+FFFD."""
    with suppress(*NOT_JSON):
        return _decode_payload(body)
    try:
        payload = _decode_payload(replace_lone_surrogates(body))
    except NOT_JSON:
        raise BadRequest("not a webhook of the WhatsApp Business Platform") from None
    log.warning("whatsapp_half_character_replaced")
    return payload


def _unfold(payload: Payload) -> tuple[list[Change], list[Unreadable]]:
    """Return the changes of all entries, and what cannot be read beside them. Raises `BadRequest`
    where there are some and none can be read."""
    unreadable: list[Unreadable] = []
    entries = [*_read_each("entry", payload.entry, _decode_entry, unreadable)]
    items = [change for entry in entries for change in entry.changes or ()]
    changes = [*_read_each("change", items, _decode_change, unreadable)]
    if (payload.entry and not entries) or (items and not changes):
        raise BadRequest("nothing in it is a change of the WhatsApp Business Platform")
    return changes, unreadable


def _read_change(change: Change, number_id: str) -> Iterator[Received]:
    if change.field != "messages":
        log.debug("whatsapp_change_ignored", field=change.field[:60])
        return
    unreadable: list[Unreadable] = []
    for value in _read_each("value", [change.value], _decode_value, unreadable):
        if value.metadata.phone_number_id != number_id:
            if bytes(value.messages) not in (b"null", b"[]"):
                log.warning("whatsapp_other_number_ignored", setting="WHATSAPP_PHONE_NUMBER_ID")
            continue
        if problems := [*_read_list("error", value.errors, _decode_problem)]:
            log.error("whatsapp_reported_errors", codes=[each.code for each in problems])
        yield from _read_messages(value)
        for status in _read_list("status", value.statuses, _decode_status):
            if receipt := _receipt(status, number_id):
                yield receipt
    yield from unreadable


def _read_list(kind: str, items: msgspec.Raw, decode: Callable[[msgspec.Raw], T]) -> Iterator[T]:
    for found in _read_each(f"list of {kind}", [items], _decode_items):
        yield from _read_each(kind, found or (), decode)


def _read_each(
    kind: str,
    items: Iterable[msgspec.Raw],
    decode: Callable[[msgspec.Raw], T],
    unreadable: list[Unreadable] | None = None,
) -> Iterator[T]:
    """Yield the items of the right shape, and log the others. The logged reasons name fields and
    types, never their content.

    Args:
        unreadable: gets the others, which may hold messages.
    """
    for item in items:
        try:
            yield decode(item)
        except NOT_JSON as error:
            log.warning("whatsapp_item_malformed", kind=kind, reason=str(error)[:200])
            if unreadable is not None:
                unreadable.append(_unreadable("shape", item))


def _read_messages(value: Value) -> Iterator[Update | Unreadable]:
    writers = [*_read_list("contact", value.contacts, _decode_writer)]
    items = [*_read_each("list of message", [value.messages], _decode_items)]
    if not items:
        yield _unreadable("shape", value.messages)
    for item in (items[0] if items else None) or ():
        message = next(_read_each("message", [item], _decode_message), None)
        if message is None:
            yield _unreadable("shape", item)
        else:
            yield from _read_message(message, writers, item)


def _read_message(
    message: Message, writers: Sequence[Writer], item: msgspec.Raw
) -> Iterator[Update | Unreadable]:
    sender = None if message.group_id else _find_sender(message, writers)
    read = _READERS.get(message.type)
    if read is None:
        yield _unreadable("kind", item)
        if sender and _wants_answer(message):
            yield _unsupported(message, sender)
        return
    content = read(message)
    if content is None:
        yield _unreadable("shape", item)
    elif sender is None:
        yield _unreadable("sender", item)
    else:
        yield _update(message, content, sender)


def _wants_answer(message: Message) -> bool:
    """Return whether a message of a kind that we cannot read is one that people write to us."""
    kind = message.unsupported.type if message.unsupported else ""
    return _SILENT_KINDS.isdisjoint((message.type, kind))


def _unsupported(message: Message, sender: Sender) -> Update:
    """Return the update of a message of a kind that we cannot read.

    Those of one hour count as one: WhatsApp reports a poll and each vote in it as messages of their
    own, and each answer costs money.
    """
    update = _update(message, Unsupported(), sender)
    if not update.at:
        return update
    key = f"unsupported:{int(update.at // 3600)}"
    return msgspec.structs.replace(update, delivery_key=key, message_key=key)


def _unreadable(reason: Literal["sender", "kind", "shape"], item: msgspec.Raw) -> Unreadable:
    log.warning("whatsapp_message_unreadable", reason=reason)
    return Unreadable("whatsapp", VIA, reason, bytes(item).decode(errors="replace"))


def _find_sender(message: Message, writers: Sequence[Writer]) -> Sender | None:
    """Return the sender, by number, user id or both; None: neither can be read.

    For a change of ids, the sender has the former ones.
    """
    system = message.system if message.type == "system" else None
    number = message.sender or ""
    user_id = (system.previous_user_id if system else message.from_user_id) or ""
    writer = _find_writer(writers, number, user_id) if system is None else None
    number = number or (writer.wa_id if writer else None) or ""
    user_id = user_id or (writer.user_id if writer else None) or ""
    if USER_ID.fullmatch(number):  # some developers report one in place of the number
        number, user_id = "", user_id or number
    address = f"+{number}" if _DIGITS.fullmatch(number) else ""
    user_id = user_id if USER_ID.fullmatch(user_id) else ""
    if not address and not user_id:
        return None
    return Sender(address or user_id, writer.profile.name if writer else "", user_id=user_id)


def _find_writer(writers: Sequence[Writer], number: str, user_id: str) -> Writer | None:
    """Return the contact of the same change that has one of these ids; without ids, the only
    contact."""
    for writer in writers:
        if (number and writer.wa_id == number) or (user_id and writer.user_id == user_id):
            return writer
    return writers[0] if len(writers) == 1 and not number and not user_id else None


def _update(message: Message, content: UpdateContent, sender: Sender) -> Update:
    return Update(
        channel="whatsapp",
        via=VIA,
        conversation=sender.address,
        sender=sender,
        delivery_key=message.id,
        message_key=message.id,
        content=content,
        at=_read_time(message.timestamp),
    )


def _receipt(status: Status, number_id: str) -> Receipt | None:
    state = _STATES.get(status.status)
    if state is None:
        log.debug("whatsapp_status_ignored", status=status.status[:60])
        return None
    code = (status.errors[0].code or 0) if status.errors and state == "failed" else 0
    return Receipt(
        via=VIA,
        provider_id=status.id,
        state=state,
        error=str(code) if code else "",
        cause=classify_code(code),
        recipients=_recipients(status),
        sender=number_id,
        at=_read_time(status.timestamp),
        pricing=_pricing(status),
    )


def _recipients(status: Status) -> tuple[str, ...]:
    number, user_id = status.recipient_id, status.recipient_user_id
    found: list[str] = []
    if isinstance(number, str) and _DIGITS.fullmatch(number):
        found.append(f"+{number}")
    if isinstance(user_id, str) and USER_ID.fullmatch(user_id):
        found.append(user_id)
    return tuple(found)


def _pricing(status: Status) -> Pricing | None:
    for price in _read_each("pricing", [status.pricing], _decode_price):
        return Pricing(price.billable, price.category) if price else None
    return None


def _read_time(timestamp: object) -> float:
    """Return a timestamp in Unix seconds; 0 where it is none."""
    if isinstance(timestamp, str) and _TIMESTAMP.fullmatch(timestamp):
        return float(timestamp)
    return 0.0


def _words(message: Message) -> Said | None:
    if message.text is None or not message.text.body.strip():
        return None
    return Said(message.text.body, forwarded=_is_forwarded(message))


def _file(message: Message) -> Said | None:
    file = message.image or message.document or message.audio or message.video
    if file is None:
        return None
    attachment = _attachment(file, _KINDS.get(message.type, "document"))
    return Said(file.caption or "", (attachment,), forwarded=_is_forwarded(message))


def _attachment(file: File, kind: MediaKind) -> Attachment:
    mime_type = file.mime_type.partition(";")[0].strip().lower()
    return Attachment(kind, file.id, file.filename or "", mime_type, voice=file.voice)


def _sticker(_: Message) -> Said:
    return Said("[sticker]")


def _place(message: Message) -> SharedLocation | None:
    place = message.location
    if place is None:
        return None
    return SharedLocation(place.latitude, place.longitude, place.name or place.address or "")


def _shared_contact(message: Message) -> SharedContact | None:
    """Return the first card with a number. The number of its account counts more than the one
    written on it, which may be another's. A card that was chosen among the person's contacts
    answers no request, even if it quotes one."""
    for card in message.contacts or ():
        asked_in = _context(message).id if card.origin == _ANSWERS_REQUEST else ""
        for phone in card.phones:
            if _DIGITS.fullmatch(phone.wa_id):
                owner = f"+{phone.wa_id}"
                return SharedContact(owner, card.name.formatted_name, owner, asked_in)
            if phone.phone:
                return SharedContact(phone.phone, card.name.formatted_name, request=asked_in)
    return None


def _tapped(message: Message) -> Tapped | None:
    reply = message.interactive
    chosen = (reply.button_reply or reply.list_reply) if reply else None
    return Tapped(chosen.id, message_id=_context(message).id) if chosen else None


def _template_tap(message: Message) -> Tapped | Said | None:
    """Return the tap of one of our tokens; for the buttons of other templates, their text."""
    button = message.button
    if button is None:
        return None
    if BUTTON_TOKEN.fullmatch(button.payload):
        return Tapped(button.payload, message_id=_context(message).id)
    text = button.text or button.payload
    return Said(text) if text.strip() else None


def _reaction(message: Message) -> Reacted | None:
    return Reacted(message.reaction.emoji) if message.reaction else None


def _edit(message: Message) -> Edited | None:
    if message.edit is None:
        return None
    words = message.edit.message.text
    key = message.edit.original_message_id
    return Edited(words.body, key) if words and words.body.strip() else None


def _identity_changed(message: Message) -> IdentityChanged | None:
    """Return the new ids of a person; None where neither number nor user id is given, or where the
    former user id has a wrong form: then it is not known whose ids changed."""
    system = message.system
    if system is None or system.type not in {"user_changed_number", "user_changed_user_id"}:
        return None
    if system.previous_user_id and not USER_ID.fullmatch(system.previous_user_id):
        return None
    number, user_id = system.wa_id or "", system.user_id or ""
    number = f"+{number}" if _DIGITS.fullmatch(number) else ""
    user_id = user_id if USER_ID.fullmatch(user_id) else ""
    return IdentityChanged(number, user_id) if number or user_id else None


def _is_forwarded(message: Message) -> bool:
    context = _context(message)
    return context.forwarded or context.frequently_forwarded


def _context(message: Message) -> Context:
    """Return the context of a message; an empty one where it has none."""
    return message.context or Context()


_SILENT_KINDS = frozenset(
    {
        "deleted",
        "edit",
        "errors",
        "keep_in_chat",
        "message_deleted",
        "pin",
        "poll_update",
        "reaction",
        "request_welcome",
        "revoke",
        "system",
    }
)
"""Kinds of messages, or what `unsupported` stands for, that say nothing to us: they are about
another message or about the chat. Any other kind that we cannot read was written to us."""
_KINDS: Mapping[str, MediaKind] = {"image": "image", "audio": "audio"}

_READERS: Mapping[str, Callable[[Message], UpdateContent | None]] = {
    "text": _words,
    "image": _file,
    "document": _file,
    "audio": _file,
    "video": _file,
    "sticker": _sticker,
    "location": _place,
    "contacts": _shared_contact,
    "interactive": _tapped,
    "button": _template_tap,
    "reaction": _reaction,
    "edit": _edit,
    "system": _identity_changed,
}

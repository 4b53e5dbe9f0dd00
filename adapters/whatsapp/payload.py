"""The parts of Meta's webhooks that Griot reads."""

from __future__ import annotations

from typing import Annotated

import msgspec

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

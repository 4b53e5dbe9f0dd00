"""The parts of the Bot API's JSON (10.1) that Griot reads, by the API's own names.

Only fields that are read are declared; msgspec skips the rest.
"""

from __future__ import annotations

import msgspec

GENERAL_TOPIC = 1
"""The topic that every forum has: Telegram takes messages for it only without a topic's id."""


class Wire(msgspec.Struct, frozen=True):
    """Base of the objects read from the API."""


class User(Wire, frozen=True):
    id: int
    is_bot: bool = False
    first_name: str = ""
    last_name: str = ""
    username: str = ""
    language_code: str = ""


class Chat(Wire, frozen=True):
    id: int
    type: str
    """`private`, `group`, `supergroup` or `channel`."""
    is_direct_messages: bool = False

    @property
    def is_channel(self) -> bool:
        """Whether it is a channel, or the direct messages that its readers send to it."""
        return self.type == "channel" or self.is_direct_messages


class Span(Wire, frozen=True):
    """A MessageEntity: a range in UTF-16 code units."""

    type: str
    offset: int
    length: int
    user: User | None = None


class Present(Wire, frozen=True):
    """An object of which only the presence matters."""


class File(Wire, frozen=True):
    """A Document, Audio, Voice, Video, VideoNote, Animation or PhotoSize."""

    file_id: str
    file_name: str = ""
    mime_type: str = ""
    file_size: int | None = None
    width: int = 0
    height: int = 0


class LivePhoto(Wire, frozen=True):
    photo: tuple[File, ...] = ()


class Sticker(Wire, frozen=True):
    emoji: str = ""


class Line(Wire, frozen=True):
    """A PollOption or ChecklistTask."""

    text: str = ""


class Poll(Wire, frozen=True):
    question: str = ""
    options: tuple[Line, ...] = ()


class Checklist(Wire, frozen=True):
    title: str = ""
    tasks: tuple[Line, ...] = ()


class Dice(Wire, frozen=True):
    emoji: str = ""
    value: int = 0


class Game(Wire, frozen=True):
    title: str = ""


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


class Payment(Wire, frozen=True):
    """A SuccessfulPayment."""

    currency: str
    total_amount: int
    invoice_payload: str
    telegram_payment_charge_id: str


class Holding(Wire, frozen=True, kw_only=True):
    """The content of a Message, or of the ExternalReplyInfo about one, apart from its text."""

    photo: tuple[File, ...] = ()
    live_photo: LivePhoto | None = None
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
    poll: Poll | None = None
    checklist: Checklist | None = None
    dice: Dice | None = None
    game: Game | None = None
    story: Present | None = None
    paid_media: Present | None = None

    @property
    def picture(self) -> tuple[File, ...]:
        """The sizes of the photo, or of a live photo."""
        return self.photo or (self.live_photo.photo if self.live_photo else ())


class Message(Holding, frozen=True, kw_only=True):
    """A Message, or an InaccessibleMessage, whose date is 0."""

    message_id: int
    chat: Chat
    date: int = 0
    edit_date: int = 0
    sender: User | None = msgspec.field(default=None, name="from")
    sender_chat: Present | None = None
    """The chat in whose name it was written; `sender` is then no person."""
    is_automatic_forward: bool = False
    forward_origin: Present | None = None
    via_bot: Present | None = None
    message_thread_id: int | None = None
    is_topic_message: bool = False
    text: str = ""
    caption: str = ""
    entities: tuple[Span, ...] = ()
    caption_entities: tuple[Span, ...] = ()
    reply_to_message: Message | None = None
    external_reply: Holding | None = None
    reply_to_story: Present | None = None
    quote: Quote | None = None
    rich_message: Present | None = None
    migrate_to_chat_id: int | None = None
    migrate_from_chat_id: int | None = None
    successful_payment: Payment | None = None

    @property
    def conversation(self) -> str:
        topic = self.message_thread_id if self.is_topic_message else None
        if topic is None or topic == GENERAL_TOPIC:
            return str(self.chat.id)
        return f"{self.chat.id}/{topic}"


class CallbackQuery(Wire, frozen=True):
    id: str
    sender: User = msgspec.field(name="from")
    message: Message | None = None
    data: str = ""


class PreCheckoutQuery(Wire, frozen=True):
    id: str
    sender: User = msgspec.field(name="from")
    currency: str
    total_amount: int
    invoice_payload: str


class Reaction(Wire, frozen=True):
    emoji: str = ""


class MessageReaction(Wire, frozen=True):
    chat: Chat
    message_id: int
    date: int
    new_reaction: tuple[Reaction, ...]
    user: User | None = None


class Membership(Wire, frozen=True):
    """A ChatMember; the last two fields are given for a restricted one only."""

    status: str
    is_member: bool = True
    can_send_messages: bool = True


class MembershipChange(Wire, frozen=True):
    """A ChatMemberUpdated: the bot's new status in a chat."""

    chat: Chat
    sender: User = msgspec.field(name="from")
    date: int
    new_chat_member: Membership


class Event(Wire, frozen=True):
    """One Update of the Bot API: an id and at most one of the other fields."""

    update_id: int
    message: Message | None = None
    edited_message: Message | None = None
    callback_query: CallbackQuery | None = None
    pre_checkout_query: PreCheckoutQuery | None = None
    message_reaction: MessageReaction | None = None
    my_chat_member: MembershipChange | None = None

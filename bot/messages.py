"""The vocabulary of Griot: what comes in, what a model sees, what goes out.

Every type is immutable and can be stored as JSON with `encode` and read back with `decode`; unions
are closed and tagged, so `match` over them is checked by the type checker. Times are Unix seconds
(float), sizes are bytes, money is US dollars (`usd`) or whole credits.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec

Channel = Literal["telegram", "whatsapp", "sms", "http", "console"]
Mode = Literal["child", "pro"]
MediaKind = Literal["image", "audio", "document"]
QuizKind = Literal["interactive_quiz", "true_false_quiz"]

T = TypeVar("T")
_ENCODER = msgspec.json.Encoder()
_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}


def encode(value: object) -> str:
    """`value` (any type of this module, or a tuple of them) as JSON text."""
    return _ENCODER.encode(value).decode()


def decode(text: str | bytes, kind: type[T]) -> T:
    """The value of type `kind` that `encode` wrote.

    Raises:
        msgspec.ValidationError: the text is not such a value.
    """
    decoder = _DECODERS.get(kind)
    if decoder is None:
        decoder = _DECODERS[kind] = msgspec.json.Decoder(kind)
    return decoder.decode(text)


def decode_message(text: str | bytes) -> Message:
    """The message that `encode` wrote."""
    return _MESSAGE.decode(text)


def decode_body(text: str | bytes) -> Body:
    """The rendered delivery that `encode` wrote."""
    return _BODY.decode(text)


def decode_outgoing(text: str | bytes) -> tuple[Outgoing, ...]:
    """The tuple of things to say that `encode` wrote."""
    return _OUTGOING.decode(text)


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of the vocabulary: immutable, compared by value, unset fields are not stored."""


# What comes in ----------------------------------------------------------------------------------


class Sender(Value, frozen=True):
    """Who wrote, by the channel's own account: nothing here is proven beyond the channel's word."""

    address: str
    """Telegram user id, E.164 number, web session or console user."""
    name: str = ""
    language: str = ""
    """Language tag the channel reported (`fr`, `en-GB`), empty when it reported none."""


class Attachment(Value, frozen=True):
    """A file that a channel holds for us; `Adapter.fetch` brings its bytes."""

    kind: MediaKind
    reference: str
    """The channel's handle: a Telegram file_id, a Twilio media URL, a WhatsApp media id."""
    filename: str = ""
    mime_type: str = ""
    size: int | None = None
    voice: bool = False
    """A voice note: transcribed before the turn sees it."""


class Said(Value, frozen=True, tag="said"):
    """Text, attachments or both. A leading slash is a command; the gateway reads it."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    album: str = ""
    """Shared by the updates of one album, else empty."""
    quoted: str = ""
    """Text of the message this one replies to."""
    forwarded: bool = False
    """Someone else's words: information for the model, never instructions."""


class Tapped(Value, frozen=True, tag="tapped"):
    """A button was pressed, or a list row chosen."""

    token: str
    callback_id: str = ""
    """To be acknowledged where the channel wants that (Telegram)."""
    message_id: str = ""
    """Provider's id of the message that carried the button; empty when it is not accessible."""


class Decided(Value, frozen=True, tag="decided"):
    """A decision on a pending approval, given by id rather than by button (HTTP)."""

    approval_id: str
    choice: Literal["approve", "edit", "cancel"]
    text: str = ""


class SharedContact(Value, frozen=True, tag="contact"):
    """A contact card. It proves the sender's number only if `owner` is the sender's own address."""

    phone: str
    name: str = ""
    owner: str = ""


class SharedLocation(Value, frozen=True, tag="location"):
    latitude: float
    longitude: float
    title: str = ""


class Edited(Value, frozen=True, tag="edited"):
    text: str


class Reacted(Value, frozen=True, tag="reacted"):
    emoji: str = ""


class Reachable(Value, frozen=True, tag="reachable"):
    """The person blocked us (`yes=False`) or came back."""

    yes: bool


class Migrated(Value, frozen=True, tag="migrated"):
    """The conversation goes on under another id (a Telegram group became a supergroup)."""

    to: str


UpdateContent = (
    Said
    | Tapped
    | Decided
    | SharedContact
    | SharedLocation
    | Edited
    | Reacted
    | Reachable
    | Migrated
)


class Update(Value, frozen=True):
    """One thing that a channel sent us, verified."""

    channel: Channel
    via: str
    """Name of the adapter that received it; a reply goes out by the same."""
    conversation: str
    """The channel's id of the chat; `chat/topic` in a group with topics."""
    sender: Sender
    delivery_key: str
    """The provider's id of this delivery: the same bytes delivered again have the same key."""
    message_key: str
    """The logical message's id: the same message delivered anew under another delivery id."""
    content: UpdateContent
    at: float = 0.0
    """When it was sent, by the channel's clock; 0 when the channel does not say."""
    group: bool = False

    @property
    def lane(self) -> str:
        return f"{self.channel}:{self.conversation}"


class Receipt(Value, frozen=True):
    """What a provider reports about a message that we sent."""

    via: str
    provider_id: str
    state: Literal["sent", "delivered", "read", "failed"]
    error: str = ""
    """The provider's error code when `state` is failed."""


# What the model sees ----------------------------------------------------------------------------


class Text(Value, frozen=True, tag="text"):
    text: str


class Media(Value, frozen=True, tag="media"):
    """A file in the person's library, shown to a model that can see or hear it."""

    kind: MediaKind
    file_id: str
    filename: str = ""
    mime_type: str = ""


Part = Text | Media


class ToolCall(Value, frozen=True):
    id: str
    name: str
    arguments: str = "{}"
    """JSON text exactly as the model wrote it; it may be invalid."""


class SystemMessage(Value, frozen=True, tag="system"):
    text: str


class UserMessage(Value, frozen=True, tag="user"):
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))


class AssistantMessage(Value, frozen=True, tag="assistant"):
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    """Echoed, within the turn, to the endpoint that sent it."""
    endpoint: str = ""
    """Which endpoint sent it."""


class ToolResult(Value, frozen=True, tag="result"):
    call_id: str
    name: str
    text: str
    is_error: bool = False


Message = SystemMessage | UserMessage | AssistantMessage | ToolResult


class Usage(Value, frozen=True):
    """What one or more model calls consumed."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.usd + other.usd,
        )


class ModelReply(Value, frozen=True):
    """One finished model call."""

    message: AssistantMessage
    usage: Usage = Usage()
    model: str = ""
    finish_reason: str = ""


# What goes out ----------------------------------------------------------------------------------


class Button(Value, frozen=True):
    label: str
    token: str
    """Opaque and single-use, at most 64 bytes; it holds no answer."""


class Say(Value, frozen=True, tag="say"):
    """Markdown to be said, with buttons under it."""

    markdown: str
    buttons: tuple[Button, ...] = ()
    shown: bool = False
    """The person's own stream has shown this text already (it was streamed as content)."""


class AskQuiz(Value, frozen=True, tag="quiz"):
    """A quiz without its answer; `tokens[i]` stands for `options[i]`."""

    id: str
    kind: QuizKind
    question: str
    options: tuple[str, ...]
    tokens: tuple[str, ...]
    expires_at: float


class ShareFile(Value, frozen=True, tag="file"):
    """A file of the library, to be delivered as an attachment or a link."""

    file_id: str
    filename: str
    mime_type: str
    size: int
    caption: str = ""


class Acknowledge(Value, frozen=True, tag="acknowledge"):
    """The answer to a button press (a short toast), required by Telegram."""

    callback_id: str
    text: str = ""


class RetireButtons(Value, frozen=True, tag="retire"):
    """Take the buttons away from a message that we sent earlier."""

    message_id: str


Outgoing = Say | AskQuiz | ShareFile | Acknowledge | RetireButtons


class Entity(Value, frozen=True):
    """A styled range of a rendered text; offset and length in UTF-16 code units."""

    kind: Literal[
        "bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", "link", "quote"
    ]
    offset: int
    length: int
    url: str = ""
    language: str = ""


class TextBody(Value, frozen=True, tag="text"):
    """Text in the channel's own form, within its limit."""

    text: str
    entities: tuple[Entity, ...] = ()
    buttons: tuple[tuple[Button, ...], ...] = ()
    """Rows of buttons, top to bottom."""
    quiz: AskQuiz | None = None
    """The quiz that this text asks, for channels that show quizzes natively (HTTP, console)."""
    shown: bool = False


class FileBody(Value, frozen=True, tag="file"):
    file: ShareFile
    entities: tuple[Entity, ...] = ()
    """Style of the caption."""
    link: str = ""
    """A signed link, where the channel cannot carry the file itself."""


Body = TextBody | FileBody | Acknowledge | RetireButtons


class Delivery(Value, frozen=True):
    """One thing to say, rendered, as the outbox hands it to an adapter."""

    id: int
    lane: str
    conversation: str
    body: Body
    attempt: int = 1


class Sent(Value, frozen=True):
    """The provider took the delivery."""

    provider_id: str
    """Empty where the provider gives none (an acknowledged button press)."""


class Typing(Value, frozen=True, tag="typing"):
    conversation: str


class Draft(Value, frozen=True, tag="draft"):
    """The answer so far, shown while it grows. A preview only: the outbox delivers."""

    conversation: str
    draft_id: int
    """Not 0, the same for all drafts of one turn."""
    text: str
    entities: tuple[Entity, ...] = ()


Preview = Typing | Draft


# People -----------------------------------------------------------------------------------------


class Person(Value, frozen=True):
    """Who a turn is for. `account` is None for a guest, who has no tools, files or memory."""

    channel: Channel
    address: str
    account: int | None = None
    name: str = ""
    mode: Mode = "child"
    language: str = "fr"
    grade: str = ""
    country: str = ""
    timezone: str = "Africa/Abidjan"

    @property
    def is_guest(self) -> bool:
        return self.account is None


_MESSAGE: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_BODY: msgspec.json.Decoder[Body] = msgspec.json.Decoder(Body)
_OUTGOING: msgspec.json.Decoder[tuple[Outgoing, ...]] = msgspec.json.Decoder(tuple[Outgoing, ...])

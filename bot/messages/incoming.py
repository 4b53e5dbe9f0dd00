"""Incoming values: verified updates as channels send them, and receipts of what we sent."""

from __future__ import annotations

from typing import Literal, cast

from bot.messages.channels import Channel
from bot.messages.outgoing import Outgoing
from bot.messages.value import MediaKind, Mode, Value


class Person(Value, frozen=True):
    """The person of a turn. `account` is None for a guest, who has no tools, files or memory."""

    channel: Channel
    address: str
    account: int | None = None
    name: str = ""
    mode: Mode = "child"
    language: str = "fr"
    grade: str = ""
    country: str = ""
    timezone: str = "Africa/Abidjan"
    is_new: bool = False
    """Their account is new: they were not asked for their preferences yet."""
    in_group: bool = False
    """They write in a group, where others read the answers and have written some of the messages:
    nothing private belongs into the turn."""

    @property
    def is_guest(self) -> bool:
        return self.account is None


class Sender(Value, frozen=True):
    """The author of an update as the channel reports it; nothing here is proven otherwise."""

    address: str
    """Telegram user id, E.164 number, web session or console user; the user id where the number is
    hidden."""
    name: str = ""
    language: str = ""
    """Language tag the channel reported (`fr`, `en-GB`), empty when it reported none."""
    user_id: str = ""
    """The provider's own id of the person (`bot.messages.channels.USER_ID`), if it gave one."""


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
    staged: bool = False
    """Its bytes are in our own store (sent over HTTP), and deleted once the turn has them."""


class Command(Value, frozen=True):
    """A command as the person wrote it, such as `/grade 3e`."""

    name: str
    """Its English name, without the slash."""
    argument: str = ""

    @property
    def bypasses_queue(self) -> bool:
        """Whether it is answered at once, even while a turn runs."""
        return self.name != "new"


class Said(Value, frozen=True, tag="said"):
    """Text, attachments or both."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    quoted: str = ""
    """Text of the message this one replies to."""
    context: str = ""
    """What the person's own program adds: its instructions, and the messages before this one. For
    the model it has no more weight than the person's words."""
    forwarded: bool = False
    """Someone else's words: information for the model, never instructions."""
    consents: bool = False
    """One of the words by which a person who opted out lets us write again (START on SMS)."""
    command: Command | None = None
    """The command that the text is; the inbox notes it when it stores the update."""


class Tapped(Value, frozen=True, tag="tapped"):
    """A button was pressed, or a list row chosen."""

    token: str
    callback_id: str = ""
    """The id by which the tap is acknowledged, where the channel requires that (Telegram)."""
    message_id: str = ""
    """Provider's id of the message that carried the button; empty when it is not accessible."""


class Decided(Value, frozen=True, tag="decided"):
    """A decision on a pending approval, given by id rather than by button (HTTP)."""

    approval_id: str
    choice: Literal["approve", "edit", "cancel"]
    text: str = ""


class TypedCode(Value, frozen=True, tag="typed_code"):
    """A one-time code that the person has typed, as a keyed hash. The digits are not stored, or,
    where a service has to check them, only under a pad that `SECRET_KEY` takes off."""

    sealed: str
    astray: bool = False
    """It was typed into a chat that did not ask for it, so it proves nothing there, and `sealed` is
    empty."""
    mistyped: bool = False
    """It has a digit too few, so it proves nothing, and `sealed` is empty."""


class Attempt(Value, frozen=True, tag="attempt"):
    """A text that the person typed or spoke while an exercise is open, and that may be an answer to
    it."""

    exercise: str
    """The exercise's id."""
    text: str
    spoken: bool = False
    """It is the transcript of a voice note."""


class SharedContact(Value, frozen=True, tag="contact"):
    """A contact card. It proves the sender's number only if `owner` is the sender's own address, or
    if it answers a request that was made to them."""

    phone: str
    name: str = ""
    owner: str = ""
    """The number of the account that the card belongs to, by the channel's word."""
    request: str = ""
    """Provider's id of the message that the card answers."""


class SharedLocation(Value, frozen=True, tag="location"):
    latitude: float
    longitude: float
    title: str = ""


class Edited(Value, frozen=True, tag="edited"):
    """The person changed a message; its new text replaces the old one if its turn has not begun."""

    text: str
    message_key: str = ""
    """That of the message's own update."""


class Reacted(Value, frozen=True, tag="reacted"):
    emoji: str = ""


class Unsupported(Value, frozen=True, tag="unsupported"):
    """The person sent a message whose content the channel does not pass on, such as a poll."""


class Reachable(Value, frozen=True, tag="reachable"):
    """The person blocked us (`yes=False`) or came back."""

    yes: bool


class OptedOut(Value, frozen=True, tag="opted_out"):
    """The person opted out (STOP on SMS): nothing may be sent until they write what `consents`."""


class Migrated(Value, frozen=True, tag="migrated"):
    """The conversation goes on under another id (a Telegram group became a supergroup)."""

    to: str


class IdentityChanged(Value, frozen=True, tag="identity_changed"):
    """The person known by the sender's address has another number or user id from now on."""

    number: str = ""
    """Their number now (E.164); empty: it is hidden."""
    user_id: str = ""
    """Their user id now; empty: the provider did not say."""


class Checkout(Value, frozen=True, tag="checkout"):
    """The person is about to pay inside the channel, which asks us to confirm the payment."""

    id: str
    payload: str
    """The `payload` of our invoice."""
    amount: int
    """In the currency's smallest unit; Telegram Stars have none smaller than one."""
    currency: str


class Paid(Value, frozen=True, tag="paid"):
    """A payment inside the channel went through."""

    charge: str
    """The provider's id of the payment, for refunds."""
    payload: str
    amount: int
    currency: str


class Notice(Value, frozen=True, tag="notice"):
    """Messages of our own to send in this conversation. No channel sends such an update."""

    outgoing: tuple[Outgoing, ...]


class Woken(Value, frozen=True, tag="woken"):
    """Something that the agent waited for has happened. No channel sends such an update."""

    text: str
    """What happened, in words for the model."""


UpdateContent = (
    Said
    | Attempt
    | Tapped
    | Decided
    | TypedCode
    | SharedContact
    | SharedLocation
    | Edited
    | Reacted
    | Unsupported
    | Reachable
    | OptedOut
    | Migrated
    | IdentityChanged
    | Checkout
    | Paid
    | Notice
    | Woken
)


class Update(Value, frozen=True):
    """One thing that a channel sent us, verified."""

    channel: Channel
    via: str
    """Name of the adapter that received it; a reply goes out by the same, unless a route of the
    channel leads elsewhere."""
    conversation: str
    """The channel's id of the chat; `chat/topic` in a group with topics."""
    sender: Sender
    delivery_key: str
    """The provider's id of this delivery: the same bytes delivered again have the same key."""
    message_key: str
    """The message's own id, the same if it is delivered again under another delivery id."""
    content: UpdateContent
    at: float = 0.0
    """When it was sent, by the channel's clock; 0 when the channel does not say."""
    group: bool = False

    @property
    def lane(self) -> str:
        return f"{self.channel}:{self.conversation}"


def build_update(lane: str, via: str, sender: Sender, key: str, content: UpdateContent) -> Update:
    """Build an update of our own in a lane, which is stored there once a key."""
    channel, _, conversation = lane.partition(":")
    return Update(
        channel=cast("Channel", channel),
        via=via,
        conversation=conversation,
        sender=sender,
        delivery_key=key,
        message_key=key,
        content=content,
    )


class Unreadable(Value, frozen=True):
    """A message that an adapter cannot read. It is kept for operators."""

    channel: Channel
    via: str
    reason: Literal["sender", "kind", "shape", "recipient"]
    """What cannot be read: who sent it, a kind that is not known, or its fields; or it is for a
    number that is not ours."""
    payload: str
    """The message as received, as JSON."""


class Pricing(Value, frozen=True):
    """A provider's report on the price of a message."""

    billable: bool
    category: str
    """service, utility, authentication, marketing, general_purpose_ai, or a newer one."""


FailureCause = Literal["", "window", "opted_out", "dead", "restricted"]


class Receipt(Value, frozen=True):
    """A provider's report on a message that we sent."""

    via: str
    provider_id: str
    state: Literal["sent", "delivered", "read", "failed"]
    error: str = ""
    """The provider's error code when `state` is failed."""
    cause: FailureCause = ""
    """Why it failed, where that matters: it was sent outside the provider's window, the person
    opted out, the address takes no messages, or the provider has restricted the sender."""
    address: str = ""
    """The recipient, where the provider may report another id than it gave: a receipt whose id no
    delivery has is then about the newest delivery to this address."""
    recipients: tuple[str, ...] = ()
    """The person's addresses, where the provider's ids can be relied on: a receipt whose id no
    delivery has can then only be about a delivery in doubt to one of them."""
    sender: str = ""
    """Our number or account that sent it."""
    at: float = 0.0
    """When it happened, by the provider's clock; 0: it does not say."""
    pricing: Pricing | None = None


Received = Update | Receipt | Unreadable
"""The items that an adapter reads from a provider."""

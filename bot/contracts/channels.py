"""What a channel is: an adapter, facts about what it can carry, and findings about its settings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from bot.errors import NotFound
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment, Received
from bot.messages.outgoing import Delivery, Preview, Sent


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    level: Literal["ok", "warning", "error"]
    name: str
    message: str
    advice: str = ""
    """What to do; empty when all is well."""
    reason: Literal["", "unanswered"] = ""
    """Why it is not ok, where that matters: a provider gave no answer."""
    missing: Sequence[str] = ()
    """The settings that are not set, by name, if that is what is not ok."""


UNLIMITED: Final = 2**31
"""The value of limits that a channel does not have."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """An HTTP request as received, before it is authenticated."""

    method: str
    path: str
    """Raw path and query, as received."""
    headers: Mapping[str, str]
    """Case-insensitive."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Pace:
    """A limit on sending: `burst` messages at once, then `rate` a second."""

    rate: float
    burst: int = 1


@dataclass(frozen=True, slots=True)
class RichLimits:
    """The limits of one rich message."""

    size: int
    """Bytes of its HTML in UTF-8."""
    blocks: int
    depth: int
    """Levels of blocks nested in one another."""
    columns: int
    """Columns of a table."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The facts of a channel by which rendering and delivery decide."""

    max_text: int
    """Length limit of one message, in `text_unit`s."""
    text_unit: Literal["utf16", "characters", "gsm7"] = "characters"
    """`gsm7`: septets; a text that GSM-7 cannot write has fewer characters in the same segments."""
    page: int = 0
    """How much of a long answer is sent at once, in `text_unit`s; the rest when the person asks
    for more. 0: all of it."""
    markup: Literal["entities", "markers", "plain", "markdown"] = "plain"
    rich: RichLimits | None = None
    """Limits of messages with tables, headings, details and formulas; None: the channel, or the
    provider's server, has no such messages."""
    max_caption: int = 0
    captioned: tuple[str, ...] = ("",)
    """Beginnings of the MIME types of files that can have a caption."""
    max_buttons: int = 0
    """The most buttons under a text; 0: options are numbered lines in the text."""
    max_button_label: int = 20
    header_buttons: int = 0
    """The most buttons under a picture or document; 0: none."""
    joins: bool = False
    """Each message is paid, so texts that fit into one message are sent as one."""
    opens_lists: bool = False
    """More than a few buttons are shown as a list, which one button with its own label opens."""
    asks_number: bool = False
    """A message can have a button by which the person shares their phone number."""
    media: tuple[tuple[str, int], ...] = ()
    """The files that the channel carries: MIME types (`image/png`, `image/*`, `*/*`; the first that
    fits counts) and the most bytes of each. Any other file goes as a link."""
    media_by_link: bool = False
    """The provider fetches files by a link that anyone can open."""
    streams: bool = False
    """People may watch the turn's events live (HTTP, console)."""
    drafts: bool = False
    """The growing answer can be shown in private conversations."""
    typing: float = 0.0
    """Seconds that one typing indicator lasts; 0: the channel has none."""
    resend: Literal["never", "safe"] = "never"
    """What to do with a delivery in doubt: `safe` if the provider cannot show it twice."""
    window: float = 0.0
    """Seconds after the person's last message in which anything may be sent; 0: always."""
    template: bool = False
    """A template is configured for when the window is closed."""
    invoices: bool = False
    """People can pay inside the channel (Telegram Stars)."""
    answers: Literal["always", "by_country", "never"] = "always"
    """Whether people can answer; in some countries, and to some senders, no SMS can be answered."""
    one_way: bool = False
    """The person cannot answer, so a question holds a link to a page instead of options. Set for
    one conversation, not for a whole channel."""
    receipts: bool = False
    """The provider reports the outcome of deliveries later."""
    message_fee: float = 0.0
    """US dollars that the provider adds to each delivered message (`ChannelFacts.paid_by`)."""
    sender_pace: Pace | None = None
    """The limit for all conversations together."""
    chat_pace: Callable[[str], Pace] | None = None
    """The limit for one conversation, given its id."""

    def find_max_caption(self, mime_type: str) -> int:
        """Return the longest caption of a file of this type; 0: it can have none."""
        return self.max_caption if mime_type.startswith(self.captioned) else 0

    def with_max_text(self, max_text: int) -> Capabilities:
        return replace(self, max_text=min(self.max_text, max_text))

    @property
    def is_paced(self) -> bool:
        return bool(self.sender_pace or self.chat_pace)

    def carries(self, mime_type: str, size: int) -> bool:
        """Return whether a file of `size` bytes goes as a file."""
        for pattern, most in self.media:
            family, _, kind = pattern.partition("/")
            if pattern == mime_type or (
                kind == "*" and family in ("*", mime_type.partition("/")[0])
            ):
                return size <= most
        return False


Receive = Callable[[Sequence[Received]], Awaitable[None]]
"""A function that stores what a provider reports, durably before it returns."""


class WebhookReader(Protocol):
    """Authenticates and reads the webhooks by which a provider delivers updates."""

    @property
    def name(self) -> str:
        """The name under which metrics count requests that are refused or malformed."""
        ...

    def verify(self, webhook: Webhook) -> None:
        """Check that the request is authentic, before `parse`. Raises `Refused` if it is not."""
        ...

    def parse(self, webhook: Webhook) -> Sequence[Received]:
        """Return the updates and receipts of a request. Raises `BadRequest` (malformed)."""
        ...


@dataclass(frozen=True, slots=True)
class WebhookRoute:
    """A route by which a provider calls us."""

    reader: WebhookReader
    status: int = 200
    """HTTP status of the answer when all is well; it has no body."""
    challenge: Callable[[Webhook], str] | None = None
    """Answers a GET by which the provider makes sure that the route is ours."""


class Adapter(Protocol):
    """Sends to one channel through one provider; it only translates, and decides nothing.

    Adapters inherit it: they have neither attachments nor previews nor connections to close, unless
    they say otherwise.
    """

    name: str
    channel: Channel
    capabilities: Capabilities

    async def fetch(self, attachment: Attachment) -> bytes:
        """Download an attachment. Raises `NotFound` (gone), `TooLarge`, or `RetryAt`."""
        raise NotFound(f"No attachment {attachment.reference!r}.")

    async def deliver(self, delivery: Delivery) -> Sent:
        """Send a delivery.

        Raises only `RetryAt`, `WindowClosed`, `SenderRestricted`, `Undeliverable` or
        `OutcomeUnknown`.
        """
        ...

    async def show(self, preview: Preview) -> None:
        """Show typing or a draft; best effort. Raises `RetryAt` when asked to slow down."""

    async def close(self) -> None:
        """Close the connections to the provider."""


class CheckedAdapter(Protocol):
    """An account at a message provider, which `griot doctor` checks: an adapter, or less."""

    title: str
    """The provider's name as people know it: `Telegram`."""

    async def check(self) -> Sequence[Finding]:
        """Ask the provider whether our settings are right. Nothing is sent, bought or changed.

        Raises `ConnectionError` or `DeliveryError`: the provider gave no answer, or one that says
        nothing about our settings; the message describes the answer, and nothing of the request.
        """
        ...

    async def close(self) -> None: ...


class CodeService(Protocol):
    """A service that makes, sends and checks codes for phone numbers itself.

    Griot does not know a code before the person types it.
    Its calls wait for the network, so they belong outside of any transaction.
    """

    async def send(self, number: str, *, again: bool) -> Channel:
        """Send a code to the number (E.164) and return the channel by which it went.

        Args:
            again: the person may not have seen the last one, so the other way is tried first.

        Raises:
            CodeUnsent: nothing was sent; the message is for the person.
            ConnectionError: the service cannot be reached, or does not work for us.
        """
        ...

    async def check(self, number: str, typed: str) -> bool:
        """Return whether this is the code; False too if it is too old, used, or tried too often.

        Raises:
            ConnectionError: the service gave no answer.
        """
        ...

    async def close(self) -> None: ...

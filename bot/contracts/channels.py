"""What a channel is: an adapter, and facts about what it can carry."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from bot.contracts.findings import CheckedProvider
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment, Received
from bot.messages.outgoing import Delivery, Preview, Sent

UNLIMITED: Final = 2**31
"""For limits that a channel does not have."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """An HTTP request as it came, before anything in it is believed."""

    method: str
    path: str
    """Raw path and query, as received."""
    headers: Mapping[str, str]
    """Case-insensitive."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast may be sent: `burst` at once, then `rate` a second."""

    rate: float
    burst: int = 1


@dataclass(frozen=True, slots=True)
class RichLimits:
    """What one rich message may hold."""

    size: int
    """Bytes of its HTML in UTF-8."""
    blocks: int
    depth: int
    """Blocks within one another."""
    columns: int
    """Of a table."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Facts of a channel that rendering and delivery decide by."""

    max_text: int
    """Length limit of one message, in `text_unit`s."""
    text_unit: Literal["utf16", "characters", "gsm7"] = "characters"
    """`gsm7`: septets; a text that GSM-7 cannot write has fewer characters in the same segments."""
    page: int = 0
    """How much of a long answer is sent at once, in `text_unit`s; the rest when the person asks
    for more. 0: all of it."""
    markup: Literal["entities", "markers", "plain", "markdown"] = "plain"
    rich: RichLimits | None = None
    """Messages with tables, headings, details and formulas, beside plain ones; None: the channel,
    or the provider's server, has none."""
    max_caption: int = 0
    max_buttons: int = 0
    """0: options are numbered lines in the text."""
    max_button_label: int = 20
    header_buttons: int = 0
    """Buttons that may stand under a picture or document; 0: none."""
    joins: bool = False
    """Each message is paid: what one can carry goes in one."""
    opens_lists: bool = False
    """More than a few buttons are a list, which one button with words of its own opens."""
    asks_number: bool = False
    """A message can have a button by which the person tells their phone number."""
    media: tuple[tuple[str, int], ...] = ()
    """What is carried as a file: MIME types (`image/png`, `image/*`, `*/*`; the first that fits
    counts) and the most bytes of each. Anything else goes as a link."""
    media_by_link: bool = False
    """The provider fetches files by a link that anyone can open."""
    streams: bool = False
    """Someone may watch the turn's events live (HTTP, console)."""
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
    """Something can be paid inside the channel (Telegram Stars)."""
    answers: Literal["always", "by_country", "never"] = "always"
    """Whether people can answer: SMS reach them from countries and senders that take no answers."""
    one_way: bool = False
    """The person cannot answer: what asks for something holds a link to a page, and no options.
    Known of one conversation only."""
    receipts: bool = False
    """The provider reports later what became of a delivery."""
    message_fee: float = 0.0
    """US dollars that the provider adds to each delivered message (`ChannelFacts.paid_by`)."""
    sender_pace: Pace | None = None
    """How fast may be sent to everybody together."""
    chat_pace: Callable[[str], Pace] | None = None
    """How fast may be sent in one conversation."""

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
"""Stores what a provider says; it is durable when this returns."""


class WebhookReader(Protocol):
    """Authenticates and reads the webhooks by which a provider delivers updates."""

    @property
    def name(self) -> str:
        """Counted in metrics for requests that are refused or malformed."""
        ...

    def verify(self, webhook: Webhook) -> None:
        """Raises `Refused` unless the request is authentic. Called before `parse`."""
        ...

    def parse(self, webhook: Webhook) -> Sequence[Received]:
        """Read a request. Raises `BadRequest` (malformed)."""
        ...


@dataclass(frozen=True, slots=True)
class WebhookRoute:
    """A route by which a provider calls us."""

    reader: WebhookReader
    status: int = 200
    """Status of the answer when all is well, without a body."""
    challenge: Callable[[Webhook], str] | None = None
    """Answers a GET by which the provider makes sure that the route is ours."""


class Adapter(Protocol):
    """Sends to one channel through one provider; it translates, and decides nothing."""

    name: str
    channel: Channel
    capabilities: Capabilities

    async def fetch(self, attachment: Attachment) -> bytes:
        """Download an attachment. Raises `NotFound` (gone), `TooLarge`, or `RetryAt`."""
        ...

    async def deliver(self, delivery: Delivery) -> Sent:
        """Send a delivery.

        Raises only `RetryAt`, `WindowClosed`, `SenderRestricted`, `Undeliverable` or
        `OutcomeUnknown`.
        """
        ...

    async def show(self, preview: Preview) -> None:
        """Show typing or a draft; best effort. Raises `RetryAt` when asked to slow down."""
        ...

    async def close(self) -> None: ...


class CheckedAdapter(CheckedProvider, Protocol):
    """What stands for an account at a provider of messages."""

    async def close(self) -> None: ...


class CodeService(Protocol):
    """Codes of its own for phone numbers, of which we never learn one before it is typed.

    Its calls take as long as the network: they belong outside of any transaction.
    """

    async def send(self, number: str, *, again: bool) -> Channel:
        """Send a code to the number (E.164); by which channel it went.

        Args:
            again: the person may not have seen the last one, so the other way is tried first.

        Raises:
            CodeUnsent: nothing was sent; what it says is for the person.
            ConnectionError: the service cannot be reached, or does not work for us.
        """
        ...

    async def check(self, number: str, typed: str) -> bool:
        """Return whether this is the code; False too if it is too old, used, or tried too often.

        Raises:
            ConnectionError: nobody can tell now.
        """
        ...

    async def close(self) -> None: ...

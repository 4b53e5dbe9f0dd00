"""What a channel is: an adapter, and facts about what it can carry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.messages import Attachment, Channel, Delivery, Preview, Receipt, Sent, Update


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
class Capabilities:
    """Facts of a channel that rendering and delivery decide by."""

    max_text: int
    """Length limit of one message, in `text_unit`s."""
    text_unit: Literal["utf16", "characters"] = "characters"
    markup: Literal["entities", "markers", "plain", "markdown"] = "plain"
    max_caption: int = 0
    max_buttons: int = 0
    """0: options are numbered lines in the text."""
    max_button_label: int = 20
    max_file: int = 0
    """Bytes; a larger file is sent as a link. 0: files are always links."""
    streams: bool = False
    """Someone may watch the turn's events live (HTTP, console)."""
    drafts: bool = False
    """The growing answer can be shown in private conversations."""
    typing: float = 0.0
    """Seconds that one typing indicator lasts; 0: the channel has none."""
    resend: Literal["never", "safe"] = "never"
    """What to do with a delivery in doubt: `safe` if the provider cannot show it twice."""


class Adapter(Protocol):
    """One channel by one provider: it translates, and decides nothing."""

    name: str
    channel: Channel
    capabilities: Capabilities

    def verify(self, webhook: Webhook) -> None:
        """Raises `Refused` unless the request is authentic. Nothing is parsed before."""
        ...

    def parse(self, webhook: Webhook) -> Sequence[Update | Receipt]:
        """What the request holds; unknown kinds are left out. Raises `BadRequest` (malformed)."""
        ...

    async def fetch(self, attachment: Attachment) -> bytes:
        """The attachment's bytes. Raises `NotFound` (gone) or `TooLarge`."""
        ...

    async def deliver(self, delivery: Delivery) -> Sent:
        """Send it. Raises `RetryAt`, `Undeliverable` or `OutcomeUnknown`; nothing else."""
        ...

    async def show(self, preview: Preview) -> None:
        """Typing or draft; best effort: raises `RetryAt` when asked to slow down, else nothing."""
        ...

    async def close(self) -> None: ...

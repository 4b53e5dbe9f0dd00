"""HTTP: the stream of `/api/v1/chat` shows a turn while it runs, so nothing is sent afterwards.

What a turn says is emitted as events when it is committed, and can be read back later; a delivery
of this channel is done as soon as it is stored. Files that people send are staged in our own store
before their update is stored (`bot/web/uploads.py`), and read from there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from bot.contracts import Capabilities, Webhook
from bot.errors import BadRequest, Refused, RetryAt
from bot.messages import Attachment, Channel, Delivery, Preview, Receipt, Sent, Update

UNLIMITED: Final = 2**31


class Http:
    """Implements `contracts.Adapter` for the web's own clients.

    Args:
        read_file: gives the bytes of a file by its id.
    """

    name = "http"
    channel: Channel = "http"
    capabilities = Capabilities(
        max_text=UNLIMITED,
        markup="markdown",
        max_caption=UNLIMITED,
        max_buttons=100,
        max_button_label=1000,
        media=(("*/*", UNLIMITED),),
        streams=True,
        resend="safe",
    )

    def __init__(self, read_file: Callable[[str], Awaitable[bytes]]) -> None:
        self._read_file = read_file

    def verify(self, webhook: Webhook) -> None:
        """HTTP has no webhook: its requests carry a bearer token."""
        raise Refused(f"This channel has no webhook: {webhook.path}")

    def parse(self, webhook: Webhook) -> Sequence[Update | Receipt]:
        raise BadRequest(f"This channel has no webhook: {webhook.path}")

    async def fetch(self, attachment: Attachment) -> bytes:
        """The staged bytes. Raises `NotFound` (gone) or `RetryAt` (the store is away)."""
        try:
            return await self._read_file(attachment.reference)
        except ConnectionError as error:
            raise RetryAt(str(error)) from error

    async def deliver(self, delivery: Delivery) -> Sent:
        return Sent(f"http:{delivery.id}")

    async def show(self, preview: Preview) -> None:
        """The stream shows the turn already."""

    async def close(self) -> None: ...

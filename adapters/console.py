"""The console: a conversation in the terminal of whoever runs Griot.

It has no webhook: what is typed goes straight into the inbox, and the turn's events are shown live.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from adapters.http import UNLIMITED
from bot.contracts import Capabilities, Webhook
from bot.errors import NotFound, Refused, Undeliverable
from bot.messages import Attachment, Body, Channel, Delivery, Preview, Receipt, Sent, Update


class Console:
    """Implements `contracts.Adapter` for one terminal.

    Args:
        show: puts a delivery before the person; raises `NotFound` or `OSError` when it cannot.
    """

    name = "console"
    channel: Channel = "console"
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

    def __init__(self, show: Callable[[Body], Awaitable[None]]) -> None:
        self._show = show

    def verify(self, webhook: Webhook) -> None:  # noqa: ARG002
        """A console has no webhook."""
        raise Refused("This channel has no webhook.")

    def parse(self, webhook: Webhook) -> Sequence[Update | Receipt]:  # noqa: ARG002
        return ()

    async def fetch(self, attachment: Attachment) -> bytes:
        raise NotFound(f"No attachment {attachment.reference!r}.")

    async def deliver(self, delivery: Delivery) -> Sent:
        try:
            await self._show(delivery.body)
        except (NotFound, OSError) as error:
            raise Undeliverable(str(error)) from error
        return Sent(f"console:{delivery.id}")

    async def show(self, preview: Preview) -> None:
        """The turn's events are shown already."""

    async def close(self) -> None: ...

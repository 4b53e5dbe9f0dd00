"""The adapter of the console: a conversation in the terminal that runs `griot chat`.

Typed lines go straight into the inbox, and the turn's events are shown live.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.contracts.channels import UNLIMITED, Capabilities
from bot.errors import NotFound, Undeliverable
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Body, Delivery, Preview, Sent


class Console:
    """Implements `bot.contracts.channels.Adapter` for one terminal.

    Args:
        show: prints a delivery; raises `NotFound` or `OSError` when it cannot.
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

    async def fetch(self, attachment: Attachment) -> bytes:
        raise NotFound(f"No attachment {attachment.reference!r}.")

    async def deliver(self, delivery: Delivery) -> Sent:
        try:
            await self._show(delivery.body)
        except (NotFound, OSError) as error:
            raise Undeliverable(str(error)) from error
        return Sent(f"console:{delivery.id}")

    async def show(self, preview: Preview) -> None:
        """Do nothing: the turn's events are shown already."""

    async def close(self) -> None: ...

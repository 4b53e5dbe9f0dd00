"""The adapter of the console: a conversation in the terminal that runs `griot chat`.

Typed lines go straight into the inbox, and the turn's events are shown live.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from adapters.base import STREAMED
from bot.contracts.channels import Adapter
from bot.errors import NotFound, Undeliverable
from bot.messages.channels import Channel
from bot.messages.outgoing import Body, Delivery, Sent


class Console(Adapter):
    """Shows answers in one terminal, to which the turn's events are shown already.

    Args:
        show: prints a delivery; raises `NotFound` or `OSError` when it cannot.
    """

    name = "console"
    channel: Channel = "console"
    capabilities = STREAMED

    def __init__(self, show: Callable[[Body], Awaitable[None]]) -> None:
        self._show = show

    async def deliver(self, delivery: Delivery) -> Sent:
        try:
            await self._show(delivery.body)
        except (NotFound, OSError) as error:
            raise Undeliverable(str(error)) from error
        return Sent(f"console:{delivery.id}")

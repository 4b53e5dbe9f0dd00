"""Keep the pace that a provider allows: the queues in which deliveries take their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import structlog

from bot.contracts.channels import Capabilities, Pace
from bot.contracts.storage import EphemeralStore
from bot.gateway.lanes import Claim

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SendTarget:
    """A place in the queue of an adapter, not used yet."""

    via: str
    """Name of the adapter."""
    wait: float
    """Seconds until the delivery may be sent."""


class Pacer:
    """Keeps the paces of providers and chats, over all processes that share a store."""

    def __init__(self, momentary: EphemeralStore) -> None:
        self._momentary = momentary

    async def place(self, claim: Claim, capabilities: Capabilities) -> float:
        """Take a place in the queue; return the seconds until the lane's next delivery may be sent.

        If the shared store cannot be reached that is 0: the provider's own limits remain.
        """
        wait = 0.0
        try:
            for key, pace in _queues(claim, capabilities):
                reserved = await self._momentary.reserve(key, rate=pace.rate, burst=pace.burst)
                wait = max(wait, reserved)
        except ConnectionError as error:
            log.warning("pace_unknown", via=claim.via, error=type(error).__name__)
            return 0.0
        return wait

    async def give_back(self, claim: Claim, capabilities: Capabilities) -> None:
        """Give back a place that was taken and not used, so that it delays no other delivery."""
        try:
            for key, pace in _queues(claim, capabilities):
                await self._momentary.unreserve(key, rate=pace.rate, burst=pace.burst)
        except ConnectionError as error:
            log.warning("pace_unknown", via=claim.via, error=type(error).__name__)


def _queues(claim: Claim, capabilities: Capabilities) -> Iterator[tuple[str, Pace]]:
    """Yield the queues in which a delivery of the lane needs a place, each with its pace."""
    if pace := capabilities.sender_pace:
        yield f"pace:{claim.via}", pace
    if capabilities.chat_pace:
        chat = claim.conversation.partition("/")[0]  # the topics of a group share its limit
        yield f"pace:{claim.via}:{chat}", capabilities.chat_pace(chat)

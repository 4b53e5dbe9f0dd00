"""How fast is sent: per conversation and over all, held across all processes.

A place in the queue is taken before a delivery is marked as attempted, so waiting for it leaves
nothing in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator

import structlog

from bot.contracts import Capabilities, Momentary, Pace
from bot.gateway.lanes import Claim

log = structlog.get_logger()


class Pacer:
    def __init__(self, momentary: Momentary) -> None:
        self._momentary = momentary

    async def place(self, claim: Claim, capabilities: Capabilities) -> float:
        """Take a place in the queue: in how many seconds the lane's next delivery may be sent.

        Where the shared store cannot be reached, nobody waits: the provider's own limits remain.
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
        """Give back a place that was taken and not used, so that it delays nobody."""
        try:
            for key, pace in _queues(claim, capabilities):
                await self._momentary.unreserve(key, rate=pace.rate, burst=pace.burst)
        except ConnectionError as error:
            log.warning("pace_unknown", via=claim.via, error=type(error).__name__)


def _queues(claim: Claim, capabilities: Capabilities) -> Iterator[tuple[str, Pace]]:
    """The queues in which a delivery of the lane has to stand, each with its pace."""
    if pace := capabilities.sender_pace:
        yield f"pace:{claim.via}", pace
    if capabilities.chat_pace:
        chat = claim.conversation.partition("/")[0]  # the topics of a group share its limit
        yield f"pace:{claim.via}:{chat}", capabilities.chat_pace(chat)

"""How fast is sent: per conversation and over all, held across all processes.

A place in the queue is taken before a delivery is marked as attempted, so waiting for it leaves
nothing in doubt.
"""

from __future__ import annotations

import structlog

from bot.contracts import Capabilities, Momentary
from bot.gateway.lanes import Claim

log = structlog.get_logger()


class Pacer:
    def __init__(self, momentary: Momentary) -> None:
        self._momentary = momentary

    async def place(self, claim: Claim, capabilities: Capabilities) -> float:
        """Take a place in the queue: in how many seconds the lane's next delivery may be sent.

        Where the shared store cannot be reached, nobody waits: the provider's own limits remain.
        """
        try:
            return await self._reserve(claim, capabilities)
        except ConnectionError as error:
            log.warning("pace_unknown", via=claim.via, error=type(error).__name__)
            return 0.0

    async def _reserve(self, claim: Claim, capabilities: Capabilities) -> float:
        wait = 0.0
        if pace := capabilities.sender_pace:
            wait = await self._momentary.reserve(
                f"pace:{claim.via}", rate=pace.rate, burst=pace.burst
            )
        if capabilities.chat_pace:
            chat = claim.conversation.partition("/")[0]  # the topics of a group share its limit
            pace = capabilities.chat_pace(chat)
            key = f"pace:{claim.via}:{chat}"
            wait = max(wait, await self._momentary.reserve(key, rate=pace.rate, burst=pace.burst))
        return wait

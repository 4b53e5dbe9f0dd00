"""Buying credits, as tools see it; and who gives Telegram Stars back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bot.messages import Outgoing

if TYPE_CHECKING:
    from bot.contracts.services import ToolContext


class Shop(Protocol):
    async def offer(self, pack: str, context: ToolContext) -> Outgoing:
        """Where `pack` is paid, or the ways to pay for it as buttons; all packs, if it is empty.

        Raises `ToolFailed`: nothing can be bought here, or there is no such pack."""
        ...


class StarDesk(Protocol):
    async def refund_stars(self, user: str, charge: str) -> None:
        """Give back what this user has paid, once however often it is asked.

        Raises:
            NotFound: Telegram knows of no such payment, or does not give it back.
            ConnectionError: it gave no answer.
        """
        ...

"""Decide by which adapter a delivery goes, and whether it can be answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from bot.accounts.aliases import find_first_number
from bot.accounts.phone_numbers import country_of
from bot.contracts.channels import Capabilities
from bot.gateway.lanes import Claim
from bot.messages.channels import Channel

ALL_OTHERS: Final = "*"


@dataclass(frozen=True, slots=True)
class OutboundRoutes:
    """The adapters that write to numbers, by calling code.

    Args:
        by_channel: for each channel whose provider depends on the number, the names of adapters by
            calling code, without the plus sign; `*` stands for all others.
        one_way: countries (two letters) from which such channels bring no answers.
    """

    by_channel: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict[str, Mapping[str, str]]
    )
    one_way: frozenset[str] = frozenset()

    def find(self, channel: Channel | str, address: str, via: str) -> str:
        """Name the adapter that writes to an address: that of the longest calling code; empty where
        no route leads to it.

        Args:
            address: a number in E.164, where the channel has routes.
            via: the adapter to use if the channel has no routes: the one the person wrote to.
        """
        by_code = self.by_channel.get(channel)
        if by_code is None:
            return via
        digits = address.removeprefix("+")
        for length in range(len(digits), 0, -1):
            if name := by_code.get(digits[:length]):
                return name
        return by_code.get(ALL_OTHERS, "")

    def route(self, claim: Claim, via: str) -> str:
        """Name the adapter that writes to the conversation of a lane, as `find` does."""
        return self.find(claim.channel, claim.conversation, via)

    def describe(self, capabilities: Capabilities, address: str) -> Capabilities:
        """Return an adapter's capabilities for this address: whether an answer comes back."""
        if capabilities.answers == "always":
            return capabilities
        is_deaf = (
            capabilities.answers == "never"
            or country_of(find_first_number(address)) in self.one_way
        )
        return replace(capabilities, one_way=is_deaf)


NO_ROUTES: Final = OutboundRoutes()

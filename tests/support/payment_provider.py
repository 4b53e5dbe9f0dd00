"""A payment provider that is passed in: what it would say is set by the test."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.contracts.channels import Webhook
from bot.contracts.payments import Order, PaymentPage, PaymentState
from bot.errors import BadRequest, NumberUnknown, PersonError, Refused, WalletUnknown

SECRET = "a callback's secret"


@dataclass
class FakeProvider:
    """Keeps the contract of `PaymentProvider`."""

    name: str = "wave"
    title: str = "Wave"
    currencies: Sequence[str] = ("XOF",)
    reopens: bool = False
    knows_wallet: bool = True
    opened: list[Order] = field(default_factory=list[Order])
    states: dict[str, PaymentState] = field(default_factory=dict[str, PaymentState])
    """What `look_up` says, by order; `waiting` of all others."""
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Order and reference of each `look_up`."""
    refunded: list[tuple[str, PaymentState]] = field(default_factory=list[tuple[str, PaymentState]])
    down: bool = False
    refunds: bool = True
    url: str = "https://pay.example/{order}"
    held: asyncio.Event | None = None
    """While it is there and not set, `look_up` does not answer."""
    held_refund: asyncio.Event | None = None
    """While it is there and not set, `refund` does what is asked and does not answer."""
    mute: bool = False
    """Refunds are made, and nothing is said of it."""

    async def open(self, order: Order) -> PaymentPage:
        self._connect()
        if not (order.phone or self.url):
            raise NumberUnknown("it asks on a phone whose number is not known")
        if not self.knows_wallet:
            raise WalletUnknown("no account of this number")
        self.opened.append(order)
        return PaymentPage(self.url.format(order=order.id), f"ref-{order.id}")

    def verify(self, webhook: Webhook) -> str:
        if not hmac.compare_digest(webhook.headers.get("X-Secret", ""), SECRET):
            raise Refused("not authentic")
        try:
            return json.loads(webhook.body)["order"]
        except (ValueError, KeyError):
            raise BadRequest("not a callback") from None

    async def look_up(self, order: str, reference: str) -> PaymentState:
        self.asked.append((order, reference))
        if self.held is not None:
            await self.held.wait()
        self._connect()
        return self.states.get(order, PaymentState("waiting"))

    async def refund(self, order: str, state: PaymentState) -> None:
        self._connect()
        if not self.refunds:
            raise PersonError("Give it back in the provider's own console.")
        self.refunded.append((order, state))
        if self.held_refund is not None:
            await self.held_refund.wait()
        if self.mute:
            raise ConnectionError("no answer in time")

    def pay(
        self, order: str, amount: int = 500, currency: str = "XOF", charge: str = "ch1"
    ) -> None:
        """The person has paid."""
        self.states[order] = PaymentState("paid", amount, currency, charge)

    def _connect(self) -> None:
        if self.down:
            raise ConnectionError("no route to the provider")

"""The interface of payment providers: pages to pay on, callbacks, states of payments, refunds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.contracts.channels import Webhook

Payment = Literal["paid", "waiting", "failed"]
"""The state of a payment as the provider reports it; `failed` is final (expired, refused)."""


@dataclass(frozen=True, slots=True)
class Order:
    """A purchase to be paid."""

    id: str
    """Our id: 24 hexadecimal digits, never used twice."""
    amount: int
    """Whole units of a currency that has no smaller one in use (XOF, XAF)."""
    currency: str
    """ISO 4217."""
    title: str
    """What the person reads on the provider's page, in their language: `120 crédits Griot`."""
    phone: str
    """The person's number, E.164; it may serve to fill in a form, and as mobile money account."""
    language: str
    """`fr` or `en`."""
    return_url: str
    """The address to which the provider's page leads back."""
    cancel_url: str
    """The same, when the person cancels or the payment fails, if the provider tells them apart."""
    callback_url: str
    """The address that the provider calls when the payment changes."""


@dataclass(frozen=True, slots=True)
class PaymentPage:
    """The page on which a person pays."""

    url: str
    """Empty where the provider itself asks the person, on their phone."""
    reference: str
    """The provider's id of the payment, by which its state is looked up; empty: our order's id."""


@dataclass(frozen=True, slots=True)
class PaymentState:
    """The state of a payment, as the provider answered to `look_up`."""

    state: Payment
    amount: int | None = 0
    """What was paid, in whole units; compared with the order before anything is credited. None: the
    provider does not say, but takes only the amount for which the page was opened."""
    currency: str = ""
    charge: str = ""
    """The provider's id by which the payment is refunded; empty: the reference."""


class PaymentProvider(Protocol):
    """One way to pay. A callback is only ever a hint: what counts is the answer to `look_up`.

    Every coroutine raises `ConnectionError` when the provider cannot be reached, or gives an answer
    other than the published ones.
    """

    name: str
    """The name in `/webhooks/payments/{name}`."""
    title: str
    """The name as people know it: `Wave`."""
    currencies: Sequence[str]
    reopens: bool
    """Whether an order that could not be opened is opened again under the same id, as the person
    may have been asked to pay all the same. Otherwise no person has seen its page, and another
    order takes its place."""

    async def open(self, order: Order) -> PaymentPage:
        """Open a page to pay on. Where it is opened twice for one `order.id`, money is taken only
        once, or the two payments can be told apart and only one is ever credited.

        Raises:
            WalletUnknown: the owner of `order.phone` cannot pay this way.
        """
        ...

    def verify(self, webhook: Webhook) -> str:
        """Return the id of the order that an authentic callback is about; empty: none of ours.

        Raises:
            Refused: not authentic.
            BadRequest: authentic, but not what the provider has published.
        """
        ...

    async def look_up(self, order: str, reference: str) -> PaymentState:
        """Return the state of a payment, asked of the provider's server."""
        ...

    async def refund(self, order: str, state: PaymentState) -> None:
        """Refund the whole payment; further calls refund nothing more.

        Raises:
            PersonError: the provider has no way to do that; the message says where to do it.
        """
        ...


class StarRefunds(Protocol):
    async def refund_stars(self, user: str, charge: str) -> None:
        """Refund a payment by this user; further calls refund nothing more.

        Raises:
            NotFound: Telegram knows of no such payment, or does not give it back.
            ConnectionError: Telegram gave no answer.
        """
        ...

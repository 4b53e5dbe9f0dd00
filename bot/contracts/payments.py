"""What we ask of a payment provider: a page to pay on, an authentic callback, the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.contracts.channels import Webhook
from bot.contracts.findings import CheckedProvider

Payment = Literal["paid", "waiting", "failed"]
"""How a payment stands by the provider's own word; `failed` is final (expired, refused)."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be paid for."""

    id: str
    """Ours: 24 hexadecimal digits, never used twice."""
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
    """Where the page leads back to."""
    callback_url: str
    """Where the provider is to tell us that something has changed."""


@dataclass(frozen=True, slots=True)
class PaymentPage:
    """Where a person pays."""

    url: str
    """Empty where the provider asks the person by itself, on their phone."""
    reference: str
    """The provider's own id of the payment, by which its state is asked; empty: ours."""


@dataclass(frozen=True, slots=True)
class PaymentState:
    """How a payment stands by the provider's answer to our own question."""

    state: Payment
    amount: int | None = 0
    """What was paid, in whole units; compared with the order before anything is credited. None: the
    provider does not tell, but takes nothing else than what the page was opened for."""
    currency: str = ""
    charge: str = ""
    """What is named to give the money back; empty: the reference."""


class PaymentProvider(CheckedProvider, Protocol):
    """One way to pay. A callback is only ever a hint: what counts is the answer to `look_up`.

    Whatever is awaited raises `ConnectionError` when the provider cannot be reached, or answers
    with something else than what it has published.
    """

    name: str
    """As in `/webhooks/payments/{name}`."""
    currencies: Sequence[str]
    reopens: bool
    """Whether an order that could not be opened is to be opened again under its own id: where the
    person may have been asked to pay all the same. Else nobody has seen its page, and another order
    takes its place."""

    async def open(self, order: Order) -> PaymentPage:
        """Have a page made. Opened twice for the same `order.id`, money can be taken but once, or
        both payments can be told from one another and only one is ever credited.

        Raises:
            WalletUnknown: nobody can pay this way with `order.phone`.
        """
        ...

    def verify(self, webhook: Webhook) -> str:
        """Return the order's id that an authentic callback is about; empty: it is about nothing of
        ours.

        Raises:
            Refused: not authentic.
            BadRequest: authentic, but not what the provider has published.
        """
        ...

    async def look_up(self, order: str, reference: str) -> PaymentState:
        """Return how the payment stands, asked of the provider's server."""
        ...

    async def refund(self, order: str, state: PaymentState) -> None:
        """Give all of it back, once however often it is asked.

        Raises:
            PersonError: the provider has no way to do that; the message says where to do it.
        """
        ...


class StarRefunds(Protocol):
    async def refund_stars(self, user: str, charge: str) -> None:
        """Give back what this user has paid, once however often it is asked.

        Raises:
            NotFound: Telegram knows of no such payment, or does not give it back.
            ConnectionError: it gave no answer.
        """
        ...

"""The ways to pay as a test sees them: the provider's stand-in, and what people do there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from multidict import CIMultiDict

from bot.contracts.channels import Webhook
from bot.standins.paystack import make_event
from tests.standins import payments_flutterwave, payments_paystack, payments_stripe
from tests.standins.payments_cinetpay import CinetPayStandIn
from tests.standins.payments_cinetpay_v1 import CinetPayV1StandIn
from tests.standins.payments_desk import Desk
from tests.standins.payments_mtn_momo import MtnMomoStandIn
from tests.standins.payments_wave import WaveStandIn

HASH = "a secret of the stand-in"


@dataclass(frozen=True)
class Till:
    """
    Args:
        pay: somebody pays so many francs for this order.
        callback: the provider's own request about this order, signed as it signs.
        proof: the header that proves it; empty: what proves it is the address.
        way: the provider's name.
    """

    desk: Desk
    settings: Mapping[str, str]
    pay: Callable[[str, int], object]
    callback: Callable[[str], Webhook]
    proof: str = ""
    way: str = ""

    def forge(self, order: str) -> Webhook:
        """The same request by somebody who knows all but the secret."""
        real = self.callback(order)
        if not self.proof:
            return Webhook(real.method, _spoil(real.path), real.headers, real.body)
        headers = CIMultiDict(real.headers)
        parts = headers[self.proof].split(",")
        headers[self.proof] = ",".join(part if part[:2] == "t=" else _spoil(part) for part in parts)
        return Webhook(real.method, real.path, headers, real.body)


def cinetpay(desk: CinetPayStandIn) -> Till:
    def tell(order: str) -> Webhook:
        headers, body = desk.notification(order)
        sent = CIMultiDict(headers | {"Content-Type": "application/x-www-form-urlencoded"})
        return Webhook("POST", "/webhooks/payments/cinetpay", sent, body)

    return Till(
        desk,
        desk.settings,
        lambda order, amount: desk.pay(order, amount=amount),
        tell,
        "x-token",
    )


def cinetpay_v1(desk: CinetPayV1StandIn) -> Till:
    def pay(order: str, amount: int) -> None:
        """The amount is told only where it is another one."""
        desk.pay(order, amount=None if amount == desk.payments[order]["amount"] else amount)

    def tell(order: str) -> Webhook:
        path, body = desk.notification(order)
        return Webhook("POST", path, CIMultiDict({"Content-Type": "application/json"}), body)

    return Till(desk, desk.settings, pay, tell, way="cinetpay")


def wave(desk: WaveStandIn) -> Till:
    def session(order: str) -> dict[str, Any]:
        [found] = [each for each in desk.sessions.values() if each["client_reference"] == order]
        return found

    def tell(order: str) -> Webhook:
        headers, body = desk.event("checkout.session.completed", session(order), time.time())
        return Webhook("POST", "/webhooks/payments/wave", CIMultiDict(headers), body)

    return Till(
        desk,
        desk.settings,
        lambda order, amount: desk.pay(session(order)["id"], amount=str(amount)),
        tell,
        "Wave-Signature",
    )


def mtn_momo(desk: MtnMomoStandIn) -> Till:
    def reference(order: str) -> str:
        [found] = [key for key, each in desk.requests.items() if each["externalId"] == order]
        return found

    def tell(order: str) -> Webhook:
        path, body = desk.callback(reference(order))
        return Webhook("PUT", path, CIMultiDict(), body)

    return Till(
        desk,
        desk.settings,
        lambda order, amount: desk.pay(reference(order), amount=str(amount)),
        tell,
    )


def stripe(desk: payments_stripe.Stripe) -> Till:
    def tell(order: str) -> Webhook:
        told = payments_stripe.event("checkout.session.completed", desk.session(order))
        return payments_stripe.signed(HASH, told, int(time.time()))

    settings = {
        "stripe_secret_key": desk.key,
        "stripe_webhook_secret": HASH,
        "stripe_api_url": desk.url,
    }
    return Till(
        desk,
        settings,
        lambda order, amount: desk.pay(order, amount=amount),
        tell,
        "Stripe-Signature",
    )


def paystack(desk: payments_paystack.Paystack) -> Till:
    def tell(order: str) -> Webhook:
        told = make_event("charge.success", desk.transactions[order])
        return payments_paystack.signed(desk.key, told)

    return Till(
        desk,
        {"paystack_secret_key": desk.key, "paystack_api_url": desk.url},
        lambda order, amount: desk.pay(order, amount=amount * 100),
        tell,
        "X-Paystack-Signature",
    )


def flutterwave(desk: payments_flutterwave.Flutterwave) -> Till:
    def tell(order: str) -> Webhook:
        asked = desk.pages[order]
        told = {"tx_ref": order, "amount": asked["amount"], "status": "successful"}
        event = {"event": "charge.completed", "data": told}
        return payments_flutterwave.signed(HASH, event, "flutterwave-signature")

    settings = {
        "flutterwave_secret_key": desk.key,
        "flutterwave_hash": HASH,
        "flutterwave_api_url": desk.url,
    }
    return Till(
        desk,
        settings,
        lambda order, amount: desk.attempt(order, "successful", amount=amount),
        tell,
        "flutterwave-signature",
    )


TILLS: Mapping[str, tuple[Callable[[], Any], Callable[[Any], Till]]] = {
    "cinetpay_v1": (CinetPayV1StandIn, cinetpay_v1),
    "cinetpay": (CinetPayStandIn, cinetpay),
    "wave": (WaveStandIn, wave),
    "mtn_momo": (MtnMomoStandIn, mtn_momo),
    "stripe": (payments_stripe.Stripe, stripe),
    "paystack": (payments_paystack.Paystack, paystack),
    "flutterwave": (payments_flutterwave.Flutterwave, flutterwave),
}
"""By the module in `bot/billing/providers/`; the stand-in, and how it is seen once it runs."""


def _spoil(text: str) -> str:
    """Another last character."""
    return text[:-1] + ("0" if text[-1] != "0" else "1")

"""An order, and providers that speak to their stand-ins."""

from __future__ import annotations

from dataclasses import replace

from bot.billing.providers.flutterwave import Flutterwave
from bot.billing.providers.paystack import Paystack
from bot.billing.providers.stripe import Stripe
from bot.contracts.payments import Order
from bot.settings import Settings
from tests.standins import payments_flutterwave, payments_paystack, payments_stripe
from tests.standins.payments_hosted import Hosted

NOW = 1_780_000_000
SECRET = "whsec_of_the_stand_in"
ORDER = Order(
    id="0123456789abcdef01234567",
    amount=2500,
    currency="XOF",
    title="600 crédits Griot",
    phone="+2250701020304",
    language="fr",
    return_url="https://griot.example/paid?order=0123456789abcdef01234567&x=é",
    cancel_url="https://griot.example/unpaid?x=é",
    callback_url="https://griot.example/webhooks/payments/x",
)
OTHER = replace(ORDER, id="f" * 24)


def settings_of(standin: Hosted | None, secret: str = SECRET) -> Settings:
    """`standin` None: nobody is there."""
    url, key = (standin.url if standin else "http://127.0.0.1:1"), Hosted.key
    return Settings(
        stripe_secret_key=key,
        stripe_webhook_secret=secret,
        stripe_api_url=url + "/",
        paystack_secret_key=key if secret else "",
        paystack_api_url=url,
        flutterwave_secret_key=key,
        flutterwave_hash=secret,
        flutterwave_api_url=url,
    )


def stripe(standin: payments_stripe.Stripe | None = None, now: float = NOW) -> Stripe:
    return Stripe(settings_of(standin), clock=lambda: float(now))


def paystack(standin: payments_paystack.Paystack | None = None) -> Paystack:
    return Paystack(settings_of(standin))


def flutterwave(standin: payments_flutterwave.Flutterwave | None = None) -> Flutterwave:
    return Flutterwave(settings_of(standin))

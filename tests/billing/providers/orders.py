"""What the tests of all providers share: an order, and callbacks as they arrive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aiohttp import ClientSession, ClientTimeout
from multidict import CIMultiDict

from bot.contracts.channels import Webhook
from bot.contracts.payments import Order, PaymentProvider
from bot.settings import Settings

ORDER = Order(
    id="65f0c0ffee65f0c0ffee65f0",
    amount=500,
    currency="XOF",
    title="120 crédits Griot",
    phone="+2250700000001",
    language="fr",
    return_url="https://griot.example/paid",
    cancel_url="https://griot.example/unpaid",
    callback_url="https://griot.example/webhooks/payments/any",
)
OTHER = replace(ORDER, id="a" * 24)
PATH = "/webhooks/payments/any"


def settings_of(values: Mapping[str, str]) -> Settings:
    return Settings.model_validate({"secret_key": "a secret for tests only", **values})


def hasty() -> ClientSession:
    """For tests in which nothing is ever answered."""
    return ClientSession(timeout=ClientTimeout(total=0.2))


def callback(
    headers: Mapping[str, str], body: bytes, *, method: str = "POST", path: str = PATH
) -> Webhook:
    return Webhook(method, path, CIMultiDict(headers), body)


async def state_of(provider: PaymentProvider, order: Order = ORDER, reference: str = "") -> str:
    return (await provider.look_up(order.id, reference)).state

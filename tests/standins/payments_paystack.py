"""Paystack's stand-in with what tests add: calls that are kept, and calls that fail."""

from __future__ import annotations

from dataclasses import replace

from aiohttp import web
from multidict import CIMultiDict

from bot.contracts.channels import Webhook
from bot.standins import paystack
from tests.standins.payments_desk import Call
from tests.standins.payments_hosted import Hosted, post


class Paystack(paystack.Paystack, Hosted):
    def __init__(self) -> None:
        Hosted.__init__(self)
        paystack.Paystack.__init__(self, self.key)

    def admit(self, call: Call) -> None:
        """The stand-in itself checks the key."""

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_routes(self.routes(self.guard))


def signed(key: str, told: object) -> Webhook:
    webhook = post("/webhooks/payments/paystack", told)
    return replace(webhook, headers=CIMultiDict(paystack.sign_event(key, webhook.body)))

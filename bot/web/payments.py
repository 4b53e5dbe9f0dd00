"""What payment providers tell us. A callback is only a hint: it has the provider asked."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog
from aiohttp import web

from bot.accounts.cashier import Cashier
from bot.contracts import PaymentProvider, Webhook
from bot.errors import BadRequest, Refused, TooLarge
from bot.observe import Metrics
from bot.rounds import cancel
from bot.texts import say
from bot.web.notices import Notice, show_notice, wants_page
from bot.web.requests import language_of

LARGEST_CALLBACK: Final = 64 * 1024
"""Bytes; the largest that providers publish are a few thousand."""
PATIENCE: Final = 6.0
"""Seconds for which a callback waits for what follows from it; after that it goes on by itself."""
_AT_ONCE: Final = 20
log = structlog.get_logger()


class Payments:
    """
    Args:
        patience: seconds for which a callback waits for what follows from it.
    """

    def __init__(self, cashier: Cashier, metrics: Metrics, patience: float = PATIENCE) -> None:
        self._cashier = cashier
        self._metrics = metrics
        self._patience = patience
        self._asking: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(_AT_ONCE)

    def routes(self) -> list[web.RouteDef]:
        path = "/webhooks/payments/{provider}"
        return [
            web.post(path, self.receive),
            web.put(path, self.receive),  # https://momodeveloper.mtn.com/api-documentation/callback
            web.get(path, self.receive),  # some providers call so, or make sure that we are there
            web.get("/payments/done", self.welcome_back),
            # https://docs.cinetpay.com/api/1.0-en/checkout/retour leads back by POST
            web.post("/payments/done", self.welcome_back),
        ]

    async def receive(self, request: web.Request) -> web.Response:
        """200 once what it may mean is durable; 404 unknown or not set up, 403 not authentic, 400
        malformed, 413 too large."""
        provider = self._cashier.providers.get(request.match_info["provider"])
        if provider is None:
            raise web.HTTPNotFound
        order = self._read(provider, await _webhook(request))
        if order and await self._cashier.hint(provider.name, order):
            await self._settle(order)
        return web.Response()

    async def welcome_back(self, request: web.Request) -> web.Response:
        """Where a provider's page leads back to: nothing is known or decided here."""
        language = language_of(request)
        head = say(language, "Thank you!")
        words = say(
            language,
            "Griot writes to you as soon as the payment has come. You can close this page.",
        )
        if wants_page(request):
            return await show_notice(request, Notice(language, head, words))
        return web.Response(text=f"{head} {words}\n")

    async def shut_down(self, app: object = None) -> None:  # noqa: ARG002 (the signal passes it)
        """Leave what is being asked to whoever looks for what is due (`on_shutdown`)."""
        await cancel(self._asking)

    def _read(self, provider: PaymentProvider, webhook: Webhook) -> str:
        try:
            return provider.verify(webhook)
        except Refused:
            self._metrics.purchases(provider.name, "refused").inc()
            log.warning("callback_refused", provider=provider.name)
            raise
        except BadRequest as error:
            self._metrics.purchases(provider.name, "malformed").inc()
            log.warning("callback_malformed", provider=provider.name, reason=str(error))
            raise

    async def _settle(self, order: str) -> None:
        """Ask the provider now; what takes too long goes on while the callback is answered."""
        task = asyncio.create_task(self._ask(order), name="callback")
        self._asking.add(task)
        task.add_done_callback(self._end)
        await asyncio.wait({task}, timeout=self._patience)

    async def _ask(self, order: str) -> None:
        async with self._places:
            await self._cashier.settle(order)

    def _end(self, task: asyncio.Task[None]) -> None:
        """One that failed is asked for again by whoever looks for what is due."""
        self._asking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("callback_unsettled", exc_info=error)


async def _webhook(request: web.Request) -> Webhook:
    body = await request.read()
    if len(body) > LARGEST_CALLBACK:
        raise TooLarge("A callback has at most 64 KiB.")
    return Webhook(request.method, request.raw_path, request.headers, body)

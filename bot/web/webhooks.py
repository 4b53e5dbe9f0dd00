"""Receive webhooks of channels and payment providers.

A channel's webhook is authenticated, parsed and stored before it is answered with success. A
payment callback is only a hint, after which the provider is asked.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import structlog
from aiohttp import web

from bot.asyncio_tasks import cancel_tasks
from bot.billing.purchase_service import PurchaseService
from bot.contracts.channels import Webhook, WebhookReader, WebhookRoute
from bot.contracts.payments import PaymentProvider
from bot.contracts.storage import Database
from bot.errors import BadRequest, Refused
from bot.gateway.delivery.receipts import Receipts
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.inbound.unreadable import keep_unreadable
from bot.i18n import say
from bot.messages.incoming import Receipt, Received, Unreadable, Update
from bot.observability import Metrics
from bot.web.html_pages import NoticePage, show_notice, wants_page
from bot.web.requests import language_of, read_body

log = structlog.get_logger()


class Webhooks:
    """Routes of the channels' webhooks.

    Args:
        routes_by_path: routes by path, such as `/webhooks/telegram`; it may end in a `{key}`.
    """

    def __init__(
        self,
        routes_by_path: Mapping[str, WebhookRoute],
        database: Database,
        inbox: Inbox,
        receipts: Receipts,
        metrics: Metrics,
    ) -> None:
        self._routes_by_path = routes_by_path
        self._database = database
        self._inbox = inbox
        self._receipts = receipts
        self._metrics = metrics

    def routes(self) -> list[web.RouteDef]:
        routes = self._routes_by_path.items()
        posts = [web.post(path, partial(self.receive, route)) for path, route in routes]
        gets = [
            web.get(path, partial(self.answer_challenge, route))
            for path, route in routes
            if route.challenge
        ]
        return [*posts, *gets]

    async def receive(self, route: WebhookRoute, request: web.Request) -> web.Response:
        """Store everything in the request, then answer 2xx; 403 not authentic, 400 malformed, 413
        too large, 408 cut short."""
        began = time.perf_counter()
        items = self._read(route.reader, await _read_webhook(request))
        await self.store_received(items)
        self._metrics.stage_seconds("ack").observe(time.perf_counter() - began)
        return web.Response(status=route.status)

    async def answer_challenge(self, route: WebhookRoute, request: web.Request) -> web.Response:
        """Answer with the challenge if the request comes from the provider; else 403."""
        webhook = await _read_webhook(request)
        route.reader.verify(webhook)
        return web.Response(text=route.challenge(webhook) if route.challenge else "")

    async def store_received(self, items: Sequence[Received]) -> None:
        """Store updates, unreadable messages and receipts; known updates are only counted."""
        updates = [item for item in items if isinstance(item, Update)]
        if updates:
            for update, number in zip(updates, await self._inbox.store(updates), strict=True):
                outcome = "duplicate" if number is None else "stored"
                self._metrics.updates(update.via, outcome).inc()
        if unreadable := [item for item in items if isinstance(item, Unreadable)]:
            await keep_unreadable(self._database, self._metrics, unreadable)
        if receipts := [item for item in items if isinstance(item, Receipt)]:
            await self._receipts.take(receipts)

    def _read(self, reader: WebhookReader, webhook: Webhook) -> list[Received]:
        try:
            reader.verify(webhook)
            return list(reader.parse(webhook))
        except Refused:
            self._metrics.updates(reader.name, "refused").inc()
            log.warning("webhook_refused", via=reader.name)
            raise
        except BadRequest as error:
            self._metrics.updates(reader.name, "malformed").inc()
            log.warning("webhook_malformed", via=reader.name, reason=str(error))
            raise


async def _read_webhook(request: web.Request) -> Webhook:
    return Webhook(request.method, request.raw_path, request.headers, await read_body(request))


LARGEST_CALLBACK: Final = 64 * 1024
"""The most bytes of a callback; the largest that providers publish are a few thousand."""
CALLBACK_SECONDS: Final = 6.0
"""Seconds for which a callback waits for its purchase to be settled; then it is answered while
settling goes on."""
CANCELLED: Final = "/payments/cancelled"
_CONCURRENT_CHECKS: Final = 20


class PaymentWebhooks:
    """Routes of payment providers.

    Args:
        patience: seconds for which a callback waits for its purchase to be settled.
    """

    def __init__(
        self, service: PurchaseService, metrics: Metrics, patience: float = CALLBACK_SECONDS
    ) -> None:
        self._purchases = service
        self._metrics = metrics
        self._patience = patience
        self._asking: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(_CONCURRENT_CHECKS)

    def routes(self) -> list[web.RouteDef]:
        path = "/webhooks/payments/{provider}"
        return [
            web.post(path, self.receive),
            web.put(path, self.receive),  # https://momodeveloper.mtn.com/api-documentation/callback
            web.get(path, self.receive),  # some providers call so, or check the address so
            web.get("/payments/done", self.show_return_page),
            # https://docs.cinetpay.com/api/1.0-en/checkout/retour leads back by POST
            web.post("/payments/done", self.show_return_page),
            web.get(CANCELLED, self.show_return_page),
            web.post(CANCELLED, self.show_return_page),
        ]

    async def receive(self, request: web.Request) -> web.Response:
        """Mark the purchase as due for a check, durably, then answer 200; 404 unknown provider or
        not set up, 403 not authentic, 400 malformed, 413 too large, 408 cut short."""
        provider = self._purchases.providers.get(request.match_info["provider"])
        if provider is None:
            raise web.HTTPNotFound
        order = self._read(provider, await _read_callback(request))
        if order and await self._purchases.hint(provider.name, order):
            await self._settle(order)
        return web.Response()

    async def show_return_page(self, request: web.Request) -> web.Response:
        """Show the page that a provider's page leads back to. It does not know the outcome, only
        whether the provider says that the person cancelled or that the payment failed."""
        language = language_of(request)
        # Flutterwave has one address for both, and adds the status:
        # https://developer.flutterwave.com/v3.0/docs/flutterwave-standard-1
        status = request.query.get("status", "")
        if request.path == CANCELLED or status in {"cancelled", "failed"}:
            head = say(language, "No payment")
            words = say(
                language,
                "The payment was cancelled or refused: nothing was paid. To try again, send Griot "
                "/buy.",
            )
        else:
            head = say(language, "Thank you!")
            words = say(
                language,
                "Griot writes to you as soon as the payment has come. You can close this page.",
            )
        if wants_page(request):
            return await show_notice(request, NoticePage(language, head, words))
        return web.Response(text=f"{head} {words}\n")

    async def shut_down(self, app: object = None) -> None:  # noqa: ARG002 (the signal passes it)
        """Stop settling; the task that looks for due purchases goes on with it (`on_shutdown`)."""
        await cancel_tasks(self._asking)

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
        """Settle the purchase now; if that takes too long, it goes on while the callback is
        answered."""
        task = asyncio.create_task(self._ask(order), name="callback")
        self._asking.add(task)
        task.add_done_callback(self._end)
        await asyncio.wait({task}, timeout=self._patience)

    async def _ask(self, order: str) -> None:
        async with self._slots:
            await self._purchases.settle(order)

    def _end(self, task: asyncio.Task[None]) -> None:
        """Log a failure; the task that looks for due purchases asks again."""
        self._asking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("callback_unsettled", exc_info=error)


async def _read_callback(request: web.Request) -> Webhook:
    body = await read_body(request, LARGEST_CALLBACK)
    return Webhook(request.method, request.raw_path, request.headers, body)

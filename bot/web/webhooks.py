"""Webhooks: authenticate, parse, store, and only then say yes."""

from __future__ import annotations

import time
from collections.abc import Mapping

import structlog
from aiohttp import web

from bot.contracts import Adapter, Webhook
from bot.errors import BadRequest, Refused
from bot.gateway.inbox import Inbox
from bot.messages import Receipt, Update
from bot.observe import Metrics

log = structlog.get_logger()


class Webhooks:
    """One route an adapter.

    Args:
        adapters: by route, such as `/webhooks/telegram`.
    """

    def __init__(self, adapters: Mapping[str, Adapter], inbox: Inbox, metrics: Metrics) -> None:
        self._adapters = adapters
        self._inbox = inbox
        self._metrics = metrics

    def routes(self) -> list[web.RouteDef]:
        return [web.post(path, self.receive) for path in self._adapters]

    async def receive(self, request: web.Request) -> web.Response:
        """200 once everything in it is stored; 403 not authentic, 400 malformed, 413 too large."""
        began = time.perf_counter()
        adapter = self._adapters[request.path]
        webhook = Webhook(request.method, request.raw_path, request.headers, await request.read())
        items = self._read(adapter, webhook)
        await self.take(adapter, items)
        self._metrics.stage_seconds("ack").observe(time.perf_counter() - began)
        return web.Response()

    async def take(self, adapter: Adapter, items: list[Update | Receipt]) -> None:
        """Store what an adapter received; what was stored before is counted and left."""
        updates = [item for item in items if isinstance(item, Update)]
        if not updates:
            return
        for number in await self._inbox.store(updates):
            outcome = "duplicate" if number is None else "stored"
            self._metrics.updates(adapter.name, outcome).inc()

    def _read(self, adapter: Adapter, webhook: Webhook) -> list[Update | Receipt]:
        try:
            adapter.verify(webhook)
            return list(adapter.parse(webhook))
        except Refused:
            self._metrics.updates(adapter.name, "refused").inc()
            log.warning("webhook_refused", via=adapter.name)
            raise
        except BadRequest as error:
            self._metrics.updates(adapter.name, "malformed").inc()
            log.warning("webhook_malformed", via=adapter.name, reason=str(error))
            raise

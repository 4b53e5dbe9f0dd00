"""Webhooks: authenticate, parse, store, and only then say yes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog
from aiohttp import web

from bot.contracts import Adapter, Webhook
from bot.errors import BadRequest, Refused
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.sending.receipts import Receipts
from bot.messages import Receipt, Update
from bot.observe import Metrics

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Door:
    """A route by which a provider calls us."""

    adapter: Adapter
    status: int = 200
    """What it wants to be answered when all is well, without a body."""
    challenge: Callable[[Webhook], str] | None = None
    """The answer to a GET by which the provider makes sure that the route is ours."""


class Webhooks:
    """
    Args:
        doors: by path, such as `/webhooks/telegram`.
    """

    def __init__(
        self, doors: Mapping[str, Door], inbox: Inbox, receipts: Receipts, metrics: Metrics
    ) -> None:
        self._doors = doors
        self._inbox = inbox
        self._receipts = receipts
        self._metrics = metrics

    def routes(self) -> list[web.RouteDef]:
        posts = [web.post(path, self.receive) for path in self._doors]
        gets = [
            web.get(path, self.answer_challenge)
            for path, door in self._doors.items()
            if door.challenge
        ]
        return [*posts, *gets]

    async def receive(self, request: web.Request) -> web.Response:
        """2xx once everything in it is stored; 403 not authentic, 400 malformed, 413 too large."""
        began = time.perf_counter()
        door = self._doors[request.path]
        items = self._read(door.adapter, await _webhook(request))
        await self.take(items)
        self._metrics.stage_seconds("ack").observe(time.perf_counter() - began)
        return web.Response(status=door.status)

    async def answer_challenge(self, request: web.Request) -> web.Response:
        """The challenge back, if the request shows that it comes from the provider; else 403."""
        door = self._doors[request.path]
        webhook = await _webhook(request)
        door.adapter.verify(webhook)
        return web.Response(text=door.challenge(webhook) if door.challenge else "")

    async def take(self, items: Sequence[Update | Receipt]) -> None:
        """Store what was received; what was stored before is counted and left."""
        updates = [item for item in items if isinstance(item, Update)]
        if updates:
            for update, number in zip(updates, await self._inbox.store(updates), strict=True):
                outcome = "duplicate" if number is None else "stored"
                self._metrics.updates(update.via, outcome).inc()
        await self._receipts.take([item for item in items if isinstance(item, Receipt)])

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


async def _webhook(request: web.Request) -> Webhook:
    return Webhook(request.method, request.raw_path, request.headers, await request.read())

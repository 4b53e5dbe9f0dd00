"""Health, readiness and metrics, for load balancers and Prometheus."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Literal

import msgspec
from aiohttp import web

from bot.contracts.storage import EphemeralStore
from bot.errors import DatabaseUnavailable
from bot.gateway.admin import read_queue_status
from bot.gateway.context import GatewayContext
from bot.storage.database import head, revision
from bot.web.requests import check_operator, json_response

_PATIENCE = 3.0


class Alive(msgspec.Struct, frozen=True):
    status: Literal["ok"] = "ok"


class Readiness(msgspec.Struct, frozen=True):
    status: Literal["ok", "unavailable", "draining"]
    database: str
    momentary: str


class Health:
    def __init__(self, parts: GatewayContext, leaving: asyncio.Event) -> None:
        """Make the routes.

        Args:
            leaving: set once the process drains.
        """
        self._parts = parts
        self._leaving = leaving

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/healthz", self.healthz),
            web.get("/readyz", self.readyz),
            web.get("/metrics", self.metrics),
        ]

    async def healthz(self, _: web.Request) -> web.Response:
        """Answer 200 as long as the process answers."""
        return json_response(Alive())

    async def readyz(self, _: web.Request) -> web.Response:
        """Answer 200 if the database can be read and written, its tables are up to date, Redis, if
        set, answers, and the process does not drain; else 503."""
        database = await self._check(self._database_ready())
        momentary = await self._check(_reachable(self._parts.momentary))
        if momentary != "ok":
            momentary = f"Redis: {momentary}"
        well = database == momentary == "ok"
        status = "draining" if self._leaving.is_set() else "ok" if well else "unavailable"
        readiness = Readiness(status, database, momentary)
        return json_response(readiness, 200 if status == "ok" else 503)

    async def metrics(self, request: web.Request) -> web.Response:
        """Answer in Prometheus' text format, with gauges read from the database now; those but
        `ready` are as they were while it cannot be used.

        Raises:
            Unauthorized: as `check_operator`.
        """
        check_operator(request, self._parts.settings)
        database = await self._check(self._database_ready())
        if database == "ok":
            await self._check(self._measure())
        momentary = await self._check(_reachable(self._parts.momentary))
        self._parts.metrics.ready("database").set(database == "ok")
        self._parts.metrics.ready("redis").set(momentary == "ok")
        return web.Response(
            body=self._parts.metrics.render(),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )

    async def _check(self, question: Awaitable[str]) -> str:
        try:
            async with asyncio.timeout(_PATIENCE):
                return await question
        except DatabaseUnavailable as error:
            return error.reason
        except (TimeoutError, OSError) as error:
            return type(error).__name__

    async def _database_ready(self) -> str:
        current = await revision(self._parts.database)
        await self._parts.database.check_writable()
        # Newer tables are a roll-out under way, during which older processes go on.
        return "ok" if current >= head() else f"at revision {current}, expected {head()}"

    async def _measure(self) -> str:
        status = await self._parts.database.read(read_queue_status)
        metrics = self._parts.metrics
        metrics.lanes_waiting.set(status.waiting)
        metrics.oldest_wait_seconds.set(status.oldest_wait)
        metrics.dead_turns.set(status.dead)
        metrics.outbox("pending").set(status.pending)
        metrics.outbox("attempting").set(status.attempting)
        metrics.outbox("waiting_for_window").set(status.waiting_for_window)
        metrics.outbox("waiting_for_sender").set(sum(each.waiting for each in status.restrictions))
        restricted = {each.via for each in status.restrictions}
        for via in self._parts.adapters:
            metrics.sender_restricted(via).set(via in restricted)
        return "ok"


async def _reachable(momentary: EphemeralStore) -> str:
    await momentary.ping()
    return "ok"

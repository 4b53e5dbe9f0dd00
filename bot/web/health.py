"""Is it alive, is it ready, how is it: for load balancers and Prometheus."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from aiohttp import web

from bot.contracts import Momentary, Transaction
from bot.gateway.parts import Parts
from bot.storage.database import head, revision
from bot.web.requests import check_operator, json_response

_PATIENCE = 3.0


class Health:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/healthz", self.healthz),
            web.get("/readyz", self.readyz),
            web.get("/metrics", self.metrics),
        ]

    async def healthz(self, _: web.Request) -> web.Response:
        """200 as long as the process answers."""
        return json_response({"status": "ok"})

    async def readyz(self, _: web.Request) -> web.Response:
        """200 when the database can be read and written, its tables are up to date, and Redis, if
        set, answers."""
        checks = {
            "database": await self._check(self._database_ready()),
            "momentary": await self._check(_reachable(self._parts.momentary)),
        }
        ready = all(word == "ok" for word in checks.values())
        return json_response(
            {"status": "ok" if ready else "unavailable", **checks}, 200 if ready else 503
        )

    async def metrics(self, request: web.Request) -> web.Response:
        """Prometheus' text format; the gauges are read from the database now.

        Raises:
            Unauthorized: `OPERATOR_TOKEN` is set, and is not the request's bearer token.
        """
        check_operator(request, self._parts.settings)
        await self._check(self._measure())
        return web.Response(
            body=self._parts.metrics.render(),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )

    async def _check(self, question: Awaitable[str]) -> str:
        try:
            async with asyncio.timeout(_PATIENCE):
                return await question
        except (TimeoutError, OSError) as error:
            return type(error).__name__

    async def _database_ready(self) -> str:
        current = await revision(self._parts.database)
        await self._parts.database.run("SELECT 1")  # goes the way that writes go
        return "ok" if current == head() else f"at revision {current}, expected {head()}"

    async def _measure(self) -> str:
        async def work(tx: Transaction) -> None:
            metrics = self._parts.metrics
            waiting = await tx.fetch_one(_WAITING)
            metrics.lanes_waiting.set(waiting["n"] if waiting else 0)
            dead = await tx.fetch_one(_DEAD)
            metrics.dead_turns.set(dead["n"] if dead else 0)
            for row in await tx.fetch(_OPEN):
                metrics.outbox(row["state"]).set(row["n"])

        for state in ("pending", "attempting"):
            self._parts.metrics.outbox(state).set(0)
        await self._parts.database.read(work)
        return "ok"


async def _reachable(momentary: Momentary) -> str:
    await momentary.ping()
    return "ok"


_WAITING = """
SELECT count(*) AS n FROM lane WHERE due_at <= {now}
"""

_OPEN = """
SELECT state, count(*) AS n FROM outbox WHERE state IN ('pending', 'attempting') GROUP BY state
"""

_DEAD = """
SELECT count(*) AS n FROM turn WHERE state IN ('running', 'dead') AND state = 'dead'
"""

"""The web application: routes put together, nothing decided here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol, runtime_checkable

from aiohttp import web

from bot.web.requests import explain_errors

LARGEST_BODY: Final = 1024 * 1024


class Routes(Protocol):
    def routes(self) -> Iterable[web.RouteDef]: ...


@runtime_checkable
class Streams(Protocol):
    """Routes whose answers go on for long."""

    async def end_streams(self, app: web.Application) -> None:
        """End them properly: the process stops serving."""
        ...


async def _home(_: web.Request) -> web.Response:
    return web.Response(
        text="This is Griot: a WhatsApp, Telegram and SMS gateway in front of one agent loop.\n"
    )


def make_app(parts: Iterable[Routes], *, home: bool = True) -> web.Application:
    """The application with the routes of `parts`; `home` adds the plain line at `/`."""
    app = web.Application(client_max_size=LARGEST_BODY, middlewares=[explain_errors])
    if home:
        app.router.add_get("/", _home)
    for part in parts:
        app.add_routes(part.routes())
        if isinstance(part, Streams):
            app.on_shutdown.append(part.end_streams)
    return app

"""The web application: routes put together, nothing decided here."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, Protocol, runtime_checkable

from aiohttp import web

from bot.web.cors import Cors
from bot.web.errors import Handler, explain_errors
from bot.web.requests import is_name

LARGEST_BODY: Final = 1024 * 1024


class Routes(Protocol):
    def routes(self) -> Iterable[web.RouteDef]: ...


@runtime_checkable
class Lasting(Protocol):
    """Routes that have begun what goes on for long: streams, questions to providers."""

    async def shut_down(self, app: web.Application) -> None:
        """End it properly: the process stops serving."""
        ...


@web.middleware
async def _refuse_odd_names(request: web.Request, handler: Handler) -> web.StreamResponse:
    """No database has a name with a NUL or half a character in it, and PostgreSQL takes none."""
    if not is_name(request.match_info.get("id", "")):
        raise web.HTTPNotFound
    return await handler(request)


async def _home(_: web.Request) -> web.Response:
    return web.Response(
        text="This is Griot: a WhatsApp, Telegram and SMS gateway in front of one agent loop.\n"
    )


def make_app(
    parts: Iterable[Routes], *, home: bool = True, origins: Collection[str] = ()
) -> web.Application:
    """The application with the routes of `parts`.

    Args:
        home: adds the plain line at `/`.
        origins: other sites whose pages may use the API.
    """
    app = web.Application(
        client_max_size=LARGEST_BODY, middlewares=[explain_errors, _refuse_odd_names]
    )
    Cors(origins).add_to(app)
    if home:
        app.router.add_get("/", _home)
    for part in parts:
        app.add_routes(part.routes())
        if isinstance(part, Lasting):
            app.on_shutdown.append(part.shut_down)
    return app

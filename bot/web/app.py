"""The web application: routes put together, nothing decided here."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, Protocol, runtime_checkable

from aiohttp import web

from bot.web.chat_page import ChatPage
from bot.web.cors import Cors
from bot.web.errors import Handler, explain_errors
from bot.web.notices import WAYS, FindAddresses, Ways, show_errors_as_pages
from bot.web.requests import is_name
from bot.web.site_pages import SitePages

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


def make_app(
    parts: Iterable[Routes],
    *,
    home: bool = True,
    origins: Collection[str] = (),
    addresses: FindAddresses | None = None,
) -> web.Application:
    """The application with the routes of `parts`.

    Args:
        home: adds the page at `/`.
        origins: other sites whose pages may use the API.
        addresses: finds where people write to the bot, for pages that lead there.
    """
    parts = [*parts, SitePages(home=home)]
    app = web.Application(
        client_max_size=LARGEST_BODY,
        middlewares=[show_errors_as_pages, explain_errors, _refuse_odd_names],
    )
    ways = app[WAYS] = Ways(has_chat=any(isinstance(part, ChatPage) for part in parts))
    if addresses is not None:
        ways.find = addresses
    app.on_shutdown.append(ways.stop)
    Cors(origins).add_to(app)
    for part in parts:
        app.add_routes(part.routes())
        if isinstance(part, Lasting):
            app.on_shutdown.append(part.shut_down)
    return app

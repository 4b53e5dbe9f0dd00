"""Put the web application together: its routes and middlewares."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, Protocol, runtime_checkable

from aiohttp import web

from bot.web.html_pages import CONTACT_LINKS, ContactLinks, FindAddresses
from bot.web.middlewares import (
    Cors,
    explain_errors,
    refuse_invalid_names,
    show_errors_as_pages,
)
from bot.web.site_pages import ChatPage, SitePages

LARGEST_BODY: Final = 1024 * 1024


class Routes(Protocol):
    def routes(self) -> Iterable[web.RouteDef]: ...


@runtime_checkable
class LongRunningRoutes(Protocol):
    """Routes with long-running work: streams, requests to providers."""

    async def shut_down(self, app: web.Application) -> None:
        """End the work properly, as the process stops serving."""
        ...


def make_app(
    parts: Iterable[Routes],
    *,
    home: bool = True,
    origins: Collection[str] = (),
    addresses: FindAddresses | None = None,
) -> web.Application:
    """Build the application with the routes of `parts`.

    Args:
        home: adds the page at `/`.
        origins: other sites whose pages may use the API.
        addresses: finds the addresses at which people write to the bot, for links on pages.
    """
    parts = [*parts, SitePages(home=home)]
    app = web.Application(
        client_max_size=LARGEST_BODY,
        middlewares=[show_errors_as_pages, explain_errors, refuse_invalid_names],
    )
    ways = app[CONTACT_LINKS] = ContactLinks(
        has_chat=any(isinstance(part, ChatPage) for part in parts)
    )
    if addresses is not None:
        ways.find = addresses
    app.on_shutdown.append(ways.stop)
    Cors(origins).add_to(app)
    for part in parts:
        app.add_routes(part.routes())
        if isinstance(part, LongRunningRoutes):
            app.on_shutdown.append(part.shut_down)
    return app

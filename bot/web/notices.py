"""Pages that say one thing: what went wrong or is done, and what to do next.

A browser gets them in place of the errors that programs read as JSON. They are small, run nothing,
and are in the reader's language.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final

from aiohttp import web

from bot.texts import say
from bot.web.errors import Handler
from bot.web.layout import LOGO, read_style, write_page
from bot.web.requests import language_of

_STYLE: Final = read_style("colours.css", "notice.css")
POLICY: Final = (
    f"default-src 'none'; style-src {_STYLE.source}; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of these pages: their own style, and the icon of the site."""
_HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept, Accept-Language",
}
_FOR_PROGRAMS: Final = ("/api/", "/v1/", "/webhooks/", "/healthz", "/readyz", "/metrics")
"""Paths whose errors stay JSON, whatever the client says it accepts."""
_HTML: Final = re.compile(r"\s*text/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:;|$)).*)?", re.IGNORECASE)
_PATIENCE: Final = 1.0
"""Seconds that a page waits for the addresses of the bot."""
_AGAIN: Final = 600.0
"""Seconds after which addresses that could not be found are looked for again."""

Addresses = Sequence[tuple[str, str]]
"""Names of channels, each with the address at which people write to the bot there."""
FindAddresses = Callable[[], Awaitable[Addresses]]


async def _find_none() -> Addresses:
    return ()


@dataclass(slots=True)
class Ways:
    """Where a reader can go on: the chat on the web, and the bot on other channels.

    Args:
        find: asks for the addresses on other channels; it may take long, or fail.
    """

    has_chat: bool = False
    find: FindAddresses = _find_none
    _found: asyncio.Future[Addresses] | None = None
    _asked_at: float = field(default=0.0)

    async def list_addresses(self) -> Addresses:
        """The addresses that are known within a second; the search goes on for later pages."""
        now = asyncio.get_running_loop().time()
        if self._found is None or (self._has_failed() and now - self._asked_at > _AGAIN):
            self._found = asyncio.ensure_future(self.find())
            self._asked_at = now
        await asyncio.wait({self._found}, timeout=_PATIENCE)
        return self._known()

    async def stop(self, app: object = None) -> None:  # noqa: ARG002 (the signal passes it)
        """Stop asking: the process ends (`on_shutdown`)."""
        if self._found is not None:
            self._found.cancel()
            await asyncio.wait({self._found})

    def _has_failed(self) -> bool:
        """Whether an address is missing that the next search may find."""
        if self._found is None or not self._found.done():
            return False
        known = self._known()
        return not known or not all(address for _, address in known)

    def _known(self) -> Addresses:
        """Without those that a failed search did not find: a page without links is still a page."""
        found = self._found
        is_good = found and found.done() and not found.cancelled() and found.exception() is None
        return found.result() if found and is_good else ()


WAYS: Final = web.AppKey("ways", Ways)


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to say, in `language`."""

    language: str
    head: str
    words: str
    status: int = 200


def wants_page(request: web.Request) -> bool:
    """Whether the client names `text/html` among what it accepts, as browsers do."""
    accepted = ",".join(request.headers.getall("Accept", ()))
    return any(_HTML.fullmatch(part) for part in accepted.split(","))


async def show_notice(
    request: web.Request, notice: Notice, *, caching: str = "no-store", listed: bool = False
) -> web.Response:
    """The notice as a page, with links that lead on."""
    ways = request.app[WAYS]
    links = _write_links(notice.language, ways.has_chat, await ways.list_addresses())
    body = (
        f'<main><p class="brand">{LOGO}Griot</p><h1>{escape(notice.head)}</h1>'
        f"<p>{escape(notice.words)}</p>{links}</main>"
    )
    title = f"{notice.head} – Griot"
    response = web.Response(
        status=notice.status,
        text=write_page(notice.language, title, _STYLE, body, listed=listed),
        content_type="text/html",
        charset="utf-8",
        headers=_HEADERS | {"Cache-Control": caching},
    )
    if not listed:
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


@web.middleware
async def show_errors_as_pages(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Give a browser a page in place of an error in JSON."""
    response = await handler(request)
    if (
        response.status < 400
        or response.content_type != "application/json"
        or request.path.startswith(_FOR_PROGRAMS)
        or not wants_page(request)
    ):
        return response
    page = await show_notice(request, _explain(language_of(request), response.status))
    for name in ("Allow", "Retry-After"):
        if name in response.headers:
            page.headers[name] = response.headers[name]
    return page


def _explain(language: str, status: int) -> Notice:
    if status in {404, 405}:
        return Notice(
            language,
            say(language, "This page does not exist"),
            say(language, "Perhaps there is a mistake in the address. Write to Griot instead."),
            status,
        )
    if status >= 500 or status == 429:
        words = say(language, "Something went wrong on our side. Try again in a minute.")
    else:
        words = say(language, "This cannot be read. Go back and try again.")
    return Notice(language, say(language, "That did not work"), words, status)


def _write_links(language: str, has_chat: bool, addresses: Addresses) -> str:
    links = [("/chat", say(language, "Open the chat"))] if has_chat else []
    for name, address in addresses:
        if address.startswith("https://"):
            links.append((address, say(language, "Write on {channel}", channel=name)))
        elif address.startswith("+"):  # a number that takes SMS
            links.append((f"sms:{address}", say(language, "Write by SMS")))
    if not links:
        return ""
    shown = "".join(f'<a href="{escape(href)}">{escape(words)}</a>' for href, words in links)
    return f"<nav>{shown}</nav>"

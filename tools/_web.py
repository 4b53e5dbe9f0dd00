"""Fetch pages from untrusted addresses, and call services that the operator configured.

`WebFetcher` connects to public addresses only. The operator's services may be anywhere.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.resolver import DefaultResolver
from yarl import URL

from bot.contracts.services import ToolContext
from bot.errors import TooLarge, ToolFailed
from bot.files.web_worker_messages import PDF, WebPage
from bot.net import (
    WEB_PORTS,
    Policy,
    ends_in_a_number,
    get_refused_target,
    is_private_name,
    is_public,
    is_public_website,
    make_guarded_connector,
    read_beginning,
    read_literal,
    read_within,
)

UNREADABLE = (ValueError, IndexError)
"""Errors that `yarl.URL` raises at invalid addresses; IndexError at `http://[]@/`."""
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?", re.IGNORECASE)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters that databases refuse, that reverse the direction of text, or that only models see."""


class WebFailed(ToolFailed):
    """No usable page could be fetched from the web."""


class PrivateTarget(WebFailed):
    """The address is not on the public internet: neither Griot nor a service may fetch it."""


def parse_url(address: str) -> URL:
    """Return the address of a web page, in its normal form and without its fragment.

    Raises:
        PrivateTarget: the name itself is private (`localhost`, `printer.local`).
        WebFailed: it is no address of a page.
    """
    try:
        url = URL(address.strip()).with_fragment(None)
    except UNREADABLE:
        raise _make_invalid_error() from None
    if url.scheme not in {"http", "https"}:
        raise WebFailed("Only addresses that begin with http:// or https:// can be opened.")
    if url.raw_user is not None or url.raw_password is not None:
        raise WebFailed("Addresses with a user name or password in them are not opened.")
    return _normalize_host(url)


def _normalize_host(url: URL) -> URL:
    """Return the address with its host in a form that all parsers read alike."""
    host = url.raw_host or ""
    if literal := read_literal(host):
        if "%" in literal:  # a zone: only local addresses have one
            raise make_private_target_error()
        return url.with_host(literal)
    if not _HOST.fullmatch(host):
        raise _make_invalid_error()
    if is_private_name(host):
        raise make_private_target_error()
    if ends_in_a_number(host):
        raise _make_invalid_error()
    return url


def check_given(address: str, context: ToolContext) -> None:
    """Raise `WebFailed` if the model may not open the address (`Turn.may_open`): a page or a file
    may have asked it to write what it knows of the person into one."""
    if not context.may_open(address):
        raise WebFailed(
            "Once pages or files were read, only addresses that stand in the conversation are "
            "opened, letter by letter. Look for the page with web_search, or ask the person."
        )


def clean_text(text: str) -> str:
    """Remove invisible and harmful characters from a text of unknown origin."""
    return _INVISIBLE.sub("", text)


def _make_invalid_error() -> WebFailed:
    return WebFailed("This is not a valid address. Give it whole: https://…")


def make_private_target_error() -> PrivateTarget:
    return PrivateTarget("This address is not on the public internet; it cannot be opened.")


def make_closed_port_error(port: int) -> WebFailed:
    """Make the error that says why pages on `port` are not opened."""
    ports = ", ".join(map(str, sorted(WEB_PORTS)))
    return WebFailed(
        f"Port {port} is not opened: pages are read on ports {ports} only. Try the address without "
        "the port, or another source."
    )


MAX_PAGE = 2 * 1024 * 1024
"""Most bytes of a page after decompression; the rest is not read."""
MAX_PDF = 8 * 1024 * 1024
MAX_REDIRECTS = 5
_RESOLVE_SECONDS = 3.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TYPE = re.compile(r"(application|audio|font|image|model|multipart|text|video)/[\w.+-]{1,60}")
_TEXT = re.compile(r"text/.+|application/(.+\+)?(json|xml)")
T = TypeVar("T")
_HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; Griot)",
    "Accept": "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,"
    "application/pdf;q=0.8,*/*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}


class WebFetcher:
    """Fetches pages and files from untrusted addresses.

    Args:
        allows: decides which addresses may be connected to.
        resolver: finds the addresses of names; by default the system's name servers.
        seconds: time limit for a whole page, all redirects included.
    """

    def __init__(
        self,
        allows: Policy = is_public_website,
        resolver: AbstractResolver | None = None,
        seconds: float = 15.0,
    ) -> None:
        self._allows = allows
        self._resolver = resolver
        self._seconds = seconds

    async def check_address(self, address: str) -> URL:
        """Return the address in its normal form, if Griot or a service may fetch it.

        A name that is unknown here passes: a service may know it, and here a connection to it
        fails.

        Raises:
            PrivateTarget: the address, or one of its IP addresses, is in a private network.
            WebFailed: it is no address of a page, or its port is not one of the web.
        """
        url = parse_url(address)
        port = url.port or 0
        closed = [found for found in await self._resolve(url) if not self._allows(found, port)]
        if closed:
            raise _explain_refusal(closed, port)
        return url

    async def fetch(self, url: URL) -> WebPage:
        """Fetch the page of text at `url`.

        Raises:
            PrivateTarget: it leads, perhaps by redirects, to a private network.
            WebFailed: there was no answer in time, an error, or no text.
        """
        return await self._fetch(url, _read_page)

    async def fetch_file(self, address: str, max_bytes: int) -> bytes:
        """Fetch the file at `address`, of any type.

        Raises:
            PrivateTarget: it leads, perhaps by redirects, to a private network.
            WebFailed: it is no address, there was no answer in time or an error, or the file is too
                large.
        """
        return await self._fetch(
            await self.check_address(address), partial(_read_file, most=max_bytes)
        )

    async def _fetch(self, url: URL, read: Callable[[aiohttp.ClientResponse], Awaitable[T]]) -> T:
        try:
            async with (
                asyncio.timeout(self._seconds),
                open_session(make_guarded_connector(self._allows, self._resolver)) as session,
            ):
                return await _follow_redirects(session, url, read)
        except TimeoutError:
            raise WebFailed("The page did not come in time. Try another source.") from None
        except aiohttp.ClientError as error:
            if closed := get_refused_target(error):
                address, port = closed
                raise _explain_refusal([address], port) from None
            raise WebFailed(
                f"The page could not be reached ({type(error).__name__}). Check the address, or "
                "try another source."
            ) from None

    async def _resolve(self, url: URL) -> list[str]:
        host = url.raw_host or ""
        if read_literal(host):
            return [host]
        resolver = self._resolver or DefaultResolver()
        try:
            async with asyncio.timeout(_RESOLVE_SECONDS):
                found = await resolver.resolve(host, url.port or 0, family=socket.AF_UNSPEC)
        except (OSError, TimeoutError):
            return []
        finally:
            if resolver is not self._resolver:
                await resolver.close()
        return [result["host"] for result in found]


def _explain_refusal(addresses: list[str], port: int) -> WebFailed:
    """Make the error that says why no connection to any of these addresses is opened."""
    if port not in WEB_PORTS and all(map(is_public, addresses)):
        return make_closed_port_error(port)
    return make_private_target_error()


def open_session(connector: aiohttp.TCPConnector) -> aiohttp.ClientSession:
    """Open a session without cookies, proxies or time-outs; the caller sets time limits."""
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        max_field_size=32_768,
        max_line_size=32_768,
    )


async def _follow_redirects(
    session: aiohttp.ClientSession,
    url: URL,
    read: Callable[[aiohttp.ClientResponse], Awaitable[T]],
) -> T:
    for _ in range(MAX_REDIRECTS + 1):
        async with session.get(url, headers=_HEADERS, allow_redirects=False) as response:
            location = response.headers.get("Location")
            if response.status not in _REDIRECTS or location is None:
                return await read(response)
            try:
                target = str(url.join(URL(location)))
            except UNREADABLE:
                raise WebFailed(
                    "The page leads to an invalid address. Try another source."
                ) from None
            url = parse_url(target)
    raise WebFailed("The page leads in circles. Try another source.")


def _check_status(response: aiohttp.ClientResponse) -> None:
    if response.status != 200:
        raise WebFailed(
            f"The page answered with status {response.status}. Check the address, or try another "
            "source."
        )


async def _read_file(response: aiohttp.ClientResponse, most: int) -> bytes:
    _check_status(response)
    try:
        return await read_within(response, most)
    except TooLarge:
        raise WebFailed(f"The file there has more than {most // 1_000_000} MB.") from None


async def _read_page(response: aiohttp.ClientResponse) -> WebPage:
    _check_status(response)
    if response.content_type == PDF:
        return WebPage(PDF, "", await _read_pdf(response))
    if not _TEXT.fullmatch(response.content_type):
        raise WebFailed(
            f"There is no page of text there but {_name_type(response)}, which cannot be read. "
            "Look for a web page, or ask the person to send the file."
        )
    body = await read_beginning(response, MAX_PAGE)
    return WebPage(response.content_type, response.charset or "", body)


async def _read_pdf(response: aiohttp.ClientResponse) -> bytes:
    """Read the whole body, since half a PDF is of no use."""
    try:
        return await read_within(response, MAX_PDF)
    except TooLarge:
        raise WebFailed(
            "The PDF there is too large to be read. Ask the person to send the pages in question."
        ) from None


def _name_type(response: aiohttp.ClientResponse) -> str:
    """Return the content type if it looks like one and not like a message to the model."""
    named = response.content_type
    return named if _TYPE.fullmatch(named) else "something else"


async def call_service(
    method: str, url: str | URL, *, token: str, seconds: float, max_bytes: int, **request: Any
) -> bytes:
    """Return the body of the answer of a service that the operator configured.

    Args:
        token: sent as a bearer token, unless empty.
        request: arguments for `aiohttp.ClientSession.request` (`json`, `params`).

    Raises:
        WebFailed: no answer in time, a status other than 200, or more than `max_bytes`.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        async with (
            asyncio.timeout(seconds),
            open_session(aiohttp.TCPConnector()) as session,
            session.request(
                method, url, headers=headers, allow_redirects=False, **request
            ) as response,
        ):
            if response.status != 200:
                raise WebFailed(f"The service answered with status {response.status}.")
            return await read_within(response, max_bytes)
    except TooLarge:
        raise WebFailed("The service answered with too much.") from None
    except TimeoutError:
        raise WebFailed("The service did not answer in time.") from None
    except aiohttp.ClientError as error:
        raise WebFailed(f"The service could not be reached ({type(error).__name__}).") from None

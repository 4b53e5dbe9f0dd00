"""The one door to the web.

`Door` leads to pages that strangers name: it opens no connection to anything but a public address.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.resolver import DefaultResolver
from yarl import URL

from bot.addresses import WEB_PORTS, is_public, is_public_website, read_literal
from bot.bodies import read_beginning, read_within
from bot.errors import TooLarge
from bot.library.browsing import PDF, Page
from bot.public_net import Policy, closed_target, open_guarded
from tools._urls import UNREADABLE, WebFailed, closed_port, parse_url, private_target

MAX_PAGE = 2 * 1024 * 1024
"""Bytes of a page after decompression; the rest is not read."""
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


class Door:
    """The way to pages that strangers name.

    Args:
        allows: which addresses may be connected to.
        resolver: finds the addresses of names; by default the system's name servers.
        seconds: for a whole page, all redirects included.
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

    async def admit(self, address: str) -> URL:
        """The address in its normal form, fit to be fetched, by us or by a service.

        A name that is unknown here passes: a service may know it, and to us it leads nowhere.

        Raises:
            PrivateTarget: it leads, or one of its IP addresses does, to a private network.
            WebFailed: it is no address of a page, or its port is none of the web's.
        """
        url = parse_url(address)
        port = url.port or 0
        closed = [found for found in await self._resolve(url) if not self._allows(found, port)]
        if closed:
            raise _refuse(closed, port)
        return url

    async def fetch(self, url: URL) -> Page:
        """The page of text at `url`.

        Raises:
            PrivateTarget: it leads, perhaps by redirects, to a private network.
            WebFailed: no answer, not in time, an error, or no text.
        """
        return await self._fetch(url, _read_page)

    async def fetch_file(self, address: str, max_bytes: int) -> bytes:
        """What is at `address`, of whatever type.

        Raises:
            PrivateTarget: it leads, perhaps by redirects, to a private network.
            WebFailed: it is no address, no answer, not in time, an error, or too large.
        """
        return await self._fetch(await self.admit(address), partial(_read_file, most=max_bytes))

    async def _fetch(self, url: URL, read: Callable[[aiohttp.ClientResponse], Awaitable[T]]) -> T:
        try:
            async with (
                asyncio.timeout(self._seconds),
                open_session(open_guarded(self._allows, self._resolver)) as session,
            ):
                return await _follow(session, url, read)
        except TimeoutError:
            raise WebFailed("The page did not come in time. Try another source.") from None
        except aiohttp.ClientError as error:
            if closed := closed_target(error):
                address, port = closed
                raise _refuse([address], port) from None
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


def _refuse(addresses: list[str], port: int) -> WebFailed:
    """Why none of these addresses is connected to."""
    if port not in WEB_PORTS and all(map(is_public, addresses)):
        return closed_port(port)
    return private_target()


def open_session(connector: aiohttp.TCPConnector) -> aiohttp.ClientSession:
    """A session that keeps no cookies and heeds no proxy; time-boxes are the caller's."""
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        max_field_size=32_768,
        max_line_size=32_768,
    )


async def _follow(
    session: aiohttp.ClientSession,
    url: URL,
    read: Callable[[aiohttp.ClientResponse], Awaitable[T]],
) -> T:
    for _ in range(MAX_REDIRECTS + 1):
        async with session.get(url, headers=_HEADERS, allow_redirects=False) as response:
            location = response.headers.get("Location")
            if response.status not in _REDIRECTS or location is None:
                return await read(response)
            url = _join(url, location)
    raise WebFailed("The page leads in circles. Try another source.")


def _join(url: URL, location: str) -> URL:
    try:
        target = str(url.join(URL(location)))
    except UNREADABLE:
        raise WebFailed("The page leads to an invalid address. Try another source.") from None
    return parse_url(target)


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


async def _read_page(response: aiohttp.ClientResponse) -> Page:
    _check_status(response)
    if response.content_type == PDF:
        return Page(PDF, "", await _read_whole(response))
    if not _TEXT.fullmatch(response.content_type):
        raise WebFailed(
            f"There is no page of text there but {_name_type(response)}, which cannot be read. "
            "Look for a web page, or ask the person to send the file."
        )
    body = await read_beginning(response, MAX_PAGE)
    return Page(response.content_type, response.charset or "", body)


async def _read_whole(response: aiohttp.ClientResponse) -> bytes:
    """The body; half a PDF is none."""
    try:
        return await read_within(response, MAX_PDF)
    except TooLarge:
        raise WebFailed(
            "The PDF there is too large to be read. Ask the person to send the pages in question."
        ) from None


def _name_type(response: aiohttp.ClientResponse) -> str:
    """The type of a file, if it is one and not a message to the model."""
    named = response.content_type
    return named if _TYPE.fullmatch(named) else "something else"

"""Read a web page: with Jina Reader if it is configured, otherwise fetched and extracted here."""

from __future__ import annotations

import msgspec
import structlog
from pydantic import BaseModel, Field
from yarl import URL

from bot.contracts.services import IsolatedWorker, ToolContext
from bot.contracts.tools import Tool, mark_untrusted
from bot.errors import ToolFailed
from bot.files.web_worker_messages import PAGE_WORKER, WebPage
from bot.settings import Settings
from tools._web import (
    MAX_PAGE,
    UNREADABLE,
    WebFailed,
    WebFetcher,
    call_service,
    check_given,
    clean_text,
)

_MAX_RESULT = 8_000
_JINA_SECONDS = 20.0
_READ_SECONDS = 15.0
_MAX_URL = 1_000
"""Characters of the address that are shown; a letter of another alphabet takes up to nine."""
_NOTE = 160
"""Characters for the note of what is left out."""
_log = structlog.get_logger()


class BrowseUrl(BaseModel):
    """Read the text of one public web page. Use it when the person gives an address, or when an
    excerpt of web_search is not enough. A long page comes in parts. Not for searching (use
    web_search), nor for pages behind a login, videos, pictures or office files: it reads HTML,
    plain text, JSON and PDF only."""

    url: str = Field(
        description="The whole address of the page, beginning with https:// or http://.",
        min_length=1,
        max_length=2_000,
    )
    part: int = Field(
        default=1,
        description="Which part of a long page, from 1; the first if left out.",
        ge=1,
        le=1_000_000,
        strict=True,
    )


async def browse_url(args: BrowseUrl, context: ToolContext) -> str:
    check_given(args.url, context)
    return await read_url(args.url, context, WebFetcher(), args.part)


async def read_url(address: str, context: ToolContext, fetcher: WebFetcher, part: int = 1) -> str:
    """Return the text at an address, or a part of it, marked as untrusted, at most `_MAX_RESULT`
    characters.

    Raises:
        ToolFailed: the page could not be read; the message says why.
    """
    url = await fetcher.check_address(address)
    text = await _ask_jina(url, context.settings)
    if not text:
        text = await _extract(await fetcher.fetch(url), context.services.isolated_worker)
    if not text:
        raise ToolFailed(
            "The page has no text to read; perhaps it is made of pictures or of a program. Try "
            "another source."
        )
    return _show(url, text, part)


async def _ask_jina(url: URL, settings: Settings) -> str:
    """Return the page as text from Jina Reader; empty if Jina is not configured or fails."""
    if not settings.jina_url:
        return ""
    try:
        body = await call_service(
            "GET",
            URL(f"{settings.jina_url.rstrip('/')}/{url}", encoded=True),
            token=settings.jina_api_key,
            seconds=_JINA_SECONDS,
            max_bytes=MAX_PAGE,
        )
    except WebFailed as error:
        _log.warning("jina_failed", reason=str(error))
        return ""
    return body.decode(errors="replace").strip()


async def _extract(page: WebPage, worker: IsolatedWorker) -> str:
    """Return the readable text of a page; a worker extracts it, since a malicious page may cost
    minutes."""
    try:
        text = await worker.run(PAGE_WORKER, msgspec.msgpack.encode(page), seconds=_READ_SECONDS)
    except ToolFailed:
        raise ToolFailed(
            "The page is too large or too odd to be read. Try another source."
        ) from None
    return text.decode()


def _show(url: URL, text: str, part: int) -> str:
    head = f"Page: {str(url)[:_MAX_URL]}\n\n"
    space = _MAX_RESULT - len(mark_untrusted(head))
    if len(text) <= space and part == 1:
        return mark_untrusted(head + clean_text(text))
    size = space - _NOTE
    count = -(-len(text) // size)
    if part > count:
        raise ToolFailed(f"The page has {count} parts; there is no part {part}.")
    shown = mark_untrusted(head + clean_text(text[size * (part - 1) : size * part]))
    if part == count:
        return shown
    return (
        f"{shown}\n\n[truncated: this is part {part} of {count}; for the next one call browse_url "
        f"with the same url and part {part + 1}]"
    )


def _host(args: BrowseUrl) -> str:
    try:
        return URL(args.url).host or ""
    except UNREADABLE:  # the call itself reports what is wrong with the address
        return ""


TOOL = Tool(
    BrowseUrl,
    browse_url,
    modes={"child", "pro"},
    effect="read",
    timeout=55,
    max_result=_MAX_RESULT,
    label="Reading a page…",
    detail=_host,
)

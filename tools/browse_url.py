"""Read a web page: by Jina Reader where it is set, else fetched and extracted here."""

from __future__ import annotations

import asyncio
from typing import Any

import structlog
from pydantic import BaseModel, Field
from yarl import URL

from bot.contracts import Tool, ToolContext, mark_untrusted
from bot.errors import ToolFailed
from bot.settings import Settings
from tools._services import call_service
from tools._web import MAX_PAGE, Door, Page, WebFailed

_MAX_RESULT = 8_000
_JINA_SECONDS = 20.0
_MAX_ELEMENTS = 20_000
"""Of a page whose layout is looked at (about a second); a larger one is only stripped of tags."""
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_log = structlog.get_logger()


class BrowseUrl(BaseModel):
    """Read the text of one public web page. Use it when the person gives an address, or when an
    excerpt of web_search is not enough. Not for searching (use web_search), nor for pages behind a
    login, videos, or PDF and other files: it reads HTML, plain text and JSON only."""

    url: str = Field(
        description="The whole address of the page, beginning with https:// or http://.",
        min_length=1,
        max_length=2_000,
    )


async def browse_url(args: BrowseUrl, context: ToolContext) -> str:
    return await read_url(args.url, context.settings, Door())


async def read_url(address: str, settings: Settings, door: Door) -> str:
    """The text at an address, marked as untrusted, at most `_MAX_RESULT` characters.

    Raises:
        ToolFailed: it could not be had, and why.
    """
    url = await door.admit(address)
    text = await _ask_jina(url, settings)
    if not text:
        page = await door.fetch(url)
        text = await asyncio.to_thread(_extract, page)
    if not text:
        raise ToolFailed(
            "The page has no text to read; perhaps it is made of pictures or of a program. Try "
            "another source."
        )
    return _show(url, text)


async def _ask_jina(url: URL, settings: Settings) -> str:
    """The page as Jina Reader gives it; empty when there is no Jina, or it does not."""
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


def _extract(page: Page) -> str:
    """The readable text of a page; takes up to some seconds of CPU."""
    if page.mime_type not in _HTML:
        return _decode(page).strip()
    import trafilatura  # imported on first use: slow to load

    tree: Any = trafilatura.load_html(_decode(page) if page.charset else page.body)
    if tree is None:
        return ""
    title = " ".join((tree.findtext(".//title") or "").split())
    text = None
    if sum(1 for _ in tree.iter()) <= _MAX_ELEMENTS:
        text = trafilatura.extract(
            tree, fast=True, include_comments=False, output_format="markdown"
        )
    text = text or trafilatura.html2txt(tree)
    return f"{title}\n\n{text}".strip()


def _decode(page: Page) -> str:
    try:
        return page.body.decode(page.charset or "utf-8", errors="replace")
    except LookupError:  # a charset that nobody knows
        return page.body.decode(errors="replace")


def _show(url: URL, text: str) -> str:
    shown = mark_untrusted(f"Page: {url}\n\n{text}")
    if len(shown) <= _MAX_RESULT:
        return shown
    note = f"\n\n[truncated: the page has {len(text)} characters; the rest is only at its address]"
    return shown[: _MAX_RESULT - len(note)] + note


def _host(args: BrowseUrl) -> str:
    try:
        return URL(args.url).host or ""
    except ValueError:  # the call itself will say what is wrong with it
        return ""


TOOL = Tool(
    BrowseUrl,
    browse_url,
    modes={"child", "pro"},
    effect="read",
    timeout=45,
    max_result=_MAX_RESULT,
    label="Reading a page…",
    detail=_host,
)

"""Search the web: Tavily, or SearXNG."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import structlog
from pydantic import BaseModel, Field, StringConstraints

from bot.contracts import Tool, ToolContext, mark_untrusted
from bot.errors import ToolFailed
from bot.settings import Settings
from tools._services import call_service
from tools._web import WebFailed

_MAX_RESULTS = 5
_MAX_RESULT = 1_500
"""Characters of one result, title and address included."""
_MAX_TITLE = 200
_MAX_URL = 500
_MAX_BYTES = 1024 * 1024
_SECONDS = 9.0
"""For each of the two, so that both fit into the tool's time."""
_log = structlog.get_logger()


class WebSearch(BaseModel):
    """Search the web. Use it for recent events, prices, dates, laws, results of examinations, or
    anything that may have changed since your training, and to find the address of a source. Not
    for what you know for certain, and not for the person's own files. It returns up to five
    excerpts; open one with browse_url when the excerpt is not enough. Name your sources."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="What to look for: a few precise words, in the language of good sources.",
        max_length=300,
    )


class _Answer(msgspec.Struct):
    results: list[dict[str, Any]]


async def web_search(args: WebSearch, context: ToolContext) -> str:
    results = await _search(args.query, context.settings)
    shown = [text for result in results if (text := _show(result))][:_MAX_RESULTS]
    if not shown:
        return "Nothing was found. Try other words, or answer from what you know and say so."
    return mark_untrusted("\n\n".join(f"{i}. {text}" for i, text in enumerate(shown, start=1)))


async def _search(query: str, settings: Settings) -> list[dict[str, Any]]:
    if settings.tavily_api_key:
        try:
            return await _ask_tavily(query, settings)
        except WebFailed as error:
            if not settings.searxng_url:
                raise _search_failed(error) from None
            _log.warning("tavily_failed", reason=str(error))
    if settings.searxng_url:
        try:
            return await _ask_searxng(query, settings.searxng_url)
        except WebFailed as error:
            raise _search_failed(error) from None
    raise ToolFailed(
        "No web search is set up here. Answer from what you know, say that it may be out of date, "
        "or open a page you know with browse_url."
    )


async def _ask_tavily(query: str, settings: Settings) -> list[dict[str, Any]]:
    """Tavily's search: https://docs.tavily.com/documentation/api-reference/endpoint/search."""
    return _read_results(
        await call_service(
            "POST",
            f"{settings.tavily_url.rstrip('/')}/search",
            token=settings.tavily_api_key,
            seconds=_SECONDS,
            max_bytes=_MAX_BYTES,
            json={"query": query, "max_results": _MAX_RESULTS, "search_depth": "basic"},
        )
    )


async def _ask_searxng(query: str, url: str) -> list[dict[str, Any]]:
    """SearXNG's search, whose results have Tavily's names: https://docs.searxng.org/dev/search_api.html."""
    return _read_results(
        await call_service(
            "GET",
            f"{url.rstrip('/')}/search",
            token="",
            seconds=_SECONDS,
            max_bytes=_MAX_BYTES,
            params={"q": query, "format": "json"},
        )
    )


def _read_results(body: bytes) -> list[dict[str, Any]]:
    try:
        return msgspec.json.decode(body, type=_Answer).results
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise WebFailed("The service answered in an unknown form.") from None


def _show(result: dict[str, Any]) -> str:
    """Title, address and excerpt; nothing when there is no address to name as the source."""
    url = _flatten(result.get("url"))
    if not url.startswith(("http://", "https://")) or len(url) > _MAX_URL:
        return ""
    head = f"{_flatten(result.get('title'))[:_MAX_TITLE]}\n{url}\n"
    return head + _flatten(result.get("content"))[: _MAX_RESULT - len(head)]


def _flatten(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _search_failed(error: WebFailed) -> ToolFailed:
    return ToolFailed(
        f"The search failed: {error} Answer from what you know, say that it may be out of date, or "
        "open a page you know with browse_url."
    )


TOOL = Tool(
    WebSearch,
    web_search,
    modes={"child", "pro"},
    effect="read",
    timeout=20,
    max_result=8_000,
    label="Searching the web…",
    detail=lambda args: args.query,
)

"""Search the web: with Tavily or SearXNG if configured, otherwise public search engines."""

from __future__ import annotations

import json
from itertools import islice
from typing import Annotated, Any, cast

import msgspec
import structlog
from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool, mark_untrusted
from bot.errors import ToolFailed
from bot.files.web_worker_messages import WEB_SEARCH_WORKER, WebQuery
from tools._web import WebFailed, call_service, clean_text

_MAX_RESULTS = 5
_MAX_RESULT = 1_500
"""Most characters of one result, title and address included."""
_MAX_TEXT = 4_000
"""Most characters of each text in a service's answer that are looked at."""
_MAX_TITLE = 200
_MAX_URL = 500
_MAX_DATE = 40
_MAX_BYTES = 512 * 1024
_SECONDS = 10.0
"""For each of the two services, so that both and then the engines fit into the tool's time."""
_ENGINES_SECONDS = 15.0
_CUT = " [truncated: the rest is at its address]"
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


async def web_search(args: WebSearch, context: ToolContext) -> str:
    words = _flatten(args.query)
    if not words:
        raise ToolFailed("There is no word to look for. Give some, in `query`.")
    query = WebQuery(words, context.person.language, strict=context.person.mode == "child")
    results = await _search(query, context)
    shown = list(islice((text for result in results if (text := _show(result))), _MAX_RESULTS))
    if not shown:
        return "Nothing was found. Try other words, or answer from what you know and say so."
    return mark_untrusted("\n\n".join(f"{i}. {text}" for i, text in enumerate(shown, start=1)))


async def _search(query: WebQuery, context: ToolContext) -> list[Any]:
    """Ask the operator's services in turn, then public engines; return the first answer."""
    ways = [_ask_engines]
    if context.settings.searxng_url:
        ways.insert(0, _ask_searxng)
    if context.settings.tavily_api_key:
        ways.insert(0, _ask_tavily)
    reason = ""
    for ask in ways:
        try:
            return await ask(query, context)
        except WebFailed as error:
            reason = str(error)
            _log.warning("search_failed", way=ask.__name__, reason=reason)
    raise ToolFailed(
        f"The search failed: {reason} Answer from what you know, say that it may be out of date, "
        "or open a page you know with browse_url."
    )


async def _ask_tavily(query: WebQuery, context: ToolContext) -> list[Any]:
    """Ask Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search."""
    return _read_results(
        await call_service(
            "POST",
            f"{context.settings.tavily_url.rstrip('/')}/search",
            token=context.settings.tavily_api_key,
            seconds=_SECONDS,
            max_bytes=_MAX_BYTES,
            json={"query": query.words, "max_results": _MAX_RESULTS, "search_depth": "basic"},
        )
    )


async def _ask_searxng(query: WebQuery, context: ToolContext) -> list[Any]:
    """Ask SearXNG, whose fields are like Tavily's: https://docs.searxng.org/dev/search_api.html."""
    params = {"q": query.words, "format": "json", "language": query.language}
    return _read_results(
        await call_service(
            "GET",
            f"{(context.settings.searxng_url or '').rstrip('/')}/search",
            token="",
            seconds=_SECONDS,
            max_bytes=_MAX_BYTES,
            params=params | {"safesearch": "2" if query.strict else "1"},
        )
    )


async def _ask_engines(query: WebQuery, context: ToolContext) -> list[Any]:
    """Ask public search engines by their web pages, which need no key and may fail at any time."""
    worker, request = context.services.isolated_worker, msgspec.msgpack.encode(query)
    try:
        answer = await worker.run(WEB_SEARCH_WORKER, request, seconds=_ENGINES_SECONDS, online=True)
    except ToolFailed:  # its message is about work that is too large
        raise WebFailed("The search engines could not be reached.") from None
    return msgspec.msgpack.decode(answer, type=list[Any])


def _read_results(body: bytes) -> list[Any]:
    try:
        answer: Any = json.loads(body)  # not msgspec, since excerpts may end with half an emoji
    except (ValueError, RecursionError):
        answer = None
    results = _get(answer, "results")
    if not isinstance(results, list):
        raise WebFailed("The service answered in an unknown form.")
    return cast("list[Any]", results)


def _show(result: Any) -> str:
    """Write the title, address, date and excerpt; empty if there is no address to name as the
    source."""
    url = _flatten(_get(result, "url"))
    if not url.startswith(("http://", "https://")) or len(url) > _MAX_URL:
        return ""
    head = f"{_flatten(_get(result, 'title'))[:_MAX_TITLE]}\n{url}\n"
    day = _flatten(_get(result, "published_date")) or _flatten(_get(result, "publishedDate"))
    head += f"Published: {day[:_MAX_DATE]}\n" if day else ""
    excerpt = _flatten(_get(result, "content"))
    if len(head) + len(excerpt) <= _MAX_RESULT:
        return head + excerpt
    return head + excerpt[: _MAX_RESULT - len(head) - len(_CUT)] + _CUT


def _get(value: Any, key: str) -> object:
    return cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None


def _flatten(value: object) -> str:
    """Return the text on one line, without harmful characters; empty if the value is no text."""
    return " ".join(clean_text(value[:_MAX_TEXT]).split()) if isinstance(value, str) else ""


TOOL = Tool(
    WebSearch,
    web_search,
    modes={"child", "pro"},
    effect="read",
    timeout=40,
    max_result=8_000,
    label="Searching the web…",
    detail=lambda args: args.query,
)

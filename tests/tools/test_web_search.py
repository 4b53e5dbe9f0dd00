from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from aiohttp import web

from bot.contracts.services import ToolContext
from bot.errors import ToolFailed
from bot.files.web_worker_messages import WEB_SEARCH_WORKER, WebQuery, WebResult
from bot.messages.incoming import Person
from bot.messages.value import Mode
from bot.settings import Settings
from tests.support.fakes import make_services, tool_context
from tests.support.web_servers import Respond, serve
from tools.web_search import TOOL, WebSearch, web_search

MakeContext = Callable[..., ToolContext]
FOUND = {"title": "Le BEPC", "url": "https://education.example/bepc", "content": "Le 3 juin."}


@dataclass
class Engines:
    """The isolated worker that asks search engines: what they find, and what they were asked."""

    found: list[WebResult] | None = None
    """None: they cannot be reached."""
    asked: list[WebQuery] = field(default_factory=list)

    async def run(
        self, program: str, request: bytes, *, seconds: float = 30.0, online: bool = False
    ) -> bytes:
        assert program == WEB_SEARCH_WORKER
        assert online
        self.asked.append(msgspec.msgpack.decode(request, type=WebQuery))
        if self.found is None:
            raise ToolFailed("Take a smaller part of it.")
        return msgspec.msgpack.encode(self.found)


@pytest.fixture
def engines() -> Engines:
    return Engines()


@pytest.fixture
def make_context(engines: Engines) -> MakeContext:
    def make(*, mode: Mode = "child", language: str = "fr", **settings: str) -> ToolContext:
        return tool_context(
            person=Person("telegram", "42", account=7, mode=mode, language=language),
            settings=Settings.model_validate(settings),
            services=make_services(isolated_worker=engines),
        )

    return make


def always(answer: Any, status: int = 200) -> Respond:
    async def respond(request: web.Request) -> web.StreamResponse:
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return web.Response(body=body, status=status, content_type="application/json")

    return respond


async def search(context: ToolContext, query: str = "date du BEPC") -> str:
    return await web_search(WebSearch(query=query), context)


async def test_tavily_is_asked_by_its_own_protocol(make_context: MakeContext) -> None:
    async with serve(always({"results": [FOUND]})) as tavily:
        text = await search(make_context(tavily_api_key="tvly-1", tavily_url=tavily.url + "/"))
        (request,) = tavily.requests
        assert (request.method, request.path) == ("POST", "/search")
        assert request.headers["Authorization"] == "Bearer tvly-1"
        asked = json.loads(tavily.bodies[0])
        assert (asked["query"], asked["max_results"]) == ("date du BEPC", 5)
        assert text.startswith("UNTRUSTED CONTENT\n")
        assert text.endswith("1. Le BEPC\nhttps://education.example/bepc\nLe 3 juin.")


async def test_searxng_is_asked_where_there_is_no_tavily(make_context: MakeContext) -> None:
    async with serve(always({"query": "q", "results": [FOUND]})) as searxng:
        text = await search(make_context(searxng_url=searxng.url), "prix du riz & mil")
        (request,) = searxng.requests
        assert (request.method, request.path) == ("GET", "/search")
        assert dict(request.query) == {
            "q": "prix du riz & mil",
            "format": "json",
            "language": "fr",
            "safesearch": "2",
        }
        assert "Le 3 juin." in text


async def test_grown_ups_are_spared_less(make_context: MakeContext, engines: Engines) -> None:
    async with serve(always({"results": []})) as searxng:
        await search(make_context(searxng_url=searxng.url, mode="pro", language="en"))
        (request,) = searxng.requests
        assert (request.query["safesearch"], request.query["language"]) == ("1", "en")
    assert engines.asked == []


@pytest.mark.parametrize(
    "broken",
    [
        always({}, status=500),
        always({"detail": "quota"}, status=432),
        always([]),
        always(b"\xff"),
        always({"results": 3}),
        always(b'{"results": [{"a": ' + b"[" * 100_000),
    ],
)
async def test_when_tavily_fails_searxng_is_asked(
    broken: Respond, make_context: MakeContext
) -> None:
    async with serve(broken) as tavily, serve(always({"results": [FOUND]})) as searxng:
        context = make_context(tavily_api_key="k", tavily_url=tavily.url, searxng_url=searxng.url)
        assert "Le 3 juin." in await search(context)
        assert len(tavily.requests) == 1


async def test_without_any_key_the_search_just_works(
    make_context: MakeContext, engines: Engines
) -> None:
    engines.found = [WebResult("Le BEPC", "https://education.example/bepc", "Le 3 juin.")]
    text = await search(make_context())
    assert text.startswith("UNTRUSTED CONTENT\n")
    assert text.endswith("1. Le BEPC\nhttps://education.example/bepc\nLe 3 juin.")
    assert engines.asked == [WebQuery("date du BEPC", "fr", strict=True)]


async def test_grown_ups_who_ask_engines_are_spared_less_too(
    make_context: MakeContext, engines: Engines
) -> None:
    engines.found = []
    assert (await search(make_context(mode="pro", language="en"))).startswith("Nothing was found")
    assert engines.asked == [WebQuery("date du BEPC", "en", strict=False)]


async def test_when_the_services_fail_the_engines_are_asked(
    make_context: MakeContext, engines: Engines
) -> None:
    engines.found = [WebResult("Le BEPC", "https://education.example/bepc", "Le 3 juin.")]
    async with serve(always({}, status=503)) as tavily, serve(always([])) as searxng:
        context = make_context(tavily_api_key="k", tavily_url=tavily.url, searxng_url=searxng.url)
        assert "Le 3 juin." in await search(context)
        assert (len(tavily.requests), len(searxng.requests)) == (1, 1)


async def test_when_nothing_answers_the_model_hears_what_it_can_do(
    make_context: MakeContext, engines: Engines
) -> None:
    async with serve(always({}, status=503)) as down:
        context = make_context(tavily_api_key="secret-key", tavily_url=down.url)
        with pytest.raises(
            ToolFailed, match=r"not be reached.*Answer from what you know"
        ) as failed:
            await search(context)
    assert "secret-key" not in str(failed.value)
    assert len(engines.asked) == 1


async def test_a_query_of_nothing_visible_is_refused(context: ToolContext) -> None:
    with pytest.raises(ToolFailed, match="no word"):
        await search(context, "\0 \u202e")


async def test_five_results_of_limited_length_reach_the_model(make_context: MakeContext) -> None:
    long = [FOUND | {"title": f"T{i} " * 500, "content": "x" * 9_000} for i in range(9)]
    async with serve(always({"results": long})) as searxng:
        text = await search(make_context(searxng_url=searxng.url))
    results = text.split("https://education.example/bepc")
    assert len(results) == 6
    assert len(text) <= TOOL.max_result
    assert max(len(result) for result in results) < 1_500 + 200
    assert text.count("[truncated: the rest is at its address]") == 5


async def test_results_without_an_address_or_with_odd_fields_do_no_harm(
    make_context: MakeContext,
) -> None:
    odd: list[object] = [
        None,
        3,
        ["url"],
        {},
        {"url": 7},
        {"url": "javascript:alert(1)", "title": "x"},
        {"url": "https://a.example/" + "x" * 600},
        {"url": "https://b.example", "title": None, "content": ["x"]},
        {"url": "https://c.example", "title": "Two\nlines", "content": "a\n\n\nb"},
        {"url": "https://d.example", "title": "\0\u202e😀", "content": "cut: \ud83d"},
    ]
    async with serve(always({"results": odd})) as searxng:
        text = await search(make_context(searxng_url=searxng.url))
    assert text.endswith(
        "1. \nhttps://b.example\n\n\n2. Two lines\nhttps://c.example\na b\n\n"
        "3. 😀\nhttps://d.example\ncut:"
    )


@pytest.mark.parametrize("field", ["published_date", "publishedDate"])
async def test_the_day_of_a_source_is_told(field: str, make_context: MakeContext) -> None:
    dated = FOUND | {field: "2026-10-01T08:00:00"}
    async with serve(always({"results": [dated, FOUND | {field: None}]})) as searxng:
        text = await search(make_context(searxng_url=searxng.url))
    assert text.count(f"{FOUND['url']}\nPublished: 2026-10-01T08:00:00\n{FOUND['content']}") == 1
    assert text.count("Published") == 1


async def test_nothing_found_is_no_error(make_context: MakeContext) -> None:
    async with serve(always({"results": []})) as searxng:
        text = await search(make_context(searxng_url=searxng.url))
    assert text.startswith("Nothing was found")


def test_the_person_sees_the_query() -> None:
    assert TOOL.detail(WebSearch(query="météo Dakar")) == "météo Dakar"

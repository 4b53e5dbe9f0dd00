from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from bot.contracts import ToolContext
from bot.errors import ToolFailed
from tests.tools.servers import Respond, serve
from tools.web_search import TOOL, WebSearch, web_search

MakeContext = Callable[..., ToolContext]
FOUND = {"title": "Le BEPC", "url": "https://education.example/bepc", "content": "Le 3 juin."}


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
        assert dict(request.query) == {"q": "prix du riz & mil", "format": "json"}
        assert "Le 3 juin." in text


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


async def test_when_nothing_answers_the_model_hears_what_it_can_do(
    make_context: MakeContext,
) -> None:
    async with serve(always({}, status=503)) as down:
        for settings in (
            {"tavily_api_key": "secret-key", "tavily_url": down.url},
            {"searxng_url": down.url},
        ):
            with pytest.raises(
                ToolFailed, match=r"status 503.*Answer from what you know"
            ) as failed:
                await search(make_context(**settings))
            assert "secret-key" not in str(failed.value)


async def test_without_any_service_the_model_hears_what_it_can_do(context: ToolContext) -> None:
    with pytest.raises(ToolFailed, match="No web search is set up"):
        await search(context)


async def test_five_results_of_limited_length_reach_the_model(make_context: MakeContext) -> None:
    long = [FOUND | {"title": f"T{i} " * 500, "content": "x" * 9_000} for i in range(9)]
    async with serve(always({"results": long})) as searxng:
        text = await search(make_context(searxng_url=searxng.url))
    results = text.split("https://education.example/bepc")
    assert len(results) == 6
    assert len(text) <= TOOL.max_result
    assert max(len(result) for result in results) < 1_500 + 200


async def test_results_without_an_address_or_with_odd_fields_do_no_harm(
    make_context: MakeContext,
) -> None:
    odd: list[object] = [
        {},
        {"url": 7},
        {"url": "javascript:alert(1)", "title": "x"},
        {"url": "https://a.example/" + "x" * 600},
        {"url": "https://b.example", "title": None, "content": ["x"]},
        {"url": "https://c.example", "title": "Two\nlines", "content": "a\n\n\nb"},
    ]
    async with serve(always({"results": odd})) as searxng:
        text = await search(make_context(searxng_url=searxng.url))
    assert text.endswith("1. \nhttps://b.example\n\n\n2. Two lines\nhttps://c.example\na b")


async def test_nothing_found_is_no_error(make_context: MakeContext) -> None:
    async with serve(always({"results": []})) as searxng:
        text = await search(make_context(searxng_url=searxng.url))
    assert text.startswith("Nothing was found")


def test_the_person_sees_the_query() -> None:
    assert TOOL.detail(WebSearch(query="météo Dakar")) == "météo Dakar"

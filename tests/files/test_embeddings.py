from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.files.embeddings import Embedder, EmbeddingFailed, pack_vector
from bot.settings import Settings
from tests.files.embedding_endpoint import (
    FakeEmbeddings,
    Play,
    embed,
    embeddings,
    hang,
    refuse_dimensions,
    settings_for,
    status,
    vector,
)


@asynccontextmanager
async def asking(
    *plays: Play, rest: float = 60.0, seconds: float = 15.0, **settings: object
) -> AsyncIterator[tuple[Embedder, FakeEmbeddings]]:
    async with embeddings(*plays) as fake:
        embedder = Embedder(settings_for(fake, **settings), rest=rest, seconds=seconds)
        try:
            yield embedder, fake
        finally:
            await embedder.close()


def answered(make: Callable[[list[str]], object]) -> Play:
    async def play(request: web.Request) -> web.StreamResponse:
        return web.json_response(make((await request.json())["input"]))

    return play


async def test_each_text_gets_its_vector_and_the_tokens_are_counted() -> None:
    async with asking() as (embedder, fake):
        vectors, usage = await embedder.embed(["le chien", "la lune"])
    assert vectors == [pack_vector(vector(text, 256)) for text in ("le chien", "la lune")]
    assert fake.bodies == [
        {
            "model": "text-embedding-3-small",
            "input": ["le chien", "la lune"],
            "encoding_format": "float",
            "dimensions": 256,
        }
    ]
    assert fake.headers[0]["Authorization"] == "Bearer sk-secret"
    assert usage.input_tokens == 20
    assert 0 < usage.usd < 0.00001


async def test_what_the_settings_say_it_costs_is_believed() -> None:
    costs = '{"text-embedding-3-small": {"usd_in": 50}}'
    async with asking(model_capabilities=costs) as (embedder, _):
        _, usage = await embedder.embed(["a"])
    assert usage.usd == pytest.approx(10 * 50 / 1_000_000)


async def test_a_model_that_knows_one_length_is_asked_without_from_then_on() -> None:
    async with asking(refuse_dimensions) as (embedder, fake):
        for _ in range(2):
            vectors, _ = await embedder.embed(["le chien"])
    assert [len(each) for each in vectors] == [1_536 + 192]
    assert ["dimensions" in body for body in fake.bodies] == [True, False, False]


@pytest.mark.parametrize(
    ("play", "reason"),
    [
        (status(500, "overloaded: sk-secret"), r"500: overloaded$"),
        (status(401), "401"),
        (status(400), "400"),
        (status(200, "<html>"), "no vectors"),
        (status(200, "{}"), "no vectors"),
        (status(200, "[" * 100_000), "no vectors"),
        (answered(lambda _: {"data": []}), "not those"),
        (answered(lambda texts: {"data": [{"embedding": [], "index": 0}]}), "not those"),
        (answered(lambda texts: {"data": [{"embedding": [1.0], "index": 5}]}), "not those"),
        (answered(lambda texts: {"data": [{"embedding": [1.0] * 5_000}]}), "not those"),
        (answered(lambda texts: {"data": [{"embedding": ["x"]}]}), "no vectors"),
        (status(200, " " * 9_000_000), "longer than"),
    ],
    ids=str.split(
        "down key request page empty nested none no-numbers other-index too-long words endless"
    ),
)
async def test_an_endpoint_that_fails_does_so_with_a_reason(play: Play, reason: str) -> None:
    async with asking(play) as (embedder, _):
        with pytest.raises(EmbeddingFailed, match=reason):
            await embedder.embed(["le chien"])


async def test_vectors_of_two_lengths_are_none() -> None:
    async def uneven(_: web.Request) -> web.StreamResponse:
        data = [{"embedding": [1.0], "index": 0}, {"embedding": [1.0, 2.0], "index": 1}]
        return web.json_response({"data": data})

    async with asking(uneven) as (embedder, _):
        with pytest.raises(EmbeddingFailed, match="not those"):
            await embedder.embed(["a", "b"])


async def test_an_endpoint_that_failed_is_left_alone_for_a_while() -> None:
    async with asking(status(500), embed) as (embedder, fake):
        with pytest.raises(EmbeddingFailed, match="500"):
            await embedder.embed(["a"])
        assert not embedder.available
        with pytest.raises(EmbeddingFailed, match="a while ago"):
            await embedder.embed(["a"])
        assert len(fake.bodies) == 1
    async with asking(status(500), embed, rest=0.0) as (embedder, fake):
        with pytest.raises(EmbeddingFailed, match="500"):
            await embedder.embed(["a"])
        assert embedder.available
        await embedder.embed(["a"])


async def test_an_endpoint_that_says_nothing_is_not_waited_for() -> None:
    async with asking(hang, seconds=0.2) as (embedder, _):
        with pytest.raises(EmbeddingFailed, match=r"within 0\.2 seconds"):
            await embedder.embed(["a"])


async def test_one_that_nobody_listens_at_fails_too() -> None:
    embedder = Embedder(Settings(openai_base_url="http://127.0.0.1:9/v1", embed_model="m"))
    with pytest.raises(EmbeddingFailed, match="ClientConnectorError"):
        await embedder.embed(["a"])
    await embedder.close()


async def test_without_a_model_nobody_is_asked() -> None:
    embedder = Embedder(Settings())
    assert not embedder.available
    with pytest.raises(EmbeddingFailed, match="not set"):
        await embedder.embed(["a"])

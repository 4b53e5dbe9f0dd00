"""Spans of turns, where an operator wants them; nothing of them where not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bot.observability import ENDPOINT, span, start_tracing, trace_by
from bot.settings import Settings
from tests.support.fakes import FakeModel, reply
from tests.support.site import MakeSite, serve_sites


@pytest.fixture
async def site(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeSite]:
    """`await site(model, **settings)` is a Griot that listens until the test ends."""
    async with serve_sites(make_settings) as make:
        yield make


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    end = trace_by(provider.get_tracer("griot"), provider.shutdown)
    yield exporter
    end()


async def test_model_calls_are_part_of_their_turn_and_hold_no_words(
    site: MakeSite,
    exporter: InMemorySpanExporter,
) -> None:
    griot = await site(FakeModel(reply("the answer")))
    await griot.chat("what I asked")

    spans = {each.name: each for each in exporter.get_finished_spans()}
    turn, model = spans["griot.turn"], spans["griot.model"]
    assert model.parent is not None
    assert model.parent.span_id == turn.context.span_id
    assert "griot.delivery" not in spans or spans["griot.delivery"].attributes
    told = " ".join(each.to_json() for each in spans.values())
    assert not any(words in told for words in ("the answer", "what I asked"))


def test_an_error_is_told_without_its_words(exporter: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="a secret"), span("turn", turn=1):
        raise ValueError("a secret")
    [told] = exporter.get_finished_spans()
    assert "a secret" not in told.to_json()
    assert dict(told.attributes or {}) == {"griot.turn": 1}


def test_it_is_off_unless_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENDPOINT, raising=False)
    start_tracing()()
    assert span("turn", turn=1) is span("model", model="x")


def test_it_is_on_where_an_endpoint_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:1")
    end = start_tracing()
    assert span("turn", turn=1) is not span("turn", turn=1)
    end()
    assert span("turn", turn=1) is span("turn", turn=1)

"""The model client against endpoints on real sockets."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.agent.model_endpoints import MOST_IMAGES, OpenAIModel
from bot.contracts.models import ModelRequest
from bot.contracts.tools import ToolSpec
from bot.errors import ContextTooLong, ModelRefused, ModelUnavailable, NotFound, StreamBroken
from bot.events import Content, Event
from bot.messages.transcript import (
    AssistantMessage,
    Media,
    ModelReply,
    SystemMessage,
    Text,
    ToolCall,
    Usage,
    UserMessage,
)
from bot.settings import Endpoint, Settings
from tests.support.model_endpoint import (
    DONE,
    FakeEndpoint,
    Play,
    call_delta,
    delta,
    drop,
    endpoint,
    event,
    plain,
    status,
    stream,
    text,
    until_closed,
)

TOOL = ToolSpec("look", "Look.", {"type": "object"})
ASKED = (UserMessage((Text("Salut"),)),)


async def read_file(file_id: str) -> bytes:
    if file_id == "gone":
        raise NotFound("no such file")
    return b"bytes of " + file_id.encode()


class App:
    """A model over its endpoints, and what was emitted."""

    def __init__(self, model: OpenAIModel, fakes: list[FakeEndpoint]) -> None:
        self.model = model
        self.fakes = fakes
        self.events: list[Event] = []

    @property
    def asked(self) -> list[int]:
        """How often each endpoint was asked."""
        return [len(fake.bodies) for fake in self.fakes]

    @property
    def said(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Content))

    async def ask(self, **fields: Any) -> ModelReply:
        request = ModelRequest(fields.pop("messages", ASKED), **fields)
        return await self.model.ask(request, self.events.append)


@asynccontextmanager
async def app(
    plays: tuple[Play, ...],
    *fallbacks: tuple[Play, ...],
    stall: float = 5.0,
    **values: Any,
) -> AsyncIterator[App]:
    """A primary endpoint `main` and fallbacks `spare0`, `spare1`…, that retry at once."""
    async with open_endpoints(plays, *fallbacks) as fakes:
        spares = [
            Endpoint(base_url=fake.url, api_key=f"spare-key-{n}", model=f"spare{n}")
            for n, fake in enumerate(fakes[1:])
        ]
        settings = Settings(
            openai_base_url=fakes[0].url, openai_api_key="main-key", model="main", **values
        ).model_copy(update={"model_fallbacks": tuple(spares)})
        model = OpenAIModel(settings, read_file=read_file, stall=stall, pause=0.01)
        try:
            yield App(model, fakes)
        finally:
            await model.close()


@asynccontextmanager
async def open_endpoints(*plays: tuple[Play, ...]) -> AsyncIterator[list[FakeEndpoint]]:
    if not plays:
        yield []
        return
    async with endpoint(*plays[0]) as first, open_endpoints(*plays[1:]) as rest:
        yield [first, *rest]


GOOD = (stream(text("Bon", "jour")),)


async def test_an_answer_is_streamed_and_returned() -> None:
    usage = event(
        {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.5}}
    )
    async with app(
        (stream(delta(content="Bon") + delta(content="jour"), delta("stop"), usage, DONE),)
    ) as it:
        reply = await it.ask()
    assert it.events == [Content("Bonjour")]  # what comes together is shown together
    assert reply.message.text == "Bonjour"
    assert reply.message.endpoint == f"{it.fakes[0].url}#main"
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.usd) == (9, 2, 0.5)
    assert (reply.model, reply.finish_reason) == ("from-the-wire", "stop")
    assert it.fakes[0].headers[0]["Authorization"] == "Bearer main-key"
    sent = it.fakes[0].bodies[0]
    assert (sent["model"], sent["stream"]) == ("main", True)


async def test_no_request_tells_of_our_machine() -> None:
    async with app(GOOD) as it:
        await it.ask()
    telling = [name for name in it.fakes[0].headers[0] if name.lower().startswith("x-stainless-")]
    assert [name.lower() for name in telling] == ["x-stainless-raw-response"]


async def test_without_reported_usage_it_is_estimated_and_priced() -> None:
    async with app(GOOD) as it:
        reply = await it.ask(messages=(SystemMessage("x" * 4000), *ASKED))
    assert reply.usage.input_tokens >= 1000
    assert reply.usage.usd > 0


async def test_one_connection_serves_call_after_call() -> None:
    async with app(GOOD) as it:
        for _ in range(3):
            await it.ask()
    assert len(it.fakes[0].peers) == 1


async def test_a_call_leaves_nothing_to_the_garbage_collector() -> None:
    async with app(GOOD) as it:
        await it.ask()
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            await it.ask()
            gc.collect()
            left = {type(each).__module__ for each in gc.garbage}
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
    assert not [module for module in left if module.startswith("bot.")]


async def test_many_calls_run_at_once() -> None:
    async with app((stream(text("a"), hang=0.5),)) as it:
        await asyncio.gather(*(it.ask() for _ in range(150)))
    assert len(it.fakes[0].peers) > 100  # which is aiohttp's own limit


FAILURES: dict[str, Play] = {
    "408": status(408),
    "429": status(429),
    "500": status(500),
    "503": status(503),
    "dropped": drop,
    "cut before the first token": stream(delta(role="assistant", content=""), cut=True),
    "an error inside": stream(event({"error": {"message": "overloaded"}})),
    "nothing": stream(),
    "only an end": stream(DONE),
    "only comments": stream(b": keep-alive\n\n: keep-alive\n\n"),
    "an empty answer": stream(delta("stop", content=""), DONE),
    "an answer that cannot be seen": stream(delta("stop", content="\u200b\u2060"), DONE),
    "not a stream": plain(
        '{"object": "chat.completion", "choices": [{"message": {"content": "x"}}]}'
    ),
    "a web page": plain("<html>data: no</html>", "text/html"),
    "junk": stream(b"data: <oops>\n\n"),
    "a huge event": stream(b"data: " + b"x" * 1_100_000),
}


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_passing_failure_is_tried_once_more_at_the_same_endpoint(failure: str) -> None:
    async with app((FAILURES[failure], *GOOD), GOOD) as it:
        assert (await it.ask()).message.text == "Bonjour"
    assert it.asked == [2, 0]
    assert it.said == "Bonjour"


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_lasting_failure_passes_the_call_on_to_the_next_endpoint(failure: str) -> None:
    async with app((FAILURES[failure],), GOOD) as it:
        assert (await it.ask()).message.text == "Bonjour"
    assert it.asked == [2, 1]
    assert it.fakes[1].bodies[0]["model"] == "spare0"
    assert it.fakes[1].headers[0]["Authorization"] == "Bearer spare-key-0"


@pytest.mark.parametrize("code", [401, 402, 403, 404])
async def test_a_closed_door_is_not_tried_twice(code: int) -> None:
    async with app((status(code),), (status(code),), GOOD) as it:
        assert (await it.ask()).message.text == "Bonjour"
    assert it.asked == [1, 1, 1]


@pytest.mark.parametrize("code", [400, 413, 422])
async def test_a_wrong_request_is_asked_nowhere_else(code: int) -> None:
    async with app((status(code, "invalid field; key main-key"),), GOOD) as it:
        with pytest.raises(ModelRefused, match=f"{code}: .*invalid") as refused:
            await it.ask()
    assert it.asked == [1, 0]
    assert "main-key" not in str(refused.value)


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 8192 tokens.",
        "exceed_context_size_error",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
async def test_a_request_too_long_for_the_window_is_told_from_a_wrong_one(said: str) -> None:
    async with app((status(400, said),)) as it:
        with pytest.raises(ContextTooLong):
            await it.ask()


async def test_when_nobody_answers_that_is_said() -> None:
    async with app((status(500),), (drop,)) as it:
        with pytest.raises(ModelUnavailable, match="500"):
            await it.ask()
    assert it.asked == [2, 2]
    assert it.events == []


async def test_an_endpoint_that_is_not_there_is_passed_over() -> None:
    async with app(GOOD) as it:
        settings = Settings(openai_base_url="http://127.0.0.1:9/v1", openai_api_key="k")
        spare = Endpoint(base_url=it.fakes[0].url, model="spare")
        settings = settings.model_copy(update={"model_fallbacks": (spare,)})
        model = OpenAIModel(settings, read_file=read_file, pause=0.01)
        reply = await model.ask(ModelRequest(ASKED), it.events.append)
        await model.close()
    assert reply.message.endpoint.endswith("#spare")


async def test_an_answer_that_stays_empty_everywhere_is_returned_in_the_end() -> None:
    async with app((FAILURES["an empty answer"],), (status(500),)) as it:
        reply = await it.ask()
    assert (reply.message.text, reply.finish_reason) == ("", "stop")
    assert it.asked == [2, 2]


async def test_an_empty_answer_may_be_enough_of_each_endpoint() -> None:
    empty = (FAILURES["an empty answer"],)
    async with app(empty, empty) as it:
        assert (await it.ask(retries_empty=False)).message.text == ""
    assert it.asked == [1, 1]


async def test_retry_after_is_waited_for() -> None:
    async with app((status(429, Retry_After="0.3"), *GOOD), GOOD) as it:
        started = time.monotonic()
        await it.ask()
    assert time.monotonic() - started >= 0.3
    assert it.asked == [2, 0]


async def test_a_retry_after_that_leaves_no_time_goes_to_the_next_endpoint_at_once() -> None:
    async with app((status(429, Retry_After="90"),), GOOD) as it:
        started = time.monotonic()
        await it.ask(seconds=120)
    assert time.monotonic() - started < 30
    assert it.asked == [1, 1]


async def test_an_endpoint_that_asked_for_time_is_not_asked_by_the_next_call_either() -> None:
    async with app((status(429, Retry_After="90"), *GOOD), GOOD) as it:
        for _ in range(3):
            await it.ask(seconds=120)
    assert it.asked == [1, 3]


async def test_the_next_call_waits_for_an_endpoint_if_it_has_the_time() -> None:
    async with app((status(429, Retry_After="0.5"), *GOOD)) as it:
        started = time.monotonic()
        with pytest.raises(ModelUnavailable):
            await it.ask(seconds=0.8)
        assert (await it.ask()).message.text == "Bonjour"
    assert time.monotonic() - started >= 0.5
    assert it.asked == [2]


async def test_when_all_asked_for_time_nobody_is_asked() -> None:
    async with app((status(503, Retry_After="300"),)) as it:
        for _ in range(4):
            with pytest.raises(ModelUnavailable):
                await it.ask()
    assert it.asked == [1]


@pytest.mark.parametrize("code", [401, 403, 404])
async def test_a_refused_call_that_is_made_again_is_not_asked_where_it_was_refused(
    code: int,
) -> None:
    async with app((status(code), *GOOD), (status(500),)) as it:
        for _ in range(3):
            with pytest.raises(ModelUnavailable, match=str(code)):
                await it.ask()
    assert it.asked == [1, 6]


async def test_one_refused_call_closes_the_endpoint_to_no_other() -> None:
    async with app((status(403), *GOOD)) as it:
        with pytest.raises(ModelUnavailable):
            await it.ask()
        other = (UserMessage((Text("Bonsoir"),)),)
        assert (await it.ask(messages=other)).message.text == "Bonjour"
    assert it.asked == [2]


@pytest.mark.parametrize("code", [401, 403, 404])
@pytest.mark.parametrize("others", [0, 1])
async def test_where_nobody_else_can_be_asked_a_refusal_is_not_believed(
    code: int, others: int
) -> None:
    async with app((status(code), *GOOD), *[(status(code),)] * others) as it:
        with pytest.raises(ModelUnavailable):
            await it.ask()
        assert (await it.ask()).message.text == "Bonjour"
    assert it.asked == [2, *[1] * others]


async def test_a_refusal_is_not_believed_where_the_last_other_one_refuses_too() -> None:
    async with app((status(401), *GOOD), (*GOOD, status(403))) as it:
        assert (await it.ask()).message.text == "Bonjour"
        assert (await it.ask()).message.text == "Bonjour"
    assert it.asked == [2, 2]


async def test_a_refusal_is_not_believed_either_where_all_others_want_to_be_left_alone() -> None:
    async with app((status(403), *GOOD), (status(429, Retry_After="300"),)) as it:
        with pytest.raises(ModelUnavailable):
            await it.ask()
        assert (await it.ask()).message.text == "Bonjour"
    assert it.asked == [2, 1]


async def test_a_refusal_is_not_believed_where_the_others_ask_for_more_time_than_there_is() -> None:
    async with app((status(403), *GOOD), (*GOOD, status(429, Retry_After="300"))) as it:
        assert (await it.ask()).message.text == "Bonjour"
        assert (await it.ask()).message.text == "Bonjour"
    assert it.asked == [2, 2]


async def test_a_wrong_key_closes_the_endpoint_to_all_calls() -> None:
    async with app((status(401),), GOOD) as it:
        await it.ask()
        await it.ask(messages=(UserMessage((Text("Bonsoir"),)),))
    assert it.asked == [1, 2]


async def test_an_answer_clears_a_refusal_which_was_logged_once() -> None:
    async with app((status(401), *GOOD)) as it:
        with capture_logs() as logs:
            with pytest.raises(ModelUnavailable):
                await it.ask()
            for _ in range(3):
                await it.ask()
    assert it.asked == [4]
    assert [line["event"] for line in logs] == ["model_endpoint_failed"]


async def test_a_pause_is_kept_where_a_refusal_came_before_it() -> None:
    async with app((status(401), status(429, Retry_After="300"), *GOOD)) as it:
        for _ in range(4):
            with pytest.raises(ModelUnavailable):
                await it.ask()
    assert it.asked == [2]


BREAKS: dict[str, Play] = {
    "cut": stream(delta(content="Bon"), cut=True),
    "ended where the connection was closed": until_closed(delta(content="Bon")),
    "ended within an event": stream(delta(content="Bon"), delta(content="jour")[:-20]),
    "ended within an event that is too large": stream(
        delta(content="Bon"), b"data: " + b"x" * 1_100_000
    ),
    "ended within a call": stream(
        delta(content="Bon"),
        delta(tool_calls=[call_delta(index=0, id="c", name="look", arguments='{"a')]),
    ),
    "an error inside": stream(delta(content="Bon"), event({"error": "overloaded"})),
    "an error after the finish": stream(delta("length", content="Bon"), event({"error": "limit"})),
    "cut after junk": stream(delta(content="Bon"), b"data: {oops\n\n", cut=True),
    "cut within a call": stream(
        delta(content="Bon"),
        delta(tool_calls=[call_delta(index=0, id="c", name="look", arguments='{"a')]),
        cut=True,
    ),
    "stalled": stream(delta(content="Bon"), hang=3),
}


@pytest.mark.parametrize("break_", BREAKS)
async def test_a_stream_that_breaks_after_the_first_token_is_not_asked_again(break_: str) -> None:
    async with app((BREAKS[break_], *GOOD), GOOD, stall=0.3) as it:
        with pytest.raises(StreamBroken) as broken:
            await it.ask()
    assert broken.value.text == "Bon" == it.said
    assert it.asked == [1, 0]


async def test_a_broken_stream_says_what_it_consumed_by_the_report_that_came() -> None:
    used = {"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.5}
    told = event({"model": "m7", "choices": [], "usage": used})
    async with app((stream(told, delta(content="Bon"), cut=True),)) as it:
        with pytest.raises(StreamBroken) as broken:
            await it.ask()
    assert broken.value.usage == Usage(9, 2, 0, 0.5)
    assert broken.value.model == "m7"


@pytest.mark.parametrize("hang", [0, 3])
async def test_a_broken_stream_says_what_it_consumed_by_an_estimate_else(hang: float) -> None:
    cut = stream(delta(content="x" * 400), delta(reasoning="hm"), cut=True, hang=hang)
    async with app((cut,)) as it:
        with pytest.raises(StreamBroken) as broken:
            await it.ask(messages=(SystemMessage("x" * 4000), *ASKED), seconds=0.5)
    assert broken.value.usage.input_tokens >= 1000
    assert broken.value.usage.output_tokens == 100
    assert broken.value.usage.usd > 0
    assert broken.value.model == "from-the-wire"


async def test_thinking_counts_as_shown() -> None:
    async with app((stream(delta(reasoning="hm"), cut=True), *GOOD)) as it:
        with pytest.raises(StreamBroken) as broken:
            await it.ask()
    assert broken.value.text == ""
    assert it.asked == [1]


async def test_a_begun_call_counts_as_shown() -> None:
    begun = delta(tool_calls=[call_delta(index=0, id="c", name="look")])
    async with app((stream(begun, cut=True), *GOOD)) as it:
        with pytest.raises(StreamBroken):
            await it.ask()


CALL = delta(tool_calls=[call_delta(index=0, id="c", name="look", arguments='{"a": 1}')])
COMPLETE: dict[str, Play] = {
    "without done": stream(delta("stop", content="Bon"), CALL),
    "without finish reason": stream(delta(content="Bon"), CALL, DONE),
    "cut after the finish": stream(delta(content="Bon"), CALL, delta("tool_calls"), cut=True),
    "cut after whole calls": stream(delta(content="Bon"), CALL, cut=True),
    "cut within the usage": stream(delta(content="Bon"), CALL, delta("stop"), b'data: {"usa'),
    "ended in order without a word": stream(delta(content="Bon"), CALL),
    "no blank line at the end": stream((delta(content="Bon") + CALL + DONE).strip()),
}


@pytest.mark.parametrize("form", COMPLETE)
async def test_an_answer_that_is_whole_is_taken_however_its_stream_ends(form: str) -> None:
    async with app((COMPLETE[form],)) as it:
        reply = await it.ask(tools=(TOOL,))
    assert reply.message.text == "Bon"
    assert reply.message.tool_calls == (ToolCall("c", "look", '{"a": 1}'),)
    assert it.asked == [1]


async def test_an_answer_is_whole_when_the_server_ends_the_stream_in_order() -> None:
    async with app((stream(delta(content="Bon"), delta(content="jour")),)) as it:
        reply = await it.ask()
    assert (reply.message.text, reply.finish_reason) == ("Bonjour", "")
    assert it.asked == [1]


ODDITIES: dict[str, bytes] = {
    "junk": b"data: {oops\n\n",
    "a huge event": b"data: " + b"x" * 1_100_000 + b"\n\n",
    "another shape": event({"choices": "none"}),
    "bytes that are no text": b"data: \xff\xfe\n\n",
}


@pytest.mark.parametrize("oddity", ODDITIES)
async def test_an_event_that_cannot_be_read_is_passed_over_and_noted(oddity: str) -> None:
    odd = ODDITIES[oddity]
    with capture_logs() as notes:
        async with app((stream(odd, delta(content="Bon"), odd, text("jour")),)) as it:
            reply = await it.ask()
    assert reply.message.text == "Bonjour" == it.said
    assert it.asked == [1]
    note = next(note for note in notes if note["event"] == "model_stream_garbled")
    assert note["log_level"] == "debug"
    assert note["skipped"] + note["too_large"] == 2


async def test_half_a_character_does_not_break_the_answer() -> None:
    first, second = (
        b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % half
        for half in (b"Bon \\ud83d", b"\\ude00 jour\xff")
    )
    async with app((stream(first, second, delta("stop"), DONE),)) as it:
        reply = await it.ask()
    assert reply.message.text == "Bon 😀 jour\ufffd" == it.said


async def test_a_finished_answer_does_not_wait_for_a_connection_that_stays_open() -> None:
    async with app((stream(text("Bonjour"), hang=20),), stall=30) as it:
        started = time.monotonic()
        assert (await it.ask()).message.text == "Bonjour"
    assert time.monotonic() - started < 15


async def test_a_stall_before_the_first_token_goes_to_the_next_endpoint_at_once() -> None:
    async with app((stream(hang=3),), GOOD, stall=0.2) as it:
        await it.ask()
    assert it.asked == [1, 1]


async def test_keep_alives_are_no_stall() -> None:
    slow = stream(*[b": keep-alive\n\n"] * 4, text("Bonjour"), pause=0.15)
    async with app((slow,), stall=0.4) as it:
        assert (await it.ask()).message.text == "Bonjour"
    assert it.asked == [1]


async def test_a_finish_reason_in_every_chunk_does_not_end_the_answer_early() -> None:
    pieces = [delta("stop", content=piece) for piece in ("Bon", "jo", "ur")]
    async with app((stream(*pieces, DONE, pause=0.55),)) as it:
        assert (await it.ask()).message.text == "Bonjour"


async def test_the_time_bounds_the_whole_call_before_the_first_token() -> None:
    async with app((stream(hang=3),), GOOD) as it:
        with capture_logs() as logs, pytest.raises(TimeoutError):
            await it.ask(seconds=0.2)
    assert it.asked == [1, 0]
    [line] = logs
    assert line["event"] == "model_endpoint_failed"
    assert line["reason"].startswith("no answer within")


async def test_the_time_bounds_the_whole_call_after_the_first_token_too() -> None:
    async with app((stream(delta(content="Bon"), hang=3),)) as it:
        with pytest.raises(StreamBroken) as broken:
            await it.ask(seconds=0.3)
    assert broken.value.text == "Bon"


class Left:
    """Plays `pieces`, then waits until the client has closed the connection."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces
        self.began, self.closed = asyncio.Event(), asyncio.Event()

    async def __call__(self, request: Any) -> Any:
        await stream(*self._pieces, end=False)(request)
        self.began.set()
        while request.transport:
            await asyncio.sleep(0.01)
        self.closed.set()


async def test_a_cancelled_call_closes_its_connection() -> None:
    left = Left(delta(content="Bon"))
    async with app((left,)) as it:
        task = asyncio.create_task(it.ask())
        await left.began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(left.closed.wait(), 2)


async def test_a_broken_stream_closes_its_connection() -> None:
    left = Left(delta(content="Bon"), event({"error": "overloaded"}))
    async with app((left,)) as it:
        with pytest.raises(StreamBroken) as broken:
            await it.ask()
        await asyncio.wait_for(left.closed.wait(), 2)
    assert broken.value.text == "Bon"


async def test_a_named_model_is_asked_at_the_primary_endpoint_only() -> None:
    async with app((status(404),), GOOD) as it:
        reply = await it.ask(model="small")
    assert [fake.bodies[0]["model"] for fake in it.fakes] == ["small", "spare0"]
    assert reply.message.endpoint == f"{it.fakes[1].url}#spare0"


async def test_reasoning_goes_back_to_the_endpoint_that_sent_it() -> None:
    thought = (delta(reasoning_content="hm"), CALL, delta("tool_calls"), DONE)
    async with app((stream(*thought), status(500)), GOOD) as it:
        first = await it.ask(tools=(TOOL,))
        await it.ask(messages=(*ASKED, first.message))
    assert first.message.reasoning == "hm"
    assert it.fakes[0].bodies[1]["messages"][1]["reasoning_content"] == "hm"
    assert "reasoning_content" not in it.fakes[1].bodies[0]["messages"][1]


async def test_a_call_in_prose_may_name_a_tool_that_was_not_described() -> None:
    call = '<tool_call>{"name": "note", "arguments": {"fact": 7}}</tool_call>'
    note = ToolSpec("note", "Note.", {"properties": {"fact": {"type": "string"}}})
    async with app((stream(text(f"Bien. {call}")),)) as it:
        reply = await it.ask(tools=(TOOL,), callable_tools=(TOOL, note))
    (made,) = reply.message.tool_calls
    assert (reply.message.text, made.name) == ("Bien. ", "note")


async def test_where_tool_choice_is_refused_the_tools_are_withheld_from_then_on() -> None:
    refusing = status(400, "tool_choice 'none' is not supported")
    async with app((refusing, *GOOD)) as it:
        for _ in range(2):
            reply = await it.ask(tools=(TOOL,), tool_choice="none")
            assert reply.message.text == "Bonjour"
        await it.ask(tools=(TOOL,))
    choices = [(body.get("tool_choice"), "tools" in body) for body in it.fakes[0].bodies]
    assert choices == [("none", True), (None, False), (None, False), (None, True)]


async def test_a_refusal_of_something_else_stays_one_with_tool_choice_too() -> None:
    async with app((status(400, "messages: too long"), *GOOD)) as it:
        with pytest.raises(ModelRefused, match=r"400: .*too long"):
            await it.ask(tools=(TOOL,), tool_choice="none")
    assert it.asked == [1]


PHOTO = UserMessage((Text("What?"), Media("image", "f1", "a.png", "image/png")))


async def test_a_model_that_sees_gets_the_image() -> None:
    async with app(GOOD, model_capabilities='{"main": {"vision": true}}') as it:
        await it.ask(messages=(PHOTO,))
    content = it.fakes[0].bodies[0]["messages"][0]["content"]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,")


async def test_a_model_that_does_not_see_is_told_of_the_image() -> None:
    async with app(GOOD, model_capabilities='{"main": {"vision": false}}') as it:
        await it.ask(messages=(PHOTO,))
    assert (
        it.fakes[0].bodies[0]["messages"][0]["content"] == "What?\n[image, not shown to you: a.png]"
    )


async def test_what_is_to_be_seen_is_asked_of_the_vision_model() -> None:
    sees = '{"eyes": {"vision": true}}'
    async with app(GOOD, GOOD, vision_model="eyes", model_capabilities=sees) as it:
        await it.ask(messages=(PHOTO,))
        await it.ask(messages=(UserMessage((Text("And now?"),)),))
    assert [body["model"] for body in it.fakes[0].bodies] == ["eyes", "main"]


async def test_of_many_images_the_newest_are_shown() -> None:
    many = tuple(
        UserMessage((Media("image", "f1", f"{n}.png", "image/png"),)) for n in range(MOST_IMAGES)
    )
    old = UserMessage((Media("image", "old", "old.png", "image/png"),))
    async with app(GOOD, model_capabilities='{"main": {"vision": true}}') as it:
        await it.ask(messages=(old, *many))
    contents = [message["content"] for message in it.fakes[0].bodies[0]["messages"]]
    assert contents[0] == "[image, not shown to you: old.png]"
    assert all(isinstance(content, list) for content in contents[1:])


async def test_an_image_that_comes_with_the_request_is_shown() -> None:
    page = UserMessage((Media("image", "f9 page 1", "page 1", "image/jpeg"),))
    async with app(GOOD, model_capabilities='{"main": {"vision": true}}') as it:
        await it.ask(messages=(page,), images={"f9 page 1": b"drawn"})
    [part] = it.fakes[0].bodies[0]["messages"][0]["content"]
    assert part["image_url"]["url"] == "data:image/jpeg;base64,ZHJhd24="


async def test_an_image_that_was_erased_is_only_named() -> None:
    gone = UserMessage((Media("image", "gone", "a.png"),))
    async with app(GOOD, model_capabilities='{"main": {"vision": true}}') as it:
        await it.ask(messages=(gone,))
    assert it.fakes[0].bodies[0]["messages"][0]["content"] == "[image, not shown to you: a.png]"


async def test_an_endpoint_without_a_key_is_asked_all_the_same() -> None:
    async with endpoint(*GOOD) as fake:
        settings = Settings(openai_base_url=fake.url, openai_api_key="")
        model = OpenAIModel(settings, read_file=read_file)
        reply = await model.ask(ModelRequest(ASKED), lambda _: None)
        await model.close()
    assert reply.message == AssistantMessage("Bonjour", endpoint=f"{fake.url}#gpt-4o-mini")

"""Remote agents: a real one, made with the SDK, and impostors on a real socket."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from bot.agent.delegation import MAX_RESULT, A2aAgents, Delegation
from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.contracts.tools import ToolSource
from bot.demo.local_server import serve_routes
from bot.errors import ToolFailed
from bot.messages.transcript import ToolCall, ToolResult
from bot.observability import Metrics
from bot.settings import RemoteAgent, Settings
from tests.standins.a2a_process import AgentProcess, start_agent
from tests.support.fakes import Clock

TOKEN = "a-token-of-tests-0123456789"
MARK = "UNTRUSTED CONTENT\n"
NOTHING: Any = None


def context(key: str = "telegram:1/1/1") -> Any:
    """All that is read of a `ToolContext`."""
    return SimpleNamespace(key=key)


def named(url: str, **values: str) -> RemoteAgent:
    return RemoteAgent.model_validate({"name": "weather", "url": url} | values)


@asynccontextmanager
async def agents_at(
    url: str, clock: Clock | None = None, **values: str
) -> AsyncIterator[A2aAgents]:
    agents = A2aAgents([named(url, **values)], monotonic=clock or Clock())
    try:
        yield agents
    finally:
        await agents.close()


async def ask(agents: A2aAgents, task: str) -> str:
    async with asyncio.timeout(60):
        return await agents.tools[0].function(Delegation(task=task), context())


async def ask_in_vain(agents: A2aAgents, task: str) -> str:
    with pytest.raises(ToolFailed) as failure:
        await ask(agents, task)
    return str(failure.value)


async def give_up(
    agents: A2aAgents, remote: AgentProcess, task: str, patience: float = 1.0
) -> None:
    """Ask, and go away in the midst of it, some seconds after the agent has heard."""
    before = len(remote.seen())
    asking = asyncio.create_task(ask(agents, task))
    while len(remote.seen()) == before:
        await asyncio.sleep(0.02)
    # The agent has it; its first event has to come back to us, which nobody else can see.
    await asyncio.wait([asking], timeout=patience)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


@pytest.fixture(scope="module")
def remote() -> Iterator[AgentProcess]:
    with start_agent("--token", TOKEN) as agent:
        yield agent


@pytest.fixture
async def agents(remote: AgentProcess) -> AsyncIterator[A2aAgents]:
    async with agents_at(remote.card_url, token=TOKEN) as opened:
        yield opened


# What the model and the person see --------------------------------------------------------------


def test_each_agent_is_a_tool_for_people_with_an_account() -> None:
    source: ToolSource = A2aAgents([named("http://a", description="Knows the weather.")], seconds=9)
    [tool] = source.tools
    assert tool.name == "delegate_to_weather"
    assert tool.spec.description == "Knows the weather."
    assert tool.modes == {"child", "pro"}
    assert (tool.effect, tool.timeout, tool.max_result) == ("once", 9, MAX_RESULT)
    assert tool.is_delegate
    assert tool.detail(Delegation(task="Will it rain?")) == "weather"
    assert source.tools is source.tools


def test_the_one_argument_is_the_task() -> None:
    [tool] = A2aAgents([named("http://a")]).tools
    assert tool.arguments is Delegation
    assert list(tool.spec.parameters["properties"]) == ["task"]


def test_without_a_call_neither_the_protocol_nor_httpx_is_loaded() -> None:
    program = (
        "import sys\n"
        "from bot.agent.delegation import A2aAgents\n"
        "from bot.settings import RemoteAgent\n"
        "assert A2aAgents([RemoteAgent(name='a', url='http://a')]).tools[0].spec.encoded\n"
        "print([n for n in ('a2a', 'httpx', 'google.protobuf') if n in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


# A real agent -----------------------------------------------------------------------------------


async def test_an_answer_comes_marked_as_untrusted(agents: A2aAgents) -> None:
    answer = await ask(agents, "answer me")
    assert answer.startswith(MARK)
    assert answer.endswith("\n\nIt is 31 °C in Abidjan.")
    assert "Thinking" not in answer


async def test_a_plain_message_is_an_answer(agents: A2aAgents) -> None:
    assert (await ask(agents, "say hello\x00 there")).endswith("\n\nhello there")


async def test_streamed_artifacts_are_put_together(agents: A2aAgents) -> None:
    _, *blocks = (await ask(agents, "stream")).split("\n\n")
    assert blocks == [
        "One, two, three.",
        '{"celsius": 31, "sky": "clair"}',
        "[file: forecast.pdf (application/pdf)]",
        "All done.",
    ]


async def test_an_agent_that_is_done_without_a_word_is_done(agents: A2aAgents) -> None:
    assert (await ask(agents, "nothing")).startswith(MARK)


async def test_a_question_of_the_agent_is_a_result_that_says_so(agents: A2aAgents) -> None:
    answer = await ask(agents, "ask")
    assert answer.startswith(MARK)
    assert "The agent weather asks this" in answer
    assert answer.endswith("\n\nWhich city?")


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("fail", "The weather office is closed."),
        ("reject", "Not my work."),
        ("crash", "did not finish"),
        ("give_up", "did not finish"),
        ("login", "wants a login"),
    ],
)
async def test_a_task_not_done_is_a_failure_in_words(
    agents: A2aAgents, task: str, words: str
) -> None:
    reason = await ask_in_vain(agents, task)
    assert words in reason
    assert len(reason) < 2_500
    assert "Error" not in reason
    assert reason.startswith(MARK) == (task in {"fail", "reject"})


async def test_a_flood_is_cut_off_and_cancelled(agents: A2aAgents, remote: AgentProcess) -> None:
    before = remote.seen().count("cancelled")
    assert "more than can be taken" in await ask_in_vain(agents, "flood")
    async with asyncio.timeout(10):  # the agent writes down what it was told when it gets to it
        while remote.seen().count("cancelled") == before:
            await asyncio.sleep(0.05)
    assert "31 °C" in await ask(agents, "answer")


@pytest.mark.parametrize("task", ["slow", "drip"])
async def test_a_call_given_up_is_cancelled_at_the_agent_too(
    agents: A2aAgents, remote: AgentProcess, task: str
) -> None:
    before = remote.seen().count("cancelled")
    for patience in (0.5, 2.0, 8.0):  # a busy machine's first event may be that late
        await give_up(agents, remote, task, patience)
        if remote.seen().count("cancelled") > before:
            break
    assert remote.seen().count("cancelled") > before


async def test_through_the_toolbox_a_slow_agent_costs_its_own_time_only(
    remote: AgentProcess, make_turn: Callable[..., Turn]
) -> None:
    agents = A2aAgents([named(remote.card_url, token=TOKEN)], seconds=1)
    settings = Settings()
    toolbox = Toolbox(ToolCatalogue((), [agents], settings), settings, NOTHING, Metrics())
    turn = make_turn()
    arguments = json.dumps({"task": "slow"})
    async with asyncio.timeout(5):
        await toolbox.execute_all([ToolCall("c1", "delegate_to_weather", arguments)], turn)
    await agents.close()
    [result] = [message for message in turn.messages if isinstance(message, ToolResult)]
    assert result.is_error
    assert "longer than 1 s" in result.text


async def test_the_same_call_has_the_same_id_and_another_call_another(
    agents: A2aAgents, remote: AgentProcess
) -> None:
    for key in ("k1", "k1", "k2"):
        await agents.tools[0].function(Delegation(task="answer for the id"), context(key))
    one, same, other = [seen.split()[0] for seen in remote.seen() if "for the id" in seen][-3:]
    assert one == same != other


async def test_an_agent_is_described_by_its_card_once_that_was_read(remote: AgentProcess) -> None:
    clock = Clock()
    async with agents_at(remote.card_url, clock, token=TOKEN) as agents:
        assert agents.tools[0].spec.description == "Ask the agent weather."
        await ask(agents, "answer")
        after = agents.tools
        assert after[0].spec.description == "Does what the first word of its task says."
        clock.advance(601)
        await ask(agents, "answer")
        assert agents.tools is after


async def test_the_operators_description_stands(remote: AgentProcess) -> None:
    async with agents_at(remote.card_url, token=TOKEN, description="Mine.") as agents:
        before = agents.tools
        await ask(agents, "answer")
        assert agents.tools is before


async def test_an_agent_may_be_named_by_its_host_alone(remote: AgentProcess) -> None:
    async with agents_at(remote.url, token=TOKEN) as agents:
        assert "31 °C" in await ask(agents, "answer")


async def test_a_wrong_token_is_told_and_not_shown(remote: AgentProcess) -> None:
    async with agents_at(remote.card_url, token="wrong-token-9876") as agents:
        reason = await ask_in_vain(agents, "answer")
    assert "right token" in reason
    assert TOKEN not in reason
    assert "wrong-token" not in reason


async def test_a_token_that_the_agent_echoes_is_not_shown(agents: A2aAgents) -> None:
    assert (await ask(agents, f"say You sent {TOKEN}!")).endswith("You sent [token]!")


async def test_after_closing_nobody_is_asked(remote: AgentProcess) -> None:
    async with agents_at(remote.card_url, token=TOKEN) as agents:
        await ask(agents, "answer")
    assert "about to stop" in await ask_in_vain(agents, "answer")


@pytest.mark.parametrize(
    "options",
    [
        ["--no-streaming"],
        ["--version", "0.3"],
        ["--version", "0.3", "--no-streaming"],
        ["--binding", "HTTP+JSON"],
        ["--binding", "HTTP+JSON", "--no-streaming"],
    ],
    ids=" ".join,
)
async def test_every_way_of_the_protocol_leads_to_the_same_end(options: list[str]) -> None:
    with start_agent(*options) as remote:
        async with agents_at(remote.card_url) as agents:
            assert "One, two, three." in await ask(agents, "stream")
            assert (await ask(agents, "pause")).endswith("At last.")
            assert (await ask(agents, "say hi")).endswith("hi")
            assert "Not my work." in await ask_in_vain(agents, "reject")
            await give_up(agents, remote, "slow")
        assert remote.seen()[-1] == "cancelled"


async def test_an_agent_that_dies_is_told_as_unknown_and_asked_again_when_it_is_back() -> None:
    with start_agent() as remote:
        async with agents_at(remote.card_url) as agents:
            reason = await ask_in_vain(agents, "die")
            assert "Whether it did the task is not known." in reason
            assert "cannot be reached" in await ask_in_vain(agents, "answer")


async def test_an_agent_that_hangs_stops_no_other(remote: AgentProcess) -> None:
    with start_agent() as stuck:
        stuck.pause()
        both = A2aAgents([named(stuck.card_url), named(remote.card_url, name="b", token=TOKEN)])
        hanging = asyncio.create_task(both.tools[0].function(Delegation(task="answer"), context()))
        answer = await both.tools[1].function(Delegation(task="answer"), context())
        assert "31 °C" in answer
        assert not hanging.done()
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        await both.close()


# Impostors --------------------------------------------------------------------------------------

BOMB = gzip.compress(b" " * 9_000_000, compresslevel=1)
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def impostor(card: Any, *answers: Answer) -> AsyncIterator[tuple[str, list[web.Request]]]:
    """A server whose card (a value, or an answer) and whose answers are the test's. Gives its
    card's address and the requests it gets; `HERE` in the card is its own address."""
    requests: list[web.Request] = []

    async def show_card(request: web.Request) -> web.StreamResponse:
        requests.append(request)
        if callable(card):
            return await card(request)
        text = json.dumps(card).replace("HERE", f"http://{request.host}/a2a")
        return web.Response(text=text, content_type="application/json")

    async def reply(request: web.Request) -> web.StreamResponse:
        requests.append(request)
        posts = sum(1 for other in requests if other.path == "/a2a")
        return await answers[min(posts, len(answers)) - 1](request)

    async with serve_routes((web.get("/card", show_card), web.post("/a2a", reply))) as origin:
        yield f"{origin}/card", requests


def card_of(url: str = "HERE", *, streaming: bool = False, version: str = "1.0") -> dict[str, Any]:
    interface = {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version}
    return {
        "name": "Impostor",
        "description": "",
        "supportedInterfaces": [interface],
        "capabilities": {"streaming": streaming},
    }


def body(content: bytes, mime_type: str = "application/json", **headers: str) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        sent = {"Content-Type": mime_type} | {k.replace("_", "-"): v for k, v in headers.items()}
        return web.Response(body=content, headers=sent)

    return answer


def status(code: int, **headers: str) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=code, headers=headers, text="Traceback: secret")

    return answer


def result(value: Any) -> Answer:
    return body(json.dumps({"jsonrpc": "2.0", "id": "1", "result": value}).encode())


def flood(piece: bytes, mime_type: str) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": mime_type})
        await response.prepare(request)
        with suppress(ConnectionError):  # the client hangs up, as it should
            for _ in range(100 * 1024 * 1024 // len(piece)):
                await response.write(piece)
        return response

    return answer


@pytest.mark.parametrize(
    "card",
    [
        [],
        {},
        "card",
        None,
        {"supportedInterfaces": 7},
        {"skills": "none", "supportedInterfaces": [1, None]},
        {"url": ["HERE"], "additionalInterfaces": 3},
        {"securitySchemes": {"a": 1}, "capabilities": []},
        card_of("gopher://HERE"),
        card_of(""),
        card_of(version="9.9.9.9-x"),
        card_of(version="0.1"),
        card_of("http://[::1"),
        {"supportedInterfaces": [{"url": "HERE", "protocolBinding": "GRPC"}]},
        status(404),
        status(500),
        status(302, Location="/card"),
        status(302, Location="http://\x7f"),
        body(b"<html>", "text/html"),
        body(b"{", "application/json"),
        body(b"\xff\xfe\x00", "application/json"),
        body(b"[" * 100_000, "application/json"),
        body(b'{"name": ' + b"9" * 10_000 + b"}", "application/json"),
        body(BOMB, "application/json", Content_Encoding="gzip"),
        flood(b" " * 65_536, "application/json"),
    ],
)
async def test_a_card_that_is_none_is_a_failure_in_words(card: Any) -> None:
    async with impostor(card, result({})) as (url, _), agents_at(url, token=TOKEN) as agents:
        reason = await ask_in_vain(agents, "answer")
    assert reason.startswith("The agent weather ") or "no agent" in reason
    assert not {"Traceback", "Error", "http", TOKEN} & set(reason.replace(".", " ").split())


@pytest.mark.parametrize(
    "answer",
    [
        status(400),
        status(401),
        status(404),
        status(429),
        status(500),
        status(307, Location="http://127.0.0.1:9/a2a"),
        body(b"<html>", "text/html"),
        body(b"", "application/json"),
        body(b"[]", "application/json"),
        body(b'{"jsonrpc": "2.0", "id": "1"}', "application/json"),
        body(b'{"result": ' + b'{"a":' * 50_000, "application/json"),
        body(b'{"error": {"code": -32603, "message": "Traceback"}}', "application/json"),
        body(b'{"error": {"code": "x", "message": {}}}', "application/json"),
        body(b'{"error": 3}', "application/json"),
        result({}),
        result(7),
        result([]),
        result({"task": {}}),
        result({"task": 5, "message": 6}),
        result({"message": {"parts": {"text": 1}}}),
        result({"message": {"parts": [{"text": "\ud800"}]}}),
        body(BOMB, "application/json", Content_Encoding="gzip"),
        flood(b" " * 65_536, "application/json"),
        flood(b'data: {"result": {"task": {"id": "1"}}}\n\n' * 200, "text/event-stream"),
        flood(b":\n" * 4_000, "text/event-stream"),
        flood(b"data: x" * 1_000, "text/event-stream"),
        body(b"data: {}\n\n", "text/event-stream"),
        body(b"event: error\ndata: Traceback\n\n", "text/event-stream"),
    ],
)
@pytest.mark.parametrize("streaming", [True, False], ids=["stream", "poll"])
@pytest.mark.parametrize("version", ["1.0", "0.3"])
async def test_an_answer_that_is_none_is_a_failure_in_words(
    answer: Answer, streaming: bool, version: str
) -> None:
    card = card_of(streaming=streaming, version=version)
    async with impostor(card, answer) as (url, _), agents_at(url, token=TOKEN) as agents:
        reason = await ask_in_vain(agents, "answer")
    assert "agent weather" in reason
    assert not {"Traceback", "Error", "http", TOKEN} & set(reason.replace(".", " ").split())
    assert "secret" not in reason


@pytest.mark.parametrize("elsewhere", ["http://example.com/a2a", "http://127.0.0.2/a2a"])
async def test_a_card_cannot_lead_the_token_to_another_host(elsewhere: str) -> None:
    async with impostor(card_of(elsewhere)) as (url, _), agents_at(url, token=TOKEN) as agents:
        assert "another place" in await ask_in_vain(agents, "answer")


async def test_a_redirect_cannot_lead_the_token_to_another_host() -> None:
    away = status(302, Location="http://127.0.0.2:9/card")
    async with impostor(away) as (url, _), agents_at(url, token=TOKEN) as agents:
        assert "another place" in await ask_in_vain(agents, "answer")


async def test_a_card_is_read_once_in_ten_minutes_and_again_after_a_failure() -> None:
    hello = result({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "hi"}]}})
    clock = Clock()
    async with (
        impostor(card_of(), hello, hello, hello, status(500), hello) as (url, requests),
        agents_at(url, clock, token=TOKEN) as agents,
    ):

        def cards() -> int:
            return sum(1 for request in requests if request.path == "/card")

        await ask(agents, "one")
        await ask(agents, "two")
        assert cards() == 1
        clock.advance(601)
        await ask(agents, "three")
        assert cards() == 2
        await ask_in_vain(agents, "four")
        await ask(agents, "five")
        assert cards() == 3
        assert {r.headers["Authorization"] for r in requests} == {f"Bearer {TOKEN}"}


async def test_a_stream_that_breaks_is_followed_by_asking() -> None:
    begun = {"result": {"task": {"id": "t1", "status": {"state": "TASK_STATE_WORKING"}}}}

    async def breaks(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"data: " + json.dumps(begun).encode() + b"\n\n")
        assert request.transport is not None
        request.transport.close()
        return response

    done = {"id": "t1", "status": {"state": "TASK_STATE_COMPLETED"}}
    artifact = {"artifactId": "a", "parts": [{"text": "still done"}]}
    polls = [status(503), result(begun["result"]["task"]), result(done | {"artifacts": [artifact]})]
    async with (
        impostor(card_of(streaming=True), breaks, *polls) as (url, requests),
        agents_at(url) as agents,
    ):
        assert (await ask(agents, "answer")).endswith("still done")
    assert len(requests) == 5


async def test_what_is_packed_is_not_unpacked() -> None:
    bomb = gzip.compress(b'{"result": {"message": {"parts": [{"text": "hi"}]}}}' + b" " * 9_000_000)
    packed = body(bomb, Content_Encoding="gzip")
    async with impostor(card_of(), packed) as (url, _), agents_at(url) as agents:
        assert "is no agent" in await ask_in_vain(agents, "answer")


async def test_a_byte_at_a_time_is_cut_off_early() -> None:
    sent = 0

    async def dribble(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        with suppress(ConnectionError):
            while True:
                await response.write(b":")
                sent += 1
                await asyncio.sleep(0)
        return response

    async with impostor(card_of(), dribble) as (url, _), agents_at(url) as agents:
        assert "more than can be taken" in await ask_in_vain(agents, "answer")
    assert 0 < sent < 100_000


async def test_a_million_values_in_one_answer_do_not_hold_the_house_up() -> None:
    parts = b'{"result": {"message": {"parts": [' + b"{}," * 600_000 + b"{}]}}}"
    async with impostor(card_of(), body(parts)) as (url, _), agents_at(url) as agents:
        assert "more than can be taken" in await ask_in_vain(agents, "answer")

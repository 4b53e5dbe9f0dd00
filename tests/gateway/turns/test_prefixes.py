"""Each request begins with the one before it, to the byte: that is what prompt caches hold."""

from __future__ import annotations

from itertools import pairwise

from bot.agent.openai_protocol.request import encode_request
from bot.contracts.models import ModelRequest
from bot.messages.transcript import UserMessage
from tests.support.app import MakeApp
from tests.support.fakes import FakeModel, reply
from tests.support.waiting import until
from tools import generate_md, save_memory, web_search

TURNS = 20


def encode(request: ModelRequest) -> bytes:
    return encode_request(request, model="m", endpoint="e", images={}).partition(b'],"stream"')[0]


def newest_turn(request: ModelRequest) -> int:
    """Where the newest turn begins in the bytes of a request."""
    positions = [at for at, m in enumerate(request.messages) if isinstance(m, UserMessage)]
    before = ModelRequest(request.messages[: positions[-1]], request.tools)
    return len(encode(before))


def common_start(first: bytes, second: bytes) -> int:
    """How many bytes at the beginning are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


async def test_a_long_conversation_with_tools_keeps_its_beginning(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    steps = [
        step
        for number in range(TURNS)
        for step in (
            reply("", ("generate_md", f'{{"filename": "{number}", "content": "Lesson."}}')),
            reply(f"Lesson {number}: " + "words " * 60),
        )
    ]
    model = FakeModel(*steps)
    await one.start(model, [web_search.TOOL, generate_md.TOOL])
    for number in range(TURNS):
        await one.send(f"teach me lesson {number}")
        await until(one.settled)
    requests = model.requests
    for before, request in pairwise(requests):
        size = newest_turn(request)
        common = common_start(encode(before), encode(request))
        assert common >= min(0.95 * size, len(encode(before)) - 1)
    last = [r for r in requests if isinstance(r.messages[-1], UserMessage)]
    shares = [
        common_start(encode(a), encode(b)) / newest_turn(b)
        for a, b in zip(requests[1::2], last[1:], strict=False)
    ]
    assert min(shares) >= 0.85  # all but the answer just given
    assert sum(shares) / len(shares) >= 0.95


async def test_a_new_fact_changes_the_end_of_the_instructions_only(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    fact = "Awa likes goats."
    model = FakeModel(
        reply("", ("save_memory", f'{{"fact": "{fact}"}}')), reply("Noted."), reply("Hello.")
    )
    await one.start(model, [save_memory.TOOL])
    for text in ("I like goats", "hello"):
        await one.send(text)
        await until(one.settled)
    saving, _, later = (encode(request) for request in model.requests)
    assert fact in later[common_start(saving, later) :].decode()
    assert later[: common_start(saving, later)].decode().endswith("\\n\\n# ")

"""A message that comes while a turn runs: queued, or given to the turn at its next step."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel

from bot.contracts.services import ToolContext
from bot.contracts.storage import Database
from bot.contracts.tools import Tool
from bot.errors import LeaseLost
from bot.gateway.inbound.bursts import MAX_JOINED
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.turns.journal import SteeringMessage, take_steering_messages
from bot.messages.incoming import Attachment, Said, Sender, SharedLocation, Update, UpdateContent
from bot.messages.transcript import UserMessage
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeModel, reply
from tests.support.queries import Above, Not, read_rows
from tests.support.turns import lose_to_another, store_and_claim
from tests.support.waiting import until


class Wait(BaseModel):
    """Wait."""


class Gate:
    """A tool that runs until it is let go."""

    def __init__(self) -> None:
        self.entered, self.go = asyncio.Event(), asyncio.Event()

    def tool(self) -> Tool[Any]:
        async def wait(_args: Wait, _context: ToolContext) -> str:
            self.entered.set()
            await self.go.wait()
            return "done"

        return Tool(Wait, wait, modes={"child", "pro"}, effect="read", timeout=20)


async def _run(app: MakeApp, model: FakeModel, *meanwhile: Any, mode: str) -> TestApp:
    gate = Gate()
    opened = await app(busy_mode=mode)
    await opened.log_in()
    await opened.start(model, [gate.tool()])
    await opened.send("begin")
    await asyncio.wait_for(gate.entered.wait(), 10)
    await opened.app.inbox.store(
        [item if isinstance(item, Update) else update(item) for item in meanwhile]
    )
    gate.go.set()
    await until(opened.settled)
    return opened


def _heard(model: FakeModel, request: int) -> list[str]:
    messages = model.requests[request].messages
    return [message.text for message in messages if isinstance(message, UserMessage)]


async def test_by_default_it_waits_for_its_own_turn(app: MakeApp) -> None:
    model = FakeModel(reply("", ("wait", "{}")), reply("one"), reply("two"))
    opened = await _run(app, model, "and this", mode="queue")
    assert opened.said() == ["one", "two"]
    assert _heard(model, 1) == ["begin"]


async def test_steering_gives_it_to_the_turn_that_runs(app: MakeApp) -> None:
    model = FakeModel(reply("", ("wait", "{}")), reply("one answer to both"))
    opened = await _run(app, model, "and this", "and that", mode="steer")
    assert opened.said() == ["one answer to both"]
    assert _heard(model, 1) == ["begin", "and this", "and that"]
    states = await read_rows(opened.database, "inbox")
    assert {row["state"] for row in states} == {"done"}
    assert len({row["turn"] for row in states}) == 1


async def test_what_brings_a_photo_waits_with_all_behind_it(app: MakeApp) -> None:
    photo = Said("look", (Attachment("image", "p"),))
    model = FakeModel(reply("", ("wait", "{}")), reply("one"), reply("two"), reply("three"))
    opened = await _run(app, model, photo, "and this", mode="steer")
    assert opened.said() == ["one", "two", "three"]
    assert _heard(model, 1) == ["begin"]


async def test_a_command_in_between_is_obeyed_in_its_place(app: MakeApp) -> None:
    """`/new` waits for the turn, and what was written after it belongs to what it begins."""
    model = FakeModel(reply("", ("wait", "{}")), reply("one"), reply("two"))
    opened = await _run(app, model, "and this", "/new", "and that", mode="steer")
    assert _heard(model, 1) == ["begin", "and this"]
    assert _heard(model, 2) == ["and that"]
    said = opened.said()
    assert (said[0], said[-1], len(said)) == ("one", "two", 3)


async def test_a_command_that_never_waits_stops_nothing(app: MakeApp) -> None:
    model = FakeModel(reply("", ("wait", "{}")), reply("one answer to both"))
    opened = await _run(app, model, "and this", "/balance", "and that", mode="steer")
    assert _heard(model, 1) == ["begin", "and this", "and that"]
    assert "one answer to both" in opened.said()
    assert len(opened.said()) == 2


async def test_what_another_person_says_waits_with_all_behind_it(app: MakeApp) -> None:
    model = FakeModel(reply("", ("wait", "{}")), reply("one"), reply("to Kofi"), reply("to Awa"))
    mine, others, mine_again = update("and this"), update("me too"), update("and that")
    kofi = msgspec.structs.replace(others, sender=Sender("2", "Kofi", "en"))
    opened = await _run(app, model, mine, kofi, mine_again, mode="steer")
    assert _heard(model, 1) == ["begin", "and this"]
    assert opened.said() == ["one", "to Kofi", "to Awa"]
    turns = await read_rows(opened.database, "inbox")
    assert len({row["turn"] for row in turns}) == 3


@pytest.mark.parametrize(
    "other",
    [Said("theirs", forwarded=True), Said("/help", forwarded=True), SharedLocation(5.3, -4.0)],
)
async def test_what_is_not_said_in_the_same_way_waits_with_all_behind_it(
    app: MakeApp, other: UpdateContent
) -> None:
    model = FakeModel(*[reply("", ("wait", "{}")), *[reply(str(n)) for n in range(3)]])
    opened = await _run(app, model, other, "and this", mode="steer")
    assert _heard(model, 1) == ["begin"]
    assert opened.said() == ["0", "1", "2"]


async def test_a_turn_hears_so_much_and_no_more(database: Database) -> None:
    """What is over waits for a turn of its own, however often the turn listens."""
    claim, pending = await store_and_claim(database, "begin")
    words = [str(number) for number in range(MAX_JOINED + 3)]
    await Inbox(database).store([update(word) for word in words])
    known: list[int] = []
    heard: list[str] = []

    async def listen(tx: Any) -> list[SteeringMessage]:
        return await take_steering_messages(tx, claim, pending, known)

    for _ in range(3):
        for seq, message in await database.write(listen):
            known.append(seq)
            heard.append(message.text)
    assert heard == words[:MAX_JOINED]
    left = await read_rows(database, "inbox", turn=None, seq=Above(pending.seq))
    assert len(left) == 3


async def test_who_lost_the_lane_hears_nothing(database: Database) -> None:
    claim, pending = await store_and_claim(database, "begin")
    await Inbox(database).store([update("and this")])
    await lose_to_another(database)

    async def listen(tx: Any) -> list[SteeringMessage]:
        return await take_steering_messages(tx, claim, pending, [])

    with pytest.raises(LeaseLost):
        await database.write(listen)
    assert await read_rows(database, "inbox", turn=Not(None)) == []


async def test_a_crash_forgets_nothing_of_it(app: MakeApp) -> None:
    broken = ConnectionError("the process is gone")
    model = FakeModel(reply("", ("wait", "{}")), broken, reply("one answer to both"))
    opened = await _run(app, model, "and this", mode="steer")
    assert opened.said() == ["one answer to both"]
    assert _heard(model, 2) == ["begin", "and this"]

"""A turn that fails, hangs or takes its process with it holds up nobody behind it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as replace_field

from bot.contracts.models import ModelRequest
from bot.errors import ModelUnavailable
from bot.events import Emit
from bot.gateway.runner import Isolation
from bot.messages.incoming import Edited, Sender
from bot.messages.outgoing import Draft
from bot.messages.transcript import AssistantMessage, ModelReply, Text, UserMessage
from bot.messages.value import encode
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.queries import (
    NOW,
    FromNow,
    add_row,
    change_rows,
    read_row,
    read_rows,
    read_values,
)
from tests.support.waiting import until


class Troubled(FakeModel):
    """Answers `echo: …`. A message that says how fails so, as often as `troubles` has it.

    A long answer goes on until `finish` is set.
    """

    def __init__(self, **troubles: int) -> None:
        super().__init__()
        self.troubles = troubles
        self.asked: list[str] = []
        self.finish = asyncio.Event()

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        said = [each.text for each in request.messages if isinstance(each, UserMessage)]
        self.asked.append(" | ".join(said))
        for trouble, left in self.troubles.items():
            if trouble in said[-1] and left:
                self.troubles[trouble] = left - 1
                await self._trouble(trouble)
        return reply(f"echo: {said[-1]}")

    async def is_asked(self) -> bool:
        return bool(self.asked)

    async def _trouble(self, kind: str) -> None:
        match kind:
            case "hangs":
                await asyncio.sleep(600)
            case "long":
                await self.finish.wait()
            case "waits":
                raise ModelUnavailable("429: too many requests", after=5.0)
            case _:
                raise ModelUnavailable("503: down")


async def _said(one: TestApp, count: int, seconds: float = 30) -> list[str]:
    async def enough() -> bool:
        return len(one.said()) >= count

    await until(enough, seconds)
    return one.said()


async def test_messages_behind_a_turn_that_waits_go_first_in_order(app: MakeApp) -> None:
    one = await app()
    model = Troubled(waits=1)
    await one.start(model)
    await one.send("it waits")
    await until(lambda: read_rows(one.database, "inbox", aside=1))
    await one.send("second", "third")
    assert await _said(one, 3) == ["echo: second", "echo: third", "echo: it waits"]
    assert model.asked[1:] == ["second", "second | third", "it waits"]
    await until(one.settled)


async def test_an_edit_replaces_a_message_whose_turn_has_not_begun(app: MakeApp) -> None:
    one = await app()
    model = Troubled(long=1)
    await one.start(model)
    await one.send("long")
    await until(model.is_asked)
    waiting, other = update("2 + 2"), update("other")
    await one.app.inbox.store([waiting, other])
    key = waiting.message_key
    await one.send(Edited("2 + 3", key), Edited("2 + 4", key), Edited("nothing", "unknown"))
    model.finish.set()
    assert await _said(one, 3) == ["echo: long", "echo: 2 + 4", "echo: other"]
    await until(one.settled)


async def test_an_edit_leaves_a_message_alone_whose_turn_has_begun(app: MakeApp) -> None:
    one = await app()
    model = Troubled(long=1)
    await one.start(model)
    first = update("long")
    await one.app.inbox.store([first])
    await until(model.is_asked)
    await one.send(Edited("short", first.message_key), "second")
    model.finish.set()
    assert await _said(one, 2) == ["echo: long", "echo: second"]
    assert model.asked[-1] == "long | second"
    await one.send(Edited("shorter", first.message_key), "third")
    assert (await _said(one, 3))[2] == "echo: third"
    assert model.asked[-1] == "long | second | third"


async def test_a_message_that_is_edited_to_a_command_is_that_command(app: MakeApp) -> None:
    one = await app()
    model = Troubled(long=1)
    await one.start(model)
    await one.send("long")
    await until(model.is_asked)
    waiting = update("balance?")
    await one.app.inbox.store([waiting])
    await one.send(Edited("/balance", waiting.message_key))
    model.finish.set()
    assert "credits" in (await _said(one, 2))[1]
    assert len(model.asked) == 1


async def test_only_its_author_edits_a_message(app: MakeApp) -> None:
    one = await app()
    model = Troubled(long=1)
    await one.start(model)
    await one.send("long")
    await until(model.is_asked)
    waiting = update("mine")
    edit = update(Edited("yours", waiting.message_key))
    await one.app.inbox.store([waiting, replace_field(edit, sender=Sender("2", "Binta", "en"))])
    model.finish.set()
    assert (await _said(one, 2))[1] == "echo: mine"


async def test_an_edit_may_come_before_its_message(app: MakeApp) -> None:
    one = await app()
    await one.start(Troubled())
    late = time.time() - 5
    message = replace_field(update("2 + 2"), at=late)
    texts = [("2 + 4", late + 4), ("2 + 3", late + 3)]
    edits = [replace_field(update(Edited(text, message.message_key)), at=at) for text, at in texts]
    for each in (*edits, message, message):
        await one.app.inbox.store([each])
    assert await _said(one, 1) == ["echo: 2 + 4"]
    await until(one.settled)


async def test_edits_in_the_wrong_order_end_with_the_last_text(app: MakeApp) -> None:
    one = await app()
    model = Troubled(long=1)
    await one.start(model)
    await one.send("long")
    await until(model.is_asked)
    message = update("2 + 2")
    await one.app.inbox.store([message])
    for text, at in (("2 + 4", 20.0), ("2 + 3", 10.0)):
        edit = update(Edited(text, message.message_key))
        await one.app.inbox.store([replace_field(edit, at=at)])
    model.finish.set()
    assert (await _said(one, 2))[1] == "echo: 2 + 4"
    await until(one.settled)


async def test_a_short_pause_keeps_the_order(app: MakeApp) -> None:
    one = await app()
    await one.start(Troubled(fails=1))
    await one.send("it fails", "second")
    assert await _said(one, 2) == ["echo: it fails", "echo: second"]


async def test_what_was_given_up_is_not_said_again_to_the_model(app: MakeApp) -> None:
    one = await app()
    model = Troubled(fails=99)
    await one.start(model)
    await one.send("it fails")
    await until(lambda: read_rows(one.database, "inbox", aside=1))
    await change_rows(one.database, "turn", {"failures": 4})
    await change_rows(one.database, "inbox", {"ready_at": NOW})
    await change_rows(one.database, "lane", {"due_at": NOW})
    await until(one.settled)
    await one.send("fine")
    said = await _said(one, 2)
    assert "went wrong" in said[0]
    assert said[1] == "echo: fine"
    assert model.asked[-1] == "fine"


async def test_a_turn_that_hangs_lets_those_behind_it_go_first(app: MakeApp) -> None:
    channel = FakeChannel()
    channel.capabilities = replace(channel.capabilities, typing=5, drafts=True)
    one = await app(channel)
    await one.start(Troubled(hangs=1))
    began = time.monotonic()
    await one.send("it hangs")
    await asyncio.sleep(1)
    await one.send("second")
    assert await _said(one, 1) == ["echo: second"]
    assert time.monotonic() - began < 20
    [draft] = {each.text for each in channel.shown if isinstance(each, Draft)}
    assert draft == "This takes longer than usual. I am still on it."
    assert await _said(one, 2) == ["echo: second", "echo: it hangs"]
    assert (await read_values(one.database, "turn", "failures"))[0] == 1


async def test_who_writes_alone_waits_for_a_slow_model(app: MakeApp) -> None:
    class Slow(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            self.requests.append(request)
            await asyncio.sleep(14)
            return ModelReply(AssistantMessage("at last"))

    one = await app()
    model = Slow()
    await one.start(model)
    await one.send("a hard question")
    assert await _said(one, 1) == ["at last"]
    assert len(model.requests) == 1


async def _die(
    one: TestApp, *, deaths: int, worker: str = "the dead", age: int = 0, turn: int = 1
) -> None:
    """The turn of this update was begun by a process that died, as `deaths` before it did."""
    await add_row(
        one.database,
        "turn",
        lane="telegram:1",
        id=turn,
        attempts=deaths + 1,
        deaths=deaths,
        steps=1,
        worker=worker,
        started_at=FromNow(-age),
    )


@pytest.mark.parametrize("deaths", [0, 2, 6])
async def test_deaths_of_the_process_use_up_no_tries(app: MakeApp, deaths: int) -> None:
    one = await app()
    await one.send("a question")
    await _die(one, deaths=deaths)
    await one.start(Troubled(question=1))
    assert await _said(one, 1) == ["echo: a question"]
    await until(one.settled)
    turn = await read_row(one.database, "turn")
    assert (turn["deaths"], turn["failures"]) == (deaths + 1, 1)


async def test_a_turn_that_has_done_a_step_is_not_what_kills_its_process(app: MakeApp) -> None:
    one = await app()
    await one.send("a question")
    await _die(one, deaths=7)
    for step, said in enumerate((encode(UserMessage((Text("a question"),))), encode(reply("…")))):
        await add_row(
            one.database,
            "journal",
            lane="telegram:1",
            turn=1,
            step=step,
            kind="reply" if step else "user",
            body=said,
            at=NOW,
        )
    await one.start(Troubled())
    assert await _said(one, 1) == ["…"]
    turn = await read_row(one.database, "turn")
    assert turn["deaths"] == 1


async def test_a_turn_whose_process_always_dies_is_given_up_at_last(app: MakeApp) -> None:
    one = await app()
    await one.send("poison")
    await _die(one, deaths=7)
    await one.start(Troubled())
    assert "went wrong" in (await _said(one, 1))[0]


async def test_what_died_while_the_turn_waited_did_not_die_of_it(app: MakeApp) -> None:
    one = await app()
    await one.send("a question")
    await _die(one, deaths=8, worker="waits:the dead")
    await one.start(Troubled(question=1))
    assert await _said(one, 1) == ["echo: a question"]
    turn = await read_row(one.database, "turn")
    assert turn["deaths"] == 3


@pytest.mark.parametrize(("age", "worker"), [(0, "waits:"), (3600, "the dead")])
async def test_a_suspect_is_known_to_wait_until_it_runs(
    app: MakeApp, age: int, worker: str
) -> None:
    one = await app()
    await one.send("a long answer", chat="2")
    model = Troubled(long=1)
    await one.start(model)
    while not model.asked:
        await asyncio.sleep(0.01)
    await _die(one, deaths=4, age=age, turn=2)  # before the worker can begin it anew
    await one.send("suspect")

    async def is_known_to_wait() -> bool:
        turn = await read_row(one.database, "turn", lane="telegram:1")
        return turn["worker"].startswith(worker)

    await asyncio.sleep(1)  # what has died an hour ago is not noted anew
    await until(is_known_to_wait)
    model.finish.set()
    await until(one.settled)
    turn = await read_row(one.database, "turn", lane="telegram:1")
    assert turn["deaths"] == 5


class Watchful(FakeModel):
    """Notes how many are asked at the same time as the suspect."""

    def __init__(self) -> None:
        super().__init__()
        self.now: set[str] = set()
        self.beside: list[set[str]] = []

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        said = [each.text for each in request.messages if isinstance(each, UserMessage)][-1]
        self.now.add(said)
        for _ in range(20):
            if "suspect" in self.now:
                self.beside.append(set(self.now))
            await asyncio.sleep(0.02)
        self.now.discard(said)
        return reply(f"echo: {said}")


async def test_a_suspect_runs_while_no_other_turn_does(app: MakeApp) -> None:
    one = await app()
    await one.send("suspect")
    await _die(one, deaths=2)
    for chat in range(2, 8):
        await one.send("harmless", chat=str(chat))
    model = Watchful()
    await one.start(model)
    await until(one.settled)
    assert model.beside
    assert all(beside == {"suspect"} for beside in model.beside)
    assert all(one.said(str(chat)) == ["echo: harmless"] for chat in range(2, 8))


async def test_a_drain_is_no_death(app: MakeApp) -> None:
    one = await app(drain_seconds=0.1)
    for _ in range(10):
        model = Troubled(hangs=1)
        worker = await one.start(model)
        if not await read_rows(one.database, "inbox"):
            await one.send("it hangs")

        async def asked(model: Troubled = model) -> bool:
            return bool(model.asked)

        await until(asked)
        await worker.stop()
    await one.start(Troubled())
    assert await _said(one, 1) == ["echo: it hangs"]
    turn = await read_row(one.database, "turn")
    assert (turn["deaths"], turn["failures"]) == (0, 0)


async def test_who_runs_alone_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.gateway.runner._PATIENCE", 0.05)
    isolation, done = Isolation(), asyncio.Event()

    async def go_on(within: Any) -> None:
        async with within:
            await done.wait()

    other = asyncio.create_task(go_on(isolation.together()))
    await asyncio.sleep(0)
    async with isolation.alone():
        assert isolation.is_wanted
        late = asyncio.create_task(go_on(isolation.together()))
        await asyncio.sleep(0.01)
        done.set()
        await other
        assert not late.done()
    await late
    assert not isolation.is_wanted

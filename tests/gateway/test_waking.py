"""The end of a command in the background begins a turn of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.contracts import Outcome
from bot.gateway.waking import Waking
from bot.messages import UserMessage
from bot.sandbox import BackgroundEnd
from tests.fakes import FakeModel, reply
from tests.gateway.conftest import TestHouse, fetch, until
from tools import bash_execute

MakeHouse = Callable[..., Awaitable[TestHouse]]
ENDED = Outcome("42\n", 0, None, 1.5)


def waking_of(house: TestHouse) -> Waking:
    return Waking(house.database, house.house.inbox)


async def test_a_command_in_the_background_wakes_the_agent(house: MakeHouse) -> None:
    one = await house()
    await one.log_in()
    await one.send("/mode pro")
    model = FakeModel(
        reply("", ("bash_execute", '{"command": "#!bg\\necho $((6 * 7))"}')),
        reply("I have begun."),
        reply("It is 42."),
    )
    await one.start(model, [bash_execute.TOOL])
    await one.send("calculate it in the background")

    async def told() -> bool:
        return one.said()[-1:] == ["It is 42."]

    await until(told)
    assert one.said()[1:] == ["I have begun.", "It is 42."]
    newest = model.requests[-1].messages[-1]
    assert isinstance(newest, UserMessage)
    assert "has ended" in newest.text
    assert "42" in newest.text


async def _asked_in(house: TestHouse) -> int:
    """The number of a turn of a person who is logged in."""
    await house.log_in()
    await house.start(FakeModel(reply("begun"), reply("told")))
    await house.send("begin")
    await until(house.settled)
    [turn] = await fetch(house.database, "SELECT id FROM turn")
    return turn["id"]


async def test_the_end_is_told_once(house: MakeHouse) -> None:
    one = await house()
    key = f"telegram:1/{await _asked_in(one)}/1/call"
    for _ in range(2):
        end = BackgroundEnd("bg-1", "telegram:1", key, "true", ENDED)
        await waking_of(one).tell_end(end)
    await until(one.settled)
    assert one.said() == ["begun", "told"]


async def test_the_end_of_what_nobody_began_is_told_to_nobody(house: MakeHouse) -> None:
    one = await house()
    await _asked_in(one)
    end = BackgroundEnd("bg-1", "telegram:1", "telegram:1/999/1/call", "true", ENDED)
    await waking_of(one).tell_end(end)
    await until(one.settled)
    assert one.said() == ["begun"]

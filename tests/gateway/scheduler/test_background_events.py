"""The end of a command in the background, or of its process, begins a turn of its own."""

from __future__ import annotations

from structlog.testing import capture_logs

from bot.contracts.services import CommandResult
from bot.gateway.scheduler.background_events import BackgroundEvents
from bot.messages.transcript import UserMessage
from bot.sandbox.background import BackgroundEnd, BackgroundStart
from tests.support.app import MakeApp, TestApp
from tests.support.fakes import FakeModel, reply
from tests.support.queries import Plus, change_rows, read_row, read_rows, read_values
from tests.support.waiting import until
from tools import bash_execute

ENDED = CommandResult("42\n", 0, None, 1.5)


def waking_of(app: TestApp, *, lost_after: float = 60) -> BackgroundEvents:
    return BackgroundEvents(app.database, app.app.inbox, lost_after=lost_after)


async def test_a_command_in_the_background_wakes_the_agent(app: MakeApp) -> None:
    one = await app()
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
    assert await read_rows(one.database, "background") == []


async def _asked_in(app: TestApp) -> int:
    """The number of a turn of a person who is logged in."""
    await app.log_in()
    await app.start(FakeModel(reply("begun"), reply("told")))
    await app.send("begin")
    await until(app.settled)
    turn = await read_row(app.database, "turn")
    return turn["id"]


async def test_the_end_is_told_once(app: MakeApp) -> None:
    one = await app()
    key = f"telegram:1/{await _asked_in(one)}/1/call"
    for _ in range(2):
        end = BackgroundEnd("bg-1", "telegram:1", key, "true", ENDED)
        await waking_of(one).tell_end(end)
    await until(one.settled)
    assert one.said() == ["begun", "told"]


async def test_the_end_of_what_nobody_began_is_told_to_nobody(app: MakeApp) -> None:
    one = await app()
    await _asked_in(one)
    end = BackgroundEnd("bg-1", "telegram:1", "telegram:1/999/1/call", "true", ENDED)
    await waking_of(one).tell_end(end)
    await until(one.settled)
    assert one.said() == ["begun"]


async def test_a_command_whose_process_is_gone_is_told_once_as_lost(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    model = FakeModel(reply("begun"), reply("told"))
    await one.start(model)
    await one.send("begin")
    await until(one.settled)
    turn = await read_row(one.database, "turn")
    key = f"telegram:1/{turn['id']}/1/call"
    gone = waking_of(one, lost_after=0)
    await gone.note_start(BackgroundStart("bg-1", "telegram:1", key))
    with capture_logs() as logs:
        assert [await waking_of(one).tell_lost() for _ in range(2)] == [1, 0]
    await until(one.settled)
    assert one.said() == ["begun", "told"]
    newest = model.requests[-1].messages[-1]
    assert isinstance(newest, UserMessage)
    assert "bg-1 has ended.\nlost: what ran it came to a sudden end" in newest.text
    # The app's own scheduler may see it at the same moment, and tell nothing.
    assert {line["event"] for line in logs if line["log_level"] == "warning"} == {"background_lost"}


async def test_one_that_was_lost_and_is_started_again_is_told_when_it_ends(
    app: MakeApp,
) -> None:
    one = await app()
    await one.log_in()
    await one.start(FakeModel(reply("begun"), reply("lost"), reply("ended")))
    await one.send("begin")
    await until(one.settled)
    turn = await read_row(one.database, "turn")
    start = BackgroundStart("bg-1", "telegram:1", f"telegram:1/{turn['id']}/1/call")
    await waking_of(one, lost_after=0).note_start(start)
    here = waking_of(one)
    assert await here.tell_lost() == 1
    await until(one.settled)
    await here.note_start(start)
    await here.tell_end(BackgroundEnd(start.id, start.lane, start.key, "true", ENDED))
    await until(one.settled)
    assert one.said() == ["begun", "lost", "ended"]


async def test_what_runs_here_is_renewed_and_not_lost(app: MakeApp) -> None:
    one = await app()
    await _asked_in(one)
    here = waking_of(one)
    await here.note_start(BackgroundStart("bg-1", "telegram:1", "telegram:1/1/1/call"))
    await change_rows(one.database, "background", {"lost_at": Plus(-61)})
    assert await here.tell_lost() == 0
    assert await waking_of(one).tell_lost() == 0


async def test_a_command_that_is_started_again_elsewhere_is_no_more_the_first_ones(
    app: MakeApp,
) -> None:
    one = await app()
    await _asked_in(one)
    start = BackgroundStart("bg-1", "telegram:1", "telegram:1/1/1/call")
    owners: list[str] = []
    for _ in range(2):
        await waking_of(one).note_start(start)
        owners += await read_values(one.database, "background", "owner")
    assert len(set(owners)) == 2

from __future__ import annotations

from bot.messages.transcript import ToolResult
from tests.support.app import MakeApp
from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_row, read_rows
from tests.support.waiting import until
from tools.start_practice import TOOL


async def test_the_series_goes_on_without_the_model(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    call = ("start_practice", '{"skill": "maths.add-to-100", "count": 2}')
    model = FakeModel(reply("", call), reply("C’est parti."))
    await one.start(model, tools=[TOOL])
    await one.send("je veux m’entraîner")
    await until(one.settled)
    first = await read_row(one.database, "exercise")
    assert first["left_after"] == 1
    solution = first["body"].split('"solutions":["')[1].split('"')[0]
    await one.send(solution)
    await until(one.settled)
    states = [row["state"] for row in await read_rows(one.database, "exercise")]
    assert sorted(states) == ["open", "right"]
    assert len(model.requests) == 2


async def test_an_unknown_skill_names_the_nearest(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    call = ("start_practice", '{"skill": "cuisine moléculaire"}')
    model = FakeModel(reply("", call), reply("Je n’ai pas cela."))
    await one.start(model, tools=[TOOL])
    await one.send("je veux m’entraîner")
    await until(one.settled)
    [result] = [m for m in model.requests[1].messages if isinstance(m, ToolResult)]
    assert result.is_error
    assert "no exercises" in result.text

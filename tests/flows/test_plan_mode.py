"""Plan mode: nothing is done before the person has agreed, by a button on every channel."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable

import pytest

from bot.messages.transcript import ToolResult
from bot.settings import Settings
from tests.adapters.conformance.stage import MakeStage, Stage, staging
from tests.adapters.conformance.table import CLOUD, SMS, TELEGRAM, WHATSAPP
from tests.support.fakes import FakeModel, reply
from tests.support.queries import Above, change_rows, read_row, read_values

EVERYWHERE = pytest.mark.parametrize("name", [TELEGRAM, WHATSAPP, CLOUD, SMS])
ENTER = reply("", ("enter_plan_mode", '{"goal": "Une fiche"}'))
WRITE = ("generate_md", '{"filename": "fiche.md", "content": "# Les fractions"}')
PLAN = "1. Chercher le programme\n2. Rediger la fiche"
EXIT = reply("", ("exit_plan_mode", json.dumps({"plan": PLAN})))
ON = {"planner_mode": True}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


async def plan(one: Stage) -> None:
    """Awa asks for a sheet, and is shown the plan."""
    await one.log_in()
    await one.say("une fiche sur les fractions")
    await one.told(1)
    await one.settle()


def results(model: FakeModel, number: int) -> list[tuple[str, bool]]:
    """The tools' results that the model saw with request `number`."""
    seen = model.requests[number].messages
    return [(m.name, m.is_error) for m in seen if isinstance(m, ToolResult)]


async def state(one: Stage) -> str:
    return (await read_values(one.database, "approval", "state", order_by="created_at"))[-1]


@EVERYWHERE
async def test_the_plan_is_shown_with_buttons_and_carried_out_once_approved(
    stage: MakeStage, name: str
) -> None:
    model = FakeModel(ENTER, reply("", WRITE), EXIT, reply("", WRITE), reply("Voila ta fiche."))
    one = await stage(name, model, **ON)
    await plan(one)
    assert "Rediger la fiche" in one.driver.shown()[0]
    assert results(model, 2)[-1] == ("generate_md", True)  # it planned: only reading was allowed
    turn = await read_row(one.database, "turn", attempts=Above(0))
    assert turn["reason"] == "awaiting_approval"
    await one.choose("Valider")
    await one.heard("Voila ta fiche.")
    await one.settle()
    assert results(model, 4)[-1] == ("generate_md", False)
    assert await state(one) == "approved"


async def test_what_was_asked_can_be_answered_without_credits(stage: MakeStage) -> None:
    model = FakeModel(ENTER, EXIT, reply("Entendu."))
    one = await stage(TELEGRAM, model, **ON)
    await plan(one)
    await change_rows(one.database, "account", {"balance": 0})
    await one.choose("Annuler")
    await one.heard("Entendu.")
    await one.settle()
    assert await state(one) == "cancelled"


@pytest.mark.parametrize("name", [WHATSAPP, CLOUD])
async def test_a_second_press_changes_nothing(stage: MakeStage, name: str) -> None:
    model = FakeModel(ENTER, EXIT, reply("Entendu."))
    one = await stage(name, model, **ON)
    await plan(one)
    await one.choose("Annuler")
    await one.heard("Entendu.")
    await one.choose("Valider")
    await one.settle()
    assert await state(one) == "cancelled"
    assert len(model.requests) == 3


async def test_changes_are_planned_on_before_anything_runs(stage: MakeStage) -> None:
    model = FakeModel(
        ENTER, EXIT, reply("Que veux-tu changer ?"), reply("", WRITE), EXIT, reply("Fait.")
    )
    one = await stage(TELEGRAM, model, **ON)
    await plan(one)
    await one.choose("Modifier")
    await one.heard("Que veux-tu changer ?")
    await one.say("plus court")
    await one.told(3)
    await one.settle()
    assert results(model, 4)[-1] == ("generate_md", True)
    assert await state(one) == "pending"


async def test_words_instead_of_a_decision_drop_the_plan_and_the_model_is_told(
    stage: MakeStage,
) -> None:
    model = FakeModel(ENTER, EXIT, reply("Bien sûr."))
    one = await stage(TELEGRAM, model, **ON)
    await plan(one)
    await one.say("Explique-moi plutôt Thalès")
    await one.heard("Bien sûr.")
    await one.settle()
    said = str(model.requests[2].messages[-1])
    assert "I have not approved the plan" in said
    assert "Thalès" in said
    assert await state(one) == "dropped"
    await one.choose("Valider")
    await one.heard("C’est déjà décidé.")
    assert len(model.requests) == 3


async def test_off_means_refused_even_when_it_is_named(stage: MakeStage) -> None:
    model = FakeModel(ENTER, reply("Sans plan, alors."))
    one = await stage(TELEGRAM, model)
    await plan(one)
    assert results(model, 1) == [("enter_plan_mode", True)]
    assert not any("plan_mode" in tool.name for tool in model.requests[0].tools)


async def test_a_new_conversation_plans_no_longer(stage: MakeStage) -> None:
    model = FakeModel(ENTER, reply("Une question d'abord."), reply("", WRITE), reply("Voilà."))
    one = await stage(TELEGRAM, model, **ON)
    await plan(one)
    await one.say("/new")
    await one.told(2)
    await one.say("une fiche")
    await one.heard("Voilà.")
    assert results(model, 3)[-1] == ("generate_md", False)

"""Jobs that are begun in a chat: offered, begun, asked after, stopped, and their result brought."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.contracts.storage import Transaction
from bot.errors import ModelRefused
from bot.settings import Settings
from bot.standins.twilio import NUMBERS
from tests.adapters.conformance.driver import AWA, BINTA
from tests.adapters.conformance.stage import (
    BAMAKO,
    MakeStage,
    SlowModel,
    Stage,
    quiz,
    staging,
)
from tests.adapters.conformance.table import CLOUD, SMS, TELEGRAM, WHATSAPP
from tests.support.fakes import FakeModel, reply
from tests.support.queries import Above, Like, change_rows, read_row, read_rows, read_values
from tests.support.waiting import until

EVERYWHERE = pytest.mark.parametrize("name", [TELEGRAM, WHATSAPP, CLOUD, SMS])
LOOK = reply("", ("list_user_files", "{}"))
OFFER = "Cela va prendre du temps."
BEGUN = "Je le fais en arrière-plan"
TASK = "/job une synthese de mes cours"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


async def begin(one: Stage, words: str = TASK) -> None:
    """Awa, logged in, begins a job."""
    await one.log_in()
    await one.say(words)
    await one.heard(BEGUN)


async def books(one: Stage) -> tuple[int, int]:
    """Awa's balance, and the sum of her entries in the ledger."""

    async def read(tx: Transaction) -> tuple[int, int]:
        account = await read_row(tx, "account", phone=AWA)
        entries = await read_values(tx, "ledger", "amount", account=account["id"])
        return account["balance"], sum(entries)

    return await one.database.read(read)


@EVERYWHERE
async def test_an_answer_cut_short_goes_on_in_the_background_if_they_want(
    stage: MakeStage, name: str
) -> None:
    model = FakeModel(LOOK, reply("Le debut."), LOOK, reply("Et voici la fin."))
    one = await stage(name, model, max_iterations=2)
    await one.log_in()
    await one.say("une longue synthese")
    await one.heard("Le debut.")
    await one.heard(OFFER)
    await one.settle()
    if name == SMS:
        await one.say("/job")
    else:
        await one.choose("Continuer")
    await one.heard("Et voici la fin.")
    await one.settle()
    seen = [str(message) for message in model.requests[2].messages]
    assert any("Le debut." in text for text in seen)
    assert "Go on in the background" in seen[-1]
    balance, total = await books(one)
    assert balance == total
    charged = await read_rows(one.database, "turn", order_by="id", attempts=Above(0))
    assert [row["credits"] > 0 for row in charged] == [True, True]
    assert one.words().count("Et voici la fin.") == 1
    assert [text for text in one.words() if OFFER in text][1:] == []  # a job is not offered again


@EVERYWHERE
async def test_an_apology_for_a_limit_and_the_offer_are_one_message(
    stage: MakeStage, name: str
) -> None:
    one = await stage(name, FakeModel(LOOK, reply(""), reply("La voici.")), max_iterations=2)
    await one.log_in()
    before = len(one.words())
    await one.say("une longue synthese")
    await one.heard("trop pour une seule")
    await one.settle()
    [told] = one.words()[before:]
    assert "en arrière-plan" in told
    assert "autrement" not in told
    if name == SMS:
        await one.say("/job")
    else:
        await one.choose("Continuer")
    await one.heard("La voici.")


async def test_a_job_that_has_no_time_says_so_and_is_not_offered_again(stage: MakeStage) -> None:
    one = await stage(TELEGRAM, FakeModel(), job_timeout=0)
    await begin(one)
    await one.heard("pas eu le temps")
    await one.settle()
    told = one.words()[-1]
    assert "Réessaie" in told
    assert "en arrière-plan" not in told


async def test_the_conversation_goes_on_meanwhile_and_says_how_the_job_stands(
    stage: MakeStage,
) -> None:
    model = SlowModel(reply("Bonjour aussi."), reply("La synthese."), reply("Oui."))

    class Model(FakeModel):
        """The job's request waits; the chat's does not."""

        async def ask(self, request: Any, emit: Any) -> Any:
            words = str(request.messages[-1])
            if "synthese de mes cours" in words:
                model.begun.set()
                await model.may_go_on.wait()
                return reply("La synthese.")
            return reply("Bonjour aussi." if "bonjour" in words else "Oui.")

    one = await stage(TELEGRAM, Model())
    await begin(one)
    await model.begun.wait()
    await one.say("bonjour")
    await one.heard("Bonjour aussi.")
    await one.say("/job")
    await one.heard("étape 1")
    model.may_go_on.set()
    await one.heard("La synthese.")
    await one.say("/job")
    await one.heard("Écris à la suite")


@pytest.mark.parametrize("name", [TELEGRAM, WHATSAPP, SMS])
async def test_stop_ends_it(stage: MakeStage, name: str) -> None:
    model = SlowModel(reply("Trop tard."))
    one = await stage(name, model)
    await begin(one)
    await model.begun.wait()
    await one.say("/stop")

    async def ended() -> bool:
        rows = await read_rows(one.database, "turn", attempts=Above(0))
        return [row["reason"] for row in rows] == ["cancelled"]

    await until(ended)
    await one.settle()
    assert not any("Trop tard." in text for text in one.words())
    balance, total = await books(one)
    assert balance == total


@pytest.mark.parametrize("name", [WHATSAPP, CLOUD])
async def test_outside_the_window_a_template_says_that_it_is_done(
    stage: MakeStage, name: str
) -> None:
    model = SlowModel(reply("La synthese est prete."), reply("De rien."))
    one = await stage(name, model)
    await begin(one)
    await model.begun.wait()
    await one.settle_but_jobs()
    await one.go_silent()
    model.may_go_on.set()
    await one.heard("Du nouveau : La synthese")
    assert "La synthese est prete." not in one.words()
    await one.say("merci")
    await one.heard("De rien.")
    assert one.words().count("La synthese est prete.") == 1


async def test_outside_the_window_without_a_template_it_comes_by_sms(stage: MakeStage) -> None:
    model = SlowModel(reply("La synthese est prete."))
    no_template = {"twilio_template_sid": "", "twilio_sms_from": NUMBERS["sms"]}
    one = await stage(WHATSAPP, model, **no_template)
    await begin(one)
    await model.begun.wait()
    await one.settle_but_jobs()
    await one.go_silent()
    model.may_go_on.set()
    driver: Any = one.driver

    def by_sms() -> list[str]:
        return [message.body for message in driver.twilio.chat(AWA, "sms")]

    await one.until(by_sms)
    assert by_sms() == ["La synthese est prete."]


@pytest.mark.parametrize("name", [TELEGRAM, WHATSAPP])
async def test_one_that_fails_is_told_of_once_and_costs_nothing(
    stage: MakeStage, name: str
) -> None:
    one = await stage(name, FakeModel(ModelRefused("no")))
    await begin(one)
    await one.heard("de mon côté")
    await one.settle()
    assert len([text for text in one.words() if "de mon côté" in text]) == 1
    row = await read_row(one.database, "turn", attempts=Above(0))
    assert not row["credits"]


@EVERYWHERE
async def test_a_quiz_that_it_makes_is_answered_in_the_chat(stage: MakeStage, name: str) -> None:
    one = await stage(name, FakeModel(quiz(), reply("Un quiz.")))
    await begin(one, "/job un quiz sur le Mali")
    await one.heard("capitale")
    await one.settle()
    if name == SMS:
        await one.say("2")
    else:
        await one.choose("Bamako")
    await one.heard(BAMAKO)


async def test_without_credits_it_does_not_run_and_says_so_in_the_chat(stage: MakeStage) -> None:
    one = await stage(TELEGRAM, FakeModel())
    await one.log_in()
    await change_rows(one.database, "account", {"balance": 0})
    await one.say(TASK)
    await one.heard("plus de crédits")
    await one.settle()
    assert [title for title, _ in one.driver.options()] == ["Acheter des crédits"]
    assert not any(BEGUN in text for text in one.words())


async def test_guests_have_no_jobs(stage: MakeStage) -> None:
    one = await stage(TELEGRAM, FakeModel())
    await one.say(TASK, BINTA)
    await one.until(lambda: any("/connexion" in text for text in one.driver.shown(BINTA)))


async def test_erasure_takes_the_job_with_it(stage: MakeStage) -> None:
    model = SlowModel(reply("Un secret."))
    one = await stage(TELEGRAM, model)
    await begin(one)
    await model.begun.wait()
    await one.say("/delete")
    await one.heard("/supprimer confirmer")
    await one.say("/delete confirm")

    async def erased() -> bool:
        return await read_rows(one.database, "lane", erased=0) == []

    async def gone() -> bool:
        return await read_rows(one.database, "lane", id=Like("%job:%")) == []

    await until(erased)
    model.may_go_on.set()
    await until(gone)
    assert not any("Un secret." in text for text in one.words())
    assert await read_rows(one.database, "inbox", body=Like("%synthese%")) == []


async def test_an_offer_is_taken_up_once(stage: MakeStage) -> None:
    model = FakeModel(LOOK, reply("Le debut."), reply("Et voici la fin."))
    one = await stage(TELEGRAM, model, max_iterations=2)
    await one.log_in()
    await one.say("une longue synthese")
    await one.heard(OFFER)
    await one.settle()
    await one.choose("Continuer")
    await one.heard("Et voici la fin.")
    await one.settle()
    await one.say("/job")
    await one.heard("Écris à la suite")


async def test_a_second_one_is_not_taken_in_silence(stage: MakeStage) -> None:
    model = SlowModel(reply("La premiere."))
    one = await stage(TELEGRAM, model)
    await begin(one)
    await model.begun.wait()
    await one.say("/job une autre")
    await one.heard("je n’ai pas commencé celui-ci")
    model.may_go_on.set()
    await one.heard("La premiere.")


async def test_the_result_does_not_come_to_a_chat_that_was_logged_out(stage: MakeStage) -> None:
    model = SlowModel(reply("Un secret."))
    one = await stage(TELEGRAM, model)
    await begin(one)
    await model.begun.wait()
    await one.say("/logout")
    await one.until(lambda: len(one.driver.shown()) >= 2)
    model.may_go_on.set()

    async def ended() -> bool:
        rows = await read_rows(one.database, "turn", lane=Like("%job:%"), attempts=Above(0))
        return [row["state"] for row in rows] == ["done"]

    await until(ended)
    await one.settle()
    assert not any("Un secret." in text for text in one.words())

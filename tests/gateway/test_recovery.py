"""What fails in the middle, and what is run again: nothing lost, nothing asked or charged twice."""

from __future__ import annotations

from typing import Any

import pytest

from bot.accounts import ledger
from bot.contracts.models import ModelRequest
from bot.errors import ModelUnavailable
from bot.events import Emit
from bot.gateway.conversation_history import read_conversation_events
from bot.gateway.inbound.inbox import Pending
from bot.gateway.lanes import Lanes
from bot.gateway.turns.open import TurnOpener
from bot.gateway.turns.state import OpenedTurn
from bot.messages.incoming import Reacted
from bot.messages.transcript import ModelReply, UserMessage
from tests.support.app import MakeApp, update
from tests.support.fakes import FakeModel, reply
from tests.support.queries import Not, change_rows, read_row, read_rows, read_values
from tests.support.waiting import until


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    # A failed turn is tried again after a second; a test need not wait for it.
    monkeypatch.setattr("bot.gateway.turns.retry._RETRY_PAUSES", (0.01,))


async def test_a_turn_whose_opening_failed_is_begun_anew(
    app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await app(welcome_credits=50)
    account = await one.log_in()
    whole = TurnOpener.open
    failures = [ConnectionError("the database is away")]

    async def fail_once(self: TurnOpener, *args: Any) -> OpenedTurn:
        if failures:
            raise failures.pop()
        return await whole(self, *args)

    monkeypatch.setattr(TurnOpener, "open", fail_once)  # no real part fails just here, just once
    model = FakeModel(reply("answered"))
    await one.start(model)
    await one.send("my question")
    await until(one.settled)
    assert one.said() == ["answered"]
    assert [m.text for m in model.requests[0].messages if isinstance(m, UserMessage)] == [
        "my question"
    ]
    _, entries = await ledger.entries(one.database, account)
    assert [entry.kind for entry in entries] == ["welcome", "reserve", "settle"]


@pytest.mark.parametrize("logged_in", [True, False])
async def test_an_opening_run_again_admits_once(app: MakeApp, logged_in: bool) -> None:
    one = await app(rate_limit_per_minute=1, guest_daily_messages=1, welcome_credits=50)
    if logged_in:
        await one.log_in()
    sent = update("a question")
    [seq] = await one.app.inbox.store([sent])
    [claim] = await Lanes(one.database, 15, ["fake"]).claim(1)
    opening = one.app.turn_opener

    async def work(tx: Any) -> OpenedTurn:
        return await opening.open(tx, claim, Pending(seq or 0, sent))

    first, again = await one.database.write(work), await one.database.write(work)
    assert first.held == again.held
    assert [message.text for message in again.record.user] == ["a question"]


async def test_stop_between_two_attempts_cancels_the_turn(
    app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "bot.gateway.turns.retry._RETRY_PAUSES", (60.0,)
    )  # it waits for its next attempt
    one = await app()
    await one.start(FakeModel(ModelUnavailable("down")))
    await one.send("a question")
    await until(lambda: read_rows(one.database, "turn", error=Not("")))
    await one.send("/stop")
    await until(one.settled)
    assert one.said() == ["Stopped."]
    assert (await read_values(one.database, "turn", "reason"))[0] == "cancelled"


@pytest.mark.parametrize("bypass_queue", [0, 1])
async def test_an_update_that_cannot_be_read_blocks_nothing_behind_it(
    app: MakeApp, bypass_queue: int
) -> None:
    one = await app()
    await one.send("unreadable", "readable")
    await change_rows(
        one.database,
        "inbox",
        {"body": '{"channel": "pigeon"}', "bypass_queue": bypass_queue},
        seq=1,
    )
    await one.start(FakeModel(reply("answer")))
    await until(one.settled)
    assert one.said() == ["answer"]
    row = await read_row(one.database, "inbox", seq=1)
    assert row["state"] == "dead"


async def test_reactions_and_commands_do_not_use_up_the_pace(app: MakeApp) -> None:
    one = await app(rate_limit_per_minute=1)
    await one.start(FakeModel(reply("answer")))
    for content in (Reacted("👍"), Reacted("👍"), "/help", "a question"):
        await one.send(content)
        await until(one.settled)
    assert one.said()[-1] == "answer"


async def test_what_was_said_before_is_remembered_whole(app: MakeApp) -> None:
    one = await app()
    model = FakeModel(*[reply("x" * 15_000)] * 4, reply("last"))
    await one.start(model)
    for number in range(5):
        await one.send(f"question {number}")
        await until(one.settled)
    seen = sum(len(str(message)) for message in model.requests[-1].messages[1:])
    assert seen > 60_000


async def test_an_apology_costs_nothing(app: MakeApp) -> None:
    one = await app(welcome_credits=50)
    account = await one.log_in()
    await one.start(FakeModel(reply("")))
    await one.send("a")
    await until(one.settled)
    balance, _ = await ledger.entries(one.database, account)
    assert balance == 50


async def test_a_person_does_not_see_answers_or_inner_errors_in_their_events(
    app: MakeApp,
) -> None:
    one = await app()
    quiz = '{"question": "2+2?", "correct_index": 1, "explanation": "because", "is_true": true}'
    failure = ModelUnavailable("postgres://user:secret@host")

    class Failing(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            if len(self.requests) == 1:
                raise failure
            return await super().ask(request, emit)

    await one.log_in()
    await one.start(Failing(reply("", ("interactive_quiz", quiz))))
    await one.send("a quiz")

    async def failed() -> bool:
        return bool(await read_rows(one.database, "turn", error=Not("")))

    await until(failed)
    shown = str(await read_conversation_events(one.database, "telegram:1", reader=0))
    assert "2+2?" in shown
    for secret in ("correct_index", "because", "is_true", "secret"):
        assert secret not in shown
    assert "secret" in str(await read_conversation_events(one.database, "telegram:1"))

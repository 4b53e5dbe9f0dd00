"""Long conversations are summarised between turns, and whatever goes wrong, nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest

from bot.agent.context_window import ContextWindow
from bot.agent.trim_conversation import SUMMARY_HEAD
from bot.contracts.models import ModelRequest
from bot.errors import LeaseLost, ModelUnavailable
from bot.events import Emit
from bot.gateway.turns.compaction import Compaction
from bot.gateway.turns.journal import append_rows
from bot.messages.transcript import ModelReply, SystemMessage
from bot.messages.value import encode
from tests.support.app import MakeApp, TestApp
from tests.support.fakes import FakeModel, reply
from tests.support.outbox import RerunDatabase
from tests.support.queries import NOW, add_row, change_rows, read_row, read_rows, read_values
from tests.support.turns import lose_to_another, make_user_messages, store_and_claim
from tests.support.waiting import until
from tools import TOOLS

SMALL = '{"fake": {"context_window": 3000}}'
UTILITY = "small-model"


class Tutor(FakeModel):
    """Answers at length; summaries come from `summaries`, one after the other."""

    def __init__(self, *summaries: ModelReply | Exception) -> None:
        super().__init__()
        self._summaries = list(summaries)
        self.summarised: list[ModelRequest] = []

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        if request.model == UTILITY:
            self.summarised.append(request)
            answer = self._summaries.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        number = len(self.requests)
        self.add(reply(f"answer {number} " + "bla " * 300))
        return await super().ask(request, emit)


@pytest.fixture
async def small(app: MakeApp) -> TestApp:
    one = await app(model="fake", model_capabilities=SMALL, utility_model=UTILITY)
    await one.log_in()
    return one


async def converse(one: TestApp, turns: int) -> None:
    for number in range(turns):
        await one.send(f"question {number}")
        await until(one.settled)


def heads(request: ModelRequest) -> list[str]:
    """How the system messages of a request begin."""
    return [m.text[: len(SUMMARY_HEAD)] for m in request.messages if isinstance(m, SystemMessage)]


async def summarised(one: TestApp) -> int:
    return max(await read_values(one.database, "lane", "summarised"))


async def test_the_older_half_becomes_one_message(small: TestApp) -> None:
    tutor = Tutor(*[reply(f"Awa learns fractions, {n}.") for n in range(9)])
    await small.start(tutor)
    await converse(small, 18)
    assert tutor.summarised
    last = tutor.requests[-1]
    assert heads(last)[1] == SUMMARY_HEAD
    texts = [str(message) for message in last.messages]
    assert not any("question 0" in text for text in texts)
    assert any("question 16" in text for text in texts)
    assert await summarised(small) > 0


async def test_the_turns_themselves_are_kept(small: TestApp) -> None:
    await small.start(Tutor(*[reply("In short.")] * 9))
    await converse(small, 18)
    rows = await read_rows(small.database, "journal", kind="user")
    assert len(rows) == 18


async def test_nothing_is_cut_before_it_is_summarised_however_much_room_the_tools_take(
    app: MakeApp,
) -> None:
    window = '{"fake": {"context_window": 17200}}'
    one = await app(model="fake", model_capabilities=window, utility_model=UTILITY)
    await one.log_in()
    tutor = Tutor(*[reply(f"Summary {n}.") for n in range(9)])
    await one.start(tutor, list(TOOLS))
    await converse(one, 36)
    for request in tutor.requests:
        told = str(request.messages)
        assert "question 0" in told or "Summary" in told
    assert tutor.summarised


async def test_no_summary_is_made_of_the_answers_of_quizzes(small: TestApp) -> None:
    told = '{"question": "2+2?", "correct_index": 3, "explanation": "because"}'
    tutor = Tutor(*[reply("In short.")] * 9)
    await small.start(tutor)
    await converse(small, 1)
    call = encode(reply("", ("interactive_quiz", told)))
    await change_rows(small.database, "journal", {"body": call}, kind="reply")
    await converse(small, 18)
    seen = str(tutor.summarised[0].messages)
    assert "2+2?" in seen
    assert "because" not in seen
    assert "correct_index" not in seen


async def test_a_summary_that_fails_again_and_again_is_left_for_a_while(small: TestApp) -> None:
    tutor = Tutor(*[reply("")] * 9)
    await small.start(tutor)
    await converse(small, 18)
    assert len(tutor.summarised) == 2


async def test_a_second_summary_is_made_of_the_first(small: TestApp) -> None:
    tutor = Tutor(*[reply(f"Summary {n}.") for n in range(9)])
    await small.start(tutor)
    await converse(small, 24)
    assert len(tutor.summarised) > 1
    assert "Summary 0." in str(tutor.summarised[1].messages)


@pytest.mark.parametrize(
    "failure", [ModelUnavailable("away"), TimeoutError(), reply(""), reply("x" * 20_000)]
)
async def test_a_failed_summary_loses_nothing_and_is_tried_again(
    small: TestApp, failure: Any
) -> None:
    tutor = Tutor(failure, reply("At last."), *[reply("Later.")] * 9)
    await small.start(tutor)
    await converse(small, 18)
    assert len(tutor.summarised) >= 2
    first, second = tutor.summarised[:2]
    assert "question 0" in str(first.messages)
    assert "question 0" in str(second.messages)
    assert await summarised(small) > 0


async def test_a_new_conversation_begins_without_the_old_summary(small: TestApp) -> None:
    tutor = Tutor(*[reply("Awa learns fractions.")] * 9)
    await small.start(tutor)
    await converse(small, 18)
    await small.send("/new")
    await until(small.settled)
    await converse(small, 1)
    assert SUMMARY_HEAD not in heads(tutor.requests[-1])


async def test_a_turn_is_summarised_whole_or_not_at_all(app: MakeApp) -> None:
    """What the person said while a turn ran begins no turn of its own."""
    one = await app(utility_model=UTILITY)
    claim, _ = await store_and_claim(one.database)
    lines = [f"question {turn}" for turn in range(2, 12)]
    interrupted = ["a question", *["aside: " + "well " * 80] * 12]
    rows = [(turn, 0, line) for turn, line in enumerate(lines, 2)]
    rows += [(20, step, line) for step, line in enumerate(interrupted)]
    rows += [(turn, 0, "more") for turn in range(30, 42)]

    async def write(tx: Any) -> None:
        for turn, step, line in rows:
            exchange = [
                ("user", encode(make_user_messages(line)[0])),
                ("reply", encode(reply("I see."))),
            ]
            await append_rows(tx, claim.lane, turn, 2 * step, exchange)

    await one.database.write(write)
    tutor, parts = Tutor(reply("In short.")), one.app.context
    window = ContextWindow(parts.settings)
    await Compaction(one.database, tutor, window, parts.settings, parts.metrics).compact(
        claim, "en"
    )
    assert await summarised(one) in {11, 20}
    asked = str(tutor.summarised[0].messages)
    assert asked.count("aside") == (12 if await summarised(one) == 20 else 0)


async def test_whoever_lost_the_lane_meanwhile_changes_nothing(app: MakeApp) -> None:
    one = await app(utility_model=UTILITY)
    claim, _ = await store_and_claim(one.database)

    async def write(tx: Any) -> None:
        for turn in range(2, 20):
            exchange = [
                ("user", encode(make_user_messages("q")[0])),
                ("reply", encode(reply("I see."))),
            ]
            await append_rows(tx, claim.lane, turn, 0, exchange)

    await one.database.write(write)

    class Slow(Tutor):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            await lose_to_another(one.database)
            return await super().ask(request, emit)

    parts = one.app.context
    window = ContextWindow(parts.settings)
    compaction = Compaction(
        one.database, Slow(reply("In short.")), window, parts.settings, parts.metrics
    )
    with pytest.raises(LeaseLost):
        await compaction.compact(claim, "en")
    assert await summarised(one) == -1
    assert await read_rows(one.database, "journal", kind="summary") == []


async def test_what_a_summary_costs_is_in_the_books_at_our_expense(small: TestApp) -> None:
    await small.start(Tutor(*[reply("In short.", usd=0.25)] * 9))
    await converse(small, 18)
    rows = await read_rows(small.database, "spending", kind="summary")
    assert rows
    assert {(row["calls"], row["usd"]) for row in rows} == {(1, 0.25)}
    assert sum(await read_values(small.database, "turn", "usd")) > 0.25
    assert max(await read_values(small.database, "turn", "credits")) == 1


async def test_it_is_in_the_books_once_though_its_commit_was_not_seen(app: MakeApp) -> None:
    one = await app(utility_model=UTILITY)
    claim, _ = await store_and_claim(one.database)

    async def write(tx: Any) -> None:
        await add_row(tx, "turn", lane=claim.lane, id=19, account=1, state="done", started_at=NOW)
        for turn in range(2, 20):
            exchange = [
                ("user", encode(make_user_messages("q")[0])),
                ("reply", encode(reply("I see."))),
            ]
            await append_rows(tx, claim.lane, turn, 0, exchange)

    await one.database.write(write)
    parts, tutor = one.app.context, Tutor(reply("In short.", usd=0.25))
    rerun: Any = RerunDatabase(one.database, committed=True)
    compaction = Compaction(
        rerun, tutor, ContextWindow(parts.settings), parts.settings, parts.metrics
    )
    await compaction.compact(claim, "en")
    spent = await read_row(one.database, "turn", id=19)
    assert spent["usd"] == 0.25

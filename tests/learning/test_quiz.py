from __future__ import annotations

import asyncio
import dataclasses
import json
import subprocess
import sys
from dataclasses import replace

import msgspec
import pytest

from bot.contracts.services import Quiz, ToolContext
from bot.contracts.storage import Database, Row, Transaction
from bot.errors import BadRequest, NotFound, ToolFailed
from bot.files.store import FileStore
from bot.learning.quiz import AlreadyAnswered, Expired, Graded, NotYours, Quizzes, answer_quiz
from bot.learning.remembered_facts import Memory
from bot.messages.channels import Channel
from bot.messages.outgoing import AskQuiz
from bot.messages.value import encode
from bot.settings import Settings
from bot.storage.blobs import open_blobs
from tests.support.fakes import make_services, tool_context
from tests.support.queries import FromNow, change_rows, count_rows, read_clock, read_row, read_rows

CAPITAL = Quiz(
    kind="interactive_quiz",
    question="Quelle est la capitale du Sénégal ?",
    options=("Bamako", "Dakar", "Abidjan"),
    correct_index=1,
    explanation="Depuis 1958.",
)


def test_a_start_loads_neither_checks_of_keys_nor_the_search_for_leaks() -> None:
    late = {"bot.maths.questions.answer_verdicts", "bot.learning.leaks.leak_guard"}
    code = f"import sys, bot.app; sys.exit(not {late}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture
def quizzes(database: Database) -> Quizzes:
    return Quizzes(database)


@pytest.fixture
def context(settings: Settings, database: Database, quizzes: Quizzes) -> ToolContext:
    files = FileStore(database, open_blobs(settings))
    services = make_services(files=files, memory=Memory(database), quizzes=quizzes)
    return tool_context(settings=settings, services=services)


async def give(database: Database, quiz: AskQuiz, index: int, account: int = 7) -> Graded:
    return await database.write(lambda tx: answer_quiz(tx, quiz.id, index, account=account))


async def expire(database: Database) -> None:
    async def work(tx: Transaction) -> int:
        return await change_rows(tx, "quiz", {"expires_at": FromNow(-1)})

    await database.write(work)


async def fetch(database: Database, sql: str) -> list[Row]:
    async def work(tx: Transaction) -> list[Row]:
        return await tx.fetch(sql)

    return await database.read(work)


async def test_what_is_shown_holds_no_answer_and_opaque_tokens(
    quizzes: Quizzes, context: ToolContext
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    other = await quizzes.ask(replace(CAPITAL, correct_index=2, explanation="?"), context)
    assert encode(asked) == encode(other)
    assert len(set(asked.tokens)) == 3
    assert all(16 <= len(token) <= 64 for token in asked.tokens)


async def test_the_buttons_are_bound_to_the_lane_and_the_person(
    quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    rows = {row["token"]: row for row in await read_rows(database, "button")}
    assert set(rows) == set(asked.tokens)
    for index, token in enumerate(asked.tokens):
        row = rows[token]
        assert (row["lane"], row["address"]) == ("telegram:42", "42")
        assert json.loads(row["action"]) == {"quiz": asked.id, "index": index}
        assert row["expires_at"] >= asked.expires_at


async def test_it_can_be_answered_for_a_day(
    quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    assert asked.expires_at - await read_clock(database) == pytest.approx(24 * 3600, abs=30)


async def test_the_same_call_asked_again_keeps_one_quiz(
    quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await asyncio.gather(*(quizzes.ask(CAPITAL, context) for _ in range(3)))
    assert asked[0] == asked[1] == asked[2]
    assert await count_rows(database, "quiz") == 1
    assert await count_rows(database, "button") == 3


async def test_another_call_is_another_quiz_with_other_tokens(
    quizzes: Quizzes, context: ToolContext
) -> None:
    one = await quizzes.ask(CAPITAL, context)
    two = await quizzes.ask(CAPITAL, replace(context, key="telegram:42/1/call-2"))
    assert one.id != two.id
    assert not set(one.tokens) & set(two.tokens)


async def test_tokens_cannot_be_told_without_the_secret(
    quizzes: Quizzes, context: ToolContext
) -> None:
    other_house = replace(context, settings=Settings(secret_key="another"))
    one = await quizzes.ask(CAPITAL, context)
    two = await quizzes.ask(CAPITAL, other_house)
    assert not set(one.tokens) & set(two.tokens)


@pytest.mark.parametrize(("index", "correct"), [(0, False), (1, True), (2, False)])
async def test_an_answer_is_graded_and_explained(
    index: int, correct: bool, quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    graded = await give(database, asked, index)
    assert graded == Graded(correct, 1, "Depuis 1958.", CAPITAL.question, CAPITAL.options)


async def test_of_answers_at_the_same_moment_one_counts(
    quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    outcomes = await asyncio.gather(
        *(give(database, asked, index % 3) for index in range(8)), return_exceptions=True
    )
    assert sum(isinstance(outcome, Graded) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, AlreadyAnswered) for outcome in outcomes) == 7


async def test_the_first_answer_stays_also_after_the_time_is_over(
    quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    await give(database, asked, 0)
    await expire(database)
    with pytest.raises(AlreadyAnswered):
        await give(database, asked, 1)
    row = await read_row(database, "quiz")
    assert row["answered_index"] == 0


async def test_a_late_answer_does_not_count(
    quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    await expire(database)
    with pytest.raises(Expired):
        await give(database, asked, 1)
    row = await read_row(database, "quiz")
    assert row["answered_at"] is None


async def test_nobody_answers_for_another(
    quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    with pytest.raises(NotYours):
        await give(database, asked, 1, account=8)
    assert (await give(database, asked, 1)).correct


@pytest.mark.parametrize("index", [-1, 3, 10**12])
async def test_an_option_that_is_not_there_is_no_answer_yet(
    index: int, quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    with pytest.raises(BadRequest):
        await give(database, asked, index)
    assert (await give(database, asked, 1)).correct


async def test_an_unknown_quiz_is_not_found(database: Database) -> None:
    with pytest.raises(NotFound):
        await database.write(lambda tx: answer_quiz(tx, "nothing", 0, account=7))


@pytest.mark.parametrize(("channel", "refused"), [("sms", True), ("telegram", False)])
async def test_by_sms_no_option_is_a_word_that_the_carrier_acts_on(
    channel: Channel, refused: bool, quizzes: Quizzes, context: ToolContext
) -> None:
    person = msgspec.structs.replace(context.person, channel=channel)
    told = dataclasses.replace(context, person=person)
    quiz = dataclasses.replace(CAPITAL, options=("Yes", "END ", "no"))
    if refused:
        with pytest.raises(ToolFailed, match="Yes, END"):
            await quizzes.ask(quiz, told)
    else:
        assert (await quizzes.ask(quiz, told)).options == quiz.options


async def test_an_answer_that_counts_enters_the_results_once(
    quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    await give(database, asked, 0)
    with pytest.raises(AlreadyAnswered):
        await give(database, asked, 1)
    row = await read_row(database, "result")
    assert (row["account"], row["source"], row["correct"], row["subject"]) == (7, "quiz", 0, "")


async def test_an_answer_that_does_not_count_enters_no_result(
    quizzes: Quizzes, context: ToolContext, database: Database
) -> None:
    asked = await quizzes.ask(CAPITAL, context)
    with pytest.raises(NotYours):
        await give(database, asked, 1, account=8)
    await expire(database)
    with pytest.raises(Expired):
        await give(database, asked, 1)
    assert await read_rows(database, "result") == []

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.contracts.services import ExerciseScore, ToolContext
from bot.contracts.storage import Database, Row
from bot.errors import ToolFailed
from bot.learning.progress import SubjectScore
from bot.learning.results import Results, read_progress
from tests.support.fakes import tool_context
from tests.support.queries import FromNow, Plus, change_rows, read_rows


@pytest.fixture
def exercises(database: Database) -> Results:
    return Results(database)


@pytest.fixture
def context() -> ToolContext:
    return tool_context()


def call(context: ToolContext, number: int, account: int = 7) -> ToolContext:
    """Another call, perhaps of another account."""
    return replace(context, key=f"telegram:42/{account}/{number}", account=account)


async def rows(database: Database) -> list[Row]:
    return await read_rows(database, "result", order_by="at")


async def test_a_result_is_kept_with_its_subject_folded(
    exercises: Results, context: ToolContext, database: Database
) -> None:
    score = await exercises.report(
        "Mathématiques", correct=True, topic=" les\nfractions\u202e ", context=context
    )
    assert score == ExerciseScore("maths", 1, 1)
    (row,) = await rows(database)
    assert (row["account"], row["subject"], row["topic"]) == (7, "maths", "les fractions")
    assert (row["correct"], row["source"]) == (1, "exercise")


async def test_physics_is_kept_with_the_exercises_of_physics_and_chemistry(
    exercises: Results, context: ToolContext, database: Database
) -> None:
    score = await exercises.report("Physique", correct=True, topic="loi d'Ohm", context=context)
    assert score == ExerciseScore("physics_chemistry", 1, 1)
    (row,) = await rows(database)
    assert row["skill"] == "physics-chemistry.ohm-law"


async def test_the_same_call_again_counts_once_as_it_was_told_first(
    exercises: Results, context: ToolContext, database: Database
) -> None:
    for correct in (False, True, True):
        score = await exercises.report("maths", correct=correct, topic="", context=context)
        assert score == ExerciseScore("maths", 1, 0)
    assert len(await rows(database)) == 1


async def test_calls_at_the_same_moment_count_once_each(
    exercises: Results, context: ToolContext, database: Database
) -> None:
    calls = [call(context, number % 4) for number in range(12)]
    await asyncio.gather(
        *(exercises.report("svt", correct=True, topic="", context=one) for one in calls)
    )
    assert len(await rows(database)) == 4


async def test_the_score_is_of_one_subject_and_one_person(
    exercises: Results, context: ToolContext
) -> None:
    for number, (account, subject) in enumerate([(7, "maths"), (7, "français"), (8, "maths")]):
        one = call(context, number, account)
        await exercises.report(subject, correct=True, topic="", context=one)
    last = await exercises.report("Maths", correct=False, topic="", context=call(context, 9))
    assert last == ExerciseScore("maths", 2, 1)


async def test_a_subject_that_nobody_can_read_is_refused(
    exercises: Results, context: ToolContext, database: Database
) -> None:
    for subject in ("", " ", "\u202e\x00", "\ud800"):
        with pytest.raises(ToolFailed, match="name the school subject"):
            await exercises.report(subject, correct=True, topic="", context=context)
    assert await rows(database) == []


async def test_progress_is_read_from_the_results_of_the_person(
    exercises: Results, context: ToolContext, database: Database
) -> None:
    for number, (subject, correct) in enumerate(
        [("maths", True), ("maths", False), ("français", True)]
    ):
        one = call(context, number)
        await exercises.report(subject, correct=correct, topic="", context=one)
    await exercises.report("maths", correct=True, topic="", context=call(context, 1, account=8))
    progress = await database.read(lambda tx: read_progress(tx, 7, "Africa/Dakar"))
    assert progress.subjects == (SubjectScore("maths", 2, 1), SubjectScore("french", 1, 1))
    assert sum(day.answered for day in progress.days) == 3
    assert sum(day.correct for day in progress.days) == 2


async def test_the_days_of_results_make_the_streak(
    exercises: Results, context: ToolContext, database: Database
) -> None:
    """Each result lies a little under half a day after the one before: no day is without."""
    for number in range(9):
        await exercises.report("maths", correct=True, topic="", context=call(context, number))
        await change_rows(
            database,
            "result",
            {"at": FromNow(-number * 40_000.0)},
            key=f"exercise:telegram:42/7/{number}",
        )
    assert (await database.read(lambda tx: read_progress(tx, 7, "Africa/Abidjan"))).streak in {4, 5}
    await change_rows(database, "result", {"at": Plus(-3 * 86400)})
    assert (await database.read(lambda tx: read_progress(tx, 7, "Africa/Abidjan"))).streak == 0


async def test_what_is_older_than_any_streak_counts_for_its_subject_only(
    exercises: Results, context: ToolContext, database: Database
) -> None:
    await exercises.report("maths", correct=True, topic="", context=context)
    await change_rows(database, "result", {"at": Plus(-500 * 86400.0)})
    progress = await database.read(lambda tx: read_progress(tx, 7, "Africa/Abidjan"))
    assert progress.subjects == (SubjectScore("maths", 1, 1),)
    assert progress.streak == sum(day.answered for day in progress.days) == 0


async def test_a_person_without_results_has_an_empty_progress(database: Database) -> None:
    progress = await database.read(lambda tx: read_progress(tx, 7, "No/Where"))
    assert (progress.streak, progress.subjects, len(progress.days)) == (0, (), 30)

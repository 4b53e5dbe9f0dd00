from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.contracts.storage import Database
from bot.errors import ToolFailed
from bot.learning.progress import SubjectScore
from bot.learning.results import Results, read_progress
from tests.support.fakes import make_services, tool_context
from tools.report_exercise_result import ReportExerciseResult, report_exercise_result

RIGHT: dict[str, Any] = {"subject": "Maths", "correct": True, "topic": "fractions"}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """One engine is enough here: the service is asked on both in its own tests."""
    return sqlite_url


@pytest.fixture
def exercises(database: Database) -> Results:
    return Results(database)


def context_of(exercises: Results, number: int = 1) -> ToolContext:
    return tool_context(services=make_services(results=exercises), key=f"telegram:42/1/{number}")


async def test_the_result_is_counted_and_the_score_told_to_the_model(
    exercises: Results, database: Database
) -> None:
    await report_exercise_result(ReportExerciseResult(**RIGHT), context_of(exercises))
    wrong = ReportExerciseResult(subject=" Mathématiques ", correct=False)
    told = await report_exercise_result(wrong, context_of(exercises, 2))
    assert told == "Counted. So far 1 of 2 right in maths."
    progress = await database.read(lambda tx: read_progress(tx, 7, "UTC"))
    assert progress.subjects == (SubjectScore("maths", 2, 1),)


async def test_a_subject_that_nobody_can_read_is_told_to_the_model(exercises: Results) -> None:
    args = ReportExerciseResult(subject="\u202e", correct=True)
    with pytest.raises(ToolFailed, match="for instance maths"):
        await report_exercise_result(args, context_of(exercises))


@pytest.mark.parametrize(
    ("change", "taught"),
    [
        ({"subject": " "}, "at least 1 character"),
        ({"subject": "x" * 201}, "at most 200 characters"),
        ({"subject": None}, "valid string"),
        ({"correct": "yes"}, "valid boolean"),
        ({"correct": 1}, "valid boolean"),
        ({"topic": ["fractions"]}, "valid string"),
        ({"topic": "x" * 201}, "at most 200 characters"),
    ],
)
def test_what_is_no_result_is_refused_with_a_lesson(change: dict[str, Any], taught: str) -> None:
    with pytest.raises(ValidationError, match=taught):
        ReportExerciseResult.model_validate(RIGHT | change)

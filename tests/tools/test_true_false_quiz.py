from __future__ import annotations

from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from bot.contracts.services import Quiz, ToolContext
from bot.messages.outgoing import AskQuiz, Outgoing
from bot.messages.value import encode
from tests.support.fakes import make_services, tool_context
from tests.tools.fakes import FakeQuizzes
from tools.true_false_quiz import TOOL, TrueFalseQuiz, true_false_quiz

TRIANGLE: dict[str, Any] = {
    "statement": " Les angles d’un triangle font 180°. ",
    "is_true": True,
    "explanation": "Toujours, dans le plan.",
}


def asked_in(language: str, quizzes: FakeQuizzes, delivered: list[Outgoing]) -> ToolContext:
    context = tool_context(services=make_services(quizzes=quizzes), deliver=delivered.append)
    person = msgspec.structs.replace(context.person, language=language)
    return tool_context(person=person, services=context.services, deliver=delivered.append)


@pytest.mark.parametrize(
    ("language", "options"),
    [("fr", ("Vrai", "Faux")), ("en", ("True", "False")), ("xx", ("True", "False"))],
)
@pytest.mark.parametrize(("is_true", "index"), [(True, 0), (False, 1)])
async def test_the_quiz_is_kept_on_the_server_and_asked_in_the_persons_language(
    language: str, options: tuple[str, ...], is_true: bool, index: int, quizzes: FakeQuizzes
) -> None:
    delivered: list[Outgoing] = []
    args = TrueFalseQuiz.model_validate(TRIANGLE | {"is_true": is_true})
    await true_false_quiz(args, asked_in(language, quizzes, delivered))
    statement = "Les angles d’un triangle font 180°."
    assert quizzes.asked == [
        Quiz("true_false_quiz", statement, options, index, "Toujours, dans le plan.")
    ]
    (shown,) = delivered
    assert isinstance(shown, AskQuiz)
    assert (shown.kind, shown.options) == ("true_false_quiz", options)


async def test_the_answer_is_neither_in_the_result_nor_in_what_is_delivered(
    context: ToolContext, delivered: list[Outgoing]
) -> None:
    results = [
        await true_false_quiz(
            TrueFalseQuiz.model_validate(TRIANGLE | {"is_true": is_true}), context
        )
        for is_true in (True, False)
    ]
    assert results[0] == results[1]
    assert "dans le plan" not in results[0]
    assert encode(delivered[0]) == encode(delivered[1])
    assert "dans le plan" not in encode(delivered[0])


def test_nothing_of_it_is_shown_while_it_is_written() -> None:
    assert not TOOL.shows_arguments
    assert TOOL.detail(TrueFalseQuiz.model_validate(TRIANGLE)) == ""


@pytest.mark.parametrize(
    ("change", "taught"),
    [
        ({"statement": "  "}, "at least 1 character"),
        ({"statement": "x" * 1_001}, "at most 1000 characters"),
        ({"explanation": ""}, "at least 1 character"),
        ({"is_true": "true"}, "valid boolean"),
        ({"is_true": 1}, "valid boolean"),
        ({"is_true": None}, "valid boolean"),
    ],
)
def test_arguments_that_make_no_quiz_are_refused_with_a_lesson(
    change: dict[str, Any], taught: str
) -> None:
    with pytest.raises(ValidationError, match=taught):
        TrueFalseQuiz.model_validate(TRIANGLE | change)

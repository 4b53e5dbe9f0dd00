from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from bot.contracts.services import Quiz, ToolContext
from bot.messages.outgoing import AskQuiz, Outgoing
from bot.messages.value import encode
from tests.tools.fakes import FakeQuizzes
from tools.interactive_quiz import InteractiveQuiz, interactive_quiz

CAPITAL: dict[str, Any] = {
    "question": "Quelle est la capitale du Sénégal ?",
    "options": ["Bamako", " Dakar ", "Abidjan"],
    "correct_index": 1,
    "explanation": "Dakar est la capitale depuis 1958.",
}


async def test_the_quiz_is_kept_on_the_server_and_delivered(
    context: ToolContext, quizzes: FakeQuizzes, delivered: list[Outgoing]
) -> None:
    await interactive_quiz(InteractiveQuiz.model_validate(CAPITAL), context)
    options = ("Bamako", "Dakar", "Abidjan")
    assert quizzes.asked == [
        Quiz("interactive_quiz", CAPITAL["question"], options, 1, CAPITAL["explanation"])
    ]
    (asked,) = delivered
    assert isinstance(asked, AskQuiz)
    assert asked.options == options


async def test_the_answer_is_neither_in_the_result_nor_in_what_is_delivered(
    context: ToolContext, delivered: list[Outgoing]
) -> None:
    shuffled = CAPITAL | {"correct_index": 2}
    first = await interactive_quiz(InteractiveQuiz.model_validate(CAPITAL), context)
    second = await interactive_quiz(InteractiveQuiz.model_validate(shuffled), context)
    assert first == second
    assert "Dakar" not in first
    assert encode(delivered[0]) == encode(delivered[1])
    assert "1958" not in encode(delivered[0])


@pytest.mark.parametrize(
    ("change", "taught"),
    [
        ({"options": ["Dakar"]}, "at least 2 items"),
        ({"options": list("abcde")}, "at most 4 items"),
        ({"options": ["Dakar", " dakar", "Bamako"]}, "each must differ"),
        ({"options": ["Dakar", "  ", "Bamako"]}, "at least 1 character"),
        ({"options": ["Dakar", 3, "Bamako"]}, "valid string"),
        ({"correct_index": 3}, "with these options at most 2"),
        ({"correct_index": -1}, "greater than or equal to 0"),
        ({"correct_index": "1"}, "valid integer"),
        ({"correct_index": True}, "valid integer"),
        ({"question": ""}, "at least 1 character"),
        ({"explanation": ""}, "at least 1 character"),
    ],
)
def test_arguments_that_make_no_quiz_are_refused_with_a_lesson(
    change: dict[str, Any], taught: str
) -> None:
    with pytest.raises(ValidationError, match=taught):
        InteractiveQuiz.model_validate(CAPITAL | change)

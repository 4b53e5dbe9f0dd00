"""A button pressed: whose it is, whether it still counts, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from bot.contracts.channels import Capabilities
from bot.contracts.services import Quiz
from bot.contracts.storage import Database
from bot.gateway.commands.buttons import answer_tap
from bot.gateway.commands.practice import PracticeCommands
from bot.gateway.commands.reply import CommandRequest, Reply
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.open_questions import OpenQuestion
from bot.learning.exercise_series import ExerciseSeries
from bot.learning.quiz import Quizzes
from bot.messages.incoming import Person, Said, Tapped, Update
from bot.messages.outgoing import Acknowledge, AskQuiz, Button, RetireButtons, Say
from bot.messages.value import encode
from bot.settings import Settings
from bot.storage.buttons import offer_commands
from tests.support.app import update
from tests.support.fakes import tool_context
from tests.support.queries import FromNow, change_rows, read_row, read_rows

CAPITAL = Quiz("interactive_quiz", "Capital of Senegal?", ("Bamako", "Dakar"), 1, "Since 1958.")
AWA = Person("telegram", "1", account=7, language="en")
PRESS = Tapped("", callback_id="c1", message_id="m1")


@dataclass
class Board:
    """A quiz that Awa was asked in her conversation."""

    database: Database
    quiz: AskQuiz
    channel: Capabilities | None = None

    async def press(
        self,
        index: int = 1,
        *,
        person: Person = AWA,
        tap: Tapped = PRESS,
        by: Update | None = None,
    ) -> Reply:
        pressed = msgspec.structs.replace(tap, token=tap.token or self.quiz.tokens[index])

        async def work(tx: Any) -> Reply:
            request = CommandRequest(
                tx, person, by or update(pressed), 1, capabilities=self.channel
            )
            return await answer_tap(
                request, pressed, PracticeCommands("secret", ExerciseSeries("secret"))
            )

        return await self.database.write(work)

    async def answers(self) -> list[int | None]:
        rows = await read_rows(self.database, "quiz")
        return [row["answered_index"] for row in rows]


@pytest.fixture
async def board(database: Database, settings: Settings) -> Board:
    context = tool_context(person=AWA, lane="telegram:1", key="telegram:1/1/c", settings=settings)
    return Board(database, await Quizzes(database).ask(CAPITAL, context))


async def test_the_right_one_is_praised_its_buttons_go_and_the_model_is_told(board: Board) -> None:
    response = await board.press(1)
    assert response.outgoing == (
        Acknowledge("c1", "✅"),
        RetireButtons("m1", Button("✅ Dakar", board.quiz.tokens[1])),
        Say("✅ Correct: Dakar\n\nSince 1958."),
    )
    assert response.note == "[Quiz: Capital of Senegal? I answered: Dakar (correct)]"
    assert await board.answers() == [1]


async def test_the_wrong_one_learns_the_right_one(board: Board) -> None:
    response = await board.press(0, person=msgspec.structs.replace(AWA, language="fr"))
    assert response.outgoing == (
        Acknowledge("c1", "❌"),
        RetireButtons("m1", Button("❌ Bamako", board.quiz.tokens[0])),
        Say("❌ Pas tout à fait. La réponse est : Dakar\n\nSince 1958."),
    )
    assert response.note == "[Quiz: Capital of Senegal? I answered: Bamako (wrong)]"


async def test_another_question_is_a_button_under_the_verdict(board: Board) -> None:
    board.channel = Capabilities(max_text=4096, markup="entities", max_buttons=8)
    verdict = (await board.press(1)).outgoing[-1]
    assert isinstance(verdict, Say)
    [button] = verdict.buttons
    assert button.label == "Another question"
    asked = await board.press(tap=msgspec.structs.replace(PRESS, token=button.token))
    assert asked.follow_up == Said("Another question")


async def test_another_question_never_makes_a_second_message(board: Board) -> None:
    await change_rows(board.database, "quiz", {"explanation": "word " * 230})
    board.channel = Capabilities(max_text=4096, markup="markers", max_buttons=10)
    verdict = (await board.press(1)).outgoing[-1]
    assert isinstance(verdict, Say)
    assert verdict.buttons == ()


async def test_without_buttons_a_word_asks_for_another_where_it_costs_nothing(board: Board) -> None:
    board.channel = Capabilities(max_text=1600, text_unit="gsm7")
    assert (await board.press(1)).outgoing[-1] == Say(
        "✅ Correct: Dakar\n\nSince 1958.\n\nAnother question? Reply AGAIN."
    )


async def test_a_long_verdict_by_sms_pays_for_no_word_more(board: Board) -> None:
    await change_rows(board.database, "quiz", {"explanation": "a" * 130})
    board.channel = Capabilities(max_text=1600, text_unit="gsm7")
    assert (await board.press(1)).outgoing[-1] == Say("✅ Correct: Dakar\n\n" + "a" * 130)


async def test_a_verdict_on_accents_keeps_them_by_sms(
    database: Database, settings: Settings
) -> None:
    context = tool_context(person=AWA, lane="telegram:1", key="telegram:1/1/d", settings=settings)
    quiz = Quiz("interactive_quiz", "Nous … (lancer)", ("lançons", "lancons"), 0, "Devant o : ç.")
    asked = await Quizzes(database).ask(quiz, context)
    assert asked.keeps_letters
    verdict = (await Board(database, asked).press(1)).outgoing[-1]
    assert verdict == Say(
        "❌ Not quite. The answer is: lançons\n\nDevant o : ç.", keeps_letters=True
    )


async def press_for_command(database: Database, ttl: float) -> Reply:
    async def work(tx: Any) -> Reply:
        choices = [("Français", "/language fr")]
        (button,) = await offer_commands(tx, "telegram:1", "1", choices, ttl)
        pressed = msgspec.structs.replace(PRESS, token=button.token)
        request = CommandRequest(tx, AWA, update(pressed), 1)
        return await answer_tap(
            request, pressed, PracticeCommands("secret", ExerciseSeries("secret"))
        )

    return await database.write(work)


async def test_a_command_that_was_offered_long_ago_is_offered_no_more(database: Database) -> None:
    response = await press_for_command(database, -1.0)
    assert response == Reply(
        (Acknowledge("c1", "This button no longer works. Write me what you want."),)
    )


async def test_a_button_may_stand_for_a_command(database: Database) -> None:
    response = await press_for_command(database, 60.0)
    assert response.follow_up == Said("/language fr")
    assert response.outgoing == (Acknowledge("c1", "👍"), RetireButtons("m1"))


async def test_where_nothing_can_be_acknowledged_or_retired_it_is_only_said(board: Board) -> None:
    response = await board.press(1, tap=Tapped(""))
    assert response.outgoing == (Say("✅ Correct: Dakar\n\nSince 1958."),)


async def test_a_quiz_without_an_explanation_ends_with_the_answer(board: Board) -> None:
    await change_rows(board.database, "quiz", {"explanation": ""})
    assert (await board.press(1)).outgoing[-1] == Say("✅ Correct: Dakar")


async def _is_refused(board: Board, words: str, **press: Any) -> None:
    """It is answered politely, changes nothing, and the model hears nothing of it."""
    before = await board.answers()
    response = await board.press(**press)
    assert response == Reply((Acknowledge("c1", words),))
    assert await board.answers() == before


async def test_what_nobody_ever_offered_does_nothing(board: Board) -> None:
    forged = msgspec.structs.replace(PRESS, token="forged")
    await _is_refused(board, "This button no longer works. Write me what you want.", tap=forged)


async def test_pressed_in_another_conversation_it_does_nothing(board: Board) -> None:
    """Also by the very person who was asked: the button was copied or forwarded there."""
    elsewhere = msgspec.structs.replace(update(PRESS), conversation="-100")
    await _is_refused(board, "This one is for someone else.", by=elsewhere)
    assert (await board.press()).note


async def test_pressed_by_another_in_the_same_conversation_it_does_nothing(board: Board) -> None:
    """Also if both lead to one account: the button was shown to one of them."""
    stranger = update(PRESS)
    sender = msgspec.structs.replace(stranger.sender, address="2")
    stranger = msgspec.structs.replace(stranger, sender=sender)
    await _is_refused(board, "This one is for someone else.", by=stranger)
    assert (await board.press()).note


@pytest.mark.parametrize("account", [8, None])
async def test_whoever_has_another_account_by_now_does_not_answer(
    board: Board, account: int | None
) -> None:
    other = msgspec.structs.replace(AWA, account=account)
    await _is_refused(board, "This one is for someone else.", person=other)


async def test_the_first_press_counts(board: Board) -> None:
    await board.press(0)
    await _is_refused(board, "You have answered this one already.", index=1)
    assert await board.answers() == [0]


async def test_pressed_after_a_day_it_is_over(board: Board) -> None:
    await change_rows(board.database, "quiz", {"expires_at": FromNow(-1)})
    await _is_refused(board, "This quiz is over. Ask me for another.")


@pytest.mark.parametrize(("index", "token", "open_still"), [(0, "", False), (0, "forged", True)])
async def test_once_it_is_answered_what_is_typed_next_is_text_again(
    board: Board, index: int, token: str, open_still: bool
) -> None:
    await Inbox(board.database).store([update("quiz me")])
    options = tuple(Button("", each) for each in board.quiz.tokens)
    asked = encode(OpenQuestion(options, numbered=True))
    await change_rows(board.database, "lane", {"open_question": asked})
    await board.press(index, tap=msgspec.structs.replace(PRESS, token=token))
    lane = await read_row(board.database, "lane")
    assert bool(lane["open_question"]) is open_still


async def test_where_there_is_no_toast_it_is_said(board: Board) -> None:
    response = await board.press(tap=Tapped("forged"))
    assert response == Reply((Say("This button no longer works. Write me what you want."),))

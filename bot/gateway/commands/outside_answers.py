"""Grade answers that came from outside of their conversation: over the HTTP API, or from a page.

Each is noted in the conversation under a key of its own, by which a repeated run finds it again.
"""

from __future__ import annotations

from typing import cast

from bot.contracts.storage import Transaction
from bot.gateway.commands.buttons import note_of
from bot.gateway.commands.level import PlacementStep
from bot.gateway.commands.practice import Graded, PracticeCommands, grade
from bot.gateway.commands.practice import note_of as note_of_exercise
from bot.gateway.inbox_rows import insert_handled_update
from bot.gateway.lanes import note_open_exercise
from bot.gateway.open_questions import forget_question, remember_exercise
from bot.gateway.turns.journal import append_rows
from bot.learning import exercises, quiz
from bot.learning.exercises import Exercise
from bot.learning.grading.exercise_grading import is_answer
from bot.messages.channels import WEB, Channel
from bot.messages.incoming import Person, Sender, Tapped, Update
from bot.messages.outgoing import AskExercise
from bot.messages.transcript import Text, UserMessage
from bot.messages.value import encode


async def is_noted(tx: Transaction, lane: str, key: str) -> bool:
    """Return whether an answer was noted in the conversation under this key."""
    return await tx.fetch_one(_NOTED, lane=lane, key=key) is not None


async def answer_quiz(
    tx: Transaction, person: Person, lane: str, quiz_id: str, index: int, key: str
) -> quiz.Graded:
    """Grade an answer to a quiz, and note it in the conversation under the key.

    Raises:
        NotFound, NotYours, BadRequest, AlreadyAnswered, Expired: as `quiz.answer_quiz`.
    """
    graded = await quiz.answer_quiz(tx, quiz_id, index, account=person.account or 0)
    await forget_question(tx, lane)
    await _note(tx, _make_update(person, lane, key, f"{quiz_id}:{index}"), note_of(index, graded))
    return graded


async def find_running(tx: Transaction, lane: str, person: Person) -> Exercise | None:
    """Return the open exercise of a series in this conversation, with which it goes on after a
    quiz; None: no series runs."""
    running = await exercises.find_open(tx, lane, person.account or 0)
    return running if running is not None and running.body.source != "exercise" else None


async def answer_exercise(
    tx: Transaction, person: Person, exercise: Exercise, text: str, key: str
) -> Graded | None:
    """Grade an answer to an exercise, and note it in the conversation under the key.

    Returns:
        The exercise after it, and the verdict; None: the text is no answer of the kind that the
        exercise asks for, and nothing is stored.

    Raises:
        NotFound, NotTheirs, ExerciseOver, ExerciseExpired: as `grade`.
    """
    body = exercise.body
    if not is_answer(
        text,
        exercise.kind,
        body.options,
        body.unit,
        exercise.statement,
        talk_counts=exercise.talk_counts,
    ):
        return None
    graded = await grade(tx, exercise.id, text, person.account or 0)
    done = f"I answered {text} ({graded.outcome})"
    await note_exercise(tx, person, graded.exercise, done, key)
    return graded


async def note_exercise(
    tx: Transaction, person: Person, exercise: Exercise, done: str, key: str
) -> None:
    """Note in the conversation, under the key, what the person did about an exercise."""
    update = _make_update(person, exercise.lane, key, f"{exercise.id}:{done}")
    await _note(tx, update, note_of_exercise(exercise, done))


async def ask_next_exercise(
    tx: Transaction, practice: PracticeCommands, exercise: Exercise, person: Person
) -> AskExercise | None:
    """Ask the next exercise of a finished exercise's series and return it; None: there is none."""
    await note_open_exercise(tx, exercise.lane, "")
    await forget_question(tx, exercise.lane)
    asked = await practice.ask_next(tx, exercise, person)
    if asked is not None:
        await remember_exercise(tx, exercise.lane, asked)
    return asked


async def advance_placement(
    tx: Transaction, practice: PracticeCommands, exercise: Exercise, text: str, person: Person
) -> PlacementStep:
    """Continue a placement after an exercise that was just answered, and ask its next exercise."""
    step = await practice.advance_placement(tx, exercise.lane, exercise, text, person)
    if step.asked is not None:
        await remember_exercise(tx, exercise.lane, step.asked)
    return step


async def _note(tx: Transaction, update: Update, words: str) -> None:
    """Store a note for the model in the transcript, with an update that needs no handling."""
    seq = await insert_handled_update(tx, update)
    note = encode(UserMessage((Text(words),)))
    await append_rows(tx, update.lane, seq, 0, [("user", note)])


def _make_update(person: Person, lane: str, key: str, token: str) -> Update:
    channel, _, conversation = lane.partition(":")
    return Update(
        channel=cast("Channel", channel),
        via=WEB,
        conversation=conversation,
        sender=Sender(person.address),
        delivery_key=key,
        message_key=key,
        content=Tapped(token),
    )


_NOTED = """
SELECT seq FROM inbox WHERE lane = :lane AND message_key = :key
"""

"""Grade answers to quizzes and exercises over HTTP, at once and without a model."""

from __future__ import annotations

import secrets
from typing import cast

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.contracts.storage import Transaction
from bot.events import ExerciseAsked
from bot.gateway.commands.buttons import is_noted, note_for_model, note_of
from bot.gateway.commands.level import PlacementStep
from bot.gateway.commands.practice import Graded, PracticeCommands, grade
from bot.gateway.commands.practice import note_of as note_of_exercise
from bot.gateway.context import GatewayContext
from bot.gateway.delivery.compose import show_exercise
from bot.gateway.lanes import note_open_exercise
from bot.gateway.open_questions import forget_question, remember_exercise
from bot.learning import exercises, quiz
from bot.learning.answer_feedback import describe_step_left
from bot.learning.exercise_grading import is_answer, name_option
from bot.learning.exercises import Exercise
from bot.messages.channels import WEB, Channel
from bot.messages.incoming import Person, Sender, Tapped, Update
from bot.messages.outgoing import AskExercise
from bot.messages.transcript import Text, UserMessage
from bot.typography import typeset
from bot.web.rate_limits import RateLimits
from bot.web.requests import caller, json_response, read_json


class AnswerRequest(msgspec.Struct, frozen=True):
    index: int


class GradedAnswer(msgspec.Struct, frozen=True):
    correct: bool
    correct_index: int
    explanation: str
    next: ExerciseAsked | msgspec.UnsetType = msgspec.UNSET
    """The exercise with which a series in the same conversation goes on."""


async def count_quiz_answer(
    tx: Transaction, person: Person, lane: str, quiz_id: str, index: int, key: str
) -> quiz.Graded:
    """Grade an answer that was given outside of the conversation, and note it there under the key.

    Raises:
        NotFound, NotYours, BadRequest, AlreadyAnswered, Expired: as `quiz.answer_quiz`.
    """
    graded = await quiz.answer_quiz(tx, quiz_id, index, account=person.account or 0)
    note = UserMessage((Text(note_of(index, graded)),))
    await forget_question(tx, lane)
    await note_for_model(tx, _make_update(person, lane, key, f"{quiz_id}:{index}"), note)
    return graded


async def find_running(tx: Transaction, lane: str, person: Person) -> Exercise | None:
    """Return the open exercise of a series in this conversation, with which it goes on after a
    quiz; None: no series runs."""
    running = await exercises.find_open(tx, lane, person.account or 0)
    return running if running is not None and running.body.source != "exercise" else None


class QuizAnswers:
    def __init__(self, parts: GatewayContext, people: People) -> None:
        self._parts = parts
        self._people = people
        self._limits = RateLimits(parts, people)

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/v1/quizzes/{id}/answer", self.answer)]

    async def answer(self, request: web.Request) -> web.Response:
        """Grade the answer: `{correct, correct_index, explanation}`; 403 another person's, 409
        answered, 410 expired, 429 too many at once."""
        person = await caller(request, self._people, self._parts.settings)
        await self._limits.check_pace(request, person)
        index = (await read_json(request, AnswerRequest)).index
        quiz_id = request.match_info["id"]
        key = secrets.token_hex(12)
        counted: list[GradedAnswer] = []

        async def work(tx: Transaction) -> GradedAnswer:
            lane = await quiz.lane_of_quiz(tx, quiz_id)
            if counted and await is_noted(tx, lane, key):
                return counted[-1]  # by an earlier run of this work, whose commit was not confirmed
            graded = await count_quiz_answer(tx, person, lane, quiz_id, index, key)
            explanation = typeset(graded.explanation, person.language)
            running = await find_running(tx, lane, person)
            following = show_exercise(exercises.describe(running)) if running else msgspec.UNSET
            answered = GradedAnswer(graded.correct, graded.correct_index, explanation, following)
            counted.append(answered)
            return answered

        return json_response(await self._parts.database.write(work))


class ExerciseAnswerRequest(msgspec.Struct, frozen=True):
    text: str


class ExerciseGrade(msgspec.Struct, frozen=True):
    correct: bool | None
    """None: the text is no answer of the kind that the exercise asks for."""
    tries: int
    """The wrong answers so far, each different one counted once."""
    hint: str | msgspec.UnsetType = msgspec.UNSET
    """The next hint, after a wrong answer."""
    step_left: str | msgspec.UnsetType = msgspec.UNSET
    """What is left to do, where the value is right, but not in the form that the exercise asks for;
    no try is counted."""
    solution: str | msgspec.UnsetType = msgspec.UNSET
    """The solution, once the exercise is over."""
    next: ExerciseAsked | msgspec.UnsetType = msgspec.UNSET
    """The next exercise of a series."""
    message: str | msgspec.UnsetType = msgspec.UNSET
    """The message at the end of a placement."""


async def note_exercise(
    tx: Transaction, person: Person, exercise: Exercise, done: str, key: str
) -> None:
    """Note in the conversation, under the key, what the person did about an exercise outside of
    it."""
    note = UserMessage((Text(note_of_exercise(exercise, done)),))
    update = _make_update(person, exercise.lane, key, f"{exercise.id}:{done}")
    await note_for_model(tx, update, note)


async def ask_next_exercise(
    tx: Transaction, practice: PracticeCommands, exercise: Exercise, person: Person
) -> AskExercise | None:
    """Ask the next exercise of a finished exercise's series and return it; None: there is none."""
    await note_open_exercise(tx, exercise.lane, "")
    asked = await practice.ask_next(tx, exercise, person)
    if asked is not None:
        await remember_exercise(tx, exercise.lane, asked)
    return asked


async def advance_placement(
    tx: Transaction, practice: PracticeCommands, exercise: Exercise, text: str, person: Person
) -> PlacementStep:
    """Continue a placement after an exercise that was just answered, and ask its next exercise."""
    await note_open_exercise(tx, exercise.lane, "")
    await forget_question(tx, exercise.lane)
    answer = name_option(text, exercise.body.options, exercise.statement)
    step = await practice.levels.advance(tx, exercise, answer, person)
    if step.asked is not None:
        await remember_exercise(tx, exercise.lane, step.asked)
    return step


class ExerciseAnswers:
    def __init__(self, parts: GatewayContext, people: People, practice: PracticeCommands) -> None:
        self._parts = parts
        self._people = people
        self._practice = practice
        self._limits = RateLimits(parts, people)

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/v1/exercises/{id}/answer", self.answer)]

    async def answer(self, request: web.Request) -> web.Response:
        """Grade the answer; 403 another person's, 409 over, 410 expired, 429 too many at once."""
        person = await caller(request, self._people, self._parts.settings)
        await self._limits.check_pace(request, person)
        text = (await read_json(request, ExerciseAnswerRequest)).text.strip()
        exercise_id, key = request.match_info["id"], secrets.token_hex(12)
        counted: list[ExerciseGrade] = []

        async def work(tx: Transaction) -> ExerciseGrade:
            exercise = await exercises.read(tx, exercise_id)
            if counted and await is_noted(tx, exercise.lane, key):
                return counted[-1]  # by an earlier run of this work, whose commit was not confirmed
            exercises.check_open(exercise, person.account or 0)
            body = exercise.body
            if not is_answer(
                text,
                exercise.kind,
                body.options,
                body.unit,
                exercise.statement,
                talk_counts=exercise.talk_counts,
            ):
                return ExerciseGrade(None, len(exercise.tries))
            before = len(exercise.tries)
            graded = await grade(tx, exercise_id, text, person.account or 0)
            exercise = graded.exercise
            is_new = len(exercise.tries) > before
            if exercise.is_placing:
                answered = await self._go_on_placing(tx, exercise, text, person)
            else:
                answered = await self._go_on(tx, graded, person, gives_hint=is_new)
            await note_exercise(tx, person, exercise, f"I answered {text} ({graded.outcome})", key)
            counted.append(answered)
            return answered

        return json_response(await self._parts.database.write(work))

    async def _go_on_placing(
        self, tx: Transaction, exercise: Exercise, text: str, person: Person
    ) -> ExerciseGrade:
        step = await advance_placement(tx, self._practice, exercise, text, person)
        is_right = exercise.state == "right"
        grade = ExerciseGrade(is_right, tries=int(not is_right))
        if not step.is_skipped:  # skipping does not ask for the solution
            grade = msgspec.structs.replace(grade, solution=exercise.solution)
        if step.asked is None:
            return msgspec.structs.replace(grade, message=step.level or step.words)
        return msgspec.structs.replace(grade, next=show_exercise(step.asked))

    async def _go_on(
        self, tx: Transaction, graded: Graded, person: Person, *, gives_hint: bool
    ) -> ExerciseGrade:
        exercise, tries = graded.exercise, len(graded.exercise.tries)
        if graded.step_left:
            words = describe_step_left(graded.step_left, person.language, exercise.body.unit)
            return ExerciseGrade(False, tries, step_left=typeset(words, person.language))
        if not graded.is_correct:
            _, hint = await exercises.show_hint(tx, exercise) if gives_hint else (exercise, "")
            return ExerciseGrade(False, tries, hint=hint or msgspec.UNSET)
        asked = await ask_next_exercise(tx, self._practice, exercise, person)
        following = show_exercise(asked) if asked else msgspec.UNSET
        return ExerciseGrade(True, tries, solution=exercise.solution, next=following)


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

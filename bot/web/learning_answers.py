"""Grade answers to quizzes and exercises over HTTP, at once and without a model."""

from __future__ import annotations

import secrets

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.contracts.storage import Transaction
from bot.events import ExerciseAsked
from bot.gateway.commands.outside_answers import (
    advance_placement,
    answer_exercise,
    answer_quiz,
    ask_next_exercise,
    find_running,
    is_noted,
)
from bot.gateway.commands.practice import Graded, PracticeCommands
from bot.gateway.context import GatewayContext
from bot.gateway.delivery.compose import show_exercise
from bot.learning import exercises, quiz
from bot.learning.exercises import Exercise
from bot.learning.grading.answer_feedback import describe_step_left
from bot.messages.channels import WEB
from bot.messages.incoming import Person, Sender
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
            graded = await answer_quiz(tx, person, lane, quiz_id, index, key)
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
        who = await caller(request, self._people, self._parts.settings)
        await self._limits.check_pace(request, who)
        text = (await read_json(request, ExerciseAnswerRequest)).text.strip()
        exercise_id, key = request.match_info["id"], secrets.token_hex(12)
        counted: list[ExerciseGrade] = []

        async def work(tx: Transaction) -> ExerciseGrade:
            exercise = await exercises.read(tx, exercise_id)
            if counted and await is_noted(tx, exercise.lane, key):
                return counted[-1]  # by an earlier run of this work, whose commit was not confirmed
            exercises.check_open(exercise, who.account or 0)
            person = await self._recall(tx, who)
            before = len(exercise.tries)
            graded = await answer_exercise(tx, person, exercise, text, key)
            if graded is None:
                return ExerciseGrade(None, before)
            exercise = graded.exercise
            is_new = len(exercise.tries) > before
            if exercise.is_placing:
                answered = await self._go_on_placing(tx, exercise, text, person)
            else:
                answered = await self._go_on(tx, graded, person, gives_hint=is_new)
            counted.append(answered)
            return answered

        return json_response(await self._parts.database.write(work))

    async def _recall(self, tx: Transaction, person: Person) -> Person:
        """Return a guest as the conversation knows them, with its language and not the browser's;
        anybody else as they are."""
        if not person.is_guest:
            return person
        return await self._people.look_up(tx, WEB, Sender(person.address, language=person.language))

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

"""Grade answers to quizzes and exercises that come over the API or from a page, without a model.

Each is noted in its conversation under a key of its own, by which a repeated run finds it again.
"""

from __future__ import annotations

import secrets

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.contracts.storage import Transaction
from bot.events import ExerciseAsked
from bot.gateway.commands.buttons import describe_quiz_answer
from bot.gateway.commands.practice import describe_exercise_answer
from bot.gateway.context import GatewayContext
from bot.gateway.inbox_rows import find_update, insert_handled_update
from bot.gateway.open_questions import (
    end_question,
    find_help_request,
    forget_exercise,
    remember_exercise,
)
from bot.gateway.shown_exercises import show_asked
from bot.gateway.turns.journal import append_rows
from bot.learning import exercises, quiz
from bot.learning.exercise_series import ExerciseSeries, Graded, PlacementStep, give_help, grade
from bot.learning.exercises import Exercise
from bot.learning.grading.answer_feedback import describe_step_left, find_feedback
from bot.learning.grading.exercise_grading import is_answer
from bot.messages.channels import WEB
from bot.messages.incoming import Person, Sender, Tapped, Update, build_update
from bot.messages.outgoing import AskExercise
from bot.messages.transcript import Text, UserMessage
from bot.messages.value import encode
from bot.typography import typeset
from bot.web.rate_limits import RateLimits
from bot.web.requests import caller, json_response, read_json


async def answer_quiz(
    tx: Transaction, person: Person, lane: str, quiz_id: str, index: int, key: str
) -> quiz.Graded:
    """Grade an answer to a quiz, and note it in the conversation under the key.

    Raises:
        NotFound, NotYours, BadRequest, AlreadyAnswered, Expired: as `quiz.answer_quiz`.
    """
    graded = await quiz.answer_quiz(tx, quiz_id, index, account=person.account or 0)
    await end_question(tx, lane)
    tapped = Tapped(f"{quiz_id}:{index}")
    update = build_update(lane, WEB, Sender(person.address), key, tapped)
    await _note(tx, update, describe_quiz_answer(index, graded))
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
    tapped = Tapped(f"{exercise.id}:{done}")
    update = build_update(exercise.lane, WEB, Sender(person.address), key, tapped)
    await _note(tx, update, describe_exercise_answer(exercise, done))


async def ask_next_exercise(
    tx: Transaction, series: ExerciseSeries, exercise: Exercise, person: Person
) -> AskExercise | None:
    """Ask the next exercise of a finished exercise's series and return it; None: there is none."""
    await forget_exercise(tx, exercise.lane)
    asked = await series.ask_next(tx, exercise, person)
    if asked is not None:
        await remember_exercise(tx, exercise.lane, asked)
    return asked


async def begin_placement(
    tx: Transaction, series: ExerciseSeries, key: str, lane: str, person: Person, grade: str
) -> AskExercise | None:
    """Ask the first exercise of the placement for a class that was just chosen, once a key, or the
    next one if that placement is under way; None: the class, or the person's mode, has none."""
    asked = await series.begin_placement(tx, key, lane, person, grade)
    if asked is not None:
        await remember_exercise(tx, lane, asked)
    return asked


async def advance_placement(
    tx: Transaction, series: ExerciseSeries, exercise: Exercise, person: Person
) -> PlacementStep:
    """Continue a placement after an exercise that was just answered or skipped, and ask its next
    exercise."""
    await forget_exercise(tx, exercise.lane)
    step = await series.advance_placement(tx, exercise, person)
    if step.asked is not None:
        await remember_exercise(tx, exercise.lane, step.asked)
    return step


async def _note(tx: Transaction, update: Update, words: str) -> None:
    """Store a note for the model in the transcript, with an update that needs no handling."""
    seq = await insert_handled_update(tx, update)
    note = encode(UserMessage((Text(words),)))
    await append_rows(tx, update.lane, seq, 0, [("user", note)])


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
            if counted and await find_update(tx, lane, key) is not None:
                return counted[-1]  # by an earlier run of this work, whose commit was not confirmed
            graded = await answer_quiz(tx, person, lane, quiz_id, index, key)
            explanation = typeset(graded.explanation, person.language)
            running = await find_running(tx, lane, person)
            shown = show_asked(exercises.describe(running), person.language) if running else None
            following = shown or msgspec.UNSET
            answered = GradedAnswer(graded.correct, graded.correct_index, explanation, following)
            counted.append(answered)
            return answered

        return json_response(await self._parts.database.write(work))


class ExerciseAnswerRequest(msgspec.Struct, frozen=True):
    text: str
    """The answer; `/hint` or `/solution`, or the bare words, ask for help instead."""
    with_hint: bool = True
    """Whether a wrong answer brings the next hint at once."""


class ExerciseGrade(msgspec.Struct, frozen=True):
    correct: bool | None
    """None: the text is no answer of the kind that the exercise asks for, asked for help, or
    skipped."""
    tries: int
    """The wrong answers so far, each different one counted once."""
    feedback: str | msgspec.UnsetType = msgspec.UNSET
    """What to say about the likely mistake that this wrong answer is, in Markdown."""
    hint: str | msgspec.UnsetType = msgspec.UNSET
    """The next hint, after a wrong answer or when it was asked for."""
    hints_left: int | msgspec.UnsetType = msgspec.UNSET
    """How many hints can still be asked for, while the exercise is open."""
    solution_allowed: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether the solution may be asked for now, while the exercise is open."""
    step_left: str | msgspec.UnsetType = msgspec.UNSET
    """What is left to do, where the value is right, but not in the form that the exercise asks for;
    no try is counted."""
    solution: str | msgspec.UnsetType = msgspec.UNSET
    """The solution, once the exercise is over."""
    steps: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """The way to the solution, where that was asked for, in Markdown."""
    next: ExerciseAsked | msgspec.UnsetType = msgspec.UNSET
    """The next exercise of a series."""
    message: str | msgspec.UnsetType = msgspec.UNSET
    """The message at the end of a placement, or why there is no help now."""


def _grade_open(
    exercise: Exercise,
    person: Person,
    *,
    correct: bool | None = False,
    feedback: str = "",
    hint: str = "",
    step_left: str = "",
    message: str = "",
) -> ExerciseGrade:
    """Return the grade of an exercise that stays open, in the typography of the person."""
    language = person.language
    return ExerciseGrade(
        correct,
        len(exercise.tries),
        typeset(feedback, language) or msgspec.UNSET,
        typeset(hint, language) or msgspec.UNSET,
        0 if exercise.is_placing else exercise.hints_left,
        exercise.may_show_solution,
        typeset(step_left, language) or msgspec.UNSET,
        message=typeset(message, language) or msgspec.UNSET,
    )


class ExerciseAnswers:
    def __init__(self, parts: GatewayContext, people: People, series: ExerciseSeries) -> None:
        self._parts = parts
        self._people = people
        self._series = series
        self._limits = RateLimits(parts, people)

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/v1/exercises/{id}/answer", self.answer)]

    async def answer(self, request: web.Request) -> web.Response:
        """Grade the answer; 403 another person's, 409 over, 410 expired, 429 too many at once."""
        who = await caller(request, self._people, self._parts.settings)
        await self._limits.check_pace(request, who)
        asked = await read_json(request, ExerciseAnswerRequest)
        text = asked.text.strip()
        exercise_id, key = request.match_info["id"], secrets.token_hex(12)
        counted: list[ExerciseGrade] = []

        async def work(tx: Transaction) -> ExerciseGrade:
            exercise = await exercises.read(tx, exercise_id)
            if counted and await find_update(tx, exercise.lane, key) is not None:
                return counted[-1]  # by an earlier run of this work, whose commit was not confirmed
            exercises.check_open(exercise, who.account or 0)
            person = await self._recall(tx, who)
            if wanted := find_help_request(exercise, text):
                helped = await self._help(tx, exercise, wanted, person, key)
                counted.append(helped)
                return helped
            before = len(exercise.tries)
            graded = await answer_exercise(tx, person, exercise, text, key)
            if graded is None:
                return _grade_open(exercise, person, correct=None)
            exercise = graded.exercise
            gives_hint = asked.with_hint and len(exercise.tries) > before
            if exercise.is_placing and not graded.step_left:
                answered = await self._go_on_placing(tx, exercise, person)
            else:
                answered = await self._go_on(tx, graded, text, person, gives_hint=gives_hint)
            counted.append(answered)
            return answered

        return json_response(await self._parts.database.write(work))

    async def _recall(self, tx: Transaction, person: Person) -> Person:
        """Return a guest as the conversation knows them, with its language and not the browser's;
        anybody else as they are."""
        if not person.is_guest:
            return person
        return await self._people.find_sender(
            tx, WEB, Sender(person.address, language=person.language)
        )

    async def _go_on_placing(
        self, tx: Transaction, exercise: Exercise, person: Person
    ) -> ExerciseGrade:
        step = await advance_placement(tx, self._series, exercise, person)
        grade = ExerciseGrade(correct=None, tries=0)  # skipping does not ask for the solution
        if exercise.state != "dropped":
            is_right = exercise.state == "right"
            solution = typeset(exercise.solution, person.language)
            grade = ExerciseGrade(is_right, tries=int(not is_right), solution=solution)
        if step.asked is None:
            message = typeset(step.level or step.words, person.language)
            return msgspec.structs.replace(grade, message=message)
        return msgspec.structs.replace(grade, next=show_asked(step.asked, person.language))

    async def _help(
        self, tx: Transaction, exercise: Exercise, wanted: str, person: Person, key: str
    ) -> ExerciseGrade:
        """Give the next hint or the solution, as `wanted` says, or say why not."""
        language = person.language
        given = await give_help(tx, exercise, wanted, language)
        exercise = given.exercise
        if not given.is_over:
            return _grade_open(
                exercise, person, correct=None, hint=given.hint, message=given.refusal
            )
        await note_exercise(tx, person, exercise, "I asked for its solution", key)
        steps = tuple(typeset(step, language) for step in given.steps)
        return await self._end(tx, exercise, person, correct=None, steps=steps)

    async def _go_on(
        self, tx: Transaction, graded: Graded, text: str, person: Person, *, gives_hint: bool
    ) -> ExerciseGrade:
        exercise = graded.exercise
        if graded.step_left:
            words = describe_step_left(graded.step_left, person.language, exercise.body)
            return _grade_open(exercise, person, step_left=words)
        if graded.is_correct:
            return await self._end(tx, exercise, person, correct=True)
        feedback = find_feedback(text, exercise)
        exercise, hint = await exercises.show_hint(tx, exercise) if gives_hint else (exercise, "")
        return _grade_open(exercise, person, feedback=feedback, hint=hint)

    async def _end(
        self,
        tx: Transaction,
        exercise: Exercise,
        person: Person,
        *,
        correct: bool | None,
        steps: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET,
    ) -> ExerciseGrade:
        """Ask the next exercise of the series, and return the grade of the one that is over."""
        asked = await ask_next_exercise(tx, self._series, exercise, person)
        return ExerciseGrade(
            correct,
            len(exercise.tries),
            solution=typeset(exercise.solution, person.language),
            steps=steps,
            next=show_asked(asked, person.language) if asked else msgspec.UNSET,
        )

"""A person's learning: quizzes answered, progress as a private page by signed link and as JSON.

A quiz is graded here, at once, without a model. The page is readable by eye and by ear, without
scripts or anything to load: its chart is SVG, and the table under it says the same.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast
from urllib.parse import quote

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.accounts.progress_links import Learner, find_learner
from bot.contracts.storage import Database, Transaction
from bot.errors import NotFound
from bot.events import ExerciseAsked
from bot.files.links import LinkExpired, LinkInvalid, Links
from bot.gateway.commands.buttons import is_noted, note_for_model, note_of
from bot.gateway.commands.practice import PracticeCommands, grade
from bot.gateway.commands.practice import note_of as note_of_exercise
from bot.gateway.commands.review import is_quiet
from bot.gateway.context import GatewayContext
from bot.gateway.delivery.compose import show_exercise
from bot.gateway.lanes import note_open_exercise
from bot.gateway.open_questions import forget_question, remember_exercise
from bot.i18n import find_zone, say
from bot.learning import exercises, quiz
from bot.learning.cards import count_due
from bot.learning.exercises import Exercise
from bot.learning.grading import is_answer, name_option
from bot.learning.learner_model import LearnerModel, read_learner_model
from bot.learning.mastery import State
from bot.learning.progress import Overview, Progress, first_name, make_overview, name_day
from bot.learning.results import read_progress
from bot.learning.review_schedule import read_schedule
from bot.learning.skill_progress import (
    NO_SKILLS,
    SkillOverview,
    list_next,
    make_skill_overview,
)
from bot.learning.subjects import name_subject
from bot.learning.task_reminders import QuietHours
from bot.messages.channels import WEB, Channel
from bot.messages.incoming import Person, Sender, Tapped, Update
from bot.messages.outgoing import AskExercise
from bot.messages.transcript import Text, UserMessage
from bot.typography import typeset
from bot.web.errors import Unauthorized
from bot.web.html_pages import (
    CONTACT_LINKS,
    ChartColumn,
    NoticePage,
    read_style,
    render_page,
    show_notice,
)
from bot.web.rate_limits import RateLimits
from bot.web.requests import caller, json_response, language_of, read_json, signed_in

MOST_SUBJECTS: Final = 30
"""Subjects on the page, which is to be small on thin data plans."""
MOST_SKILLS: Final = 24
"""Skills on the page."""
_STYLE = read_style("colours.css", "page.css")
PROGRESS_POLICY: Final = (
    f"default-src 'none'; style-src {_STYLE.source}; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of progress pages: their own style, and the site's icon."""


@dataclass(frozen=True, slots=True)
class SkillStart:
    """A skill to learn next, with the addresses at which its practice begins, by their words."""

    name: str
    links: Sequence[tuple[str, str]]


async def write_progress(
    overview: Overview,
    grade: str,
    skills: SkillOverview = NO_SKILLS,
    starts: Sequence[SkillStart] = (),
) -> str:
    """Write the page; `grade` may be empty."""
    language = overview.language
    days = [
        ChartColumn(name_day(language, day.date), "", day.correct, day.answered - day.correct)
        for day in overview.days
    ]
    return await render_page(
        "progress.html",
        language,
        overview=overview,
        days=days,
        grade=grade,
        skills=skills,
        shown=skills.lines[:MOST_SKILLS],
        starts=starts,
        style=_STYLE,
    )


async def _list_starts(request: web.Request, overview: SkillOverview) -> list[SkillStart]:
    """Links that open a chat with the command for practice written already."""
    ways = request.app[CONTACT_LINKS]
    names = [(each, address) for each, address in await ways.list_addresses()]
    chats = [(name, address) for name, address in names if address.startswith("https://")]
    if ways.has_chat:
        chats.append(("Chat", "/chat"))
    return [
        SkillStart(
            skill.name,
            [(f"{address}?text={quote(f'/practice {skill.id}')}", name) for name, address in chats],
        )
        for skill in overview.next
    ]


_PROGRESS_HEADERS = {
    "Content-Security-Policy": PROGRESS_POLICY,
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
    "X-Content-Type-Options": "nosniff",
}


class ShownDay(msgspec.Struct, frozen=True):
    date: str
    answered: int
    correct: int


class ShownSubject(msgspec.Struct, frozen=True):
    subject: str
    answered: int
    correct: int


class ShownSkill(msgspec.Struct, frozen=True):
    """A skill with a graded answer, or one that the placement asked about."""

    id: str
    name: str
    """In the person's language."""
    grade: str
    state: State
    p: float
    """The chance that the person knows it."""
    due_at: str | msgspec.UnsetType = msgspec.UNSET
    """When its review is due, in ISO 8601."""


class ShownNext(msgspec.Struct, frozen=True):
    id: str
    name: str


class ShownProgress(msgspec.Struct, frozen=True):
    streak: int
    """Days in a row."""
    days: list[ShownDay]
    """The last thirty days."""
    subjects: list[ShownSubject]
    """Subjects by their names in the person's language."""
    skills: list[ShownSkill]
    next: list[ShownNext]
    """What to learn next, the best first."""


class ProgressRoutes:
    """Progress as a page and as JSON.

    Args:
        links: those to pages of progress.
    """

    def __init__(self, database: Database, people: People, links: Links) -> None:
        self._database = database
        self._people = people
        self._links = links

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/progress/{token}", self.page),
            web.get("/api/v1/progress", self.numbers),
        ]

    async def page(self, request: web.Request) -> web.Response:
        """Show the page of a signed link; 403 tampered, 410 expired, 404 the account is gone."""
        try:
            token = self._links.read(request.match_info["token"])
            learner, progress, model = await self._read(token)
        except (LinkInvalid, LinkExpired, NotFound) as error:
            notice = await self._explain(language_of(request), error)
            return await show_notice(request, notice, caching="private, no-store")
        name = first_name(learner.name)
        overview = make_overview(learner.language, progress, name, most=MOST_SUBJECTS)
        skills = make_skill_overview(learner.language, model)
        starts = await _list_starts(request, skills)
        return web.Response(
            text=await write_progress(overview, learner.grade, skills, starts),
            content_type="text/html",
            charset="utf-8",
            headers=_PROGRESS_HEADERS,
        )

    async def numbers(self, request: web.Request) -> web.Response:
        """Answer with the caller's own progress.

        Raises:
            Unauthorized: there is no valid bearer token.
        """
        person = await signed_in(request, self._people)
        account = person.account if person else None
        if person is None or account is None:
            raise Unauthorized("Send a bearer token to see whose progress it is.")

        async def work(tx: Transaction) -> tuple[Progress, LearnerModel]:
            progress = await read_progress(tx, account, person.timezone)
            return progress, await read_learner_model(tx, account)

        progress, model = await self._database.read(work)
        return json_response(_describe_progress(person.language, progress, model))

    async def _explain(self, language: str, error: Exception) -> NoticePage:
        if isinstance(error, LinkInvalid):
            return NoticePage(
                language,
                say(language, "This link is not complete"),
                say(language, "This link is not valid. Perhaps a part of it is missing."),
                403,
            )
        if isinstance(error, LinkExpired):
            language = await self._language_of(error.target) or language
            return NoticePage(
                language,
                say(language, "This link has expired"),
                say(language, "Send /progress to Griot to get a new one."),
                410,
            )
        return NoticePage(
            language,
            say(language, "Nothing to see here"),
            say(language, "There is no such account any more."),
            404,
        )

    async def _language_of(self, mark: str) -> str:
        """Return the account's language; empty where the account is gone."""
        try:
            return (await self._database.read(lambda tx: find_learner(tx, mark))).language
        except NotFound:
            return ""

    async def _read(self, mark: str) -> tuple[Learner, Progress, LearnerModel]:
        async def work(tx: Transaction) -> tuple[Learner, Progress, LearnerModel]:
            learner = await find_learner(tx, mark)
            progress = await read_progress(tx, learner.account, learner.timezone)
            return learner, progress, await read_learner_model(tx, learner.account)

        return await self._database.read(work)


def _describe_progress(language: str, progress: Progress, model: LearnerModel) -> ShownProgress:
    return ShownProgress(
        progress.streak,
        [ShownDay(day.date.isoformat(), day.answered, day.correct) for day in progress.days],
        [
            ShownSubject(name_subject(language, score.subject), score.answered, score.correct)
            for score in progress.subjects
        ],
        [
            ShownSkill(
                each.skill.id,
                each.skill.name(language),
                each.skill.grade,
                each.state,
                round(each.p, 4),
            )
            for each in model.known
        ],
        [ShownNext(skill.id, skill.name(language)) for skill in list_next(model)],
    )


class ShownReview(msgspec.Struct, frozen=True):
    due: int
    """Exercises that are due to be reviewed now."""
    next_at: str | None
    """When the next reminder to review comes; where none is wanted, when the next one is due."""
    days: list[str]
    """Of mon … sun, on which they are reminded."""
    hour: int | None
    """By the person's clock."""


class ReviewRoutes:
    """What is due to be reviewed, as JSON."""

    def __init__(self, database: Database, people: People, quiet: QuietHours) -> None:
        self._database = database
        self._people = people
        self._quiet = quiet

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/v1/review", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        """Answer with the caller's own. Raises `Unauthorized`: there is no valid bearer token."""
        person = await signed_in(request, self._people)
        account = person.account if person else None
        if person is None or account is None:
            raise Unauthorized("Send a bearer token to see whose reviews they are.")
        return json_response(
            await self._database.read(lambda tx: self._read(tx, account, person.timezone))
        )

    async def _read(self, tx: Transaction, account: int, zone: str) -> ShownReview:
        cards = await count_due(tx, account, "")
        schedule, nudge_at = await read_schedule(tx, account)
        is_reminded = schedule is not None and not is_quiet(schedule, self._quiet)
        moment = nudge_at if is_reminded else cards.next_at
        return ShownReview(
            cards.due,
            datetime.fromtimestamp(moment, find_zone(zone)).isoformat(timespec="seconds")
            if moment is not None
            else None,
            list(schedule.days) if schedule else [],
            schedule.hour if schedule else None,
        )


class AnswerRequest(msgspec.Struct, frozen=True):
    index: int


class GradedAnswer(msgspec.Struct, frozen=True):
    correct: bool
    correct_index: int
    explanation: str
    next: ExerciseAsked | msgspec.UnsetType = msgspec.UNSET
    """The exercise at which a series in the same conversation goes on."""


async def count_quiz_answer(
    tx: Transaction, person: Person, lane: str, quiz_id: str, index: int, key: str
) -> quiz.Graded:
    """Grade an answer that was not given in the conversation, and note it there under the key.

    Raises:
        NotFound, NotYours, BadRequest, AlreadyAnswered, Expired: as `quiz.answer_quiz`.
    """
    graded = await quiz.answer_quiz(tx, quiz_id, index, account=person.account or 0)
    note = UserMessage((Text(note_of(index, graded)),))
    await forget_question(tx, lane)
    await note_for_model(tx, _make_update(person, lane, key, f"{quiz_id}:{index}"), note)
    return graded


async def find_running(tx: Transaction, lane: str, person: Person) -> Exercise | None:
    """The exercise at which a series in this conversation goes on after a quiz; None: none runs."""
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
        """Grade the answer: `{correct, correct_index, explanation}`; 403 not yours, 409 answered,
        410 expired, 429 too many at once."""
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
    """None: the text is no answer of the kind that is asked for."""
    tries: int
    """Wrong ones, of which each counts once."""
    hint: str | msgspec.UnsetType = msgspec.UNSET
    """The next that was not seen, after a wrong answer."""
    solution: str | msgspec.UnsetType = msgspec.UNSET
    """Once the exercise is over."""
    next: ExerciseAsked | msgspec.UnsetType = msgspec.UNSET
    """The next exercise of a series."""
    message: str | msgspec.UnsetType = msgspec.UNSET
    """What is said at the end of a placement."""


async def note_exercise(
    tx: Transaction, person: Person, exercise: Exercise, done: str, key: str
) -> None:
    """Note in the conversation what was done about an exercise elsewhere, under the key."""
    note = UserMessage((Text(note_of_exercise(exercise, done)),))
    update = _make_update(person, exercise.lane, key, f"{exercise.id}:{done}")
    await note_for_model(tx, update, note)


async def ask_next_exercise(
    tx: Transaction, practice: PracticeCommands, exercise: Exercise, person: Person
) -> AskExercise | None:
    """Ask the next exercise of the series of one that is over; None: there is none."""
    await note_open_exercise(tx, exercise.lane, "")
    asked = await practice.ask_next(tx, exercise, person)
    if asked is not None:
        await remember_exercise(tx, exercise.lane, asked)
    return asked


class ExerciseAnswers:
    def __init__(self, parts: GatewayContext, people: People, practice: PracticeCommands) -> None:
        self._parts = parts
        self._people = people
        self._practice = practice
        self._limits = RateLimits(parts, people)

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/v1/exercises/{id}/answer", self.answer)]

    async def answer(self, request: web.Request) -> web.Response:
        """Grade the answer; 403 not yours, 409 over, 410 expired, 429 too many at once."""
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
            if not is_answer(text, exercise.kind, body.options, body.unit):
                return ExerciseGrade(None, len(exercise.tries))
            before = len(exercise.tries)
            exercise, is_correct = await grade(tx, exercise_id, text, person.account or 0)
            is_new = len(exercise.tries) > before
            if exercise.is_placing:
                answered = await self._go_on_placing(tx, exercise, text, person)
            else:
                answered = await self._go_on(tx, exercise, person, is_correct, gives_hint=is_new)
            outcome = "right" if is_correct else "wrong"
            await note_exercise(tx, person, exercise, f"I answered {text} ({outcome})", key)
            counted.append(answered)
            return answered

        return json_response(await self._parts.database.write(work))

    async def _go_on_placing(
        self, tx: Transaction, exercise: Exercise, text: str, person: Person
    ) -> ExerciseGrade:
        await note_open_exercise(tx, exercise.lane, "")
        await forget_question(tx, exercise.lane)
        answer = name_option(text, exercise.body.options)
        step = await self._practice.levels.advance(tx, exercise, answer, person)
        is_right = exercise.state == "right"
        grade = ExerciseGrade(is_right, tries=int(not is_right))
        if answer != exercise.body.options[-1]:  # who skips has not asked for the solution
            grade = msgspec.structs.replace(grade, solution=exercise.solution)
        if step.asked is None:
            return msgspec.structs.replace(grade, message=step.level or step.words)
        await remember_exercise(tx, exercise.lane, step.asked)
        return msgspec.structs.replace(grade, next=show_exercise(step.asked))

    async def _go_on(
        self,
        tx: Transaction,
        exercise: Exercise,
        person: Person,
        is_correct: bool,
        *,
        gives_hint: bool,
    ) -> ExerciseGrade:
        tries = len(exercise.tries)
        if not is_correct:
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

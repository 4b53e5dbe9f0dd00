"""Show a person's learning: progress as a page by signed link and as JSON, and reviews due.

The page also works with a screen reader, and loads no scripts or other files: its chart is SVG,
and the table under it has the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final
from urllib.parse import quote

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.accounts.progress_links import Learner, find_learner
from bot.contracts.storage import Database, Transaction
from bot.errors import NotFound
from bot.files.links import LinkExpired, LinkInvalid, Links
from bot.i18n import find_zone, say, write_day
from bot.learning.progress import Overview, Progress, first_name, make_overview
from bot.learning.quiet_hours import QuietHours
from bot.learning.results import read_progress
from bot.learning.reviews.cards import count_due, read_due_by_skill
from bot.learning.reviews.review_reminders import read_schedule
from bot.learning.skills.learner_model import LearnerModel, read_learner_model
from bot.learning.skills.mastery import State
from bot.learning.skills.skill_progress import (
    NO_SKILLS,
    SkillOverview,
    list_next,
    make_skill_overview,
)
from bot.learning.subjects import name_subject
from bot.messages.incoming import Person
from bot.web.errors import Unauthorized
from bot.web.html_pages import (
    CONTACT_LINKS,
    ChartColumn,
    NoticePage,
    answer_private_page,
    read_style,
    render_page,
    show_notice,
)
from bot.web.requests import json_response, language_of, signed_in

MOST_SUBJECTS: Final = 30
"""The most subjects on the page, which is kept small for people who pay for data."""
MOST_SKILLS: Final = 24
"""The most skills on the page."""
_STYLE = read_style("colours.css", "page.css")
PROGRESS_POLICY: Final = _STYLE.make_policy()


@dataclass(frozen=True, slots=True)
class SkillStart:
    """A skill to learn next, with links that begin its practice: address and label of each."""

    name: str
    links: Sequence[tuple[str, str]]


async def write_progress(
    overview: Overview,
    grade: str,
    skills: SkillOverview = NO_SKILLS,
    starts: Sequence[SkillStart] = (),
) -> str:
    """Return the progress page; `grade` may be empty."""
    language = overview.language
    days = [
        ChartColumn(write_day(language, day.date), "", day.correct, day.answered - day.correct)
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


async def _list_starts(
    request: web.Request, overview: SkillOverview, language: str
) -> list[SkillStart]:
    """Return the skills to learn next, with links that open a chat with the command filled in."""
    ways = request.app[CONTACT_LINKS]
    names = [(each, address) for each, address in await ways.list_addresses()]
    chats = [(name, address) for name, address in names if address.startswith("https://")]
    if ways.has_chat:
        chats.append((say(language, "the web chat"), "/chat"))
    starts: list[SkillStart] = []
    for skill in overview.next:
        words = quote(say(language, "/practice {skill}", skill=skill.id))
        starts.append(
            SkillStart(skill.name, [(f"{address}?text={words}", name) for name, address in chats])
        )
    return starts


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
    """The probability that the person knows it."""
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
        links: makes and reads links to progress pages.
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
        """Show the page of a signed link; 403 invalid, 410 expired, 404 the account is gone."""
        try:
            token = self._links.read(request.match_info["token"])
            learner, progress, model = await self._read(token)
        except (LinkInvalid, LinkExpired, NotFound) as error:
            notice = await self._explain(language_of(request), error)
            return await show_notice(request, notice, caching="private, no-store")
        name = first_name(learner.name)
        overview = make_overview(learner.language, progress, name, most=MOST_SUBJECTS)
        skills = make_skill_overview(learner.language, model)
        starts = await _list_starts(request, skills, learner.language)
        page = await write_progress(overview, learner.grade, skills, starts)
        return answer_private_page(page, PROGRESS_POLICY)

    async def numbers(self, request: web.Request) -> web.Response:
        """Answer with the caller's own progress.

        Raises:
            Unauthorized: there is no valid bearer token.
        """
        person = await signed_in(request, self._people)
        account = person.account if person else None
        if person is None or account is None:
            raise Unauthorized("Send a bearer token to see whose progress it is.")

        async def work(tx: Transaction) -> ShownProgress:
            progress = await read_progress(tx, account, person.timezone)
            model, due = await read_learner_model(tx, account), await read_due_by_skill(tx, account)
            return _describe_progress(person, progress, model, due)

        return json_response(await self._database.read(work))

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


def _describe_progress(
    person: Person, progress: Progress, model: LearnerModel, due: Mapping[str, float]
) -> ShownProgress:
    language, zone = person.language, find_zone(person.timezone)
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
                _write_moment(due.get(each.skill.id), zone) or msgspec.UNSET,
            )
            for each in model.known
        ],
        [ShownNext(skill.id, skill.name(language)) for skill in list_next(model)],
    )


def _write_moment(at: float | None, zone: tzinfo) -> str | None:
    """Return a time in ISO 8601, with the offset of a person's zone; None for None."""
    return None if at is None else datetime.fromtimestamp(at, zone).isoformat(timespec="seconds")


class ShownReview(msgspec.Struct, frozen=True):
    due: int
    """Exercises that are due to be reviewed now."""
    next_at: str | None
    """When the next reminder to review comes; without reminders, when the next exercise is due."""
    days: list[str]
    """Days of mon … sun on which the person is reminded."""
    hour: int | None
    """The hour of the reminder, in the person's time zone."""


class ReviewRoutes:
    """The routes for reviews that are due, as JSON."""

    def __init__(self, database: Database, people: People, quiet: QuietHours) -> None:
        self._database = database
        self._people = people
        self._quiet = quiet

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/v1/review", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        """Answer with the caller's own reviews. Raises `Unauthorized`: no valid bearer token."""
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
        is_reminded = schedule is not None and not self._quiet.covers(schedule.hour)
        moment = nudge_at if is_reminded else cards.next_at
        return ShownReview(
            cards.due,
            _write_moment(moment, find_zone(zone)),
            list(schedule.days) if schedule else [],
            schedule.hour if schedule else None,
        )

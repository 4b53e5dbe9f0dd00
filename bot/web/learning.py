"""A person's learning: quizzes answered, progress as a private page by signed link and as JSON.

A quiz is graded here, at once, without a model. The page is readable by eye and by ear, without
scripts or anything to load: the chart is SVG whose colours follow the reader's light or dark, and
the table under it says the same. Every word of a person or a model is escaped.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from html import escape
from typing import Final, cast

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.accounts.progress_links import Learner, find_learner
from bot.contracts.storage import Database, Transaction
from bot.errors import NotFound
from bot.files.links import LinkExpired, LinkInvalid, Links
from bot.gateway.commands.buttons import is_noted, note_for_model, note_of
from bot.gateway.context import GatewayContext
from bot.gateway.inbound.effects import forget_question
from bot.i18n import say
from bot.learning import quiz
from bot.learning.exercises import read_progress
from bot.learning.progress import (
    Day,
    Overview,
    Progress,
    SubjectLine,
    first_name,
    make_overview,
    name_day,
)
from bot.learning.subjects import name_subject
from bot.messages.channels import WEB, Channel
from bot.messages.incoming import Person, Sender, Tapped, Update
from bot.messages.transcript import Text, UserMessage
from bot.typography import typeset
from bot.web.errors import Unauthorized
from bot.web.html_pages import LOGO, NoticePage, read_style, read_template, show_notice, write_page
from bot.web.rate_limits import RateLimits
from bot.web.requests import caller, json_response, language_of, read_json, signed_in

MOST_SUBJECTS: Final = 30
"""Subjects on the page, which is to be small on thin data plans."""
_STYLE = read_style("colours.css", "page.css")
_PROGRESS = read_template("progress.html")
PROGRESS_POLICY: Final = (
    f"default-src 'none'; style-src {_STYLE.source}; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of progress pages: their own style, and the site's icon."""
_STEP, _BAR, _HEIGHT = 20, 14, 220
"""Of the chart's bars, in its own units."""


def write_progress(overview: Overview, grade: str) -> str:
    """Write the page; `grade` may be empty."""
    language = overview.language
    main = _PROGRESS.substitute(
        logo=LOGO,
        title=escape(overview.title),
        grade=f'<p class="grade"><bdi>{escape(grade)}</bdi></p>' if grade else "",
        headlines="".join(
            f"<div><dt>{escape(each.words)}</dt><dd>{escape(each.number)}</dd></div>"
            for each in overview.headlines
        ),
        month=escape(say(language, "The last 30 days")),
        right=escape(say(language, "right")),
        wrong=escape(say(language, "wrong")),
        chart=_write_chart(overview),
        as_table=escape(say(language, "The same as a table")),
        day=escape(say(language, "Day")),
        answers=escape(say(language, "Answered")),
        days="".join(_write_day(language, day) for day in overview.days),
        by_subject=escape(say(language, "By subject")),
        subjects=_write_subjects(overview),
        privacy=escape(
            say(
                language,
                "Whoever has the link of this page can see it until the link expires. "
                "/progress gives you a new one.",
            )
        ),
    )
    name = say(language, "Griot: progress")  # it may stand in a preview: without a name
    return write_page(language, name, _STYLE, f"<main>{main}</main>")


def _write_chart(overview: Overview) -> str:
    days, language = overview.days, overview.language
    most = max(1, *(day.answered for day in days))
    width = _STEP * len(days)
    bars = "".join(
        _write_bar(day, _STEP * place + (_STEP - _BAR) // 2, most, name_day(language, day.date))
        for place, day in enumerate(days)
    )
    dated = (days[0], days[len(days) // 2], days[-1])
    dates = "".join(f"<span>{escape(name_day(language, day.date))}</span>" for day in dated)
    return (
        f'<p class="most">{escape(overview.silence or overview.most)}</p>'
        f'<svg viewBox="0 0 {width} {_HEIGHT + 2}" role="img" aria-labelledby="month">'
        f'<path class="l" d="M0 .5H{width}M0 {_HEIGHT + 1}H{width}"/>{bars}</svg>'
        f'<div class="dates" aria-hidden="true">{dates}</div>'
    )


def _write_bar(day: Day, x: int, most: int, name: str) -> str:
    if not day.answered:
        return f'<circle class="n" cx="{x + _BAR // 2}" cy="{_HEIGHT - 3}" r="2.5"/>'
    right = _HEIGHT * day.correct / most
    wrong = _HEIGHT * (day.answered - day.correct) / most
    top = _HEIGHT - right - wrong
    rects = "".join(
        f'<rect class="{kind}" x="{x}" y="{y:.1f}" width="{_BAR}" height="{height:.1f}"/>'
        for kind, y, height in (("w", top, wrong), ("r", top + wrong, right))
        if height
    )
    return f"<g><title>{escape(name)}: {day.correct}/{day.answered}</title>{rects}</g>"


def _write_day(language: str, day: Day) -> str:
    name = escape(name_day(language, day.date))
    return f'<tr><th scope="row">{name}</th><td>{day.answered}</td><td>{day.correct}</td></tr>'


def _write_subjects(overview: Overview) -> str:
    lines: Sequence[SubjectLine] = overview.subjects
    if not lines:
        words = say(
            overview.language,
            "Nothing to show yet. Answer a quiz or do an exercise with me, and it will be here.",
        )
        return f"<p>{escape(words)}</p>"
    return "<ul>" + "".join(map(_write_subject, lines)) + "</ul>"


def _write_subject(line: SubjectLine) -> str:
    return (
        f'<li><p><bdi>{escape(line.name)}</bdi><span class="count">{escape(line.count)}</span>'
        f"<strong>{escape(line.percent)}</strong></p>"
        '<svg class="bar" aria-hidden="true"><rect class="w" width="100%" height="100%"/>'
        f'<rect class="r" width="{line.share}%" height="100%"/></svg></li>'
    )


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


class ShownProgress(msgspec.Struct, frozen=True):
    streak: int
    """Days in a row."""
    days: list[ShownDay]
    """The last thirty days."""
    subjects: list[ShownSubject]
    """Subjects by their names in the person's language."""


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
            learner, progress = await self._read(self._links.read(request.match_info["token"]))
        except (LinkInvalid, LinkExpired, NotFound) as error:
            notice = await self._explain(language_of(request), error)
            return await show_notice(request, notice, caching="private, no-store")
        name = first_name(learner.name)
        overview = make_overview(learner.language, progress, name, most=MOST_SUBJECTS)
        return web.Response(
            text=write_progress(overview, learner.grade),
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
        progress = await self._database.read(lambda tx: read_progress(tx, account, person.timezone))
        return json_response(_describe_progress(person.language, progress))

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

    async def _read(self, mark: str) -> tuple[Learner, Progress]:
        async def work(tx: Transaction) -> tuple[Learner, Progress]:
            learner = await find_learner(tx, mark)
            return learner, await read_progress(tx, learner.account, learner.timezone)

        return await self._database.read(work)


def _describe_progress(language: str, progress: Progress) -> ShownProgress:
    return ShownProgress(
        progress.streak,
        [ShownDay(day.date.isoformat(), day.answered, day.correct) for day in progress.days],
        [
            ShownSubject(name_subject(language, score.subject), score.answered, score.correct)
            for score in progress.subjects
        ],
    )


class AnswerRequest(msgspec.Struct, frozen=True):
    index: int


class GradedAnswer(msgspec.Struct, frozen=True):
    correct: bool
    correct_index: int
    explanation: str


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
        counted: list[quiz.Graded] = []

        async def work(tx: Transaction) -> quiz.Graded:
            lane = await quiz.lane_of_quiz(tx, quiz_id)
            if counted and await is_noted(tx, lane, key):
                return counted[-1]  # by an earlier run of this work, whose commit was not confirmed
            graded = await quiz.answer_quiz(tx, quiz_id, index, account=person.account or 0)
            note = UserMessage((Text(note_of(index, graded)),))
            await forget_question(tx, lane)
            await note_for_model(tx, _make_update(person, lane, key, f"{quiz_id}:{index}"), note)
            counted.append(graded)
            return graded

        graded = await self._parts.database.write(work)
        explanation = typeset(graded.explanation, person.language)
        return json_response(GradedAnswer(graded.correct, graded.correct_index, explanation))


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

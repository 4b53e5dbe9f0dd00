"""A person's progress: as a private page by signed link, and as JSON for their own client."""

from __future__ import annotations

import msgspec
from aiohttp import web

from bot.accounts.learners import Learner, find_learner
from bot.accounts.people import People
from bot.contracts import Database, Transaction
from bot.errors import NotFound
from bot.learning.exercises import read_progress
from bot.learning.overview import first_name, make_overview
from bot.learning.progress import Progress
from bot.learning.subjects import name_subject
from bot.library.links import LinkExpired, LinkInvalid, Links
from bot.texts import say
from bot.web.errors import Unauthorized
from bot.web.notices import Notice, show_notice
from bot.web.progress_page import MOST_SUBJECTS, POLICY, write_progress
from bot.web.requests import json_response, language_of, signed_in

_HEADERS = {
    "Content-Security-Policy": POLICY,
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
    """The last thirty."""
    subjects: list[ShownSubject]
    """By their names in the person's language."""


class ProgressRoutes:
    """
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
        """The page of a signed link; 403 tampered, 410 expired, 404 the account is gone."""
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
            headers=_HEADERS,
        )

    async def numbers(self, request: web.Request) -> web.Response:
        """The caller's own.

        Raises:
            Unauthorized: there is no valid bearer token.
        """
        person = await signed_in(request, self._people)
        account = person.account if person else None
        if person is None or account is None:
            raise Unauthorized("Send a bearer token to see whose progress it is.")
        progress = await self._database.read(lambda tx: read_progress(tx, account, person.timezone))
        return json_response(_numbers(person.language, progress))

    async def _explain(self, language: str, error: Exception) -> Notice:
        if isinstance(error, LinkInvalid):
            return Notice(
                language,
                say(language, "This link is not complete"),
                say(language, "This link is not valid. Perhaps a part of it is missing."),
                403,
            )
        if isinstance(error, LinkExpired):
            language = await self._language_of(error.target) or language
            return Notice(
                language,
                say(language, "This link has expired"),
                say(language, "Send /progress to Griot to get a new one."),
                410,
            )
        return Notice(
            language,
            say(language, "Nothing to see here"),
            say(language, "There is no such account any more."),
            404,
        )

    async def _language_of(self, mark: str) -> str:
        """Empty where the account is gone."""
        try:
            return (await self._database.read(lambda tx: find_learner(tx, mark))).language
        except NotFound:
            return ""

    async def _read(self, mark: str) -> tuple[Learner, Progress]:
        async def work(tx: Transaction) -> tuple[Learner, Progress]:
            learner = await find_learner(tx, mark)
            return learner, await read_progress(tx, learner.account, learner.timezone)

        return await self._database.read(work)


def _numbers(language: str, progress: Progress) -> ShownProgress:
    return ShownProgress(
        progress.streak,
        [ShownDay(day.date.isoformat(), day.answered, day.correct) for day in progress.days],
        [
            ShownSubject(name_subject(language, score.subject), score.answered, score.correct)
            for score in progress.subjects
        ],
    )

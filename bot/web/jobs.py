"""Begin jobs, show their state and events, and cancel them: `/api/v1/jobs`."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.contracts.storage import Transaction
from bot.errors import NotFound
from bot.gateway import jobs
from bot.gateway.context import GatewayContext
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.jobs import Job, JobState, lane_of_job, name_job
from bot.gateway.turns.preview import topic_of
from bot.i18n import best_language
from bot.messages.incoming import Person, Said, Sender
from bot.web.requests import caller, json_response
from bot.web.sessions import Sessions
from bot.web.turn_streams import FollowedTurn, TurnStreams


class JobFile(msgspec.Struct, frozen=True):
    id: str
    filename: str
    url: str
    size: int


class ShownJob(msgspec.Struct, frozen=True):
    """The state of a job. Its text is there once it has ended; of one that was cancelled, what was
    shown before, and a line that says so."""

    id: str
    status: JobState
    step: int
    max_steps: int
    started_at: float | None
    finished_at: float | None
    text: str | msgspec.UnsetType = msgspec.UNSET
    files: list[JobFile] | msgspec.UnsetType = msgspec.UNSET
    error: str | msgspec.UnsetType = msgspec.UNSET


class JobBegun(msgspec.Struct, frozen=True):
    job_id: str


class Jobs:
    """Routes of background jobs.

    Args:
        link: returns a signed link to a file by its id.
    """

    def __init__(
        self,
        parts: GatewayContext,
        people: People,
        inbox: Inbox,
        sessions: Sessions,
        streams: TurnStreams,
        link: Callable[[str], str],
    ) -> None:
        self._parts = parts
        self._people = people
        self._inbox = inbox
        self._sessions = sessions
        self._streams = streams
        self._link = link

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/v1/jobs/{id}", self.show),
            web.delete("/api/v1/jobs/{id}", self.cancel),
            web.get("/api/v1/jobs/{id}/events", self.events),
        ]

    async def begin(
        self, person: Person, job_id: str, said: Said, session: str | None
    ) -> web.Response:
        """Store a new job; answer 202 with its id."""
        sender = _sender(person)

        async def work(tx: Transaction) -> None:
            await self._sessions.open_job(tx, person, name_job(job_id))
            await jobs.begin_job(tx, self._inbox, job_id, said, sender, session)

        await self._parts.database.write(work)
        return json_response(JobBegun(job_id), 202)

    async def has_begun(self, person: Person, job_id: str) -> bool:
        """Return whether the person has begun a job of this id."""
        try:
            await self._sessions.check_job(person, name_job(job_id))
        except NotFound:
            return False
        return True

    async def show(self, request: web.Request) -> web.Response:
        person, job = await self._find(request)
        return json_response(self._describe(job, person.language))

    async def cancel(self, request: web.Request) -> web.Response:
        """Ask the job to end; answer with its state."""
        person, job = await self._find(request)
        if job.state in {"queued", "running"}:
            await self._parts.database.write(
                lambda tx: jobs.cancel_job(tx, self._inbox, job.id, _sender(person))
            )
        return json_response(self._describe(job, person.language), 202)

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Send a job's events as they happen; if the beginning was missed, its whole text at the
        end."""
        person, job = await self._find(request)
        followed = FollowedTurn(lane_of_job(job.id), job.turn, person.language)
        async with self._parts.momentary.subscribe(topic_of(followed.lane)) as payloads:
            batches = self._streams.follow_late(payloads, followed)
            return await self._streams.send(request, followed, batches)

    async def _find(self, request: web.Request) -> tuple[Person, Job]:
        """Return the caller and their job. Raises `NotFound`: they have no such job."""
        person = await caller(request, self._people, self._parts.settings)
        job_id = request.match_info["id"]
        await self._sessions.check_job(person, name_job(job_id))
        return person, await self._parts.database.read(lambda tx: jobs.find_job(tx, job_id))

    def _describe(self, job: Job, language: str) -> ShownJob:
        has_ended = job.state in {"done", "cancelled"}
        is_stopped = job.state == "cancelled"
        stopped = jobs.explain_stopped(best_language(language)) if is_stopped else ""
        text = "\n\n".join(filter(None, (job.text, stopped)))
        files = [
            JobFile(file.file_id, file.filename, self._link(file.file_id), file.size)
            for file in job.files
        ]
        return ShownJob(
            job.id,
            job.state,
            job.step,
            self._parts.settings.max_iterations,
            job.started_at,
            job.finished_at,
            text=text if has_ended else msgspec.UNSET,
            files=files if has_ended else msgspec.UNSET,
            error=job.text if job.state == "failed" else msgspec.UNSET,
        )


def _sender(person: Person) -> Sender:
    return Sender(person.address, person.name, person.language)

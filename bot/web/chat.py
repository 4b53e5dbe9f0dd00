"""`POST /api/v1/chat`: a message in, the turn's events out as they happen (server-sent events)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final

import msgspec
from aiohttp import web

from bot.accounts.approvals import AlreadyDecided, Choice, find_lane, is_pending
from bot.accounts.people import People
from bot.errors import BadRequest, NotFound
from bot.gateway.jobs import lane_of
from bot.gateway.memory_events import memory_events
from bot.gateway.parts import Parts
from bot.gateway.phone_thread import Part, list_parts, shown_thread
from bot.gateway.receiving.command_words import find_command
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.shown_turns import ShownTurn, shown_turns
from bot.gateway.turns.live import topic
from bot.library.files import Files
from bot.library.links import Links
from bot.messages import (
    Decided,
    Person,
    Said,
)
from bot.texts import say
from bot.web.admission import Admission
from bot.web.completions.asking import Asked, Line
from bot.web.completions.continuing import Begun, Continuing
from bot.web.deciding import read_decision
from bot.web.jobs import Jobs
from bot.web.requests import caller, is_name, json_response, known_guest, read_json
from bot.web.sessions import PHONE, Sessions, ShownSession, account_of, say_in
from bot.web.turn_streams import Followed, TurnStreams
from bot.web.uploads import Upload, Uploads, is_form

LONGEST_MESSAGE: Final = 32_000
_MOST_EVENTS: Final = 500


class Decision(msgspec.Struct, frozen=True):
    """What the person says to something that waits for their consent."""

    id: str
    choice: Choice


class ChatRequest(msgspec.Struct, frozen=True):
    message: str = ""
    session_id: str | None = None
    decision: Decision | None = None
    background: bool = False
    """As a job: nobody waits for it."""

    @property
    def content(self) -> Said | Decided:
        if self.decision is None:
            return Said(self.message)
        return Decided(self.decision.id, self.decision.choice, self.message)


class ShownEvents(msgspec.Struct, frozen=True):
    events: list[dict[str, Any]]
    """Memory events, oldest first."""


class ShownTurns(msgspec.Struct, frozen=True):
    turns: list[ShownTurn]


class SessionList(msgspec.Struct, frozen=True):
    sessions: list[ShownSession]


def _as_asked(request: ChatRequest, uploads: Sequence[Upload]) -> Asked:
    """The request in the form by which `Continuing` knows one that is sent again."""
    files = [hashlib.sha256(upload.content).hexdigest() for upload in uploads]
    place = msgspec.json.encode([request.session_id, request.decision, files]).decode()
    return Asked(request.message, uploads, [Line("user", request.message)], (), place, True, True)


class Chat:
    def __init__(
        self, parts: Parts, people: People, inbox: Inbox, links: Links, files: Files
    ) -> None:
        self._parts = parts
        self._people = people
        self._inbox = inbox
        self._admission = Admission(parts, people)
        self._sessions = Sessions(parts.database)
        self._streams = TurnStreams(parts)
        self._continuing = Continuing(
            parts.momentary, inbox.last_handled, parts.settings.secret_key
        )
        self._uploads = Uploads(files)
        self.jobs = Jobs(parts, people, inbox, self._sessions, self._streams, links.make)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/v1/chat", self.chat),
            web.get("/api/v1/sessions", self.listing),
            web.get("/api/v1/sessions/{id}/events", self.events),
            web.get("/api/v1/sessions/{id}/turns", self.turns),
            *self.jobs.routes(),
        ]

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """The events of the turn; 401, 402, 409 and 429 before the stream begins."""
        person = await caller(request, self._people, self._parts.settings)
        asked, uploads = await self._read_request(request, person)
        if not asked.message.strip() and asked.decision is None and not uploads:
            raise BadRequest("message: write something.")
        if len(asked.message) > LONGEST_MESSAGE:
            raise BadRequest(f"message: at most {LONGEST_MESSAGE} characters.")
        await self._admission.check_pace(request, person)
        session = await self._sessions.resolve(person, asked.session_id)
        asked = msgspec.structs.replace(asked, session_id=session)
        mark = "" if asked.background else request.headers.get("Idempotency-Key", "")
        async with AsyncExitStack() as beginning:
            once = _as_asked(asked, uploads)
            if mark:
                await beginning.enter_async_context(self._continuing.alone(person, once, mark))
                begun = await self._continuing.find_begun(person, once, mark)
                if begun is not None and not await self._streams.has_failed(begun.lane, begun.turn):
                    await beginning.aclose()
                    return await self._repeat(request, person, begun)

            async def note(begun: Begun) -> None:
                if mark:
                    await self._continuing.note_begun(person, once, mark, begun)
                await beginning.aclose()

            return await self._begin(request, person, asked, uploads, note)

    async def _begin(
        self,
        request: web.Request,
        person: Person,
        asked: ChatRequest,
        uploads: Sequence[Upload],
        note: Callable[[Begun], Awaitable[None]],
    ) -> web.StreamResponse:
        """Begin a turn and send its events; `note` is called once it is stored."""
        content = await self._read(person, asked, has_files=bool(uploads))
        admit = None
        if isinstance(content, Said) and (uploads or find_command("http", content) is None):
            await self._admission.check_means(request, person)
            admit = self._admission.opening.admit
        if asked.background:
            return await self._begin_job(person, asked, uploads)
        session_id = await self._session(person, asked)
        update = await self._uploads.attach(say_in(session_id, person, content), uploads)
        async with self._parts.momentary.subscribe(topic(update.lane)) as payloads:
            async with self._uploads.kept_if_stored(update):
                begun = Begun(session_id, await self._inbox.store_if_idle(update, admit))
            self._parts.metrics.updates("http", "stored").inc()
            await note(begun)
            followed = Followed(begun.lane, begun.turn, person.language)
            return await self._streams.send(request, payloads, followed)

    async def _repeat(
        self, request: web.Request, person: Person, begun: Begun
    ) -> web.StreamResponse:
        """The turn that the same request began before, as far as it is."""
        await self._sessions.check(person, begun.session)
        async with self._parts.momentary.subscribe(topic(begun.lane)) as payloads:
            followed = Followed(begun.lane, begun.turn, person.language)
            return await self._streams.repeat(request, payloads, followed, begun.session)

    async def _read_request(
        self, request: web.Request, person: Person
    ) -> tuple[ChatRequest, Sequence[Upload]]:
        """What is asked, as JSON or as a form, and the files of the form."""
        if not is_form(request.headers):
            return await read_json(request, ChatRequest), ()
        names = ("message", "session_id", "background")
        form = await self._uploads.read_form(request, person.language, names)
        given = {name: text for name, text in form.fields.items() if text}
        try:
            return msgspec.convert(given, ChatRequest, strict=False), form.files
        except msgspec.ValidationError as error:
            raise BadRequest(f"The form is not as expected: {error}.") from None

    async def _read(self, person: Person, asked: ChatRequest, *, has_files: bool) -> Said | Decided:
        """What is meant: in a session where something waits, words alone may decide on it."""
        content, session = asked.content, asked.session_id
        if isinstance(content, Decided) or asked.background or has_files:
            return content
        if session is None:
            return content
        return await read_decision(self._parts.database, person, f"http:{session}", content)

    async def _begin_job(
        self, person: Person, asked: ChatRequest, uploads: Sequence[Upload]
    ) -> web.Response:
        is_command = not uploads and find_command("http", Said(asked.message))
        if asked.decision is not None or is_command:
            raise BadRequest("background: commands and decisions are answered at once.")
        if asked.session_id is not None:
            await self._sessions.check(person, asked.session_id)
        job_id = secrets.token_urlsafe(12)
        staged = await self._uploads.stage(lane_of(job_id), "begin", uploads)
        return await self.jobs.begin(person, job_id, Said(asked.message, staged), asked.session_id)

    async def _session(self, person: Person, asked: ChatRequest) -> str:
        """The conversation that is meant: a decision is for the one in which it was asked.

        Raises:
            NotFound: it is someone else's, or there is nothing of this id to decide on.
            AlreadyDecided: it was, or the person has written something else instead.
        """
        decision = asked.decision
        if decision is None:
            return await self._sessions.open(person, asked.session_id)
        lane = await self._lane_of(decision.id)
        channel, _, session_id = lane.partition(":")
        if channel != "http" or asked.session_id not in {None, session_id}:
            raise NotFound("There is nothing of this id to decide on in this session.")
        await self._sessions.check(person, session_id)
        if not await self._parts.database.read(lambda tx: is_pending(tx, decision.id)):
            raise AlreadyDecided(say(person.language, "This was decided already."))
        return session_id

    async def _lane_of(self, approval: str) -> str:
        """The lane in which this was asked; empty: nowhere."""
        if not is_name(approval):
            return ""
        return await self._parts.database.read(lambda tx: find_lane(tx, approval))

    async def listing(self, request: web.Request) -> web.Response:
        """The caller's conversations, newest first. A guest who is known by a network alone, which
        others share, has none to list."""
        settings = self._parts.settings
        person = await caller(request, self._people, settings)
        if person.account is None and not known_guest(request, settings).has_cookie:
            return json_response(SessionList([]))
        return json_response(SessionList(await self._sessions.listing(person)))

    async def events(self, request: web.Request) -> web.Response:
        """The memory events of one of the caller's sessions."""
        person = await caller(request, self._people, self._parts.settings)
        session_id = request.match_info["id"]
        parts = [Part(f"http:{session_id}", 0)]
        if session_id == PHONE:
            account = account_of(person)
            parts = await self._parts.database.read(lambda tx: list_parts(tx, account))
        else:
            await self._sessions.check(person, session_id)
        events = [
            event
            for lane, since in parts
            for event in await memory_events(
                self._parts.database, lane, since=since, for_person=True
            )
        ]
        events.sort(key=lambda event: event["timestamp"])
        return json_response(ShownEvents(events[-_MOST_EVENTS:]))

    async def turns(self, request: web.Request) -> web.Response:
        """One of the caller's sessions as it was seen."""
        person = await caller(request, self._people, self._parts.settings)
        session_id = request.match_info["id"]
        if session_id == PHONE:
            account = account_of(person)
            turns = await self._parts.database.read(
                lambda tx: shown_thread(tx, self._parts.posting, account)
            )
            return json_response(ShownTurns(turns))
        await self._sessions.check(person, session_id)
        turns = await self._parts.database.read(
            lambda tx: shown_turns(tx, self._parts.posting, f"http:{session_id}")
        )
        return json_response(ShownTurns(turns))

    async def shut_down(self, app: object = None) -> None:  # noqa: ARG002 (the signal passes it)
        """End all streams properly; to be called when the process stops serving (`on_shutdown`)."""
        self._streams.end_all()

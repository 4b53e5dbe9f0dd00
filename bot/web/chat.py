"""`POST /api/v1/chat`: a message in, the turn's events out as they happen (server-sent events)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any, Final

import msgspec
from aiohttp import web

from bot.accounts.approvals import AlreadyDecided, Choice, find_lane, is_pending
from bot.accounts.people import People
from bot.errors import BadRequest, NotFound
from bot.files.links import Links
from bot.files.store import FileStore
from bot.gateway.context import GatewayContext
from bot.gateway.conversation_history import (
    PhonePart,
    Reader,
    ShownTurn,
    list_parts,
    read_conversation_events,
    read_phone_thread,
    read_shown_turns,
)
from bot.gateway.inbound.command_parser import parse_command
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.jobs import lane_of_job
from bot.gateway.turns.preview import topic_of
from bot.i18n import best_language, say
from bot.messages.channels import WEB
from bot.messages.incoming import Decided, Person, Said
from bot.messages.value import explain_decode_error
from bot.web.completion_request import ClientMessage, ClientRequest, RequestHistory
from bot.web.files import Upload, Uploads, is_form
from bot.web.jobs import JobBegun, Jobs
from bot.web.rate_limits import RateLimits
from bot.web.requests import caller, is_name, json_response, known_guest, read_json
from bot.web.sessions import (
    PHONE,
    Sessions,
    ShownSession,
    make_update,
    read_decision,
    require_account,
)
from bot.web.turn_streams import FollowedTurn, TurnStreams

LONGEST_MESSAGE: Final = 32_000
_MOST_EVENTS: Final = 500


class Decision(msgspec.Struct, frozen=True):
    """The person's decision on a pending approval."""

    id: str
    choice: Choice


class ChatRequest(msgspec.Struct, frozen=True):
    message: str = ""
    session_id: str | None = None
    decision: Decision | None = None
    background: bool = False
    """Run it as a job: the request does not wait for it."""

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


def _is_stop(message: str) -> bool:
    command = parse_command(WEB, Said(message))
    return command is not None and command.name == "stop"


def _name_job(request_key: str) -> str:
    """Return the id of the job that a request with an idempotency key begins."""
    return request_key.rpartition(":")[2]


class Chat:
    def __init__(
        self, parts: GatewayContext, people: People, inbox: Inbox, links: Links, files: FileStore
    ) -> None:
        self._parts = parts
        self._people = people
        self._inbox = inbox
        self._limits = RateLimits(parts, people)
        self._sessions = Sessions(parts.database)
        self._streams = TurnStreams(parts)
        self._history = RequestHistory(parts.momentary, inbox, parts.settings.secret_key)
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
        """Run a turn and send its events; errors (401, 402, 409, 429) come before the stream."""
        person = await caller(request, self._people, self._parts.settings)
        asked, uploads = await self._read_request(request, person)
        if not asked.message.strip() and asked.decision is None and not uploads:
            raise BadRequest("message: write something.")
        if len(asked.message) > LONGEST_MESSAGE:
            raise BadRequest(f"message: at most {LONGEST_MESSAGE} characters.")
        is_stop = not uploads and asked.decision is None and _is_stop(asked.message)
        await self._limits.check_pace(request, person, is_stop=is_stop)
        session = await self._sessions.resolve(person, asked.session_id)
        asked = msgspec.structs.replace(asked, session_id=session)
        mark = request.headers.get("Idempotency-Key", "")
        async with AsyncExitStack() as beginning:
            files = [hashlib.sha256(upload.content).hexdigest() for upload in uploads]
            place = msgspec.json.encode([asked.session_id, asked.decision, files]).decode()
            once = ClientRequest(
                asked.message,
                uploads,
                [ClientMessage("user", asked.message)],
                (),
                place,
                True,
                True,
            )
            key = self._history.name_request(person, once, mark) if mark else ""
            if key:
                await beginning.enter_async_context(self._history.lock_request(key))
            if key and asked.background:
                job_id = _name_job(key)
                if await self.jobs.has_begun(person, job_id):
                    return json_response(JobBegun(job_id), 202)
            elif key:
                begun = await self._history.find_started_turn(key)
                if begun is not None and not await self._streams.has_failed(begun.lane, begun.turn):
                    await beginning.aclose()
                    await self._sessions.check(person, begun.session)
                    async with self._parts.momentary.subscribe(topic_of(begun.lane)) as payloads:
                        followed = FollowedTurn(begun.lane, begun.turn, person.language)
                        batches = self._streams.follow_again(payloads, followed, begun.session)
                        return await self._streams.send(request, followed, batches)
            return await self._begin(request, person, asked, uploads, key, beginning)

    async def _begin(
        self,
        request: web.Request,
        person: Person,
        asked: ChatRequest,
        uploads: Sequence[Upload],
        request_key: str,
        beginning: AsyncExitStack,
    ) -> web.StreamResponse:
        """Begin a turn and send its events; close `beginning` once the turn is stored."""
        content = await self._read(person, asked, has_files=bool(uploads))
        admit = await self._limits.admit_message(request, person, content, has_files=bool(uploads))
        if asked.background:
            is_command = not uploads and parse_command(WEB, Said(asked.message))
            if asked.decision is not None or is_command:
                raise BadRequest("background: commands and decisions are answered at once.")
            if asked.session_id is not None:
                await self._sessions.check(person, asked.session_id)
            job_id = _name_job(request_key) if request_key else secrets.token_urlsafe(12)
            staged = await self._uploads.stage(lane_of_job(job_id), "begin", uploads)
            return await self.jobs.begin(
                person, job_id, Said(asked.message, staged), asked.session_id
            )
        session_id = await self._session(person, asked)
        update = await self._uploads.attach(make_update(session_id, person, content), uploads)
        async with self._parts.momentary.subscribe(topic_of(update.lane)) as payloads:
            async with self._uploads.delete_unless_stored(update):
                turn = await self._inbox.store_if_idle(update, admit, request_key)
            self._parts.metrics.updates(WEB, "stored").inc()
            await beginning.aclose()
            followed = FollowedTurn(update.lane, turn, person.language)
            batches = self._streams.follow(payloads, followed)
            return await self._streams.send(request, followed, batches)

    async def _read_request(
        self, request: web.Request, person: Person
    ) -> tuple[ChatRequest, Sequence[Upload]]:
        """Read the request, as JSON or as a form with files."""
        if not is_form(request.headers):
            return await read_json(request, ChatRequest), ()
        names = ("message", "session_id", "background")
        form = await self._uploads.read_form(request, person.language, names)
        given = {name: text for name, text in form.fields.items() if text}
        try:
            return msgspec.convert(given, ChatRequest, strict=False), form.files
        except msgspec.ValidationError as error:
            raise BadRequest(
                f"The form is not as expected: {explain_decode_error(error)}."
            ) from None

    async def _read(self, person: Person, asked: ChatRequest, *, has_files: bool) -> Said | Decided:
        """Return the request's message or decision: where an approval waits, a message without
        files may decide on it."""
        content, session = asked.content, asked.session_id
        if isinstance(content, Decided) or asked.background or has_files:
            return content
        if session is None:
            return content
        return await read_decision(self._parts.database, person, f"http:{session}", content)

    async def _session(self, person: Person, asked: ChatRequest) -> str:
        """Return the id of the request's session; for a decision, the one that asked for it.

        Raises:
            NotFound: the session is another person's, or there is no such approval.
            AlreadyDecided: it was decided, or the person has written something else instead.
        """
        decision = asked.decision
        if decision is None:
            return await self._sessions.open(person, asked.session_id)
        lane = await self._lane_of(decision.id)
        channel, _, session_id = lane.partition(":")
        if channel != WEB or asked.session_id not in {None, session_id}:
            raise NotFound("There is nothing of this id to decide on in this session.")
        await self._sessions.check(person, session_id)
        if not await self._parts.database.read(lambda tx: is_pending(tx, decision.id)):
            raise AlreadyDecided(say(best_language(person.language), "This was decided already."))
        return session_id

    async def _lane_of(self, approval: str) -> str:
        """Return the lane of an approval; empty for an invalid id. Raises `NotFound`."""
        if not is_name(approval):
            return ""
        return await self._parts.database.read(lambda tx: find_lane(tx, approval))

    async def listing(self, request: web.Request) -> web.Response:
        """List the caller's conversations, newest first. A guest known only by a network, which
        others share, gets none."""
        settings = self._parts.settings
        person = await caller(request, self._people, settings)
        if person.account is None and not known_guest(request, settings).has_cookie:
            return json_response(SessionList([]))
        return json_response(SessionList(await self._sessions.listing(person)))

    async def events(self, request: web.Request) -> web.Response:
        """List the memory events of one of the caller's sessions."""
        person = await caller(request, self._people, self._parts.settings)
        session_id = request.match_info["id"]
        parts = [PhonePart(f"http:{session_id}", 0)]
        if session_id == PHONE:
            account = require_account(person)
            parts = await self._parts.database.read(lambda tx: list_parts(tx, account))
        else:
            await self._sessions.check(person, session_id)
        events = [
            event
            for lane, since in parts
            for event in await read_conversation_events(
                self._parts.database, lane, since=since, reader=person.account or 0
            )
        ]
        events.sort(key=lambda event: event["timestamp"])
        return json_response(ShownEvents(events[-_MOST_EVENTS:]))

    async def turns(self, request: web.Request) -> web.Response:
        """Show the turns of one of the caller's sessions as the person saw them."""
        person = await caller(request, self._people, self._parts.settings)
        session_id = request.match_info["id"]
        secret = self._parts.settings.secret_key
        reader = Reader(self._parts.composer, best_language(person.language), secret)
        if session_id == PHONE:
            account = require_account(person)
            turns = await self._parts.database.read(
                lambda tx: read_phone_thread(tx, reader, account)
            )
            return json_response(ShownTurns(turns))
        await self._sessions.check(person, session_id)
        turns = await self._parts.database.read(
            lambda tx: read_shown_turns(tx, reader, f"http:{session_id}")
        )
        return json_response(ShownTurns(turns))

    async def shut_down(self, app: object = None) -> None:  # noqa: ARG002 (the signal passes it)
        """End all streams properly; called when the process stops serving (`on_shutdown`)."""
        self._streams.end_all()

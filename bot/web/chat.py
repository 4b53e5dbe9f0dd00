"""`POST /api/v1/chat`: a message in, the turn's events out as they happen (server-sent events)."""

from __future__ import annotations

import secrets

import msgspec
from aiohttp import web

from bot.accounts import ledger
from bot.accounts.approvals import AlreadyDecided, Choice, find_lane, is_pending
from bot.accounts.people import People
from bot.contracts import Transaction
from bot.errors import AllowanceUsedUp, BadRequest, NotFound, OutOfCredits
from bot.gateway.memory_events import memory_events
from bot.gateway.parts import Parts
from bot.gateway.receiving.command_words import find_command
from bot.gateway.receiving.inbox import Inbox, decision_key
from bot.gateway.turns.live import topic
from bot.gateway.turns.opening import TooFast, check_pace
from bot.messages import (
    Decided,
    Person,
    Said,
    Sender,
    Update,
)
from bot.texts import best_language, say
from bot.web.requests import caller, client_address, json_response, network, read_json
from bot.web.sessions import Sessions
from bot.web.turn_streams import TurnStreams

_LONGEST_MESSAGE = 32_000
_GUESTS_AT_A_PLACE = 20
"""How many guests' messages come from one network at most: a class, not a flood."""
_DAY = 24 * 3600.0


class Decision(msgspec.Struct, frozen=True):
    """What the person says to something that waits for their consent."""

    id: str
    choice: Choice


class ChatRequest(msgspec.Struct, frozen=True):
    message: str = ""
    session_id: str | None = None
    decision: Decision | None = None

    @property
    def content(self) -> Said | Decided:
        if self.decision is None:
            return Said(self.message)
        return Decided(self.decision.id, self.decision.choice, self.message)


class Chat:
    def __init__(self, parts: Parts, people: People, inbox: Inbox) -> None:
        self._parts = parts
        self._people = people
        self._inbox = inbox
        self._sessions = Sessions(parts.database)
        self._streams = TurnStreams(parts)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/v1/chat", self.chat),
            web.get("/api/v1/sessions/{id}/events", self.events),
        ]

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """The events of the turn; 401, 402, 409 and 429 before the stream begins."""
        settings = self._parts.settings
        person = await caller(request, self._people, settings)
        asked = await read_json(request, ChatRequest)
        if not asked.message.strip() and asked.decision is None:
            raise BadRequest("message: write something.")
        if len(asked.message) > _LONGEST_MESSAGE:
            raise BadRequest(f"message: at most {_LONGEST_MESSAGE} characters.")
        place = network(client_address(request, settings))
        await self._check_pace(person, place)
        content = asked.content
        if isinstance(content, Decided) or find_command("http", content) is None:
            await self._check_means(person, place)
        session_id = await self._session(person, asked)
        update = _update(person, session_id, content)
        async with self._parts.momentary.subscribe(topic(update.lane)) as payloads:
            turn = await self._inbox.store_if_idle(update)
            self._parts.metrics.updates("http", "stored").inc()
            return await self._streams.send(request, payloads, update.lane, turn)

    async def _session(self, person: Person, asked: ChatRequest) -> str:
        """The conversation that is meant: a decision is for the one in which it was asked.

        Raises:
            NotFound: it is someone else's, or there is nothing of this id to decide on.
            AlreadyDecided: it was, or the person has written something else instead.
        """
        decision = asked.decision
        if decision is None:
            return await self._sessions.open(person, asked.session_id)
        lane = await self._parts.database.read(lambda tx: find_lane(tx, decision.id))
        channel, _, session_id = lane.partition(":")
        if channel != "http" or asked.session_id not in {None, session_id}:
            raise NotFound("There is nothing of this id to decide on in this session.")
        await self._sessions.check(person, session_id)
        if not await self._parts.database.read(lambda tx: is_pending(tx, decision.id)):
            raise AlreadyDecided(say(person.language, "This was decided already."))
        return session_id

    async def events(self, request: web.Request) -> web.Response:
        """The memory events of one of the caller's sessions."""
        person = await caller(request, self._people, self._parts.settings)
        session_id = request.match_info["id"]
        await self._sessions.check(person, session_id)
        events = await memory_events(self._parts.database, f"http:{session_id}", for_person=True)
        return json_response({"events": events})

    async def end_streams(self, app: object = None) -> None:  # noqa: ARG002 (the signal passes it)
        """End all streams properly; to be called when the process stops serving (`on_shutdown`)."""
        self._streams.end_all()

    async def _check_pace(self, person: Person, place: str) -> None:
        """Raises `TooFast` before anything is stored: commands and guests are counted too."""
        limit = 2 * self._parts.settings.rate_limit_per_minute
        count = self._parts.momentary.count
        fast = await count(f"http:{person.address}", 60) > limit
        if person.account is None:  # whoever throws away the cookie is a new guest
            fast = await count(f"http:{place}", 60) > _GUESTS_AT_A_PLACE * limit or fast
        if limit and fast:
            words = say(
                best_language(person.language),
                "That is very fast. Please wait a minute, then go on.",
            )
            raise TooFast(words, aloud=True)

    async def _check_guest(self, person: Person, place: str) -> None:
        left = await self._people.guest_messages_left(person.channel, person.address)
        if left > 0:
            most = _GUESTS_AT_A_PLACE * self._parts.settings.guest_daily_messages
            left = most + 1 - await self._parts.momentary.count(f"guests:{place}", _DAY)
        if left <= 0:
            raise AllowanceUsedUp(
                say(
                    best_language(person.language),
                    "Today's free messages are used up. Log in with /login, or come back tomorrow.",
                )
            )

    async def _check_means(self, person: Person, place: str) -> None:
        """Say no before a stream begins; the turn itself checks again, in its transaction."""
        if person.account is None:
            await self._check_guest(person, place)
            return
        account = person.account

        async def work(tx: Transaction) -> int:
            await check_pace(tx, self._parts.settings, person, "")
            return await ledger.balance_of_snapshot(tx, account)

        if await self._parts.database.read(work) < self._parts.settings.min_turn_credits:
            raise OutOfCredits(
                say(person.language, "You have no credits left. Send /buy to get more.")
            )


def _update(person: Person, session_id: str, content: Said | Decided) -> Update:
    unique = secrets.token_hex(12)
    if isinstance(content, Decided):
        unique = decision_key(content.approval_id)
    return Update(
        channel="http",
        via="http",
        conversation=session_id,
        sender=Sender(person.address, person.name, person.language),
        delivery_key=unique,
        message_key=unique,
        content=content,
    )

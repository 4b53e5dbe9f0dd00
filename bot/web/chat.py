"""`POST /api/v1/chat`: a message in, the turn's events out as they happen (server-sent events)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator

import msgspec
import structlog
from aiohttp import web

from bot.accounts import ledger
from bot.accounts.people import People
from bot.contracts import Transaction
from bot.errors import AllowanceUsedUp, BadRequest, OutOfCredits
from bot.events import Content, End, Event, Failure, decode_event, event_fields, event_name
from bot.gateway.commands import read_command
from bot.gateway.inbox import Inbox
from bot.gateway.live import topic
from bot.gateway.memory_events import memory_events
from bot.gateway.opening import TooFast, check_pace
from bot.gateway.parts import Parts
from bot.messages import Person, Said, Sender, TextBody, Update, decode_body
from bot.texts import best_language, say
from bot.web.requests import caller, json_response, read_json
from bot.web.sessions import Sessions

_KEEP_ALIVE = 10.0
"""Seconds of silence after which a comment is sent, and the turn looked up in the database."""
_KEEP_ALIVE_COMMENT = b": still working\n\n"
_LONGEST_MESSAGE = 32_000
_STREAM_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
}
log = structlog.get_logger()


class ChatRequest(msgspec.Struct, frozen=True):
    message: str
    session_id: str | None = None


class Chat:
    def __init__(self, parts: Parts, people: People, inbox: Inbox) -> None:
        self._parts = parts
        self._people = people
        self._inbox = inbox
        self._sessions = Sessions(parts.database)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/v1/chat", self.chat),
            web.get("/api/v1/sessions/{id}/events", self.events),
        ]

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """The events of the turn; 401, 402, 409 and 429 before the stream begins."""
        person = await caller(request, self._people, self._parts.settings.secret_key)
        asked = await read_json(request, ChatRequest)
        if not asked.message.strip():
            raise BadRequest("message: write something.")
        if len(asked.message) > _LONGEST_MESSAGE:
            raise BadRequest(f"message: at most {_LONGEST_MESSAGE} characters.")
        await self._check_pace(person)
        if read_command(asked.message) is None:
            await self._check_means(person)
        session_id = await self._sessions.open(person, asked.session_id)
        update = _update(person, session_id, asked.message)
        async with self._parts.momentary.subscribe(topic(update.lane)) as payloads:
            turn = await self._inbox.store_if_idle(update)
            self._parts.metrics.updates("http", "stored").inc()
            return await self._stream(request, payloads, update.lane, turn)

    async def events(self, request: web.Request) -> web.Response:
        """The memory events of one of the caller's sessions."""
        person = await caller(request, self._people, self._parts.settings.secret_key)
        session_id = request.match_info["id"]
        await self._sessions.check(person, session_id)
        events = await memory_events(self._parts.database, f"http:{session_id}", for_person=True)
        return json_response({"events": events})

    async def _check_pace(self, person: Person) -> None:
        """Raises `TooFast` before anything is stored: commands and guests are counted too."""
        limit = self._parts.settings.rate_limit_per_minute
        sent = await self._parts.momentary.count(f"http:{person.address}", 60)
        if limit and sent > 2 * limit:
            words = say(
                best_language(person.language),
                "That is very fast. Please wait a minute, then go on.",
            )
            raise TooFast(words, aloud=True)

    async def _check_means(self, person: Person) -> None:
        """Say no before a stream begins; the turn itself checks again, in its transaction."""
        language = best_language(person.language)
        if person.account is None:
            left = await self._people.guest_messages_left(person.channel, person.address)
            if left <= 0:
                raise AllowanceUsedUp(
                    say(
                        language,
                        "Today's free messages are used up. "
                        "Log in with /login, or come back tomorrow.",
                    )
                )
            return
        account = person.account

        async def work(tx: Transaction) -> int:
            await check_pace(tx, self._parts.settings, person, "")
            return await ledger.balance_of_snapshot(tx, account)

        if await self._parts.database.read(work) < self._parts.settings.min_turn_credits:
            raise OutOfCredits(
                say(person.language, "You have no credits left. Send /buy to get more.")
            )

    async def _stream(
        self, request: web.Request, payloads: AsyncIterator[bytes], lane: str, turn: int
    ) -> web.StreamResponse:
        """The turn goes on to its end whether or not someone still reads."""
        response = web.StreamResponse(headers=_STREAM_HEADERS)
        await response.prepare(request)
        try:
            async for events in self._batches(payloads, lane, turn):
                await response.write(b"".join(map(encode_sse, events)) or _KEEP_ALIVE_COMMENT)
            await response.write_eof()
        except ConnectionResetError:
            log.info("reader_left", lane=lane)
        except Exception:
            log.exception("stream_failed", lane=lane)
            words = say(best_language(""), "The stream broke off. Your answer will be kept.")
            await response.write(encode_sse(Failure("internal", words)) + encode_sse(End("failed")))
        return response

    async def _batches(
        self, payloads: AsyncIterator[bytes], lane: str, turn: int
    ) -> AsyncIterator[list[Event]]:
        """The turn's events until its end; an empty batch when it is silent for a while."""
        ended = False
        while not ended:
            try:
                async with asyncio.timeout(_KEEP_ALIVE):
                    payload = await anext(payloads)
            except TimeoutError:
                events = await self._stored(lane, turn)
            else:
                number, _, encoded = payload.partition(b" ")
                if int(number) != turn:
                    continue
                events = [decode_event(encoded)]
            ended = any(isinstance(event, End) for event in events)
            yield events

    async def _stored(self, lane: str, turn: int) -> list[Event]:
        """What a turn that has ended unheard said: its events were lost, its answer never is."""

        async def work(tx: Transaction) -> list[Event]:
            row = await tx.fetch_one(_ENDED, lane=lane, turn=turn)
            if row is None:
                return []
            bodies = [
                decode_body(body["body"]) for body in await tx.fetch(_SAID, lane=lane, turn=turn)
            ]
            said: list[Event] = [Content(b.text) for b in bodies if isinstance(b, TextBody)]
            return [*said, End("failed" if row["state"] == "dead" else row["reason"])]

        return await self._parts.database.read(work)


def encode_sse(event: Event) -> bytes:
    """One server-sent event: its name and its fields."""
    data = msgspec.json.encode(event_fields(event))
    return b"event: %s\ndata: %s\n\n" % (event_name(event).encode(), data)


def _update(person: Person, session_id: str, message: str) -> Update:
    unique = secrets.token_hex(12)
    return Update(
        channel="http",
        via="http",
        conversation=session_id,
        sender=Sender(person.address, person.name, person.language),
        delivery_key=unique,
        message_key=unique,
        content=Said(message),
    )


_ENDED = """
SELECT state, reason FROM turn WHERE lane = :lane AND id = :turn AND state IN ('done', 'dead')
"""

_SAID = """
SELECT body FROM outbox WHERE lane = :lane AND turn = :turn ORDER BY part
"""

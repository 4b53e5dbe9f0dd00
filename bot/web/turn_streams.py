"""Send a turn's events over HTTP as server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import msgspec
import structlog
from aiohttp import web

from bot.contracts.storage import Transaction
from bot.events import (
    Content,
    End,
    Event,
    Failure,
    Notice,
    Progress,
    Start,
    ToolEnd,
    ToolProgress,
    ToolStart,
    UsageReport,
    event_fields,
    event_name,
)
from bot.gateway.context import GatewayContext
from bot.gateway.conversation_history import is_phone_session
from bot.gateway.outbox_rows import read_bodies
from bot.gateway.turns.preview import Shown, decode_live
from bot.i18n import best_language, say
from bot.messages.outgoing import TextBody
from bot.web.requests import greet
from bot.web.sessions import PHONE

_KEEP_ALIVE = 10.0
"""Seconds of silence after which a comment is sent, and the turn looked up in the database."""
KEEP_ALIVE_COMMENT: Final = b": still working\n\n"
_LAST_LOOK = 2.0
"""Time-out for looking a turn up when the process ends."""
SSE_HEADERS: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "X-Accel-Buffering": "no",
}
_DOES = ToolStart | ToolProgress | ToolEnd | Progress | Notice
"""Events that show what a turn does, rather than its text."""
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class FollowedTurn:
    """A turn, and the language of its reader."""

    lane: str
    turn: int
    language: str


class TurnStreams:
    """All streams of this process."""

    def __init__(self, parts: GatewayContext) -> None:
        self._parts = parts
        self._waiting: set[asyncio.Timeout] = set()
        self._ending = False

    async def send(
        self, request: web.Request, followed: FollowedTurn, batches: AsyncIterator[list[Event]]
    ) -> web.StreamResponse:
        """Send events as they come; the turn goes on to its end whether or not they are read.

        HEAD gets the headers alone: a client would take the events for its next answer.
        """
        response = web.StreamResponse(headers=SSE_HEADERS)
        greet(request, response, self._parts.settings)
        await response.prepare(request)
        if request.method == "HEAD":
            return response
        try:
            async for events in batches:
                shown = map(encode_sse, map(_name_session, events))
                await response.write(b"".join(shown) or KEEP_ALIVE_COMMENT)
            await response.write_eof()
        except ConnectionResetError:
            log.info("reader_left", lane=followed.lane)
        except Exception:
            log.exception("stream_failed", lane=followed.lane)
            last = broken_off("internal", followed.language)
            await response.write(b"".join(map(encode_sse, last)))
        return response

    async def follow(
        self, payloads: AsyncIterator[bytes], followed: FollowedTurn
    ) -> AsyncIterator[list[Event]]:
        """Yield the turn's events until its end; an empty batch when it is silent for a while.

        The stream also ends with the process, though the turn goes on: elsewhere, or later. If the
        beginning of the text was missed, the whole text is yielded at the end.

        Args:
            payloads: the payloads published in the lane, since before the turn was stored.
        """
        clock = asyncio.get_running_loop().time
        ended = is_whole = False
        sent_at = 0.0
        while not ended:
            try:
                payload = await self._next(payloads)
            except TimeoutError:
                events = await self._read_silent_turn(followed)
            else:
                shown = decode_live(payload)
                is_whole = is_whole or (shown.turn, shown.said) == (followed.turn, 0)
                events = await self._select_events(shown, followed, is_whole=is_whole)
                if not events and clock() - sent_at < _KEEP_ALIVE:
                    continue
            sent_at = clock()
            ended = any(isinstance(event, End) for event in events)
            yield events

    async def _read_silent_turn(self, followed: FollowedTurn) -> list[Event]:
        """Return the events of a silent turn if it has ended; if the process ends, the end of the
        stream."""
        lane, turn = followed.lane, followed.turn
        if not self._ending:
            return await self.read(lane, turn) or await self._read_erased(lane, turn)
        with contextlib.suppress(OSError):  # the database is away, or takes too long (TimeoutError)
            async with asyncio.timeout(_LAST_LOOK):
                if events := await self.read(lane, turn):
                    return events
        return broken_off("unavailable", followed.language)

    async def _select_events(
        self, shown: Shown, followed: FollowedTurn, *, is_whole: bool
    ) -> list[Event]:
        """Return the events to send: if the beginning of the text was missed, no text until the
        end, and then all of it."""
        if shown.turn != followed.turn:
            return []
        if is_whole:
            return _aloud(shown.event)
        if isinstance(shown.event, End):
            return await self.read(followed.lane, followed.turn) or [shown.event]
        return [shown.event] if isinstance(shown.event, _DOES) else []

    async def follow_late(
        self, payloads: AsyncIterator[bytes], followed: FollowedTurn
    ) -> AsyncIterator[list[Event]]:
        """Yield like `follow`, for a turn that may have ended before."""
        if events := await self.read(followed.lane, followed.turn):
            yield events
            return
        async for events in self.follow(payloads, followed):
            yield events

    async def follow_again(
        self, payloads: AsyncIterator[bytes], followed: FollowedTurn, session: str
    ) -> AsyncIterator[list[Event]]:
        """Yield like `follow_late`, but `start` first, for a client that has lost the beginning."""
        yield [Start(session, str(followed.turn))]
        async for events in self.follow_late(payloads, followed):
            yield [event for event in events if not isinstance(event, Start)]

    async def _next(self, payloads: AsyncIterator[bytes]) -> bytes:
        """Wait for the next payload. Raises `TimeoutError` if none comes, or if streams end."""
        async with asyncio.timeout(0 if self._ending else _KEEP_ALIVE) as patience:
            self._waiting.add(patience)
            try:
                return await anext(payloads)
            finally:
                self._waiting.discard(patience)

    async def read(self, lane: str, turn: int) -> list[Event]:
        """Return the answer of an ended turn as events, from the database: live events may be lost,
        an answer never is. Empty while the turn goes on."""

        async def work(tx: Transaction) -> list[Event]:
            row = await tx.fetch_one(_ENDED, lane=lane, turn=turn)
            if row is None:
                return []
            said = await read_bodies(tx, lane, turn)
            usage = UsageReport(*(row[name] for name in UsageReport.__struct_fields__))
            if row["state"] == "dead":
                words = "\n\n".join(body.text for body in said if isinstance(body, TextBody))
                return [Failure("turn_failed", words), usage, End("failed")]
            shown = [event for body in said for event in self._parts.composer.replay(body)]
            return [*shown, usage, End(row["reason"])]

        return await self._parts.database.read(work)

    async def has_failed(self, lane: str, turn: int) -> bool:
        """Return whether the turn ended without an answer, so that the request may begin a new
        one."""
        return any(
            isinstance(event, End) and event.reason == "failed"
            for event in await self.read(lane, turn)
        )

    async def _read_erased(self, lane: str, turn: int) -> list[Event]:
        """Return the end of a turn that is gone because its person was erased."""
        update = await self._parts.database.read(
            lambda tx: tx.fetch_one(_ACCEPTED, lane=lane, turn=turn)
        )
        return [] if update else [UsageReport(0, 0, 0.0, 0), End("cancelled")]

    def end_all(self) -> None:
        """End all streams properly; called when the process stops serving (`on_shutdown`)."""
        self._ending = True
        now = asyncio.get_running_loop().time()
        for patience in self._waiting:
            if not patience.expired():  # it may have timed out just now
                patience.reschedule(now)


def _aloud(event: Event) -> list[Event]:
    """Add the message of a day's limit as an answer, for clients that show no errors."""
    if isinstance(event, Failure) and event.code == "day_limit":
        return [Content(event.message), event]
    return [event]


def _name_session(event: Event) -> Event:
    """Return the event, with the session's id as the client knows it."""
    if isinstance(event, Start) and is_phone_session(event.session_id):
        return msgspec.structs.replace(event, session_id=PHONE)
    return event


def broken_off(code: str, language: str) -> list[Event]:
    """Return the events that end a stream before its turn ends."""
    words = say(best_language(language), "The stream broke off. Your answer will be kept.")
    return [Failure(code, words), End("failed")]


def encode_sse(event: Event) -> bytes:
    """Encode one server-sent event: its name and its fields."""
    data = msgspec.json.encode(event_fields(event))
    return b"event: %s\ndata: %s\n\n" % (event_name(event).encode(), data)


_ENDED = """
SELECT state, reason, input_tokens, output_tokens, usd, credits FROM turn
WHERE lane = :lane AND id = :turn AND state IN ('done', 'dead')
"""

_ACCEPTED = """
SELECT seq FROM inbox WHERE lane = :lane AND seq = :turn
"""

"""Serve the agent to clients of OpenAI's API: `POST /v1/chat/completions`, `GET /v1/models`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Final, Literal

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.events import Event
from bot.files.store import FileStore
from bot.gateway.context import GatewayContext
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.turns.preview import topic_of
from bot.i18n import best_language
from bot.messages.channels import WEB
from bot.messages.incoming import Decided, Person, Said
from bot.web.completion_request import (
    MODEL,
    ClientRequest,
    RequestHistory,
    StartedTurn,
    read_client_request,
)
from bot.web.completion_response import AnswerText, CompletionResponse
from bot.web.errors import BadField
from bot.web.files import Uploads
from bot.web.rate_limits import RateLimits
from bot.web.requests import caller, greet, json_response, read_body
from bot.web.sessions import COMPLETION, Sessions, make_update, read_decision
from bot.web.turn_streams import FollowedTurn, TurnStreams

_SINCE: Final = 1_760_000_000
"""The model's date, which clients require."""
LARGEST_COMPLETION: Final = 16 * 2**20
"""The most bytes of a request: clients send the pictures of a whole chat again each time."""


class ModelCard(msgspec.Struct, frozen=True):
    id: str = MODEL
    created: int = _SINCE
    object: Literal["model"] = "model"
    owned_by: str = "griot"


class ModelList(msgspec.Struct, frozen=True):
    data: tuple[ModelCard, ...] = (ModelCard(),)
    object: Literal["list"] = "list"


class Completions:
    def __init__(
        self,
        parts: GatewayContext,
        people: People,
        inbox: Inbox,
        files: FileStore,
    ) -> None:
        self._parts = parts
        self._people = people
        self._inbox = inbox
        self._limits = RateLimits(parts, people)
        self._streams = TurnStreams(parts)
        self._sessions = Sessions(parts.database)
        self._uploads = Uploads(files)
        self._history = RequestHistory(parts.momentary, inbox, parts.settings.secret_key)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/v1/chat/completions", self.complete),
            web.get("/v1/models", self.models),
            web.get("/v1/models/{id}", self.model),
        ]

    async def models(self, request: web.Request) -> web.Response:
        """List the one model `griot`; the operator chooses the model behind it."""
        await caller(request, self._people, self._parts.settings)
        return json_response(ModelList())

    async def model(self, request: web.Request) -> web.Response:
        await caller(request, self._people, self._parts.settings)
        if request.match_info["id"] != MODEL:
            words = f"There is no such model here; the one there is: {MODEL}."
            raise BadField("model", words, status=404, code="model_not_found")
        return json_response(ModelCard())

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer the user's last message by a turn like any other: stored first, run once, charged
        once."""
        person = await caller(request, self._people, self._parts.settings)
        await self._limits.check_pace(request, person)
        asked = read_client_request(await read_body(request, LARGEST_COMPLETION))
        mark = request.headers.get("Idempotency-Key", "")
        key = self._history.name_request(person, asked, mark)
        async with AsyncExitStack() as beginning:
            if mark:
                await beginning.enter_async_context(self._history.lock_request(key))
            if mark or _is_sent_again(request):
                begun = await self._find_begun(person, key)
                if begun is not None:
                    await beginning.aclose()
                    followed = _follow_turn(person, begun)
                    async with self._parts.momentary.subscribe(topic_of(followed.lane)) as payloads:
                        batches = self._streams.follow_late(payloads, followed)
                        return await self._answer(request, person, asked, begun, batches)
            return await self._begin(request, person, asked, key, beginning)

    async def _begin(
        self,
        request: web.Request,
        person: Person,
        asked: ClientRequest,
        request_key: str,
        beginning: AsyncExitStack,
    ) -> web.StreamResponse:
        """Begin a turn and answer with its text; close `beginning` once the turn is stored."""
        known, content = await self._read(person, asked)
        admit = await self._limits.admit_message(
            request, person, content, has_files=bool(asked.pictures)
        )
        session = await self._sessions.open(person, known, prefix=COMPLETION)
        update = await self._uploads.attach(make_update(session, person, content), asked.pictures)
        async with self._parts.momentary.subscribe(topic_of(update.lane)) as payloads:
            async with self._uploads.delete_unless_stored(update):
                turn = await self._inbox.store_if_idle(update, admit, request_key)
                begun = StartedTurn(session, turn)
            self._parts.metrics.updates(WEB, "stored").inc()
            await beginning.aclose()
            batches = self._streams.follow(payloads, _follow_turn(person, begun))
            return await self._answer(request, person, asked, begun, batches)

    async def _read(
        self, person: Person, asked: ClientRequest
    ) -> tuple[str | None, Said | Decided]:
        """Return the session, None for a new one, and the message or the decision that it means."""
        session, context = await self._history.find_session(person, asked)
        said = Said(asked.text, context=context)
        if session is None or asked.pictures:
            return session, said
        return session, await read_decision(self._parts.database, person, f"http:{session}", said)

    async def shut_down(self, app: object = None) -> None:  # noqa: ARG002 (the signal passes it)
        """End all streams properly; called when the process stops serving (`on_shutdown`)."""
        self._streams.end_all()

    async def _find_begun(self, person: Person, request_key: str) -> StartedTurn | None:
        """Return the turn that the same request began before; None: there is none, or it failed."""
        begun = await self._history.find_started_turn(request_key)
        if begun is None:
            return None
        await self._sessions.check(person, begun.session)
        return None if await self._streams.has_failed(begun.lane, begun.turn) else begun

    async def _answer(
        self,
        request: web.Request,
        person: Person,
        asked: ClientRequest,
        begun: StartedTurn,
        batches: AsyncIterator[list[Event]],
    ) -> web.StreamResponse:
        async def note(answer: str) -> None:
            await self._history.note_answer(person, asked, answer, begun)

        name = f"{begun.session.removeprefix(COMPLETION)}-{begun.turn}"
        answering = CompletionResponse(name, AnswerText(best_language(person.language)), note)
        if not asked.stream:
            response = await answering.answer(batches)
            greet(request, response, self._parts.settings)
            return response
        return await answering.stream(
            request, batches, self._parts.settings, with_usage=asked.include_usage
        )


def _is_sent_again(request: web.Request) -> bool:
    """Return whether OpenAI's client marks the request as a retry
    (https://github.com/openai/openai-python, `_build_headers`)."""
    return request.headers.get("X-Stainless-Retry-Count", "0") not in {"", "0"}


def _follow_turn(person: Person, begun: StartedTurn) -> FollowedTurn:
    return FollowedTurn(f"http:{begun.session}", begun.turn, person.language)

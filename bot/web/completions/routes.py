"""`POST /v1/chat/completions` and `GET /v1/models`: the agent, for clients of OpenAI's API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Final, Literal

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.events import Event
from bot.gateway.parts import Parts
from bot.gateway.receiving.command_words import find_command
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.turns.live import topic
from bot.library.files import Files
from bot.messages import Decided, Person, Said
from bot.texts import best_language
from bot.web.admission import Admission
from bot.web.completions.answering import Answering
from bot.web.completions.asking import MODEL, Asked, read_asked
from bot.web.completions.continuing import Begun, Continuing
from bot.web.completions.writing import Writing
from bot.web.deciding import read_decision
from bot.web.errors import BadField
from bot.web.requests import caller, greet, json_response, read_body
from bot.web.sessions import COMPLETION, Sessions, say_in
from bot.web.turn_streams import Followed, TurnStreams
from bot.web.uploads import Uploads

_SINCE: Final = 1_760_000_000
"""When the model was made, which clients want to know and nobody needs to."""


LARGEST_COMPLETION: Final = 16 * 2**20
"""Bytes: clients send the pictures of a whole chat again with each request."""


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
        parts: Parts,
        people: People,
        inbox: Inbox,
        files: Files,
    ) -> None:
        self._parts = parts
        self._people = people
        self._inbox = inbox
        self._admission = Admission(parts, people)
        self._streams = TurnStreams(parts)
        self._sessions = Sessions(parts.database)
        self._uploads = Uploads(files)
        self._continuing = Continuing(
            parts.momentary, inbox.last_handled, parts.settings.secret_key
        )

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/v1/chat/completions", self.complete),
            web.get("/v1/models", self.models),
            web.get("/v1/models/{id}", self.model),
        ]

    async def models(self, request: web.Request) -> web.Response:
        """There is one: which model answers in the end is the operator's business."""
        await caller(request, self._people, self._parts.settings)
        return json_response(ModelList())

    async def model(self, request: web.Request) -> web.Response:
        await caller(request, self._people, self._parts.settings)
        if request.match_info["id"] != MODEL:
            words = f"There is no such model here; the one there is: {MODEL}."
            raise BadField("model", words, status=404, code="model_not_found")
        return json_response(ModelCard())

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """The answer to the user's last message, by a turn like any other: stored first, run once,
        charged once."""
        person = await caller(request, self._people, self._parts.settings)
        await self._admission.check_pace(request, person)
        asked = read_asked(await read_body(request, LARGEST_COMPLETION))
        mark = request.headers.get("Idempotency-Key", "")
        async with AsyncExitStack() as beginning:
            if mark:
                await beginning.enter_async_context(self._continuing.alone(person, asked, mark))
            if mark or _is_sent_again(request):
                begun = await self._find_begun(person, asked, mark)
                if begun is not None:
                    await beginning.aclose()
                    return await self._repeat(request, person, asked, begun)
            return await self._begin(request, person, asked, mark, beginning)

    async def _begin(
        self,
        request: web.Request,
        person: Person,
        asked: Asked,
        mark: str,
        beginning: AsyncExitStack,
    ) -> web.StreamResponse:
        """Begin a turn and answer by what it says; `beginning` is left once it is stored."""
        known, content = await self._read(person, asked)
        admit = None
        if isinstance(content, Said) and (asked.pictures or find_command("http", content) is None):
            await self._admission.check_means(request, person)
            admit = self._admission.opening.admit
        session = await self._sessions.open(person, known, prefix=COMPLETION)
        update = await self._uploads.attach(say_in(session, person, content), asked.pictures)
        async with self._parts.momentary.subscribe(topic(update.lane)) as payloads:
            async with self._uploads.kept_if_stored(update):
                begun = Begun(session, await self._inbox.store_if_idle(update, admit))
            self._parts.metrics.updates("http", "stored").inc()
            await self._continuing.note_begun(person, asked, mark, begun)
            await beginning.aclose()
            batches = self._streams.follow(payloads, _follow(person, begun))
            return await self._answer(request, person, asked, begun, batches)

    async def _read(self, person: Person, asked: Asked) -> tuple[str | None, Said | Decided]:
        """The session in which it is said, None for a new one, and what is meant by it."""
        session, told = await self._continuing.find(person, asked)
        said = Said(asked.text, told=told)
        if session is None or asked.pictures:
            return session, said
        return session, await read_decision(self._parts.database, person, f"http:{session}", said)

    async def shut_down(self, app: object = None) -> None:  # noqa: ARG002 (the signal passes it)
        """End all streams properly; to be called when the process stops serving (`on_shutdown`)."""
        self._streams.end_all()

    async def _find_begun(self, person: Person, asked: Asked, mark: str) -> Begun | None:
        """The turn of the same request; one that failed does not count."""
        begun = await self._continuing.find_begun(person, asked, mark)
        if begun is None:
            return None
        await self._sessions.check(person, begun.session)
        said = await self._streams.read(f"http:{begun.session}", begun.turn)
        writing = Writing(person.language)
        for event in said:
            writing.feed(event)
        return None if writing.reason == "failed" else begun

    async def _repeat(
        self, request: web.Request, person: Person, asked: Asked, begun: Begun
    ) -> web.StreamResponse:
        """Where its beginning was missed, it is told whole, at its end."""
        followed = _follow(person, begun)
        async with self._parts.momentary.subscribe(topic(followed.lane)) as payloads:
            batches = self._streams.follow_late(payloads, followed)
            return await self._answer(request, person, asked, begun, batches)

    async def _answer(
        self,
        request: web.Request,
        person: Person,
        asked: Asked,
        begun: Begun,
        batches: AsyncIterator[list[Event]],
    ) -> web.StreamResponse:
        async def note(answer: str) -> None:
            await self._continuing.note_answer(person, asked, answer, begun)

        name = f"{begun.session.removeprefix(COMPLETION)}-{begun.turn}"
        answering = Answering(name, Writing(best_language(person.language)), note)
        if not asked.stream:
            response = await answering.answer(batches)
            greet(request, response, self._parts.settings)
            return response
        return await answering.stream(
            request, batches, self._parts.settings, with_usage=asked.include_usage
        )


def _is_sent_again(request: web.Request) -> bool:
    """OpenAI's clients say so (https://github.com/openai/openai-python, `_build_headers`)."""
    return request.headers.get("X-Stainless-Retry-Count", "0") not in {"", "0"}


def _follow(person: Person, begun: Begun) -> Followed:
    return Followed(f"http:{begun.session}", begun.turn, person.language)

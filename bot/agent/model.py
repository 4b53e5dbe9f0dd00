"""The model client: any OpenAI-compatible endpoint, always streaming, with fallbacks.

The `openai` package carries the request (authentication, transport, errors); reading the stream is
ours, because its typed stream costs twenty times the CPU. It takes a second to import, so that
only `bot/assembly.py` imports this module, late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx2
import openai
import structlog

from bot.agent.prices import facts_of
from bot.agent.rescue import CallFilter
from bot.agent.wire.attempts import Attempt
from bot.agent.wire.connections import Connections
from bot.agent.wire.endpoints import (
    REFUSALS,
    Door,
    EndpointFailed,
    failure_of_status,
    pause_before_retry,
)
from bot.agent.wire.request import encode_request, for_prose, images_in
from bot.agent.wire.sse import BadStream
from bot.agent.wire.stream import Answer
from bot.contracts import ModelRequest
from bot.endpoint_errors import summarize_error
from bot.errors import ModelRefused, ModelUnavailable, NotFound
from bot.events import Emit
from bot.messages import ModelReply
from bot.settings import Endpoint, Settings

if TYPE_CHECKING:
    from openai._types import RequestOptions

ReadFile = Callable[[str], Awaitable[bytes]]
"""The bytes of a file of the library by its id; raises `NotFound`."""

TRIES = 2
"""At one endpoint."""
_BROKEN = (openai.APIConnectionError, httpx2.RequestError, aiohttp.ClientError, BadStream)
_TELEMETRY = ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
"""Headers in which the SDK tells of our machine: bytes that nobody here wants sent."""
_HEADERS: Mapping[str, Any] = {
    "X-Stainless-Raw-Response": "stream",  # the SDK hands over the response unread
    "Accept-Encoding": "identity",  # compression holds back tokens
    "Content-Type": "application/json",
    **{f"X-Stainless-{name}": openai.omit for name in _TELEMETRY},
}
_OPTIONS: RequestOptions = {
    "headers": {"X-Stainless-Retry-Count": openai.omit, "X-Stainless-Read-Timeout": openai.omit},
    "idempotency_key": "none",  # else the SDK makes a random one for each request, and sends none
    # What is left out is copied from the SDK's defaults for each request.
    "max_retries": 0,
    "params": {},
    "security": {"bearer_auth": True},
}

log = structlog.get_logger()


@dataclass(slots=True)
class _Provider:
    """An endpoint, and what we have learnt about it."""

    endpoint: Endpoint
    client: openai.AsyncOpenAI
    is_primary: bool
    url: str = field(init=False)
    """Whole: joining it to the client's base URL anew for each request costs more than the rest."""
    refuses_tool_choice: bool = False
    door: Door = field(default_factory=Door)

    def __post_init__(self) -> None:
        self.url = self.endpoint.base_url.rstrip("/") + "/chat/completions"

    def model_for(self, request: ModelRequest) -> str:
        return (self.is_primary and request.model) or self.endpoint.model

    def identity(self, model: str) -> str:
        """What `AssistantMessage.endpoint` names; it holds no secret and survives restarts."""
        return f"{self.endpoint.base_url}#{model}"


@dataclass(frozen=True, slots=True)
class _Call:
    """One call of `ask`, on its way through the endpoints."""

    request: ModelRequest
    emit: Emit
    deadline: float
    """By the loop's clock."""
    watched_tools: frozenset[str]

    def can_wait(self, pause: float) -> bool:
        """Waiting is only worth it if as much time is left for the answer."""
        return 2 * pause <= self.deadline - asyncio.get_running_loop().time()


MOST_IMAGES = 10
"""Images that one request shows, the newest: each costs as much as a page of text."""


class OpenAIModel:
    """Implements `Model` over the endpoints of the settings: the primary, then the fallbacks."""

    def __init__(
        self, settings: Settings, *, read_file: ReadFile, stall: float = 60.0, pause: float = 0.5
    ) -> None:
        """
        Args:
            settings: endpoints, models and capabilities.
            read_file: brings the images that messages show.
            stall: seconds without a byte after which a stream counts as broken.
            pause: seconds before the second try at an endpoint that names no time itself.
        """
        self._capabilities = settings.model_capabilities
        self._vision_model = settings.vision_model
        self._read_file = read_file
        self._pause = pause
        self._http = Connections(stall=stall)
        primary = Endpoint(
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key,
            model=settings.model,
        )
        self._providers = [
            self._open(primary, is_primary=True),
            *(self._open(one) for one in settings.model_fallbacks),
        ]
        # Now, since a look-up may import a package: later it would hold up the event loop.
        names = [provider.endpoint.model for provider in self._providers]
        for model in filter(None, (*names, settings.vision_model)):
            facts_of(model, self._capabilities)

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        """See `Model.ask`. `request.model` holds for the primary endpoint; fallbacks use theirs.

        Where no model is named and there is something to see, it is asked of `VISION_MODEL`.
        """
        if self._vision_model and not request.model and images_in(request.messages):
            request = replace(request, model=self._vision_model)
        call = _Call(
            request=request,
            emit=emit,
            deadline=asyncio.get_running_loop().time() + request.seconds,
            watched_tools=frozenset(tool.name for tool in request.tools if tool.shows_arguments),
        )
        failures: list[EndpointFailed] = []
        for provider in self._providers:
            try:
                return await self._ask_provider(provider, call)
            except EndpointFailed as failure:
                failures.append(_note(failure, provider))
        if doubted := self._find_doubted(failures):
            try:
                return await self._insist(doubted, call)
            except EndpointFailed as failure:
                failures = [_note(failure, doubted)]
        # An empty answer is poor, but it is an answer, if nobody has a better one.
        if empty := next((failure.empty for failure in failures if failure.empty), None):
            return empty
        soonest = min(failure.useless_for for failure in failures)
        raise ModelUnavailable("; ".join(map(str, failures)), after=soonest)

    def _find_doubted(self, failures: Sequence[EndpointFailed]) -> _Provider | None:
        """Where nobody was asked: the first whose earlier refusal was only believed."""
        if any(failure.asked for failure in failures):
            return None
        pairs = zip(self._providers, failures, strict=True)
        return next((provider for provider, failure in pairs if failure.believed), None)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    def _open(self, endpoint: Endpoint, *, is_primary: bool = False) -> _Provider:
        client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or "none",  # the SDK wants one, Ollama does not
            http_client=self._http,
            default_headers=_HEADERS,
        )
        return _Provider(endpoint, client, is_primary)

    async def _ask_provider(self, provider: _Provider, call: _Call) -> ModelReply:
        now = asyncio.get_running_loop().time()
        model = provider.model_for(call.request)
        if rest := provider.door.wait(call.request, model, now):
            if call.can_wait(rest):
                await asyncio.sleep(rest)
            elif len(self._providers) > 1 or not provider.door.may_probe(now):
                raise EndpointFailed(
                    f"asked not to be asked for {rest:.0f} s more", after=rest, asked=False
                )
        return await self._insist(provider, call)

    async def _insist(self, provider: _Provider, call: _Call) -> ModelReply:
        """Ask, and again where that is worth it."""
        for attempt in range(1, TRIES):
            try:
                return await self._try(provider, call)
            except EndpointFailed as failure:
                pause = pause_before_retry(failure, attempt, self._pause)
                if not failure.retry or not call.can_wait(pause):
                    raise
                await asyncio.sleep(pause)
        return await self._try(provider, call)

    async def _try(self, provider: _Provider, call: _Call) -> ModelReply:
        model = provider.model_for(call.request)
        facts = facts_of(model, self._capabilities)
        names = _shared(tuple(tool.name for tool in call.request.tools))
        answer = Answer(call.emit, CallFilter(names, native=facts.tools), call.watched_tools)
        request = call.request if facts.tools else for_prose(call.request)
        attempt = Attempt(request, provider.identity(model), facts, answer)
        try:
            async with asyncio.timeout_at(call.deadline) as limit:
                images = await self._read_images(request) if facts.vision else {}
                response = await self._send(provider, request, model, images)
                async with aclosing(response):
                    await attempt.read(response, limit, call.deadline)
        except TimeoutError:
            if answer.shown and not answer.is_whole:
                raise attempt.broken("the time is over") from None
            if not answer.is_whole:
                raise
        except _BROKEN as error:
            if isinstance(error, BadStream) or not answer.is_whole:
                raise attempt.failure(error) from error
        return attempt.conclude()

    async def _read_images(self, request: ModelRequest) -> dict[str, bytes]:
        images: dict[str, bytes] = {}
        for image in images_in(request.messages)[-MOST_IMAGES:]:
            try:
                images[image.file_id] = await self._read_file(image.file_id)
            except (NotFound, ConnectionError) as error:
                log.warning("model_image_missing", file_id=image.file_id, reason=str(error))
        return images

    async def _send(
        self,
        provider: _Provider,
        request: ModelRequest,
        model: str,
        images: dict[str, bytes],
    ) -> httpx2.Response:
        closing = request.tool_choice == "none"
        body = encode_request(
            request,
            model=model,
            endpoint=provider.identity(model),
            images=images,
            with_tools=not (closing and provider.refuses_tool_choice),
        )
        try:
            return await provider.client.post(
                provider.url, content=body, cast_to=httpx2.Response, options=_OPTIONS
            )
        except openai.APIStatusError as error:
            reason = summarize_error(_body(error), secret=provider.endpoint.api_key)
            if error.status_code not in REFUSALS:
                failure = failure_of_status(error.status_code, error.response.headers, reason)
                now = asyncio.get_running_loop().time()
                provider.door.note(failure, request, model, now)
                raise failure from None
            if not closing or provider.refuses_tool_choice or "tool_choice" not in error.message:
                raise ModelRefused(f"{error.status_code}: {reason}") from None
        provider.refuses_tool_choice = True
        return await self._send(provider, request, model, images)


@lru_cache(maxsize=256)
def _shared(names: tuple[str, ...]) -> frozenset[str]:
    """The same object for all turns that have the same tools: thousands run at once."""
    return frozenset(names)


def _note(failure: EndpointFailed, provider: _Provider) -> EndpointFailed:
    log.warning("model_endpoint_failed", url=provider.endpoint.base_url, reason=str(failure))
    return failure


def _body(error: openai.APIStatusError) -> object:
    """What the endpoint answered: its JSON, else the text of it."""
    return error.message if error.body is None else error.body

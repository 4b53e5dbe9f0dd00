"""The model client: any OpenAI-compatible endpoint, always streaming, with fallbacks.

The `openai` package carries the request (authentication, transport, errors); reading the stream is
ours, because its typed stream costs twenty times the CPU. It takes a second to import, so that
only `bot/assembly.py` imports this module, late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

import aiohttp
import httpx2
import openai
import structlog

from bot.agent.endpoints import (
    REFUSALS,
    EndpointFailed,
    failure_of_status,
    pause_before_retry,
)
from bot.agent.prices import ModelFacts, estimate_usage, facts_of, read_usage
from bot.agent.sse import BadStream, EventStream
from bot.agent.stream import Answer
from bot.agent.wire import encode_request, images_in
from bot.contracts import ModelRequest
from bot.errors import ModelRefused, ModelUnavailable, NotFound, StreamBroken
from bot.events import Emit
from bot.messages import ModelReply
from bot.settings import Endpoint, Settings

ReadFile = Callable[[str], Awaitable[bytes]]
"""The bytes of a file of the library by its id; raises `NotFound`."""

TRIES = 2
"""At one endpoint."""
LINGER = 1.0
"""Seconds that a finished answer waits for its usage and the end of the connection."""
_BROKEN = (openai.APIConnectionError, httpx2.RequestError, aiohttp.ClientError, BadStream)
_HEADERS = {
    "X-Stainless-Raw-Response": "stream",  # the SDK hands over the response unread
    "Accept-Encoding": "identity",  # compression holds back tokens
    "Content-Type": "application/json",
}

log = structlog.get_logger()


@dataclass(slots=True)
class _Provider:
    """An endpoint, and what we have learnt about it."""

    endpoint: Endpoint
    client: openai.AsyncOpenAI
    refuses_tool_choice: bool = False

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
        self._read_file = read_file
        self._pause = pause
        self._http = openai.DefaultAioHttpClient(
            # Thousands of turns stream at once; the default of 1,000 would queue them.
            limits=httpx2.Limits(max_connections=10_000, keepalive_expiry=30.0),
            timeout=httpx2.Timeout(stall, connect=min(10.0, stall)),
        )
        primary = Endpoint(
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key,
            model=settings.model,
        )
        self._providers = [self._open(one) for one in (primary, *settings.model_fallbacks)]

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        """See `Model.ask`. `request.model` holds for the primary endpoint; fallbacks use theirs."""
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
                log.warning(
                    "model_endpoint_failed", url=provider.endpoint.base_url, reason=str(failure)
                )
                failures.append(failure)
        # An empty answer is poor, but it is an answer, if nobody has a better one.
        if empty := next((failure.empty for failure in failures if failure.empty), None):
            return empty
        raise ModelUnavailable("; ".join(map(str, failures)))

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    def _open(self, endpoint: Endpoint) -> _Provider:
        client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or "none",  # the SDK wants one, Ollama does not
            max_retries=0,
            http_client=self._http,
            default_headers=_HEADERS,
        )
        return _Provider(endpoint, client)

    async def _ask_provider(self, provider: _Provider, call: _Call) -> ModelReply:
        clock = asyncio.get_running_loop().time
        for attempt in range(1, TRIES):
            try:
                return await self._try(provider, call)
            except EndpointFailed as failure:
                pause = pause_before_retry(failure, attempt, self._pause)
                # Waiting is only worth it if as much time is left for the answer.
                if not failure.retry or 2 * pause > call.deadline - clock():
                    raise
                await asyncio.sleep(pause)
        return await self._try(provider, call)

    async def _try(self, provider: _Provider, call: _Call) -> ModelReply:
        is_primary = provider is self._providers[0]
        model = (is_primary and call.request.model) or provider.endpoint.model
        facts = facts_of(model, self._capabilities)
        answer = Answer(call.emit, call.watched_tools)
        try:
            async with asyncio.timeout_at(call.deadline) as limit:
                images = await self._read_images(call.request) if facts.vision else {}
                response = await self._send(provider, call.request, model, images)
                async with aclosing(response):
                    await _read(response, answer, limit, call.deadline)
        except TimeoutError:
            if answer.shown and not answer.is_whole:
                raise StreamBroken("the time is over", answer.text) from None
            if not answer.is_whole:
                raise
        except _BROKEN as error:
            if isinstance(error, BadStream) or not answer.is_whole:
                raise _failure(error, answer) from error
        return _conclude(call.request, answer, provider.identity(model), facts)

    async def _read_images(self, request: ModelRequest) -> dict[str, bytes]:
        images: dict[str, bytes] = {}
        for image in images_in(request.messages):
            try:
                images[image.file_id] = await self._read_file(image.file_id)
            except NotFound:
                log.info("model_image_gone", file_id=image.file_id)
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
                "/chat/completions", content=body, cast_to=httpx2.Response
            )
        except openai.APIStatusError as error:
            reason = _reason(error, provider.endpoint.api_key)
            if error.status_code not in REFUSALS:
                raise failure_of_status(error.status_code, error.response.headers, reason) from None
            if not closing or provider.refuses_tool_choice or "tool_choice" not in reason:
                raise ModelRefused(reason) from None
        provider.refuses_tool_choice = True
        return await self._send(provider, request, model, images)


async def _read(
    response: httpx2.Response, answer: Answer, limit: asyncio.Timeout, deadline: float
) -> None:
    """Feed the response to the answer, to its end: only then is the connection used again."""
    events = EventStream()
    clock = asyncio.get_running_loop().time
    async for piece in response.aiter_bytes():
        for payload in events.feed(piece):
            answer.take(payload)
        if answer.is_final:
            limit.reschedule(min(deadline, clock() + LINGER))
    try:
        for payload in events.close():
            answer.take(payload)
    except BadStream:
        if not answer.is_final:  # else it is a piece of the usage, cut off
            raise


def _conclude(
    request: ModelRequest, answer: Answer, identity: str, facts: ModelFacts
) -> ModelReply:
    """The reply. Raises `EndpointFailed` (nothing came, or only an end) or `StreamBroken`."""
    if not answer.is_whole:
        raise _failure(BadStream("the stream ended early, or was none"), answer)
    answer.close()
    message = answer.message(identity)
    usage = (
        read_usage(answer.usage, facts) if answer.usage else estimate_usage(request, message, facts)
    )
    reply = ModelReply(
        message=message,
        usage=usage,
        model=answer.model or identity.rpartition("#")[2],
        finish_reason=answer.finish_reason,
    )
    if not answer.shown:
        raise EndpointFailed("the answer is empty", empty=reply)
    return reply


def _failure(error: Exception, answer: Answer) -> StreamBroken | EndpointFailed:
    reason = f"{type(error).__name__}: {error.__cause__ or error}"
    if answer.shown:
        return StreamBroken(reason, answer.text)
    stalled = isinstance(error, httpx2.ReadTimeout) or isinstance(
        error.__cause__, httpx2.ReadTimeout
    )
    # Having waited a minute in vain, the time that is left belongs to the next endpoint.
    return EndpointFailed(reason, retry=not stalled)


def _reason(error: openai.APIStatusError, api_key: str) -> str:
    """What the endpoint says is wrong, short, and without the key that some repeat."""
    message = str(error.message)
    return (message.replace(api_key, "***") if api_key else message)[:500]

"""Ask any OpenAI-compatible endpoint, always streaming, with retries and fallbacks.

The `openai` package sends the request (authentication, transport, errors). We read the stream
ourselves, because its typed stream costs twenty times the CPU. The package takes a second to
import; therefore only `bot/app.py` imports this module, late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx2
import openai
import structlog

from bot.agent.model_facts import ModelFacts, estimate_usage, find_model_facts, read_usage
from bot.agent.openai_protocol.answer import StreamedAnswer
from bot.agent.openai_protocol.chunks import keep_printable
from bot.agent.openai_protocol.request import encode_request, find_images, rewrite_without_tools
from bot.agent.openai_protocol.retry_policy import (
    REFUSALS,
    EndpointFailed,
    EndpointHealth,
    failure_of_status,
    pause_before_retry,
    refusal_of_status,
)
from bot.agent.openai_protocol.sse import BadStream, EventStream
from bot.agent.tool_calls.tool_call_parser import ToolCallParser
from bot.contracts.models import ModelRequest
from bot.contracts.storage import ReadFile
from bot.errors import ModelUnavailable, NotFound, StreamBroken
from bot.events import Emit
from bot.messages.transcript import AssistantMessage, ModelReply, Usage
from bot.observability import summarize_error
from bot.settings import Endpoint, Settings

if TYPE_CHECKING:
    from openai._types import RequestOptions

TRIES = 2
"""Attempts at one endpoint."""
_BROKEN = (openai.APIConnectionError, httpx2.RequestError, aiohttp.ClientError, BadStream)
_TELEMETRY = ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
"""Headers in which the SDK describes our machine; they are left out to save bytes."""
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
    """An endpoint, and what is known about it from its answers."""

    endpoint: Endpoint
    client: openai.AsyncOpenAI
    is_primary: bool
    url: str = field(init=False)
    """The whole URL: joining it for each request would cost more than the rest."""
    refuses_tool_choice: bool = False
    health: EndpointHealth = field(default_factory=EndpointHealth)

    def __post_init__(self) -> None:
        self.url = self.endpoint.base_url.rstrip("/") + "/chat/completions"

    def model_for(self, request: ModelRequest) -> str:
        return (self.is_primary and request.model) or self.endpoint.model

    def identity(self, model: str) -> str:
        """Return the value of `AssistantMessage.endpoint`; it holds no secret and survives
        restarts."""
        return f"{self.endpoint.base_url}#{model}"


@dataclass(frozen=True, slots=True)
class _Call:
    """One call of `ask` on its way through the endpoints."""

    request: ModelRequest
    emit: Emit
    deadline: float
    """By the loop's clock."""
    watched_tools: frozenset[str]

    def can_wait(self, pause: float) -> bool:
        """Return whether at least as much time as `pause` is left for the answer after waiting."""
        return 2 * pause <= self.deadline - asyncio.get_running_loop().time()


MOST_IMAGES = 10
"""Most images that one request shows, the newest ones: each costs as much as a page of text."""


class OpenAIModel:
    """A `Model` over the endpoints of the settings: first the primary one, then the fallbacks."""

    def __init__(
        self, settings: Settings, *, read_file: ReadFile, stall: float = 60.0, pause: float = 0.5
    ) -> None:
        """
        Args:
            settings: endpoints, models and capabilities.
            read_file: returns the images that messages show.
            stall: seconds without a byte after which a stream counts as broken.
            pause: seconds before the second try at an endpoint that asks for no pause itself.
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
        # At start, since a look-up may import a package, which would later block the event loop.
        names = [provider.endpoint.model for provider in self._providers]
        for model in filter(None, (*names, settings.vision_model)):
            find_model_facts(model, self._capabilities)

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        """Ask the model. `request.model` holds for the primary endpoint; fallbacks use theirs.

        A request with images that names no model goes to `VISION_MODEL`. See `Model.ask`.
        """
        if self._vision_model and not request.model and find_images(request.messages):
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
        if doubted := self._find_doubted(failures, call):
            try:
                return await self._ask_after_pause(doubted, call)
            except EndpointFailed as failure:
                failures = [each for each in failures if each.asked] + [_note(failure, doubted)]
        # An empty answer is poor, but it is an answer, if no endpoint has a better one.
        if empty := next((failure.empty for failure in failures if failure.empty), None):
            return empty
        soonest = min(failure.useless_for for failure in failures)
        raise ModelUnavailable("; ".join(map(str, failures)), after=soonest)

    def _find_doubted(self, failures: Sequence[EndpointFailed], call: _Call) -> _Provider | None:
        """Return the first endpoint that was not asked because of an earlier refusal, if no other
        one may answer when it is asked again within this call's time."""
        if any(each.asked and each.retry and call.can_wait(each.after or 0.0) for each in failures):
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
        provider.health.check_refusals(call.request, provider.model_for(call.request), now)
        return await self._ask_after_pause(provider, call)

    async def _ask_after_pause(self, provider: _Provider, call: _Call) -> ModelReply:
        """Ask once the pause that the endpoint asked for is over, if there is time for that."""
        now = asyncio.get_running_loop().time()
        if rest := provider.health.seconds_to_wait(now):
            if call.can_wait(rest):
                await asyncio.sleep(rest)
            elif len(self._providers) > 1 or not provider.health.may_probe(now):
                raise EndpointFailed(
                    f"asked not to be asked for {rest:.0f} s more", after=rest, asked=False
                )
        return await self._ask_with_retry(provider, call)

    async def _ask_with_retry(self, provider: _Provider, call: _Call) -> ModelReply:
        """Ask, and ask again after a failure that may pass."""
        for attempt in range(1, TRIES):
            try:
                return await self._try(provider, call)
            except EndpointFailed as failure:
                pause = pause_before_retry(failure, attempt, self._pause)
                is_enough = failure.empty is not None and not call.request.retries_empty
                if is_enough or not failure.retry or not call.can_wait(pause):
                    raise
                await asyncio.sleep(pause)
        return await self._try(provider, call)

    async def _try(self, provider: _Provider, call: _Call) -> ModelReply:
        model = provider.model_for(call.request)
        facts = find_model_facts(model, self._capabilities)
        names = _shared(tuple(tool.name for tool in call.request.known_tools))
        schemas = {tool.name: tool.parameters for tool in call.request.known_tools}
        prose = ToolCallParser(names, native=facts.tools, schemas=schemas)
        answer = StreamedAnswer(call.emit, prose, call.watched_tools)
        request = call.request if facts.tools else rewrite_without_tools(call.request)
        attempt = EndpointAttempt(request, provider.identity(model), facts, answer)
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
                log.warning(
                    "model_endpoint_failed",
                    url=provider.endpoint.base_url,
                    reason=f"no answer within the {request.seconds:.0f} s that the turn had left",
                )
                raise
        except _BROKEN as error:
            if isinstance(error, BadStream) or not answer.is_whole:
                raise attempt.failure(error) from error
        return attempt.conclude()

    async def _read_images(self, request: ModelRequest) -> dict[str, bytes]:
        images = dict(request.images)
        for image in find_images(request.messages)[-MOST_IMAGES:]:
            if image.file_id in images:
                continue
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
        sent = asyncio.get_running_loop().time()
        try:
            response = await provider.client.post(
                provider.url, content=body, cast_to=httpx2.Response, options=_OPTIONS
            )
            provider.health.record_success(request, model, sent)
            return response
        except openai.APIStatusError as error:
            answered = error.message if error.body is None else error.body
            reason = summarize_error(answered, secret=provider.endpoint.api_key)
            if error.status_code not in REFUSALS:
                failure = failure_of_status(error.status_code, error.response.headers, reason)
                now = asyncio.get_running_loop().time()
                provider.health.record_failure(failure, request, model, now)
                raise failure from None
            if not closing or provider.refuses_tool_choice or "tool_choice" not in error.message:
                raise refusal_of_status(error.status_code, answered, reason) from None
        provider.refuses_tool_choice = True
        return await self._send(provider, request, model, images)


@lru_cache(maxsize=256)
def _shared(names: tuple[str, ...]) -> frozenset[str]:
    """Return one shared object for all turns with the same tools, because thousands run at once."""
    return frozenset(names)


def _note(failure: EndpointFailed, provider: _Provider) -> EndpointFailed:
    if not failure.believed:  # else it was logged when the endpoint refused
        log.warning("model_endpoint_failed", url=provider.endpoint.base_url, reason=str(failure))
    return failure


_LONGEST_MODEL = 200
"""Characters that are kept of the model's name as the endpoint reports it."""
LINGER = 1.0
"""Seconds that a finished answer waits for its usage and the end of the connection."""


@dataclass(frozen=True, slots=True)
class EndpointAttempt:
    """One request to one endpoint, and the answer so far."""

    request: ModelRequest
    identity: str
    """Names endpoint and model, as in `AssistantMessage.endpoint`."""
    facts: ModelFacts
    answer: StreamedAnswer

    async def read(
        self, response: httpx2.Response, limit: asyncio.Timeout, deadline: float
    ) -> None:
        """Feed the whole response to the answer; a connection is reused only after that.

        Raises:
            BadStream: the endpoint reports an error, the answer is too long, or the stream ends in
                the middle of an event.
        """
        events = EventStream()
        answer = self.answer
        clock = asyncio.get_running_loop().time
        try:
            async for piece in response.aiter_bytes():
                answer.take(events.feed(piece))
                if answer.is_final:
                    limit.reschedule(min(deadline, clock() + LINGER))
            self._take_rest(events)
        finally:
            if answer.skipped or events.dropped:
                log.debug(
                    "model_stream_garbled",
                    endpoint=self.identity,
                    skipped=answer.skipped,
                    too_large=events.dropped,
                )
        if _has_sure_end(response):
            answer.stop()

    def conclude(self) -> ModelReply:
        """Return the reply.

        Raises:
            EndpointFailed: the answer is empty, or incomplete and nothing of it was shown.
            StreamBroken: the answer is incomplete, and a part of it was shown.
        """
        answer = self.answer
        if not answer.is_whole:
            raise self.failure(BadStream("the stream ended early, or was none"))
        answer.close()
        message = answer.message(self.identity)
        reply = ModelReply(
            message,
            self._usage(message),
            self._model,
            answer.finish_reason,
            is_estimated=answer.usage is None,
        )
        if not answer.shown:
            raise EndpointFailed("the answer is empty", empty=reply)
        return reply

    def failure(self, error: Exception) -> StreamBroken | EndpointFailed:
        """Turn the error that ended the stream into the failure to raise."""
        reason = _describe(error)
        if self.answer.shown:
            return self.broken(reason)
        stalled = isinstance(error, httpx2.ReadTimeout) or isinstance(
            error.__cause__, httpx2.ReadTimeout
        )
        # After a minute's wait in vain, the rest of the time is for the next endpoint.
        return EndpointFailed(reason, retry=not stalled)

    def broken(self, reason: str) -> StreamBroken:
        """Make the failure of a stream that broke after something was shown."""
        message = self.answer.message(self.identity)
        return StreamBroken(reason, message.text, self._usage(message), self._model)

    def _take_rest(self, events: EventStream) -> None:
        answer = self.answer
        lost = answer.skipped + events.dropped
        answer.take(events.close())
        # After the finish, an unreadable rest belongs to the usage; before it, the server broke off
        # in mid-sentence.
        if answer.skipped + events.dropped > lost and not answer.is_final:
            raise BadStream("the last event is cut off")

    def _usage(self, message: AssistantMessage) -> Usage:
        reported = self.answer.usage
        if reported is None:
            return estimate_usage(self.request, message, self.facts)
        return read_usage(reported, self.request, message, self.facts)

    @property
    def _model(self) -> str:
        named = keep_printable(self.answer.model, _LONGEST_MODEL)
        return named or self.identity.rpartition("#")[2]


def _describe(error: Exception) -> str:
    """Name the error's kind and cause: a library's message may quote unreadable input."""
    if isinstance(error, BadStream):
        return str(error)
    cause = error.__cause__
    kind = type(error).__name__
    return f"{kind} ({type(cause).__name__})" if cause is not None else kind


def _has_sure_end(response: httpx2.Response) -> bool:
    """Return whether a response that was cut short would have raised an error (RFC 9112, section
    8). A body that ends when the connection closes looks the same when the server has died."""
    headers = response.headers
    return "content-length" in headers or "chunked" in headers.get("transfer-encoding", "").lower()


class _Request(httpx2.Request):
    """A request whose long body can be freed while the answer streams, perhaps for minutes."""

    def __init__(self, method: str, url: httpx2.URL, headers: Any, extensions: Any) -> None:
        super().__init__(
            method, url, headers=headers, stream=httpx2.ByteStream(b""), extensions=extensions
        )
        self.body = b""

    @property
    def content(self) -> bytes:
        return self.body


class Connections(openai.DefaultAioHttpClient):
    """The connections to all endpoints; each request has a whole URL and all its headers.

    The base class merges base URL, cookies, query and headers into every request. This client sets
    none of these, so the merging is left out (a tenth of a turn's CPU).
    """

    def __init__(self, *, stall: float) -> None:
        """
        Args:
            stall: seconds without a byte after which a response counts as broken.
        """
        super().__init__(
            # Thousands of turns stream at once; the default of 1,000 would queue them.
            limits=httpx2.Limits(max_connections=10_000, keepalive_expiry=30.0),
            timeout=httpx2.Timeout(stall, connect=min(10.0, stall)),
        )
        self._extensions = {"timeout": self.timeout.as_dict()}
        self._urls: dict[str, httpx2.URL] = {}

    def build_request(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        method: str,
        url: httpx2.URL | str,
        *,
        headers: Any = None,
        content: Any = None,
        **_: Any,
    ) -> httpx2.Request:
        """Build the request from its arguments, with this client's time-outs."""
        text = str(url)
        parsed = self._urls.get(text) or self._urls.setdefault(text, httpx2.URL(text))
        request = _Request(method, parsed, headers, self._extensions)
        request.body = content
        return request

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send as the base class does, then free the request's body."""
        response = await super().send(request, **options)
        if isinstance(request, _Request):
            request.body = b""
        return response

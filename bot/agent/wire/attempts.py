"""One try at one endpoint: its response is read, and becomes a reply or a failure."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import httpx2
import structlog

from bot.agent.prices import ModelFacts, estimate_usage, read_usage
from bot.agent.wire.calls import printable
from bot.agent.wire.endpoints import EndpointFailed
from bot.agent.wire.sse import BadStream, EventStream
from bot.agent.wire.stream import Answer
from bot.contracts import ModelRequest
from bot.errors import StreamBroken
from bot.messages import AssistantMessage, ModelReply, Usage

_LONGEST_MODEL = 200
"""Characters of the model's name, as an endpoint tells it."""
LINGER = 1.0
"""Seconds that a finished answer waits for its usage and the end of the connection."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is asked of whom, and the answer as far as it has come."""

    request: ModelRequest
    identity: str
    """Of endpoint and model, as in `AssistantMessage.endpoint`."""
    facts: ModelFacts
    answer: Answer

    async def read(
        self, response: httpx2.Response, limit: asyncio.Timeout, deadline: float
    ) -> None:
        """Feed the response to the answer, to its end: only then is the connection used again.

        Raises:
            BadStream: an error inside, no end, or one in the middle of an event.
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
        """The reply.

        Raises:
            EndpointFailed: nothing came, or only an end.
            StreamBroken: it is not whole.
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
        """What it means that the stream ended in `error`."""
        reason = _describe(error)
        if self.answer.shown:
            return self.broken(reason)
        stalled = isinstance(error, httpx2.ReadTimeout) or isinstance(
            error.__cause__, httpx2.ReadTimeout
        )
        # Having waited a minute in vain, the time that is left belongs to the next endpoint.
        return EndpointFailed(reason, retry=not stalled)

    def broken(self, reason: str) -> StreamBroken:
        """The failure of a stream that has shown something."""
        message = self.answer.message(self.identity)
        return StreamBroken(reason, message.text, self._usage(message), self._model)

    def _take_rest(self, events: EventStream) -> None:
        answer = self.answer
        lost = answer.skipped + events.dropped
        answer.take(events.close())
        # After the finish it is a piece of the usage; before, the server broke off in mid-sentence.
        if answer.skipped + events.dropped > lost and not answer.is_final:
            raise BadStream("the last event is cut off")

    def _usage(self, message: AssistantMessage) -> Usage:
        reported = self.answer.usage
        if reported is None:
            return estimate_usage(self.request, message, self.facts)
        return read_usage(reported, self.facts)

    @property
    def _model(self) -> str:
        named = printable(self.answer.model, _LONGEST_MODEL)
        return named or self.identity.rpartition("#")[2]


def _describe(error: Exception) -> str:
    """Kind and cause; no words of a library, which may quote what it could not read."""
    if isinstance(error, BadStream):
        return str(error)
    cause = error.__cause__
    kind = type(error).__name__
    return f"{kind} ({type(cause).__name__})" if cause is not None else kind


def _has_sure_end(response: httpx2.Response) -> bool:
    """Whether a body cut short would have been an error (RFC 9112, section 8): one that ends when
    the connection closes looks the same when the server has died."""
    headers = response.headers
    return "content-length" in headers or "chunked" in headers.get("transfer-encoding", "").lower()

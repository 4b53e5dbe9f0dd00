"""An answer on its way to a client of OpenAI's API: whole, or in chunks as it grows.

Shapes: https://platform.openai.com/docs/api-reference/chat/object and `…/chat/streaming`; thinking
goes as `reasoning_content`, as DeepSeek's API names it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Literal

import msgspec
import structlog
from aiohttp import web

from bot.events import Event, UsageReport
from bot.settings import Settings
from bot.web.completions.asking import MODEL
from bot.web.completions.writing import Piece, Writing
from bot.web.requests import greet, json_response
from bot.web.turn_streams import KEEP_ALIVE_COMMENT, SSE_HEADERS, broken_off

FinishReason = Literal["stop", "length"]
Batches = AsyncIterator[list[Event]]
Done = Callable[[str], Awaitable[None]]
"""Called with the whole answer before its end is told."""
_SILENCE = 10.0
"""Seconds after which a comment is sent, while there is nothing to show."""
log = structlog.get_logger()


class TokenCount(msgspec.Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class AnswerMessage(msgspec.Struct, frozen=True):
    content: str
    reasoning_content: str | msgspec.UnsetType = msgspec.UNSET
    role: Literal["assistant"] = "assistant"
    refusal: None = None


class AnswerChoice(msgspec.Struct, frozen=True):
    message: AnswerMessage
    finish_reason: FinishReason
    index: int = 0
    logprobs: None = None


class Completion(msgspec.Struct, frozen=True):
    id: str
    created: int
    choices: tuple[AnswerChoice, ...]
    usage: TokenCount
    object: Literal["chat.completion"] = "chat.completion"
    model: str = MODEL


class Answering:
    """One answer.

    Args:
        name: of the turn, unlike any other's.
        done: called with the answer once it has come to its end without failing.
    """

    def __init__(self, name: str, writing: Writing, done: Done) -> None:
        self._id = f"chatcmpl-{name}"
        self._created = int(time.time())
        self._writing = writing
        self._done = done

    async def answer(self, batches: Batches) -> web.Response:
        """The whole answer, or why there is none."""
        async for events in batches:
            for event in events:
                self._writing.feed(event)
        if self._writing.refusal is not None:
            return self._writing.refusal.openai_answer()
        await self._done(self._writing.content)
        message = AnswerMessage(
            self._writing.content, reasoning_content=self._writing.reasoning or msgspec.UNSET
        )
        choice = AnswerChoice(message, self._finish_reason)
        usage = count_tokens(self._writing.usage)
        return json_response(Completion(self._id, self._created, (choice,), usage))

    async def stream(
        self, request: web.Request, batches: Batches, settings: Settings, *, with_usage: bool
    ) -> web.StreamResponse:
        """The answer in chunks. What fails before anything is shown is answered as an error."""
        response = web.StreamResponse(headers=SSE_HEADERS)
        greet(request, response, settings)
        silent_since = time.monotonic()
        try:
            async for events in batches:
                shown = self._feed(events, with_usage=with_usage)
                if self._writing.refusal is not None and not response.prepared:
                    return self._writing.refusal.openai_answer()
                if not shown and time.monotonic() - silent_since < _SILENCE:
                    continue
                silent_since = time.monotonic()
                if not response.prepared:
                    await response.prepare(request)
                await response.write(shown or KEEP_ALIVE_COMMENT)
            await self._finish(request, response, with_usage=with_usage)
        except ConnectionResetError:
            log.info("reader_left", turn=self._id)
        except Exception:
            if not response.prepared:
                raise
            log.exception("stream_failed", turn=self._id)
            await self._break_off(response)
        return response

    async def _break_off(self, response: web.StreamResponse) -> None:
        for event in broken_off("internal", self._writing.language):
            self._writing.feed(event)
        if self._writing.refusal is not None:
            await response.write(_frame({"error": self._writing.refusal.openai_error()}))

    def _feed(self, events: Sequence[Event], *, with_usage: bool) -> bytes:
        pieces = [self._writing.feed(event) for event in events]
        return b"".join(
            self._chunk(_delta(piece), with_usage=with_usage)
            for piece in pieces
            if piece != Piece()
        )

    async def _finish(
        self, request: web.Request, response: web.StreamResponse, *, with_usage: bool
    ) -> None:
        if not response.prepared:
            await response.prepare(request)
        refusal = self._writing.refusal
        if refusal is not None:
            await response.write(_frame({"error": refusal.openai_error()}))
        else:
            await self._done(self._writing.content)
            await response.write(self._last_chunks(with_usage=with_usage))
        await response.write_eof()

    def _last_chunks(self, *, with_usage: bool) -> bytes:
        last = self._chunk({}, self._finish_reason, with_usage=with_usage)
        if with_usage:
            usage = count_tokens(self._writing.usage)
            last += _frame(self._frame_of(choices=[], usage=usage))
        return last + b"data: [DONE]\n\n"

    def _chunk(
        self, delta: dict[str, str], reason: FinishReason | None = None, *, with_usage: bool
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        usage = {"usage": None} if with_usage else {}
        return _frame(self._frame_of(choices=[choice], **usage))

    def _frame_of(self, **fields: Any) -> dict[str, Any]:
        head = {"id": self._id, "object": "chat.completion.chunk", "created": self._created}
        return head | {"model": MODEL} | fields

    @property
    def _finish_reason(self) -> FinishReason:
        return "length" if self._writing.reason == "limit" else "stop"


def count_tokens(usage: UsageReport) -> TokenCount:
    total = usage.input_tokens + usage.output_tokens
    return TokenCount(usage.input_tokens, usage.output_tokens, total)


def _delta(piece: Piece) -> dict[str, str]:
    content = {"content": piece.content} if piece.content else {}
    reasoning = {"reasoning_content": piece.reasoning} if piece.reasoning else {}
    return {"role": "assistant"} | reasoning | content


def _frame(value: object) -> bytes:
    return b"data: %s\n\n" % msgspec.json.encode(value)

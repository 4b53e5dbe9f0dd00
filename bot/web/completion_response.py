"""Send an answer to a client of OpenAI's API: whole, or in chunks as it grows.

Shapes: https://platform.openai.com/docs/api-reference/chat/object and `…/chat/streaming`; thinking
goes as `reasoning_content`, as DeepSeek's API names it. Running tools are not shown; files are
links; quizzes and approvals are texts with their options, which the person answers by typing one.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec
import structlog
from aiohttp import web

from bot.accounts.approvals import CHOICES, labels_of
from bot.events import (
    AwaitingApproval,
    Content,
    End,
    EndReason,
    Event,
    ExerciseAsked,
    Failure,
    FileMade,
    Notice,
    QuizAsked,
    Thinking,
    ToolProgress,
    UsageReport,
)
from bot.i18n import say
from bot.messages.channels import WEB
from bot.render.renderer import escape_markdown, list_lettered
from bot.settings import Settings
from bot.web.completion_request import MODEL
from bot.web.errors import Refusal, refuse_person
from bot.web.requests import greet, json_response
from bot.web.turn_streams import KEEP_ALIVE_COMMENT, SSE_HEADERS, broken_off

FinishReason = Literal["stop", "length"]
Batches = AsyncIterator[list[Event]]
Done = Callable[[str], Awaitable[None]]
"""A function called with the whole answer before its end is sent."""
_SILENT_SECONDS = 10.0
"""Seconds after which a comment is sent while there is no text."""
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


class CompletionResponse:
    """One answer.

    Args:
        name: a unique name of the turn.
        done: called with the answer once it has ended without failing.
    """

    def __init__(self, name: str, writing: AnswerText, done: Done) -> None:
        self._id = f"chatcmpl-{name}"
        self._created = int(time.time())
        self._answer = writing
        self._done = done

    async def answer(self, batches: Batches) -> web.Response:
        """Answer with the whole completion, or with the error."""
        async for events in batches:
            for event in events:
                self._answer.feed(event)
        if self._answer.refusal is not None:
            return self._answer.refusal.openai_answer()
        await self._done(self._answer.content)
        message = AnswerMessage(
            self._answer.content, reasoning_content=self._answer.reasoning or msgspec.UNSET
        )
        choice = AnswerChoice(message, self._finish_reason)
        usage = count_tokens(self._answer.usage)
        return json_response(Completion(self._id, self._created, (choice,), usage))

    async def stream(
        self, request: web.Request, batches: Batches, settings: Settings, *, with_usage: bool
    ) -> web.StreamResponse:
        """Answer in chunks; a failure before the first chunk is answered as an error."""
        response = web.StreamResponse(headers=SSE_HEADERS)
        greet(request, response, settings)
        silent_since = time.monotonic()
        try:
            async for events in batches:
                shown = self._feed(events, with_usage=with_usage)
                if self._answer.refusal is not None and not response.prepared:
                    return self._answer.refusal.openai_answer()
                if not shown and time.monotonic() - silent_since < _SILENT_SECONDS:
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
        for event in broken_off("internal", self._answer.language):
            self._answer.feed(event)
        if self._answer.refusal is not None:
            await response.write(_encode_data({"error": self._answer.refusal.openai_error()}))

    def _feed(self, events: Sequence[Event], *, with_usage: bool) -> bytes:
        pieces = [self._answer.feed(event) for event in events]
        return b"".join(
            self._chunk(_make_delta(piece), with_usage=with_usage)
            for piece in pieces
            if piece != AnswerPiece()
        )

    async def _finish(
        self, request: web.Request, response: web.StreamResponse, *, with_usage: bool
    ) -> None:
        if not response.prepared:
            await response.prepare(request)
        refusal = self._answer.refusal
        if refusal is not None:
            await response.write(_encode_data({"error": refusal.openai_error()}))
        else:
            await self._done(self._answer.content)
            await response.write(self._last_chunks(with_usage=with_usage))
        await response.write_eof()

    def _last_chunks(self, *, with_usage: bool) -> bytes:
        last = self._chunk({}, self._finish_reason, with_usage=with_usage)
        if with_usage:
            usage = count_tokens(self._answer.usage)
            last += _encode_data(self._frame_of(choices=[], usage=usage))
        return last + b"data: [DONE]\n\n"

    def _chunk(
        self, delta: dict[str, str], reason: FinishReason | None = None, *, with_usage: bool
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        usage = {"usage": None} if with_usage else {}
        return _encode_data(self._frame_of(choices=[choice], **usage))

    def _frame_of(self, **fields: Any) -> dict[str, Any]:
        head = {"id": self._id, "object": "chat.completion.chunk", "created": self._created}
        return head | {"model": MODEL} | fields

    @property
    def _finish_reason(self) -> FinishReason:
        return "length" if self._answer.reason == "limit" else "stop"


def count_tokens(usage: UsageReport) -> TokenCount:
    total = usage.input_tokens + usage.output_tokens
    return TokenCount(usage.input_tokens, usage.output_tokens, total)


def _make_delta(piece: AnswerPiece) -> dict[str, str]:
    content = {"content": piece.content} if piece.content else {}
    reasoning = {"reasoning_content": piece.reasoning} if piece.reasoning else {}
    return {"role": "assistant"} | reasoning | content


def _encode_data(value: object) -> bytes:
    return b"data: %s\n\n" % msgspec.json.encode(value)


_CONTINUES_TEXT: Final = (Content, Thinking, ToolProgress)
"""Events that may come in the middle of a text without ending its paragraph."""


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """The next piece of the answer."""

    content: str = ""
    reasoning: str = ""


class AnswerText:
    """The answer so far, built from a turn's events."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._apart = False
        self._begin = 0
        """Where the text of the model's current message begins in `content`."""
        self.content = ""
        self.reasoning = ""
        self.usage = UsageReport(0, 0, 0.0, 0)
        self.reason: EndReason | None = None
        """Why the turn ended; None while it goes on."""
        self.refusal: Refusal | None = None

    def feed(self, event: Event) -> AnswerPiece:
        """Take an event and return the piece that it adds to the answer."""
        match event:
            case Thinking(text=text, replaces_content=is_thought):
                self.reasoning += text
                self.content = self.content[: self._begin] if is_thought else self.content
                return AnswerPiece(reasoning=text)
            case Failure(code=code, message=message):
                self.refusal = refuse_person(code, message)
            case UsageReport():
                self.usage = event
            case End(reason=reason):
                self.reason = reason
            case _:
                return self._write(event)
        return AnswerPiece()

    def _write(self, event: Event) -> AnswerPiece:
        words = self._words(event) if self.content else self._words(event).lstrip("\n")
        is_block = not isinstance(event, _CONTINUES_TEXT)
        needs_gap = words and self.content and (self._apart or is_block)
        gap = "\n\n" if needs_gap and not words.startswith("\n\n") else ""
        self._apart = is_block or (self._apart and not words)
        self.content += gap + words
        self._begin = len(self.content) if is_block else self._begin
        return AnswerPiece(gap + words)

    def _words(self, event: Event) -> str:
        match event:
            case Content(text=text) | Notice(text=text):
                return text
            case QuizAsked(question=question, options=options):
                return self._ask(question, [escape_markdown(option) for option in options])
            case ExerciseAsked(statement=statement, options=options):
                listed = [escape_markdown(option) for option in options]
                return self._ask(statement, listed) if listed else statement
            case AwaitingApproval(kind=kind, text=text):
                labels = labels_of(kind, self.language, WEB)
                return self._ask(text, [labels[choice] for choice in CHOICES])
            case FileMade(filename=filename, url=url):
                return f"📎 [{escape_markdown(filename)}]({url})"
            case _:
                return ""

    def _ask(self, question: str, options: Sequence[str]) -> str:
        listed = list_lettered(options, "  \n")
        how = say(self.language, "Answer with the letter.")
        return f"{question}\n\n{listed}\n\n{how}"

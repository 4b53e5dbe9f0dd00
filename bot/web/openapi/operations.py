"""Every route of the HTTP API, described. A route that is missing here fails a test."""

from __future__ import annotations

from typing import Any, Final

from bot.web.chat import LONGEST_MESSAGE, ChatRequest, SessionList, ShownEvents, ShownTurns
from bot.web.completions.answering import Completion
from bot.web.completions.asking import CompletionRequest
from bot.web.completions.routes import ModelCard, ModelList
from bot.web.files import ShownFile
from bot.web.health import Alive, Readiness
from bot.web.jobs import JobBegun, ShownJob
from bot.web.login import CodeSent, OtpRequest, Token, VerifyRequest
from bot.web.me import ShownPerson
from bot.web.openapi.operation import Answer, Operation
from bot.web.openapi.streams import describe_chunks, describe_events
from bot.web.progress import ShownProgress
from bot.web.quizzes import AnswerRequest, GradedAnswer
from bot.web.uploads import FILE_FIELD, MOST_BYTES, MOST_FILES

_EVENT_STREAM: Final[dict[str, Any]] = {"text/event-stream": describe_events()}
_CHUNKS: Final[dict[str, Any]] = {"text/event-stream": describe_chunks()}
_TEXT: Final[dict[str, Any]] = {"text/plain": {"type": "string"}}
_CHAT_FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "message": {"type": "string", "maxLength": LONGEST_MESSAGE},
        "session_id": {"type": "string"},
        "background": {"type": "boolean"},
        FILE_FIELD: {
            "type": "array",
            "description": f"Photos, recordings or documents, {MOST_BYTES // 2**20} MiB together.",
            "items": {"type": "string", "contentMediaType": "application/octet-stream"},
            "maxItems": MOST_FILES,
        },
    },
}
_BYTES: Final[dict[str, Any]] = {"*/*": {"type": "string", "format": "binary"}}

CHAT: Final = (
    Operation(
        "post",
        "/api/v1/chat",
        "Say something, or send files, and hear the turn as it happens.",
        {
            200: Answer("The turn's events.", media=_EVENT_STREAM),
            202: Answer("With `background`: the job that was begun.", JobBegun),
        },
        refusals=(402, 404, 409, 429),
        body=ChatRequest,
        headers={
            "Idempotency-Key": "A request that is sent again with the same key is run once.",
        },
        form=_CHAT_FORM,
    ),
    Operation(
        "get",
        "/api/v1/sessions",
        "One's own conversations, newest first: at most 50. That on the phones has the id `phone`.",
        {200: Answer("The conversations.", SessionList)},
    ),
    Operation(
        "get",
        "/api/v1/sessions/{id}/events",
        "What was said and done in a session, for debugging.",
        {200: Answer("The newest memory events, oldest first.", ShownEvents)},
        refusals=(404,),
    ),
    Operation(
        "get",
        "/api/v1/sessions/{id}/turns",
        "A session as it was seen: what was written, and what the stream showed.",
        {200: Answer("The newest turns, oldest first.", ShownTurns)},
        refusals=(404,),
    ),
    Operation(
        "get",
        "/api/v1/jobs/{id}",
        "How a job stands.",
        {200: Answer("The job.", ShownJob)},
        refusals=(404,),
    ),
    Operation(
        "delete",
        "/api/v1/jobs/{id}",
        "Have a job end before its time.",
        {202: Answer("The job, as it stood when it was asked to end.", ShownJob)},
        refusals=(404,),
    ),
    Operation(
        "get",
        "/api/v1/jobs/{id}/events",
        "A job's events as they happen; what it says comes whole, if its beginning was missed.",
        {200: Answer("The events.", media=_EVENT_STREAM)},
        refusals=(404,),
    ),
    Operation(
        "post",
        "/api/v1/quizzes/{id}/answer",
        "Answer a quiz; the first answer counts.",
        {200: Answer("Whether it was right.", GradedAnswer)},
        refusals=(403, 404, 409, 410, 429),
        body=AnswerRequest,
    ),
)
PEOPLE: Final = (
    Operation(
        "post",
        "/api/v1/login/otp",
        "Have a code sent to a phone.",
        {202: Answer("It is on its way to this number.", CodeSent)},
        refusals=(429,),
        access="everyone",
        body=OtpRequest,
    ),
    Operation(
        "post",
        "/api/v1/login/verify",
        "Exchange the code for a token.",
        {200: Answer("The token.", Token)},
        refusals=(429,),
        access="everyone",
        body=VerifyRequest,
    ),
    Operation(
        "get",
        "/api/v1/me",
        "Who the bearer of the token is.",
        {200: Answer("The account.", ShownPerson)},
        access="people",
    ),
    Operation(
        "get",
        "/api/v1/progress",
        "What the bearer of the token has learned.",
        {200: Answer("The last thirty days, and the subjects.", ShownProgress)},
        access="people",
    ),
    Operation(
        "get",
        "/api/v1/files",
        "One's own files, newest first; a guest has none.",
        {200: Answer("The files.", list[ShownFile])},
    ),
    Operation(
        "get",
        "/files/{token}",
        "The file of a signed link.",
        {200: Answer("The file.", media=_BYTES)},
        refusals=(403, 404, 410),
        access="everyone",
    ),
)
OPENAI: Final = (
    Operation(
        "post",
        "/v1/chat/completions",
        "The agent's answer, for clients of OpenAI's API; a body of up to 16 MiB is taken.",
        {200: Answer("The answer: whole, or with `stream` in chunks.", Completion, media=_CHUNKS)},
        refusals=(404, 409, 429, 500),
        body=CompletionRequest,
        headers={
            "Idempotency-Key": "A request that is sent again with the same key is run once.",
            "X-Stainless-Retry-Count": "How often OpenAI's client has sent this before.",
        },
    ),
    Operation(
        "get", "/v1/models", "The one model there is.", {200: Answer("A list of it.", ModelList)}
    ),
    Operation(
        "get",
        "/v1/models/{id}",
        "The one model there is.",
        {200: Answer("It.", ModelCard)},
        refusals=(404,),
    ),
)
HEALTH: Final = (
    Operation(
        "get", "/healthz", "Does it answer?", {200: Answer("It does.", Alive)}, access="everyone"
    ),
    Operation(
        "get",
        "/readyz",
        "Can it work?",
        {200: Answer("It can.", Readiness), 503: Answer("It cannot, and why.", Readiness)},
        access="everyone",
    ),
    Operation(
        "get",
        "/metrics",
        "How it is, for Prometheus.",
        {200: Answer("Prometheus' text format.", media=_TEXT)},
        access="operators",
    ),
    Operation(
        "get",
        "/api/v1/openapi.json",
        "This document.",
        {200: Answer("OpenAPI 3.1.", dict[str, Any])},
        access="everyone",
    ),
)
OPERATIONS: Final = (*CHAT, *PEOPLE, *OPENAI, *HEALTH)

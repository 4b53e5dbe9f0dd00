"""`GET /api/v1/openapi.json`: every route of the HTTP API, and the document made from them.

A route that is missing from `OPERATIONS` fails a test.
Format: https://spec.openapis.org/oas/v3.1.1.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final, Literal, get_args

import msgspec
from aiohttp import web

from bot.events import Event
from bot.settings import Settings
from bot.web.chat import LONGEST_MESSAGE, ChatRequest, SessionList, ShownEvents, ShownTurns
from bot.web.completion_request import CompletionRequest
from bot.web.completion_response import Completion
from bot.web.files import FILE_FIELD, MOST_BYTES, MOST_FILES, ShownFile
from bot.web.health import Alive, Readiness
from bot.web.jobs import JobBegun, ShownJob
from bot.web.learning import ShownProgress, ShownReview
from bot.web.learning_answers import (
    AnswerRequest,
    ExerciseAnswerRequest,
    ExerciseGrade,
    GradedAnswer,
)
from bot.web.login import CodeSent, OtpRequest, ShownPerson, Token, VerifyRequest
from bot.web.openai_api import ModelCard, ModelList

Json = dict[str, Any]
Access = Literal["everyone", "guests", "people", "operators"]
"""Who may use a route: everyone; guests and people with a token; only people; only operators."""
JSON: Final = "application/json"


class Error(msgspec.Struct, frozen=True):
    code: str
    """A stable name in snake_case."""
    message: str
    """A message for people, in their language."""
    can_buy: bool | msgspec.UnsetType = msgspec.UNSET
    """With a 402: whether the missing credits can be bought, by `/buy`."""


class ErrorAnswer(msgspec.Struct, frozen=True):
    error: Error


class OpenAIError(msgspec.Struct, frozen=True):
    message: str
    type: str
    param: str | None
    code: str | None


class OpenAIErrorAnswer(msgspec.Struct, frozen=True):
    """An error in the shape of https://platform.openai.com/docs/guides/error-codes."""

    error: OpenAIError


@dataclass(frozen=True, slots=True)
class Answer:
    """One way in which a route answers."""

    description: str
    shape: Any = None
    """The struct that is sent as JSON, if one is."""
    media: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Schemas of other forms, by media type."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One route."""

    method: Literal["get", "post", "delete"]
    path: str
    summary: str
    answers: Mapping[int, Answer]
    refusals: Sequence[int] = ()
    """Statuses of errors, besides those of every such route, which are added."""
    access: Access = "guests"
    body: Any = None
    """The struct that is read as JSON, if one is."""
    form: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The schema of a `multipart/form-data` body that the route also takes, if it does."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Optional headers, each with its effect."""

    @property
    def is_openai(self) -> bool:
        return self.path.startswith("/v1/")


_DONE = "[DONE]"


def describe_events() -> Json:
    """Return the schema of a turn's events, by name; `end` is always the last."""
    return {"oneOf": [_describe_event(kind) for kind in get_args(Event)]}


def describe_chunks() -> Json:
    """Return the schema of a completion's stream: `chat.completion.chunk`s, then `[DONE]`; or an
    error."""
    chunk = {"type": "string", "contentMediaType": JSON, "contentSchema": {"type": "object"}}
    data = {"anyOf": [{"const": _DONE}, chunk]}
    return {"type": "object", "properties": {"data": data}, "required": ["data"]}


def _describe_event(kind: type[msgspec.Struct]) -> Json:
    name = kind.__struct_config__.tag
    fields = msgspec.json.schema(kind)["$defs"][kind.__name__]
    del fields["properties"]["event"]
    fields["required"].remove("event")
    data = {"type": "string", "contentMediaType": JSON, "contentSchema": fields}
    return {
        "type": "object",
        "properties": {"event": {"const": name}, "data": data},
        "required": ["event", "data"],
    }


_EVENT_STREAM: Final[Json] = {"text/event-stream": describe_events()}
_CHUNKS: Final[Json] = {"text/event-stream": describe_chunks()}
_TEXT: Final[Json] = {"text/plain": {"type": "string"}}
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
_BYTES: Final[Json] = {"*/*": {"type": "string", "format": "binary"}}
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
    Operation(
        "post",
        "/api/v1/exercises/{id}/answer",
        "Answer an exercise; `correct` is null for a text that is no answer.",
        {200: Answer("Whether it was right, and what comes next.", ExerciseGrade)},
        refusals=(403, 404, 409, 410, 429),
        body=ExerciseAnswerRequest,
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
        {
            200: Answer(
                "The last thirty days, subjects, skills, and what to learn next.", ShownProgress
            )
        },
        access="people",
    ),
    Operation(
        "get",
        "/api/v1/review",
        "What is due to be reviewed, and when the bearer of the token is reminded.",
        {200: Answer("How many exercises are due, and when the next come.", ShownReview)},
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
        {
            200: Answer("The file.", media=_BYTES),
            206: Answer("The part of it that `Range` asks for.", media=_BYTES),
            416: Answer("It has no such part.", media=_BYTES),
        },
        refusals=(403, 404, 410),
        access="everyone",
        headers={"Range": "One range of bytes, to go on with a download that broke off."},
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

REFUSALS: Final[Mapping[int, str]] = {
    400: "The request is not as described here.",
    401: "The token is not valid.",
    402: "No credits are left.",
    403: "Not yours, or tampered with.",
    404: "There is no such thing, or it is someone else's.",
    408: "The request did not come to its end in time.",
    409: "A turn is running there, or it was answered already.",
    410: "It has expired.",
    413: "The request is larger than is taken: 1 MiB of JSON, unless more is said.",
    415: "The body is compressed.",
    429: "Too much, too fast, or used up. `Retry-After` says when to come back.",
    500: "The turn failed; it is free.",
    503: "A part of Griot cannot be reached just now.",
}

_SCHEMA_PATH: Final = "#/components/schemas/{name}"
_PARAMETERS: Final = re.compile(r"\{(\w+)\}")
_SECURITY: Final[Mapping[Access, Sequence[Json]]] = {
    "everyone": (),
    "guests": ({}, {"bearer": []}),
    "people": ({"bearer": []},),
    "operators": ({"bearer": []},),
}
_ABOUT: Final = (
    "One agent, the same as on WhatsApp, Telegram and SMS. The token comes from "
    "`/api/v1/login/verify`; without one you are a guest."
)


def make_document(operations: Sequence[Operation], address: str) -> Json:
    """Return the OpenAPI document of the operations.

    Args:
        address: the public address of this server.
    """
    schemas = _Schemas(operations)
    paths: dict[str, Json] = {}
    for operation in operations:
        described: Json = {
            "operationId": _name_operation(operation),
            "summary": operation.summary,
            "security": list(_SECURITY[operation.access]),
            "parameters": [*_list_parameters(operation)],
            "responses": _describe_responses(operation, schemas),
        }
        if operation.body is not None:
            content: Json = {JSON: {"schema": schemas.of(operation.body)}}
            if operation.form:
                content["multipart/form-data"] = {"schema": dict(operation.form)}
            described["requestBody"] = {"required": True, "content": content}
        paths.setdefault(operation.path, {})[operation.method] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "Griot", "version": version("griot"), "description": _ABOUT},
        "servers": [{"url": address}],
        "paths": paths,
        "components": {
            "schemas": schemas.components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


class _Schemas:
    """The schemas of all structs, each described once."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        shapes: list[Any] = [ErrorAnswer, OpenAIErrorAnswer]
        for operation in operations:
            answered = (answer.shape for answer in operation.answers.values())
            shapes += [shape for shape in (operation.body, *answered) if shape is not None]
        references, self.components = msgspec.json.schema_components(
            shapes, ref_template=_SCHEMA_PATH
        )
        self._references = list(zip(shapes, references, strict=True))

    def of(self, shape: Any) -> Json:
        return next(dict(found) for known, found in self._references if known is shape)


def _name_operation(operation: Operation) -> str:
    words = [word for word in re.split(r"\W+", operation.path) if word]
    return "_".join([operation.method, *words])


def _list_parameters(operation: Operation) -> Iterable[Json]:
    text = {"type": "string"}
    for name in _PARAMETERS.findall(operation.path):
        yield {"name": name, "in": "path", "required": True, "schema": text}
    for name, purpose in operation.headers.items():
        yield {"name": name, "in": "header", "description": purpose, "schema": text}


def _describe_responses(operation: Operation, schemas: _Schemas) -> Json:
    responses: Json = {
        str(status): _describe_response(answer, schemas)
        for status, answer in operation.answers.items()
    }
    shape = OpenAIErrorAnswer if operation.is_openai else ErrorAnswer
    for status in sorted({*operation.refusals, *_list_usual_refusals(operation)}):
        answer = Answer(REFUSALS[status], shape)
        responses.setdefault(str(status), _describe_response(answer, schemas))
        if status == 429:
            responses["429"]["headers"] = {
                "Retry-After": {"required": True, "schema": {"type": "integer", "minimum": 1}}
            }
    return responses


def _list_usual_refusals(operation: Operation) -> Iterable[int]:
    if operation.body is not None:
        yield from (400, 408, 413, 415)
    if operation.access != "everyone":
        yield 401
    yield 503


def _describe_response(answer: Answer, schemas: _Schemas) -> Json:
    content: Json = {media: {"schema": schema} for media, schema in answer.media.items()}
    if answer.shape is not None:
        content[JSON] = {"schema": schemas.of(answer.shape)}
    return {"description": answer.description, "content": content}


class ApiDocument:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/v1/openapi.json", self.show)]

    async def show(self, _: web.Request) -> web.Response:
        return web.Response(body=self._document, content_type="application/json")

    @cached_property
    def _document(self) -> bytes:
        return msgspec.json.encode(make_document(OPERATIONS, self._settings.base_url))

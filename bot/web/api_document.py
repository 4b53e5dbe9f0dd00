"""`GET /api/v1/openapi.json`: the document of the HTTP API, made from its operations.

Format: https://spec.openapis.org/oas/v3.1.1.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final

import msgspec
from aiohttp import web

from bot.settings import Settings
from bot.web.api_operations import (
    JSON,
    OPERATIONS,
    REFUSALS,
    Access,
    Answer,
    ErrorAnswer,
    OpenAIErrorAnswer,
    Operation,
)

Json = dict[str, Any]
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
        yield from (400, 413)
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

"""How a route is described."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import msgspec

Access = Literal["everyone", "guests", "people", "operators"]
"""Who may ask: anyone; a guest or the bearer of a token; only such a bearer; only operators."""
JSON: Final = "application/json"


class Error(msgspec.Struct, frozen=True):
    code: str
    """Stable, in snake_case."""
    message: str
    """For people, in their language."""


class ErrorAnswer(msgspec.Struct, frozen=True):
    error: Error


class OpenAIError(msgspec.Struct, frozen=True):
    message: str
    type: str
    param: str | None
    code: str | None


class OpenAIErrorAnswer(msgspec.Struct, frozen=True):
    """As https://platform.openai.com/docs/guides/error-codes has it."""

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
    """Statuses of errors; those that every route of its kind has are added."""
    access: Access = "guests"
    body: Any = None
    """The struct that is read as JSON, if one is."""
    form: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The schema of a `multipart/form-data` body that is read instead, if one is."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Optional headers and what they do."""

    @property
    def is_openai(self) -> bool:
        return self.path.startswith("/v1/")


REFUSALS: Final[Mapping[int, str]] = {
    400: "The request is not as described here.",
    401: "The token is not valid.",
    402: "No credits are left.",
    403: "Not yours, or tampered with.",
    404: "There is no such thing, or it is someone else's.",
    409: "A turn is running there, or it was answered already.",
    410: "It has expired.",
    413: "The request is larger than is taken: 1 MiB of JSON, unless more is said.",
    429: "Too much, too fast, or used up. `Retry-After` says when to come back.",
    500: "The turn failed; it is free.",
    503: "A part of Griot cannot be reached just now.",
}

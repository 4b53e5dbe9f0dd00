"""What a tool is, and all that it may touch."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from bot.events import Emit
from bot.messages import Mode, Outgoing, Person, QuizKind, ShareFile
from bot.settings import Settings

Effect = Literal["read", "repeatable", "once"]
A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Quiz:
    """A quiz with its answer, as a tool hands it to the server; the answer stays there."""

    kind: QuizKind
    question: str
    options: tuple[str, ...]
    correct_index: int
    explanation: str


class QuizBoard(Protocol):
    async def ask(self, quiz: Quiz, context: ToolContext) -> Outgoing:
        """Keep the quiz, and give what is to be shown. The same `context.key` keeps it once."""
        ...


class MemoryStore(Protocol):
    async def save(self, account: int, fact: str) -> None:
        """Remember a fact (a fact known already is not kept twice). Raises `ToolFailed`: full."""
        ...

    async def facts(self, account: int) -> list[str]: ...


class FileStore(Protocol):
    async def save(
        self, account: int, filename: str, content: bytes, *, mime_type: str, source: str, key: str
    ) -> ShareFile:
        """Keep a file; the same `key` keeps it once. Raises `ToolFailed`: quota."""
        ...

    async def read(self, file_id: str) -> bytes:
        """Raises `NotFound`."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """What tools may touch. Each checks for itself that an account reaches only its own."""

    files: FileStore
    memory: MemoryStore
    quizzes: QuizBoard


@dataclass(frozen=True, slots=True)
class ToolContext:
    """All that one tool call may know and touch; new for each call."""

    person: Person
    account: int
    """The person's account: a guest never reaches a tool."""
    lane: str
    turn: int
    call_id: str
    key: str
    """Idempotency key: the same when the call is repeated after a crash."""
    settings: Settings
    services: Services
    emit: Emit
    deliver: Callable[[Outgoing], None]
    """Send this to the person when the turn ends."""


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool: its arguments, its function, and who may run it, for how long and how much.

    File, function and tool share one name. The description for the model is the docstring of the
    arguments' class; the schema is derived from its fields.
    """

    arguments: type[A]
    function: Callable[[A, ToolContext], Awaitable[str]]
    modes: frozenset[Mode] | set[Mode]
    effect: Effect
    timeout: float = 60.0
    """Seconds; `TOOL_TIMEOUT` is an upper bound on it."""
    max_result: int = 16_000
    """Characters of the result that reach the model."""
    always_offered: bool = False
    shows_arguments: bool = False
    """Its arguments are worth showing while they stream (documents)."""
    label: str = ""
    """What a person sees while it runs, in English, to be translated: `Searching the web…`."""
    detail: Callable[[A], str] = field(default=lambda _: "")
    """What a person sees beside the label, for instance the query."""

    @cached_property
    def name(self) -> str:
        return self.function.__name__

    @cached_property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            name=self.name,
            description=" ".join((self.arguments.__doc__ or "").split()),
            parameters=_schema(self.arguments),
            shows_arguments=self.shows_arguments,
        )


@dataclass(frozen=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON schema of the arguments."""
    shows_arguments: bool = False

    @cached_property
    def encoded(self) -> bytes:
        """The `tools[]` entry of a chat completion request, as JSON, encoded once."""
        return msgspec.json.encode(
            {
                "type": "function",
                "function": {
                    "name": self.name,
                    "description": self.description,
                    "parameters": self.parameters,
                },
            }
        )


class _Untitled(GenerateJsonSchema):
    """Leaves out what only costs tokens: titles, and the class's own docstring."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 (pydantic calls it so)
        return False


def _schema(arguments: type[BaseModel]) -> dict[str, Any]:
    schema = arguments.model_json_schema(schema_generator=_Untitled)
    return {key: value for key, value in schema.items() if key not in {"title", "description"}}


TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What OpenAI-compatible endpoints accept as a tool's name."""

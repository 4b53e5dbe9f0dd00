"""What Griot asks of its parts: a database, a momentary store, a channel, a model, a tool.

Only Protocols and the small values that cross them. Whoever implements one lives further up and is
put together with the rest in `bot/main.py`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from bot.events import Emit
from bot.messages import (
    Attachment,
    Channel,
    Delivery,
    Message,
    Mode,
    ModelReply,
    Outgoing,
    Person,
    Preview,
    QuizKind,
    Receipt,
    Sent,
    ShareFile,
    ToolResult,
    Update,
)
from bot.settings import Settings

T = TypeVar("T")
Clock = Callable[[], float]
"""Unix seconds."""


# Database ---------------------------------------------------------------------------------------

Row = Any
"""A result row: `row["column"]` or `row[0]` (sqlite3.Row, asyncpg.Record)."""


Listener = Callable[[str, bool], None]
"""Hears of a lane that has work, and whether it is urgent."""


class Transaction(Protocol):
    """One open transaction. SQL names its parameters `:name`; see `bot/storage/sql.py`."""

    async def fetch(self, sql: str, **values: Any) -> list[Row]: ...

    async def fetch_one(self, sql: str, **values: Any) -> Row | None: ...

    async def execute(self, sql: str, **values: Any) -> int:
        """Run it; how many rows it changed."""
        ...

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None: ...

    async def announce(self, lane: str, *, urgent: bool = False) -> None:
        """Once this transaction is durable, wake whoever has `lane`, or may take it.

        `urgent`: something in it is to be handled beside a running turn.
        """
        ...


class Database(Protocol):
    """The one place where anything durable is written.

    A function given to `write` or `read` awaits nothing but its transaction, and may be run again
    if the database asks for that (a lost connection, a deadlock), so it has no other effect.
    """

    async def write(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run `work` in a transaction; when this returns, it is durable."""
        ...

    async def run(self, sql: str, **values: Any) -> list[Row]:
        """Run one statement that is a transaction of its own; it may be run again, like work."""
        ...

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run `work` on one consistent snapshot."""
        ...

    def listen(self, listener: Listener) -> None:
        """Call `listener(lane, urgent)` in the event loop for each announcement, of this process
        at once and of others soon; one may get lost, so look now and then as well."""
        ...

    async def close(self) -> None: ...


# Momentary store --------------------------------------------------------------------------------


class Momentary(Protocol):
    """State that may be lost: live events, counters, short locks. Redis, or its twin in memory.

    Whatever is awaited raises `ConnectionError` when the store cannot be reached.
    """

    shared: bool
    """Whether other processes see it."""

    def publish(self, topic: str, payload: bytes) -> None:
        """Send to all current subscribers, in order for one publisher; never blocks or raises."""
        ...

    def subscribe(self, topic: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Payloads published on `topic` from the moment the context is entered."""
        ...

    async def count(self, key: str, seconds: float) -> int:
        """Add one to a counter that starts anew `seconds` after its first use; its value."""
        ...

    async def reserve(self, key: str, *, rate: float, burst: int) -> float:
        """Take one place in a queue of `rate` a second; how many seconds to wait for it."""
        ...

    async def lock(self, key: str, owner: str, seconds: float) -> bool:
        """Take the lock, or renew it if `owner` has it; False if someone else does."""
        ...

    async def unlock(self, key: str, owner: str) -> None:
        """Give the lock back if `owner` has it."""
        ...

    async def put(self, key: str, value: bytes, seconds: float) -> None: ...

    async def get(self, key: str) -> bytes | None: ...

    async def delete(self, key: str) -> None: ...

    async def ping(self) -> None:
        """Raises `ConnectionError` when the store cannot be reached."""
        ...

    async def close(self) -> None: ...


class Blobs(Protocol):
    """Bytes by key: a folder or an S3-compatible store."""

    async def put(self, key: str, content: bytes, mime_type: str) -> None: ...

    async def get(self, key: str) -> bytes:
        """Raises `NotFound`."""
        ...

    async def delete(self, key: str) -> None:
        """Deleting what is not there is fine."""
        ...


# Channels ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Webhook:
    """An HTTP request as it came, before anything in it is believed."""

    method: str
    path: str
    """Raw path and query, as received."""
    headers: Mapping[str, str]
    """Case-insensitive."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Facts of a channel that rendering and delivery decide by."""

    max_text: int
    """Length limit of one message, in `text_unit`s."""
    text_unit: Literal["utf16", "characters"] = "characters"
    markup: Literal["entities", "markers", "plain", "markdown"] = "plain"
    max_caption: int = 0
    max_buttons: int = 0
    """0: options are numbered lines in the text."""
    max_button_label: int = 20
    max_file: int = 0
    """Bytes; a larger file is sent as a link. 0: files are always links."""
    streams: bool = False
    """Someone may watch the turn's events live (HTTP, console)."""
    drafts: bool = False
    """The growing answer can be shown in private conversations."""
    typing: float = 0.0
    """Seconds that one typing indicator lasts; 0: the channel has none."""
    resend: Literal["never", "safe"] = "never"
    """What to do with a delivery in doubt: `safe` if the provider cannot show it twice."""


class Adapter(Protocol):
    """One channel by one provider: it translates, and decides nothing."""

    name: str
    channel: Channel
    capabilities: Capabilities

    def verify(self, webhook: Webhook) -> None:
        """Raises `Refused` unless the request is authentic. Nothing is parsed before."""
        ...

    def parse(self, webhook: Webhook) -> Sequence[Update | Receipt]:
        """What the request holds; unknown kinds are left out. Raises `BadRequest` (malformed)."""
        ...

    async def fetch(self, attachment: Attachment) -> bytes:
        """The attachment's bytes. Raises `NotFound` (gone) or `TooLarge`."""
        ...

    async def deliver(self, delivery: Delivery) -> Sent:
        """Send it. Raises `RetryAt`, `Undeliverable` or `OutcomeUnknown`; nothing else."""
        ...

    async def show(self, preview: Preview) -> None:
        """Typing or draft; best effort: raises `RetryAt` when asked to slow down, else nothing."""
        ...

    async def close(self) -> None: ...


# Models -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. The stable part comes first so that providers' prompt caches hit."""

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()
    tool_choice: Literal["auto", "none"] = "auto"
    model: str = ""
    """Empty: the configured `MODEL`."""
    seconds: float = 120.0
    """Time for the whole call, retries and fallbacks included."""
    person: str = ""
    """A stable opaque id of the person, for providers that want one."""


class Model(Protocol):
    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        """Ask, and report `Content`, `Thinking` and `ToolProgress` (arguments) while it answers.

        Raises:
            ModelUnavailable: nothing was shown and no endpoint answered.
            ModelRefused: the request itself is wrong.
            StreamBroken: it broke after something was shown.
            TimeoutError: `request.seconds` passed before anything was shown.
        """
        ...

    async def close(self) -> None: ...


# Tools ------------------------------------------------------------------------------------------

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


# Turns ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finished:
    """A tool call that ended: its result, and what it wants said to the person."""

    result: ToolResult
    outgoing: tuple[Outgoing, ...] = ()


class Journal(Protocol):
    """Where a turn records what it did, durably, before it goes on.

    Each method raises `LeaseLost` when the turn belongs to another process by now.
    """

    async def replied(self, reply: ModelReply) -> None: ...

    async def intends(self, key: str, name: str) -> bool:
        """A tool of effect `once` is about to run; False if that was noted before: it may have."""
        ...

    async def finished(self, results: Sequence[Finished]) -> None: ...

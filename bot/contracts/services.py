"""All that a tool may touch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.contracts.journal import Spent
from bot.events import Emit
from bot.messages import Outgoing, Person, QuizKind, ShareFile
from bot.settings import Settings


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


class Workshop(Protocol):
    async def run(self, program: str, request: bytes, *, seconds: float = 30.0) -> bytes:
        """What `serve(request)` of our module `program` returns, in a process that may be killed.

        Raises `ToolFailed`: the program refuses the request, or goes beyond its limits."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """What tools may touch. Each checks for itself that an account reaches only its own."""

    files: FileStore
    memory: MemoryStore
    quizzes: QuizBoard
    approvals: ApprovalDesk
    workshop: Workshop


@dataclass(frozen=True, slots=True)
class Budget:
    """What may still be used; 0 means nothing."""

    seconds: float
    usd: float
    tool_calls: int
    depth: int
    """How many delegates may still stand one behind the other."""


class ApprovalDesk(Protocol):
    """Keeps what waits for a person's consent, in a conversation's lane."""

    async def begin_plan(self, context: ToolContext) -> None:
        """From now on only tools that read may run in the lane, until a plan is decided on."""
        ...

    async def is_planning(self, lane: str) -> bool: ...

    async def ask_for_plan(self, plan: str, context: ToolContext) -> Outgoing:
        """Keep the plan, and give what asks for consent to it. Raises `ToolFailed`: no plan was
        begun."""
        ...


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
    show: Callable[[str], None]
    """The last lines of what runs, for whoever watches."""
    left: Budget
    """What the turn may still use."""
    spend: Callable[[Spent], None]
    """Count what models have cost for this call."""

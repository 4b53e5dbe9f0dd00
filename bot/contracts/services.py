"""All that a tool may touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.contracts.journal import Spent
from bot.events import Emit
from bot.messages import Channel, Outgoing, Person, QuizKind, ShareFile
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

    async def share(self, account: int, file_id: str) -> ShareFile:
        """A file of this account, to be delivered. Raises `ToolFailed`: it has none of this id."""
        ...


class Courier(Protocol):
    async def send(
        self, channel: Channel, outgoing: Sequence[Outgoing], context: ToolContext
    ) -> None:
        """Have this said at the person's own number, once a `context.key`. Raises `ToolFailed`."""
        ...


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a person's library, as a list shows it."""

    file_id: str
    filename: str
    kind: str
    """`image`, `pdf`, `document`, `spreadsheet`, `presentation`, `text`, `audio`, `other`."""
    size: int
    """Bytes."""
    created_at: float
    """Unix seconds."""


@dataclass(frozen=True, slots=True)
class FileText:
    """A part of what is written in a file."""

    filename: str
    text: str
    """At most 7,500 characters."""
    part: int
    """From 1."""
    parts: int
    is_cut: bool
    """The file is longer than all parts together."""


@dataclass(frozen=True, slots=True)
class FileHit:
    """Where in a person's files something is written."""

    file_id: str
    filename: str
    place: str
    """`page 3`; empty where the file has no such parts."""
    part: int
    """Of the file's text, where more stands around it."""
    snippet: str
    """At most 500 characters."""


@dataclass(frozen=True, slots=True)
class FileHits:
    """What a search found, the best first."""

    hits: tuple[FileHit, ...]
    unsearched: int
    """Files whose text is not searched yet, or cannot be for want of room."""


class Library(FileStore, Protocol):
    """A person's files and what is written in them. Another account's files are as unknown as
    those that nobody has."""

    async def listing(self, account: int, kind: str, limit: int) -> list[StoredFile]:
        """The newest files, newest first; an empty `kind` is any."""
        ...

    async def text(
        self, account: int, file_id: str, part: int, spend: Callable[[Spent], None]
    ) -> FileText:
        """A part of a file's text. Raises `ToolFailed`: no such file, or it cannot be read."""
        ...

    async def search(
        self, account: int, query: str, limit: int, spend: Callable[[Spent], None]
    ) -> FileHits:
        """Where the files say what is asked for. Some that were never read are read first."""
        ...


class Workshop(Protocol):
    async def run(self, program: str, request: bytes, *, seconds: float = 30.0) -> bytes:
        """What `serve(request)` of our module `program` returns, in a process that may be killed.

        Raises `ToolFailed`: the program refuses the request, or goes beyond its limits."""
        ...


Priority = Literal["low", "normal", "high"]
RemindBy = Literal["sms", "whatsapp", "telegram", "email"]


@dataclass(frozen=True, slots=True)
class ExerciseScore:
    """All results of a person in one subject."""

    subject: str
    """Folded: the same for all ways of writing it."""
    answered: int
    correct: int


class ExerciseBook(Protocol):
    async def report(
        self, subject: str, *, correct: bool, topic: str, context: ToolContext
    ) -> ExerciseScore:
        """Keep the result of an exercise; the score with it. The same `context.key` keeps it once.

        Raises `ToolFailed`: the subject is not readable."""
        ...


@dataclass(frozen=True, slots=True)
class Bonus:
    """Credits that were given."""

    credits: int
    left_today: int


class BonusDesk(Protocol):
    async def award(self, amount: int, context: ToolContext) -> Bonus:
        """Book credits, or what the day still allows of them. The same `context.key` books once.

        Raises `ToolFailed`: nothing more today."""
        ...


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task as a model writes it down; texts are cleaned when it is kept."""

    title: str
    priority: Priority = "normal"
    due_at: float | None = None
    """Unix seconds."""
    tags: tuple[str, ...] = ()
    remind_by: RemindBy | None = None
    """None: in the conversation in which it was asked for."""


class TaskBoard(Protocol):
    async def add(self, task: NewTask, context: ToolContext) -> int:
        """Keep a task; its number. The same `context.key` keeps it once.

        Raises `ToolFailed`: due in the past or much too late, no title, or too many open tasks."""
        ...


Stopped = Literal["time", "output", "memory", "shutdown"]
"""Why a command was stopped: it took too long, said too much, left too little memory to others, or
Griot itself stops."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command in the sandbox ended."""

    output: str
    """What it said on stdout and stderr: at most 3,800 characters, its beginning and its end."""
    status: int | None
    """Its exit status as a shell tells it; None: it was stopped."""
    stopped: Stopped | None
    seconds: float
    """How long it ran."""


class Sandbox(Protocol):
    """Runs shell commands shut in: no network, no files of ours, nothing left afterwards."""

    async def why_closed(self) -> str:
        """Why no command can run here, for operators; empty: they can."""
        ...

    async def run(self, command: str, *, seconds: float, show: Callable[[str], None]) -> Outcome:
        """Run a command for at most `seconds`, and show what it says meanwhile.

        Raises `ToolFailed`: nothing ran (closed, busy, not a command)."""
        ...

    async def start(self, command: str, *, lane: str, key: str) -> str:
        """Run a command in the background, one a lane, and return its id; its end is reported to
        whoever made the sandbox. The same `key` starts it once while it runs.

        Raises `ToolFailed`: nothing was started."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """What tools may touch. Each checks for itself that an account reaches only its own."""

    files: Library
    memory: MemoryStore
    quizzes: QuizBoard
    approvals: ApprovalDesk
    workshop: Workshop
    exercises: ExerciseBook
    bonuses: BonusDesk
    tasks: TaskBoard
    sandbox: Sandbox
    courier: Courier


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

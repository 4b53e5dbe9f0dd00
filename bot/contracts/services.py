"""The services that a tool may use, as protocols, and the values that they exchange."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.contracts.turn import Spent
from bot.events import Emit
from bot.messages.channels import Channel, PushChannel
from bot.messages.incoming import Person
from bot.messages.outgoing import Outgoing, ShareFile
from bot.messages.value import ExerciseKind, QuizKind
from bot.settings import Settings


class MemoryStore(Protocol):
    async def save(self, account: int, fact: str) -> None:
        """Remember a fact (a fact known already is not kept twice). Raises `ToolFailed`: full."""
        ...


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a person's library, in a list."""

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
    """One part of the text of a file."""

    filename: str
    text: str
    """At most 7,500 characters."""
    part: int
    """From 1."""
    parts: int
    is_cut: bool
    """The file's text is longer than all parts together."""


@dataclass(frozen=True, slots=True)
class FileHit:
    """A passage in one of a person's files that matches a search."""

    file_id: str
    filename: str
    place: str
    """`page 3`; empty where the file has no such parts."""
    part: int
    """The part of the file's text (`FileText.part`) that holds the passage."""
    snippet: str
    """At most 500 characters."""


@dataclass(frozen=True, slots=True)
class FileHits:
    """The results of a search, the best first."""

    hits: tuple[FileHit, ...]
    unsearched: int
    """How many files are not searched: their text is not read yet, or there is no space for it."""


class Library(Protocol):
    """A person's files and the text in them. Another account's files are treated like files that do
    not exist."""

    async def save(
        self, account: int, filename: str, content: bytes, *, mime_type: str, source: str, key: str
    ) -> ShareFile:
        """Keep a file; the same `key` keeps it once. Raises `ToolFailed`: quota."""
        ...

    async def read(self, file_id: str) -> bytes:
        """Return the bytes of a file. Raises `NotFound`."""
        ...

    async def share(self, account: int, file_id: str) -> ShareFile:
        """Return a file of this account, to be delivered. Raises `ToolFailed`: the account has no
        file of this id."""
        ...

    async def listing(self, account: int, kind: str, limit: int) -> list[StoredFile]:
        """Return the newest files, newest first; an empty `kind` is any."""
        ...

    async def text(
        self, account: int, file_id: str, part: int, spend: Callable[[Spent], None]
    ) -> FileText:
        """Return a part of a file's text. Raises `ToolFailed`: no such file, or it cannot be
        read."""
        ...

    async def search(
        self, account: int, query: str, limit: int, spend: Callable[[Spent], None]
    ) -> FileHits:
        """Return the passages that match a query. Some of the files never read are read first."""
        ...


@dataclass(frozen=True, slots=True)
class Quiz:
    """A quiz with its answer, as a tool hands it to the server; the answer stays there."""

    kind: QuizKind
    question: str
    options: tuple[str, ...]
    correct_index: int
    explanation: str
    skill: str = ""
    """The skill that it practises, in words or as an id of the map of skills."""


@dataclass(frozen=True, slots=True)
class GivenExercise:
    """An exercise with its solution, as a tool hands it to the server; the solution stays there."""

    statement: str
    kind: ExerciseKind
    solutions: tuple[str, ...]
    """At least one; each of them is right. For a choice, the text of the right option."""
    unit: str = ""
    tolerance: float = 0.0
    options: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    skill: str = ""


class ExerciseService(Protocol):
    async def give(self, exercise: GivenExercise, context: ToolContext) -> Outgoing:
        """Store the exercise and return the message that asks it, once per `context.key`.

        Raises `ToolFailed`: its solution is wrong, or stands in the statement."""
        ...


class PracticeService(Protocol):
    async def start_series(self, skill: str, count: int, context: ToolContext) -> Outgoing:
        """Begin a series of generated exercises, once per `context.key`; return the first one.

        Args:
            skill: an id or a name; empty: the skill that the person should practise next.

        Raises `ToolFailed`: the skill has no such exercises; the message names the nearest ones."""
        ...


class QuizService(Protocol):
    async def ask(self, quiz: Quiz, context: ToolContext) -> Outgoing:
        """Store the quiz and return the message that asks it, once per `context.key`.

        Raises `ToolFailed`: its answer is wrong, or not the only right one."""
        ...


class Notifier(Protocol):
    async def send(
        self, channel: Channel, outgoing: Sequence[Outgoing], context: ToolContext
    ) -> bool:
        """Send this to the person's own number, once per `context.key`. Return whether it waits
        until they write there. Raises `ToolFailed`."""
        ...

    async def is_number_known(self, account: int) -> bool:
        """Return whether the person's phone number is known, without which they get no SMS."""
        ...

    async def accepts_notices(self, person: Person) -> bool:
        """Return whether the person may be sent reminders where they write from: they have not
        said that they want none there."""
        ...

    async def explain_refusals(self, account: int) -> Mapping[RemindBy, str]:
        """Return, for each way of reminding, why it does not reach the person: a sentence for the
        model; empty: it does, by SMS perhaps once their number is known."""
        ...


Priority = Literal["low", "normal", "high"]
"""Of a task, or of a reported fault."""
RemindBy = Literal[PushChannel, "email"]


@dataclass(frozen=True, slots=True)
class ExerciseScore:
    """The totals of a person's results in one subject."""

    subject: str
    """The subject folded, so that all spellings of it are the same."""
    answered: int
    correct: int


class ResultService(Protocol):
    async def report(
        self, subject: str, *, correct: bool, topic: str, context: ToolContext
    ) -> ExerciseScore:
        """Store the result of an exercise, once per `context.key`, and return the score with it.

        Raises `ToolFailed`: the subject is not readable."""
        ...


@dataclass(frozen=True, slots=True)
class Bonus:
    """Credits that were given."""

    credits: int
    left_today: int


class BonusService(Protocol):
    async def award(self, amount: int, context: ToolContext) -> Bonus:
        """Book credits, or as many as the day still allows, once per `context.key`.

        Raises `ToolFailed`: the day allows no more."""
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
    """The channel of the reminder; None: the conversation in which it was asked for."""


class TaskService(Protocol):
    async def add(self, task: NewTask, context: ToolContext) -> int:
        """Store a task, once per `context.key`, and return its number.

        Raises `ToolFailed`: due in the past or much too late, no title, or too many open tasks."""
        ...


class EmailService(Protocol):
    """Sends e-mails, each once, however often the process dies on the way.

    Each method raises `ToolFailed` when no mail is set up here, a file is not the person's own,
    or a limit is reached.
    """

    async def send_to_person(self, email: Email, context: ToolContext) -> None:
        """Send an e-mail to the person's own proven address, once per `context.key`.

        Raises `ToolFailed`: they have proven none."""
        ...

    async def draft(self, email: Email, to: Sequence[str], context: ToolContext) -> Outgoing:
        """Store an e-mail, once per `context.key`, and return the message that asks for consent;
        after consent it is sent as it was shown.

        Raises `ToolFailed`: an address is invalid, or something else waits for consent already."""
        ...


class Reporter(Protocol):
    """Who reports a fault, and where: a tool's call, for one."""

    @property
    def person(self) -> Person: ...
    @property
    def account(self) -> int: ...
    @property
    def lane(self) -> str: ...
    @property
    def turn(self) -> int: ...
    @property
    def key(self) -> str: ...


class ReportService(Protocol):
    async def file(self, description: str, severity: Priority, context: Reporter) -> None:
        """Store a report of a fault, once per `context.key`, and notify the operators.

        Raises `ToolFailed`: the person has reported enough for one day."""
        ...


class CreditShop(Protocol):
    async def offer(self, pack: str, context: ToolContext) -> Outgoing:
        """Return a message with the page to pay `pack` on, or with the ways to pay it as buttons;
        with all packs, if `pack` is empty.

        Raises `ToolFailed`: nothing can be bought here, or there is no such pack."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """The services that tools may use. Each checks that an account reaches only its own data."""

    files: Library
    memory: MemoryStore
    quizzes: QuizService
    exercises: ExerciseService
    practice: PracticeService
    approvals: ApprovalService
    isolated_worker: IsolatedWorker
    results: ResultService
    bonuses: BonusService
    tasks: TaskService
    shop: CreditShop
    sandbox: Sandbox
    notifier: Notifier
    mail: EmailService
    reports: ReportService


@dataclass(frozen=True, slots=True)
class Budget:
    """What a turn may still use; 0 means nothing."""

    seconds: float
    usd: float
    tool_calls: int
    depth: int
    """How many levels of delegates may still be nested."""


class ApprovalService(Protocol):
    """Stores what waits for a person's consent, in a conversation's lane."""

    async def begin_plan(self, context: ToolContext) -> None:
        """Let only tools that read run in the lane from now on, until a plan is decided on."""
        ...

    async def is_planning(self, lane: str) -> bool: ...

    async def ask_for_plan(self, plan: str, context: ToolContext) -> Outgoing:
        """Store the plan and return the message that asks for consent to it. Raises `ToolFailed`:
        no plan was begun."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Everything that one tool call may know and use; new for each call."""

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
    """Show the last lines of a running command's output to people who watch the turn."""
    left: Budget
    """What the turn may still use."""
    spend: Callable[[Spent], None]
    """Count what models have cost for this call."""
    may_open: Callable[..., bool]
    """Return whether an address on the web may be opened (`Turn.may_open`)."""
    has_read_strangers: bool = False
    """As of the turn (`Turn.has_read_strangers`), before the reply with this call."""


@dataclass(frozen=True, slots=True)
class Email:
    """An e-mail as a tool writes it; it is cleaned and limited when it is kept."""

    subject: str
    text: str
    """Plain, or Markdown."""
    html: str = ""
    """Empty: made of `text`."""
    attachments: tuple[str, ...] = ()
    """Ids of the person's own files."""


class IsolatedWorker(Protocol):
    async def run(
        self, program: str, request: bytes, *, seconds: float = 30.0, online: bool = False
    ) -> bytes:
        """Run `serve(request)` of our module `program` in a process that may be killed, and return
        its result. Where the kernel can refuse the network, it has it only if it is `online`.

        Raises `ToolFailed`: the program refuses the request, or goes beyond its limits."""
        ...


StopReason = Literal["time", "output", "memory", "shutdown", "lost"]
"""Why a command was stopped: it took too long, printed too much, left too little memory to others,
Griot itself stops, or it was lost with the process that ran it."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command in the sandbox ended."""

    output: str
    """Its stdout and stderr: at most 3,800 characters, of the beginning and the end."""
    status: int | None
    """Its exit status as a shell reports it; None: it was stopped."""
    stopped: StopReason | None
    seconds: float
    """How long it ran."""


class Sandbox(Protocol):
    """Runs shell commands in isolation: no network, none of our files, nothing left afterwards."""

    async def why_closed(self) -> str:
        """Return the reason why no command can run here, for operators; empty: commands can run."""
        ...

    async def run(
        self, command: str, *, seconds: float, show: Callable[[str], None]
    ) -> CommandResult:
        """Run a command for at most `seconds`, and show its output meanwhile.

        Raises `ToolFailed`: nothing ran (closed, busy, not a command)."""
        ...

    async def start(self, command: str, *, lane: str, key: str) -> str:
        """Run a command in the background, one per lane, and return its id; its end is reported to
        the function given to the sandbox. The same `key` starts it once while it runs.

        Raises `ToolFailed`: nothing was started."""
        ...

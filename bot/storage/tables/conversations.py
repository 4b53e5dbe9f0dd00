"""Define the tables of conversations: lanes, updates, turns, deliveries, e-mails, workers."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index
from sqlalchemy import UniqueConstraint as Unique
from sqlalchemy import text as where
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import CLUSTERED, number, serial, text, time


class Lane(SQLModel, table=True):
    """A queue whose work must happen in order: one per conversation, job or reminder."""

    __table_args__ = (
        Index(
            "lane_due",
            "due_at",
            postgresql_where=where("due_at IS NOT NULL"),
            sqlite_where=where("due_at IS NOT NULL"),
        ),
        Index(
            "lane_owner",
            "owner",
            postgresql_where=where("owner IS NOT NULL"),
            sqlite_where=where("owner IS NOT NULL"),
        ),
        Index(
            "lane_moved",
            "moved_to",
            postgresql_where=where("moved_to IS NOT NULL"),
            sqlite_where=where("moved_to IS NOT NULL"),
        ),
        Index(
            "lane_thread",
            "thread",
            postgresql_where=where("thread IS NOT NULL"),
            sqlite_where=where("thread IS NOT NULL"),
        ),
        Index(
            "lane_erased",
            "erased",
            postgresql_where=where("erased = 1"),
            sqlite_where=where("erased = 1"),
        ),
        CLUSTERED,
    )
    id: str = Field(sa_column=text(key=True))
    via: str = Field(sa_column=text(default=""))
    """The adapter that received the last update, and sends the replies."""
    owner: str | None = Field(sa_column=text(null=True))
    """The process that has the lease, if any."""
    fence: int = Field(sa_column=number(default=0))
    """Grows with every claim; a write made under an older number is refused."""
    due_at: float | None = Field(sa_column=time(null=True))
    """When a worker must look next: work is ready, or a lease ends. NULL: nothing to do."""
    history_from: int = Field(sa_column=number(default=0))
    """Turns before this one are forgotten (/new)."""
    reachable: int = Field(sa_column=number(default=1))
    opted_out: int = Field(sa_column=number(default=0))
    """1: nothing may be sent before the person consents anew."""
    notices_off: int = Field(sa_column=number(default=0))
    """1: only answers are sent, as the person opted out on another channel of this number."""
    moved_to: str | None = Field(sa_column=text(null=True))
    """The name of the lane, by the conversation's new id or the person's new number, to which
    messages are sent now; NULL: to this lane's own."""
    person_wrote_at: float = Field(sa_column=Column(Double, nullable=False, server_default="0"))
    """When the person last wrote: the window for free text begins here."""
    window_closed: int = Field(sa_column=number(default=0))
    """1: deliveries wait for the person's next message, which opens the provider's window."""
    plain_until: float = Field(sa_column=Column(Double, nullable=False, server_default="0"))
    """When rich messages may be sent again, as the provider refused one."""
    open_question: str = Field(sa_column=text(default=""))
    """The options offered last, as JSON, so that a typed answer can stand for a button."""
    open_exercise: str = Field(sa_column=text(default=""))
    """The exercise that was asked last, as JSON, so that an answer to it is recognised."""
    asked_since: int = Field(sa_column=number(default=0))
    """1: another question was asked, in words, since the open exercise was."""
    thread: str | None = Field(sa_column=text(null=True))
    """The lane that holds `history_from` and `summarised` for all conversations of one person,
    which share their history; NULL: this one."""
    expected_input: str = Field(sa_column=text(default=""))
    """What a plain message is read as: number, code."""
    erased: int = Field(sa_column=number(default=0))
    """1: its person is erased; the lane is deleted too, once its last message is delivered."""
    summarised: int = Field(sa_column=number(default=-1))
    """The last turn that the summary covers, and whose journal holds the summary. -1: none."""


class Inbox(SQLModel, table=True):
    """Every update that was accepted, once."""

    __table_args__ = (
        Unique("lane", "delivery_key"),
        Unique("lane", "message_key"),
        Index(
            "inbox_pending",
            "lane",
            "seq",
            postgresql_where=where("state = 'pending'"),
            sqlite_where=where("state = 'pending'"),
        ),
        Index(
            "inbox_request",
            "request_key",
            postgresql_where=where("request_key IS NOT NULL"),
            sqlite_where=where("request_key IS NOT NULL"),
        ),
        {"sqlite_autoincrement": True},
    )
    seq: int = Field(sa_column=serial())
    lane: str = Field(sa_column=text())
    delivery_key: str = Field(sa_column=text())
    message_key: str = Field(sa_column=text())
    body: str = Field(sa_column=text())
    bypass_queue: int = Field(sa_column=number(default=0))
    """1: never waits for a running turn (a tap, a command that only reads, /stop)."""
    mergeable: int = Field(sa_column=number(default=0))
    """1: may be joined into one turn with what the same person writes right after it."""
    ready_at: float = Field(sa_column=time())
    aside: int = Field(sa_column=number(default=0))
    """1: its turn waits for its next try, and updates stored after it may go first."""
    turn: int | None = Field(sa_column=number(null=True))
    """The turn that took it."""
    state: str = Field(sa_column=text(default="pending"))
    """pending, done, dead."""
    stored_at: float = Field(sa_column=time())
    request_key: str | None = Field(sa_column=text(null=True))
    """A hash of the HTTP request that brought it and of its `Idempotency-Key`, by which the same
    request finds its turn when it is sent again."""


class Unreadable(SQLModel, table=True):
    """A message that an adapter could not read, kept for operators."""

    id: int = Field(sa_column=serial())
    digest: str = Field(sa_column=text(unique=True))
    """Hash of the message, which is stored only once."""
    channel: str = Field(sa_column=text())
    via: str = Field(sa_column=text())
    reason: str = Field(sa_column=text())
    """sender, kind, shape, recipient."""
    payload: str = Field(sa_column=text())
    at: float = Field(sa_column=time())


class Turn(SQLModel, table=True):
    """One or more joined updates and all we do about them; named by its first update's seq."""

    __table_args__ = (
        Index("turn_account", "account", "started_at"),
        Index(
            "turn_open",
            "state",
            "lane",
            postgresql_where=where("state IN ('running', 'dead')"),
            sqlite_where=where("state IN ('running', 'dead')"),
        ),
        CLUSTERED,
    )
    lane: str = Field(sa_column=text(key=True))
    id: int = Field(sa_column=number(key=True))
    account: int | None = Field(sa_column=number(null=True))
    state: str = Field(sa_column=text(default="running"))
    """running, done, dead."""
    attempts: int = Field(sa_column=number(default=0))
    """How often the turn was begun."""
    failures: int = Field(sa_column=number(default=0))
    """How many of these tries failed; the others were interrupted."""
    deaths: int = Field(sa_column=number(default=0))
    """How many tries in a row ended with their process, before they added a row to the journal."""
    steps: int = Field(sa_column=number(default=0))
    """Rows that its journal had when the turn was begun last."""
    worker: str = Field(sa_column=text(default=""))
    """The owner of the lane that works on it now, or died doing so; empty: none."""
    seconds_used: float = Field(sa_column=Column(Double, nullable=False, server_default="0"))
    """Seconds of its time limit used by failed tries and the pauses after them."""
    reserved: int = Field(sa_column=number(default=0))
    """Credits held back until the turn ends."""
    reason: str = Field(sa_column=text(default=""))
    error: str = Field(sa_column=text(default=""))
    """The last failure, for operators."""
    input_tokens: int = Field(sa_column=number(default=0))
    output_tokens: int = Field(sa_column=number(default=0))
    usd: float = Field(sa_column=Column(Double, nullable=False, server_default="0"))
    credits: int = Field(sa_column=number(default=0))
    started_at: float = Field(sa_column=time())
    ended_at: float | None = Field(sa_column=time(null=True))


class Journal(SQLModel, table=True):
    """The steps of a turn so far; of all turns together, the transcript."""

    __table_args__ = CLUSTERED
    lane: str = Field(sa_column=text(key=True))
    turn: int = Field(sa_column=number(key=True))
    step: int = Field(sa_column=number(key=True))
    kind: str = Field(sa_column=text())
    """arriving, user, reply, intent, result, summary (of all turns up to this one)."""
    body: str = Field(sa_column=text())
    at: float = Field(sa_column=time())


class Spending(SQLModel, table=True):
    """What a turn spent, by model and by tool; the cost of its messages is in `cost`."""

    __table_args__ = CLUSTERED
    lane: str = Field(sa_column=text(key=True))
    turn: int = Field(sa_column=number(key=True))
    kind: str = Field(sa_column=text(key=True))
    """model, tool, summary (a model's call between turns, at our expense), segments (of SMS handed
    over, by adapter)."""
    name: str = Field(sa_column=text(key=True))
    calls: int = Field(sa_column=number(default=0))
    input_tokens: int = Field(sa_column=number(default=0))
    output_tokens: int = Field(sa_column=number(default=0))
    usd: float = Field(sa_column=Column(Double, nullable=False, server_default="0"))


class Outbox(SQLModel, table=True):
    """The messages to send, in order within their lane."""

    __table_args__ = (
        Unique("lane", "turn", "part"),
        Index(
            "outbox_open",
            "lane",
            "id",
            postgresql_where=where("state IN ('pending', 'attempting')"),
            sqlite_where=where("state IN ('pending', 'attempting')"),
        ),
        Index(
            "outbox_waiting",
            "lane",
            postgresql_where=where("state = 'waiting_for_window'"),
            sqlite_where=where("state = 'waiting_for_window'"),
        ),
        Index(
            "outbox_held",
            "via",
            "id",
            postgresql_where=where("state = 'waiting_for_sender'"),
            sqlite_where=where("state = 'waiting_for_sender'"),
        ),
        Index("outbox_provider", "provider_id"),
        Index(
            "outbox_failed",
            "id",
            "state",
            "created_at",
            postgresql_where=where("state IN ('refused', 'unknown')"),
            sqlite_where=where("state IN ('refused', 'unknown')"),
        ),
    )
    id: int = Field(sa_column=serial())
    lane: str = Field(sa_column=text())
    turn: int = Field(sa_column=number())
    part: int = Field(sa_column=number())
    body: str = Field(sa_column=text())
    state: str = Field(sa_column=text(default="pending"))
    """pending, attempting, waiting_for_window, waiting_for_sender, sent, refused, unknown."""
    attempts: int = Field(sa_column=number(default=0))
    due_at: float = Field(sa_column=time())
    via: str = Field(sa_column=text(default=""))
    """The adapter that sends it; empty: the lane's."""
    priority: int = Field(sa_column=number(default=0))
    """1: goes before waiting ones: the answer to a tap, the template that asks for a message."""
    slot_taken: int = Field(sa_column=number(default=0))
    """1: `due_at` is its place in the queue of everything to be sent."""
    provider_id: str | None = Field(sa_column=text(null=True))
    receipt: str = Field(sa_column=text(default=""))
    """The provider's last report: sent, delivered, read, failed."""
    error: str = Field(sa_column=text(default=""))
    created_at: float = Field(sa_column=time())
    tried_from: float | None = Field(sa_column=time(null=True))
    """The time since which it may be sent, if it had to wait for the person."""
    ended_at: float | None = Field(sa_column=time(null=True))


class Button(SQLModel, table=True):
    """The action of a button, by its opaque token; bound to the person, the lane and a time."""

    __table_args__ = (Index("button_expiry", "expires_at"),)
    token: str = Field(sa_column=text(key=True))
    lane: str = Field(sa_column=text())
    address: str = Field(sa_column=text())
    action: str = Field(sa_column=text())
    expires_at: float = Field(sa_column=time())


class Approval(SQLModel, table=True):
    """A plan or an e-mail that needs a person's consent, and the decision."""

    __table_args__ = (Index("approval_lane", "lane"), CLUSTERED)
    id: str = Field(sa_column=text(key=True))
    lane: str = Field(sa_column=text())
    turn: int = Field(sa_column=number())
    """The turn that began it; once consent is asked for, the turn that asks."""
    account: int = Field(sa_column=number())
    address: str = Field(sa_column=text())
    kind: str = Field(sa_column=text())
    """What is to be decided: plan, email."""
    state: str = Field(sa_column=text())
    """planning, pending, approved, changing, cancelled, dropped."""
    payload: str = Field(sa_column=text(default=""))
    """The data with which the decision is carried out: the e-mail, as JSON."""
    text: str = Field(sa_column=text())
    created_at: float = Field(sa_column=time())
    decided_at: float | None = Field(sa_column=time(null=True))


class Session(SQLModel, table=True):
    """A conversation over HTTP, and the account or guest that owns it."""

    __table_args__ = (
        Index("session_account", "account"),
        Index(
            "session_guest",
            "address",
            postgresql_where=where("account IS NULL"),
            sqlite_where=where("account IS NULL"),
        ),
    )
    id: str = Field(sa_column=text(key=True))
    account: int | None = Field(sa_column=number(null=True))
    address: str = Field(sa_column=text())
    """The guest's identity, where there is no account."""
    created_at: float = Field(sa_column=time())


class Rest(SQLModel, table=True):
    """The rest of a long answer, kept until the person asks for more."""

    __table_args__ = CLUSTERED
    lane: str = Field(sa_column=text(key=True))
    turn: int = Field(sa_column=number())
    bodies: str = Field(sa_column=text())
    at: float = Field(sa_column=time())


class Cost(SQLModel, table=True):
    """The cost of a message to the operator, once it is delivered; in millionths of a US dollar."""

    __table_args__ = (
        Index("cost_free", "sender", "month", "free", "delivered_at"),
        Index("cost_booked", "booked_at"),
        CLUSTERED,
    )
    lane: str = Field(sa_column=text(key=True))
    turn: int = Field(sa_column=number(key=True))
    provider_id: str = Field(sa_column=text(key=True))
    channel: str = Field(sa_column=text())
    sender: str = Field(sa_column=text())
    """The adapter, and our number there."""
    category: str = Field(sa_column=text(default=""))
    billable: int | None = Field(sa_column=number(null=True))
    """1 or 0, with `category` in the provider's words; NULL: it reported nothing of the price."""
    delivered_at: float | None = Field(sa_column=time(null=True))
    """By the provider's clock, if it reports it; NULL: not delivered yet, and nothing is booked."""
    booked_at: float | None = Field(sa_column=time(null=True))
    month: int = Field(sa_column=number(default=0))
    """The month whose free messages it counts among, or would: `202611`; 0: none."""
    free: int = Field(sa_column=number(default=0))
    price: int = Field(sa_column=number(default=0))
    """How much less it costs while it is free."""
    amount: int = Field(sa_column=number(default=0))
    """Its cost now."""


class Quota(SQLModel, table=True):
    """How many messages of a month were free, erased ones included."""

    __table_args__ = CLUSTERED
    sender: str = Field(sa_column=text(key=True))
    month: int = Field(sa_column=number(key=True))
    used: int = Field(sa_column=number(default=0))


class Shortlink(SQLModel, table=True):
    """A short page that an SMS leads to, for people who cannot answer it."""

    __table_args__ = (Index("shortlink_lane", "lane", "route"), CLUSTERED)
    id: str = Field(sa_column=text(key=True))
    route: str = Field(sa_column=text())
    """q (a question), m (a message), stop."""
    lane: str = Field(sa_column=text())
    turn: int = Field(sa_column=number())
    target: str = Field(sa_column=text(default=""))
    """For `q`: `quiz:ID` or `exercise:ID`."""
    body: str = Field(sa_column=text(default=""))
    """For `m`: the markdown that the page shows."""
    expires_at: float = Field(sa_column=time())


class Receipt(SQLModel, table=True):
    """A provider's report that came before the delivery's own outcome was stored."""

    __table_args__ = CLUSTERED
    via: str = Field(sa_column=text(key=True))
    provider_id: str = Field(sa_column=text(key=True))
    state: str = Field(sa_column=text(key=True))
    body: str = Field(sa_column=text())
    at: float = Field(sa_column=time())


class Report(SQLModel, table=True):
    """A fault that a person reported."""

    __table_args__ = (Index("report_account", "account", "created_at"), CLUSTERED)
    key: str = Field(sa_column=text(key=True))
    account: int = Field(sa_column=number())
    lane: str = Field(sa_column=text())
    turn: int = Field(sa_column=number())
    severity: str = Field(sa_column=text())
    """low, normal, high."""
    description: str = Field(sa_column=text())
    created_at: float = Field(sa_column=time())


class Restriction(SQLModel, table=True):
    """A sender (our number at a provider) that the provider has forbidden to send."""

    __table_args__ = CLUSTERED
    via: str = Field(sa_column=text(key=True))
    """The adapter that uses the sender."""
    reason: str = Field(sa_column=text())
    """The provider's words or code."""
    since: float = Field(sa_column=time())
    try_at: float = Field(sa_column=time())
    """When one message may be sent as a trial."""
    trial: int | None = Field(sa_column=number(null=True))
    """The delivery that was tried last."""
    trusted_at: float | None = Field(sa_column=time(null=True))
    """When the restriction ends, as the provider took the trial, unless it reports a failure."""


class Worker(SQLModel, table=True):
    """A process that runs lanes, and its last heartbeat."""

    __table_args__ = CLUSTERED
    owner: str = Field(sa_column=text(key=True))
    started_at: float = Field(sa_column=time())
    heartbeat_at: float = Field(sa_column=time())


class Background(SQLModel, table=True):
    """A command that runs in the background of a process."""

    __table_args__ = CLUSTERED
    key: str = Field(sa_column=text(key=True))
    """The call that has started it: lane, turn and number."""
    lane: str = Field(sa_column=text())
    id: str = Field(sa_column=text())
    """The id by which the model knows it."""
    owner: str = Field(sa_column=text())
    lost_at: float = Field(sa_column=time())
    """When it counts as lost, unless its process renews it before."""


class Tally(SQLModel, table=True):
    """The counts of one kind in an hour that is over; they name no person."""

    __table_args__ = CLUSTERED
    hour: int = Field(sa_column=number(key=True))
    """Hours since 1970 (UTC)."""
    kind: str = Field(sa_column=text(key=True))
    """counted (marks the hour as counted); messages, turns, delivered (by channel); or a kind of
    `spending`."""
    name: str = Field(sa_column=text(key=True))
    calls: int = Field(sa_column=number(default=0))
    failed: int = Field(sa_column=number(default=0))
    input_tokens: int = Field(sa_column=number(default=0))
    output_tokens: int = Field(sa_column=number(default=0))
    usd: float = Field(sa_column=Column(Double, nullable=False, server_default="0"))

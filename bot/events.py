"""The events that a turn reports while it runs: the closed union that `emit` takes.

Names (the tags) and fields are those of the server-sent events of `/api/v1/chat`, so events are
sent to clients as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from bot.messages.value import ExerciseKind, QuizKind

EndReason = Literal["answered", "limit", "cancelled", "awaiting_approval", "failed"]


class _Event(msgspec.Struct, frozen=True, tag_field="event", omit_defaults=False):
    pass


class Start(_Event, frozen=True, tag="start"):
    session_id: str
    turn_id: str


class AgentPrep(_Event, frozen=True, tag="agent_prep"):
    timings_ms: dict[str, float]


class Thinking(_Event, frozen=True, tag="thinking", omit_defaults=True):
    text: str
    replaces_content: bool = False
    """The `content` of the model's message so far was a part of this thought, as only its closing
    tag has shown."""


class Content(_Event, frozen=True, tag="content"):
    text: str


class ToolStart(_Event, frozen=True, tag="tool_start"):
    id: str
    name: str
    detail: str
    """One short line for people, in their language."""


class ToolProgress(_Event, frozen=True, tag="tool_progress", omit_defaults=True):
    """A piece of a tool's arguments as they stream, or its elapsed time and last lines."""

    id: str
    name: str
    delta: str | None = None
    elapsed_s: float | None = None
    tail: str | None = None


class ToolEnd(_Event, frozen=True, tag="tool_end"):
    id: str
    name: str
    is_error: bool


class Progress(_Event, frozen=True, tag="progress"):
    step: int
    max_steps: int
    action: str
    target: str = ""


class QuizAsked(_Event, frozen=True, tag="quiz"):
    id: str
    kind: QuizKind
    question: str
    options: tuple[str, ...]
    expires_at: float


class ExerciseAsked(_Event, frozen=True, tag="exercise"):
    id: str
    statement: str
    kind: ExerciseKind
    options: tuple[str, ...]
    unit: str
    skill: str
    hints_left: int
    tries: int
    expires_at: float


class FileMade(_Event, frozen=True, tag="file"):
    id: str
    filename: str
    url: str
    size: int


class AwaitingApproval(_Event, frozen=True, tag="awaiting_approval"):
    id: str
    kind: str
    text: str


class Notice(_Event, frozen=True, tag="system_message"):
    text: str


class UsageReport(_Event, frozen=True, tag="usage"):
    """The totals of a turn, reported once."""

    input_tokens: int
    output_tokens: int
    usd: float
    credits: int


class Failure(_Event, frozen=True, tag="error"):
    code: str
    message: str


class End(_Event, frozen=True, tag="end"):
    """The end of the turn, always the last event."""

    reason: EndReason


Event = (
    Start
    | AgentPrep
    | Thinking
    | Content
    | ToolStart
    | ToolProgress
    | ToolEnd
    | Progress
    | QuizAsked
    | ExerciseAsked
    | FileMade
    | AwaitingApproval
    | Notice
    | UsageReport
    | Failure
    | End
)
Emit = Callable[[Event], None]

_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def encode_event(event: Event) -> bytes:
    """Return the event as JSON, its name in the field `event`."""
    return msgspec.json.encode(event)


def decode_event(text: bytes) -> Event:
    """Return the event that `encode_event` wrote. Raises `msgspec.ValidationError` for anything
    else."""
    return _DECODER.decode(text)


def event_name(event: Event) -> str:
    return str(event.__struct_config__.tag)


def event_fields(event: Event) -> dict[str, Any]:
    """Return the event's data for clients: its fields without the name."""
    fields: dict[str, Any] = msgspec.to_builtins(event)
    del fields["event"]
    return fields


def ignore(event: Event) -> None:
    """Ignore the event: an `emit` for callers that need no events."""

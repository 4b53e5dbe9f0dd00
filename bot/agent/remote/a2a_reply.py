"""What a remote agent has said so far, put together from its events."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal

from a2a.types import (
    Message,
    Part,
    Role,
    StreamResponse,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
)
from google.protobuf import json_format

Outcome = Literal[
    "running", "completed", "failed", "rejected", "canceled", "input-required", "auth-required"
]
"""How the task stands, in the protocol's own words; `running` covers all that goes on."""
_OUTCOMES: dict[int, Outcome] = {
    TaskState.TASK_STATE_COMPLETED: "completed",
    TaskState.TASK_STATE_FAILED: "failed",
    TaskState.TASK_STATE_REJECTED: "rejected",
    TaskState.TASK_STATE_CANCELED: "canceled",
    TaskState.TASK_STATE_INPUT_REQUIRED: "input-required",
    TaskState.TASK_STATE_AUTH_REQUIRED: "auth-required",
}
_MAX_NAME = 100


class Reply:
    """The events of one task, in order.

    Attributes:
        task_id: empty as long as the agent has named no task (a plain message has none).
        outcome: what the last event says.
    """

    def __init__(self) -> None:
        self.task_id = ""
        self.outcome: Outcome = "running"
        self._artifacts: dict[str, list[str]] = {}
        self._words = ""
        self._ends_with_words = False

    @property
    def is_over(self) -> bool:
        """Nothing more will come, unless somebody answers the agent."""
        return self.outcome != "running"

    @property
    def text(self) -> str:
        """The artifacts, then the last message; words said on the way only if there is no more."""
        blocks = [text for chunks in self._artifacts.values() if (text := "".join(chunks).strip())]
        words = self._words.strip()
        if words and (not blocks or (self._ends_with_words and words not in blocks)):
            blocks.append(words)
        return "\n\n".join(blocks)

    @property
    def last_words(self) -> str:
        """The message that came with the end; empty when there was none."""
        return self._words.strip() if self._ends_with_words else ""

    def take(self, event: StreamResponse) -> None:
        match event.WhichOneof("payload"):
            case "task":
                self.take_task(event.task)
            case "message":
                self._take_message(event.message)
            case "status_update":
                self._take_status(event.status_update.task_id, event.status_update.status)
            case "artifact_update":
                self._take_artifact(event.artifact_update)
            case _:
                pass

    def take_task(self, task: Task) -> None:
        """A snapshot of everything so far."""
        if task.artifacts:
            self._artifacts = {a.artifact_id: [_join(a.parts)] for a in task.artifacts}
        answers = [message for message in task.history if message.role == Role.ROLE_AGENT]
        if answers and not self._words:
            self._words = _show(answers[-1].parts)
        self._take_status(task.id, task.status)

    def _take_message(self, message: Message) -> None:
        self._words, self._ends_with_words = _show(message.parts), True
        self.outcome = "completed"

    def _take_status(self, task_id: str, status: TaskStatus) -> None:
        self.task_id = self.task_id or task_id
        self.outcome = _OUTCOMES.get(status.state, "running")
        if status.HasField("message"):
            self._words = _show(status.message.parts)
        self._ends_with_words = self.is_over and status.HasField("message")

    def _take_artifact(self, event: TaskArtifactUpdateEvent) -> None:
        self.task_id = self.task_id or event.task_id
        chunks = self._artifacts.setdefault(event.artifact.artifact_id, [])
        if not event.append:
            chunks.clear()
        chunks.append(_join(event.artifact.parts))


def _show(parts: Iterable[Part]) -> str:
    return "\n".join(_show_part(part) for part in parts)


def _join(parts: Iterable[Part]) -> str:
    """An artifact's parts: its texts are often the pieces of one stream, cut in mid-word."""
    return "".join(
        part.text if part.HasField("text") else f"\n{_show_part(part)}\n" for part in parts
    )


def _show_part(part: Part) -> str:
    match part.WhichOneof("content"):
        case "text":
            return part.text
        case "data":
            return _show_data(part.data)
        case "raw" | "url":
            name = _shorten(part.filename) or "without a name"
            return f"[file: {name} ({_shorten(part.media_type) or 'of unknown type'})]"
        case _:
            return ""


def _show_data(value: Any) -> str:
    try:
        plain = json.dumps(json_format.MessageToDict(value))
        values = json.loads(plain, parse_float=_read_number)
        return json.dumps(values, ensure_ascii=False, sort_keys=True)
    except (json_format.Error, ValueError, RecursionError):
        return "[data that cannot be shown]"


def _read_number(digits: str) -> float | int:
    """Protobuf knows no integers: 31 comes as 31.0."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _shorten(text: str) -> str:
    return " ".join(text[:_MAX_NAME].split())

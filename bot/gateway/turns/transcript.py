"""The journal read back: what one turn has done so far, and what was said in earlier ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from bot.contracts import Finished, Transaction
from bot.messages import (
    AssistantMessage,
    Message,
    ModelReply,
    SystemMessage,
    ToolResult,
    UserMessage,
    decode,
    decode_message,
)

HISTORY_ROWS = 600
"""Rows of earlier turns that a turn starts with at most; long before, they are summarised."""
HISTORY_CHARACTERS = 400_000
SUMMARY_STEP = 1_000_000
"""Where the summary stands in the journal of the last turn that it summarises."""
_INTERRUPTED = "Outcome unknown: this was interrupted."
_FINISHED: msgspec.json.Decoder[Finished] = msgspec.json.Decoder(Finished)


_Numbered = tuple[int, Message]
Step = ModelReply | Finished | UserMessage
"""A user's message among the steps was heard while the turn ran."""


@dataclass(slots=True)
class Record:
    """What the journal holds of one turn."""

    user: list[UserMessage] = field(default_factory=list[UserMessage])
    """What it began with."""
    steps: list[Step] = field(default_factory=list[Step])
    arriving: bool = False
    """The person's attachments have not been brought yet."""
    intents: set[str] = field(default_factory=set[str])
    """The calls of effect `once` that were about to run."""
    rows: int = 0

    @property
    def messages(self) -> list[Message]:
        """All of it as the model sees it."""
        return [*self.user, *map(_as_message, self.steps)]


async def read_record(tx: Transaction, lane: str, turn: int) -> Record:
    """What the journal holds of this turn: nothing, unless a crash interrupted it."""
    record = Record()
    rows = await tx.fetch(_TURN, lane=lane, turn=turn)
    record.rows = len(rows)
    for row in rows:
        body = row["body"]
        match row["kind"]:
            case "user" if record.steps:
                record.steps.append(decode(body, UserMessage))
            case "user" | "arriving":
                record.user.append(decode(body, UserMessage))
                record.arriving |= row["kind"] == "arriving"
            case "reply":
                record.steps.append(decode(body, ModelReply))
            case "result":
                record.steps.append(_FINISHED.decode(body))
            case "intent":
                record.intents.add(msgspec.json.decode(body)["key"])
            case _:
                pass  # a summary: it is for the turns that follow
    return record


def _as_message(step: Step) -> Message:
    match step:
        case ModelReply():
            return step.message
        case Finished():
            return step.result
        case UserMessage():
            return step


@dataclass(frozen=True, slots=True)
class History:
    """Earlier turns, fit to be sent to a model."""

    messages: list[Message]
    """Oldest first; the first may be a summary of what was before."""
    turns: list[int]
    """Of each message, the turn in which it was said."""


async def read_history(tx: Transaction, lane: str, turn: int, thread: str) -> History:
    """The messages of the turns before this one, after the summary of those before them. Turns
    that have not ended, or were given up, are left out.

    Args:
        thread: the lane that keeps the thread, as `hold` gives it: where it is another than `lane`,
            what was said in the person's other conversations is part of it.
    """
    shared = thread != lane
    rows = await tx.fetch(
        _SHARED_HISTORY if shared else _HISTORY,
        lane=lane,
        turn=turn,
        limit=HISTORY_ROWS,
        **({"thread": thread} if shared else {}),
    )
    kept = _newest(rows)
    if len(kept) < len(rows) or len(rows) == HISTORY_ROWS:  # the summary is the oldest
        kept = [row for row in kept if row["kind"] != "summary"]
        kept += await tx.fetch(_SUMMARY, thread=thread)
    paired = _paired([(row["turn"], _message(row)) for row in reversed(kept)])
    return History([message for _, message in paired], [number for number, _ in paired])


def _newest(rows: Sequence[Any]) -> list[Any]:
    """As many rows, newest first, as fit into `HISTORY_CHARACTERS`."""
    sizes = itertools.accumulate(len(row["body"]) for row in rows)
    return [row for row, size in zip(rows, sizes, strict=True) if size <= HISTORY_CHARACTERS]


def _message(row: Any) -> Message:
    match row["kind"]:
        case "user" | "summary":
            return decode_message(row["body"])
        case "reply":
            message = decode(row["body"], ModelReply).message
            return AssistantMessage(message.text, message.tool_calls)
        case _:
            return _FINISHED.decode(row["body"]).result


def _paired(messages: Sequence[_Numbered]) -> list[_Numbered]:
    """Begin with a summary or a user's message; every call has its result, every result its
    call."""
    paired: list[_Numbered] = []
    waiting: list[_Numbered] = []
    for turn, message in messages:
        if isinstance(message, ToolResult):
            known = [each for each in waiting if _call_id(each) == message.call_id]
            if known:
                paired.append((turn, message))
                waiting.remove(known[0])
            continue
        paired.extend(waiting)
        waiting = []
        if not paired and not isinstance(message, UserMessage | SystemMessage):
            continue
        paired.append((turn, message))
        if isinstance(message, AssistantMessage):
            waiting = [
                (turn, ToolResult(call.id, call.name, _INTERRUPTED, is_error=True))
                for call in message.tool_calls
            ]
    paired.extend(waiting)
    return paired


def _call_id(result: _Numbered) -> str:
    return result[1].call_id if isinstance(result[1], ToolResult) else ""


_TURN = """
SELECT kind, body FROM journal WHERE lane = :lane AND turn = :turn ORDER BY step
"""

_SUMMARY = """
SELECT journal.turn, journal.kind, journal.body
FROM lane AS thread
JOIN lane ON lane.id = thread.id OR lane.thread = thread.id
JOIN journal ON journal.lane = lane.id AND journal.turn = thread.summarised
WHERE thread.id = :thread AND journal.kind = 'summary' AND thread.summarised >= thread.history_from
ORDER BY journal.at DESC LIMIT 1
"""

_HISTORY = """
SELECT turn, kind, body FROM journal
WHERE lane = :lane AND turn < :turn
    AND turn >= (
        SELECT CASE WHEN summarised > history_from THEN summarised ELSE history_from END
        FROM lane WHERE id = :lane
    )
    AND kind IN ('user', 'reply', 'result', 'summary')
    AND (kind = 'summary') = (turn = (SELECT summarised FROM lane WHERE id = :lane))
    AND turn NOT IN (SELECT id FROM turn WHERE lane = :lane AND state IN ('running', 'dead'))
ORDER BY turn DESC, step DESC LIMIT :limit
"""

_SHARED_HISTORY = """
SELECT journal.turn, journal.kind, journal.body
FROM lane AS thread
JOIN lane ON lane.thread = thread.id
JOIN journal ON journal.lane = lane.id
WHERE thread.id = :thread AND journal.turn < :turn
    AND journal.turn >= thread.history_from AND journal.turn >= thread.summarised
    AND journal.turn >= lane.history_from
    AND journal.kind IN ('user', 'reply', 'result', 'summary')
    AND (journal.kind = 'summary') = (journal.turn = thread.summarised)
    AND NOT EXISTS (
        SELECT 1 FROM turn WHERE turn.lane = journal.lane AND turn.id = journal.turn
            AND turn.state IN ('running', 'dead')
    )
ORDER BY journal.turn DESC, journal.step DESC LIMIT :limit
"""

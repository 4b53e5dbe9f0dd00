"""The journal: what a turn has done so far, row by row; over all turns, the transcript.

Every row is written under the lane's fence before the turn goes on, so a turn can be taken up from
its last row by whoever has the lane after a crash.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from bot.contracts import Database, Finished, Transaction
from bot.errors import LeaseLost
from bot.gateway.lanes import Claim
from bot.messages import (
    AssistantMessage,
    Message,
    ModelReply,
    ToolResult,
    UserMessage,
    decode,
    decode_message,
    encode,
)

HISTORY_ROWS = 60
"""Rows of earlier turns that a turn starts with."""
HISTORY_CHARACTERS = 60_000
"""About 15,000 tokens: what every model in use can take beside a turn."""
_INTERRUPTED = "Outcome unknown: this was interrupted."
_FINISHED: msgspec.json.Decoder[Finished] = msgspec.json.Decoder(Finished)


@dataclass(slots=True)
class Record:
    """What the journal holds of one turn."""

    user: list[UserMessage] = field(default_factory=list[UserMessage])
    steps: list[ModelReply | Finished] = field(default_factory=list[ModelReply | Finished])
    intents: set[str] = field(default_factory=set[str])
    """The calls of effect `once` that were about to run."""
    rows: int = 0


class TurnJournal:
    """Implements `contracts.Journal` for one turn, under the fence of one claim."""

    def __init__(self, database: Database, claim: Claim, turn: int, record: Record) -> None:
        self._database = database
        self._claim = claim
        self._turn = turn
        self._step = record.rows
        self._intents = record.intents

    async def replied(self, reply: ModelReply) -> None:
        await self._append([("reply", encode(reply))])

    async def intends(self, key: str, name: str) -> bool:
        if key in self._intents:
            return False
        self._intents.add(key)
        await self._append([("intent", encode({"key": key, "name": name}))])
        return True

    async def finished(self, results: Sequence[Finished]) -> None:
        await self._append([("result", encode(finished)) for finished in results])

    async def _append(self, rows: Sequence[tuple[str, str]]) -> None:
        for kind, body in rows:
            written = await self._database.run(
                _APPEND_FENCED,
                lane=self._claim.lane,
                fence=self._claim.fence,
                owner=self._claim.owner,
                turn=self._turn,
                step=self._step,
                kind=kind,
                body=body,
            )
            if not written:
                raise LeaseLost(self._claim.lane)
            self._step += 1


async def append(
    tx: Transaction, lane: str, turn: int, first: int, rows: Sequence[tuple[str, str]]
) -> None:
    """Write rows (kind, body) of a turn, numbered from `first`; a row that is there stays."""
    for step, (kind, body) in enumerate(rows, first):
        await tx.execute(_APPEND, lane=lane, turn=turn, step=step, kind=kind, body=body)


async def read_record(tx: Transaction, lane: str, turn: int) -> Record:
    """What the journal holds of this turn: nothing, unless a crash interrupted it."""
    record = Record()
    rows = await tx.fetch(_TURN, lane=lane, turn=turn)
    record.rows = len(rows)
    for row in rows:
        body = row["body"]
        match row["kind"]:
            case "user":
                record.user.append(decode(body, UserMessage))
            case "reply":
                record.steps.append(decode(body, ModelReply))
            case "result":
                record.steps.append(_FINISHED.decode(body))
            case _:
                record.intents.add(msgspec.json.decode(body)["key"])
    return record


async def read_history(tx: Transaction, lane: str, turn: int) -> list[Message]:
    """The newest messages of the turns before this one, oldest first, fit to be sent to a model."""
    rows = await tx.fetch(_HISTORY, lane=lane, turn=turn, limit=HISTORY_ROWS)
    return _paired([_message(row) for row in reversed(_newest(rows))])


def _newest(rows: Sequence[Any]) -> list[Any]:
    """As many rows, newest first, as fit into `HISTORY_CHARACTERS`."""
    sizes = itertools.accumulate(len(row["body"]) for row in rows)
    return [row for row, size in zip(rows, sizes, strict=True) if size <= HISTORY_CHARACTERS]


def _message(row: Any) -> Message:
    match row["kind"]:
        case "user":
            return decode_message(row["body"])
        case "reply":
            message = decode(row["body"], ModelReply).message
            return AssistantMessage(message.text, message.tool_calls)
        case _:
            return _FINISHED.decode(row["body"]).result


def _paired(messages: Sequence[Message]) -> list[Message]:
    """Begin with a user's message; every call has its result, every result its call."""
    paired: list[Message] = []
    waiting: list[ToolResult] = []
    for message in messages:
        if isinstance(message, ToolResult):
            known = [result for result in waiting if result.call_id == message.call_id]
            if known:
                paired.append(message)
                waiting.remove(known[0])
            continue
        paired.extend(waiting)
        waiting = []
        if not paired and not isinstance(message, UserMessage):
            continue
        paired.append(message)
        if isinstance(message, AssistantMessage):
            waiting = [
                ToolResult(call.id, call.name, _INTERRUPTED, is_error=True)
                for call in message.tool_calls
            ]
    paired.extend(waiting)
    return paired


_APPEND = """
INSERT INTO journal (lane, turn, step, kind, body, at)
VALUES (:lane, :turn, :step, :kind, :body, {now})
ON CONFLICT (lane, turn, step) DO NOTHING
"""

_APPEND_FENCED = """
INSERT INTO journal (lane, turn, step, kind, body, at)
SELECT id, CAST(:turn AS BIGINT), CAST(:step AS BIGINT), CAST(:kind AS TEXT), CAST(:body AS TEXT),
    {now}
FROM lane WHERE id = :lane AND fence = :fence AND owner = :owner {for_update}
ON CONFLICT (lane, turn, step) DO UPDATE SET kind = excluded.kind
RETURNING step
"""

_TURN = """
SELECT kind, body FROM journal WHERE lane = :lane AND turn = :turn ORDER BY step
"""

_HISTORY = """
SELECT kind, body FROM journal
WHERE lane = :lane AND turn < :turn AND kind IN ('user', 'reply', 'result')
    AND turn >= (SELECT history_from FROM lane WHERE id = :lane)
ORDER BY turn DESC, step DESC LIMIT :limit
"""

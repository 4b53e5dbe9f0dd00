"""The memory events of a conversation: its journal, read back for debugging.

The answers of quizzes are in none of them, whoever reads: an operator may show them to a pupil.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from bot.contracts import Database, Finished, Transaction
from bot.learning.quiz import hide_answers
from bot.messages import ModelReply, SystemMessage, ToolCall, UserMessage, decode
from bot.whole_numbers import BIGGEST

_DELEGATE = "delegate_to_"
_FINISHED: msgspec.json.Decoder[Finished] = msgspec.json.Decoder(Finished)


async def memory_events(
    database: Database,
    lane: str,
    *,
    turn: int | None = None,
    since: int = 0,
    limit: int = 500,
    for_person: bool = False,
) -> list[dict[str, Any]]:
    """The newest events, oldest first.

    Args:
        turn: only those of this one.
        since: only those of turns from this one on.
        for_person: leave out what is for operators only, the inner words of errors.

    Each is `{"event_id", "timestamp", "event_type", "content", "metadata"}`; types are
    user_message, tool_call, tool_result, tool_error, delegation_request, delegation_response,
    delegation_error, compaction, approval, agent_response, error.
    """

    async def work(tx: Transaction) -> list[dict[str, Any]]:
        turns = {"first": turn or since, "last": turn or BIGGEST}
        rows = await tx.fetch(_ROWS, lane=lane, limit=limit, **turns)
        events = [event for row in reversed(rows) for event in _events_of(row)]
        asked = await tx.fetch(_APPROVALS, lane=lane, limit=limit, **turns)
        events.extend(map(_approval_event, asked))
        failed = await tx.fetch(_FAILED, lane=lane, **turns)
        events.extend(_event(row, "error", _error(row, for_person), 0) for row in failed)
        return sorted(events, key=lambda event: event["timestamp"])

    return await database.read(work)


def _error(row: Any, for_person: bool) -> str:
    return "The turn failed." if for_person else row["error"]


def _events_of(row: Any) -> list[dict[str, Any]]:
    match row["kind"]:
        case "user":
            return [_event(row, "user_message", decode(row["body"], UserMessage).text, 0)]
        case "reply":
            return _reply_events(row)
        case "summary":
            return [_event(row, "compaction", decode(row["body"], SystemMessage).text, 0)]
        case _:
            return [_result_event(row)]


def _approval_event(row: Any) -> dict[str, Any]:
    return _event(row, "approval", row["text"], 0, state=row["state"], id=row["id"])


def _result_event(row: Any) -> dict[str, Any]:
    result = _FINISHED.decode(row["body"]).result
    done, failed = ("tool_result", "tool_error")
    if result.name.startswith(_DELEGATE):
        done, failed = ("delegation_response", "delegation_error")
    kind = failed if result.is_error else done
    return _event(row, kind, result.text, 0, name=result.name, call_id=result.call_id)


def _reply_events(row: Any) -> list[dict[str, Any]]:
    reply = decode(row["body"], ModelReply)
    events = [
        _event(row, _kind_of(call), hide_answers(call), index, name=call.name, call_id=call.id)
        for index, call in enumerate(reply.message.tool_calls, 1)
    ]
    if reply.message.text:
        usage = msgspec.to_builtins(reply.usage)
        text = reply.message.text
        events.insert(0, _event(row, "agent_response", text, 0, model=reply.model, usage=usage))
    return events


def _kind_of(call: ToolCall) -> str:
    return "delegation_request" if call.name.startswith(_DELEGATE) else "tool_call"


def _event(row: Any, kind: str, content: str, index: int, **metadata: object) -> dict[str, Any]:
    return {
        "event_id": f"{row['turn']}.{row['step']}.{index}",
        "timestamp": datetime.fromtimestamp(row["at"], UTC).isoformat(timespec="milliseconds"),
        "event_type": kind,
        "content": content,
        "metadata": {"turn_id": str(row["turn"]), **metadata},
    }


_ROWS = """
SELECT turn, step, kind, body, at FROM journal
WHERE lane = :lane AND turn BETWEEN :first AND :last
    AND kind IN ('user', 'reply', 'result', 'summary')
ORDER BY turn DESC, step DESC LIMIT :limit
"""

_APPROVALS = """
SELECT turn, 9998 AS step, id, state, text, coalesce(decided_at, created_at) AS at FROM approval
WHERE lane = :lane AND turn BETWEEN :first AND :last AND state <> 'planning'
ORDER BY created_at DESC LIMIT :limit
"""

_FAILED = """
SELECT id AS turn, 9999 AS step, error, coalesce(ended_at, started_at) AS at FROM turn
WHERE lane = :lane AND id BETWEEN :first AND :last AND error <> ''
"""

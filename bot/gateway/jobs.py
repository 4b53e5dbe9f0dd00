"""Jobs: turns that nobody waits for, each in a lane of its own, over HTTP.

A job is a turn like any other, with more time: it survives what a turn survives, is charged once,
and what it said is kept in the outbox of its lane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.contracts import Row, Transaction
from bot.errors import NotFound
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.threads import share
from bot.messages import FileBody, Said, Sender, ShareFile, TextBody, Update, decode_body

_JOB = "job:"
JobState = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Job:
    """How a job stands."""

    id: str
    turn: int
    state: JobState
    step: int
    """How often a model has answered."""
    started_at: float | None
    finished_at: float | None
    text: str
    """What it said; empty until it has ended."""
    files: tuple[ShareFile, ...]


def lane_of(job_id: str) -> str:
    return f"http:{name_job(job_id)}"


def name_job(job_id: str) -> str:
    """The job as a conversation; over HTTP it is also the session by which its owner is known."""
    return f"{_JOB}{job_id}"


def is_job(lane: str) -> bool:
    """Whether this is the lane of a job, over HTTP or from a chat: no channel names its
    conversations like that."""
    return lane.partition(":")[2].startswith(_JOB)


async def begin(
    tx: Transaction, inbox: Inbox, job_id: str, said: Said, sender: Sender, session: str | None
) -> None:
    """Store the job within the caller's transaction, once.

    Args:
        session: the session that it belongs to, whose history it knows.
    """
    await inbox.put(tx, _update(job_id, said, sender, f"job:{job_id}"))
    if session is not None:
        await share(tx, f"http:{session}", lane_of(job_id))


async def cancel(tx: Transaction, inbox: Inbox, job_id: str, sender: Sender) -> None:
    """Have it end; one that has ended stays as it is."""
    await inbox.put(tx, _update(job_id, Said("/stop"), sender, f"stop:{job_id}"))


async def find_job(tx: Transaction, job_id: str) -> Job:
    """Raises `NotFound`."""
    lane = lane_of(job_id)
    row = await tx.fetch_one(_FIND, lane=lane)
    if row is None:
        raise NotFound("There is no such job.")
    state = _state(row)
    has_ended = state not in {"queued", "running"}
    said = await tx.fetch(_SAID, lane=lane, turn=row["seq"]) if has_ended else []
    bodies = [decode_body(each["body"]) for each in said]
    return Job(
        id=job_id,
        turn=row["seq"],
        state=state,
        step=row["steps"],
        started_at=row["started_at"],
        finished_at=row["ended_at"] if has_ended else None,
        text="\n\n".join(body.text for body in bodies if isinstance(body, TextBody)),
        files=tuple(body.file for body in bodies if isinstance(body, FileBody)),
    )


def _state(row: Row) -> JobState:
    match row["state"], row["reason"]:
        case None, _:
            return "queued"
        case "running", _:
            return "running"
        case "done", "cancelled":
            return "cancelled"
        case "done", "failed" | "refused":
            return "failed"
        case "done", _:
            return "done"
        case _:
            return "failed"


def _update(job_id: str, said: Said, sender: Sender, key: str) -> Update:
    return Update(
        channel="http",
        via="http",
        conversation=name_job(job_id),
        sender=sender,
        delivery_key=key,
        message_key=key,
        content=said,
    )


_FIND = """
SELECT inbox.seq, turn.state, turn.reason, turn.started_at, turn.ended_at, (
    SELECT count(*) FROM journal
    WHERE journal.lane = inbox.lane AND journal.turn = inbox.seq AND journal.kind = 'reply'
) AS steps
FROM inbox LEFT JOIN turn ON turn.lane = inbox.lane AND turn.id = inbox.seq
WHERE inbox.lane = :lane ORDER BY inbox.seq LIMIT 1
"""

_SAID = """
SELECT body FROM outbox WHERE lane = :lane AND turn = :turn ORDER BY part
"""

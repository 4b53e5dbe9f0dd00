"""Run jobs: background turns in lanes of their own, begun over HTTP or in a chat."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import structlog

from bot.contracts.storage import Row, Transaction
from bot.errors import NotFound
from bot.gateway.delivery.notify import Destination, Notifier
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.lanes import join_thread, share_thread, shares_thread, thread_of
from bot.gateway.outbox_rows import read_bodies
from bot.i18n import say
from bot.messages.channels import PUSH_CHANNELS, WEB, Channel
from bot.messages.incoming import Said, Sender, Update, Woken, build_update
from bot.messages.outgoing import (
    AskApproval,
    AskExercise,
    AskQuiz,
    FileBody,
    Outgoing,
    ShareFile,
    TextBody,
)
from bot.messages.value import decode

_JOB = "job:"
JobState = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Job:
    """The state and the result of a job."""

    id: str
    turn: int
    state: JobState
    step: int
    """How many times a model has answered."""
    started_at: float | None
    finished_at: float | None
    text: str
    """Its answer; empty until it has ended."""
    files: tuple[ShareFile, ...]


def lane_of_job(job_id: str) -> str:
    return f"http:{name_job(job_id)}"


def name_job(job_id: str) -> str:
    """Return the conversation id of a job; over HTTP it is also the session id that identifies its
    owner."""
    return f"{_JOB}{job_id}"


def is_job(lane: str) -> bool:
    """Return whether this is the lane of a job, over HTTP or from a chat. No channel has
    conversation ids like a job's."""
    return lane.partition(":")[2].startswith(_JOB)


async def begin_job(
    tx: Transaction, inbox: Inbox, job_id: str, said: Said, sender: Sender, session: str | None
) -> None:
    """Store the job within the caller's transaction, once.

    Args:
        session: the session that the job belongs to and shares the history of.
    """
    await inbox.put(tx, build_update(lane_of_job(job_id), WEB, sender, f"job:{job_id}", said))
    if session is not None:
        await share_thread(tx, f"http:{session}", lane_of_job(job_id))


async def cancel_job(tx: Transaction, inbox: Inbox, job_id: str, sender: Sender) -> None:
    """Have a job cancelled; one that has ended stays as it is."""
    stop = build_update(lane_of_job(job_id), WEB, sender, f"stop:{job_id}", Said("/stop"))
    await inbox.put(tx, stop)


async def find_job(tx: Transaction, job_id: str) -> Job:
    """Return the state and the result of a job. Raises `NotFound`."""
    lane = lane_of_job(job_id)
    row = await tx.fetch_one(_FIND_JOB, lane=lane)
    if row is None:
        raise NotFound("There is no such job.")
    state = _state(row)
    has_ended = state not in {"queued", "running"}
    bodies = await read_bodies(tx, lane, row["seq"]) if has_ended else []
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
            return "failed" if row["error"] else "done"  # it may have ended without an answer
        case _:
            return "failed"


def explain_stopped(language: str) -> str:
    """Return the note under an answer that the person stopped."""
    return say(language, "Answer stopped.")


log = structlog.get_logger()


def is_from_chat(lane: str) -> bool:
    """Return whether this is the lane of a job whose result goes to a chat."""
    return is_job(lane) and shares_thread(lane)


def find_chat_lane(update: Update) -> str:
    """Return the lane of an update's conversation; for a job from a chat, the lane of that chat."""
    if is_from_chat(update.lane):
        return f"{update.channel}:{update.sender.address}"
    return update.lane


class BackgroundJobs:
    def __init__(self, inbox: Inbox, notifier: Notifier) -> None:
        self._inbox = inbox
        self._notifier = notifier

    async def begin(self, tx: Transaction, asked: Update, account: int, task: str) -> None:
        """Begin a job for the sender of `asked`, an update of a private chat; the model is given
        `task`."""
        job = msgspec.structs.replace(
            asked,
            conversation=name_job(secrets.token_urlsafe(9)),
            delivery_key="begin",
            message_key="begin",
            content=Woken(task),
        )
        await self._inbox.put(tx, job)
        await join_thread(tx, job.lane, thread_of(account))

    async def list_running(self, tx: Transaction, account: int) -> list[Row]:
        """Return the jobs of the person's chats that have not ended: `lane`, `body` (the update),
        `steps` (how many times a model has answered) and `seconds` since it was begun."""
        return await tx.fetch(_RUNNING, thread=thread_of(account))

    async def stop_all(self, tx: Transaction, account: int) -> None:
        """Have all jobs of the person's chats cancelled."""
        for row in await self.list_running(tx, account):
            stop = msgspec.structs.replace(
                decode(row["body"], Update),
                delivery_key="stop",
                message_key="stop",
                content=Said("/stop"),
            )
            await self._inbox.put(tx, stop)

    async def send_to_chat(
        self,
        tx: Transaction,
        update: Update,
        account: int | None,
        outgoing: Sequence[Outgoing],
        *,
        sign: str = "",
    ) -> None:
        """Send the person the output of a job from a chat, once for each `sign`.

        Does nothing if the update is not of such a job.
        """
        if not outgoing or not is_from_chat(update.lane):
            return
        place = await self._find_place(tx, update, account, outgoing)
        if place is None:
            log.warning("job_untold", lane=update.lane)
            return
        await self._notifier.hand_over(tx, place, outgoing, key=f"{update.conversation}{sign}")

    async def _find_place(
        self, tx: Transaction, update: Update, account: int | None, outgoing: Sequence[Outgoing]
    ) -> Destination | None:
        """Return the job's chat, or another one if that takes no messages now or is logged out.

        Quizzes, exercises and approvals go to the job's chat only, as their buttons belong to it,
        and wait there. None: no chat can be written to.
        """
        if account is None:
            return self._notifier.place(update.channel, update.via, update.sender.address)
        ways: list[Channel] = [update.channel]
        if not any(isinstance(one, AskQuiz | AskExercise | AskApproval) for one in outgoing):
            ways.extend(other for other in PUSH_CHANNELS if other != update.channel)
        for may_wait in (False, True):
            place = await self._notifier.find_first(
                tx, ways, account=account, may_wait=may_wait, asked_in=update.channel
            )
            if place is not None:
                return place
        return None


_FIND_JOB = """
SELECT inbox.seq, turn.state, turn.reason, turn.error, turn.started_at, turn.ended_at, (
    SELECT count(*) FROM journal
    WHERE journal.lane = inbox.lane AND journal.turn = inbox.seq AND journal.kind = 'reply'
) AS steps
FROM inbox LEFT JOIN turn ON turn.lane = inbox.lane AND turn.id = inbox.seq
WHERE inbox.lane = :lane ORDER BY inbox.seq LIMIT 1
"""

_RUNNING = """
SELECT inbox.lane, inbox.body, {now} - inbox.stored_at AS seconds, (
    SELECT count(*) FROM journal
    WHERE journal.lane = inbox.lane AND journal.turn = inbox.seq AND journal.kind = 'reply'
) AS steps
FROM lane JOIN inbox ON inbox.lane = lane.id AND inbox.delivery_key = 'begin'
WHERE lane.thread = :thread AND inbox.state = 'pending' ORDER BY inbox.seq
"""

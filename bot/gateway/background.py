"""Work in the background: a job that a person has begun in their chat, and its result there.

It is a lane beside the chat's, in the same thread. Nothing is delivered in that lane: what the job
says is handed to the chat as a notice, or, where the chat takes nothing now, to another one of the
same person.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import msgspec
import structlog

from bot.contracts import Row, Transaction
from bot.errors import ToolFailed
from bot.gateway.jobs import is_job, name_job
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.sending.courier import Courier, Place
from bot.gateway.threads import SHARING, join_thread, thread_of
from bot.messages import AskApproval, AskQuiz, Channel, Outgoing, Said, Update, Woken, decode

log = structlog.get_logger()
_ELSEWHERE: tuple[Channel, ...] = ("telegram", "whatsapp", "sms")
"""Where else a result may go; the cheapest first."""


def is_from_chat(lane: str) -> bool:
    """Whether this is the lane of a job whose result goes to a chat."""
    return is_job(lane) and lane.partition(":")[0] in SHARING


def home_of(update: Update) -> str:
    """The lane of the conversation that this belongs to: of a job from a chat, that chat's."""
    if is_from_chat(update.lane):
        return f"{update.channel}:{update.sender.address}"
    return update.lane


class Background:
    def __init__(self, inbox: Inbox, courier: Courier) -> None:
        self._inbox = inbox
        self._courier = courier

    async def begin(self, tx: Transaction, asked: Update, account: int, task: str) -> None:
        """Begin a job for whoever wrote `asked`, alone with Griot; `task` is for the model."""
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
        """Of each job of the person's chats that has not ended: `lane`, its `body` (the update),
        `steps` (how often a model has answered) and `seconds` since it was begun."""
        return await tx.fetch(_RUNNING, thread=thread_of(account))

    async def stop_all(self, tx: Transaction, account: int) -> None:
        """Have the jobs of the person's chats end."""
        for row in await self.list_running(tx, account):
            stop = msgspec.structs.replace(
                decode(row["body"], Update),
                delivery_key="stop",
                message_key="stop",
                content=Said("/stop"),
            )
            await self._inbox.put(tx, stop)

    async def bring_home(
        self,
        tx: Transaction,
        update: Update,
        account: int | None,
        outgoing: Sequence[Outgoing],
        *,
        sign: str = "",
    ) -> None:
        """Hand over what the job of this update says, once a `sign`; others say nothing by this."""
        if not outgoing or not is_from_chat(update.lane):
            return
        place = await self._find_place(tx, update, account, outgoing)
        if place is None:
            log.warning("job_untold", lane=update.lane)
            return
        await self._courier.hand_over(tx, place, outgoing, key=f"{update.conversation}{sign}")

    async def _find_place(
        self, tx: Transaction, update: Update, account: int | None, outgoing: Sequence[Outgoing]
    ) -> Place | None:
        """The chat, unless it takes nothing now, or has been logged out, and another one does. What
        is to be pressed is bound to the chat, and waits there."""
        if account is None:
            return self._courier.place(update.channel, update.via, update.sender.address)
        ways: list[Channel] = [update.channel]
        if not any(isinstance(one, AskQuiz | AskApproval) for one in outgoing):
            ways.extend(other for other in _ELSEWHERE if other != update.channel)
        for may_wait in (False, True):
            for way in ways:
                try:
                    return await self._courier.find(
                        tx,
                        way,
                        account=account,
                        may_wait=may_wait,
                        asked_for=way == update.channel,
                    )
                except ToolFailed:
                    continue
        return None


_RUNNING = """
SELECT inbox.lane, inbox.body, {now} - inbox.stored_at AS seconds, (
    SELECT count(*) FROM journal
    WHERE journal.lane = inbox.lane AND journal.turn = inbox.seq AND journal.kind = 'reply'
) AS steps
FROM lane JOIN inbox ON inbox.lane = lane.id AND inbox.delivery_key = 'begin'
WHERE lane.thread = :thread AND inbox.state = 'pending' ORDER BY inbox.seq
"""

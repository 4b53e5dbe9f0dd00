"""`/job`: what takes long is done in the background, and its result comes here."""

from __future__ import annotations

from bot.contracts import Transaction
from bot.gateway.background import Background
from bot.gateway.replies.response import Request, Response
from bot.gateway.threads import SHARING, thread_of

_TASK = "I want this done in the background, while I do other things: {task}"
_GO_ON = (
    "Go on in the background with what you were doing for me, and bring it to its end. I am not "
    "there to be asked."
)


class Working:
    def __init__(self, background: Background) -> None:
        self._background = background

    async def respond(self, request: Request) -> Response:
        """Begin the job that is named, or go on as one with the turn that was cut short; while one
        runs, how it stands."""
        update, account = request.update, request.person.account
        if account is None:
            return request.reply("Log in with /login first: guests have no jobs.")
        if update.channel not in SHARING or update.group:
            return request.reply("Jobs are for your own chat with me.")
        if running := await self._background.list_running(request.tx, account):
            if request.argument:
                return request.reply(
                    "I can do one at a time, and have not begun this one. Send it again when the "
                    "other is done; /stop ends that one."
                )
            return request.reply(
                "I am at it: step {step}, {minutes} min so far. /stop ends it.",
                step=running[0]["steps"] + 1,
                minutes=int(running[0]["seconds"] // 60),
            )
        task = await _task_of(request, account)
        if not task:
            return request.reply("Write what I shall do after it: /job a summary of my notes")
        await self._background.begin(request.tx, update, account, task)
        return request.reply(
            "I do it in the background, and write here when it is done. /stop ends it."
        )


async def _task_of(request: Request, account: int) -> str:
    """What the model is told; empty: there is nothing to do."""
    if request.argument:
        return _TASK.format(task=request.argument)
    lane, thread = request.update.lane, thread_of(account)
    return _GO_ON if await _was_cut_short(request.tx, lane, thread) else ""


async def _was_cut_short(tx: Transaction, lane: str, thread: str) -> bool:
    """Whether the last turn here was, and no job has been begun since."""
    row = await tx.fetch_one(_LAST, lane=lane, thread=thread)
    return row is not None and row["reason"] == "limit" and not row["gone_on"]


_LAST = """
SELECT reason, EXISTS (
    SELECT 1 FROM lane JOIN inbox ON inbox.lane = lane.id AND inbox.delivery_key = 'begin'
    WHERE lane.thread = :thread AND inbox.seq > turn.id
) AS gone_on
FROM turn WHERE lane = :lane AND attempts > 0 ORDER BY id DESC LIMIT 1
"""

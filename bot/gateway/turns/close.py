"""Close a turn with everything that follows from it: it is done, tried again, or given up."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from bot.accounts import ledger
from bot.agent.turn import Turn
from bot.contracts.storage import Transaction
from bot.errors import GriotError, LeaseLost, ModelRefused, ModelUnavailable
from bot.events import End, EndReason, Failure, UsageReport
from bot.gateway.context import GatewayContext
from bot.gateway.delivery.outbox import Composed, store_deliveries
from bot.gateway.inbound.inbox import WAITS_ALONE, Pending
from bot.gateway.inbox_rows import State, end_updates, postpone_update
from bot.gateway.jobs import BackgroundJobs, is_from_chat, is_job
from bot.gateway.lanes import SOON, Claim, lock_lane
from bot.gateway.turn_rows import (
    end_turn,
    insert_answered_turn,
    note_failure,
    note_turn_waits,
    note_workless,
)
from bot.gateway.turns.open import MAX_FAILURES, TriedTooOften, time_limit
from bot.gateway.turns.preview import LivePreview
from bot.i18n import best_language, say
from bot.messages.outgoing import Say

NO_DELIVERIES = Composed()
_ALONE_AT_MOST = 600.0


@dataclass(frozen=True, slots=True)
class TurnEnding:
    """How a turn ended, and what it owes."""

    reason: EndReason
    held: int
    cost: int
    """Credits; 0 with `our_fault`."""
    composed: Composed
    error: str = ""
    """For operators."""

    @property
    def our_fault(self) -> bool:
        return self.reason == "failed"


async def close_turn(
    tx: Transaction,
    claim: Claim,
    pending: Pending,
    turn: Turn,
    ending: TurnEnding,
    beside: Composed = NO_DELIVERIES,
) -> int:
    """End the turn: deliveries, ledger, spending, update done. Returns the credits charged.

    Args:
        beside: what is said after the answer, and is no part of it.

    Raises:
        LeaseLost: the lane is another process's by now, or the turn is erased; nothing is written.
    """
    await lock_lane(tx, claim)
    charged = await _charge(tx, claim, turn, ending)
    await _note_spending(tx, claim, turn)
    said = ending.composed
    whole = Composed([*said.bodies, *beside.bodies], said.rest)
    await _post(tx, claim, pending, whole)
    ended = await end_turn(
        tx,
        lane=claim.lane,
        turn=turn.id,
        reason=ending.reason,
        error=_printable(ending.error),
        usage=turn.usage,
        credits=charged,
    )
    if not ended:  # the person was erased meanwhile, and the turn with them
        raise LeaseLost(claim.lane)
    await mark_handled(tx, pending)
    return charged


async def close_without_turn(
    tx: Transaction,
    claim: Claim,
    pending: Pending,
    account: int | None,
    composed: Composed,
    *,
    refused: bool = False,
) -> None:
    """End an update that needed no model, or may have none: a turn that cost nothing.

    The caller holds the lane.
    """
    await _post(tx, claim, pending, composed)
    await insert_answered_turn(
        tx,
        lane=claim.lane,
        turn=pending.seq,
        account=account,
        reason="refused" if refused else "answered",
        attempts=int(refused),
    )
    await mark_handled(tx, pending)


async def mark_handled(tx: Transaction, pending: Pending, *, state: State = "done") -> None:
    """The updates of this turn wait no longer."""
    await end_updates(tx, pending.seq, [pending.seq, *pending.members], state)


async def is_pending(tx: Transaction, seq: int) -> bool:
    """Whether the update still waits to be handled."""
    return await tx.fetch_one(_IS_PENDING, turn=seq) is not None


async def postpone_turn(
    tx: Transaction,
    claim: Claim,
    pending: Pending,
    *,
    pause: float,
    seconds_used: float,
    error: str,
) -> None:
    """Try the turn again after `pause` seconds. Where that is more than `SOON`, the messages
    behind it are handled first, in order; else they wait.

    A wish to stop it, told meanwhile, stays. Nothing happens to a turn that has ended.

    Args:
        seconds_used: of the turn's time limit, by this try and the pause.
    """
    await lock_lane(tx, claim)
    if not await is_pending(tx, pending.seq):
        return
    await postpone_update(tx, pending.seq, pause, aside=pause > SOON)
    await note_failure(
        tx,
        lane=claim.lane,
        turn=pending.seq,
        state="running",
        error=_printable(error),
        failures=pending.failures + 1,
        seconds_used=seconds_used,
    )


async def hand_back(tx: Transaction, claim: Claim) -> None:
    """Note that the claim's owner works on none of the lane's turns any more, so that what
    interrupted them is not taken for its death. The caller holds the lane."""
    await note_workless(tx, claim.lane, claim.owner)


async def note_waits_alone(tx: Transaction, claim: Claim, pending: Pending) -> None:
    """Note that the turn waits to run alone, so that it is not suspected of what its process dies
    of meanwhile. After `_ALONE_AT_MOST` seconds every death counts, so that two turns which both
    kill their process come to an end. Raises `LeaseLost`."""
    await lock_lane(tx, claim)
    await note_turn_waits(
        tx,
        lane=claim.lane,
        turn=pending.seq,
        deaths=pending.deaths,
        worker=WAITS_ALONE + claim.owner,
        most=_ALONE_AT_MOST,
    )


async def give_up_turn(
    tx: Transaction, claim: Claim, pending: Pending, composed: Composed, *, error: str
) -> None:
    """Give up: the turn is dead until an operator replays it, what it held is given back.

    Nothing happens to a turn that has ended.
    """
    await lock_lane(tx, claim)
    seq = pending.seq
    if not await is_pending(tx, seq):
        return
    row = await tx.fetch_one(_OWED, lane=claim.lane, turn=seq)
    if row and row["account"] is not None and row["reserved"]:
        await ledger.refund(
            tx, account=row["account"], turn=f"{claim.lane}/{seq}", held=row["reserved"]
        )
    await _post(tx, claim, pending, composed, first=-1)
    await note_failure(
        tx,
        lane=claim.lane,
        turn=seq,
        state="dead",
        error=_printable(error),
        failures=pending.failures + 1,
        seconds_used=0.0,
    )
    await mark_handled(tx, pending, state="dead")


async def _post(
    tx: Transaction, claim: Claim, pending: Pending, composed: Composed, *, first: int = 0
) -> None:
    if not is_from_chat(claim.lane):  # such a job is heard where it was begun
        await store_deliveries(
            tx, claim.lane, pending.seq, composed, via=pending.update.via, first=first
        )


def _printable(error: str) -> str:
    return error.replace("\0", "")[:500]


async def _charge(tx: Transaction, claim: Claim, turn: Turn, ending: TurnEnding) -> int:
    account = turn.person.account
    if account is None:
        return 0
    name = f"{claim.lane}/{turn.id}"
    if ending.our_fault:
        await ledger.refund(tx, account=account, turn=name, held=ending.held)
        return 0
    return await ledger.settle(tx, account=account, turn=name, held=ending.held, cost=ending.cost)


async def _note_spending(tx: Transaction, claim: Claim, turn: Turn) -> None:
    rows = [
        {
            "lane": claim.lane,
            "turn": turn.id,
            "kind": kind,
            "name": name,
            "calls": calls,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "usd": usage.usd,
        }
        for (kind, name), (calls, usage) in turn.spending.items()
    ]
    if rows:
        await tx.execute_many(_SPENT, rows)


_RETRY_PAUSES = (1.0, 4.0, 12.0, 30.0)
"""Seconds before the second, third, fourth and fifth try."""
_WATCHED_SHARE = 0.25
"""The same, as a share, where someone watches the stream."""
_LEAST_SECONDS = 5.0
"""Seconds that must be left of the turn's time for another try to be worth it."""
log = structlog.get_logger()


class SetAside(GriotError):
    """The turn shows no sign of life, and others wait behind it: it is tried again after them."""


class TurnFailures:
    def __init__(self, parts: GatewayContext, background: BackgroundJobs) -> None:
        self._parts = parts
        self._background = background

    async def fail(
        self, claim: Claim, pending: Pending, live: LivePreview, error: Exception, seconds: float
    ) -> None:
        """Try again after a pause; give up when that cannot help, or was done often enough.

        Args:
            seconds: that this try took.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        cause = f"{type(error).__name__}: {error}"
        pause = self._pause_before_next_try(pending, error, seconds)
        if pause is None:
            await self.give_up(claim, pending, live, cause)
            return
        used = seconds + pause

        async def work(tx: Transaction) -> None:
            await postpone_turn(tx, claim, pending, pause=pause, seconds_used=used, error=cause)

        await self._parts.database.write(work)
        log.info("turn_postponed", pause=round(pause, 1), failures=pending.failures + 1)
        self._parts.metrics.turn_retries(type(error).__name__).inc()
        if pause > SOON:
            await live.tell_of_delay()

    def _pause_before_next_try(
        self, pending: Pending, error: Exception, seconds: float
    ) -> float | None:
        """Return for how many seconds to wait; None: another try cannot help, or there is no time
        left for one."""
        failures = pending.failures + 1
        if isinstance(error, ModelRefused | TriedTooOften) or failures >= MAX_FAILURES:
            return None
        pause = _RETRY_PAUSES[min(failures, len(_RETRY_PAUSES)) - 1]
        if self._parts.adapter_of(pending.update).capabilities.streams:
            pause *= _WATCHED_SHARE
        if isinstance(error, ModelUnavailable):
            pause = max(pause, error.after)
        if isinstance(error, SetAside):
            pause = max(pause, 2 * SOON)  # those behind it go first
        limit = time_limit(self._parts.settings, is_job=is_job(pending.update.lane))
        left = limit - pending.seconds_used - seconds - pause
        return pause if left > min(_LEAST_SECONDS, limit / 2) else None

    async def give_up(self, claim: Claim, pending: Pending, live: LivePreview, cause: str) -> None:
        """Say so once in plain words, and keep the update for an operator to replay."""
        language = best_language(pending.update.sender.language)
        words = say(
            language,
            "Something went wrong on my side. Please send your message again; this one is free.",
        )
        update, sorry = pending.update, [Say(words)]
        composed = self._parts.posting.compose(sorry, self._parts.adapter_of(update), language)

        async def work(tx: Transaction) -> None:
            await give_up_turn(tx, claim, pending, composed, error=cause)
            await self._background.bring_home(tx, update, None, sorry, sign=":failed")

        await self._parts.database.write(work)
        live.emit(Failure("turn_failed", words))
        live.emit(UsageReport(0, 0, 0.0, 0))
        live.emit(End("failed"))
        self._parts.metrics.turns("failed").inc()


_IS_PENDING = """
SELECT seq FROM inbox WHERE seq = :turn AND state = 'pending'
"""

_OWED = """
SELECT account, reserved FROM turn WHERE lane = :lane AND id = :turn
"""

_SPENT = """
INSERT INTO spending (lane, turn, kind, name, calls, input_tokens, output_tokens, usd)
VALUES (:lane, :turn, :kind, :name, :calls, :input_tokens, :output_tokens, :usd)
ON CONFLICT (lane, turn, kind, name) DO NOTHING
"""

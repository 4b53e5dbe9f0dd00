"""How a turn ends: one transaction with everything that follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.accounts import ledger
from bot.agent.turn import Turn
from bot.contracts import Transaction
from bot.errors import LeaseLost
from bot.events import EndReason
from bot.gateway.background import is_from_chat
from bot.gateway.lanes import SOON, Claim, hold
from bot.gateway.receiving.inbox import Pending
from bot.gateway.sending.deliveries import Composed, post

NOTHING = Composed()


@dataclass(frozen=True, slots=True)
class Ending:
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


async def close(
    tx: Transaction,
    claim: Claim,
    pending: Pending,
    turn: Turn,
    ending: Ending,
    beside: Composed = NOTHING,
) -> int:
    """End the turn: deliveries, ledger, spending, update done. Returns the credits charged.

    Args:
        beside: what is said after the answer, and is no part of it.

    Raises:
        LeaseLost: the lane is another process's by now, or the turn is erased; nothing is written.
    """
    await hold(tx, claim)
    charged = await _charge(tx, claim, turn, ending)
    await _note_spending(tx, claim, turn)
    said = ending.composed
    whole = Composed([*said.bodies, *beside.bodies], said.rest)
    await _post(tx, claim, pending, whole)
    ended = await tx.execute(
        _DONE,
        lane=claim.lane,
        turn=turn.id,
        reason=ending.reason,
        error=_printable(ending.error),
        input_tokens=turn.usage.input_tokens,
        output_tokens=turn.usage.output_tokens,
        usd=turn.usage.usd,
        credits=charged,
    )
    if not ended:  # the person was erased meanwhile, and the turn with them
        raise LeaseLost(claim.lane)
    await mark_handled(tx, pending)
    return charged


async def close_at_once(
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
    await tx.execute(
        _AT_ONCE,
        lane=claim.lane,
        turn=pending.seq,
        account=account,
        reason="refused" if refused else "answered",
        attempts=int(refused),
    )
    await mark_handled(tx, pending)


async def mark_handled(tx: Transaction, pending: Pending, *, state: str = "done") -> None:
    """The updates of this turn wait no longer."""
    members = [pending.seq, *pending.members]
    await tx.execute_many(
        _HANDLED, [{"seq": seq, "turn": pending.seq, "state": state} for seq in members]
    )


async def is_pending(tx: Transaction, seq: int) -> bool:
    """Whether the update still waits to be handled."""
    return await tx.fetch_one(_PENDING, turn=seq) is not None


async def postpone(
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
    await hold(tx, claim)
    if not await is_pending(tx, pending.seq):
        return
    await tx.execute(_POSTPONE, turn=pending.seq, pause=pause, aside=int(pause > SOON))
    await tx.execute(
        _FAILED,
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
    await tx.execute(_HAND_BACK, lane=claim.lane, owner=claim.owner)


async def bury(
    tx: Transaction, claim: Claim, pending: Pending, composed: Composed, *, error: str
) -> None:
    """Give up: the turn is dead until an operator replays it, what it held is given back.

    Nothing happens to a turn that has ended.
    """
    await hold(tx, claim)
    seq = pending.seq
    if not await is_pending(tx, seq):
        return
    row = await tx.fetch_one(_OWED, lane=claim.lane, turn=seq)
    if row and row["account"] is not None and row["reserved"]:
        await ledger.refund(
            tx, account=row["account"], turn=f"{claim.lane}/{seq}", held=row["reserved"]
        )
    await _post(tx, claim, pending, composed, first=-1)
    await tx.execute(
        _FAILED,
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
        await post(tx, claim.lane, pending.seq, composed, via=pending.update.via, first=first)


def _printable(error: str) -> str:
    return error.replace("\0", "")[:500]


async def _charge(tx: Transaction, claim: Claim, turn: Turn, ending: Ending) -> int:
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


_DONE = """
UPDATE turn SET state = 'done', reason = :reason, error = :error, input_tokens = :input_tokens,
    output_tokens = :output_tokens, usd = :usd, credits = :credits, ended_at = {now}
WHERE lane = :lane AND id = :turn
"""

_HANDLED = """
UPDATE inbox SET state = :state, turn = :turn WHERE seq = :seq
"""

_AT_ONCE = """
INSERT INTO turn (lane, id, account, state, reason, attempts, started_at, ended_at)
VALUES (:lane, :turn, :account, 'done', :reason, :attempts, {now}, {now})
ON CONFLICT (lane, id) DO UPDATE SET state = 'done', reason = excluded.reason, ended_at = {now}
"""

_POSTPONE = """
UPDATE inbox SET ready_at = {now} + :pause, joins = 0, aside = :aside WHERE seq = :turn
"""

_HAND_BACK = """
UPDATE turn SET worker = '' WHERE lane = :lane AND state = 'running' AND worker = :owner
"""

_FAILED = """
INSERT INTO turn
    (lane, id, state, reason, error, attempts, failures, seconds_used, started_at)
VALUES (:lane, :turn, :state, 'failed', :error, 1, :failures, :seconds_used, {now})
ON CONFLICT (lane, id) DO UPDATE SET state = excluded.state,
    reason = CASE
        WHEN turn.reason = 'stopping' AND excluded.state = 'running' THEN turn.reason
        ELSE 'failed'
    END,
    attempts = CASE WHEN turn.attempts > 0 THEN turn.attempts ELSE 1 END,
    failures = excluded.failures, worker = '',
    seconds_used = turn.seconds_used + excluded.seconds_used,
    error = excluded.error, ended_at = CASE WHEN excluded.state = 'dead' THEN {now} ELSE NULL END
"""

_PENDING = """
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

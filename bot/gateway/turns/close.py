"""Close a turn with everything that follows from it: deliveries, credits, spending."""

from __future__ import annotations

from dataclasses import dataclass

from bot.accounts import ledger
from bot.agent.turn import Turn
from bot.contracts.storage import Transaction
from bot.errors import LeaseLost
from bot.events import EndReason
from bot.gateway.deliveries import Composed
from bot.gateway.inbound.inbox import Pending
from bot.gateway.inbox_rows import State, end_updates
from bot.gateway.jobs import is_from_chat
from bot.gateway.lanes import Claim, lock_lane
from bot.gateway.outbox_rows import store_deliveries
from bot.gateway.turn_rows import (
    end_turn,
    insert_answered_turn,
)


@dataclass(frozen=True, slots=True)
class TurnEnding:
    """How a turn ended, what it costs and what it says."""

    reason: EndReason
    held: int
    cost: int
    """Credits; 0 if the turn failed, which is our fault."""
    composed: Composed
    error: str = ""
    """The cause of a failure, or that a job has no answer, for operators."""


async def close_turn(
    tx: Transaction,
    claim: Claim,
    pending: Pending,
    turn: Turn,
    ending: TurnEnding,
) -> int:
    """Store the end of a turn: deliveries, charge, spending, updates; return the credits charged.

    Raises:
        LeaseLost: the lane is another process's by now, or the turn is erased; nothing is written.
    """
    await lock_lane(tx, claim)
    charged = await _charge(tx, claim, turn, ending)
    await _note_spending(tx, claim, turn)
    await store_said(tx, claim, pending, ending.composed)
    ended = await end_turn(
        tx,
        lane=claim.lane,
        turn=turn.id,
        reason=ending.reason,
        error=shorten_error(ending.error),
        usage=turn.usage,
        credits=charged,
    )
    if not ended:  # the person was erased meanwhile, and the turn with them
        raise LeaseLost(claim.lane)
    await mark_handled(tx, claim, pending)
    return charged


async def close_without_turn(
    tx: Transaction,
    claim: Claim,
    pending: Pending,
    account: int | None,
    composed: Composed,
    *,
    refused: bool = False,
    refusal: str = "",
) -> None:
    """End an update that needed no model, or was refused one, as a turn that cost nothing.

    The caller has locked the lane.

    Args:
        refusal: the name of the refusal that the person is told; empty: they are told none.
    """
    await store_said(tx, claim, pending, composed, by_model=False)
    await insert_answered_turn(
        tx,
        lane=claim.lane,
        turn=pending.seq,
        account=account,
        refused=refused,
        error=refusal,
    )
    await mark_handled(tx, claim, pending)


async def mark_handled(
    tx: Transaction, claim: Claim, pending: Pending, *, state: State = "done"
) -> None:
    """Store that all updates of a turn have ended, in this state."""
    members = [pending.seq, *pending.members]
    await end_updates(tx, claim.lane, pending.seq, members, state)


async def is_pending(tx: Transaction, claim: Claim, seq: int) -> bool:
    """Return whether the update still waits to be handled."""
    return await tx.fetch_one(_IS_PENDING, lane=claim.lane, seq=seq) is not None


async def store_said(
    tx: Transaction,
    claim: Claim,
    pending: Pending,
    composed: Composed,
    *,
    first: int = 0,
    by_model: bool = True,
) -> None:
    """Store what a turn says, numbered from `first`, unless it is a job of a chat."""
    if not is_from_chat(claim.lane):  # such a job's output is sent to its chat
        via = pending.update.via
        await store_deliveries(
            tx, claim.lane, pending.seq, composed, via=via, first=first, by_model=by_model
        )


def shorten_error(error: str) -> str:
    """Shorten an error to 500 characters that every database can store."""
    return error.replace("\0", "")[:500]


async def _charge(tx: Transaction, claim: Claim, turn: Turn, ending: TurnEnding) -> int:
    account = turn.person.account
    if account is None:
        return 0
    name = f"{claim.lane}/{turn.id}"
    if ending.reason == "failed":
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


_IS_PENDING = """
SELECT seq FROM inbox WHERE lane = :lane AND seq = :seq AND state = 'pending'
"""

_SPENT = """
INSERT INTO spending (lane, turn, kind, name, calls, input_tokens, output_tokens, usd)
VALUES (:lane, :turn, :kind, :name, :calls, :input_tokens, :output_tokens, :usd)
ON CONFLICT (lane, turn, kind, name) DO NOTHING
"""

"""Write the table `turn`: this is the only module that does.

The callers decide what may be written when, within their transactions.
"""

from __future__ import annotations

from bot.contracts.storage import Transaction
from bot.gateway.lanes import Claim
from bot.messages.transcript import Usage


async def insert_admitted_turn(
    tx: Transaction, lane: str, turn: int, *, account: int | None, held: int
) -> None:
    """Store a turn that was admitted with its message, and has not begun.

    Args:
        held: credits that are reserved for it.
    """
    await tx.execute(_ADMIT, lane=lane, turn=turn, account=account, held=held)


async def insert_answered_turn(
    tx: Transaction,
    *,
    lane: str,
    turn: int,
    account: int | None,
    refused: bool,
    error: str,
) -> None:
    """Store the turn of an update that was answered without a model, or refused one, as done."""
    await tx.execute(
        _ANSWERED,
        lane=lane,
        turn=turn,
        account=account,
        reason="refused" if refused else "answered",
        attempts=int(refused),
        error=error,
    )


async def begin_turn(
    tx: Transaction,
    *,
    lane: str,
    turn: int,
    account: int | None,
    held: int,
    attempt: int,
    deaths: int,
    worker: str,
) -> None:
    """Store that a worker begins the turn.

    Args:
        deaths: how many times in a row its process has died, perhaps because of it.
    """
    await tx.execute(
        _BEGIN,
        lane=lane,
        turn=turn,
        account=account,
        held=held,
        attempt=attempt,
        deaths=deaths,
        worker=worker,
    )


async def take_up_turn(
    tx: Transaction, *, lane: str, turn: int, attempt: int, deaths: int, steps: int, worker: str
) -> None:
    """Store that a worker goes on with the turn, which has `steps` rows in the journal."""
    await tx.execute(
        _TAKE_UP,
        lane=lane,
        turn=turn,
        attempt=attempt,
        deaths=deaths,
        steps=steps,
        worker=worker,
    )


async def note_turn_waits(
    tx: Transaction, *, lane: str, turn: int, deaths: int, worker: str
) -> None:
    """Store that the turn waits to run alone.

    From ten minutes after its begin on it is not stored, so that every death counts: two turns
    which both kill their process are given up in the end.
    """
    await tx.execute(_WAITS, lane=lane, turn=turn, deaths=deaths, worker=worker)


async def note_workless(tx: Transaction, claim: Claim) -> None:
    """Store that the claim's owner works on none of the lane's turns any more, so that their
    interruption is not counted as its death. The caller has locked the lane."""
    await tx.execute(_WORKLESS, lane=claim.lane, owner=claim.owner)


async def note_stopping(tx: Transaction, lane: str, *, before: int) -> None:
    """Store that the person wants the running turn stopped when it is taken up; where none runs,
    that of the first update that waits, unless it came after the update `before`."""
    if not await tx.execute(_STOPPING, lane=lane):
        await tx.execute(_STOPPING_UNBEGUN, lane=lane, before=before)


async def note_failure(
    tx: Transaction,
    *,
    lane: str,
    turn: int,
    state: str,
    error: str,
    failures: int,
    seconds_used: float,
) -> None:
    """Store that a try of the turn failed.

    Args:
        state: `running` if it is tried again, `dead` if it is given up.
        seconds_used: seconds of its time limit that this try and the pause after it take.
    """
    await tx.execute(
        _FAILED,
        lane=lane,
        turn=turn,
        state=state,
        error=error,
        failures=failures,
        seconds_used=seconds_used,
    )


async def end_turn(
    tx: Transaction,
    *,
    lane: str,
    turn: int,
    reason: str,
    error: str,
    usage: Usage,
    credits: int,  # noqa: A002 (the column)
) -> bool:
    """Store that the turn is done, and what it cost; return False if it no longer exists."""
    return bool(
        await tx.execute(
            _END,
            lane=lane,
            turn=turn,
            reason=reason,
            error=error,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            usd=usage.usd,
            credits=credits,
        )
    )


async def add_turn_cost(tx: Transaction, lane: str, turn: int, usd: float) -> None:
    """Add to what the turn cost, in dollars."""
    await tx.execute(_ADD_COST, lane=lane, turn=turn, usd=usd)


async def revive_turn(tx: Transaction, lane: str, turn: int) -> None:
    """Have a dead turn run again."""
    await tx.execute(_REVIVE, lane=lane, turn=turn)


_ADMIT = """
INSERT INTO turn (lane, id, account, reserved, reason, started_at)
VALUES (:lane, :turn, :account, :held, 'admitted', {now})
"""

_ANSWERED = """
INSERT INTO turn (lane, id, account, state, reason, error, attempts, started_at, ended_at)
VALUES (:lane, :turn, :account, 'done', :reason, :error, :attempts, {now}, {now})
ON CONFLICT (lane, id) DO UPDATE SET state = 'done', reason = excluded.reason,
    error = CASE WHEN excluded.error = '' THEN turn.error ELSE excluded.error END, ended_at = {now}
"""

_BEGIN = """
INSERT INTO turn (lane, id, account, attempts, deaths, steps, worker, reserved, started_at)
VALUES (:lane, :turn, :account, :attempt, :deaths, 1, :worker, :held, {now})
ON CONFLICT (lane, id) DO UPDATE SET account = excluded.account, attempts = excluded.attempts,
    deaths = excluded.deaths, steps = excluded.steps, worker = excluded.worker,
    reserved = excluded.reserved, state = 'running',
    reason = CASE WHEN turn.reason IN ('failed', 'admitted') THEN '' ELSE turn.reason END
"""

_TAKE_UP = """
UPDATE turn SET attempts = :attempt, deaths = :deaths, steps = :steps, worker = :worker,
    state = 'running',
    reason = CASE WHEN reason = 'failed' THEN '' ELSE reason END
WHERE lane = :lane AND id = :turn
"""

_WAITS = """
UPDATE turn SET deaths = :deaths, worker = :worker
WHERE lane = :lane AND id = :turn AND state = 'running' AND started_at > {now} - 600
"""

_WORKLESS = """
UPDATE turn SET worker = '' WHERE lane = :lane AND state = 'running' AND worker = :owner
"""

_STOPPING = """
UPDATE turn SET reason = 'stopping' WHERE lane = :lane AND state = 'running'
"""

_STOPPING_UNBEGUN = """
INSERT INTO turn (lane, id, reason, started_at)
SELECT lane, seq, 'stopping', {now} FROM inbox
WHERE lane = :lane AND state = 'pending' AND bypass_queue = 0 AND turn IS NULL AND seq < :before
ORDER BY seq LIMIT 1
ON CONFLICT (lane, id) DO NOTHING
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

_END = """
UPDATE turn SET state = 'done', reason = :reason, error = :error, input_tokens = :input_tokens,
    output_tokens = :output_tokens, usd = :usd, credits = :credits, ended_at = {now}
WHERE lane = :lane AND id = :turn
"""

_ADD_COST = """
UPDATE turn SET usd = usd + :usd WHERE lane = :lane AND id = :turn
"""

# Attempt 1, not 0: from the second attempt on a turn goes on from its journal, so that no tool
# whose effect happened before it died runs again.
_REVIVE = """
UPDATE turn SET state = 'running', attempts = 1, failures = 0, deaths = 0, worker = '',
    seconds_used = 0, reason = '', error = '', ended_at = NULL
WHERE lane = :lane AND id = :turn
"""

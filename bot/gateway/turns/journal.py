"""The journal: what a turn has done so far, row by row; over all turns, the transcript.

Every row is written under the lane's fence before the turn goes on, so a turn can be taken up from
its last row by whoever has the lane after a crash.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.contracts import Database, Finished, Transaction
from bot.errors import LeaseLost
from bot.gateway.lanes import Claim, hold
from bot.gateway.receiving.inbox import Pending
from bot.gateway.turns.steering import Heard, overhear
from bot.gateway.turns.transcript import Record
from bot.messages import ModelReply, UserMessage, encode


class TurnJournal:
    """Implements `contracts.Journal` for one turn, under the fence of one claim."""

    def __init__(
        self,
        database: Database,
        claim: Claim,
        pending: Pending,
        record: Record,
        *,
        steers: bool = False,
    ) -> None:
        self._database = database
        self._claim = claim
        self._turn = pending.seq
        self._pending = pending
        self._step = record.rows
        self._intents = record.intents
        self._steers = steers
        self.members = list(pending.members)
        """Numbers of all updates that are the turn's, beside the first."""

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

    async def arrived(self, message: UserMessage) -> None:
        """What the turn begins with, now that its attachments are there. Raises `LeaseLost`."""

        async def work(tx: Transaction) -> None:
            await hold(tx, self._claim)
            body = encode(message)
            await tx.execute(_ARRIVED, lane=self._claim.lane, turn=self._turn, body=body)

        await self._database.write(work)

    async def overheard(self) -> list[UserMessage]:
        if not self._steers:
            return []
        first = self._step

        async def work(tx: Transaction) -> list[Heard]:
            heard = await overhear(tx, self._claim, self._pending, self.members)
            rows = [("user", encode(message)) for _, message in heard]
            await append(tx, self._claim.lane, self._turn, first, rows)
            return heard

        heard = await self._database.write(work)
        self._step += len(heard)
        self.members += [seq for seq, _ in heard]
        return [message for _, message in heard]

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

_ARRIVED = """
UPDATE journal SET kind = 'user', body = :body WHERE lane = :lane AND turn = :turn AND step = 0
"""

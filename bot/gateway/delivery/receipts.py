"""What providers report about deliveries after they took them: delivered, read, failed.

Reports come in any order, more than once, and now and then before our own note of the delivery.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

import msgspec

from bot.contracts.channels import Adapter
from bot.contracts.storage import Database, Row, Transaction
from bot.gateway.lanes import note_unreachable, wake_lane
from bot.gateway.outbox import (
    WhenRefused,
    accept_refusal,
    find_reported,
    give_provider_id,
    is_code_delivery,
    note_arrived,
    note_failed,
    wait_for_window,
)
from bot.learning.task_reminders import note_in_doubt
from bot.messages.incoming import Receipt
from bot.messages.outgoing import decode_body
from bot.messages.value import decode, encode
from bot.observability import Metrics


class Receipts:
    def __init__(
        self,
        database: Database,
        adapters: Mapping[str, Adapter],
        metrics: Metrics,
        when_refused: WhenRefused = accept_refusal,
    ) -> None:
        self._database = database
        self._adapters = adapters
        self._metrics = metrics
        self._when_refused = when_refused

    async def take(self, receipts: Sequence[Receipt]) -> None:
        """Note what they say, durably when this returns. `sent` is nothing new."""
        reported = sorted(
            (item for item in receipts if item.state != "sent"), key=lambda item: item.provider_id
        )
        if reported:
            reported = await self._database.write(lambda tx: self._note(tx, reported))
        for receipt in reported:
            if receipt.state == "failed":
                adapter = self._adapters[receipt.via]
                await settle_early(self._database, adapter, receipt.provider_id, self._when_refused)
        for receipt in receipts:
            self._metrics.receipts(receipt.via, receipt.state).inc()

    async def _note(self, tx: Transaction, receipts: Sequence[Receipt]) -> list[Receipt]:
        """Note them; as they are about deliveries that are known, where any are."""
        resolved = [await self._resolve(tx, receipt) for receipt in receipts]
        for receipt in resolved:
            if receipt.state == "failed":
                if not await _fail(tx, receipt, self._adapters[receipt.via], self._when_refused):
                    await _keep_early(tx, receipt)
            elif receipt.state != "sent":
                await note_arrived(tx, receipt.provider_id, receipt.state)
        return resolved

    async def _resolve(self, tx: Transaction, receipt: Receipt) -> Receipt:
        """Return a receipt whose id no delivery has with the id of the newest delivery to its
        address, where it names one."""
        if not receipt.address:
            return receipt
        if receipt.provider_id and await find_reported(tx, receipt.provider_id):
            return receipt
        lane = f"{self._adapters[receipt.via].channel}:{receipt.address}"
        row = await tx.fetch_one(_NEWEST_UNREPORTED, lane=lane, via=receipt.via)
        if row is None or row["state"] == "attempting":
            return receipt  # its id is not known yet, and the report may be about it
        found = row["provider_id"]
        if not found:
            found = receipt.provider_id or f"{receipt.via}:{secrets.token_hex(8)}"
            await give_provider_id(tx, row["id"], found)
        return msgspec.structs.replace(receipt, provider_id=found)


async def settle_early(
    database: Database,
    adapter: Adapter,
    provider_id: str,
    when_refused: WhenRefused = accept_refusal,
) -> None:
    """Apply a failure that was reported before the delivery's own outcome was durable.

    Both sides look for the other's note after their own is committed, so one of them finds it.
    """
    key = {"via": adapter.name, "provider_id": provider_id}

    async def look(tx: Transaction) -> Row | None:
        return await tx.fetch_one(_EARLY, **key)

    async def settle(tx: Transaction) -> None:
        row = await tx.fetch_one(_EARLY, **key)
        if row is None:
            return
        if await _fail(tx, decode(row["body"], Receipt), adapter, when_refused):
            await tx.execute(_SETTLED, **key)

    if await database.read(look) is not None:
        await database.write(settle)


async def _keep_early(tx: Transaction, receipt: Receipt) -> None:
    if not receipt.provider_id:  # nothing will ever be found by it
        return
    await tx.execute(
        _KEEP_EARLY, via=receipt.via, provider_id=receipt.provider_id, body=encode(receipt)
    )
    await tx.execute("DELETE FROM receipt WHERE at < {now} - 86400")


async def _fail(
    tx: Transaction, receipt: Receipt, adapter: Adapter, when_refused: WhenRefused
) -> bool:
    """Note that it failed; False: no such delivery is known."""
    row = await find_reported(tx, receipt.provider_id)
    if row is None:
        return False
    if row["receipt"]:
        return True  # it has arrived, or was reported before
    lane, body = row["lane"], decode_body(row["body"])
    await note_in_doubt(tx, lane, row["turn"])
    if receipt.cause == "window" and adapter.capabilities.window and not is_code_delivery(body):
        await wake_lane(tx, lane)  # a template may have to be sent
        await wait_for_window(tx, lane, row["id"], body, adapter.capabilities)
        await tx.announce(lane)
        return True
    await note_failed(tx, row["id"], receipt.error)
    if receipt.cause in {"opted_out", "dead"}:
        await note_unreachable(tx, lane, opted_out=receipt.cause == "opted_out")
    await when_refused(tx, lane, body, "refused")
    return True


_NEWEST_UNREPORTED = """
SELECT id, provider_id, state FROM outbox
WHERE lane = :lane AND via = :via AND receipt = '' AND created_at > {now} - 86400
    AND state IN ('attempting', 'sent', 'unknown')
ORDER BY CASE WHEN state = 'attempting' THEN 0 ELSE 1 END, id DESC LIMIT 1
"""

_KEEP_EARLY = """
INSERT INTO receipt (via, provider_id, body, at) VALUES (:via, :provider_id, :body, {now})
ON CONFLICT (via, provider_id) DO NOTHING
"""

_EARLY = """
SELECT body FROM receipt WHERE via = :via AND provider_id = :provider_id
"""

_SETTLED = """
DELETE FROM receipt WHERE via = :via AND provider_id = :provider_id
"""

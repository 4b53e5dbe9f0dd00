"""Apply what providers report about deliveries after they took them: delivered, read, failed.

Reports come in any order, more than once, and now and then before the delivery's own outcome is
stored.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
import structlog

from bot.accounts.aliases import find_address
from bot.contracts.channels import Adapter
from bot.contracts.storage import Database, Row, Transaction
from bot.gateway.deliveries import WhenHeld, WhenRefused
from bot.gateway.delivery.message_costs import BookedMessage, MessageCosts
from bot.gateway.lanes import note_unreachable, wake_lane
from bot.gateway.outbox_rows import (
    find_reported,
    give_provider_id,
    note_arrived,
    note_failed,
    send_instead,
    wait_for_sender,
    wait_for_window,
)
from bot.gateway.reply_window import is_code_delivery
from bot.learning.tasks import note_in_doubt
from bot.messages.channels import Channel
from bot.messages.incoming import Receipt
from bot.messages.outgoing import decode_body, link_refused_file
from bot.messages.value import decode, encode
from bot.observability import Metrics

log = structlog.get_logger()


class Receipts:
    """Applies reports to their deliveries, and keeps early reports until their delivery is known.

    Args:
        costs: books the costs of messages.
        link: makes a signed link to a file by its id.
    """

    def __init__(
        self,
        database: Database,
        adapters: Mapping[str, Adapter],
        metrics: Metrics,
        when_refused: WhenRefused,
        when_held: WhenHeld,
        costs: MessageCosts,
        link: Callable[[str], str],
    ) -> None:
        self._database = database
        self._adapters = adapters
        self._metrics = metrics
        self._when_refused = when_refused
        self._when_held = when_held
        self._costs = costs
        self._link = link

    async def take(self, receipts: Sequence[Receipt]) -> None:
        """Apply reports, durably when this returns. `sent` is news only with a price."""
        news = [each for each in receipts if self._is_news(each)]
        for receipt in await self._store(sorted(news, key=_order)):
            await self.settle_early(receipt.via, receipt.provider_id)
        for receipt in receipts:
            self._metrics.receipts(receipt.via, receipt.state).inc()

    async def settle_early(self, via: str, provider_id: str) -> None:
        """Apply reports that came before the delivery's own outcome was durable.

        The sender and the receiver of reports each look for the other's row after committing their
        own, so one of them finds it.
        """
        await self._settle(_EARLY, via=via, provider_id=provider_id)

    async def settle_kept(self) -> None:
        """Apply kept reports of deliveries whose process died before it could look for them, or
        that came into doubt within the last quarter of an hour."""
        await self._settle(_KEPT)

    async def _settle(self, query: str, **values: str) -> None:
        rows = await self._database.read(lambda tx: tx.fetch(query, **values))
        by_id: defaultdict[str, list[Receipt]] = defaultdict(list)
        for row in rows:  # the oldest first, as deliveries in doubt are
            receipt = decode(row["body"], Receipt)
            by_id[receipt.provider_id].append(receipt)
        for receipts in by_id.values():
            await self._store(sorted(receipts, key=_order), is_kept=True)

    def _is_news(self, receipt: Receipt) -> bool:
        adapter = self._adapters.get(receipt.via)
        return adapter is not None and (
            receipt.state != "sent" or self._costs.concern(receipt, adapter)
        )

    async def _store(
        self, receipts: Sequence[Receipt], *, is_kept: bool = False
    ) -> Sequence[Receipt]:
        """Apply reports, and count the costs that they book; keep those without a known delivery.

        Args:
            is_kept: the reports were kept before.

        Returns:
            The reports without a known delivery.
        """
        booked: dict[str, BookedMessage] = {}

        async def work(tx: Transaction) -> list[Receipt]:
            resolved = [await self._resolve(tx, receipt) for receipt in receipts]
            early: list[Receipt] = []
            for given, receipt in zip(receipts, resolved, strict=True):
                row = await find_reported(tx, receipt.provider_id)
                if row is None:
                    early.append(receipt)
                    continue
                if found := await self._note(tx, row, receipt):
                    booked[receipt.provider_id] = found
                if is_kept:
                    await tx.execute(_SETTLED, **_name(given))
            if not is_kept:
                await _keep_early(tx, early)
            return early

        early = await self._database.write(work) if receipts else []
        for each in booked.values():
            self._metrics.messages(each.channel, each.category).inc()
            self._metrics.message_usd(each.channel, each.category).inc(each.usd)
        return early

    async def _note(self, tx: Transaction, row: Row, receipt: Receipt) -> BookedMessage | None:
        """Store a report about a known delivery; return the cost if it is booked for the first
        time.

        The adapter that sent the delivery is the one to go by; a report may name another one, as
        not every report says on which channel the message went.
        """
        adapter = self._adapters.get(row["via"])
        if adapter is None:
            return None  # its channel has been switched off since
        if receipt.state == "failed":
            await self._fail(tx, row, receipt, adapter)
        elif receipt.state != "sent":
            await note_arrived(tx, receipt.provider_id, receipt.state)
        return await self._costs.note(tx, row, receipt, adapter)

    async def _fail(self, tx: Transaction, row: Row, receipt: Receipt, adapter: Adapter) -> None:
        """Store that a delivery failed, unless it has arrived, and do what follows from it."""
        if row["receipt"] or row["is_open"]:
            return  # it has arrived, or was reported before; or only a part of it failed
        lane, body = row["lane"], decode_body(row["body"])
        await note_in_doubt(tx, lane, row["turn"])
        if receipt.cause == "window" and adapter.capabilities.window and not is_code_delivery(body):
            await wake_lane(tx, lane)  # a template may have to be sent
            await wait_for_window(tx, lane, row["id"], body, adapter.capabilities)
            await tx.announce(lane)
            return
        if not receipt.cause and (left := link_refused_file(body, self._link)):
            await wake_lane(tx, lane)
            log.warning("file_refused", delivery=row["id"], reason=receipt.error)
            await send_instead(tx, lane, row["id"], left, receipt.error)
            await tx.announce(lane)
            return
        may_wait = receipt.cause == "restricted" and not is_code_delivery(body)
        if may_wait:
            await wait_for_sender(tx, lane, row["id"], row["via"])
        else:
            await note_failed(tx, lane, row["id"], receipt.error)
        if receipt.cause == "restricted":
            await self._when_held(tx, lane, row["via"], receipt.error)
        if receipt.cause in {"opted_out", "dead"}:
            await note_unreachable(tx, lane, opted_out=receipt.cause == "opted_out")
        if not may_wait:
            await self._when_refused(tx, lane, body, "refused")

    async def _resolve(self, tx: Transaction, receipt: Receipt) -> Receipt:
        """Find the delivery of a report that names an address and has an unknown id.

        Returns the report with the id of the only delivery that it can be about, if there is one.
        """
        if not (receipt.address or receipt.recipients):
            return receipt
        if receipt.provider_id and await find_reported(tx, receipt.provider_id):
            return receipt
        channel = self._adapters[receipt.via].channel
        if receipt.recipients:
            return await _resolve_doubt(tx, receipt, channel)
        row = await tx.fetch_one(
            _NEWEST_UNREPORTED, lane=f"{channel}:{receipt.address}", via=receipt.via
        )
        if row is None or row["state"] == "attempting":
            return receipt  # its id is not known yet, and the report may be about it
        found = row["provider_id"]
        if not found:
            found = receipt.provider_id or f"{receipt.via}:{secrets.token_hex(8)}"
            await give_provider_id(tx, row["lane"], row["id"], found)
        return msgspec.structs.replace(receipt, provider_id=found)


async def _resolve_doubt(tx: Transaction, receipt: Receipt, channel: Channel) -> Receipt:
    """Give the report's id to the oldest delivery in doubt to one of its recipients, if any.

    Not while another delivery is being sent there, as the report may be about that one.
    """
    for recipient in receipt.recipients:
        address = await find_address(tx, channel, recipient) or recipient
        values = {"via": receipt.via, "provider_id": receipt.provider_id}
        row = await tx.fetch_one(_OLDEST_DOUBT, lane=f"{channel}:{address}", **values)
        if row is not None:
            await give_provider_id(tx, row["lane"], row["id"], receipt.provider_id)
            break
    return receipt


_STATES: Final = ("sent", "delivered", "read", "failed")


def _order(receipt: Receipt) -> tuple[str, int]:
    """Return a sort key: by delivery, as every transaction locks them, and failures last."""
    return receipt.provider_id, _STATES.index(receipt.state)


def _name(receipt: Receipt) -> dict[str, str]:
    return {"via": receipt.via, "provider_id": receipt.provider_id, "state": receipt.state}


async def _keep_early(tx: Transaction, receipts: Sequence[Receipt]) -> None:
    """Keep reports for a day, except those without an id, whose delivery cannot be found."""
    for receipt in receipts:
        if receipt.provider_id:
            await tx.execute(_KEEP_EARLY, **_name(receipt), body=encode(receipt))


_NEWEST_UNREPORTED = """
SELECT id, lane, provider_id, state FROM outbox
WHERE lane = :lane AND via = :via AND receipt = '' AND created_at > {now} - 86400
    AND state IN ('attempting', 'sent', 'unknown')
ORDER BY CASE WHEN state = 'attempting' THEN 0 ELSE 1 END, id DESC LIMIT 1
"""

# One query, so that a delivery that is recorded just now is either still being sent or named.
_OLDEST_DOUBT = """
SELECT outbox.id, outbox.lane FROM outbox
WHERE state = 'unknown' AND provider_id IS NULL AND via = :via AND created_at > {now} - 86400
    AND lane IN (SELECT id FROM lane WHERE id = :lane OR moved_to = :lane) AND NOT EXISTS (
        SELECT 1 FROM outbox AS other WHERE other.lane = outbox.lane AND other.state = 'attempting'
    ) AND NOT EXISTS (SELECT 1 FROM outbox AS named WHERE named.provider_id = :provider_id)
ORDER BY id LIMIT 1
"""

_KEEP_EARLY = """
INSERT INTO receipt (via, provider_id, state, body, at)
VALUES (:via, :provider_id, :state, :body, {now})
ON CONFLICT (via, provider_id, state) DO NOTHING
"""

_EARLY = """
SELECT body FROM receipt WHERE via = :via AND provider_id = :provider_id AND EXISTS (
    SELECT 1 FROM outbox WHERE outbox.provider_id = receipt.provider_id
)
"""

_KEPT = """
SELECT body FROM receipt
WHERE EXISTS (SELECT 1 FROM outbox WHERE outbox.provider_id = receipt.provider_id) OR EXISTS (
    SELECT 1 FROM outbox WHERE state IN ('refused', 'unknown') AND state = 'unknown'
        AND provider_id IS NULL AND outbox.via = receipt.via
        AND created_at <= receipt.at AND ended_at > {now} - 900
)
ORDER BY at LIMIT 2000
"""

_SETTLED = """
DELETE FROM receipt WHERE via = :via AND provider_id = :provider_id AND state = :state
"""
